//! The spelling that stands for all spellings of a page.

use std::borrow::Cow;

use url::Url;

use super::{
    NormalizeConfig,
    names::{Names, SESSION_PARAMETERS, TRACKING_PARAMETERS, is_asp_session},
    parts::{Parts, truncate},
};

/// The equivalences of a [`NormalizeConfig`], ready to be applied.
///
/// The spelling that stands for a class is itself of that class: applying it twice changes nothing.
///
/// ```
/// use nodust_middleware::normalize::{Equivalences, NormalizeConfig};
///
/// let same = Equivalences::new(&NormalizeConfig::default());
/// let class = |text: &str| {
///     let url = url::Url::parse(text).unwrap();
///     same.class_of(&url).unwrap_or_else(|| url.into())
/// };
/// assert_eq!(
///     class("http://www.e.org/shop/index.html?utm_source=x"),
///     class("https://e.org/shop")
/// );
/// assert_eq!(class("http://e.org/?b=2&a=1+1"), "https://e.org/?a=1%201&b=2");
/// ```
#[derive(Clone, Debug)]
pub struct Equivalences {
    config: NormalizeConfig,
    dropped: Names,
    sessions: Names,
}

impl Equivalences {
    /// Makes the equivalences of a configuration, reading its lists of names once.
    pub fn new(config: &NormalizeConfig) -> Self {
        let mut sessions = Names::default();
        if config.session_parameters {
            sessions.extend(SESSION_PARAMETERS);
        }
        let mut dropped = sessions.clone();
        if config.tracking_parameters {
            dropped.extend(TRACKING_PARAMETERS);
        }
        dropped.extend(&config.drop_parameters);
        for name in &config.keep_parameters {
            dropped.remove(name);
            sessions.remove(name);
        }
        Self {
            config: config.clone(),
            dropped,
            sessions,
        }
    }

    /// The configuration that they were made from.
    pub const fn config(&self) -> &NormalizeConfig {
        &self.config
    }

    /// The text that stands for the class of `url`, or `None` (without allocation) if that is the URL itself. It never
    /// has the fragment.
    pub fn class_of(&self, url: &Url) -> Option<String> {
        let mut parts = Parts::of(url);
        let mut changed = url.fragment().is_some();
        changed |= self.authority(&mut parts);
        // Query before path: an index page counts as one when no query is left.
        changed |= self.query(&mut parts);
        changed |= self.path(&mut parts);
        changed.then(|| parts.write())
    }

    fn authority(&self, parts: &mut Parts<'_>) -> bool {
        let before = (parts.scheme.len(), parts.host.len());
        if self.config.scheme && parts.scheme == "http" && parts.port.is_empty() {
            parts.scheme = "https";
        }
        if self.config.trailing_dot {
            let trimmed = parts.host.trim_end_matches('.');
            if !trimmed.is_empty() {
                parts.host = trimmed;
            }
        }
        if self.config.www {
            while let Some(rest) = parts.host.strip_prefix("www.") {
                // `www.com` is a site of that name, not the top-level domain's.
                if !rest.trim_end_matches('.').contains('.') || rest.starts_with('.') {
                    break;
                }
                parts.host = rest;
            }
        }
        before != (parts.scheme.len(), parts.host.len())
    }

    fn path(&self, parts: &mut Parts<'_>) -> bool {
        let before = parts.path.len();
        if self.config.session_parameters {
            self.drop_path_sessions(&mut parts.path);
        }
        if self.config.index_pages
            && parts.query.as_deref().is_none_or(str::is_empty)
            && let Some(slash) = memchr::memrchr(b'/', parts.path.as_bytes())
            && is_index_page(&parts.path[slash + 1..])
        {
            truncate(&mut parts.path, slash + 1);
        }
        if self.config.trailing_slash && parts.path.len() > 1 && parts.path.ends_with('/') {
            let kept = parts.path.trim_end_matches('/').len().max(1);
            let last = &parts.path[..kept];
            let last = &last[last.rfind('/').map_or(0, |slash| slash + 1)..];
            // Doubled slashes are pages of their own; `/a//` and `/a` are not one. Nor are `/index.php/`
            // and `/index.php`, which is the folder.
            if parts.path.len() == kept + 1 && !is_index_page(last) {
                truncate(&mut parts.path, kept);
            }
        }
        before != parts.path.len()
    }

