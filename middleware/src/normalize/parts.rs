//! Takes a parsed URL apart and puts it together again.

use std::borrow::Cow;

use url::{Position, Url};

/// The pieces of a URL without its fragment, in the order in which they are written; each with its
/// delimiters, so that writing them one after the other gives the URL back.
#[derive(Clone, Debug)]
pub(crate) struct Parts<'u> {
    /// Without `://`.
    pub(crate) scheme: &'u str,
    /// Up to the `@`, that included; or empty.
    pub(crate) userinfo: Cow<'u, str>,
    pub(crate) host: &'u str,
    /// From the colon on; or empty.
    pub(crate) port: &'u str,
    pub(crate) path: Cow<'u, str>,
    /// Without the question mark; `None` is no question mark at all.
    pub(crate) query: Option<Cow<'u, str>>,
}

impl<'u> Parts<'u> {
    pub(crate) fn of(url: &'u Url) -> Self {
        let (scheme, path) = (url.scheme(), url.path());
        let host = &url[Position::BeforeHost..Position::AfterHost];
        let authority = &url[Position::BeforeUsername..Position::BeforePath];
        let (userinfo, port) = if authority.len() == host.len() {
            ("", "")
        } else {
            (
                &url[Position::BeforeUsername..Position::BeforeHost],
                &url[Position::AfterHost..Position::BeforePath],
            )
        };
        Self {
            scheme,
            userinfo: Cow::Borrowed(userinfo),
            host,
            port,
            path: Cow::Borrowed(path),
            query: url.query().map(Cow::Borrowed),
        }
    }

    pub(crate) fn write(&self) -> String {
        let query = self.query.as_deref();
        let pieces = [
            self.scheme,
            "://",
            &*self.userinfo,
            self.host,
            self.port,
            &*self.path,
            if query.is_some() { "?" } else { "" },
            query.unwrap_or_default(),
        ];
        let mut text = String::with_capacity(pieces.iter().map(|p| p.len()).sum());
        for piece in pieces {
            text.push_str(piece);
        }
        text
    }
}

/// Cuts `text` off after `len` bytes.
pub(crate) fn truncate(text: &mut Cow<'_, str>, len: usize) {
    match text {
        Cow::Borrowed(borrowed) => *borrowed = &borrowed[..len],
        Cow::Owned(owned) => owned.truncate(len),
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::Parts;

    #[test]
    fn parts_write_the_url_they_came_from() {
        for text in [
            "http://e.org/",
            "https://u:p@e.org:81/a;b/c?",
            "http://u@[::1]:8080/?q=1&r",
        ] {
            let url = Url::parse(text).unwrap();
            assert_eq!(Parts::of(&url).write(), text);
        }
    }
}
