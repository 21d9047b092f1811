//! Which lines of a page turn, whatever the page says?
//!
//! Headlines, teasers, who is here: beside one text they are others at each answer, and too many for each of them to be
//! chrome. Where they stand is: so many lines behind a line that is chrome, or before one. Pages that should be
//! the same by an edit, and nearly are, teach *places*: one whose line was mostly another turns, if other contents have
//! the same lines there now and then, and URLs that differ from others in the same way and values do not. (The name of a
//! product in a text that is the same for all of its kind is none that others have; `size=m` says the same of all of them.)
//! What stands there is left out as chrome is, by the version that knows it.

use std::ops::Range;

use super::{
    ClusterId, Shingle,
    chrome::{Holders, KEPT},
    tally::spread,
};

/// Lines behind an anchor, or before it, that have a place.
const REACH: u32 = 6;
/// Contents whose line at a place was another one, at least, before it is taken to turn.
const TURNED: u16 = 8;
/// So many times as often as it was the same, at least.
const MOSTLY: u16 = 4;
/// Lines that stood beside the same values as another one on another content's page, and were not the same: at least, and so
/// many times as often as they were.
const FREE: u16 = 4;
const FREELY: u16 = 8;
/// Values of late that are remembered with their lines.
const VALUES: usize = 8;
/// New contents whose line there was that of another one of late, at least, and of how many of them one is.
const SHARED: u16 = 4;
const ONE_IN: u16 = 24;
/// Lines of late that are remembered.
const LATE: usize = 32;
/// Places that are watched, at most.
const WATCHED: usize = 64;
/// Places that are known to turn, at most.
const KNOWN: usize = 64;
/// A line that turns may be so many times as long as the longest that was seen to.
const LONGER: usize = 2;

/// What stands for the beginning of a text and for its end.
const BEGIN: u32 = 1;
const END: u32 = 2;

/// A place that may turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    pub(super) place: u32,
    /// Contents that had another line there, and pages that had the same.
    pub(super) turned: u16,
    pub(super) stood: u16,
    /// Shingles of the longest line that was another.
    pub(super) longest: u16,
    /// The content that was counted last.
    pub(super) last: ClusterId,
    /// What URLs had of late where they differed from those of the same text, and the lines beside: whether these were
    /// others for other contents.
    pub(super) values: [(u16, u16); VALUES],
    pub(super) free: u16,
    pub(super) bound: u16,
    /// New contents that had a line there since, and those whose line another one of late had.
    pub(super) met: u16,
    pub(super) shared: u16,
    /// What these had, the last one before `met` modulo their number.
    pub(super) late: [u16; LATE],
}

impl Watched {
    pub(super) const fn new(place: u32) -> Self {
        Self {
            place,
            turned: 0,
            stood: 0,
            longest: 0,
            last: ClusterId::MAX,
            values: [(0, 0); VALUES],
            free: 0,
            bound: 0,
            met: 0,
            shared: 0,
            late: [0; LATE],
        }
    }

    const fn turns(&self) -> bool {
        let is_mostly = self.turned >= TURNED && self.turned / MOSTLY >= self.stood;
        let is_shared = self.shared >= SHARED && self.shared >= self.met / ONE_IN;
        let is_free = self.free >= FREE && self.free / FREELY >= self.bound;
        is_mostly && is_shared && is_free
    }

    fn stand(&mut self) {
        self.stood = self.stood.saturating_add(1);
    }

    fn turn(&mut self, shingles: usize, line: u16, pair: Near) {
        if self.last == pair.content {
            return;
        }
        self.last = pair.content;
        self.turned = self.turned.saturating_add(1);
        self.longest = (self.longest).max(u16::try_from(shingles).unwrap_or(u16::MAX));
        let Some(new) = pair.values else {
            return;
        };
        let at = usize::from(new) % VALUES;
        let (values, known) = std::mem::replace(&mut self.values[at], (new, line));
        if values == new && known != 0 {
            let same = if known == line {
                &mut self.bound
            } else {
                &mut self.free
            };
            *same = same.saturating_add(1);
        }
    }

    fn meet(&mut self, line: u16) {
        if self.met == u16::MAX {
            (self.met, self.shared) = (self.met / 2, self.shared / 2);
        }
        self.shared += u16::from(self.late.contains(&line));
        self.late[usize::from(self.met) % LATE] = line;
        self.met += 1;
    }
}

