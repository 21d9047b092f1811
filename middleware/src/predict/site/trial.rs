//! Tries an edit on a page.
//!
//! One trial per edit and newcomer, against one representative, counted on every level of the edit.

use std::{cell::LazyCell, mem::discriminant};

use super::{
    Learned, OnTrial, Site, belief_key,
    heard::{Heard, Wider},
    kind::{at_level, common, kind_of},
    pair::Pair,
    shown::{ShownOfBeliefs, mixes},
    shows::Shows,
};
use crate::{
    predict::{
        belief::{
            About, Belief, Change, LEVELS, Level, Scrutiny, State, part_among, prior, value_of,
        },
        evidence::Ratios,
        form::{Edit, Form, Param, Present, join},
    },
    sign::{ClusterId, Sameness},
};

/// The part of a set of parameters in which the URLs of two equal pages differ.
#[derive(Clone, Copy)]
struct Part {
    differing: Present,
    of: usize,
    /// Whether the edit was shown to be right about each of the set.
    tells_of_edit: bool,
}

impl Part {
    /// Whether a success says something of all that a belief claims.
    fn tells(self, level: Level, belief: &Belief, key: u64, shown: &mut ShownOfBeliefs) -> bool {
        let is_active = belief.state == State::Active;
        if mixes(level) {
            shown.note(key, self.differing, self.of) || is_active
        } else {
            self.tells_of_edit
        }
    }
}

fn ratios_for<'r>(edit: &Edit, usual: &'r Ratios, careful: &'r Ratios) -> &'r Ratios {
    if edit.is_one_of_many() {
        careful
    } else {
        usual
    }
}

