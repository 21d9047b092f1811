//! Clusters of pages with one content.
//!
//! Clusters are assigned online: by the hash of the text, of the text without chrome, of that with echoes of the URL
//! masked, or by a shared band and a verified resemblance. Verification is exact while the representative's shingles
//! are still in memory (the last 192 clusters met, or fewer), and by sketch after that.

mod compare;
mod difference;
mod fingerprints;
mod newcomer;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::VecDeque;

use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use super::{
    BANDS, ChromeBook, Sketch,
    signature::{ENOUGH, SOME, are_of_two_kinds},
    tally::spread,
};
use crate::heap::{BLOCK, of_map};
use newcomer::Names;
use texts::Texts;

pub(super) use difference::of_wholes;
pub(super) use fingerprints::Fingerprints;
pub(crate) use newcomer::Newcomer;

/// Number of a cluster on its host.
pub type ClusterId = u32;

/// Pages with at least this Jaccard similarity are the same.
pub(super) const SAME: f64 = 0.9;
/// Shingles from on which a page is more than its name and address.
const LONG: u32 = 3 * ENOUGH;
/// Clusters whose shingles are kept for exact verification: at most, and where pages are so long that these take
/// more octets than that, at least.
const EXACT_KEPT: usize = 192;
const EXACT_BYTES: usize = 384 << 10;
const EXACT_LEAST: usize = 16;
/// Of these, one in so many stays whatever comes after it, at most.
const STAYING: usize = 4;
/// Room for so many more of them is made at a time.
const RESERVE: usize = 39;

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// The same content.
    Same,
    /// Other content.
    Different,
    /// Too little text, too small a difference, or one that a change of the chrome may have made.
    Unknown,
}

#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub(super) exact: u64,
    pub(super) set: u64,
    pub(super) echo: u64,
    pub(super) kept: u32,
    pub(super) chrome: u32,
    pub(super) pages: u32,
    pub(super) address: u32,
    pub(super) sketch: Sketch,
}

impl Cluster {
    const fn hash(&self, which: usize) -> u64 {
        self.names().hash(which)
    }

    const fn names(&self) -> Names {
        Names {
            exact: self.exact,
            set: self.set,
            echo: self.echo,
            kept: self.kept,
        }
    }

    const fn is_echo(&self) -> bool {
        self.kept < LONG && self.address != 0
    }
}

/// The contents of a host.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    pub(super) all: Vec<Cluster>,
    // These two follow from `all`, where their keys are looked up.
    by_hash: HashTable<Filed>,
    by_band: HashTable<Filed>,
    // Clusters that were met of late, the last of them last, and what is kept of each.
    pub(super) recent: VecDeque<ClusterId>,
    pub(super) exact: VecDeque<Exact>,
    // Octets of these.
    pub(super) exact_bytes: usize,
    pub(super) near: Near,
    // Sketches of whole pages, where chrome leaves too little of long ones to compare.
    pub(super) wholes: FxHashMap<ClusterId, Sketch>,
    // Texts of pages that were found to have a content, where they are not that of the first page of any.
    pub(super) texts: Texts,
}

/// A cluster, and by which of its names it is filed: the upper four bits.
#[derive(Clone, Copy, Debug)]
struct Filed(u32);

/// Clusters beyond this number are not filed.
const MOST_FILED: u32 = 1 << 28;

impl Filed {
    const fn new(id: ClusterId, name: usize) -> Self {
        Self(id | (name as u32) << 28)
    }

    const fn cluster(self) -> ClusterId {
        self.0 % MOST_FILED
    }

    const fn name(self) -> usize {
        (self.0 >> 28) as usize
    }
}

/// The whole of a page, for verification that is exact but for a shingle in a hundred that the page has alone.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    pub(super) set: Fingerprints,
    pub(super) words: Fingerprints,
}

impl Exact {
    /// Of shingles and words, both sorted.
    fn of(set: &[u32], words: &[u32]) -> Self {
        Self {
            set: Fingerprints::of(set),
            words: Fingerprints::of(words),
        }
    }

    /// Octets of its hashes.
    pub(super) const fn bytes(&self) -> usize {
        self.set.bytes() + self.words.bytes()
    }
}

/// What pages that resemble each other turned out to be on this host, where it could be told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Near {
    pub(super) same: u32,
    pub(super) own: u32,
}

impl Near {
    fn count(&mut self, is_same: bool) {
        if is_same {
            self.same += 1;
        } else {
            self.own += 1;
        }
        // The early ones were judged without knowing what recurs on the site.
        if self.same + self.own > 64 {
            self.same /= 2;
            self.own /= 2;
        }
    }

    /// Whether resemblance may stand for sameness where the pages themselves are not at hand.
    const fn is_telling(self) -> bool {
        self.same >= 8 && self.own * 5 <= self.same
    }
}

