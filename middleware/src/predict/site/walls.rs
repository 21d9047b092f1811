//! Recognises walls: contents that come instead of pages.
//!
//! A busy server, a session that has ended, a form that asks for consent first: with status 200 they count as pages, but they
//! say nothing about the URL that they came under. Such a content is recognised by this: of URLs that an edit makes one, some
//! brought it and some another content, for one form after the other. From then on, a trial of that edit that met the content
//! says nothing, and a page with the content stands for no other URL on that edit's word: what it hides may come under that
//! URL.

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::{Learned, Site};
use crate::{
    predict::{
        belief::{Belief, State},
        codec::{In, Out},
    },
    sign::{ClusterId, Sameness},
};

/// Pages from which on a content may be a wall.
const MANY: u32 = 8;
/// Forms at which it must have come instead of others, or others instead of it.
const ENOUGH: usize = 4;
/// Contents that are watched, each with an edit; of those that came for fewer forms the oldest makes room.
const MOST: usize = 128;

/// A content that is watched.
#[derive(Debug, PartialEq, Eq)]
struct Watched {
    edit: u32,
    content: ClusterId,
    /// Names of the forms, at most [`ENOUGH`].
    forms: SmallVec<[u64; ENOUGH]>,
    /// Trials that it, as a wall, made void.
    met: u32,
}

impl Watched {
    fn is_wall(&self) -> bool {
        self.forms.len() >= ENOUGH
    }
}

/// What is known of contents that come instead of pages.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Walls {
    watched: Vec<Watched>,
    /// Edits and contents that are known. Follows from those watched.
    known: FxHashSet<(u32, ClusterId)>,
}

/// What a trial that met a content says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Met {
    /// What two contents say.
    Page,
    /// Nothing.
    Wall,
    /// Nothing: that the content is a wall is known since.
    NewWall,
}

impl Walls {
    /// Notes that under an edit this content and another came for one form.
    fn note(&mut self, edit: u32, content: ClusterId, form: u64) -> Met {
        let is_it = |one: &&mut Watched| one.edit == edit && one.content == content;
        let Some(one) = self.watched.iter_mut().find(is_it) else {
            self.watch(edit, content, form);
            return Met::Page;
        };
        if one.is_wall() {
            one.met = one.met.saturating_add(1);
            return Met::Wall;
        }
        if !one.forms.contains(&form) {
            one.forms.push(form);
        }
        if !one.is_wall() {
            return Met::Page;
        }
        self.known.insert((edit, content));
        Met::NewWall
    }

    /// Watches a content from the first form on, if there is room.
    fn watch(&mut self, edit: u32, content: ClusterId, form: u64) {
        self.make_room();
        if self.watched.len() < MOST {
            self.watched.push(Watched {
                edit,
                content,
                forms: smallvec![form],
                met: 0,
            });
        }
    }

    fn make_room(&mut self) {
        if self.watched.len() == MOST
            && let Some(oldest) = self.watched.iter().position(|one| !one.is_wall())
        {
            self.watched.remove(oldest);
        }
    }

    /// Trials of an edit that walls made void.
    fn met(&self, edit: u32) -> u32 {
        let of = self.watched.iter().filter(|one| one.edit == edit);
        of.map(|one| one.met).sum()
    }

    /// Whether any is known.
    pub(super) fn is_any_known(&self) -> bool {
        !self.known.is_empty()
    }

    /// Whether a content is known to come instead of pages, under whatever edit.
    pub(super) fn is_any(&self, content: ClusterId) -> bool {
        self.known.iter().any(|(_, known)| *known == content)
    }

    fn is_wall(&self, edit: u32, content: ClusterId) -> bool {
        self.known.contains(&(edit, content))
    }

