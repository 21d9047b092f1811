//! What came back from a fetch.

mod outcome;

pub use outcome::{FetchFailure, FetchedPage, Observation, Outcome};
