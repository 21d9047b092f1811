//! The functions of the other tools that have a counterpart here.

use std::sync::LazyLock;

use nodust_frontier::CanonicalUrl;
use nodust_middleware::{
    clean,
    normalize::{Equivalences, NormalizeConfig},
    scrub::{Scrub, ScrubConfig},
};
use serde_json::Value;
use url::Url;

use super::{
    Case, Expected, Outcome,
    case::{text_of, texts_of},
    courlan::url_answer,
    design::compare,
};

static CLASS: LazyLock<Equivalences> =
    LazyLock::new(|| Equivalences::new(&NormalizeConfig::default()));

const NO_SCHEME: Outcome =
    Outcome::NotApplicable("no http(s) URL: a text without scheme is relative");
const OPTION: Outcome = Outcome::NotApplicable("an option that has no counterpart");
const NOTHING_LIKE_IT: Outcome = Outcome::NotApplicable("no counterpart");

pub(crate) fn replay(case: &Case) -> Outcome {
    answered(case).unwrap_or(Outcome::NotApplicable("arguments of a kind not known here"))
}

fn answered(case: &Case) -> Option<Outcome> {
    let function = case.function.as_str();
    // Text arguments come first; w3lib's quick split has six parts.
    let input = match case.args.first().or_else(|| case.kwargs.get("url")) {
        Some(Value::Array(parts)) if parts.len() == 6 => return Some(six_parts(case, parts)),
        Some(value) => text_of(value)?,
        None => return None,
    };
    if !options_are_ours(case) {
        return Some(OPTION);
    }
    match (case.peer.as_str(), function) {
        ("whatwg", _) => wire(&input, &case.expected, |t| Some(clean::scrub_url(t))),
        ("w3lib", "safe_url_string") | ("ural", "canonicalize_url") => {
            wire(&input, &case.expected, |t| Some(clean::scrub_url(t)))
        }
        ("w3lib", "canonicalize_url") => wire(&input, &case.expected, clean::clean_url),
        ("url-normalize", "url_normalize" | "generic_url_cleanup") => {
            wire(&input, &case.expected, |t| Some(clean::scrub_url(t)))
        }
        ("url-normalize", part) => url_part(case, part, &input),
        ("nutch", "BasicURLNormalizer.normalize") => {
            wire(&input, &case.expected, |t| Some(clean::scrub_url(t)))
        }
        ("nutch", "QuerystringURLNormalizer.normalize") => {
            wire(&input, &case.expected, clean::clean_url)
        }
        // Unmangling is on by default there, and makes another host of it.
        ("stormcrawler", "BasicURLNormalizer.filter")
            if input.contains('&') && !input.contains('?') =>
        {
            Some(OPTION)
        }
        ("stormcrawler", "BasicURLNormalizer.filter") => {
            let dropped = case
                .arg(usize::MAX, "queryElementsToRemove")
                .and_then(texts_of);
            let scrub = Scrub::new(ScrubConfig {
                drop_parameters: dropped.unwrap_or_default(),
                drop_lone_question_mark: true,
                ..ScrubConfig::default()
            });
            wire(&input, &case.expected, |text| {
                let url: CanonicalUrl = text.parse().ok()?;
                Some(
                    scrub
                        .rewrite(url.as_url())
                        .unwrap_or_else(|| url.as_str().to_owned()),
                )
            })
        }
        ("nutch", "RegexURLNormalizer.normalize[default]")
        | ("ural", "normalize_url" | "fingerprint_url")
        | ("surt", "surt" | "surt.surt")
        | ("webarchive-commons", "WaybackURLKeyMaker.makeKey") => key(&input, &case.expected),
        ("surt" | "webarchive-commons", _) => archive(case, function, &input),
        ("ural", "get_domain_name") => {
            let expected = expected_text(&case.expected)?;
            Some(match clean::extract_domain(&input) {
                Some(ours) => Outcome::of(&ours, &expected),
                None => NO_SCHEME,
            })
        }
        _ => Some(NOTHING_LIKE_IT),
    }
}

