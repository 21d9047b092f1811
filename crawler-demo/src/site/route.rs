//! What a request asks for.

use url::Url;

/// Path and parameters of a request, nothing decoded: the site's own links need no escapes.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// Path without path parameters (`;jsessionid=…`).
    pub(super) path: &'a str,
    query: Option<&'a str>,
}

impl<'a> Request<'a> {
    pub(super) fn of(url: &'a Url) -> Self {
        Self::new(url.path(), url.query())
    }

    /// A request target as it stands in the first line of a request.
    pub(super) fn of_target(target: &'a str) -> Self {
        match target.split_once('?') {
            Some((path, query)) => Self::new(path, Some(query)),
            None => Self::new(target, None),
        }
    }

    fn new(path: &'a str, query: Option<&'a str>) -> Self {
        let path = path.split_once(';').map_or(path, |(path, _)| path);
        Self { path, query }
    }

    /// The value of a parameter; empty for one without a value. The first one counts.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.query?.split('&').find_map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            (key == name).then_some(value)
        })
    }

    /// The value of a parameter that is a number.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }
}
