//! courlan's functions, call by call.

use std::collections::{BTreeSet, HashSet};

use nodust_middleware::{
    clean::{self, CheckOptions, CleanOptions, LinkOptions},
    filter::{extension, hostname, validity},
};
use serde_json::{Value, json};

use super::{
    Case, Expected, Kind, Outcome,
    case::{text_of, texts_of},
    design::{compare, is_odd_host},
    request::request_of,
};

const UNREADABLE: Outcome = Outcome::NotApplicable("arguments of a kind not known here");

pub(crate) fn replay(case: &Case) -> (Kind, Outcome) {
    let rewrite = matches!(
        case.function.as_str(),
        "scrub_url" | "clean_url" | "normalize_url" | "clean_query"
    );
    if rewrite {
        (Kind::Rewrite, rewritten(case).unwrap_or(UNREADABLE))
    } else {
        (Kind::Judge, judged(case).unwrap_or(UNREADABLE))
    }
}

fn rewritten(case: &Case) -> Option<Outcome> {
    let input = case
        .text(0, "url")
        .or_else(|| case.text(0, "querystring"))?;
    let strict = case.flag(1, "strict", false);
    let language = case.text(2, "language");
    let (input, ours) = match case.function.as_str() {
        "scrub_url" => (input.clone(), Some(clean::scrub_url(&input))),
        "clean_url" => (input.clone(), clean::clean_url(&input)),
        "normalize_url" => {
            let options = CleanOptions {
                strict,
                language,
                trailing_slash: case.flag(3, "trailing_slash", true),
            };
            (
                input.clone(),
                clean::normalize_url_with(&input, &options).ok(),
            )
        }
        _ => {
            let ours = clean::clean_query(&input, strict, language.as_deref()).ok();
            let whole = |query: &str| format!("http://e.org/?{query}");
            let expected = match &case.expected {
                Expected::Value(value) => Expected::Value(json!(whole(&text_of(value)?))),
                other => other.clone(),
            };
            let ours = ours.map(|q| whole(&q));
            return url_answer(&whole(&input), &expected, ours.as_deref());
        }
    };
    url_answer(&input, &case.expected, ours.as_deref())
}

/// Compares an answer that is a URL, or none.
pub(crate) fn url_answer(input: &str, expected: &Expected, ours: Option<&str>) -> Option<Outcome> {
    let expected = match expected {
        Expected::Raises | Expected::Value(Value::Null) => None,
        Expected::Value(value) => Some(text_of(value)?),
        Expected::Any(_) | Expected::Unread => return None,
    };
    Some(match (expected, ours) {
        (None, None) => Outcome::Agree,
        (Some(expected), Some(ours)) => compare(input, &expected, ours, false),
        (Some(_), None) if request_of(input).is_none() => {
            Outcome::by_design("not a URL that can be fetched: refused here")
        }
        (None, Some(_)) | (Some(_), None) if authority(input).contains('@') => {
            Outcome::by_design("userinfo")
        }
        (None, Some(_)) | (Some(_), None)
            if is_odd_host(authority(input)) || !authority(input).is_ascii() =>
        {
            Outcome::by_design("host form")
        }
        (None, Some(ours)) => Outcome::Disagree(ours.to_owned()),
        (Some(_), None) => Outcome::Disagree("refused".into()),
    })
}

fn authority(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..]
        .find(['/', '?', '#'])
        .map_or(url.len(), |at| start + at);
    &url[..end]
}

