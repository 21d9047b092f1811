//! Do the pages that came while a belief was on trial speak against acting upon it?
//!
//! A trial compares a page with the one that most likely is of the same time and tells of it, and says nothing where nobody can
//! tell; exceptions by kind take failures away. Each of that is right by itself, and all of it together can leave a claim of which every trial
//! that counted agrees, while many pages that it would have dropped have next to nothing in common with what they would have been taken
//! for. So before the first link is dropped for it, a belief is asked of the last pages as it would act. Pages that merely are not the same
//! say nothing: the site's chrome, an order of rows or an advertisement may be all that they differ in.

use super::{Learned, Site};
use crate::{predict::form::Form, sign::ClusterId};

/// Pages that are looked at, of those that came last.
const LOOKED_AT: u32 = 4096;
/// Pages of which a belief is asked: about as many as it took to prove it. Of those that were there before it was on
/// trial many may be of another kind: the first pages of a folder of which the rest was not translated, say.
const ASKED_OF: u32 = 64;
/// Pages that a belief would have lost before it is not acted upon, and their share of those of which it can be told, in risks.
const FEW: u32 = 3;
const MORE: f64 = 1.25;

/// What a belief would have made of known pages.
#[derive(Clone, Copy, Debug)]
struct Asked {
    key: u64,
    edit: u32,
    same: u32,
    apart: u32,
    /// Of these, and of those that say nothing.
    pages: u32,
}

impl Asked {
    const fn of(key: u64, edit: u32) -> Self {
        Self {
            key,
            edit,
            same: 0,
            apart: 0,
            pages: 0,
        }
    }

    const fn is_done(&self) -> bool {
        self.pages == ASKED_OF
    }

    fn is_refuted(&self, risk: f64) -> bool {
        let share = f64::from(self.apart) / f64::from((self.same + self.apart).max(1));
        self.apart >= FEW && share > MORE * risk
    }
}

impl Site {
    /// Has those of the beliefs that were just activated begin anew that known pages speak against.
    pub(super) fn ask_earlier_pages(&mut self, activated: &[u64], learned: &mut Learned) {
        for asked in self.told_by_earlier_pages(activated) {
            if asked.is_refuted(self.config.risk) {
                self.begin_anew(asked.key, learned);
            }
        }
    }

    fn told_by_earlier_pages(&self, activated: &[u64]) -> Vec<Asked> {
        let edit_of = |key: u64| self.beliefs.get(key).map(|belief| belief.edit());
        let all = activated.iter().copied();
        let mut all: Vec<Asked> = all
            .filter_map(|key| Some(Asked::of(key, edit_of(key)?)))
            .collect();
        let pages = self.pages.len() as u32;
        let mut url = String::new();
        for page in (pages.saturating_sub(LOOKED_AT)..pages).rev() {
            if all.iter().all(Asked::is_done) {
                break;
            }
            if self.pages.write_url(page, &mut url).is_some() {
                self.ask_page(page, &Form::parse(&url), &mut all);
            }
        }
        all
    }

    /// Asks beliefs of one page: those that would have dropped it.
    fn ask_page(&self, page: u32, form: &Form<'_>, all: &mut [Asked]) {
        let is_asked =
            |asked: &Asked| !asked.is_done() && self.edits[asked.edit as usize].edit.changes(form);
        if !all.iter().any(is_asked) {
            return;
        }
        let (reduced, applied) = self.reduced(form);
        let (stands, mut url) = (self.stands(reduced), String::new());
        for asked in all {
            if asked.is_done() || !applied.contains(&asked.key) {
                continue;
            }
            let first = stands.or_else(|| self.first_filed(reduced, asked.edit, &mut url));
            let Some((content, first)) = self.contents_beside(page, first) else {
                continue;
            };
            asked.pages += 1;
            asked.same += u32::from(content == first);
            asked.apart += u32::from(self.clusters.are_apart(content, first));
        }
    }

    /// The contents of a page and of the one that it would have been taken for, but where one of them came instead of a page.
    fn contents_beside(&self, page: u32, first: Option<u32>) -> Option<(ClusterId, ClusterId)> {
        let first = first.filter(|first| *first != page)?;
        let contents = (self.pages.cluster(page)?, self.pages.cluster(first)?);
        let is_wall = self.walls.is_any(contents.0) || self.walls.is_any(contents.1);
        (!is_wall).then_some(contents)
    }
}