/// Pages of a content of which chrome is learned, but for the first.
const MOST_COPIES_HEARD: u32 = 2;

/// How like a page is to the first one of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Likeness {
    /// Word for word.
    Whole,
    /// The same, chrome aside.
    BesideChrome,
    Similar,
}

impl Clusters {
    /// The number of known contents.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a content is so small that a page which merely repeats its own address differs in much of it.
    pub fn is_small(&self, id: ClusterId) -> bool {
        self.all.get(id as usize).is_some_and(|c| c.kept < LONG)
    }

    /// Whether chrome left nothing of a content.
    pub(crate) fn is_bare(&self, id: ClusterId) -> bool {
        self.all.get(id as usize).is_some_and(|c| c.kept == 0)
    }

    /// Whether a content is so small that its page would be another one under another address: much of it repeats its
    /// own address.
    pub fn is_echo(&self, id: ClusterId) -> bool {
        self.all.get(id as usize).is_some_and(Cluster::is_echo)
    }

    /// Whether a page and a content are little more than an address, each its own: at another place of the
    /// site, the one may be called a copy of the other or not.
    pub(crate) fn differs_in_address(&self, page: &Newcomer<'_>, id: ClusterId) -> bool {
        let other = self.all.get(id as usize).filter(|c| c.is_echo());
        other.is_some_and(|c| {
            let is_other = |address| address != 0 && address != c.address;
            c.exact != page.text.exact() && is_other(page.text.address(SAME))
        })
    }

    /// The number of pages found to have this content.
    pub fn pages(&self, id: ClusterId) -> u32 {
        self.all.get(id as usize).map_or(0, |c| c.pages)
    }

    /// How like the text of a page of a known content is to that of the cluster's first page.
    fn likeness(&self, page: &Newcomer<'_>, id: ClusterId, book: &ChromeBook) -> Likeness {
        let Some(cluster) = self.all.get(id as usize) else {
            return Likeness::Similar;
        };
        if cluster.exact == page.text.exact() {
            return Likeness::Whole;
        }
        let signed = page.current(book);
        let is_beside_chrome = cluster.chrome == page.newest()
            && cluster.set == signed.of_set
            && signed.kept() >= SOME
            && !are_of_two_kinds(cluster.exact, page.text.exact());
        if is_beside_chrome {
            Likeness::BesideChrome
        } else {
            Likeness::Similar
        }
    }

    /// Lets a book of chrome hear of one more page of a known content, before it is [one of its pages](Self::join).
    pub(crate) fn tell_of_copy(&self, page: &Newcomer<'_>, id: ClusterId, book: &mut ChromeBook) {
        if self.pages(id) > MOST_COPIES_HEARD {
            return;
        }
        match self.likeness(page, id, book) {
            Likeness::Whole => {}
            Likeness::BesideChrome => book.sustain(page.text.shingles()),
            Likeness::Similar => {
                book.count(page.text.shingles());
            }
        }
    }

    /// Counts one more page of a known content, which stays at hand for exact comparison.
    pub(crate) fn join(&mut self, id: ClusterId, page: &mut Newcomer<'_>, book: &ChromeBook) {
        let text = page.text.exact();
        // The first page of a content answers for its own text, whatever a copy is taken for.
        let is_first = self.filed_by_hash(text, 0).is_some();
        let Some(cluster) = self.all.get_mut(id as usize) else {
            return;
        };
        cluster.pages = cluster.pages.saturating_add(1);
        if !is_first {
            self.texts.note(text, id);
        }
        let (version, kept) = (cluster.chrome, cluster.kept);
        if let Some(at) = self.at_hand(id)
            && let Some(whole) = self.exact.remove(at)
        {
            self.recent.remove(at);
            self.recent.push_back(id);
            self.exact.push_back(whole);
        } else if kept >= ENOUGH {
            let words = page.text.vocabulary();
            if let Some(then) = page.at(version, book) {
                // What it has that this content has not is chrome by now, and none of it.
                let at = self.all[id as usize].comparable(page, then, book);
                self.keep_at_hand(id, Exact::of(&page.signed(at, book).set, words));
            }
        }
    }

    /// Place of a content among those that are kept whole.
    fn at_hand(&self, id: ClusterId) -> Option<usize> {
        let (first, then) = self.recent.as_slices();
        place(first, id).or_else(|| Some(first.len() + place(then, id)?))
    }

