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
    /// The store's folder is not there, and cannot be made: nothing was begun.
    #[error(
        "there is no store {path}, and its folder cannot be made: {source}; name another folder"
    )]
    NotMade {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder holds files of somebody else and no store.
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
    /// The last commits are missing (a file was cut short); those before them can be read.
    #[error(
        "the store {path} is damaged (of {durable} commits that were durable {left} are left); accept the loss to go on, \
         and what the others held is found and fetched again"
    )]
    LostCommits {
        /// The store's folder.
        path: PathBuf,
        /// Commits that were durable.
        durable: u64,
        /// Commits that can be read.
        left: u64,
    },
    /// The store was written by another version or with another key.
    #[error("the store {path} has format {found}, this program reads {expected}")]
    Format {
        /// The store's folder.
        path: PathBuf,
        /// Format number found.
        found: u32,
        /// Format number understood.
        expected: u32,
    },
    /// Reading or writing failed (a full disk, for one).
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
    /// The [sink](crate::DecisionSink) of decisions could not keep what it was told, so that this was not committed.
    #[error("decisions could not be kept: {0}")]
    Sink(#[source] std::io::Error),
    /// An earlier call failed, or a stage panicked in one, so that what the frontier has in memory is not what its store has. It does
    /// nothing any more: drop it, and build one anew from the store, which goes on from the last commit.
    #[error(
        "the frontier is out of step with its store since an earlier failure: build it anew from the store"
    )]
    OutOfStep,
    /// A lease was handed back to a frontier that did not give it out. Nothing was done with it.
    #[error("the lease of {} was not given out by this frontier", lease.url())]
    ForeignLease {
        /// The lease, to be handed back to the frontier that it is of.
        lease: Box<Lease>,
    },
}