fn judged(case: &Case) -> Option<Outcome> {
    let expected = match &case.expected {
        Expected::Value(value) => value.clone(),
        Expected::Raises => Value::Null,
        Expected::Any(values) => return any_of(case, values),
        Expected::Unread => {
            return Some(Outcome::NotApplicable(
                "a random sample: only its counts are fixed",
            ));
        }
    };
    let url = || case.text(0, "url");
    let flag = |ours: bool| Outcome::of(&json!(ours), &expected);
    Some(match case.function.as_str() {
        "basic_filter" => flag(validity::basic_filter(&url()?)),
        "is_valid_url" => {
            let url = url()?;
            short_host(&url, flag(validity::is_valid_url(&url)))
        }
        "validate_url" => validate(&url()?, &expected),
        "type_filter" => flag(clean::type_filter(
            &url()?,
            case.flag(1, "strict", false),
            case.flag(2, "with_nav", false),
        )),
        "lang_filter" => flag(clean::lang_filter(
            &url()?,
            case.text(1, "language").as_deref(),
            case.flag(2, "strict", false),
            case.flag(3, "trailing_slash", true),
        )),
        "path_filter" => flag(clean::path_filter(
            &case.text(0, "urlpath")?,
            &case.text(1, "query")?,
        )),
        "extension_filter" => flag(clean::extension_filter(&case.text(0, "urlpath")?)),
        "domain_filter" => host_answer(
            &case.text(0, "domain")?,
            flag(clean::domain_filter(&case.text(0, "domain")?)),
        ),
        "is_navigation_page" => flag(clean::is_navigation_page(&url()?)),
        "is_not_crawlable" => flag(clean::is_not_crawlable(&url()?)),
        "check_url" => check(case, &expected)?,
        "extract_domain" => domain(case, &expected)?,
        "is_external" => external(case, &expected)?,
        "get_base_url" => {
            let ours = clean::get_base_url(&url()?).unwrap_or_default();
            Outcome::of(&ours, &text_of(&expected).unwrap_or_default())
        }
        "get_host_and_path" => {
            let ours = clean::get_host_and_path(&url()?)
                .map_or(Value::Null, |(host, path)| json!([host, path]));
            Outcome::of(&ours, &expected)
        }
        "get_hostinfo" => {
            let (domain, base) = clean::get_hostinfo(&url()?);
            Outcome::of(&json!([domain, base]), &expected)
        }
        "fix_relative_urls" => {
            let link = case.text(1, "url")?;
            let ours = clean::fix_relative_urls(&case.text(0, "baseurl")?, &link);
            compare(&link, &text_of(&expected)?, &ours, false)
        }
        "is_known_link" => {
            let known: HashSet<String> =
                texts_of(case.arg(1, "known_links")?)?.into_iter().collect();
            flag(clean::is_known_link(&case.text(0, "link")?, &known))
        }
        "extract_links" => {
            let ours = clean::extract_links(&html(case)?, &page(case), &link_options(case)?);
            links(&ours, &texts_of(&expected)?)
        }
        "filter_links" => filtered(case, &expected)?,
        "sample_urls" => {
            Outcome::NotApplicable("a random sample: the sampler has tests of its own")
        }
        _ => Outcome::NotApplicable("no counterpart"),
    })
}

/// Answers that depend on the order of a set: one of several is right.
fn any_of(case: &Case, values: &[Value]) -> Option<Outcome> {
    let mut last = None;
    for value in values {
        let one = Case {
            expected: Expected::Value(value.clone()),
            ..case.clone()
        };
        let outcome = judged(&one)?;
        if outcome == Outcome::Agree {
            return Some(outcome);
        }
        last = Some(outcome);
    }
    last
}

fn short_host(url: &str, outcome: Outcome) -> Outcome {
    let host = validity::SplitUrl::split(url)
        .map(|s| s.host)
        .unwrap_or_default();
    match outcome {
        Outcome::Disagree(_) if validity::is_two_letter_domain(&host) => {
            Outcome::by_design("check_url refuses good pages: host shorter than 5")
        }
        outcome => outcome,
    }
}

fn validate(url: &str, expected: &Value) -> Outcome {
    let ours = validity::validate_url(url).map_or(
        json!([false, null]),
        |s| json!([true, {"$split": [s.scheme, s.host, s.path, s.query, s.fragment]}]),
    );
    short_host(url, Outcome::of(&ours, expected))
}

/// Hosts that courlan refuses by a rule which also refuses good sites.
fn host_answer(host: &str, outcome: Outcome) -> Outcome {
    let Outcome::Disagree(_) = outcome else {
        return outcome;
    };
    if hostname::is_hexadecimal_name(host) {
        Outcome::by_design("check_url refuses good pages: hex-only host taken for an IP")
    } else if hostname::looks_like_a_page_file(host) {
        Outcome::by_design("check_url refuses good pages: a TLD read as a page extension")
    } else if host
        .split('.')
        .next()
        .is_some_and(|l| l.bytes().all(|b| b.is_ascii_digit()))
    {
        Outcome::by_design("check_url refuses good pages: first label all digits")
    } else if host.len() > 253 {
        Outcome::by_design("host form")
    } else {
        outcome
    }
}

fn check_options(case: &Case, offset: usize) -> CheckOptions {
    CheckOptions {
        strict: case.flag(offset, "strict", false),
        language: case
            .text(offset + 2, "language")
            .or_else(|| case.text(usize::MAX, "lang")),
        with_nav: case.flag(offset + 3, "with_nav", false),
        trailing_slash: case.flag(offset + 4, "trailing_slash", true),
        ..CheckOptions::default()
    }
}