/// Two pages that should be the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// What the one has that came first.
    pub(crate) content: ClusterId,
    /// Name of what the URL of the other has where the first one's has something else, or nothing; none if that only has more.
    pub(crate) values: Option<u16>,
}

/// A place that turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) place: u32,
    pub(super) longest: u16,
    /// The versions of the chrome that know it.
    pub(super) holders: Holders,
}

/// The places of a host whose lines turn, or may.
#[derive(Clone, Debug, Default)]
pub(super) struct Turning {
    /// By place.
    pub(super) watched: Vec<Watched>,
    /// By place.
    pub(super) known: Vec<Known>,
}

/// A line of own text, and where it stands.
struct Placed {
    shingles: Range<usize>,
    places: [Option<u32>; 2],
}

/// Lines of a text, as ranges of its shingles.
fn lines(shingles: &[Shingle]) -> impl Iterator<Item = Range<usize>> {
    let begins = (0..shingles.len()).filter(|at| shingles[*at].begins);
    let ends = begins.clone().skip(1).chain([shingles.len()]);
    begins.zip(ends).map(|(begin, end)| begin..end)
}

/// Name of a line, digits aside; 0 is none.
fn name_of(line: &[Shingle]) -> u16 {
    let name = line
        .iter()
        .fold(0, |name: u32, s| name.rotate_left(5) ^ s.masked);
    (spread(name) >> 16) as u16 | 1
}

fn place(anchor: u32, side: u32, lines: u32) -> Option<u32> {
    let key = u64::from(anchor) << 8 | u64::from(side << 7 | lines);
    (lines <= REACH).then(|| (spread(key) >> 24) as u32)
}

/// The lines that are not all chrome, each with its places.
fn placed(shingles: &[Shingle], is_chrome: impl Fn(usize) -> bool) -> Vec<Placed> {
    let mut own: Vec<Placed> = Vec::new();
    let (mut anchor, mut behind) = (BEGIN, 0);
    // The first of those that no anchor followed yet.
    let mut open = 0;
    let close = |own: &mut [Placed], anchor| {
        for (lines, line) in (1..).zip(own.iter_mut().rev()) {
            line.places[1] = place(anchor, 1, lines);
        }
    };
    for line in lines(shingles) {
        if line.clone().all(&is_chrome) {
            let (first, last) = (&shingles[line.start], &shingles[line.end - 1]);
            anchor = first.masked.rotate_left(9) ^ last.masked;
            behind = 0;
            close(&mut own[open..], anchor);
            open = own.len();
        } else {
            behind += 1;
            own.push(Placed {
                shingles: line,
                places: [place(anchor, 0, behind), None],
            });
        }
    }
    close(&mut own[open..], END);
    own
}

impl Turning {
    /// Whether a version of the chrome knows any place.
    fn is_any(&self, version: u32) -> bool {
        self.known.iter().any(|known| known.holders.by(version))
    }

    fn find(&self, place: u32) -> Option<&Known> {
        let at = self.known.binary_search_by_key(&place, |known| known.place);
        at.ok().map(|at| &self.known[at])
    }

    /// Notes of each shingle on a line that turns which versions know that; `held`: the versions for which it is chrome.
    pub(super) fn mark(&self, shingles: &[Shingle], held: &mut [Holders]) {
        for version in 0..KEPT {
            if !self.is_any(version) {
                continue;
            }
            let own = placed(shingles, |at| held[at].by(version));
            for line in own {
                let turns = |place: &u32| {
                    self.find(*place).is_some_and(|known| {
                        known.holders.by(version)
                            && line.shingles.len() <= LONGER * usize::from(known.longest)
                    })
                };
                if line.places.iter().flatten().any(turns) {
                    for held in &mut held[line.shingles] {
                        held.add(version);
                    }
                }
            }
        }
    }

