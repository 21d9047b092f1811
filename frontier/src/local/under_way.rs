//! Makes links wait until it is known what other links to the same page bring.
//!
//! A link that would be dropped once a page has been fetched cannot be dropped while that page is still under way. If several
//! URLs of a host are fetched at a time, neighbouring links in the queue that lead to one page would all be fetched together. So
//! while a page is under way, other links to it wait, and are judged again when it has come or failed. If it fails again and
//! again, they do not all wait for each other: for each eight that have failed, one is under way at a time.

use std::time::Instant;

use rustc_hash::FxHashMap;

use super::{Inner, LocalFrontier, recall::NO_CLASS};
use crate::{Admitted, HostKey, Ticket};

/// Links that wait for one page after which no further one of their host is looked for meanwhile.
const MANY: usize = 32;

/// Failures of a page for each of its links that is under way at a time. (Pages that fail once or twice come after all.)
const PATIENCE: usize = 8;

/// Pages of which is remembered how often they failed; beyond, all are forgotten.
const MOST_FAILED: usize = 1 << 16;

/// What a link may bring, by its class and by what a stage takes it for.
pub(super) type Names = [Option<u64>; 2];

/// Pages that are under way.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    leases: FxHashMap<Ticket, Names>,
    pages: FxHashMap<u64, Page>,
    /// How often pages were not to be had, of which none has come since.
    failed: FxHashMap<u64, usize>,
}

#[derive(Debug, Default)]
struct Page {
    leases: usize,
    waiting: Vec<Ticket>,
}

/// How a lease comes back.
#[derive(Clone, Copy, Debug)]
pub(super) enum Back {
    /// Its page has come.
    WithPage,
    /// It was tried, and no page came.
    Without,
    /// Nobody tried.
    Unfetched,
}

/// A link waits.
pub(super) struct Waits {
    /// Whether so many do that their host is left alone until then.
    pub(super) with_many: bool,
}

impl UnderWay {
    /// A link is handed out.
    pub(super) fn begin(&mut self, ticket: &Ticket, names: Names) {
        for name in names.into_iter().flatten() {
            self.pages.entry(name).or_default().leases += 1;
        }
        self.leases.insert(ticket.clone(), names);
    }

    /// The links that waited for one that is handed back.
    pub(super) fn end(&mut self, ticket: &Ticket, back: Back) -> Vec<Ticket> {
        let mut waiting = Vec::new();
        let names = self.leases.remove(ticket).unwrap_or_default();
        for name in names.into_iter().flatten() {
            let Some(page) = self.pages.get_mut(&name) else {
                continue;
            };
            match back {
                Back::WithPage => {
                    self.failed.remove(&name);
                }
                Back::Without => {
                    if self.failed.len() >= MOST_FAILED {
                        self.failed.clear();
                    }
                    *self.failed.entry(name).or_default() += 1;
                }
                Back::Unfetched => {}
            }
            waiting.append(&mut page.waiting);
            page.leases -= 1;
            if page.leases == 0 {
                self.pages.remove(&name);
            }
        }
        waiting
    }

    /// Whether links of a host wait here, or are handed out.
    pub(super) fn has_of(&self, host: &HostKey) -> bool {
        let waiting = (self.pages.values()).flat_map(|page| &page.waiting);
        (self.leases.keys().chain(waiting)).any(|ticket| ticket.host == *host)
    }

    /// Lets a link wait for a page that is under way, if it may bring that.
    pub(super) fn wait(&mut self, ticket: &Ticket, names: Names) -> Option<Waits> {
        let is_enough = |name: &u64| {
            let failed = self.failed.get(name).copied().unwrap_or_default();
            let most = (failed / PATIENCE).max(1);
            (self.pages.get(name)).is_some_and(|page| page.leases >= most)
        };
        let name = names.into_iter().flatten().find(is_enough)?;
        let page = self.pages.get_mut(&name)?;
        page.waiting.push(ticket.clone());
        Some(Waits {
            with_many: page.waiting.len() >= MANY,
        })
    }
}

impl LocalFrontier {
    /// What a link may bring.
    pub(super) fn names_of(&self, admitted: &Admitted) -> Names {
        let class = admitted.class.url();
        [
            (class != NO_CLASS).then_some(class),
            self.chain.page_name(&admitted.url),
        ]
    }

    /// Takes a lease back, with its page or without: what waited for it is judged again.
    pub(super) fn lease_back(&self, inner: &mut Inner, ticket: &Ticket, back: Back) {
        let now = Instant::now();
        for waiting in inner.under_way.end(ticket, back) {
            self.store.put_back(&waiting);
            inner.rotation.wake(&waiting.host, now);
        }
        inner.rotation.lease_back(&ticket.host, now);
    }
}