fn check(case: &Case, expected: &Value) -> Option<Outcome> {
    let input = case.text(0, "url")?;
    if case.flag(2, "with_redirects", false) {
        return Some(Outcome::NotApplicable("asks a server"));
    }
    let options = check_options(case, 1);
    // Positions: url, strict, with_redirects, language, with_nav, trailing_slash.
    let ours = clean::check_url(&input, &options);
    let (wanted_url, wanted_domain) = match expected {
        Value::Array(pair) => (
            pair.first().and_then(text_of),
            pair.get(1).and_then(text_of),
        ),
        // Probes record the URL alone.
        Value::String(url) => (Some(url.clone()), None),
        _ => (None, None),
    };
    Some(match (wanted_url, ours) {
        (None, None) => Outcome::Agree,
        (Some(wanted), Some((url, domain))) => {
            let by_url = compare(&input, &wanted, &url, false);
            match wanted_domain {
                Some(wanted) => both(by_url, same_domain(&input, Some(&wanted), Some(&domain))),
                None => by_url,
            }
        }
        (None, Some((url, _))) => {
            refused_good_page(&input, &options).map_or(Outcome::Disagree(url), Outcome::by_design)
        }
        (Some(_), None) if request_of(&input).is_none() => Outcome::by_design("host form"),
        (Some(wanted), None)
            if request_of(&wanted) != request_of(&input) && input.matches("://").count() > 1 =>
        {
            Outcome::by_design("URL inside a URL")
        }
        (Some(_), None) if names_media_in_upper_case(&input) => {
            Outcome::by_design("check_url takes a picture for a page: extension in upper case")
        }
        (Some(_), None) => Outcome::Disagree("refused".into()),
    })
}

fn names_media_in_upper_case(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    extension::path_extension(path).is_some_and(|e| {
        e.bytes().any(|b| b.is_ascii_uppercase())
            && extension::names_a_file_type(&format!(".{}", e.to_ascii_lowercase()))
    })
}

/// The rule by which courlan refuses a good page, if the input falls under one.
fn refused_good_page(input: &str, options: &CheckOptions) -> Option<&'static str> {
    let split = validity::SplitUrl::split(input)?;
    let name = split.host.to_ascii_lowercase();
    let bare = name.split(':').next().unwrap_or_default();
    let nested = input.matches("://").count() > 1;
    Some(if !input.starts_with("http") {
        "check_url refuses good pages: upper-case scheme or a leading space"
    } else if nested {
        "URL inside a URL"
    } else if input.chars().count() >= 500 && !options.strict {
        "check_url refuses good pages: 500 characters and more"
    } else if validity::is_two_letter_domain(bare) || bare.len() < 5 {
        "check_url refuses good pages: host shorter than 5"
    } else if is_odd_host(authority(input)) || split.host.contains('@') || !split.host.is_ascii() {
        "check_url refuses good pages: IPv6, IPv4 with a port, userinfo, trailing dot, odd labels"
    } else if split.host.contains(':') {
        "port"
    } else if hostname::looks_like_a_page_file(bare) {
        "check_url refuses good pages: a TLD read as a page extension"
    } else if bare
        .split('.')
        .next()
        .is_some_and(|l| l.bytes().all(|b| b.is_ascii_digit()))
    {
        "check_url refuses good pages: first label all digits"
    } else if hostname::is_hexadecimal_name(bare) {
        "check_url refuses good pages: hex-only host taken for an IP"
    } else if extension::names_a_file_type(bare) {
        "check_url refuses good pages: host looks like a file name"
    } else if !options.strict && !extension::extension_filter(&split.path) {
        "check_url refuses good pages: extension not on a white list"
    } else {
        return None;
    })
}

fn both(one: Outcome, other: Outcome) -> Outcome {
    match (one, other) {
        (Outcome::Agree, other) => other,
        (one, Outcome::Agree) => one,
        (Outcome::ByDesign(mut one), Outcome::ByDesign(other)) => {
            one.extend(other);
            Outcome::ByDesign(one)
        }
        (Outcome::Disagree(why), _) | (_, Outcome::Disagree(why)) => Outcome::Disagree(why),
        (one, _) => one,
    }
}

fn domain(case: &Case, expected: &Value) -> Option<Outcome> {
    let input = case.text(0, "url")?;
    let ours = clean::extract_domain(&input).filter(|domain| {
        let blacklist = case
            .arg(1, "blacklist")
            .and_then(texts_of)
            .unwrap_or_default();
        let label = domain.split('.').next().unwrap_or_default();
        !blacklist.iter().any(|b| b == domain || b == label)
    });
    Some(same_domain(
        &input,
        text_of(expected).as_deref(),
        ours.as_deref(),
    ))
}

