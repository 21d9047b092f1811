//! What a fetched page means for the class that it stands for.

use url::Position;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    super::{Inner, LocalFrontier, admit::Referrer, recall::Then},
    Leader, WayName,
};
use crate::{
    Admitted, Batch, Candidate, CanonicalUrl, Commit, Fingerprint, FrontierError, HostKey, Lease,
    LedgerEntry, Outcome, chain::Slot,
};

/// Spellings of a class in the ledger among which the next is chosen.
const SPELLINGS_COMPARED: usize = 16;

/// Classes that wait and are looked at, for each that is tried: others may have come back meanwhile for another reason.
const LOOKED_AT: usize = 8;

/// Priority of a further spelling, and of what it leads to, within its host.
pub(in crate::local) const FIRST: u8 = u8::MAX;

/// What came of the page of a class.
pub(in crate::local) enum Page {
    Had,
    Lost {
        /// The way, if it says more of who asks than of how it is spelled.
        way: Option<WayName>,
    },
    /// A URL of the same class may have it, or one of another.
    Elsewhere {
        way: WayName,
        /// The URL it leads to.
        key: Option<Fingerprint>,
        /// The place, if that is of another class.
        sink: Option<u64>,
    },
}

impl Page {
    /// `target`: where it redirects, as it was judged; `at`: the URL of that.
    pub(in crate::local) fn of(
        url: &CanonicalUrl,
        outcome: &Outcome<'_>,
        referrer: &Referrer,
        target: &Batch,
        at: Option<&CanonicalUrl>,
    ) -> Self {
        match outcome {
            Outcome::Fetched(page) if page.is_success() => Self::Had,
            Outcome::Fetched(page) => Self::Lost {
                way: matches!(page.status, 401 | 403).then(|| WayName::of_status(url, page.status)),
            },
            Outcome::Failed(_) => Self::Lost { way: None },
            Outcome::Redirected { .. } => {
                let link = match target.slots().first() {
                    Some(Slot::Live(link) | Slot::Dropped(Some(link), _)) => Some(link),
                    _ => None,
                };
                let class = link.map(Candidate::class_key);
                let is_own = referrer.classes().any(|own| Some(own) == class);
                let path = at.map_or("", |at| &at.as_url()[..Position::AfterPath]);
                Self::Elsewhere {
                    way: WayName::of_redirect(url, at),
                    key: link.map(Candidate::key),
                    sink: (!is_own).then(|| xxh3_64(path.as_bytes())),
                }
            }
        }
    }
}

impl LocalFrontier {
    /// Lets another spelling of a class try, if its page was not to be had.
    pub(in crate::local) fn give_chances(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        lease: &Lease,
        page: &Page,
    ) -> Result<(), FrontierError> {
        let admitted = &lease.admitted;
        let host = admitted.url.host();
        let trial = (inner.chances).on_trial(classes_of(admitted), admitted.key);
        // Another page stands for the class of a probe.
        let is_probe = admitted.probe.is_some();
        match *page {
            Page::Had => {
                if let Some(class) = trial {
                    let is_its_own = class == admitted.class || !inner.chances.is_shared(class);
                    self.end_trial(inner, commit, (host, class), is_its_own)?;
                }
                if trial != Some(admitted.class) {
                    // Another spelling that is under way for it was needless.
                    let ended = (inner.chances).has_ended(admitted.class, false);
                    inner.chances.had(admitted.class);
                    self.try_waiting(inner, commit, ended)?;
                }
            }
            Page::Lost { way } => {
                if let Some(class) = trial {
                    self.end_trial(inner, commit, (host, class), false)?;
                }
                if trial != Some(admitted.class) && !is_probe {
                    self.give_chance(inner, commit, (host, admitted.class), way)?;
                }
            }
            Page::Elsewhere { .. } if is_probe && trial.is_none() => {}
            Page::Elsewhere { way, key, sink } => {
                // What came back from the ledger does not say what led to it, and is no part of what is followed.
                let followed = trial.unwrap_or(admitted.led_from.unwrap_or(admitted.class));
                let target = (commit.queued.iter_mut())
                    .map(|queued| &mut queued.admitted)
                    .filter(|target| classes_of(target).any(|class| class == followed))
                    .find(|target| Some(target.key) == key);
                let on = target.as_ref().map(|target| target.key);
                if let (Some(target), Some(_)) = (target, trial) {
                    target.priority = FIRST;
                }
                self.lead(inner, commit, admitted, trial, (way, on, sink))?;
            }
        }
        Ok(())
    }

