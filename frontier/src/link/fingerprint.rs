//! A short name for a spelling or a class.

use url::Url;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// 128-bit name of a spelling or class; orders by host first, so that the names of one host are
/// neighbours in an ordered store. Stores may keep the URL half alone: it covers the host, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint {
    host: u64,
    url: u64,
}

/// Keeps names of classes apart from names of spellings, so that "a page is compared by `/a`" is never
/// taken for "the spelling `/a` is known".
const CLASS_SEED: u64 = 0x6e6f_6475_7374_0001;

impl Fingerprint {
    /// The name of the class that `text` stands for, on the host of `url`.
    pub fn of_class(url: &Url, text: &str) -> Self {
        let host = url.host_str().unwrap_or_default();
        Self {
            host: xxh3_64(host.as_bytes()),
            url: xxh3_64_with_seed(text.as_bytes(), CLASS_SEED),
        }
    }

    /// The name of the spelling `text` on the host of `url`.
    pub fn of(url: &Url, text: &str) -> Self {
        let host = url.host_str().unwrap_or_default();
        Self {
            host: xxh3_64(host.as_bytes()),
            url: xxh3_64(text.as_bytes()),
        }
    }

    /// The name with these halves, as read back from a store.
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
