//! The order of the stages in the chain.

use super::Chain;
use crate::{Middleware, StageName};

/// The error for placing a stage before one that the chain does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the chain has no stage `{stage}`; it has {}", told(has))]
pub struct NoSuchStage {
    /// The missing stage.
    pub stage: StageName,
    /// The stages that the chain has.
    pub has: Vec<StageName>,
}

fn told(has: &[StageName]) -> String {
    if has.is_empty() {
        "none".to_owned()
    } else {
        has.join(", ")
    }
}

impl Chain {
    /// The same chain with one more stage at its end.
    #[must_use]
    pub fn then(mut self, stage: impl Middleware + 'static) -> Self {
        self.stages.push(Box::new(stage));
        self
    }

    /// The same chain with one more stage right before the one named `place`. For a stage that must not be last, such as one that
    /// [changes URLs](crate::Candidate::edit_url): it belongs before those that look at them.
    ///
    /// Stages of one [`Phase`](crate::Phase) run in this order, and those of `BeforeSeen` run before all of `AfterSeen`, wherever
    /// they are placed.
    ///
    /// ```
    /// use nodust_frontier::{
    ///     Candidate, Chain, Middleware, NoSuchStage, RawUrl, StageName, Verdict, Via,
    /// };
    ///
    /// #[derive(Debug)]
    /// struct NoPreview; // `?preview=1` asks for what is not published
    ///
    /// impl Middleware for NoPreview {
    ///     fn name(&self) -> StageName {
    ///         "no_preview"
    ///     }
    ///     fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
    ///         if link.url().query() == Some("preview=1") {
    ///             let _ = link.edit_url(|url| url.set_query(None));
    ///         }
    ///         Verdict::Pass
    ///     }
    /// }
    ///
    /// #[derive(Debug)]
    /// struct LowerCase; // names of pages, by which they are compared
    ///
    /// impl Middleware for LowerCase {
    ///     fn name(&self) -> StageName {
    ///         "lower_case"
    ///     }
    ///     fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
    ///         link.set_class(link.class().to_ascii_lowercase());
    ///         Verdict::Pass
    ///     }
    /// }
    ///
    /// let chain = Chain::new().then(LowerCase).before("lower_case", NoPreview)?;
    /// let trace = chain.explain(&Via::seed(), RawUrl::new("http://e.org/A?preview=1"));
    /// let last = trace.steps().last().map(|step| (step.url.as_deref(), step.class.as_deref()));
    /// assert_eq!(last, Some((Some("http://e.org/A"), Some("http://e.org/a"))));
    /// # Ok::<(), NoSuchStage>(())
    /// ```
    ///
    /// # Errors
    /// [`NoSuchStage`] if no stage has that name: at any other place the new stage might go wrong silently. Settings switch some
    /// stages of a chain off; [`stages`](Self::stages) lists those that are there.
    pub fn before(
        mut self,
        place: StageName,
        stage: impl Middleware + 'static,
    ) -> Result<Self, NoSuchStage> {
        let Some(at) = self.stages().position(|other| other.name() == place) else {
            return Err(NoSuchStage {
                stage: place,
                has: self.stages().map(Middleware::name).collect(),
            });
        };
        self.stages.insert(at, Box::new(stage));
        Ok(self)
    }

    /// The stages in their order. They observe in this order, and those of one [`Phase`](crate::Phase) judge in it; those of
    /// `BeforeSeen` judge before all of `AfterSeen`, wherever they are placed.
    pub fn stages(&self) -> impl Iterator<Item = &dyn Middleware> {
        self.stages.iter().map(AsRef::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Candidate, Verdict, Via};

    #[derive(Debug)]
    struct Named(StageName);

    impl Middleware for Named {
        fn name(&self) -> StageName {
            self.0
        }
        fn judge(&self, _link: &mut Candidate, _via: &Via<'_>) -> Verdict {
            Verdict::Pass
        }
    }

    #[test]
    fn a_stage_stands_right_before_the_one_that_is_named() {
        let chain = Chain::new().then(Named("a")).then(Named("c"));
        let chain = chain.before("c", Named("b")).unwrap();
        let chain = chain.before("a", Named("0")).unwrap();
        let names: Vec<_> = chain.stages().map(Middleware::name).collect();
        assert_eq!(names, ["0", "a", "b", "c"]);
    }

    #[test]
    fn before_a_stage_that_is_not_there_is_no_place() {
        let refused = Chain::new().then(Named("a")).before("b", Named("c"));
        let told = refused.unwrap_err().to_string();
        assert_eq!(told, "the chain has no stage `b`; it has a");
        let refused = Chain::new().before("b", Named("c")).unwrap_err();
        assert!(refused.to_string().ends_with("it has none"));
    }
}
