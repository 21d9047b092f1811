//! A short name for a spelling or a class.

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// A 128-bit name of a spelling or class. It orders by host first, so that the names of one host are neighbours in an
/// ordered store. Stores may keep only the URL half: it covers the host, too.
///
/// It serializes as a struct of its halves, and so cannot be the key of a map in JSON, whose keys are strings: writing a
/// `HashMap<Fingerprint, _>` fails at run time. Write a list of pairs (`Vec<(Fingerprint, _)>`), and collect it into a map when
/// reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fingerprint {
    host: u64,
    url: u64,
}

/// Keeps names of classes apart from names of spellings, so that "a page is compared by `/a`" is never
/// taken for "the spelling `/a` is known".
const CLASS_SEED: u64 = 0x6e6f_6475_7374_0001;

/// Keeps spellings that were met where they are not followed apart from those that were decided about: found
/// elsewhere, they are new.
const NOT_FOLLOWED_SEED: u64 = 0x6e6f_6475_7374_0002;

impl Fingerprint {
    /// The name of the class that `text` stands for. Spellings of one class on several hosts (`www.`) have one name: it
    /// belongs to the host that `text` names, or else to that of `url`.
    pub fn of_class(url: &Url, text: &str) -> Self {
        Self {
            host: xxh3_64(host_of(url, text).as_bytes()),
            url: xxh3_64_with_seed(text.as_bytes(), CLASS_SEED),
        }
    }

    /// The name of the spelling `text`; it belongs to the host that `text` names, or else to that of `url`.
    pub fn of(url: &Url, text: &str) -> Self {
        Self {
            host: xxh3_64(host_of(url, text).as_bytes()),
            url: xxh3_64(text.as_bytes()),
        }
    }

    /// The name that records that `url` was met in a link that is not followed.
    pub fn of_not_followed(url: &Url) -> Self {
        Self {
            host: xxh3_64(host_of(url, url.as_str()).as_bytes()),
            url: xxh3_64_with_seed(url.as_str().as_bytes(), NOT_FOLLOWED_SEED),
        }
    }

    /// The name made of these halves, as read back from a store.
    pub const fn from_parts(host: u64, url: u64) -> Self {
        Self { host, url }
    }

    /// The half that names the host.
    pub const fn host(self) -> u64 {
        self.host
    }

    /// The half that names the whole spelling or class, host included.
    pub const fn url(self) -> u64 {
        self.url
    }
}

/// The host that `text` names, without user and port; that of `url` when `text` is no absolute URL.
fn host_of<'t>(url: &'t Url, text: &'t str) -> &'t str {
    let own = url.host_str().unwrap_or_default();
    if std::ptr::eq(text, url.as_str()) {
        return own;
    }
    let Some(start) = memchr::memmem::find(text.as_bytes(), b"://").map(|at| at + 3) else {
        return own;
    };
    let authority = &text[start..];
    let end = authority.find(['/', '?', '#']).unwrap_or(authority.len());
    let authority = &authority[..end];
    let host = authority
        .rfind('@')
        .map_or(authority, |at| &authority[at + 1..]);
    match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::Fingerprint;

    #[test]
    fn a_name_lies_on_the_host_of_its_text() {
        for text in [
            "https://e.org/a",
            "http://u:p@e.org:81/?x",
            "http://[::1]:81/",
            "http://[::1]/",
        ] {
            let url = Url::parse(text).unwrap();
            assert_eq!(
                Fingerprint::of(&url, text),
                Fingerprint::of(&url, url.as_str())
            );
        }
        let www = Url::parse("http://www.e.org/a").unwrap();
        let bare = Url::parse("https://e.org/a").unwrap();
        assert_eq!(
            Fingerprint::of_class(&www, "https://e.org/a"),
            Fingerprint::of_class(&bare, bare.as_str())
        );
        assert_eq!(
            Fingerprint::of(&www, "no URL").host(),
            Fingerprint::of(&www, www.as_str()).host()
        );
    }
}