/// Options that change the answer in ways which have no counterpart.
fn options_are_ours(case: &Case) -> bool {
    const UNKNOWN: &[&str] = &[
        "filter_params",
        "default_domain",
        "default_scheme",
        "charset",
        "query_separator",
        "quoted",
        "platform_aware",
        "infer_redirection",
        "normalize_amp",
        "strip_trailing_slash",
        "strip_protocol",
        "strip_irrelevant_subdomains",
        "removeHashes",
        "scope",
        "quote_path",
        "query_lowercase",
        "host_massage",
        "reverse_ipaddr",
        "unmangleQueryString",
        "unsplit",
        "maxLength",
    ];
    let is_default = |name: &str, value: &Value| match name {
        "filter_params" | "quoted" | "platform_aware" | "infer_redirection" => {
            value == &Value::Bool(false)
        }
        "default_domain" => value.is_null(),
        "default_scheme" => value == "https",
        "reverse_ipaddr" | "quote_path" | "host_massage" => value == &Value::Bool(true),
        "unmangleQueryString" => value == &Value::Bool(false),
        _ => false,
    };
    let encoding_is_utf8 = ["encoding", "path_encoding"].iter().all(|name| {
        case.kwargs
            .get(*name)
            .and_then(Value::as_str)
            .is_none_or(|e| matches!(e.to_ascii_lowercase().as_str(), "utf8" | "utf-8"))
    }) && case.args.iter().skip(1).all(|a| {
        a.as_str()
            .is_none_or(|e| !e.contains("latin") && !e.contains("utf-16"))
    });
    encoding_is_utf8
        && case
            .kwargs
            .iter()
            .all(|(name, value)| !UNKNOWN.contains(&name.as_str()) || is_default(name, value))
}

fn is_http(text: &str) -> bool {
    let text = text.trim_matches(|c: char| c <= ' ');
    text.split_once("://").is_some_and(|(scheme, _)| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    })
}

fn expected_text(expected: &Expected) -> Option<String> {
    match expected {
        Expected::Value(value) => text_of(value),
        _ => None,
    }
}

/// An answer that is a URL to be fetched.
fn wire(
    input: &str,
    expected: &Expected,
    ours: impl Fn(&str) -> Option<String>,
) -> Option<Outcome> {
    if !is_http(input) {
        return Some(NO_SCHEME);
    }
    let is_url = CanonicalUrl::resolve(input, None).is_ok();
    let ours = if is_url { ours(input) } else { None };
    url_answer(input, expected, ours.as_deref())
}

/// A URL in the six parts of Python's `urlparse`.
fn six_parts(case: &Case, parts: &[Value]) -> Outcome {
    let part = |i: usize| parts[i].as_str().unwrap_or_default();
    let mut text = format!("{}://{}{}", part(0), part(1), part(2));
    for (mark, i) in [(';', 3), ('?', 4), ('#', 5)] {
        if !part(i).is_empty() {
            text.push(mark);
            text.push_str(part(i));
        }
    }
    wire(&text, &case.expected, clean::clean_url).unwrap_or(NOTHING_LIKE_IT)
}

/// What a URL is compared by.
fn class_of(text: &str) -> Option<String> {
    let url = CanonicalUrl::resolve(text, None).ok()?;
    Some(
        CLASS
            .class_of(url.as_url())
            .unwrap_or_else(|| url.as_str().to_owned()),
    )
}

/// An answer that is a key to compare by, in whatever notation the tool has.
fn key(input: &str, expected: &Expected) -> Option<Outcome> {
    let with_scheme = |text: &str| {
        if text.contains("://") {
            text.to_owned()
        } else {
            format!("https://{text}")
        }
    };
    let expected = match expected {
        Expected::Value(value) => text_of(value)?,
        _ => return None,
    };
    let scheme = input
        .trim()
        .split(':')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if input.contains(':') && !is_http(input) && !scheme.contains(['.', '/']) {
        return Some(NO_SCHEME);
    }
    if !is_http(input) {
        return Some(NO_SCHEME);
    }
    let expected = with_scheme(&from_surt(&expected).unwrap_or(expected));
    Some(match class_of(input) {
        Some(ours) => compare(input, &expected, &ours, true),
        None => Outcome::by_design("not a URL that can be fetched: refused here"),
    })
}

