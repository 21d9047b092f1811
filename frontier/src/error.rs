//! What can go wrong, and what to do about it.

use std::path::PathBuf;

use crate::Lease;

/// The store could not do what was asked of it.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process holds the store, or this one has it open already.
    #[error(
        "the store {path} is in use by another process, or by this one; close it there or choose another folder"
    )]
    InUse {
        /// The store's folder.
        path: PathBuf,
    },
    /// The store's folder does not exist and cannot be made: nothing was begun.
    #[error(
        "there is no store {path}, and its folder cannot be made: {source}; name another folder"
    )]
    NotMade {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder holds other files and no store.
    #[error(
        "{path} holds other files and is no store; name an empty folder, or one that is not there yet"
    )]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// The files of the store cannot be read.
    #[error(
        "the store {path} is damaged ({detail}); move it aside to start anew, or restore a copy of it"
    )]
    Damaged {
        /// The store's folder.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// The last commits are missing (a file was truncated); those before them can be read.
    #[error(
        "the store {path} is damaged (of {durable} commits that were durable {left} are left); accept the loss to go on, \
         and what the others held is found and fetched again"
    )]
    LostCommits {
        /// The store's folder.
        path: PathBuf,
        /// Number of commits that were durable.
        durable: u64,
        /// Number of commits that can be read.
        left: u64,
    },
    /// The store was written by another version or with another key.
    #[error("the store {path} has format {found}, this program reads {expected}")]
    Format {
        /// The store's folder.
        path: PathBuf,
        /// The format number found.
        found: u32,
        /// The format number that this program reads.
        expected: u32,
    },
    /// Reading or writing failed, on a full disk for example.
    #[error(
        "the store failed while it tried to {operation}: {source}; remove the cause and run the same command again, nothing acknowledged is lost"
    )]
    Io {
        /// What was being done.
        operation: &'static str,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The frontier could not do what was asked of it.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum FrontierError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The [sink](crate::DecisionSink) could not keep the decisions it was told, so they were not committed.
    #[error("decisions could not be kept: {0}")]
    Sink(#[source] std::io::Error),
    /// An earlier call failed, or a stage panicked in one, so that the frontier's memory and its store differ. The frontier does
    /// nothing any more: drop it, and build a new one from the store, which goes on from the last commit.
    #[error(
        "the frontier is out of step with its store since an earlier failure: build it anew from the store"
    )]
    OutOfStep,
    /// A lease was handed back to a frontier that did not give it out. Nothing was done with the lease.
    #[error("the lease of {} was not given out by this frontier", lease.url())]
    ForeignLease {
        /// The lease, to be handed back to the frontier that gave it out.
        lease: Box<Lease>,
    },
}
