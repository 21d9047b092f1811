//! Saves and restores what the stages learned.

use std::collections::BTreeMap;

use super::Chain;
use crate::{Effects, Middleware, Observation, StageName};

/// Where the state of all stages is kept.
pub(crate) const STATE_OF_STAGES: &str = "stage/";

/// Where the state of a stage is kept.
pub(crate) fn state_prefix(stage: StageName) -> String {
    format!("{STATE_OF_STAGES}{stage}/")
}

/// The name of the stage whose state is kept under this key, and the key that the stage gave it.
fn owner(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix(STATE_OF_STAGES)?.split_once('/')
}

impl Chain {
    /// Shows an observation to every stage. The keys in [`Effects::state`] then begin with `stage/NAME/`, and so are unique
    /// among the stages: keep them, and give them to [`restore`](Self::restore), as they are.
    pub fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        for stage in self.stages() {
            let first = effects.state.len();
            stage.observe(seen, effects);
            prefix_keys(stage.name(), &mut effects.state[first..]);
        }
    }

    /// Asks every stage for state that it has not handed over yet, under keys as in [`observe`](Self::observe). Not to be
    /// called while a page is being observed. Here, too, stages may say that beliefs fell.
    pub fn checkpoint(&self, effects: &mut Effects) {
        for stage in self.stages() {
            let first = effects.state.len();
            stage.checkpoint(effects);
            prefix_keys(stage.name(), &mut effects.state[first..]);
        }
    }

    /// Gives the stages of a new chain back what those of an earlier one wrote to [`Effects::state`], through [`observe`](Self::observe)
    /// and [`checkpoint`](Self::checkpoint). Pass each key with its last value, and leave out keys whose last value was `None`. Call it
    /// once, with the whole state and before anything is judged; [`LocalFrontier`](crate::LocalFrontier) does so itself. Returns a sentence
    /// for each part that could not be read; such a part begins anew.
    ///
    /// Call [`checkpoint`](Self::checkpoint) afterwards: what stages were told in an earlier run may not hold in this one. Links that
    /// wait on the word of a belief that is not [active](crate::Standing::Active) any more ([`belief`](Self::belief)) must be queued
    /// again.
    ///
    /// ```
    /// use std::{collections::BTreeMap, sync::atomic::{AtomicU64, Ordering}};
    /// use nodust_frontier::{Candidate, Chain, Effects, Middleware, StageName, Verdict, Via};
    ///
    /// #[derive(Debug, Default)]
    /// struct Learned(AtomicU64);
    ///
    /// impl Middleware for Learned {
    ///     fn name(&self) -> StageName {
    ///         "learned"
    ///     }
    ///     fn judge(&self, _link: &mut Candidate, _via: &Via<'_>) -> Verdict {
    ///         Verdict::Pass
    ///     }
    ///     fn checkpoint(&self, effects: &mut Effects) {
    ///         let value = self.0.load(Ordering::Relaxed).to_le_bytes();
    ///         effects.state.push(("figure".to_owned(), Some(value.to_vec())));
    ///     }
    ///     fn restore(&self, _key: &str, value: &[u8]) -> Result<(), String> {
    ///         let value = value.try_into().map_err(|_| "it has not eight bytes".to_owned())?;
    ///         self.0.store(u64::from_le_bytes(value), Ordering::Relaxed);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let mut effects = Effects::default();
    /// Chain::new().then(Learned(AtomicU64::new(7))).checkpoint(&mut effects);
    /// let mut kept = BTreeMap::new(); // or files, or a table
    /// for (key, value) in effects.state {
    ///     match value {
    ///         Some(value) => kept.insert(key, value),
    ///         None => kept.remove(&key),
    ///     };
    /// }
    ///
    /// let chain = Chain::new().then(Learned::default());
    /// assert!(chain.restore(&kept).is_empty());
    /// kept.insert("figure".to_owned(), Vec::new());
    /// let chain = Chain::new().then(Learned::default());
    /// assert_eq!(chain.restore(&kept), ["`figure` is no key of a stage's state"]);
    /// ```
    pub fn restore<K, V>(&self, entries: impl IntoIterator<Item = (K, V)>) -> Vec<String>
    where
        K: AsRef<str>,
        V: AsRef<[u8]>,
    {
        let mut problems = Vec::new();
        let mut of_stages: BTreeMap<String, Vec<(K, V)>> = BTreeMap::new();
        for (key, value) in entries {
            match owner(key.as_ref()).map(|(stage, _)| stage.to_owned()) {
                Some(stage) => of_stages.entry(stage).or_default().push((key, value)),
                None => problems.push(format!("`{}` is no key of a stage's state", key.as_ref())),
            }
        }
        for stage in self.stages() {
            let own = of_stages.remove(stage.name()).unwrap_or_default();
            problems.extend(restore_stage(stage, &own));
        }
        for (stage, entries) in of_stages {
            problems.push(format!(
                "the chain has no stage `{stage}` any more, of which there is state ({} entries)",
                entries.len()
            ));
        }
        problems
    }
}

