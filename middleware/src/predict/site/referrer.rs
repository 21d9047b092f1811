//! Learns which links show the page that they are on.
//!
//! A post has an address of its own, which shows the page of its thread; so have a message of a mailing list and a picture of an album.
//! Such an address (`/thread-17-post-405.html`) does not say which thread it belongs to, or which of the thread's pages, so no edit of URLs
//! makes one of the other. But the page that links to it tells. Crawlers of forums know such links by rules for each program (Cai et al.,
//! *iRobot*, WWW 2008); here they are learned. The claim is made about all links that relate to their pages in one way: by the shape of the
//! page's URL, by what in the link's URL is the same as there, by the words, and by where other numbers are.
//!
//! A link may also redirect to the page that it is on, and cost a fetch: one that sets a language or a currency, and has the page's address
//! to come back to. Another claim is made about such links, again those that relate to their pages in one way. It is decided by the URLs of
//! their targets: the page's own URL, or one that is known to show the same (`/topic/12?page=1` for `/topic/12`, to which a post's address
//! redirects). No contents are compared for it.

use nodust_frontier::Prediction;

use super::{
    Learned, Site, belief_key,
    learn::Arrival,
    pages::name_of,
    way::{is_fuller, way_of},
};
use crate::{
    predict::{
        belief::{About, Belief, Change, Level, NO_PAGES, State, prior},
        form::{Edit, Form, join},
    },
    sign::{ClusterId, Sameness},
};

/// The claim has one level.
const LEVEL: Level = Level::Names;
/// Trials that one content may contribute. All links of a page lead back to it, or none: what holds for all but one page in twenty gets
/// through once in twenty times, since at half the risk it takes 118 trials without a failure.
const PER_CONTENT: u8 = 2;
/// Trials that were decided for each that nobody could decide, from which on a way is acted upon.
const TOLD: u32 = 20;
/// Ways that are remembered. Titles in values make as many as there are pages.
const MOST_WAYS: usize = 1024;

/// Whether too many trials could not be decided. (Raw texts of a wiki are what the page says where that is plain, and elsewhere nobody can
/// tell.)
fn is_vague(belief: &Belief) -> bool {
    belief.undecided * TOLD > belief.seen()
}

/// What a trial of the claim is about.
#[derive(Clone, Copy)]
struct Heard {
    /// The page behind the link and the one that it is on, as an example.
    pages: (u32, u32),
    /// Of the content that its page has, or of that page where contents do not matter: few trials of one count.
    group: u64,
}

/// Trials by links on pages of one content.
fn group_of(content: ClusterId) -> u64 {
    join(77, u64::from(content) + 1)
}

impl Site {
    fn number_of(&self, edit: &Edit) -> Option<u32> {
        self.numbers.get(edit, &self.edits)
    }

    /// Whether a link ever led back.
    fn ever_led_back(&self) -> bool {
        [Edit::Referrer, Edit::LeadsBack]
            .iter()
            .any(|edit| self.number_of(edit).is_some())
    }

    /// The page on which the link of a newcomer was found. While no link ever led back, only pages of its own content are asked.
    fn referrer_of(&mut self, found_on: u64, content: Option<ClusterId>) -> Option<u32> {
        if self.ever_led_back() {
            return self.pages.named(found_on);
        }
        let mut members = self.members.of(content?);
        members.find(|page| self.pages.is_named(*page, found_on))
    }

    /// One trial of the claim that a page is the one which links to it; `content`: the one that it has, if that was met before.
    pub(super) fn try_referrer(
        &mut self,
        new: &mut Arrival<'_>,
        url: &str,
        (found_on, content): (u64, Option<ClusterId>),
        learned: &mut Learned,
    ) {
        let Some(page) = self.referrer_of(found_on, content) else {
            return;
        };
        let Some((page_url, of_page)) = self.page(page).filter(|(known, _)| known != url) else {
            return;
        };
        let Some(way) = way_of(&new.form, &page_url) else {
            return;
        };
        let (is_shown, redirects) = (self.can_be_shown(page), self.claim(&Edit::LeadsBack, way));
        // A claim begins with a page of the same content: where there is none, nothing is compared.
        let is_asked = || content == Some(of_page) || self.claim(&Edit::Referrer, way).is_some();
        if redirects.is_none() && !(is_shown && is_asked()) {
            return;
        }
        let verdict = match content {
            Some(known) if known == of_page => Sameness::Same,
            _ => new.compare(of_page, &mut self.clusters, &self.book),
        };
        // What was met elsewhere is not on that page, but a drop would have been right.
        let is_elsewhere = verdict == Sameness::Different && content.is_some();
        let told = if is_elsewhere {
            Sameness::Unknown
        } else {
            verdict
        };
        let heard = Heard {
            pages: (new.number, page),
            group: group_of(of_page),
        };
        if let Some(claim) = redirects.filter(|_| told != Sameness::Same) {
            // It is a page itself, and no copy of the one that it is on.
            self.hear_of_referrer(claim, told, heard, learned);
        }
        let probed = new.probed.and_then(|id| self.ids.get(&id).copied());
        let is_probe_of = |(edit, way): (u32, u64)| probed == Some(belief_key(edit, LEVEL, way));
        if redirects.is_some_and(is_probe_of) && !is_elsewhere {
            learned.found(verdict);
        }
        if !is_shown {
            return;
        }
        if verdict == Sameness::Same && self.number_of(&Edit::Referrer).is_none() {
            self.register_one(Edit::Referrer, None);
        }
        let Some(edit) = self.number_of(&Edit::Referrer) else {
            return;
        };
        if is_probe_of((edit, way)) && !is_elsewhere {
            learned.found(verdict);
        }
        self.hear_of_referrer((edit, way), told, heard, learned);
    }

