//! The language of a page, as far as its URL tells it.
//!
//! A path segment (`/en/`, `/pt-br/`), the first host label (`de.example.org`), an `hreflang` attribute or a parameter
//! (`?lang=fr`) may name it. A segment of two letters counts only if it is a language code, and only if the path names
//! just one language: two name a translation or a country.
//!
//! ```
//! use nodust_middleware::filter::language::lang_filter;
//!
//! assert!(lang_filter("https://example.org/de/seite", Some("de"), false, true));
//! assert!(!lang_filter("https://example.org/en/page", Some("de"), false, true));
//! ```

/// Two-letter codes of languages that have locale data in the Unicode CLDR (ISO 639-1), in order.
const LANGUAGES: &str = "aa ab af ak am an ar as az ba be bg bm bn bo br bs ca ce co cs cu cv cy da de \
    dv dz ee el en eo es et eu fa ff fi fo fr fy ga gd gl gn gu gv ha he hi hr ht hu hy ia id ie ig ii io \
    is it iu ja jv ka ki kk kl km kn ko ks ku kw ky la lb lg ln lo lt lu lv mg mi mk ml mn mr ms mt my nb \
    nd ne nl nn no nr nv ny oc om or os pa pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sn so sq sr \
    ss st su sv sw ta te tg th ti tk tn to tr ts tt ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// Codes that CLDR reads as another language.
const ALIASES: &[(&str, &str)] = &[
    ("bh", "bho"),
    ("in", "id"),
    ("iw", "he"),
    ("ji", "yi"),
    ("jw", "jv"),
    ("mo", "ro"),
    ("tl", "fil"),
    ("tw", "ak"),
];

/// Three-letter codes (ISO 639-2) that are common in URLs, and what they stand for.
const LONG_CODES: &[(&str, &str)] = &[
    ("ara", "ar"),
    ("chi", "zh"),
    ("cze", "cs"),
    ("dan", "da"),
    ("deu", "de"),
    ("dut", "nl"),
    ("eng", "en"),
    ("fil", "fil"),
    ("fin", "fi"),
    ("fra", "fr"),
    ("fre", "fr"),
    ("ger", "de"),
    ("gre", "el"),
    ("hun", "hu"),
    ("ita", "it"),
    ("jpn", "ja"),
    ("kor", "ko"),
    ("nld", "nl"),
    ("nor", "no"),
    ("pol", "pl"),
    ("por", "pt"),
    ("rum", "ro"),
    ("rus", "ru"),
    ("spa", "es"),
    ("swe", "sv"),
    ("tur", "tr"),
    ("ukr", "uk"),
    ("zho", "zh"),
];

/// English and native names that parameters use.
const NAMES: &[(&str, &str)] = &[
    ("arabic", "ar"),
    ("chinese", "zh"),
    ("deutsch", "de"),
    ("dutch", "nl"),
    ("english", "en"),
    ("espanol", "es"),
    ("francais", "fr"),
    ("french", "fr"),
    ("german", "de"),
    ("italian", "it"),
    ("italiano", "it"),
    ("japanese", "ja"),
    ("polish", "pl"),
    ("portuguese", "pt"),
    ("russian", "ru"),
    ("spanish", "es"),
];

/// The language that a tag names (`EN`, `pt-BR`, `zh_Hans`, `ger`), as a CLDR code; `None` if its first part is not a
/// language code. Later parts are only checked to see that the text is a tag.
pub fn language_of_tag(tag: &str) -> Option<&'static str> {
    let (code, rest) = match tag.split_once(['-', '_']) {
        Some((code, rest)) => (code, Some(rest)),
        None => (tag, None),
    };
    if let Some(rest) = rest {
        let is_subtag = |part: &str| {
            (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        if !rest.split(['-', '_']).all(is_subtag) {
            return None;
        }
    }
    match code.len() {
        2 => two_letter_language(code),
        3 => LONG_CODES
            .iter()
            .find(|(long, _)| code.eq_ignore_ascii_case(long))
            .map(|(_, language)| *language),
        _ => None,
    }
}

/// The language that a parameter's value names: a tag or a common name.
pub fn language_of_value(value: &str) -> Option<&'static str> {
    language_of_tag(value).or_else(|| {
        NAMES
            .iter()
            .find(|(name, _)| value.eq_ignore_ascii_case(name))
            .map(|(_, language)| *language)
    })
}

fn two_letter_language(code: &str) -> Option<&'static str> {
    let lower = code.to_ascii_lowercase();
    if let Some((_, language)) = ALIASES.iter().find(|(alias, _)| *alias == lower) {
        return Some(language);
    }
    // Codes stand every three bytes; the continuation lines of the literal hold no extra space.
    LANGUAGES
        .as_bytes()
        .chunks(3)
        .position(|chunk| &chunk[..2] == lower.as_bytes())
        .map(|i| &LANGUAGES[3 * i..3 * i + 2])
}

/// Returns `score` plus one if `segment` names `language`, minus one if it names another, and unchanged if it names
/// none.
pub fn langcodes_score(language: &str, segment: &str, score: i32) -> i32 {
    match language_of_tag(segment) {
        Some(named) if named == language => score + 1,
        Some(_) => score - 1,
        None => score,
    }
}