/// courlan's quick way is a pattern, which takes the last labels of a host for its domain.
fn same_domain(input: &str, expected: Option<&str>, ours: Option<&str>) -> Outcome {
    if expected == ours {
        return Outcome::Agree;
    }
    let host = clean::get_base_url(input)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_part_of_host = |domain: &str| host.contains(domain);
    match (expected, ours) {
        _ if is_odd_host(authority(input)) || !host.is_ascii() || host.contains("xn--") => {
            Outcome::by_design("host form")
        }
        (Some(expected), Some(ours)) if is_part_of_host(expected) && is_part_of_host(ours) => {
            Outcome::by_design("extract_domain is a pattern, not the public suffix list")
        }
        _ if input.matches("://").count() > 1 => Outcome::by_design("URL inside a URL"),
        _ => Outcome::Disagree(format!("{ours:?}")),
    }
}

fn external(case: &Case, expected: &Value) -> Option<Outcome> {
    let (url, reference) = (case.text(0, "url")?, case.text(1, "reference")?);
    let ours = clean::is_external(&url, &reference, case.flag(2, "ignore_suffix", true));
    let outcome = Outcome::of(&json!(ours), expected);
    let labels = |url: &str| authority(url).matches('.').count();
    Some(match outcome {
        Outcome::Disagree(_) if labels(&url) > 1 || labels(&reference) > 1 => {
            Outcome::by_design("extract_domain is a pattern, not the public suffix list")
        }
        outcome => outcome,
    })
}

fn html(case: &Case) -> Option<String> {
    ["pagecontent", "htmlstring"]
        .iter()
        .find_map(|name| case.text(0, name))
}

fn page(case: &Case) -> String {
    case.text(1, "url")
        .or_else(|| case.text(usize::MAX, "base_url"))
        .unwrap_or_default()
}

fn link_options(case: &Case) -> Option<LinkOptions> {
    if case.flag(usize::MAX, "redirects", false) {
        return None;
    }
    Some(LinkOptions {
        external: case.flag(2, "external_bool", false) || case.flag(usize::MAX, "external", false),
        no_filter: case.flag(usize::MAX, "no_filter", false),
        check: check_options(case, usize::MAX - 8),
        reference: case.text(usize::MAX, "reference"),
    })
}

/// Compares lists of links without regard to their order.
fn links(ours: &[String], expected: &[String]) -> Outcome {
    let canonical = |links: &[String]| -> BTreeSet<String> {
        links
            .iter()
            .map(|l| request_of(l).unwrap_or_else(|| l.clone()))
            .collect()
    };
    let (ours, expected) = (canonical(ours), canonical(expected));
    let extra: Vec<_> = ours.difference(&expected).collect();
    let missing: Vec<_> = expected.difference(&ours).collect();
    if extra.is_empty() && missing.is_empty() {
        return Outcome::Agree;
    }
    // Every link that the other side lacks must be a spelling, by design, of one that it has.
    let mut categories = BTreeSet::new();
    let all_explained = extra
        .iter()
        .all(|link| explained(link, &expected, &mut categories))
        && missing
            .iter()
            .all(|link| explained(link, &ours, &mut categories));
    if all_explained {
        Outcome::ByDesign(categories)
    } else {
        Outcome::Disagree(format!("{ours:?}"))
    }
}

fn explained(
    link: &str,
    others: &BTreeSet<String>,
    categories: &mut BTreeSet<&'static str>,
) -> bool {
    if link.contains("%7B") {
        categories.insert("braces, quotes, angle brackets");
        return true;
    }
    // courlan's pattern ends a link at a space.
    if let Some((before, _)) = link.split_once("%20")
        && others.iter().any(|o| o == before)
    {
        categories.insert("white space");
        return true;
    }
    if link.contains("rel") && link.contains("nofollow") {
        categories.insert("extract_links reads rel and nofollow out of the URL");
        return true;
    }
    // courlan strips ampersands at the end.
    let bare = link.trim_end_matches('&');
    if bare != link
        && others
            .iter()
            .any(|o| o.trim_end_matches('/') == bare.trim_end_matches('/'))
    {
        categories.insert("reserved characters in path");
        return true;
    }
    others
        .iter()
        .any(|other| match compare(link, other, link, false) {
            Outcome::Agree => true,
            Outcome::ByDesign(why) => {
                categories.extend(why);
                true
            }
            _ => false,
        })
}

fn filtered(case: &Case, expected: &Value) -> Option<Outcome> {
    let robots = case
        .arg(usize::MAX, "rules")
        .and_then(|rules| rules.get("$robots"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    let rules = texting_robots::Robot::new("*", robots.as_bytes()).ok()?;
    let mut options = link_options(case)?;
    // Its default differs from that of extract_links.
    options.check.with_nav = case.flag(usize::MAX, "with_nav", true);
    let (content, navigation) = clean::filter_links(&html(case)?, &page(case), &options, |url| {
        rules.allowed(url.as_str())
    });
    let pair = expected.as_array()?;
    Some(both(
        links(&content, &texts_of(pair.first()?)?),
        links(&navigation, &texts_of(pair.get(1)?)?),
    ))
}