    /// What an edit claims of links of a way, if it ever held for one.
    fn claim(&self, edit: &Edit, way: u64) -> Option<(u32, u64)> {
        let edit = self.number_of(edit)?;
        let is_known = self.beliefs.get(belief_key(edit, LEVEL, way)).is_some();
        is_known.then_some((edit, way))
    }

    fn hear_of_referrer(
        &mut self,
        (edit, way): (u32, u64),
        verdict: Sameness,
        Heard { pages, group }: Heard,
        learned: &mut Learned,
    ) {
        let key = belief_key(edit, LEVEL, way);
        let is_filed = !self.is_full();
        // What never holds is no claim that is worth its memory.
        let is_wanted = verdict == Sameness::Same
            && self.beliefs.get(key).is_none()
            && self.beliefs.len() < self.config.max_beliefs
            && self.beliefs.iter().filter(|it| it.edit() == edit).count() < MOST_WAYS;
        let make = || {
            let mut belief = Belief::new(
                edit,
                LEVEL,
                way,
                prior(&self.edits[edit as usize].edit, LEVEL),
            );
            belief.stand_alone();
            belief
        };
        let Some(mut belief) = self.beliefs.get_or_add(key, is_wanted, make) else {
            return;
        };
        let was_vague = is_vague(&belief);
        let change = match verdict {
            Sameness::Unknown => {
                belief.leave_undecided(None);
                Change::None
            }
            told => {
                let is_same = told == Sameness::Same;
                if is_same && is_filed {
                    belief.note_success(false, pages, || false);
                }
                belief.count(is_same, group, 0, PER_CONTENT, About::Alias, &self.careful)
            }
        };
        let (id, is_counted) = (belief.id(), belief.is_counted());
        if is_vague(&belief) != was_vague && belief.state == State::Active {
            self.generation += 1;
            if is_vague(&belief) {
                // It is not acted upon any more: what it dropped is judged again.
                learned.reopened.extend(id);
            }
        }
        drop(belief);
        if !is_counted {
            self.leading.forget(key);
        }
        match change {
            Change::None => {}
            Change::Candidate => self.candidates = true,
            Change::Withdrawn => {
                learned.withdrawn.extend(id);
                learned.has_fallen = true;
                self.generation += 1;
                self.note_fallen(edit, 1);
            }
        }
    }

