//! Why a crawl cannot go on.

use std::io;

use nodust_frontier::{FrontierError, StoreError};

use crate::{config::ConfigError, purpose::OtherPurpose, records::OpenError, report::Report};

/// Why a crawl could not go on.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// A setting has an invalid value.
    #[error("configuration: {0}")]
    Config(#[from] ConfigError),
    /// The stages cannot be put together.
    #[error("configuration: {0}")]
    Chain(#[from] nodust_middleware::ConfigError),
    /// There is nowhere to begin.
    #[error("{0}")]
    Seeds(String),
    /// The log or decisions of another crawl, perhaps all that is left of days of fetching, would be emptied.
    #[error("{} is there already, and this crawl begins anew", .0.display())]
    WouldOverwrite(std::path::PathBuf),
    /// The store keeps a replay.
    #[error(transparent)]
    OtherPurpose(#[from] OtherPurpose),
    /// The frontier or its store failed.
    #[error(transparent)]
    Frontier(FrontierError),
    /// Log, decisions or report cannot be opened for writing.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Log, decisions or report could not be written, before there was anything to report.
    #[error("{0}; remove the cause and run the same command again")]
    Records(#[source] io::Error),
    /// Log, decisions or report could not be written to the end. What was fetched until then is kept, and the report is
    /// included.
    #[error("{source}; remove the cause and run the same command again")]
    Unwritten {
        /// What the run did.
        report: Box<Report>,
        /// Why the file is not whole.
        source: io::Error,
    },
    /// The HTTP client could not be built.
    #[error("the HTTP client could not be set up: {0}")]
    Client(#[from] reqwest::Error),
    /// A part of the crawler panicked: a fault of this program.
    #[error(
        "the crawler broke ({detail}); run the same command again to go on, and please report this"
    )]
    Panicked {
        /// What it said.
        detail: String,
    },
}

impl From<FrontierError> for CrawlError {
    fn from(error: FrontierError) -> Self {
        match error {
            FrontierError::Sink(source) => Self::Records(source),
            other => Self::Frontier(other),
        }
    }
}

impl From<StoreError> for CrawlError {
    fn from(error: StoreError) -> Self {
        Self::Frontier(error.into())
    }
}