/// `http://(org,example,)/a` and `org,example)/a` as URLs.
fn from_surt(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://(").unwrap_or(("https", text));
    let (labels, path) = rest.split_once(')')?;
    if labels.contains(['/', '?', '.']) {
        return None;
    }
    let (labels, port) = labels.split_once(':').unwrap_or((labels, ""));
    let mut labels: Vec<&str> = labels.split(',').filter(|l| !l.is_empty()).collect();
    labels.reverse();
    let port = if port.is_empty() {
        String::new()
    } else {
        format!(":{port}")
    };
    Some(format!("{scheme}://{}{port}{path}", labels.join(".")))
}

/// Parts of a URL, put into one to be judged.
fn url_part(case: &Case, function: &str, input: &str) -> Option<Outcome> {
    let scheme = case.text(1, "scheme").unwrap_or_else(|| "http".into());
    let is_web = matches!(scheme.as_str(), "http" | "https");
    let whole = |part: &str| match function {
        "normalize_path" if is_web && part.starts_with('/') => {
            Some(format!("{scheme}://e.org{part}"))
        }
        "normalize_query" => Some(format!("http://e.org/?{part}")),
        "normalize_host" if !part.is_empty() => Some(format!("http://{part}/")),
        "normalize_userinfo" => Some(format!("http://{part}e.org/")),
        "normalize_port" if is_web && !part.is_empty() => Some(format!("{scheme}://e.org:{part}/")),
        "normalize_port" if is_web => Some(format!("{scheme}://e.org/")),
        "normalize_scheme" if part.to_ascii_lowercase().starts_with("http") => {
            Some(format!("{part}://e.org/"))
        }
        _ => None,
    };
    let Some(text) = whole(input) else {
        return Some(NOTHING_LIKE_IT);
    };
    let expected = match &case.expected {
        Expected::Value(value) => Expected::Value(whole(&text_of(value)?)?.into()),
        other => other.clone(),
    };
    wire(&text, &expected, |t| Some(clean::scrub_url(t)))
}

/// The web archives' canonicalizers: keys, and the steps they are made of.
fn archive(case: &Case, function: &str, input: &str) -> Option<Outcome> {
    let (class, method) = function.split_once('.').unwrap_or((function, ""));
    let part = |prefix: &str, config: NormalizeConfig| -> Option<Outcome> {
        let expected = expected_text(&case.expected)?;
        let text = format!("{prefix}{input}");
        let url = Url::parse(&text).ok()?;
        let ours = Equivalences::new(&config)
            .class_of(&url)
            .unwrap_or(text.clone());
        Some(compare(&text, &format!("{prefix}{expected}"), &ours, true))
    };
    match (class, method) {
        (_, "canonicalize") => key(input, &case.expected),
        ("IAURLCanonicalizer", "alphaReorderQuery") => part(
            "http://e.org/?",
            NormalizeConfig {
                sort_parameters: true,
                ..NormalizeConfig::none()
            },
        ),
        ("IAURLCanonicalizer", "massageHost") => {
            let expected = expected_text(&case.expected)?;
            let ours = class_of(&format!("http://{input}/"))?;
            Some(compare(
                &format!("http://{input}/"),
                &format!("http://{expected}/"),
                &ours,
                true,
            ))
        }
        ("URLRegexTransformer", "stripQuerySessionID") => {
            let expected = expected_text(&case.expected)?;
            let text = format!("http://e.org/{input}");
            let ours = class_of(&text)?;
            Some(compare(
                &text,
                &format!("http://e.org/{expected}"),
                &ours,
                true,
            ))
        }
        ("URLRegexTransformer", "stripPathSessionID") => part(
            "http://e.org",
            NormalizeConfig {
                session_parameters: true,
                ..NormalizeConfig::none()
            },
        ),
        _ => Some(NOTHING_LIKE_IT),
    }
}