    pub(super) fn write(&self, out: &mut Out) {
        out.count(self.watched.len());
        for Watched {
            edit,
            content,
            forms,
            met,
        } in &self.watched
        {
            out.number(u64::from(*edit));
            out.number(u64::from(*content));
            out.count(forms.len());
            for form in forms {
                out.fixed64(*form);
            }
            out.number(u64::from(*met));
        }
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        let len = from.count().filter(|len| *len <= MOST)?;
        let mut walls = Self::default();
        for _ in 0..len {
            let (edit, content) = (from.small()?, from.small()?);
            let forms = from.count().filter(|forms| *forms <= ENOUGH)?;
            let forms = (0..forms).map(|_| from.fixed64()).collect::<Option<_>>()?;
            let one = Watched {
                edit,
                content,
                forms,
                met: from.small()?,
            };
            if one.is_wall() {
                walls.known.insert((edit, content));
            }
            walls.watched.push(one);
        }
        Some(walls)
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.watched.capacity() * size_of::<Watched>()
            + self.known.capacity() * size_of::<(u32, ClusterId)>()
    }
}

impl Site {
    /// Whether a trial of an edit, which makes `form` of both, says nothing, as one of the two contents that were compared came instead of
    /// another: that of a page, or what a source leads to, and that of the page which stands for the form.
    pub(super) fn meets_wall(
        &mut self,
        edit: u32,
        form: u64,
        (verdict, own, other): (Sameness, Option<ClusterId>, Option<ClusterId>),
        learned: &mut Learned,
    ) -> bool {
        match verdict {
            Sameness::Same => other.is_some_and(|other| self.is_wall(edit, other)),
            Sameness::Different => {
                let mut is_met = false;
                for content in own.into_iter().chain(self.of_many(other)) {
                    let met = self.walls.note(edit, content, form);
                    is_met |= met != Met::Page;
                    if met == Met::NewWall {
                        self.judge_drops_anew(edit, learned);
                    }
                }
                is_met && self.is_accident(edit)
            }
            Sameness::Unknown => false,
        }
    }

    /// A content that so many pages have that it may be a wall.
    pub(super) fn of_many(&self, content: Option<ClusterId>) -> Option<ClusterId> {
        content.filter(|content| self.clusters.pages(*content) >= MANY)
    }

    /// Whether what comes instead of pages is an accident of a few answers. Where it comes under most URLs, it is what these are about, and that the others
    /// say the same is no reason to leave those unread. Once an edit is acted upon its copies are seldom fetched, and walls ever so often.
    fn is_accident(&self, edit: u32) -> bool {
        let on_trial = &self.edits[edit as usize];
        on_trial.active > 0 || self.walls.met(edit) <= on_trial.successes.saturating_add(MANY)
    }

    /// Whether a content comes instead of pages, by what is known under an edit.
    pub(super) fn is_wall(&self, edit: u32, content: ClusterId) -> bool {
        self.walls.is_wall(edit, content)
    }

    /// Whether a page has such a content.
    pub(super) fn is_wall_of(&self, edit: u32, page: u32) -> bool {
        let content = self.pages.cluster(page);
        content.is_some_and(|content| self.is_wall(edit, content))
    }

    /// Whether a page came instead of others, by what is known under any edit that is acted upon.
    pub(super) fn is_wall_where_acted(&self, page: u32) -> bool {
        let is_acted_upon = |edit: u32| {
            let on_trial = self.edits.get(edit as usize);
            on_trial.is_some_and(|on_trial| on_trial.active > 0)
        };
        let of = self.pages.cluster(page);
        let mut known = self.walls.watched.iter().filter(|one| one.is_wall());
        known.any(|one| Some(one.content) == of && is_acted_upon(one.edit))
    }

    /// Whether a page came instead of others, by what is known under the edits of these beliefs.
    pub(super) fn is_wall_under(&self, page: u32, beliefs: &[u64]) -> bool {
        let mut beliefs = beliefs.iter().filter_map(|key| self.beliefs.get(*key));
        self.walls.is_any_known() && beliefs.any(|belief| self.is_wall_of(belief.edit(), page))
    }

    /// What an edit dropped may have been dropped on the word of pages that say nothing.
    fn judge_drops_anew(&mut self, edit: u32, learned: &mut Learned) {
        if self.edits[edit as usize].active == 0 {
            return;
        }
        let is_acting = |of: &&Belief| of.edit() == edit && of.state == State::Active;
        let acting = self.beliefs.family().filter(is_acting);
        learned.reopened.extend(acting.filter_map(Belief::id));
        self.generation += 1;
        learned.has_fallen = true;
    }
}