    fn drop_path_sessions(&self, path: &mut Cow<'_, str>) {
        let is_session = |parameter: &str| {
            let name = parameter.split('=').next().unwrap_or_default();
            self.sessions.contains(name) || is_asp_session(name)
        };
        // Most paths hold neither a parameter nor a parenthesis.
        if memchr::memchr2(b';', b')', path.as_bytes()).is_none() {
            return;
        }
        if path.contains(';') && path.split([';', '/']).any(is_session) {
            let segments: Vec<String> = path
                .split('/')
                .map(|segment| {
                    let mut pieces = segment.split(';');
                    let mut kept = pieces.next().unwrap_or_default().to_owned();
                    for parameter in pieces.filter(|p| !is_session(p)) {
                        kept.push(';');
                        kept.push_str(parameter);
                    }
                    // A dot segment would mean another folder.
                    if matches!(kept.as_str(), "." | "..") {
                        segment.to_owned()
                    } else {
                        kept
                    }
                })
                .collect();
            *path = Cow::Owned(segments.join("/"));
        }
        if path.contains("))") && path.split('/').any(is_cookieless_session) {
            let kept: Vec<&str> = path
                .split('/')
                .filter(|segment| !is_cookieless_session(segment))
                .collect();
            let kept = kept.join("/");
            *path = Cow::Owned(if kept.is_empty() { "/".into() } else { kept });
        }
    }

    fn query(&self, parts: &mut Parts<'_>) -> bool {
        let Some(rewritten) = parts
            .query
            .as_deref()
            .and_then(|query| self.query_of(query))
        else {
            return false;
        };
        parts.query = (!rewritten.is_empty()).then_some(Cow::Owned(rewritten));
        true
    }

    /// What stands for a query (without its `?`), empty when nothing is left of it; `None` when it stands
    /// for itself.
    pub(crate) fn query_of(&self, query: &str) -> Option<String> {
        if query.is_empty() {
            return self.config.lone_question_mark.then(String::new);
        }
        let sort = self.config.sort_parameters;
        let respace = self.config.plus_is_space && memchr::memchr(b'+', query.as_bytes()).is_some();
        let mut rewrite = respace;
        let mut previous = "";
        for parameter in query.split('&') {
            let name = name_of(parameter);
            if self.drops(name) || (sort && (parameter.is_empty() || name < previous)) {
                rewrite = true;
                break;
            }
            previous = name;
        }
        if !rewrite {
            return None;
        }
        let mut kept: Vec<Cow<'_, str>> = query
            .split('&')
            .filter(|p| !self.drops(name_of(p)) && (!sort || !p.is_empty()))
            .map(|p| {
                if respace && p.contains('+') {
                    Cow::Owned(p.replace('+', "%20"))
                } else {
                    Cow::Borrowed(p)
                }
            })
            .collect();
        if sort {
            kept.sort_by(|a, b| name_of(a).cmp(name_of(b)));
        }
        Some(kept.join("&"))
    }

    fn drops(&self, name: &str) -> bool {
        self.dropped.contains(name) || (self.config.session_parameters && is_asp_session(name))
    }
}

/// What stands before the first `=` of a parameter.
pub(crate) fn name_of(parameter: &str) -> &str {
    match memchr::memchr(b'=', parameter.as_bytes()) {
        Some(end) => &parameter[..end],
        None => parameter,
    }
}

/// The names under which servers keep the page of a folder itself.
fn is_index_page(file: &str) -> bool {
    if !matches!(file.as_bytes().first(), Some(b'i' | b'I' | b'd' | b'D')) {
        return false;
    }
    let Some((stem, extension)) = file.split_once('.') else {
        return false;
    };
    let is = |text: &str, names: &[&str]| names.iter().any(|n| text.eq_ignore_ascii_case(n));
    (is(stem, &["index"])
        && is(
            extension,
            &[
                "html", "htm", "shtml", "xhtml", "phtml", "php", "php3", "php4", "php5", "asp",
                "aspx", "jsp", "jspx", "jspa", "cfm", "cgi",
            ],
        ))
        || (is(stem, &["default"])
            && is(
                extension,
                &["html", "htm", "asp", "aspx", "php", "php3", "cfm"],
            ))
}

/// `(S(4hqa0555fwsecu455xqckv45))`: the session of ASP.NET without cookies, 24 letters and digits, also
/// with the parts `A(…)` and `F(…)` before it.
fn is_cookieless_session(segment: &str) -> bool {
    segment
        .strip_prefix('(')
        .and_then(|s| s.strip_suffix("))"))
        .and_then(|s| s.rfind("S(").map(|at| (&s[..at], &s[at + 2..])))
        .is_some_and(|(before, session)| {
            session.len() == 24
                && session.bytes().all(|b| b.is_ascii_alphanumeric())
                && (before.is_empty() || before.ends_with(')'))
        })
}
