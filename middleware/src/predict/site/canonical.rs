//! The canonical form of a URL under the active beliefs.
//!
//! Edits apply in a fixed order, each only if the most specific level that knows about the URL allows it.

use std::{borrow::Cow, cell::LazyCell};

use smallvec::SmallVec;

use super::{OnTrial, Site, belief_key, idle::Idle, index::Index, kind::one_of_kind};
use crate::predict::{
    belief::{Belief, LEVELS, LITERAL_TRIALS, Level, Scrutiny, State, has_names},
    form::{Edit, Effect, Form, Hashed},
};

/// Trials that a claim about a set of parameters needs with this path and the rest of the query, or for this action,
/// where it fails or cannot be told on other pages of the path.
const NEAR_TRIALS: u32 = 16;
/// Trials in a section of the site, from which on a wider claim may be acted upon there.
const SECTION_TRIALS: u32 = 3;

/// The same for a claim about segments, of which any may be a part of the site.
const SEGMENT_TRIALS: u32 = 18;
/// Trials on a host, from which on a claim about all hosts of its domain may be acted upon there.
const HOST_TRIALS: u32 = 3;

/// Trials after which a claim about URLs with these names stands beside failures on the path, without any of its own.
const LONG_PROVED: u32 = 260;

/// Keys of the beliefs that reduce a form; seldom more.
pub(super) type Applied = SmallVec<[u64; 4]>;

/// What active beliefs have done to a form.
pub(super) struct Reduced {
    /// The beliefs that reduced it.
    pub(super) applied: Applied,
    /// Whether no active edit has anything to say of what is left: it is surely reduced to itself, by none.
    pub(super) is_settled: bool,
}

/// The form that an edit is tried on: the whole one, unless others have taken away part of what this one would
/// take from it. `effect`: what it does to the form `now`.
pub(super) fn whole<'f, 'u>(
    edit: &Hashed,
    effect: Effect,
    form: &'f Form<'u>,
    now: &'f Form<'u>,
) -> &'f Form<'u> {
    let alone = edit.effect(form);
    if alone.is_some_and(|alone| alone.dropped == effect.dropped) {
        form
    } else {
        now
    }
}

impl Site {
    /// Files the edits that are active anew; whenever one begins or ceases to be.
    pub(super) fn index_active(&mut self) {
        self.active = Index::default();
        self.active_results = Index::default();
        self.parts_of_active.clear();
        self.find_referrers();
        self.where_held = self.beliefs.acting_where_held().collect();
        for (number, on_trial) in (0..).zip(&self.edits) {
            if on_trial.active > 0 {
                let parts = on_trial.parts.iter().map(|(_, part)| *part);
                self.parts_of_active.extend(parts);
                self.active.add(&on_trial.edit, number);
                self.active_results.add_result(&on_trial.edit, number);
            }
        }
    }

    /// The page that stands for a form which active beliefs cannot reduce further, and the beliefs that reduce the
    /// page's own URL to it; `is_settled`: whether none has anything to say of that form. Pages are filed anew only now
    /// and then: an alias that was believed since is undone.
    pub(super) fn standing(
        &self,
        canonical: &Form<'_>,
        is_settled: bool,
    ) -> Option<(u32, Applied)> {
        let key = canonical.key();
        let reduces_to_it = |page: u32| {
            let (url, read);
            let (reduced, applied) = if !self.pages.reads(page, canonical) {
                url = self.pages.url(page)?;
                read = self.form(&url);
                self.reduced(&read)
            } else if is_settled {
                // Most pages stand for their own form.
                (key, Applied::new())
            } else {
                self.reduced(canonical)
            };
            (reduced == key).then_some((page, applied))
        };
        let undone = |edit: u32| {
            let alias = self.edits[edit as usize].edit.key_before(canonical)?;
            self.firsts.stands(alias).and_then(reduces_to_it)
        };
        (self.firsts.stands(key).and_then(reduces_to_it))
            .or_else(|| self.waiting(key).find_map(reduces_to_it))
            .or_else(|| {
                let aliases = self.active_results.of(canonical);
                aliases.into_iter().find_map(undone)
            })
    }

    /// The form that active beliefs reduce a URL to, and the beliefs that did it.
    pub(super) fn canonical<'f, 'u>(&self, form: &'f Form<'u>) -> (Cow<'f, Form<'u>>, Applied) {
        let mut now = None;
        let Reduced { applied, .. } = self.reduce(form, &mut now);
        (now.map_or(Cow::Borrowed(form), Cow::Owned), applied)
    }

