//! Compares the texts of pages.
//!
//! A text becomes [`Shingle`]s; the host's [`Chrome`] is left out; what remains is hashed exactly and sketched
//! ([`PageSignature`]); [`Clusters`] groups pages of the same content as they arrive. `SimHash` is not used: at 3 bits
//! it misses two thirds of the pairs with Jaccard similarity 0.95.
//!
//! ```
//! use nodust_middleware::sign::{ChromeBook, Echo, PageText};
//!
//! let url = "http://e.org/a?id=7".parse()?;
//! let text = PageText::new("the quick brown fox jumps over the lazy dog", &Echo::of(&url));
//! let signature = text.sign(ChromeBook::default().current());
//! assert_eq!(signature.kept, 6);
//! # Ok::<(), url::ParseError>(())
//! ```

mod arrows;
mod chrome;
mod clock;
mod cluster;
mod echo;
mod figures;
mod first;
mod scan;
mod shingle;
mod signature;
mod sketch;
mod sort;
mod state;
mod tally;

pub use chrome::{Chrome, ChromeBook};
pub use cluster::{ClusterId, Clusters, Sameness};
pub(crate) use cluster::{Newcomer, push_tightly};
pub use echo::Echo;
pub(crate) use figures::Figures;
pub use shingle::{Shingle, WORDS, Words, shingles};
pub use signature::{PageSignature, PageText};
pub(crate) use signature::{is_marked, marked, refetched_of, text_of};
pub use sketch::{BANDS, Sketch, VALUES};
pub(crate) use tally::spread;