    /// The page that a link leads back to, if that is believed, and who says so. `without`: a belief that is left aside.
    pub(super) fn predicted_referrer(
        &self,
        (form, url): (&Form<'_>, &str),
        found_on: Option<u64>,
        without: Option<u64>,
    ) -> Option<(u32, Prediction)> {
        let (back, here) = (self.acting(&Edit::LeadsBack), self.acting(&Edit::Referrer));
        back.or(here)?;
        let page = self.pages.known_by_name(found_on?)?;
        let page_url = self.pages.url(page).filter(|known| known != url)?;
        let way = way_of(form, &page_url)?;
        let says = |edit: u32| {
            let key = belief_key(edit, LEVEL, way);
            let belief = self.beliefs.get(key).filter(|_| Some(key) != without)?;
            let is_acting = belief.state == State::Active && !is_vague(&belief) && !self.leads(key);
            is_acting.then(|| self.prediction_by(&[key].into_iter().collect()))?
        };
        let shows = || here.filter(|_| self.can_be_shown(page)).and_then(says);
        Some((page, back.and_then(says).or_else(shows)?))
    }

    /// What is claimed of a page that was found on one of these, which have its content.
    pub(super) fn claims_of_referrers(
        &self,
        form: &Form<'_>,
        pages: impl Iterator<Item = u32>,
    ) -> Vec<u64> {
        let Some(edit) = self.number_of(&Edit::Referrer) else {
            return Vec::new();
        };
        let ways = pages.filter_map(|page| way_of(form, &self.pages.url(page)?));
        ways.map(|way| belief_key(edit, LEVEL, way)).collect()
    }

    /// The number of an edit that links are dropped by.
    fn acting(&self, edit: &Edit) -> Option<u32> {
        let number = self.number_of(edit)?;
        (self.edits[number as usize].active > 0).then_some(number)
    }

    /// Whether a page is one that another can be told to show: it is not so small that nobody can tell, and did not come instead of one.
    fn can_be_shown(&self, page: u32) -> bool {
        let content = self.pages.cluster(page);
        let is_wall = content.is_some_and(|content| self.walls.is_any(content));
        !is_wall && !self.is_small(page) && !self.is_echo(page)
    }

    /// Hears that a link redirects: what it leads to is another page, unless it is that which it is on. Whether nobody can say before what it leads to was fetched.
    pub(super) fn hear_of_redirecting_link(
        &mut self,
        (source, target): (&str, &str),
        found_on: Option<u64>,
        learned: &mut Learned,
    ) -> bool {
        let Some(name) = found_on else {
            return false;
        };
        let leads_back = name_of(target) == name;
        if !leads_back && !self.ever_led_back() {
            return false;
        }
        let Some(page) = self.pages.named(name) else {
            return false;
        };
        let verdict = if leads_back {
            Some(Sameness::Same)
        } else {
            self.told_by_redirect_to(target, page)
        };
        if let Some(verdict) = verdict {
            self.hear_of_link_on(page, source, verdict, learned);
        }
        verdict.is_none()
    }

    /// Hears what is on the page that a link of the page of this name redirects to: its content, if that is remembered, and whether it is new.
    pub(super) fn hear_where_link_led(
        &mut self,
        (source, name): (&str, u64),
        (content, is_fresh): (Option<ClusterId>, bool),
        learned: &mut Learned,
    ) {
        let Some(page) = self.pages.named(name) else {
            return;
        };
        let verdict = if self.is_shown_by(page, content) {
            Sameness::Same
        } else if is_fresh && !self.is_full() {
            Sameness::Different
        } else {
            Sameness::Unknown
        };
        self.hear_of_link_on(page, source, verdict, learned);
    }

    /// Hears whether a link of a page leads back to it.
    fn hear_of_link_on(
        &mut self,
        page: u32,
        source: &str,
        verdict: Sameness,
        learned: &mut Learned,
    ) {
        let Some((page_url, content)) = self.page(page) else {
            return;
        };
        let Some(way) = way_of(&self.form(source), &page_url) else {
            return;
        };
        let leads_back = verdict == Sameness::Same;
        if leads_back {
            self.register_one(Edit::LeadsBack, None);
        }
        let in_group = |group| Heard {
            pages: NO_PAGES,
            group,
        };
        if let Some(edit) = self.number_of(&Edit::Referrer).filter(|_| !leads_back) {
            let heard = in_group(group_of(content));
            self.hear_of_referrer((edit, way), verdict, heard, learned);
        }
        if let Some(edit) = self.number_of(&Edit::LeadsBack) {
            let heard = in_group(join(78, u64::from(page) + 1));
            self.hear_of_referrer((edit, way), verdict, heard, learned);
        }
    }

    /// What a redirect to another URL than that of the `page` which its link is on says of a claim that it leads back. Of what was met, that it does where that has
    /// its content, and else nothing, since a drop would have been right; nothing where nobody knows any more; and where one of both URLs is the other with something
    /// more, what it leads to is to tell. (What is only believed to be a copy of the page proves nothing: if it is none, no one would take that back.)
    fn told_by_redirect_to(&mut self, url: &str, page: u32) -> Option<Sameness> {
        let end = self.sources.end_of(url);
        let met = self.pages.named(end);
        if self.is_shown_by(page, met.and_then(|met| self.pages.cluster(met))) {
            Some(Sameness::Same)
        } else if self.is_full() || met.is_some() {
            Some(Sameness::Unknown)
        } else if self.is_beside(page, url) {
            None
        } else {
            Some(Sameness::Different)
        }
    }

    /// Whether what has this content, if that is known, shows a page.
    fn is_shown_by(&self, page: u32, content: Option<ClusterId>) -> bool {
        content.is_some() && content == self.pages.cluster(page) && self.can_be_shown(page)
    }

    /// Whether a URL is that of a page of its host with something more or less.
    fn is_beside(&self, page: u32, url: &str) -> bool {
        (self.pages.url(page)).is_some_and(|of_page| {
            let (one, other) = (self.form(url), self.form(&of_page));
            let is_of_host = one.origin.hash() == other.origin.hash();
            is_of_host && (is_fuller(&one, &other) || is_fuller(&other, &one))
        })
    }

    /// Finds pages by their names from now on, if a claim about links that lead back is acted upon.
    pub(super) fn find_referrers(&mut self) {
        let edits = [Edit::Referrer, Edit::LeadsBack];
        if edits.iter().any(|edit| self.acting(edit).is_some()) {
            self.pages.find_by_name();
        }
    }
}
