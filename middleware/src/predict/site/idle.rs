//! Why a belief that is acted upon elsewhere is not acted upon for this URL.

use std::borrow::Cow;

use nodust_frontier::BeliefRecord;

use super::{Site, canonical::whole, kinds::WAYS};
use crate::predict::{
    belief::{Belief, LEVELS, Scrutiny, State},
    form::Form,
};

/// Active beliefs of a URL of which it is told why they are not acted upon.
const TOLD: usize = 8;

/// What keeps an edit from being acted upon.
#[derive(Clone, Debug)]
pub(super) enum Idle<'b> {
    /// Too many trials of this belief could not be decided.
    Mute(Cow<'b, Belief>),
    /// It failed on URLs like this one.
    Failed,
    /// It was right on others, but not on one that is like this in a [way](WAYS).
    Strange(usize),
    /// It was not tried often enough for this action, and actions are told apart.
    NewAction,
    /// What are copies by it lead to pages that no other leads to.
    Leads,
    /// It was not tried in this section of the site, or not often enough.
    Untried,
}

/// Active beliefs about one edit that are not acted upon.
struct Silent<'b> {
    active: Vec<Cow<'b, Belief>>,
    scrutiny: Scrutiny,
    why: Idle<'b>,
}

/// In which way a URL is strange.
const STRANGE: [&str; WAYS] = [
    "on a value of this kind (a number, a word, a namespace)",
    "on this value",
    "beside parameters of these names",
    "beside this folder, action or namespace",
];

impl Idle<'_> {
    /// In words; none where there is a record of its own to show.
    fn words(&self) -> Option<String> {
        Some(match self {
            Self::Mute(_) => return None,
            Self::Failed => "it failed on URLs like this one".to_owned(),
            Self::Strange(way) => format!("it was not tried {}, or was wrong there", STRANGE[*way]),
            Self::NewAction => "it holds for some actions here and not for others, and was not tried often enough on this one"
                .to_owned(),
            Self::Leads => "copies by it led to pages that no other page leads to".to_owned(),
            Self::Untried => "it was not tried often enough on URLs of this section".to_owned(),
        })
    }
}

/// What counts when a belief is compared with what it needs.
fn evidence_for(belief: &Belief) -> f64 {
    belief.e_value() * belief.weight()
}

impl Site {
    /// Calls `each` with beliefs that keep active ones from being acted upon for a URL, because too many of their
    /// trials could not be decided.
    pub fn muted(&self, url: &str, each: &mut dyn FnMut(BeliefRecord)) {
        self.each_idle(&self.form(url), &mut |silent| {
            let Silent {
                active,
                scrutiny,
                why,
            } = silent;
            if let Idle::Mute(vague) = why {
                // Narrower ones may be as vague: the one that is said to be active is what there are questions about.
                let is_mute = |belief: &&Cow<'_, Belief>| belief.is_mute(scrutiny);
                each(self.record_of(active.iter().find(is_mute).unwrap_or(&vague)));
            }
        });
    }

    /// Says of a URL that passes why active beliefs which speak of it are not acted upon, and what the others leave of it. `name`: what
    /// rewrite rules make of it, or itself.
    pub(super) fn tell_idle(&self, (url, name): (&str, &str), each: &mut dyn FnMut(String)) {
        let form = self.form(name);
        let mut told = 0;
        self.each_idle(&form, &mut |silent| {
            // The widest is what is known of the site.
            if let (Some(words), Some(belief)) = (silent.why.words(), silent.active.last())
                && told < TOLD
            {
                told += 1;
                each(format!(
                    "belief {} is active ({}), but not acted upon here: {words}",
                    self.id_of(belief),
                    self.claim_of(belief),
                ));
            }
        });
        self.tell_awaited((url, name), &form, each);
        let (reduced, how) = self.reduced_form(&form);
        if how.applied.is_empty() {
            return;
        }
        let claims = self.claims_of(&how.applied).join("; ");
        let stands = self.standing(&reduced, how.is_settled);
        let page = stands.and_then(|(page, _)| self.pages.url(self.pages.fetched(page)));
        each(match page {
            None => {
                format!("active, but no page that this could be a copy of was fetched: {claims}")
            }
            Some(page) if page == url || page == name => return,
            Some(page) => format!(
                "active, but not enough to take this for a copy of {page} (too little is known of such pages, or that one came \
                 instead of many): {claims}"
            ),
        });
    }

    /// Says of a URL which belief on probation has the most evidence that it is a copy of a page that was fetched, and how much that belief
    /// needs, if anything speaks for it.
    fn tell_awaited(
        &self,
        (url, name): (&str, &str),
        form: &Form<'_>,
        each: &mut dyn FnMut(String),
    ) {
        let (reduced, _) = self.canonical(form);
        let awaited = self
            .index
            .in_order(&reduced)
            .into_iter()
            .filter_map(|number| {
                let on_trial = &self.edits[number as usize];
                let edit = &on_trial.edit;
                let effect = edit.effect(&reduced).filter(|effect| effect.is_other)?;
                let page = self.stands(edit.key_after(&reduced))?;
                let page = self.pages.url(self.pages.fetched(page))?;
                if on_trial.active > 0 || page == url || page == name {
                    return None;
                }
                let before = whole(edit, effect, form, &reduced);
                let here = LEVELS.iter().filter_map(|level| {
                    let context = || self.selectors.context(edit, *level, before);
                    Some(self.beliefs.at(number, *level, context)?.1)
                });
                let best = here
                    .filter(|belief| belief.state == State::Probation && belief.e_value() > 1.0)
                    .max_by(|one, other| evidence_for(one).total_cmp(&evidence_for(other)))?;
                Some((best, page))
            });
        let best = awaited
            .max_by(|(one, _), (other, _)| evidence_for(one).total_cmp(&evidence_for(other)));
        if let Some((belief, page)) = best {
            let evidence = belief.evidence();
            each(format!(
                "belief on probation, which would take this for a copy of {page}: {} ({} trials, {} failed; its weighted e-value is {:.1}, and \
                 {:.1} is needed here now)",
                self.claim_of(&belief),
                evidence.trials,
                evidence.failures,
                evidence_for(&belief),
                self.threshold(),
            ));
        }
    }

    /// The active beliefs that speak of a form and are not acted upon for it, by edit.
    fn each_idle(&self, form: &Form<'_>, each: &mut dyn FnMut(Silent<'_>)) {
        let (reduced, _) = self.canonical(form);
        for number in self.active.in_order(&reduced) {
            let edit = &self.edits[number as usize].edit;
            let Some(effect) = edit.effect(&reduced).filter(|effect| effect.is_other) else {
                continue;
            };
            let before = whole(edit, effect, form, &reduced);
            let Err(why) = self.decide(number, before) else {
                continue;
            };
            let here = LEVELS.iter().filter_map(|level| {
                let context = || self.selectors.context(edit, *level, before);
                Some(self.beliefs.at(number, *level, context)?.1)
            });
            let active: Vec<_> = here.filter(|b| b.state == State::Active).collect();
            if !active.is_empty() {
                each(Silent {
                    active,
                    scrutiny: Scrutiny::of(edit),
                    why,
                });
            }
        }
    }
}
