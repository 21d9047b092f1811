//! Finds the sites, beside its own, that are told of a page.
//!
//! A link that was explored may redirect to another site, whose page tells whether the link was rightly taken for a
//! copy.

use std::{borrow::Cow, sync::PoisonError};

use nodust_frontier::{CanonicalUrl, Effects, HostKey, Observation, Outcome};

use super::{Predict, Shared, lock, read, site_of, write};
use crate::{
    predict::{journal::Event, site::name_of},
    sign::text_of,
};

impl Predict {
    fn known(&self, site: &str) -> Option<Shared> {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.get(site).cloned()
    }

    /// Notes that sources of a site wait for a URL of another one, if they do.
    fn wait_abroad(&self, site: &str, target: &CanonicalUrl) {
        let (host, url) = (target.host().as_str(), target.as_str());
        let waits = |known: Shared| read(&known).site.is_awaited(url);
        if site_of(host) != site && self.known(site).is_some_and(waits) {
            lock(&self.abroad).wait(site, name_of(url));
        }
    }

    /// Tells sites whose sources lead to a URL of another one what is there, and notes what this one waits for.
    pub(super) fn tell_abroad(&self, seen: &Observation<'_>, effects: &mut Effects) {
        let url = &seen.url.url;
        let own = site_of(url.host().as_str());
        if let (Outcome::Redirected { .. }, Some(target)) = (seen.outcome, seen.points_to) {
            self.wait_abroad(own, target);
        }
        let sites = {
            let mut abroad = lock(&self.abroad);
            if abroad.is_empty() {
                return;
            }
            abroad.take(name_of(url.as_str()))
        };
        for site in sites.iter().filter(|site| ***site != *own) {
            let event = match (seen.outcome, seen.points_to) {
                (Outcome::Fetched(page), _) if page.is_success() => {
                    let Some(text) = text_of(page) else { return };
                    Event::Abroad {
                        url: Cow::Borrowed(url.as_url()),
                        text,
                    }
                }
                (Outcome::Redirected { .. }, Some(target)) => Event::Redirect {
                    source: url.as_str(),
                    target: target.as_str(),
                    probed: None,
                    found_on: None,
                },
                _ => return,
            };
            self.tell_site(site, event, effects);
            if let Some(target) = seen.points_to {
                self.wait_abroad(site, target);
            }
        }
    }

    /// Tells a site that is known, where anything waits there.
    fn tell_site(&self, name: &str, event: Event<'_>, effects: &mut Effects) {
        let Some(shared) = self.known(name) else {
            return;
        };
        let mut known = write(&shared);
        let url = match &event {
            Event::Abroad { url, .. } => url.as_str(),
            Event::Redirect { source, .. } => source,
            _ => return,
        };
        if !known.site.is_awaited(url) {
            return;
        }
        let known = &mut *known;
        if !effects.forgets_state {
            (known.kept).journal(known.site.name(), &event, &mut effects.state);
        }
        let learned = event.tell(&mut known.site);
        if !effects.forgets_state && known.kept.is_due(&known.site) {
            lock(&self.due).insert(known.site.name().into());
        }
        self.pass_on(&HostKey::from_text(name), learned, effects);
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::Arc, time::Instant};

    use nodust_frontier::{
        Chain, Exploration, FetchedPage, Frontier as _, LocalFrontier, MemoryStore, Probability,
        RawUrl, Store, Turn, Via, frontier::Open,
    };

    use super::*;
    use crate::predict::{PredictConfig, site::tests::text};

    /// Where a URL leads: from 1000 on items with a place lead, over so many steps, to pages of their own on another site.
    fn target_of(url: &str, steps: u32) -> Option<String> {
        if let Some((step, page)) =
            (url.split_once("/step/")).and_then(|(_, rest)| rest.split_once('/'))
        {
            return Some(match step.parse::<u32>().unwrap() {
                0 => format!("http://other.net/page/{page}"),
                step => format!("http://other.net/step/{}/{page}", step - 1),
            });
        }
        let (item, place) = url.split_once("?ref=")?;
        let (_, id) = item.split_once("/x").filter(|(_, id)| id.len() == 4)?;
        Some(format!("http://other.net/step/{steps}/x{place}{id}"))
    }

    /// Fetches items, each under two names of places that do not matter, and what they lead to; what was fetched, and how many
    /// explored links were no copies.
    fn crawl(steps: u32, restart_every: usize) -> (BTreeSet<String>, u64) {
        let store: Arc<MemoryStore> = Arc::default();
        let open = || {
            LocalFrontier::builder(Chain::new().then(Predict::new(PredictConfig::default())))
                .store(Arc::clone(&store) as Arc<dyn Store>)
                .exploration(Exploration::new(Probability::new(0.1).unwrap(), 1))
                .build()
                .unwrap()
        };
        let mut frontier = open();
        let mut fetched = BTreeSet::new();
        let root = "http://e.org/".parse().unwrap();
        let items = (0..150).chain(1000..1100);
        let urls = items.flat_map(|id| {
            ["", "?ref=8", "?ref=9"].map(|place| format!("http://e.org/item/x{id}{place}"))
        });
        for url in urls {
            let link = [RawUrl::new(&url)];
            (frontier.admit(&Via::page(&root), &link, &mut Vec::new())).unwrap();
            while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
                let url = lease.url().as_str().to_owned();
                let target = target_of(&url, steps);
                let id = url.rsplit('x').next().and_then(|id| id.split('?').next());
                let body = text(id.unwrap().parse().unwrap());
                let outcome = match &target {
                    Some(target) => Outcome::Redirected {
                        status: 302,
                        target: RawUrl::new(target),
                    },
                    None => Outcome::Fetched(FetchedPage {
                        status: 200,
                        text: Some(&body),
                        ..FetchedPage::default()
                    }),
                };
                frontier.observe(lease, &outcome, &mut Vec::new()).unwrap();
                fetched.insert(url);
                if fetched.len().is_multiple_of(restart_every) {
                    frontier = open();
                    assert_eq!(frontier.not_restored(), 0);
                }
            }
        }
        let explored_new = frontier.totals().total.explored_new;
        (fetched, explored_new)
    }

    #[test]
    fn what_is_believed_ends_by_pages_of_another_site_to_which_explored_links_lead() {
        for steps in [0, 2] {
            let (fetched, explored_new) = crawl(steps, usize::MAX);
            assert!(explored_new > 0, "it acts");
            let pages = fetched.iter().filter(|url| url.contains("net/page/"));
            let pages = pages.count();
            assert!(pages >= 195, "{pages} of 200");
            let restarted = crawl(steps, 5);
            assert!(
                restarted == (fetched, explored_new),
                "a restart every 5 pages"
            );
        }
    }
}