    /// A URL redirects; `on`: to one that is fetched, too.
    fn lead(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        admitted: &Admitted,
        trial: Option<Fingerprint>,
        (way, on, sink): (WayName, Option<Fingerprint>, Option<u64>),
    ) -> Result<(), FrontierError> {
        let host = admitted.url.host();
        let own = Leader {
            host: host.clone(),
            class: admitted.class,
            first: admitted.led_from.unwrap_or(admitted.class),
            way,
        };
        let first = own.first;
        let (was_known, lost) = match (sink, on) {
            (Some(sink), _) => inner.chances.leads(sink, own),
            // It is led back to where it was, or to where it may not go.
            (None, None) => (true, vec![own]),
            (None, Some(_)) => (false, Vec::new()),
        };
        if let Some(class) = trial {
            match on {
                Some(key) => inner.chances.leads_on(class, key, was_known),
                None => self.end_trial(inner, commit, (host, class), false)?,
            }
        }
        for leader in lost {
            for class in leader.classes().filter(|class| Some(*class) != trial) {
                // It may come back to its own class, by way of a cookie; where it does not is told by what it ends at.
                if let Some(key) = on.filter(|_| class == first)
                    && inner.chances.is_new(class)
                {
                    inner.chances.lost(&leader.host, class, Some(leader.way));
                    inner.chances.leads_on(class, key, true);
                } else {
                    self.give_chance(inner, commit, (&leader.host, class), Some(leader.way))?;
                }
            }
        }
        Ok(())
    }

    /// What one of these classes was on trial under, or what that led to, was dropped: when it was found, or while it waited.
    pub(in crate::local) fn end_trial_of_dropped(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        (host, classes, key): (&HostKey, impl IntoIterator<Item = Fingerprint>, Fingerprint),
    ) -> Result<(), FrontierError> {
        match (inner.chances).on_trial(classes.into_iter(), key) {
            Some(class) => self.end_trial(inner, commit, (host, class), false),
            None => Ok(()),
        }
    }

    fn end_trial(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        (host, class): (&HostKey, Fingerprint),
        has_brought: bool,
    ) -> Result<(), FrontierError> {
        let ended = inner.chances.has_ended(class, has_brought);
        self.try_waiting(inner, commit, ended)?;
        if has_brought {
            return Ok(());
        }
        self.give_chance(inner, commit, (host, class), None)
    }

    /// Makes up for what was passed over, as often as `more` says.
    fn try_waiting(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        ended: Option<(WayName, usize)>,
    ) -> Result<(), FrontierError> {
        let Some((way, more)) = ended else {
            return Ok(());
        };
        for _ in 0..more {
            for _ in 0..LOOKED_AT {
                let Some((host, class)) = inner.chances.next_waiting(way) else {
                    return Ok(());
                };
                if let Some(heir) = self.heir(inner, commit, (&host, class))? {
                    inner.chances.try_next(class, heir.admitted.key);
                    self.requeue_first(inner, commit, heir)?;
                    break;
                }
            }
        }
        Ok(())
    }

    fn give_chance(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        (host, class): (&HostKey, Fingerprint),
        way: Option<WayName>,
    ) -> Result<(), FrontierError> {
        inner.chances.lost(host, class, way);
        // Redirects may have led to another host since.
        let home = inner.chances.home_of(class);
        let host = home.as_ref().unwrap_or(host);
        if let Some(heir) = self.heir(inner, commit, (host, class))?
            && inner.chances.is_tried(class, heir.admitted.key)
        {
            self.requeue_first(inner, commit, heir)?;
        }
        Ok(())
    }

    /// The spelling of a class that is tried next, if one was dropped and it may.
    fn heir(
        &self,
        inner: &Inner,
        commit: &Commit,
        (host, class): (&HostKey, Fingerprint),
    ) -> Result<Option<LedgerEntry>, FrontierError> {
        if !inner.chances.may_try(class) {
            return Ok(None);
        }
        // The ledger lies with the link that was dropped; static normalization merges `www.` and the
        // bare host.
        let mut heirs = self
            .store
            .dropped_in_class(host, class, SPELLINGS_COMPARED)?;
        let twin = with_or_without_www(host);
        heirs.extend(
            self.store
                .dropped_in_class(&twin, class, SPELLINGS_COMPARED)?,
        );
        // What comes back in this commit still lies there.
        heirs.retain(|heir| {
            let key = heir.admitted.key;
            !commit
                .recalled
                .iter()
                .any(|(_, _, recalled)| *recalled == key)
        });
        // Sessions end, and old names are left, but what stands for the class has neither.
        Ok(heirs.into_iter().min_by_key(|heir| {
            let url = heir.admitted.url.as_url();
            let is_other = Fingerprint::of_class(url, url.as_str()) != class;
            (is_other, url.query().map_or(0, str::len), heir.admitted.key)
        }))
    }

    fn requeue_first(
        &self,
        inner: &mut Inner,
        commit: &mut Commit,
        mut heir: LedgerEntry,
    ) -> Result<(), FrontierError> {
        heir.admitted.priority = FIRST;
        self.requeue_into(inner, commit, vec![heir], Then::Fetch)
    }
}

/// The class of a link, and the one that the redirects which led to it began at.
pub(in crate::local) fn classes_of(
    admitted: &Admitted,
) -> impl Iterator<Item = Fingerprint> + use<> {
    [Some(admitted.class), admitted.led_from]
        .into_iter()
        .flatten()
}

fn with_or_without_www(host: &HostKey) -> HostKey {
    match host.as_str().strip_prefix("www.") {
        Some(bare) => HostKey::from_text(bare),
        None => HostKey::from_text(&format!("www.{host}")),
    }
}