/// Gives one stage back what it wrote; sentences for what could not be read.
fn restore_stage<K: AsRef<str>, V: AsRef<[u8]>>(
    stage: &dyn Middleware,
    entries: &[(K, V)],
) -> Vec<String> {
    let name = stage.name();
    let mut problems = Vec::new();
    for (key, value) in entries {
        let Some((_, key)) = owner(key.as_ref()) else {
            continue;
        };
        if let Err(why) = stage.restore(key, value.as_ref()) {
            problems.push(format!("{name}: `{key}`: {why}"));
        }
    }
    problems.extend((stage.restored().into_iter()).map(|why| format!("{name}: {why}")));
    problems
}

fn prefix_keys(stage: StageName, entries: &mut [(String, Option<Vec<u8>>)]) {
    for (key, _) in entries {
        key.insert_str(0, &state_prefix(stage));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{Candidate, Verdict, Via};

    /// Writes what it was told, and tells what it was given back.
    #[derive(Debug)]
    struct Keeps(StageName, Mutex<Vec<String>>);

    impl Keeps {
        fn of(name: StageName) -> Self {
            Self(name, Mutex::default())
        }
    }

    impl Middleware for Keeps {
        fn name(&self) -> StageName {
            self.0
        }
        fn judge(&self, _link: &mut Candidate, _via: &Via<'_>) -> Verdict {
            Verdict::Pass
        }
        fn checkpoint(&self, effects: &mut Effects) {
            for key in ["h.example/a", "b"] {
                (effects.state).push((key.to_owned(), Some(self.0.into())));
            }
        }
        fn restore(&self, key: &str, value: &[u8]) -> Result<(), String> {
            if value != self.0.as_bytes() {
                return Err("it is of another stage".to_owned());
            }
            self.1.lock().unwrap().push(key.to_owned());
            Ok(())
        }
        fn restored(&self) -> Vec<String> {
            vec![format!("{} entries", self.1.lock().unwrap().len())]
        }
    }

    #[test]
    fn what_stages_wrote_comes_back_to_each_under_the_keys_that_it_gave() {
        let chain = || Chain::new().then(Keeps::of("one")).then(Keeps::of("two"));
        let mut effects = Effects::default();
        chain().checkpoint(&mut effects);
        let kept = || (effects.state.iter()).filter_map(|(k, v)| Some((k, v.as_ref()?)));
        assert_eq!(
            chain().restore(kept()),
            ["one: 2 entries", "two: 2 entries"]
        );
        let only_one = Chain::new().then(Keeps::of("one"));
        let told = only_one.restore(kept());
        assert_eq!(told.len(), 2);
        assert!(told[1].contains("no stage `two`"), "{told:?}");
    }

    #[test]
    fn what_cannot_be_read_is_told_with_stage_and_key() {
        let chain = Chain::new().then(Keeps::of("one"));
        let told = chain.restore([("stage/one/a", "two"), ("one/a", "one")]);
        assert_eq!(
            told,
            [
                "`one/a` is no key of a stage's state",
                "one: `a`: it is of another stage",
                "one: 0 entries"
            ]
        );
    }
}
