//! Implements stages and frontiers for pointers to them: every call is passed on.
//!
//! So a stage that is kept elsewhere can be in a chain, too, and a frontier whose type is chosen at run time fits
//! wherever one is asked for.

use std::{sync::Arc, time::Instant};

use crate::{
    Admitted, BeliefId, BeliefRecord, Candidate, CanonicalUrl, Decision, Effects, Frontier,
    FrontierError, Gate, HostKey, Lease, Live, Middleware, Observation, Outcome, Phase, RawUrl,
    StageName, Trace, Turn, Untried, Verdict, Via,
};

/// A method with a default could be forgotten here without anybody noticing: the lint refuses that.
macro_rules! hands_on_to_a_stage {
    ($pointer:ident) => {
        #[deny(clippy::missing_trait_methods)]
        impl<M: Middleware + ?Sized> Middleware for $pointer<M> {
            fn name(&self) -> StageName {
                (**self).name()
            }
            fn phase(&self) -> Phase {
                (**self).phase()
            }
            fn judge(&self, link: &mut Candidate, via: &Via<'_>) -> Verdict {
                (**self).judge(link, via)
            }
            fn judge_all(&self, live: &mut Live<'_>, via: &Via<'_>) {
                (**self).judge_all(live, via);
            }
            fn generation(&self, host: &HostKey) -> u64 {
                (**self).generation(host)
            }
            fn work(&self) -> bool {
                (**self).work()
            }
            fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
                (**self).observe(seen, effects);
            }
            fn describe(&self, belief: BeliefId) -> Option<String> {
                (**self).describe(belief)
            }
            fn belief(&self, belief: BeliefId) -> Option<BeliefRecord> {
                (**self).belief(belief)
            }
            fn page_name(&self, url: &CanonicalUrl) -> Option<u64> {
                (**self).page_name(url)
            }
            fn wants_refetch(&self, admitted: &Admitted) -> bool {
                (**self).wants_refetch(admitted)
            }
            fn beliefs(&self, each: &mut dyn FnMut(BeliefRecord)) {
                (**self).beliefs(each);
            }
            fn carried(&self, each: &mut dyn FnMut(BeliefId, String)) {
                (**self).carried(each);
            }
            fn muted(&self, link: &Candidate, each: &mut dyn FnMut(BeliefRecord)) {
                (**self).muted(link, each);
            }
            fn remarks(&self, link: &Candidate, each: &mut dyn FnMut(String)) {
                (**self).remarks(link, each);
            }
            fn belief_generation(&self, belief: BeliefId) -> u64 {
                (**self).belief_generation(belief)
            }
            fn explores(&self, link: &Candidate, belief: BeliefId) -> bool {
                (**self).explores(link, belief)
            }
            fn untried(&self, link: &Candidate, belief: BeliefId) -> Option<Untried> {
                (**self).untried(link, belief)
            }
            fn restore(&self, key: &str, value: &[u8]) -> Result<(), String> {
                (**self).restore(key, value)
            }
            fn restored(&self) -> Vec<String> {
                (**self).restored()
            }
            fn checkpoint(&self, effects: &mut Effects) {
                (**self).checkpoint(effects);
            }
        }
    };
}

hands_on_to_a_stage!(Arc);
hands_on_to_a_stage!(Box);

/// As for stages.
macro_rules! hands_on_to_a_frontier {
    ($pointer:ident) => {
        #[deny(clippy::missing_trait_methods)]
        impl<F: Frontier + ?Sized> Frontier for $pointer<F> {
            fn admit(
                &self,
                via: &Via<'_>,
                links: &[RawUrl<'_>],
                out: &mut Vec<Decision>,
            ) -> Result<(), FrontierError> {
                (**self).admit(via, links, out)
            }
            fn lease(&self, now: Instant, gate: &dyn Gate) -> Result<Turn, FrontierError> {
                (**self).lease(now, gate)
            }
            fn wants_refetch(&self, lease: &Lease) -> bool {
                (**self).wants_refetch(lease)
            }
            fn observe(
                &self,
                lease: Lease,
                outcome: &Outcome<'_>,
                out: &mut Vec<Decision>,
            ) -> Result<(), FrontierError> {
                (**self).observe(lease, outcome, out)
            }
            fn release(&self, lease: Lease) -> Result<(), FrontierError> {
                (**self).release(lease)
            }
            fn explain(&self, via: &Via<'_>, link: RawUrl<'_>) -> Result<Trace, FrontierError> {
                (**self).explain(via, link)
            }
            fn flush(&self) -> Result<(), FrontierError> {
                (**self).flush()
            }
        }
    };
}

hands_on_to_a_frontier!(Arc);
hands_on_to_a_frontier!(Box);

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::{Chain, LocalFrontier, Open, RawUrl};

    /// Counts the pages that it was shown, and has an opinion where by default a stage has none.
    #[derive(Debug, Default)]
    struct Counts(AtomicU64);

    impl Middleware for Counts {
        fn name(&self) -> StageName {
            "counts"
        }
        fn phase(&self) -> Phase {
            Phase::AfterSeen
        }
        fn judge(&self, _link: &mut Candidate, _via: &Via<'_>) -> Verdict {
            Verdict::Pass
        }
        fn generation(&self, _host: &HostKey) -> u64 {
            7
        }
        fn observe(&self, _seen: &Observation<'_>, effects: &mut Effects) {
            self.0.fetch_add(1, Ordering::Relaxed);
            effects.contents_new += 1;
        }
        fn restored(&self) -> Vec<String> {
            vec!["nothing to restore".to_owned()]
        }
    }

    #[test]
    fn who_keeps_a_stage_sees_what_its_chain_did_with_it() {
        let kept = Arc::new(Counts::default());
        let boxed: Box<dyn Middleware> = Box::new(Arc::clone(&kept));
        let chain = Chain::new().then(boxed);
        let stage = chain.stages().next().unwrap();
        let host = HostKey::from_text("h.example");
        assert_eq!(
            (stage.name(), stage.phase(), stage.generation(&host)),
            ("counts", Phase::AfterSeen, 7)
        );
        assert_eq!(stage.restored().len(), 1);
        let frontier: Box<dyn Frontier> =
            Box::new(Arc::new(LocalFrontier::builder(chain).build().unwrap()));
        let frontier: Arc<dyn Frontier> = Arc::new(frontier);
        let (mut out, seeds) = (Vec::new(), [RawUrl::new("http://h.example/")]);
        frontier.admit(&Via::seed(), &seeds, &mut out).unwrap();
        let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() else {
            panic!("a seed waits");
        };
        let page = Outcome::Fetched(crate::FetchedPage::default());
        frontier.observe(lease, &page, &mut out).unwrap();
        assert_eq!(kept.0.load(Ordering::Relaxed), 1);
    }
}