/// Whether a URL may lead to a page in `language` (an ISO 639-1 code in lower case; `None` asks for no language).
/// `strict` also reads the first host label; `trailing_slash` says whether a language at the very end of the path
/// counts only before a slash.
pub fn lang_filter(url: &str, language: Option<&str>, strict: bool, trailing_slash: bool) -> bool {
    let Some(language) = language else {
        return true;
    };
    let Some(rest) = without_scheme(url) else {
        return true;
    };
    let mut score = 0;
    if let Some(code) = first_segment_code(rest)
        && count_codes(url, trailing_slash) == 1
    {
        score = langcodes_score(language, code, score);
    }
    if strict && let Some(label) = host_code(rest) {
        score += if label.eq_ignore_ascii_case(language) {
            1
        } else {
            -1
        };
    }
    score >= 0
}

/// The language that the first path segment names (`/de/`, `/pt-br/`), or another segment with a region (`/docs/pt-br/`): two letters
/// deeper in a path are as often something else (`/item/id/12`, `/ca/los-angeles`). `None` if no segment or several name one.
pub fn path_language(path: &str) -> Option<&'static str> {
    let segments = path.strip_prefix('/').unwrap_or(path).split('/');
    let mut languages = segments.enumerate().filter_map(|(at, segment)| {
        let language = two_letter_language(split_code(segment, 2..=3)?)?;
        Some((language, at == 0 || segment.len() > 2))
    });
    let (language, is_plain) = languages.next()?;
    (is_plain && languages.next().is_none()).then_some(language)
}

/// The language that the first of at least three host labels names (`de.example.org`). The second must have four
/// characters or more, since `it.ibm.com` is a department.
pub fn host_language(host: &str) -> Option<&'static str> {
    let mut labels = host.split('.');
    let (code, name) = (labels.next()?, labels.next()?);
    (code.len() == 2 && name.len() >= 4 && labels.next().is_some())
        .then(|| two_letter_language(code))
        .flatten()
}

fn without_scheme(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")).then_some(rest)
}

/// Two letters that are the first path segment, alone or before a region.
fn first_segment_code(rest: &str) -> Option<&str> {
    let slash = rest.find('/').filter(|&at| at > 0)?;
    let segment = rest[slash + 1..].split('/').next()?;
    split_code(segment, 2..=3)
}

/// The two letters of `xx` or `xx-yy`, where the region has a length in `region`.
fn split_code(segment: &str, region: std::ops::RangeInclusive<usize>) -> Option<&str> {
    let bytes = segment.as_bytes();
    let is_letters = |b: &[u8]| b.iter().all(u8::is_ascii_alphabetic);
    let fits = match bytes.len() {
        2 => true,
        n if n > 3 => {
            matches!(bytes[2], b'-' | b'_') && region.contains(&(n - 3)) && is_letters(&bytes[3..])
        }
        _ => false,
    };
    (fits && is_letters(&bytes[..2])).then(|| &segment[..2])
}

/// Segments anywhere in the URL that look like a language with or without a region. A slash belongs to
/// one segment only, so that of two neighbours the first counts.
fn count_codes(url: &str, trailing_slash: bool) -> usize {
    let mut count = 0;
    let mut segments = url.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let closed = segments.peek().is_some();
        if (closed || !trailing_slash) && split_code(segment, 2..=2).is_some() {
            count += 1;
            // Its closing slash cannot open the next segment.
            segments.next();
        }
    }
    count
}

/// Two letters in front of at least two more labels, the first of them of four or more characters:
/// `de.example.org`, not `de.ex.org`.
fn host_code(rest: &str) -> Option<&str> {
    let (code, rest) = rest.split_once('.')?;
    if code.len() != 2 || !code.bytes().all(|b| b.is_ascii_alphabetic()) {
        return None;
    }
    let mut labels = rest.split('.');
    let name = labels.next()?;
    let ends_in_path = |label: &str| label.char_indices().any(|(at, c)| at > 0 && c == '/');
    let second = labels.next()?;
    let fits = name.chars().take(4).count() == 4
        && !second.is_empty()
        && (ends_in_path(second) || labels.next().is_some_and(ends_in_path));
    fits.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_table_is_found() {
        for code in LANGUAGES.split(' ') {
            assert_eq!(language_of_tag(code), Some(code));
        }
        assert_eq!(language_of_tag("IN"), Some("id"));
        assert_eq!(language_of_tag("xx"), None);
        assert_eq!(language_of_tag("pt-br"), Some("pt"));
        assert_eq!(language_of_tag("en-"), None);
        assert_eq!(language_of_tag("é"), None);
        assert_eq!(language_of_value("Deutsch"), Some("de"));
    }

    #[test]
    fn a_path_that_names_one_other_language_does_not_pass() {
        assert!(!lang_filter("http://test.com/az/", Some("de"), false, true));
        assert!(!lang_filter("http://e.at/en_US/a", Some("de"), false, true));
        assert!(lang_filter("http://e.at/de_DE/a", Some("de"), false, true));
        assert!(lang_filter("http://e.at/en/a", None, false, true));
        assert!(lang_filter(
            "http://e.de/bg/x/de/a",
            Some("de"),
            false,
            true
        ));
        assert!(lang_filter("http://e.de/htm/x", Some("de"), false, true));
    }

    #[test]
    fn strictly_the_host_counts_too() {
        let host = "https://en.wikipedia.org/";
        assert!(lang_filter(host, Some("de"), false, true));
        assert!(!lang_filter(host, Some("de"), true, true));
        assert!(lang_filter("https://bz.ex.org/", Some("de"), true, true));
    }
}
