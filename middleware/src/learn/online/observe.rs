//! A URL was fetched: what does that say?

use std::{
    borrow::Cow,
    sync::{PoisonError, atomic::Ordering},
};

use nodust_frontier::{Effects, HostKey, Observation, Outcome, ProbeVerdict};

use super::{
    Known, Learner,
    host::{Found, Host},
    lock,
    sources::Probed,
    state::Event,
};
use crate::{
    rules::slices,
    sign::{Echo, PageText},
};

impl Learner {
    /// Takes in a page or a redirect.
    pub(crate) fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        let class = self.class_of(seen.url.url.as_url());
        let Some(host) = slices(&class).map(|parts| parts.1) else {
            return;
        };
        let name = self.site_of(host);
        if !self.listens_to(name) {
            return;
        }
        self.count_explored(seen, name, effects);
        match seen.outcome {
            Outcome::Fetched(page) if page.is_success() => {
                if let Some(text) = page.text {
                    self.observe_page(seen, (name, &class, text), effects);
                }
            }
            Outcome::Redirected { .. } => {
                let Some(target) = seen.points_to else { return };
                let target = self.class_of(target.as_url());
                let target_host = slices(&target).map(|parts| parts.1);
                if target_host.map(|host| self.site_of(host)) == Some(name) {
                    self.observe_redirect(seen, (name, &class, &target), effects);
                }
            }
            _ => {}
        }
    }

    fn observe_page(
        &self,
        seen: &Observation<'_>,
        (name, class, text): (&str, &str, &str),
        effects: &mut Effects,
    ) {
        let url = &seen.url.url;
        let is_kept = self.pages.fetch_add(1, Ordering::Relaxed) < self.max_pages;
        let is_awaited = !is_kept && self.awaits(name, class);
        if !is_kept && !is_awaited && seen.url.probe.is_none() {
            return;
        }
        let event = Event::Page {
            url: Cow::Borrowed(url.as_url()),
            class: (class != url.as_str()).then_some(Cow::Borrowed(class)),
            text: Cow::Borrowed(text),
        };
        // Both cost as much as all the rest, and need nothing of the host.
        let packed = (is_kept && !effects.forgets_state).then(|| event.packed());
        let text = PageText::new(text, &Echo::of(url.as_url()));
        let shared = self.host(name);
        let mut known = lock(&shared);
        let Known { host, kept } = &mut *known;
        self.journal(host, kept, packed, effects);
        let found = if is_kept {
            host.page(class, text)
        } else {
            if is_awaited && !host.is_warming() {
                let class = Cow::Borrowed(class);
                self.journal(host, kept, Some(Event::Passed { class }.packed()), effects);
            }
            host.audit(class, &text)
        };
        if seen.url.probe.is_some_and(|probe| host.holds(probe.belief)) {
            effects.probe_was_duplicate = found.was_duplicate;
            effects.probe_is_judged = true;
        }
        if !is_kept && (found.is_doubtful || !found.fallen.is_empty()) {
            let outcome = Event::Lesson(Box::new(host.outcome()));
            self.journal(host, kept, Some(outcome.packed()), effects);
        }
        self.pass_on(host, url.host(), found, effects);
        match self.proposes && host.is_due() {
            false => {}
            true if self.has_worker.load(Ordering::Relaxed) => {
                lock(&self.due).insert(name.into());
            }
            true => {
                let lesson = self.hold(host.homework());
                self.take_in(&mut known, lesson, effects);
            }
        }
    }

    fn observe_redirect(
        &self,
        seen: &Observation<'_>,
        (name, class, target): (&str, &str, &str),
        effects: &mut Effects,
    ) {
        let shared = self.host(name);
        let mut known = lock(&shared);
        let Known { host, kept } = &mut *known;
        // As many as pages.
        let replaces = self.sources.load(Ordering::Relaxed) >= self.max_pages;
        if host.knows_source(class) || replaces && host.sources() == 0 {
            return;
        }
        let probe = seen.url.probe.filter(|probe| host.holds(probe.belief));
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
        let before = host.sources();
        let found = host.redirect(class, target, probed, replaces);
        self.sources
            .fetch_add(host.sources().saturating_sub(before), Ordering::Relaxed);
        if probe.is_some() {
            effects.probe_was_duplicate = found.was_duplicate;
            effects.probe_is_judged = true;
        }
        self.pass_on(host, seen.url.url.host(), found, effects);
    }

    /// Counts what was explored, whatever came of it, for a rule that is in doubt.
    fn count_explored(&self, seen: &Observation<'_>, name: &str, effects: &mut Effects) {
        let Some(probe) = seen.url.probe else { return };
        let shared = self.host(name);
        let mut known = lock(&shared);
        let Known { host, kept } = &mut *known;
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
    fn pass_on(&self, host: &mut Host, on: &HostKey, found: Found, effects: &mut Effects) {
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
            tried.remove(host.name());
        }
        if !found.fallen.is_empty() {
            self.publish(host, effects);
            let here = |id| (on.clone(), id);
            effects.withdrawn.extend(found.fallen.into_iter().map(here));
            effects
                .renamed
                .extend(host.standing().into_iter().map(here));
        }
    }
}
