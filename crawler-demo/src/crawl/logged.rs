//! Counts the pages of earlier runs that the log has no line for.
//!
//! A log that every run wrote has them all, except for the last second of a packed log after a kill. Runs without the log, or
//! with another file, leave a gap that is invisible to whoever learns from the log or replays it. So does a person who shortens
//! or removes it. So the URLs of the log are counted whenever a crawl goes on, and the store remembers which log the last run
//! wrote.

use std::path::Path;

use nodust_frontier::{Commit, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::{
    records::{Before, is_gzip},
    words::counted,
};

/// State under which the store keeps what became of the log.
const LOG: &str = "crawl/log";

/// What the store knows of the logs of earlier runs.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Logged {
    /// The last log that was written. Its name alone: store and log may be moved together.
    name: Option<String>,
    /// Whether the last run wrote it.
    by_last_run: bool,
    /// Pages that it lacks, and that were told.
    lacks: u64,
}

impl Logged {
    pub(super) fn of(store: &dyn Store) -> Result<Self, StoreError> {
        let state = store.state(LOG)?;
        // Where it cannot be read, what the log lacks is told once more.
        Ok(state
            .and_then(|octets| serde_json::from_slice(&octets).ok())
            .unwrap_or_default())
    }

    fn is_by_last_run(&self, log: &Path) -> bool {
        self.by_last_run && self.name == name(log)
    }

    /// Says what the log of this run lacks of so many pages, if that was not said before, and writes it down. Answers how
    /// many pages that are, if there is a log.
    pub(super) fn note(
        self,
        store: &dyn Store,
        log: Option<(&Path, &Before)>,
        pages: u64,
    ) -> Result<Option<u64>, StoreError> {
        let next = match log {
            Some((log, before)) => self.go_on(log, before, pages),
            None => self.pause(),
        };
        let state = serde_json::to_vec(&next).expect("names and numbers are JSON");
        store.commit(Commit {
            state: vec![(LOG.to_owned(), Some(state))],
            ..Commit::default()
        })?;
        Ok(next.by_last_run.then_some(next.lacks))
    }

    fn go_on(self, log: &Path, before: &Before, pages: u64) -> Self {
        let lacks = before.urls.map_or(0, |urls| pages.saturating_sub(urls));
        let told = if self.name == name(log) {
            self.lacks
        } else {
            0
        };
        if lacks > told {
            self.tell(log, before, lacks, told);
        }
        Self {
            name: name(log),
            by_last_run: true,
            lacks,
        }
    }

    /// Says that a log lacks so many pages, of which so many were told before.
    fn tell(&self, log: &Path, before: &Before, lacks: u64, told: u64) {
        let path = log.display();
        let lacking = match told {
            0 => counted(lacks, "page"),
            told => format!(
                "{}, {} more than before,",
                counted(lacks, "page"),
                lacks - told
            ),
        };
        if before.whole == 0 {
            let killed = may_be_unpacked(log);
            tracing::warn!(
                "{path} begins with this run: it lacks {lacking} that earlier runs on this store fetched{killed}. If the file \
                 was moved away by mistake, stop, bring it back, and run the same command again"
            );
            return;
        }
        let why = match (self.is_by_last_run(log), is_gzip(log)) {
            (true, true) => {
                "the last one was killed, or had no room, before it had packed their lines (a log that is not packed, no .gz, loses none), or it \
                 was changed since"
            }
            (false, true) => {
                "these did not write it, or were killed, or had no room, before they had packed their lines"
            }
            (true, false) => {
                "it was changed since, or a run was killed whose last lines were of pages that the store then lost"
            }
            (false, false) => "these did not write it",
        };
        tracing::warn!(
            "{path} lacks {lacking} that earlier runs on this store fetched: {why}. Learning from it or replaying it does \
             without them"
        );
    }

    /// This run writes no log: says so where earlier ones did.
    fn pause(self) -> Self {
        if self.by_last_run
            && let Some(name) = &self.name
        {
            tracing::info!(
                "the last run on this store wrote {name}, and this one writes no log: the pages of this run will be missing there"
            );
        }
        Self {
            by_last_run: false,
            ..self
        }
    }
}

/// What a packed file may lack besides.
fn may_be_unpacked(file: &Path) -> &'static str {
    if is_gzip(file) {
        " (the last one may have been killed, or have had no room, before it had packed their lines)"
    } else {
        ""
    }
}

fn name(log: &Path) -> Option<String> {
    Some(log.file_name()?.to_string_lossy().into_owned())
}

/// Says that decisions begin with this run, though so many pages were fetched before.
pub(super) fn tell_late_decisions(path: &Path, before: &Before, pages: u64) {
    if before.whole == 0 && pages > 0 {
        tracing::warn!(
            "{} begins with this run: it lacks what was decided while earlier runs on this store fetched {}{}. If the file \
             was moved away by mistake, stop, bring it back, and run the same command again",
            path.display(),
            counted(pages, "page"),
            may_be_unpacked(path)
        );
    }
}