    /// Learns from a page that should be the same as another one, and nearly is; `is_alone`: whether that lacks a shingle;
    /// `held`: versions for which each is chrome, and `marked`: or stands on a line that turns.
    pub(super) fn note(
        &mut self,
        shingles: &[Shingle],
        (held, marked): (&[Holders], &[Holders]),
        version: u32,
        is_alone: impl Fn(u32) -> bool,
        pair: Near,
    ) {
        for line in placed(shingles, |at| held[at].by(version)) {
            let at = line.shingles;
            let repeats = |shingle: &Shingle| shingle.raw != shingle.echo;
            if marked[at.start].by(version) || shingles[at.clone()].iter().any(repeats) {
                continue;
            }
            let (mut all, mut alone) = (0, 0);
            for at in at.clone().filter(|at| !held[*at].by(version)) {
                all += 1;
                alone += usize::from(is_alone(shingles[at].raw));
            }
            let has_turned = 2 * alone >= all;
            let name = name_of(&shingles[at.clone()]);
            for place in line.places.into_iter().flatten() {
                match self.watch(place, has_turned) {
                    Some(watched) if has_turned => watched.turn(at.len(), name, pair),
                    Some(watched) => watched.stand(),
                    None => {}
                }
            }
        }
    }

    /// What is known of a place; it is watched from now on if that is `wanted`.
    fn watch(&mut self, place: u32, wanted: bool) -> Option<&mut Watched> {
        let at = match self
            .watched
            .binary_search_by_key(&place, |watched| watched.place)
        {
            Ok(at) => at,
            Err(at) if wanted && self.watched.len() < WATCHED => {
                self.watched.insert(at, Watched::new(place));
                at
            }
            Err(_) => return None,
        };
        self.watched.get_mut(at)
    }

    /// Notes what a new content has where lines may turn.
    pub(super) fn meet(&mut self, shingles: &[Shingle], is_chrome: impl Fn(usize) -> bool) {
        if self.watched.is_empty() {
            return;
        }
        for line in placed(shingles, is_chrome) {
            let name = name_of(&shingles[line.shingles]);
            for place in line.places.into_iter().flatten() {
                if let Some(watched) = self.watch(place, false) {
                    watched.meet(name);
                }
            }
        }
    }

    /// The places that a new version of the chrome knows: those of the last one, and what turned out to turn since.
    pub(super) fn settled(&mut self, version: u32) -> Option<Vec<(u32, u16)>> {
        let mut all: Vec<(u32, u16)> = self.known_by(version).collect();
        let before = all.len();
        for new in self.watched.iter().filter(|watched| watched.turns()) {
            if all.len() < KNOWN && !all.iter().any(|(place, _)| *place == new.place) {
                all.push((new.place, new.longest));
            }
        }
        // One that mostly stands makes room.
        let is_open = |watched: &Watched| {
            !watched.turns() && u32::from(watched.turned) * 4 > u32::from(watched.stood)
        };
        self.watched.retain(is_open);
        (all.len() > before).then_some(all)
    }

    /// The places that a version of the chrome knows.
    pub(super) fn known_by(&self, version: u32) -> impl Iterator<Item = (u32, u16)> {
        let known = (self.known.iter()).filter(move |known| known.holders.by(version));
        known.map(|known| (known.place, known.longest))
    }

