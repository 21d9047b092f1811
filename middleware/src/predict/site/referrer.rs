//! Is a page the one that links to it?
//!
//! A post has an address of its own, which shows the page of its thread; a message of a mailing list and a picture of an album, too. Such an address (`/thread-17-post-405.html`) does not say which thread it is of, or not which of its pages, so that no
//! edit of URLs makes one of the other: but the page does that links to it. Crawlers of forums know such links by rules of each
//! program (Cai et al., *iRobot*, WWW 2008); here they are learned. The claim is made of all links that stand to their pages in
//! one way: the shape of the page's URL, and of the link's what is the same as there, the words, and where other numbers are.

use nodust_frontier::Prediction;

use super::{Learned, Site, belief_key, learn::Arrival};
use crate::{
    predict::{
        belief::{About, Belief, Change, Level, State, prior},
        form::{Edit, Form, Part, hash_of, join},
        yields::shape_of,
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
/// Octets from which on a text with letters and digits, or any text, is one of many.
const TOKEN: usize = 16;
const LONG: usize = 40;

/// How a text on a link compares to what its page has.
fn like(text: &str, numbers: &[&str]) -> u64 {
    const SAME_NUMBER: u64 = 3;
    const OTHER_NUMBER: u64 = 4;
    const ANY: u64 = 5;
    let is_number = |octet: &u8| octet.is_ascii_digit();
    let has_both = text.bytes().any(|octet| is_number(&octet))
        && text.bytes().any(|o| o.is_ascii_alphabetic());
    if text.len() >= LONG || (text.len() >= TOKEN && has_both && !text.contains(['-', '_', '.'])) {
        return ANY;
    }
    let runs = text
        .as_bytes()
        .chunk_by(|one, other| is_number(one) == is_number(other));
    runs.fold(7, |like, run| {
        let run = std::str::from_utf8(run).unwrap_or_default();
        let name = match run.bytes().next() {
            Some(octet) if is_number(&octet) && numbers.contains(&run) => SAME_NUMBER,
            Some(octet) if is_number(&octet) => OTHER_NUMBER,
            _ => hash_of(62, run),
        };
        join(like, name)
    })
}

/// Numbers in the path and the values of a form.
fn numbers<'f>(form: &'f Form<'_>) -> Vec<&'f str> {
    let texts = || {
        form.segments
            .iter()
            .chain(form.params.iter().map(|(_, value)| value))
    };
    let runs = texts().flat_map(|text| text.split(|sign: char| !sign.is_ascii_digit()));
    runs.filter(|run| !run.is_empty()).collect()
}

/// Name of the way in which a link stands to the page that it is on; none where that is of another host, or where edits tell.
fn way_of(link: &Form<'_>, page: &Form<'_>) -> Option<u64> {
    const SAME: u64 = 2;
    if link.origin.hash() != page.origin.hash() || is_longer(link, page) {
        return None;
    }
    let numbers = numbers(page);
    let of_text =
        |text: &Part<'_>, is_same: bool| if is_same { SAME } else { like(text, &numbers) };
    let path = (0..)
        .zip(&link.segments)
        .fold(shape_of(page), |path, (at, segment)| {
            let there = page.segments.get(at).map(Part::hash);
            join(path, of_text(segment, there == Some(segment.hash())))
        });
    let mut params: Vec<u64> = (link.params.iter())
        .map(|param| join(param.0.hash(), of_text(&param.1, has(page, param))))
        .collect();
    params.sort_unstable();
    Some(params.into_iter().fold(join(path, 63), join))
}

/// Whether too many trials could not be decided. (Raw texts of a wiki are what the page says where that is plain, and elsewhere nobody can
/// tell.)
fn is_vague(belief: &Belief) -> bool {
    belief.undecided * TOLD > belief.seen()
}

/// Whether a form has a parameter of this name with this value.
fn has(form: &Form<'_>, (name, value): &(Part<'_>, Part<'_>)) -> bool {
    let mut params = form.params.iter();
    params.any(|(n, v)| (n.hash(), v.hash()) == (name.hash(), value.hash()))
}

/// Whether a link is its page's URL with something more, of which edits say that it does not matter, and learn where it does.
fn is_longer(link: &Form<'_>, page: &Form<'_>) -> bool {
    let mut segments = page.segments.iter().zip(&link.segments);
    page.segments.len() <= link.segments.len()
        && segments.all(|(one, other)| one.hash() == other.hash())
        && page.params.iter().all(|param| has(link, param))
}

impl Site {
    fn referrer_edit(&self) -> Option<u32> {
        self.numbers.get(&Edit::Referrer, &self.edits)
    }

    /// The page on which the link of a newcomer was found. While no link ever led back, only pages of its own content are asked.
    fn referrer_of(&mut self, found_on: u64, content: Option<ClusterId>) -> Option<u32> {
        if self.referrer_edit().is_some() {
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
        if !self.can_be_shown(page) {
            return;
        }
        let Some(way) = way_of(&new.form, &Form::parse(&page_url)) else {
            return;
        };
        let verdict = match content {
            Some(known) if known == of_page => Sameness::Same,
            _ => new.compare(of_page, &mut self.clusters, &self.book),
        };
        // What was met elsewhere is not on that page, but a drop would have been right.
        let is_elsewhere = verdict == Sameness::Different && content.is_some();
        if self.referrer_edit().is_none() && verdict == Sameness::Same {
            self.register_one(Edit::Referrer, None);
        }
        let Some(edit) = self.referrer_edit() else {
            return;
        };
        let probed = new.probed.and_then(|id| self.ids.get(&id).copied());
        let key = belief_key(edit, LEVEL, way);
        if probed == Some(key) && !is_elsewhere {
            learned.found(verdict);
        }
        let verdict = if is_elsewhere {
            Sameness::Unknown
        } else {
            verdict
        };
        self.hear_of_referrer(
            (edit, key, way),
            verdict,
            (new.number, page),
            of_page,
            learned,
        );
    }

    fn hear_of_referrer(
        &mut self,
        (edit, key, way): (u32, u64, u64),
        verdict: Sameness,
        pages: (u32, u32),
        content: ClusterId,
        learned: &mut Learned,
    ) {
        let is_filed = !self.is_full();
        // What never holds is no claim that is worth its memory.
        let is_wanted = verdict == Sameness::Same
            && self.beliefs.get(key).is_none()
            && self.beliefs.len() < self.config.max_beliefs
            && self.beliefs.iter().filter(|it| it.edit() == edit).count() < MOST_WAYS;
        let make = || {
            let mut belief = Belief::new(edit, LEVEL, way, prior(&Edit::Referrer, LEVEL));
            belief.stand_alone();
            belief
        };
        let Some(mut belief) = self.beliefs.get_or_add(key, is_wanted, make) else {
            return;
        };
        let was_vague = is_vague(&belief);
        let group = join(77, u64::from(content) + 1);
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
        let id = belief.id();
        if is_vague(&belief) != was_vague && belief.state == State::Active {
            self.generation += 1;
            if is_vague(&belief) {
                // It is not acted upon any more: what it dropped is judged again.
                learned.reopened.extend(id);
            }
        }
        drop(belief);
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
        let edit = self.referrer_edit()?;
        if self.edits[edit as usize].active == 0 {
            return None;
        }
        let page = self.pages.known_by_name(found_on?)?;
        let page_url = self.pages.url(page).filter(|known| known != url)?;
        if !self.can_be_shown(page) {
            return None;
        }
        let way = way_of(form, &Form::parse(&page_url))?;
        let key = belief_key(edit, LEVEL, way);
        let belief = self.beliefs.get(key).filter(|_| Some(key) != without)?;
        let is_acting = belief.state == State::Active && !is_vague(&belief);
        let predicted = || self.prediction_by(&[key].into_iter().collect());
        Some((page, is_acting.then(predicted)??))
    }

    /// Whether a page is one that another can be told to show: it is not so small that nobody can tell, and did not come instead of one.
    fn can_be_shown(&self, page: u32) -> bool {
        let content = self.pages.cluster(page);
        let is_wall = content.is_some_and(|content| self.walls.is_any(content));
        !is_wall && !self.is_small(page) && !self.is_echo(page)
    }

    /// Hears that a link redirects: what it leads to is another page, unless it is that which it is on.
    pub(super) fn hear_of_redirecting_link(
        &mut self,
        (source, target): (&str, &str),
        found_on: Option<u64>,
        learned: &mut Learned,
    ) {
        let (Some(edit), Some(name)) = (self.referrer_edit(), found_on) else {
            return;
        };
        let Some((page_url, content)) = (self.pages.named(name)).and_then(|page| self.page(page))
        else {
            return;
        };
        let way = way_of(&Form::parse(source), &Form::parse(&page_url));
        if let Some(way) = way.filter(|_| page_url != target) {
            let key = belief_key(edit, LEVEL, way);
            let nobody = (u32::MAX, u32::MAX);
            self.hear_of_referrer(
                (edit, key, way),
                Sameness::Different,
                nobody,
                content,
                learned,
            );
        }
    }

    /// Finds pages by their names from now on, if a claim about links that lead back is acted upon.
    pub(super) fn find_referrers(&mut self) {
        let edit = self.referrer_edit();
        if edit.is_some_and(|edit| self.edits[edit as usize].active > 0) {
            self.pages.find_by_name();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(link: &str, page: &str) -> Option<u64> {
        let [link, page] = [link, page].map(|path| format!("http://e.org/{path}"));
        way_of(&Form::parse(&link), &Form::parse(&page))
    }

    #[test]
    fn links_that_stand_to_their_pages_in_one_way_have_one_name() {
        for (link, page, alike) in [
            (
                "thread-17-post-405.html",
                "thread-17.html",
                ("thread-9-post-77.html", "thread-9.html"),
            ),
            ("t?p=405", "t?t=17", ("t?p=6", "t?t=9")),
            (
                "t?p=405&s=0f3a5d1c9b7e2a44",
                "t?t=17",
                ("t?s=94bd7e5f2a6c1d03&p=8", "t?t=8000"),
            ),
            (
                "photo/lamp/3",
                "album/lamp",
                ("photo/desk/12", "album/desk"),
            ),
        ] {
            let name = of(link, page);
            assert!(name.is_some());
            assert_eq!(name, of(alike.0, alike.1), "{link}");
        }
    }

    #[test]
    fn another_object_another_word_and_another_page_are_other_ways() {
        let name = of("thread-17-post-405.html", "thread-17.html");
        for (link, page) in [
            ("thread-18-post-405.html", "thread-17.html"),
            ("thread-17-page-405.html", "thread-17.html"),
            ("thread-17-post-405.html", "index.php"),
            ("thread-17-post-405.html?x=1", "thread-17.html"),
        ] {
            assert_ne!(name, of(link, page), "{link} {page}");
        }
        assert_ne!(of("t?p=17&m=a", "t?t=17"), of("t?p=18&m=a", "t?t=17"));
        assert_ne!(of("t?p=17&m=a", "t?t=17"), of("t?p=17&m=b", "t?t=17"));
    }

    #[test]
    fn nothing_is_said_of_other_hosts_and_of_what_edits_say() {
        let elsewhere = Form::parse("http://other.org/t?p=1");
        assert_eq!(way_of(&elsewhere, &Form::parse("http://e.org/t?t=1")), None);
        for (link, page) in [
            ("t?t=17&mode=linear", "t?t=17"),
            ("album/lamp/photo/3", "album/lamp"),
            ("t/x?t=17&mode=linear", "t?t=17"),
        ] {
            assert_eq!(of(link, page), None, "{link}");
        }
    }
}
