//! Which contents come instead of pages?
//!
//! A busy server, a session that has ended, a form that asks for consent first: with status 200 they are pages, and they
//! say nothing of the URL that they came under. Such a content is known by this: of URLs that an edit makes one, some brought
//! it and some another content, and so for one form after the other. From then on a trial of that edit that met it says
//! nothing, and a page that has it stands for no other URL on that edit's word: what it hides may come under that.

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::{Learned, Site, learn::Arrival};
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
        let is_it = |one: &Watched| one.edit == edit && one.content == content;
        let at = self.watched.iter().position(is_it);
        if self.is_wall(edit, content) {
            if let Some(one) = at.and_then(|at| self.watched.get_mut(at)) {
                one.met = one.met.saturating_add(1);
            }
            return Met::Wall;
        }
        let Some(at) = at else {
            self.make_room();
            if self.watched.len() < MOST {
                let forms = smallvec![form];
                self.watched.push(Watched {
                    edit,
                    content,
                    forms,
                    met: 0,
                });
            }
            return Met::Page;
        };
        let one = &mut self.watched[at];
        if !one.forms.contains(&form) {
            one.forms.push(form);
        }
        if !one.is_wall() {
            return Met::Page;
        }
        self.known.insert((edit, content));
        Met::NewWall
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

    fn is_wall(&self, edit: u32, content: ClusterId) -> bool {
        !self.known.is_empty() && self.known.contains(&(edit, content))
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
    /// Whether a trial of an edit says nothing, as one of the two pages that are compared came instead of another;
    /// `other`: the content of the older one, `form`: what the edit makes of both.
    pub(super) fn meets_wall(
        &mut self,
        edit: u32,
        new: &mut Arrival<'_>,
        (other, verdict): (ClusterId, Sameness),
        form: u64,
        learned: &mut Learned,
    ) -> bool {
        match verdict {
            Sameness::Same => self.is_wall(edit, other),
            Sameness::Different => {
                let own = new.content(&mut self.clusters, &self.book);
                let contents = own.into_iter().chain([other]);
                let contents = contents.filter(|content| self.clusters.pages(*content) >= MANY);
                let contents: SmallVec<[ClusterId; 2]> = contents.collect();
                self.note_instead(edit, &contents, form, learned)
            }
            Sameness::Unknown => false,
        }
    }

    /// The same of a source, which leads to the content `target`, and the page that it was taken for. Many sources may lead to one
    /// page.
    pub(super) fn source_meets_wall(
        &mut self,
        edit: u32,
        (target, verdict): (Option<ClusterId>, Sameness),
        rep: u32,
        form: u64,
        learned: &mut Learned,
    ) -> bool {
        let other = self.pages.cluster(rep);
        match verdict {
            Sameness::Same => other.is_some_and(|other| self.is_wall(edit, other)),
            Sameness::Different => {
                let other = other.filter(|content| self.clusters.pages(*content) >= MANY);
                let contents: SmallVec<[ClusterId; 2]> = target.into_iter().chain(other).collect();
                self.note_instead(edit, &contents, form, learned)
            }
            Sameness::Unknown => false,
        }
    }

    /// Notes that these came for one form, or one of them and another; whether one is a wall.
    fn note_instead(
        &mut self,
        edit: u32,
        contents: &[ClusterId],
        form: u64,
        learned: &mut Learned,
    ) -> bool {
        let mut is_met = false;
        for content in contents {
            match self.walls.note(edit, *content, form) {
                Met::Page => {}
                Met::Wall => is_met = true,
                Met::NewWall => {
                    is_met = true;
                    self.judge_drops_anew(edit, learned);
                }
            }
        }
        is_met && self.is_accident(edit)
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
        let cluster = || self.pages.cluster(page);
        !self.walls.known.is_empty() && cluster().is_some_and(|content| self.is_wall(edit, content))
    }

    /// Whether any content is known to come instead of pages.
    pub(super) fn walls_are_known(&self) -> bool {
        !self.walls.known.is_empty()
    }

    /// Whether a page came instead of others, by what is known under any edit that is acted upon.
    pub(super) fn is_wall_where_acted(&self, page: u32) -> bool {
        if self.walls.known.is_empty() {
            return false;
        }
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
        if self.walls.known.is_empty() {
            return false;
        }
        let edits = || beliefs.iter().filter_map(|key| self.beliefs.get(*key));
        let cluster = self.pages.cluster(page);
        cluster.is_some_and(|cluster| edits().any(|of| self.is_wall(of.edit(), cluster)))
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
