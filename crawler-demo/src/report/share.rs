//! Shares with their intervals.

use nodust_middleware::rules::wilson;
use serde::{Deserialize, Serialize};

use super::Numbers;
use crate::replay::MISSING;

/// A share that is estimated from a sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The share in the sample.
    pub value: f64,
    /// Lower end of the 95 % Wilson interval.
    pub low: f64,
    /// Upper end of the 95 % Wilson interval.
    pub high: f64,
    /// Size of the sample.
    pub of: u64,
}

impl Share {
    /// `hits` of `of`, with the interval of Wilson (1927); `None` for an empty sample.
    ///
    /// ```
    /// use nodust_crawler::report::Share;
    /// let share = Share::of(95, 100).unwrap();
    /// assert!((share.low - 0.888).abs() < 0.001 && (share.high - 0.978).abs() < 0.001);
    /// assert_eq!(Share::of(0, 0), None);
    /// ```
    pub fn of(hits: u64, of: u64) -> Option<Self> {
        (of > 0).then(|| {
            let (low, high) = wilson(hits, of);
            Self {
                value: hits as f64 / of as f64,
                low,
                high,
                of,
            }
        })
    }
}

/// The URLs that the log of a replay lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lack {
    /// URLs that links or redirects led to, that were wanted, and that have no line.
    pub urls: u64,
    /// All URLs that were wanted: those, and what the replay fetched.
    pub of: u64,
    /// `urls` divided by `of`; 0 if nothing was wanted.
    pub share: f64,
}

impl Lack {
    /// What the numbers of a replay say about its log.
    pub fn of(total: &Numbers) -> Self {
        let urls = total.failed_by.get(MISSING).copied().unwrap_or_default();
        Self {
            urls,
            of: total.fetched,
            share: urls as f64 / total.fetched.max(1) as f64,
        }
    }
}
