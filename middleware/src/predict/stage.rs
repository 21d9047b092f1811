//! The stage: one model per registrable domain, behind a lock of its own.

use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::HashMap;
use nodust_frontier::{
    BeliefId, Candidate, DropReason, Effects, HostKey, Middleware, Observation, Outcome, Phase,
    StageName, Verdict, Via,
};

use super::{PredictConfig, Site};

type Shared = Arc<RwLock<Site>>;

/// Drops links whose page would be a copy of one fetched already.
#[derive(Debug)]
pub struct Predict {
    config: PredictConfig,
    sites: RwLock<HashMap<Box<str>, Shared>>,
}

impl Predict {
    /// Name of the stage.
    pub const NAME: StageName = "predict";

    /// A stage that knows nothing yet.
    pub fn new(config: PredictConfig) -> Self {
        Self {
            config,
            sites: RwLock::default(),
        }
    }

    fn site(&self, host: &HostKey) -> Option<Shared> {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.get(site_of(host.as_str())).cloned()
    }

    fn site_or_new(&self, host: &HostKey) -> Shared {
        if let Some(site) = self.site(host) {
            return site;
        }
        let name = site_of(host.as_str());
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        sites
            .entry(name.into())
            .or_insert_with(|| Arc::new(RwLock::new(Site::new(name, &self.config))))
            .clone()
    }

    /// Runs `look` on the model of a host's site, if there is one.
    pub fn with_site<T>(&self, host: &HostKey, look: impl FnOnce(&Site) -> T) -> Option<T> {
        let site = self.site(host)?;
        let site = site.read().unwrap_or_else(PoisonError::into_inner);
        Some(look(&site))
    }
}

/// Registrable domain of a host, or the host itself (addresses, ports, unknown suffixes).
fn site_of(host: &str) -> &str {
    if host.contains(':') || host.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return host;
    }
    psl::domain_str(host).unwrap_or(host)
}

impl Middleware for Predict {
    fn name(&self) -> StageName {
        Self::NAME
    }

    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }

    fn judge(&self, link: &mut Candidate, via: &Via<'_>) -> Verdict {
        if via.is_seed() {
            return Verdict::Pass;
        }
        let judged = self.with_site(link.host(), |site| {
            let url = link.url().as_str();
            let drop = match site.predict(url) {
                Some(prediction) => Some(DropReason::PredictedDuplicate(prediction)),
                None => site
                    .over_budget(url)
                    .map(|(belief, limit)| DropReason::OverBudget { belief, limit }),
            };
            (drop, site.priority(url))
        });
        let Some((drop, priority)) = judged else {
            return Verdict::Pass;
        };
        if let Some(priority) = priority {
            link.set_priority(priority.min(link.priority()));
        }
        drop.map_or(Verdict::Pass, Verdict::Drop)
    }

    fn generation(&self, host: &HostKey) -> u64 {
        self.with_site(host, Site::generation).unwrap_or(0)
    }

    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        let host = seen.url.url.host();
        let learned = match seen.outcome {
            Outcome::Fetched(page) if page.is_success() => {
                let Some(text) = page.text else { return };
                let site = self.site_or_new(host);
                let mut site = site.write().unwrap_or_else(PoisonError::into_inner);
                site.observe(
                    seen.url.url.as_url(),
                    text,
                    seen.points_to.map(nodust_frontier::CanonicalUrl::as_str),
                    seen.url.probe.is_some(),
                )
            }
            Outcome::Redirected { .. } => {
                let Some(target) = seen.points_to else { return };
                let site = self.site_or_new(host);
                let mut site = site.write().unwrap_or_else(PoisonError::into_inner);
                site.observe_redirect(seen.url.url.as_str(), target.as_str())
            }
            _ => return,
        };
        effects.withdrawn.extend(
            (learned.withdrawn.into_iter().chain(learned.shaken)).map(|id| (host.clone(), id)),
        );
        effects.probe_was_duplicate = learned.was_duplicate;
    }

    fn describe(&self, belief: BeliefId) -> Option<String> {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.values().find_map(|site| {
            let site = site.read().unwrap_or_else(PoisonError::into_inner);
            site.describe(belief)
        })
    }
}
