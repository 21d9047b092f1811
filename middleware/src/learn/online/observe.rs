//! Learns from a URL that was fetched.

use std::{
    borrow::Cow,
    sync::{PoisonError, atomic::Ordering},
};

use nodust_frontier::{Effects, HostKey, Observation, Outcome, Prediction, ProbeVerdict};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Known, Learner, host::Found, lock, sources::Probed, state::Event};
use crate::{
    rules::slices,
    sign::{ClusterId, Echo, PageText, text_of},
};

impl Learner {
    /// Takes in a page or a redirect.
    pub(crate) fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        let class = self.class_of(seen.url.url.as_url());
        let Some(host) = slices(&class).map(|parts| parts.1) else {
            return;
        };
        let name = self.site_of(host);
        let mut content = None;
        if self.listens_to(name) {
            self.count_explored(seen, name, effects);
            content = self.tell(seen, (name, &class), effects);
        }
        let content = content.map(|(content, is_new)| {
            let of_site = xxh3_64_with_seed(name.as_bytes(), u64::from(content));
            (of_site, is_new)
        });
        let sites = lock(&self.abroad).take(xxh3_64(class.as_bytes()));
        for site in sites.iter().filter(|site| ***site != *name) {
            self.tell_abroad(seen, (site, &class), content, effects);
        }
    }

    /// Tells a site of one of its own URLs; the content of the page, and whether it was not met before.
    fn tell(
        &self,
        seen: &Observation<'_>,
        (name, class): (&str, &str),
        effects: &mut Effects,
    ) -> Option<(ClusterId, bool)> {
        match seen.outcome {
            Outcome::Fetched(page) if page.is_success() => {
                self.observe_page(seen, (name, class, &text_of(page)?), effects)
            }
            Outcome::Redirected { .. } => {
                let target = self.class_of(seen.points_to?.as_url());
                let probe = seen.url.probe;
                self.observe_redirect(seen, (name, class, &target), probe, effects);
                None
            }
            _ => None,
        }
    }

    /// Tells a site of a page of another one, to which its sources lead.
    fn tell_abroad(
        &self,
        seen: &Observation<'_>,
        (name, class): (&str, &str),
        content: Option<(u64, bool)>,
        effects: &mut Effects,
    ) {
        match seen.outcome {
            Outcome::Fetched(page) if page.is_success() => {
                let Some(text) = text_of(page) else { return };
                let text = PageText::new(&text, &Echo::of(seen.url.url.as_url()));
                let content = content.unwrap_or((text.exact(), true));
                let shared = self.host(name);
                let mut known = lock(&shared);
                let found = self.audit(&mut known, (class, &text), Some(content), effects);
                let on = HostKey::from_text(known.host.name());
                self.pass_on(&mut known, &on, found, effects);
            }
            Outcome::Redirected { .. } => {
                let Some(target) = seen.points_to else { return };
                let target = self.class_of(target.as_url());
                self.observe_redirect(seen, (name, class, &target), None, effects);
            }
            _ => {}
        }
    }

    /// Notes which classes of other sites sources of this one lead to.
    pub(super) fn wait_abroad<'c>(&self, name: &str, classes: impl Iterator<Item = &'c str>) {
        for class in classes {
            let host = slices(class).map(|parts| parts.1);
            if host.is_some_and(|host| self.site_of(host) != name) {
                lock(&self.abroad).wait(name, xxh3_64(class.as_bytes()));
            }
        }
    }

    /// Compares a page of which nothing is kept, and writes down what came of it.
    fn audit(
        &self,
        known: &mut Known,
        (class, text): (&str, &PageText<'_>),
        abroad: Option<(u64, bool)>,
        effects: &mut Effects,
    ) -> Found {
        let Known { host, kept, .. } = known;
        if !host.is_warming() && host.awaits(class) {
            let class = Cow::Borrowed(class);
            self.journal(host, kept, Some(Event::Passed { class }.packed()), effects);
        }
        let before = host.first_trials();
        let found = host.audit(class, text, abroad);
        if found.is_doubtful || !found.fallen.is_empty() || host.first_trials() != before {
            let outcome = Event::Lesson(Box::new(host.outcome()));
            self.journal(host, kept, Some(outcome.packed()), effects);
        }
        found
    }

    fn observe_page(
        &self,
        seen: &Observation<'_>,
        (name, class, text): (&str, &str, &str),
        effects: &mut Effects,
    ) -> Option<(ClusterId, bool)> {
        let url = &seen.url.url;
        let is_kept = self.pages.fetch_add(1, Ordering::Relaxed) < self.max_pages;
        let is_awaited = !is_kept && self.awaits(name, class);
        if !is_kept && !is_awaited && seen.url.probe.is_none() {
            return None;
        }
        let probed = seen.url.probe.map(|probe| Probed {
            host: url.host().as_str().into(),
            belief: probe.belief,
        });
        let event = Event::Page {
            url: Cow::Borrowed(url.as_url()),
            class: (class != url.as_str()).then_some(Cow::Borrowed(class)),
            text: Cow::Borrowed(text),
            probed: probed.clone(),
        };
        // Both cost as much as all the rest, and need nothing of the host.
        let packed = (is_kept && !effects.forgets_state).then(|| event.packed());
        let text = PageText::new(text, &Echo::of(url.as_url()));
        let shared = self.host(name);
        let mut known = lock(&shared);
        let found = if is_kept {
            let Known { host, kept, .. } = &mut *known;
            self.journal(host, kept, packed, effects);
            host.page(class, text, probed)
        } else {
            self.audit(&mut known, (class, &text), None, effects)
        };
        let host = &known.host;
        if let Some(probe) = seen.url.probe.filter(|probe| host.holds(probe.belief)) {
            // What other rules merge says nothing of the one that it was explored for.
            let is_meant = found.merged_by.is_empty() || found.merged_by.contains(&probe.belief);
            effects.probe_was_duplicate = found.was_duplicate.filter(|_| is_meant);
            effects.probe_is_judged = true;
        }
        let content = found.content;
        self.pass_on(&mut known, url.host(), found, effects);
        match self.proposes && known.host.is_due() {
            false => {}
            true if self.has_worker.load(Ordering::Relaxed) => {
                lock(&self.due).insert(name.into());
            }
            true => {
                let lesson = self.hold(known.host.homework());
                self.take_in(&mut known, lesson, effects);
            }
        }
        content
    }

    fn observe_redirect(
        &self,
        seen: &Observation<'_>,
        (name, class, target): (&str, &str, &str),
        probe: Option<Prediction>,
        effects: &mut Effects,
    ) {
        let shared = self.host(name);
        let mut known = lock(&shared);
        let Known { host, kept, .. } = &mut *known;
        // As many as pages.
        let replaces = self.sources.load(Ordering::Relaxed) >= self.max_pages;
        if host.knows_source(class) || replaces && host.sources() == 0 {
            return;
        }
        let probe = probe.filter(|probe| host.holds(probe.belief));
        let probed = probe.map(|probe| Probed {
            host: seen.url.url.host().as_str().into(),
            belief: probe.belief,
        });
        let event = Event::Redirect {
            source: class,
            target,
            probed: probed.clone(),
            replaces,
        };
        self.journal(host, kept, Some(event.packed()), effects);
        self.wait_abroad(name, std::iter::once(target));
        let before = host.sources();
        let found = host.redirect(class, target, probed, replaces);
        self.sources
            .fetch_add(host.sources().saturating_sub(before), Ordering::Relaxed);
        if probe.is_some() {
            effects.probe_was_duplicate = found.was_duplicate;
            effects.probe_is_judged = true;
        }
        self.pass_on(&mut known, seen.url.url.host(), found, effects);
    }

    /// Counts what was explored, whatever came of it, for a rule that is in doubt.
    fn count_explored(&self, seen: &Observation<'_>, name: &str, effects: &mut Effects) {
        let Some(probe) = seen.url.probe else { return };
        let shared = self.host(name);
        let mut known = lock(&shared);
        let Known { host, kept, .. } = &mut *known;
        if host.explored(probe.belief) {
            let event = Event::Explored(probe.belief).packed();
            self.journal(host, kept, Some(event), effects);
        }
    }

    /// Whether a URL of the site redirects to a page of this class that was not fetched yet.
    fn awaits(&self, name: &str, class: &str) -> bool {
        let shared = lock(&self.hosts).get(name).cloned();
        shared.is_some_and(|shared| lock(&shared).host.awaits(class))
    }

    /// Hands over what was found out.
    fn pass_on(&self, known: &mut Known, on: &HostKey, found: Found, effects: &mut Effects) {
        let late = found.late.into_iter().map(|(probed, was_duplicate)| {
            let host = HostKey::from_text(&probed.host);
            ProbeVerdict {
                host,
                belief: probed.belief,
                was_duplicate,
            }
        });
        effects.late_verdicts.extend(late);
        if found.is_doubtful {
            let mut tried = self.tried.write().unwrap_or_else(PoisonError::into_inner);
            tried.remove(known.host.name());
        }
        if !found.fallen.is_empty() {
            self.publish(known, effects);
            let here = |id| (on.clone(), id);
            effects.withdrawn.extend(found.fallen.into_iter().map(here));
            effects
                .renamed
                .extend(known.host.standing().into_iter().map(here));
        }
    }
}
