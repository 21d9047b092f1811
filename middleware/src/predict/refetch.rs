//! A stage that asks for second answers in a crawl without prediction, for later replays.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use nodust_frontier::{
    Admitted, Candidate, CanonicalUrl, Effects, Middleware, Observation, Outcome, StageName,
    Verdict, Via,
};

use super::{
    form::Form,
    site_of,
    turning::{Asked, Turning},
};
use crate::sign::{is_marked, refetched_of, text_of};

/// Pages of a site of which none is fetched twice: those that teach what chrome is, where one predicts.
const FIRST: u32 = 32;
/// Sites that are watched, at most.
const SITES: usize = 4096;

/// Passes every link, and asks for second answers as [`Predict`](super::Predict) does. For a crawl that is recorded without prediction: a
/// replay of its log can then predict on sites whose pages have lines that change each time. What the stage knows is lost with the process.
#[derive(Debug, Default)]
pub struct Refetch {
    sites: Mutex<HashMap<Box<str>, Known>>,
}

/// What is known of a site.
#[derive(Debug, Default)]
struct Known {
    /// Of the first ones.
    pages: u32,
    turning: Turning,
    asked: Asked,
}

impl Refetch {
    /// Name of the stage.
    pub const NAME: StageName = "refetch";

    fn with_site<T>(&self, url: &CanonicalUrl, look: impl FnOnce(&mut Known) -> T) -> Option<T> {
        let site = site_of(url.host().as_str());
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= SITES && !sites.contains_key(site) {
            return None;
        }
        Some(look(sites.entry(site.into()).or_default()))
    }
}

impl Middleware for Refetch {
    fn name(&self) -> StageName {
        Self::NAME
    }

    fn judge(&self, _: &mut Candidate, _: &Via<'_>) -> Verdict {
        Verdict::Pass
    }

    fn wants_refetch(&self, admitted: &Admitted) -> bool {
        let section = Form::of(admitted.url.as_url()).shape_key();
        let wants =
            |site: &mut Known| site.pages >= FIRST && site.asked.wants(section, &site.turning);
        self.with_site(&admitted.url, wants).unwrap_or(false)
    }

    fn observe(&self, seen: &Observation<'_>, _: &mut Effects) {
        let Outcome::Fetched(page) = seen.outcome else {
            return;
        };
        let Some(text) = text_of(page).filter(|text| page.is_success() && !is_marked(text)) else {
            return;
        };
        let url = &seen.url.url;
        let section = Form::of(url.as_url()).shape_key();
        self.with_site(url, |site| {
            if site.pages < FIRST {
                site.pages += 1;
                return;
            }
            site.turning.count(section);
            if let Some(refetched) = refetched_of(page) {
                site.turning.note(section, &text, &refetched);
            }
        });
    }
}
