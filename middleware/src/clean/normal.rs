//! The tidy form of a URL.

use std::{borrow::Cow, sync::LazyLock};

use nodust_frontier::{CanonicalUrl, MalformedUrl};
use url::Url;

use crate::{
    filter::language::language_of_value,
    normalize::{Equivalences, NormalizeConfig, name_of},
};

/// How far [`normalize_url`] goes.
///
/// ```
/// use nodust_middleware::clean::{CleanOptions, normalize_url_with};
///
/// let strict = CleanOptions { strict: true, ..CleanOptions::default() };
/// assert_eq!(normalize_url_with("http://e.org/a/?page=2&sort=up", &strict).unwrap(), "http://e.org/a/?page=2");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanOptions {
    /// Keep only parameters whose names name content (`id`, `page`, `post` …).
    pub strict: bool,
    /// Refuse URLs whose parameters `lang` or `language` name another language than this one (ISO 639-1).
    pub language: Option<String>,
    /// Keep a slash at the end of the path; otherwise it is dropped if no query follows.
    pub trailing_slash: bool,
}

impl Default for CleanOptions {
    fn default() -> Self {
        Self {
            strict: false,
            language: None,
            trailing_slash: true,
        }
    }
}

/// Why a URL has no tidy form.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CleanError {
    /// It is not a URL that could be fetched.
    #[error("no URL that could be fetched: {0}")]
    Malformed(#[from] MalformedUrl),
    /// A parameter says that the page is in another language.
    #[error("the parameter {parameter} names another language than {wanted}")]
    Language {
        /// The parameter with its value.
        parameter: String,
        /// The language asked for.
        wanted: String,
    },
    /// Not made of scheme, host and path.
    #[error("{text:?} has no host")]
    NoHost {
        /// The text.
        text: String,
    },
}

/// Parameters that mean content on most sites: what `strict` keeps.
const CONTENT_PARAMETERS: &[&str] = &[
    "aid",
    "article_id",
    "artnr",
    "id",
    "itemid",
    "objectid",
    "p",
    "page",
    "page_id",
    "pagenum",
    "pid",
    "post",
    "post_id",
    "postid",
    "product_id",
];

/// The equivalences that `clean_url` and `normalize_url` make visible in the URL.
static TIDY: LazyLock<Equivalences> = LazyLock::new(|| {
    Equivalences::new(&NormalizeConfig {
        tracking_parameters: true,
        session_parameters: true,
        sort_parameters: true,
        lone_question_mark: true,
        ..NormalizeConfig::none()
    })
});

/// The same request in its canonical spelling: damage of extraction repaired, host in lower case and ASCII, default
/// port, dot segments and fragment dropped, escapes spelled one way. A text that is not a URL to be fetched is only
/// repaired at its edges.
///
/// ```
/// use nodust_middleware::clean::scrub_url;
///
/// assert_eq!(scrub_url(" HTTPS://E.org/%7eme#top "), "https://e.org/~me");
/// assert_eq!(scrub_url("<![CDATA[mailto:me@e.org]]>"), "mailto:me@e.org");
/// ```
pub fn scrub_url(text: &str) -> String {
    match CanonicalUrl::resolve(text, None) {
        Ok(url) => url.as_str().to_owned(),
        Err(_) => nodust_frontier::link::repair(text).into_owned(),
    }
}

/// [`normalize_url`], without the reason for a failure.
pub fn clean_url(text: &str) -> Option<String> {
    normalize_url(text).ok()
}

/// The canonical spelling without exact-named tracking and session parameters, with the others in order of their names.
/// What is left out or moved seldom matters to a server, but the result is another request.
///
/// # Errors
/// If the text is not a URL that could be fetched.
pub fn normalize_url(text: &str) -> Result<String, CleanError> {
    normalize_url_with(text, &CleanOptions::default())
}