/// How many other aliases of the kind of this one have a weight of their own, as far as they count: all claims of an alias have the part of
/// theirs that the first of them had as its test began.
pub(super) fn peers_of(edit: u32, edits: &[OnTrial], counts: impl Fn(&OnTrial) -> bool) -> u16 {
    let kind = discriminant(&*edits[edit as usize].edit);
    let is_one = |other: &&OnTrial| {
        other.peers.is_some() && counts(other) && discriminant(&*other.edit) == kind
    };
    let count = edits.iter().filter(is_one).count();
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// The same as its test begins, once for all claims of an alias.
fn peers_once(peers: &mut Option<u16>, edit: u32, edits: &[OnTrial]) -> u16 {
    *peers.get_or_insert_with(|| peers_of(edit, edits, is_tried_here))
}

/// Whether an edit was tried on this site: another crawl may have told of it.
const fn is_tried_here(on_trial: &OnTrial) -> bool {
    on_trial.successes + on_trial.failures > 0
}

impl Site {
    /// One trial of an edit that changes the first of two forms, or else the second.
    pub(super) fn trial_either(
        &mut self,
        edit: u32,
        forms: (&Form<'_>, &Form<'_>),
        verdict: Sameness,
        pair: Pair<'_, '_>,
        learned: &mut Learned,
    ) -> bool {
        let on_trial = &self.edits[edit as usize].edit;
        if on_trial.changes(forms.0) {
            self.trial(edit, forms.0, verdict, pair, learned)
        } else {
            on_trial.changes(forms.1) && self.trial(edit, forms.1, verdict, pair, learned)
        }
    }

    /// One trial of an edit, counted on every level; whether all levels doubt it, or it cannot be told any further, or it
    /// is of more parameters than are there, so that something else may say it better.
    pub(super) fn trial(
        &mut self,
        edit: u32,
        before: &Form<'_>,
        verdict: Sameness,
        pair: Pair<'_, '_>,
        learned: &mut Learned,
    ) -> bool {
        if verdict == Sameness::Unknown {
            self.undecided(edit, before, pair.pages, learned);
            return false;
        }
        match self.shows(edit, &pair, verdict == Sameness::Same) {
            Shows::Nothing => true,
            Shows::Of(differing) => {
                let shown = (verdict == Sameness::Same).then_some(differing);
                self.decided(edit, before, shown, pair, learned)
            }
        }
    }

    /// A trial that succeeded, as the URLs show of these parameters, or failed.
    fn decided(
        &mut self,
        edit: u32,
        before: &Form<'_>,
        shown: Option<Present>,
        pair: Pair<'_, '_>,
        learned: &mut Learned,
    ) -> bool {
        let example = pair.pages;
        let success = shown.is_some();
        let part = shown.and_then(|differing| self.part_shown(edit, differing));
        let name = &self.edits[edit as usize].edit;
        let heard = self.heard(edit, before, example, success);
        // Most beliefs are not asked for it.
        let common = LazyCell::new(|| common(name, before, &self.selectors));
        let is_echo = self.is_echo(example.1) || self.is_echo(example.0);
        let names = self.names_on_trial(example);
        let acted = self.acted_upon(edit, before);
        let (mut fallen, mut is_wide) = (0, false);
        let (mut is_counted, mut wider) = (false, Wider::default());
        // Whether its folders, or a value, have had their say, which was not enough: others may be no more than these.
        let (mut is_stuck, mut is_active) = (false, false);
        let ratios = ratios_for(name, &self.ratios, &self.careful);
        let mut peers = self.edits[edit as usize].peers;
        let is_of_shapes = self.beliefs.is_of_shapes(edit);
        for level in LEVELS.into_iter().rev() {
            let is_wanted = self.is_wanted(edit, level, &wider);
            if !is_wanted && !self.beliefs.is_any_at(edit, level) {
                continue;
            }
            let Some(context) = self.context_on_trial(edit, level, before, &pair) else {
                continue;
            };
            let key = belief_key(edit, level, context);
            let weight = || wider.prior(name, level, &self.company);
            let make = || Belief::new(edit, level, context, weight());
            let Some(mut belief) = self.beliefs.get_or_add(key, is_wanted, make) else {
                continue;
            };
            // Where all paths are of one shape, claims about names say as much.
            let says_more = level != Level::HostNames || is_of_shapes;
            if let Some(part) = part
                && !part.tells(level, &belief, key, &mut self.shown)
            {
                if says_more {
                    wider.note(&belief, false);
                }
                continue;
            }
            is_counted = true;
            let kind = || at_level(*common, name, level, before);
            let is_in_path = || self.selectors.is_action_in_path(before);
            let is_untested = name.is_literal() && belief.tries() == 0;
            let among = peers.filter(|_| is_untested).map_or(1.0, part_among);
            let covering = wider.covering((level, belief.seen()), is_in_path);
            if says_more && among * belief.weight_now() > covering {
                belief.stand_alone();
                self.candidates |= belief.state == State::Probation && belief.has_enough();
            }
            if is_echo && name.is_literal() {
                belief.count_echo();
            }
            if success {
                pair.note_success(&mut belief, name, &self.pages);
            }
            let (was_suspect, was_counted) = (belief.is_suspect(), belief.is_counted());
            let told = heard.by(&mut belief, name, &mut self.kinds, (key, kind), ratios);
            belief.note_names(names, was_counted && told.is_claimed);
            if is_untested && belief.tries() > 0 {
                belief.weigh(part_among(peers_once(&mut peers, edit, &self.edits)));
            }
            if let (Some(is_extended), State::Active) = (told.noted, belief.state) {
                // More may be dropped than a moment ago, or less than before its kinds were known.
                self.generation += 1;
                self.stale = true;
                if !is_extended {
                    self.round.is_urgent = true;
                    learned.reopened.extend(belief.id());
                }
            }
            // Links are dropped again, or not for a while.
            self.generation += u64::from(belief.is_suspect() != was_suspect);
            if says_more {
                wider.note(&belief, told.is_claimed);
            }
            is_stuck |= heard.is_stuck(&belief, ratios);
            is_active |= belief.state == State::Active;
            if was_counted && !belief.is_counted() {
                self.leading.forget(key);
            }
            match told.change {
                Change::None => {}
                Change::Candidate => self.candidates = true,
                Change::Withdrawn => {
                    // It stays known by its name: links wait in the ledger under it.
                    learned.withdrawn.extend(belief.id());
                    (fallen, is_wide) = (fallen + 1, is_wide || level >= Level::Path);
                    self.generation += 1;
                    // Until the pages are filed anew, who stands for what is checked at each use.
                    self.stale = true;
                }
            }
        }
        self.edits[edit as usize].peers = peers;
        match fallen {
            0 => self.note_turn(edit, before, acted, learned),
            _ => self.fall((edit, before), fallen, is_wide, learned),
        }
        self.edits[edit as usize].count(is_counted.then_some(success));
        self.note_near((edit, before), example, is_counted.then_some(success));
        // Otherwise what is claimed of the parameters that are there says it better.
        !is_counted
            || !wider.is_believed
            || (is_stuck && !is_active)
            || self.may_be_said_better(edit, before, example)
    }

    /// Counts a trial of one parameter in the part of the site that a URL lies in, if it told anything. (Of a set a success may speak of
    /// some only.)
    fn note_near(
        &mut self,
        (edit, before): (u32, &Form<'_>),
        pages: (u32, u32),
        told: Option<bool>,
    ) {
        let is_of_one = self.edits[edit as usize].edit.params() == 1;
        if let (true, Some(success)) = (is_of_one, told)
            && let Some(part) = self.selectors.part_of(before)
        {
            let on = (before.shape_key(), self.content_of(pages));
            self.near.note((edit, part), on, success);
        }
    }

    /// Whether an edit is of all parameters, and no edit speaks of one of these alone, though that may hold for more pages than one. (On a
    /// form to log in no parameter matters, whatever its name is.)
    fn may_be_said_better(&self, edit: u32, before: &Form<'_>, pages: (u32, u32)) -> bool {
        let all = &self.edits[edit as usize].edit;
        if !matches!(**all, Edit::AllParams) {
            return false;
        }
        let is_untold = |name: &str| {
            let any = Edit::Params(vec![Param::Any(name.into())]);
            self.numbers.get(&any, &self.edits).is_none()
        };
        let is_of_many = || {
            let context = self.selectors.context(all, Level::Names, before)?;
            let belief = self.beliefs.get(belief_key(edit, Level::Names, context))?;
            let copies = self.clusters.pages(self.cluster_of(pages)?);
            Some(belief.seen() > copies)
        };
        before.params.iter().any(|(name, _)| is_untold(name)) && is_of_many().unwrap_or_default()
    }

    /// So many beliefs about an edit fell by a trial, one of them a wide one or not.
    fn fall(
        &mut self,
        (edit, before): (u32, &Form<'_>),
        count: u32,
        is_any_wide: bool,
        learned: &mut Learned,
    ) {
        self.note_fallen(edit, count);
        if is_any_wide {
            self.doubt_where_held(edit, before, learned);
        }
        learned.has_fallen = true;
    }

    /// What a decided trial says to the beliefs about an edit.
    fn heard(&self, edit: u32, before: &Form<'_>, pages: (u32, u32), success: bool) -> Heard {
        let on_trial = &self.edits[edit as usize];
        Heard {
            success,
            group: self.content_of(pages),
            value: if on_trial.edit.is_of_two_values() {
                0
            } else {
                value_of(&on_trial.edit, before)
            },
            about: About::of(&on_trial.edit),
            is_mostly_right: on_trial.is_mostly_right(),
        }
    }

    /// Name of the content that a pair of pages brought.
    fn content_of(&self, pages: (u32, u32)) -> u64 {
        let cluster = self.cluster_of(pages);
        join(77, cluster.map_or(0, |cluster| u64::from(cluster) + 1))
    }

    fn cluster_of(&self, (one, other): (u32, u32)) -> Option<ClusterId> {
        [other, one]
            .into_iter()
            .find_map(|page| self.pages.cluster(page))
    }

    /// Notes in which parameters of its set the URLs differ on which an edit succeeded, if it is of a set.
    fn part_shown(&mut self, edit: u32, differing: Present) -> Option<Part> {
        let on_trial = &mut self.edits[edit as usize];
        let of = on_trial.edit.params();
        if of < 2 {
            return None;
        }
        Some(Part {
            differing,
            of,
            // What others found out counts where it is acted upon.
            tells_of_edit: on_trial.shown.note(differing, of) || on_trial.active > 0,
        })
    }

    /// Notes that an edit is acted upon here since a trial, or is not any more, without having fallen.
    fn note_turn(
        &mut self,
        edit: u32,
        before: &Form<'_>,
        acted: Option<u64>,
        learned: &mut Learned,
    ) {
        if self.edits[edit as usize].active == 0 {
            return;
        }
        let acts = self.decide(edit, before).ok();
        if acted.is_some() == acts.is_some() {
            return;
        }
        // Links that wait may be dropped now, and pages met before this one are to stand for what they are aliases of.
        self.generation += 1;
        // Where it was right often enough now, those pages are found by what it made of them.
        self.stale |= !acts.is_some_and(|key| self.is_where_held(key));
        if let Some(belief) = acted.and_then(|key| self.beliefs.get(key)) {
            // It may not be acted upon elsewhere either: what it dropped is judged again.
            learned.reopened.extend(belief.id());
            self.round.is_urgent = true;
        }
    }

    /// The belief that an edit which is active somewhere is acted upon for here.
    fn acted_upon(&self, edit: u32, before: &Form<'_>) -> Option<u64> {
        let is_active = self.edits[edit as usize].active > 0;
        is_active.then(|| self.decide(edit, before).ok()).flatten()
    }

    /// Whether a claim on a level is to be tested.
    fn is_wanted(&self, edit: u32, level: Level, wider: &Wider) -> bool {
        // The narrow levels are worth their memory only where the wider ones fail; actions, where any ever did.
        let is_narrow = level <= Level::Path;
        let is_asked = level == Level::Action && self.beliefs.is_any_at(edit, level);
        (!is_narrow || wider.fail || is_asked) && self.beliefs.len() < self.config.max_beliefs
    }

    /// What stood beside has no name any more, or another: beliefs that had exceptions by it begin anew.
    pub(super) fn forget_beside(&mut self, learned: &mut Learned) {
        let forgotten = self.kinds.forget_beside();
        // Also of a belief that is not acted upon itself: places that it speaks of may be no places where it was right any more.
        self.generation += u64::from(!forgotten.is_empty());
        for key in forgotten {
            self.begin_anew(key, learned);
        }
    }

    /// Has a belief prove itself anew; what it dropped comes back, if it was acted upon.
    pub(super) fn begin_anew(&mut self, key: u64, learned: &mut Learned) {
        let Some(mut belief) = self.beliefs.get_mut(key) else {
            return;
        };
        let was_active = belief.begin_anew();
        let (id, edit) = (belief.id(), belief.edit());
        drop(belief);
        self.leading.forget(key);
        if was_active {
            learned.withdrawn.extend(id);
            learned.has_fallen = true;
            self.generation += 1;
            self.stale = true;
            self.note_fallen(edit, 1);
        }
    }

    pub(super) fn note_fallen(&mut self, edit: u32, beliefs: u32) {
        let on_trial = &mut self.edits[edit as usize];
        on_trial.active = on_trial.active.saturating_sub(beliefs);
        self.round.is_urgent = true;
        self.index_active();
    }

    /// Whether a page is so small that its own address, repeated on it, is much of it.
    pub(super) fn is_small(&self, page: u32) -> bool {
        let cluster = self.pages.cluster(page);
        cluster.is_some_and(|cluster| self.clusters.is_small(cluster))
    }

    /// Whether a page is little more than its own address.
    pub(super) fn is_echo(&self, page: u32) -> bool {
        let cluster = self.pages.cluster(page);
        cluster.is_some_and(|cluster| self.clusters.is_echo(cluster))
    }

    /// A claim about all URLs with these names may be carried by those whose pages are easy to tell: where a
    /// trial could not be decided, the claim is asked apart of URLs with this rest, and of this action.
    fn look_closer(&mut self, edit: u32, before: &Form<'_>) {
        let on_trial = &self.edits[edit as usize].edit;
        let names = || self.selectors.context(on_trial, Level::Names, before);
        let wider = self.beliefs.at(edit, Level::Names, names);
        // What cannot be told as a whole is not acted upon anyway.
        if !wider
            .is_some_and(|(_, wider)| wider.seen() > 0 && !wider.is_vague(Scrutiny::of(on_trial)))
            || self.beliefs.len() >= self.config.max_beliefs
        {
            return;
        }
        for level in [Level::PathAndRest, Level::Action] {
            if let Some(context) = self.selectors.context(on_trial, level, before) {
                let key = belief_key(edit, level, context);
                self.beliefs.get_or_add(key, true, || {
                    Belief::new(edit, level, context, prior(on_trial, level))
                });
            }
        }
    }

    fn undecided(
        &mut self,
        edit: u32,
        before: &Form<'_>,
        pages: (u32, u32),
        learned: &mut Learned,
    ) {
        let acted = self.acted_upon(edit, before);
        let is_small = self.is_small(pages.1) || self.is_small(pages.0);
        let is_echo = self.is_echo(pages.1) || self.is_echo(pages.0);
        let on_trial = &self.edits[edit as usize].edit;
        let of_alias = on_trial.is_literal().then_some((is_small, is_echo));
        self.look_closer(edit, before);
        for level in LEVELS {
            if !self.beliefs.is_any_at(edit, level) {
                continue;
            }
            let Some(context) = self.context(edit, level, before) else {
                continue;
            };
            let key = belief_key(edit, level, context);
            let Some(mut belief) = self.beliefs.get_mut(key) else {
                continue;
            };
            belief.leave_undecided(of_alias);
            let on_trial = &self.edits[edit as usize].edit;
            let kind = kind_of(on_trial, level, before, &self.selectors);
            if belief.is_counted()
                && self.kinds.note_undecided(key, kind)
                && belief.state == State::Active
            {
                self.generation += 1;
                self.stale = true;
            }
        }
        self.note_turn(edit, before, acted, learned);
    }
}