    pub(super) fn keep_at_hand(&mut self, id: ClusterId, whole: Exact) {
        if self.recent.len() == self.recent.capacity() {
            self.recent.reserve_exact(RESERVE);
            self.exact.reserve_exact(RESERVE);
        }
        self.exact_bytes += whole.bytes();
        self.exact.push_back(whole);
        self.recent.push_back(id);
        while self.recent.len() > EXACT_KEPT
            || (self.exact_bytes > EXACT_BYTES && self.recent.len() > EXACT_LEAST)
        {
            // Those that stay take the last place again.
            let staying = self.recent.iter().take_while(|id| self.stays(**id)).count();
            let staying = staying % self.recent.len();
            self.recent.rotate_left(staying);
            self.exact.rotate_left(staying);
            self.recent.pop_front();
            let oldest = self.exact.pop_front();
            self.exact_bytes -= oldest.map_or(0, |oldest| oldest.bytes());
        }
    }

    /// Whether a content is one of the few of all that stay at hand, however long ago they were met: where each copy comes long after its
    /// page (printed views in a crawl breadth first), what resembling pages are is learned from these.
    fn stays(&self, id: ClusterId) -> bool {
        let most = (self.recent.len() / STAYING).max(1);
        // Who stays stayed all the time.
        let one_in = (self.all.len() / most).max(1).next_power_of_two() as u64;
        spread(id).is_multiple_of(one_in)
    }

    /// Opens a cluster for a content not seen before.
    pub(crate) fn open(&mut self, page: &Newcomer<'_>, book: &ChromeBook) -> ClusterId {
        let id = self.all.len() as ClusterId;
        let signed = page.current(book);
        let Names {
            exact,
            set,
            echo,
            kept,
        } = page.names(0, book);
        self.push(Cluster {
            exact,
            set,
            echo,
            kept,
            chrome: page.newest(),
            pages: 1,
            address: page.text.address(SAME),
            sketch: signed.sketch().clone(),
        });
        if kept >= ENOUGH {
            self.keep_at_hand(id, Exact::of(&signed.set, page.text.vocabulary()));
        } else {
            if page.text.shingles().len() >= LONG as usize {
                self.wholes.insert(id, page.text.whole().clone());
            }
            if let Some(settled) = page.text.settled() {
                self.texts.note(settled, id);
            }
        }
        id
    }

    /// Adds a cluster and files it: the first keeps a hash, the last has a band.
    pub(super) fn push(&mut self, cluster: Cluster) {
        let id = self.all.len() as ClusterId;
        push_tightly(&mut self.all, cluster);
        if id >= MOST_FILED {
            return;
        }
        let all = &self.all;
        let cluster = &all[id as usize];
        let hash_of = |filed: &Filed| all[filed.cluster() as usize].hash(filed.name());
        for which in 0..cluster.names().hashes() {
            let hash = cluster.hash(which);
            let is_it = |filed: &Filed| filed.name() == which && hash_of(filed) == hash;
            self.by_hash
                .entry(hash, is_it, hash_of)
                .or_insert(Filed::new(id, which));
        }
        if cluster.kept < ENOUGH {
            return;
        }
        let band_of = |filed: &Filed| all[filed.cluster() as usize].sketch.band(filed.name());
        for band in 0..BANDS {
            let name = cluster.sketch.band(band);
            let is_it = |filed: &Filed| {
                let other = &all[filed.cluster() as usize];
                filed.name() == band
                    && band_of(filed) == name
                    && !are_of_two_kinds(other.exact, cluster.exact)
            };
            self.by_band
                .entry(spread(name), is_it, |filed| spread(band_of(filed)))
                .insert(Filed::new(id, band));
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Cluster>()
            + of_map(&self.wholes)
            + self.by_hash.allocation_size()
            + self.by_band.allocation_size()
            + self.texts.bytes()
            + self.exact_bytes
            + self.exact.len() * 2 * BLOCK
            + self.exact.capacity() * size_of::<Exact>()
            + self.recent.capacity() * size_of::<ClusterId>()
    }
}

/// Place of a number among others.
fn place(all: &[ClusterId], id: ClusterId) -> Option<usize> {
    const TOGETHER: usize = 16;
    let is_it = |known: &ClusterId| *known == id;
    // Most are not there: without a branch for each, so that the compiler looks at several at once.
    let (rows, rest) = all.as_chunks::<TOGETHER>();
    let has_it =
        |row: &[ClusterId; TOGETHER]| row.iter().fold(false, |has, known| has | is_it(known));
    match rows.iter().position(has_it) {
        Some(row) => Some(row * TOGETHER + rows[row].iter().position(is_it)?),
        None => Some(rows.len() * TOGETHER + rest.iter().position(is_it)?),
    }
}

/// Pushes; what is kept in reserve is a sixteenth of what is there, not as much again.
pub(crate) fn push_tightly<T>(all: &mut Vec<T>, one: T) {
    if all.len() == all.capacity() {
        all.reserve_exact((all.len() / 16).max(64));
    }
    all.push(one);
}
