//! What came back?

mod outcome;

pub use outcome::{FetchFailure, FetchedPage, Observation, Outcome};