/// [`normalize_url`] with options.
///
/// # Errors
/// If the text is not a URL that could be fetched, or a parameter names another language than the one asked for.
pub fn normalize_url_with(text: &str, options: &CleanOptions) -> Result<String, CleanError> {
    let found = CanonicalUrl::resolve(text, None)?;
    let mut url = match TIDY.class_of(found.as_url()) {
        Some(tidy) => Url::parse(&tidy).map_err(MalformedUrl::Parse)?,
        None => found.as_url().clone(),
    };
    if let Some(query) = url.query() {
        let cleaned = clean_query(query, options.strict, options.language.as_deref())?;
        if cleaned != query {
            let cleaned = cleaned.into_owned();
            url.set_query((!cleaned.is_empty()).then_some(&cleaned));
        }
    }
    if !options.trailing_slash && url.query().is_none() && url.path().len() > 1 {
        let kept = url.path().trim_end_matches('/').to_owned();
        url.set_path(&kept);
    }
    Ok(url.into())
}

/// A query without tracking and session parameters, in order of the names; `strict` keeps only parameters
/// that name content.
///
/// ```
/// use nodust_middleware::clean::clean_query;
///
/// assert_eq!(clean_query("utm_source=x&post=abc&page=2", false, None).unwrap(), "page=2&post=abc");
/// assert!(clean_query("lang=en", false, Some("de")).is_err());
/// ```
///
/// # Errors
/// If a parameter names another language than `language`.
pub fn clean_query<'q>(
    query: &'q str,
    strict: bool,
    language: Option<&str>,
) -> Result<Cow<'q, str>, CleanError> {
    if let Some(wanted) = language {
        let foreign = query.split('&').find(|parameter| {
            let name = name_of(parameter);
            let value = &parameter[(name.len() + 1).min(parameter.len())..];
            is_one_of(name, &["lang", "language"])
                && language_of_value(value).is_some_and(|named| named != wanted)
        });
        if let Some(parameter) = foreign {
            return Err(CleanError::Language {
                parameter: parameter.to_owned(),
                wanted: wanted.to_owned(),
            });
        }
    }
    let tidy = TIDY
        .query_of(query)
        .map_or(Cow::Borrowed(query), Cow::Owned);
    let names_content = |parameter: &str| is_one_of(name_of(parameter), CONTENT_PARAMETERS);
    if !strict || tidy.split('&').all(names_content) {
        return Ok(tidy);
    }
    let kept: Vec<&str> = tidy.split('&').filter(|p| names_content(p)).collect();
    Ok(Cow::Owned(kept.join("&")))
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|n| name.eq_ignore_ascii_case(n))
}

#[cfg(test)]
mod tests {
    use super::{CleanOptions, clean_query, clean_url, normalize_url_with, scrub_url};

    #[test]
    fn scrubbing_keeps_the_request() {
        for (found, scrubbed) in [
            (
                "HTTPS://WWW.E.DE:443/?b=1&a=2#x",
                "https://www.e.de/?b=1&a=2",
            ),
            (
                "http://e.org/a//b?utm_source=1",
                "http://e.org/a//b?utm_source=1",
            ),
            ("http://e.org/?a&amp;b", "http://e.org/?a&amp;b"),
            ("ø", "ø"),
        ] {
            assert_eq!(scrub_url(found), scrubbed);
        }
    }

    #[test]
    fn cleaning_drops_trackers_and_orders_parameters() {
        assert_eq!(
            clean_url("http://e.org/?b=1&fbclid=3&wsdl&a=").as_deref(),
            Some("http://e.org/?a=&b=1&wsdl")
        );
        assert_eq!(
            clean_url("http://e.org/?gallery=3").as_deref(),
            Some("http://e.org/?gallery=3")
        );
        assert_eq!(clean_url("mailto:me@e.org"), None);
    }

    #[test]
    fn options_go_further() {
        let options = CleanOptions {
            strict: true,
            language: Some("de".into()),
            trailing_slash: false,
        };
        let tidy = |text| normalize_url_with(text, &options);
        assert_eq!(tidy("http://e.org/a/?x=1").unwrap(), "http://e.org/a");
        assert_eq!(
            tidy("http://e.org/a/?id=1").unwrap(),
            "http://e.org/a/?id=1"
        );
        assert_eq!(
            tidy("http://e.org/?lang=de&p=2").unwrap(),
            "http://e.org/?p=2"
        );
        assert!(tidy("http://e.org/?lang=en").is_err());
        assert_eq!(clean_query("", true, Some("de")).unwrap(), "");
    }
}