    /// The name of the form that active beliefs reduce a URL to.
    pub(super) fn canonical_key(&self, form: &Form<'_>) -> u64 {
        self.reduced(form).0
    }

    /// The same, and the beliefs that did it.
    fn reduced(&self, form: &Form<'_>) -> (u64, Applied) {
        let mut now = None;
        let Reduced { applied, .. } = self.reduce(form, &mut now);
        (now.as_ref().unwrap_or(form).key(), applied)
    }

    /// What active beliefs leave of a form, and how.
    pub(super) fn reduced_form<'u>(&self, form: &Form<'u>) -> (Form<'u>, Reduced) {
        let mut now = None;
        let how = self.reduce(form, &mut now);
        (now.unwrap_or_else(|| form.clone()), how)
    }

    /// Lets active beliefs reduce a form: what is left of it, if that is another one, and who did it.
    pub(super) fn reduce<'u>(&self, form: &Form<'u>, now: &mut Option<Form<'u>>) -> Reduced {
        self.reduce_without(form, now, None)
    }

    /// The same if one belief were not acted upon.
    pub(super) fn reduce_without<'u>(
        &self,
        form: &Form<'u>,
        now: &mut Option<Form<'u>>,
        without: Option<u64>,
    ) -> Reduced {
        let mut applied = Applied::new();
        let mut edits = self.active.in_order(form);
        let (mut is_headless, mut is_settled) = (false, false);
        let mut decided = SmallVec::<[(u32, Option<u64>); 8]>::new();
        for _ in 0..3 {
            is_settled = true;
            let (mut is_changed, mut is_other_path) = (false, false);
            for number in edits.iter().copied() {
                let edit = &self.edits[number as usize].edit;
                let is_of_head = matches!(**edit, Edit::Head { .. });
                if is_of_head && is_headless {
                    // What stands first now is none of the folders that it was said of.
                    is_settled = false;
                    continue;
                }
                let effect = edit.effect(now.as_ref().unwrap_or(form));
                let Some(effect) = effect.filter(|effect| effect.is_other) else {
                    continue;
                };
                is_settled = false;
                let before = match now {
                    None => form,
                    Some(now) => whole(edit, effect, form, now),
                };
                // Of the form that was given, it is the same each time.
                let is_given = std::ptr::eq(before, form);
                let known = decided.iter().find(|(edit, _)| is_given && *edit == number);
                let decision =
                    known.map_or_else(|| self.decide(number, before).ok(), |(_, by)| *by);
                if is_given && known.is_none() {
                    decided.push((number, decision));
                }
                if let Some(key) = decision.filter(|key| Some(*key) != without) {
                    edit.apply(now.get_or_insert_with(|| form.clone()));
                    is_changed = true;
                    is_headless |= is_of_head;
                    is_other_path |= !edit.drops();
                    applied.push(key);
                }
            }
            // An edit of parameters that is the only one has nothing to say of what it leaves.
            let is_only = matches!(edits[..], [only] if self.edits[only as usize].edit.drops());
            if !is_changed || is_only {
                is_settled |= is_changed;
                break;
            }
            if is_other_path && let Some(now) = now {
                // Where parameters went, no edit has anything to say that had nothing before.
                edits = self.active.in_order(now);
            }
        }
        Reduced {
            applied,
            is_settled,
        }
    }

    /// Whether an active edit would change a form that active edits have reduced: it is not acted upon for it, and may be
    /// for what another edit leaves of it.
    pub(super) fn is_open(&self, reduced: &Form<'_>) -> bool {
        self.active.in_order(reduced).iter().any(|number| {
            let edit = &self.edits[*number as usize].edit;
            edit.effect(reduced).is_some_and(|effect| effect.is_other)
        })
    }

    /// Whether a belief says that a page is there with a piece of its name and without, was not tried on enough pairs that
    /// both had one, and this is such a pair: `also` reduced the other page.
    pub(super) fn lacks_pairs(&self, belief: u64, also: &[u64]) -> bool {
        let edit = |key: &u64| Some(self.beliefs.get(*key)?.edit());
        let known = self.beliefs.get(belief).filter(|known| {
            let edit = &self.edits[known.edit() as usize].edit;
            edit.is_of_optional_piece() && !known.tells_of_two()
        });
        known.is_some_and(|known| also.iter().any(|key| edit(key) == Some(known.edit())))
    }

    /// Whether a belief is about an alias that cannot be told well enough on small pages of this kind, or was
    /// not on those that are little more than their own address.
    pub(super) fn is_vague_alias(&self, belief: u64, form: &Form<'_>, is_echo: bool) -> bool {
        let Some(belief) = self.beliefs.get(belief) else {
            return false;
        };
        let edit = &self.edits[belief.edit() as usize].edit;
        let of_kind = || {
            let kind = || self.selectors.context(edit, Level::Names, form);
            self.beliefs.at(belief.edit(), Level::Names, kind)
        };
        edit.is_literal()
            && of_kind().map_or(is_echo, |(_, belief)| {
                if is_echo {
                    !belief.is_telling_of_echoes()
                } else {
                    belief.is_vague_beside_echoes()
                }
            })
    }

    /// An edit of a set of parameters may come down to a part of the set. What the set has proved, it has proved on others.
    ///
    /// # Errors
    /// Where that part fails on URLs with this rest, or nearly everywhere; or cannot be told there.
    fn ask_part(&self, on_trial: &OnTrial, before: &Form<'_>) -> Result<(), Idle<'_>> {
        if on_trial.parts.is_empty() {
            return Ok(());
        }
        let present = on_trial.edit.present(before);
        let mut parts = on_trial.parts.iter();
        let Some((_, part)) = parts.find(|(part, _)| *part == present) else {
            return Ok(());
        };
        if self.edits[*part as usize].is_given_up() {
            return Err(Idle::Failed);
        }
        let rest = || (self.selectors).context(&on_trial.edit, Level::PathAndRest, before);
        match self.beliefs.at(*part, Level::PathAndRest, rest) {
            Some((_, mute)) if mute.is_vague(Scrutiny::Usual) => Err(Idle::Mute(mute)),
            Some((_, belief)) if belief.has_failed() => Err(Idle::Failed),
            _ => Ok(()),
        }
    }

    /// Whether actions are told apart for an edit, since it failed or could not be told for one, and it was not tried
    /// often enough for this one.
    fn is_new_action(&self, number: u32, context: impl Fn(Level) -> Option<u64>) -> bool {
        self.beliefs.is_any_at(number, Level::Action)
            && context(Level::Action).is_some_and(|action| {
                let belief = self.beliefs.get(belief_key(number, Level::Action, action));
                belief.is_none_or(|belief| belief.seen() < NEAR_TRIALS)
            })
    }

    /// Whether a belief about names on all paths of a host may be acted upon here; `local`: what is known of these names in this section. Where
    /// the claim fails for this path or action, as it does for other names, it takes more of them, and a belief that never failed.
    fn speaks_for(
        &self,
        key: u64,
        belief: &Belief,
        (edit, before): (&Hashed, &Form<'_>),
        local: Option<&Belief>,
        fails_on_path: bool,
    ) -> bool {
        let kind = |way| one_of_kind(way, edit, belief.level, before, &self.selectors);
        let needed = if fails_on_path {
            NEAR_TRIALS
        } else {
            SECTION_TRIALS
        };
        belief.state == State::Active
            && !belief.is_mute(Scrutiny::of(edit))
            && local.is_some_and(|near| near.level == Level::Names && near.seen() >= needed)
            && (!fails_on_path || belief.is_spotless())
            && self.kinds.strange_way(key, kind).is_none()
    }

    /// The belief on whose word an edit may be acted upon here: the most specific level that knows decides.
    ///
    /// # Errors
    /// If there is none, why.
    pub(super) fn decide(&self, number: u32, before: &Form<'_>) -> Result<u64, Idle<'_>> {
        let key = self.decide_by_trials(number, before)?;
        if self.leads(key) {
            return Err(Idle::Leads);
        }
        Ok(key)
    }

    /// The same whatever copies by it lead to.
    ///
    /// # Errors
    /// If there is none, why.
    pub(super) fn decide_by_trials(&self, number: u32, before: &Form<'_>) -> Result<u64, Idle<'_>> {
        self.ask_part(&self.edits[number as usize], before)?;
        let by_level = self.decide_by_level(number, before);
        by_level.or_else(|why| self.decide_where_held(number, before).ok_or(why))
    }

    /// The same by what was found out of URLs as this one, whether any with its rest was tried or not.
    fn decide_by_level(&self, number: u32, before: &Form<'_>) -> Result<u64, Idle<'_>> {
        let edit = &self.edits[number as usize].edit;
        let mut local: Option<Cow<'_, Belief>> = None;
        // Whether it was tried often enough in this section for a claim about the host.
        let mut is_near = false;
        // Whether the claim fails for this action or on this path, or cannot be told there.
        let mut fails_on_path = false;
        let mut mute_on_path: Option<Cow<'_, Belief>> = None;
        // Asked for twice where actions are told apart.
        let action = LazyCell::new(|| self.selectors.context(edit, Level::Action, before));
        let context = |level| match level {
            Level::Action => *action,
            level => self.selectors.context(edit, level, before),
        };
        let has_names = || has_names(edit);
        for level in LEVELS
            .into_iter()
            .filter(|level| *level != Level::WhereHeld)
        {
            let Some((key, belief)) = self.beliefs.at(number, level, || context(level)) else {
                continue;
            };
            if level == Level::HostNames {
                // Other sections are asked of narrower claims and of the shape: it may speak for what was tried in this one, and not against it.
                if self.speaks_for(
                    key,
                    &belief,
                    (edit, before),
                    local.as_deref(),
                    fails_on_path,
                ) && (fails_on_path || !self.is_new_action(number, context))
                {
                    return Ok(key);
                }
                continue;
            }
            let is_mute = belief.is_mute(Scrutiny::of(edit));
            // One script may be many: what matters for one set of parameters need not for another.
            let is_script = || level == Level::Path && has_names();
            let fails = is_mute || (belief.state != State::Active && belief.has_failed());
            if fails && (level == Level::Action || is_script()) {
                fails_on_path = true;
                mute_on_path = mute_on_path.or_else(|| is_mute.then_some(belief));
                continue;
            }
            if is_mute {
                return Err(Idle::Mute(belief));
            }
            let kind = |way| one_of_kind(way, edit, level, before, &self.selectors);
            if belief.state == State::Active
                && let Some(way) = self.kinds.strange_way(key, kind)
            {
                return Err(Idle::Strange(way));
            }
            let is_known_in_part = || {
                let part = self.selectors.part_of(before);
                level == Level::Host && part.is_some_and(|part| self.near.knows(number, part))
            };
            match belief.state {
                State::Active if fails_on_path => {
                    // A failure on URLs with these names would have been one of this belief, too.
                    let is_near = local.is_some_and(|near| near.seen() >= NEAR_TRIALS);
                    let is_clean = level == Level::Names && belief.evidence().failures == 0;
                    let is_long_proved = mute_on_path.is_none()
                        && !self.is_new_action(number, context)
                        && belief.evidence().trials >= LONG_PROVED
                        && belief.undecided * 8 <= belief.seen();
                    return (is_clean && (is_near || is_long_proved))
                        .then_some(key)
                        .ok_or_else(|| mute_on_path.map_or(Idle::Failed, Idle::Mute));
                }
                State::Active if level > Level::Path && self.is_new_action(number, context) => {
                    return Err(Idle::NewAction);
                }
                State::Active => {
                    let known = if level == Level::Domain {
                        let is_of_host = |near: &&Cow<'_, Belief>| near.level == Level::Host;
                        let on_host = local.as_ref().filter(is_of_host);
                        is_near && on_host.is_some_and(|near| near.seen() >= HOST_TRIALS)
                    } else {
                        is_near_enough(level, edit, local.as_deref()) || is_known_in_part()
                    };
                    return known.then_some(key).ok_or(Idle::Untried);
                }
                _ if belief.has_failed() => return Err(Idle::Failed),
                // No page has told anything of it yet.
                _ if belief.seen() + belief.undecided == 0 => {}
                _ => {
                    if level == Level::Host {
                        is_near =
                            is_near_enough(level, edit, local.as_deref()) || is_known_in_part();
                    }
                    local = Some(belief);
                }
            }
        }
        Err(Idle::Untried)
    }
}

/// Whether enough is known nearby, of narrower claims, for one of this level: a general belief is not stretched to a section that it
/// was never tried in.
fn is_near_enough(level: Level, edit: &Edit, local: Option<&Belief>) -> bool {
    let needed = match level {
        Level::Host if edit.is_literal() => LITERAL_TRIALS,
        // Pages of one section need not be alike: a few that were the same may be those of a list, or of one language.
        Level::Host if edit.is_of_segments() => SEGMENT_TRIALS,
        Level::Host => SECTION_TRIALS,
        // Tails of one length say little of those of another.
        Level::Shape if has_names(edit) && matches!(edit, Edit::Tail { .. }) => LITERAL_TRIALS,
        Level::Shape if has_names(edit) => 1,
        _ => return true,
    };
    local.is_some_and(|near| near.level >= Level::Names && near.seen() >= needed)
}
