//! Links, from the text on a page to a URL that is wanted.

mod candidate;
mod canonical;
mod fingerprint;
mod host;
mod raw;
mod repair;
mod spelling;
mod via;

pub use candidate::{Admitted, Candidate};
pub use canonical::{CanonicalUrl, MalformedUrl};
pub use fingerprint::Fingerprint;
pub use host::HostKey;
pub use raw::RawUrl;
pub use repair::repair;
pub use spelling::canonical_spelling;
pub use via::{Origin, Via};