    /// The places that any of them knows.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, u16)> {
        self.known.iter().map(|known| (known.place, known.longest))
    }

    /// Notes what a version knows, which takes the place of the oldest.
    pub(super) fn adopt(&mut self, version: u32, places: impl IntoIterator<Item = (u32, u16)>) {
        self.known.retain_mut(|known| {
            known.holders.remove(version);
            known.holders.is_any()
        });
        for (place, longest) in places {
            let found = self.known.binary_search_by_key(&place, |known| known.place);
            let at = found.unwrap_or_else(|at| {
                let new = Known {
                    place,
                    longest,
                    holders: Holders::default(),
                };
                self.known.insert(at, new);
                at
            });
            self.known[at].holders.add(version);
        }
    }

    /// Memory held, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.watched.capacity() * size_of::<Watched>() + self.known.capacity() * size_of::<Known>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        predict::parts::Parts,
        sign::{ChromeBook, Clusters, Echo, Newcomer, PageText, Sameness},
    };

    /// Words without digits that no other number gives.
    fn words(number: u32, count: u32) -> String {
        let word = |k: u32| {
            let digits = format!("{number}/{k}").into_bytes();
            let letters = digits.iter().map(|octet| char::from(b'a' + (octet - b'/')));
            letters.collect::<String>()
        };
        (0..count).map(word).collect::<Vec<_>>().join(" ")
    }

    struct Host {
        book: ChromeBook,
        clusters: Clusters,
    }

    impl Host {
        fn new() -> Self {
            let (book, clusters) = (ChromeBook::default(), Clusters::default());
            let mut host = Self { book, clusters };
            for n in 0..40 {
                host.meet(&page(1000 + n, &words(2000 + n, 3), "of all"));
            }
            host.book.freeze_now();
            host
        }

        /// Files a page of a content not met before.
        fn meet(&mut self, text: &str) -> ClusterId {
            let text = PageText::new(text, &Echo::default());
            let id = self
                .clusters
                .open(&Newcomer::new(&text, &self.book), &self.book);
            self.book.count(text.shingles());
            id
        }

        /// Learns from a page whose URL differs in something from that of a content.
        fn learn(&mut self, text: &str, content: ClusterId, values: u16) {
            let text = PageText::new(text, &Echo::default());
            let mut page = Newcomer::new(&text, &self.book);
            if let Some(alone) = self.clusters.lacking(content, &mut page, &self.book) {
                self.book.note(
                    &page,
                    Near {
                        content,
                        values: Some(values),
                    },
                    &alone,
                );
            }
        }

        fn compare(&mut self, one: &str, other: &str) -> Sameness {
            let id = self.meet(one);
            let text = PageText::new(other, &Echo::default());
            let mut page = Newcomer::new(&text, &self.book);
            self.clusters.compare(&mut page, id, &self.book)
        }
    }

    fn page(own: u32, headline: &str, size: &str) -> String {
        let text = words(own, 30);
        format!(
            "home about contact\nnews of today\n{headline}\n{text}\nsize {size} it is\nimprint and terms"
        )
    }

    /// Thirty contents, each with a copy by each of these values; `line` gives the headline of a content's copy.
    fn learn_all(host: &mut Host, values: &[u16], line: impl Fn(u32, u16) -> String) {
        for n in 0..30 {
            let id = host.meet(&page(n, &line(n, 0), "of all"));
            for value in values {
                host.learn(&page(n, &line(n, *value), "of all"), id, *value);
            }
        }
        host.book.freeze_now();
    }

    fn same_but_for_headlines(host: &mut Host) -> Sameness {
        let (one, other) = (words(700, 9), words(701, 9));
        host.compare(&page(500, &one, "of all"), &page(500, &other, "of all"))
    }

    /// One of twelve headlines.
    fn headline(n: u32, value: u16) -> String {
        words(3000 + (7 * n + 5 * u32::from(value)) % 12, 9)
    }

    #[test]
    fn what_turns_whatever_page_and_url_say_is_left_out() {
        let mut host = Host::new();
        assert_ne!(same_but_for_headlines(&mut host), Sameness::Same);
        learn_all(&mut host, &[1], headline);
        assert_eq!(same_but_for_headlines(&mut host), Sameness::Same);
        // The rest of the page tells pages apart as before.
        let line = words(702, 9);
        let (one, other) = (page(501, &line, "of all"), page(502, &line, "of all"));
        assert_eq!(host.compare(&one, &other), Sameness::Different);
        // So does a line in that place which is much longer than any that turned.
        let (one, other) = (words(703, 60), words(704, 60));
        let (one, other) = (page(503, &one, "of all"), page(503, &other, "of all"));
        assert_ne!(host.compare(&one, &other), Sameness::Same);
    }

    #[test]
    fn what_a_value_says_of_all_pages_is_told() {
        let mut host = Host::new();
        learn_all(&mut host, &[1, 2, 3], |_, value| {
            words(3000 + u32::from(value), 9)
        });
        assert_ne!(same_but_for_headlines(&mut host), Sameness::Same);
    }

    #[test]
    fn what_no_other_content_has_is_its_own() {
        let mut host = Host::new();
        learn_all(&mut host, &[1, 2], |n, value| {
            words(3000 + 10 * n + u32::from(value), 9)
        });
        assert_ne!(same_but_for_headlines(&mut host), Sameness::Same);
    }

    #[test]
    fn what_is_watched_and_known_outlives_the_process() {
        let mut host = Host::new();
        learn_all(&mut host, &[1], headline);
        let id = host.meet(&page(900, &words(901, 4), "of all"));
        host.learn(&page(900, &words(902, 4), &words(903, 9)), id, 5);
        let mut parts = Parts::default();
        (host.book).save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
        let again = ChromeBook::load(&parts).unwrap();
        assert!(!host.book.turning.known.is_empty());
        assert_eq!(again.turning.known, host.book.turning.known);
        assert_eq!(again.turning.watched, host.book.turning.watched);
    }
}
