//! Which fetched page, if any, has this content already?
//!
//! Clusters are assigned online: by the hash of the text, of what chrome leaves of it, of that with echoes
//! of the URL masked, or by a shared band and a verified resemblance. Verification is exact while the
//! representative's shingles are still at hand (the last 192 clusters met, or fewer) and by sketch after.

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
    signature::{ENOUGH, SOME, Signed},
    tally::spread,
};
use difference::{Difference, NOISE_OF_SKETCHES};
use newcomer::Names;
use texts::Texts;

pub(super) use fingerprints::Fingerprints;
pub(crate) use newcomer::Newcomer;

/// Number of a cluster on its host.
pub type ClusterId = u32;

/// Pages with at least this Jaccard similarity are the same.
const SAME: f64 = 0.9;
/// The same as sketches tell it: 117 of 128 values are equal, not 116. A page of similarity 0.85 then passes once in 23
/// times, as with 8 bits a value, and not once in 13.
const SAME_BY_SKETCH: f64 = 0.905;
/// Shingles from on which a page is more than its name and address.
const LONG: u32 = 3 * ENOUGH;
/// Words of its own from which on a page is not taken for another, however much they share: a product's
/// name and code in a text that is the same for all of its kind.
const OWN_WORDS: usize = 2;
/// Clusters whose shingles are kept for exact verification: at most, and where pages are so long that these take
/// more octets than that, at least.
const EXACT_KEPT: usize = 192;
const EXACT_BYTES: usize = 384 << 10;
const EXACT_LEAST: usize = 16;
/// Room for so many more of them is made at a time.
const RESERVE: usize = 39;
/// What an allocation takes beside what was asked for, about.
const BLOCK: usize = 16;

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// The same content.
    Same,
    /// Other content.
    Different,
    /// Too little text, too small a difference, or one that the chrome may have made since.
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

    /// What a page is called that differs from this content where chrome of today may count as content; `signed`: the page
    /// under the chrome of then, if that is known; `lasting`: its shingles that are chrome neither today nor, as far as is remembered, then. If
    /// most of these are missing here, the pages differ, whatever else is chrome; if there are next to none, and it is known
    /// what was chrome then, they differ where much of what was not is missing.
    fn differs_still(
        &self,
        exact: Option<&Exact>,
        signed: Option<&Signed>,
        lasting: &[u32],
    ) -> Sameness {
        if lasting.len() < ENOUGH as usize {
            let Some(signed) = signed else {
                return Sameness::Unknown;
            };
            let is_other = if let Some(exact) = exact {
                let sizes = (signed.set.len(), exact.set.len());
                let least = difference::shared_by_wholes(sizes);
                exact.set.shared(&signed.set, least).is_none()
            } else {
                difference::of_wholes(signed.sketch(), &self.sketch)
            };
            return if is_other {
                Sameness::Different
            } else {
                Sameness::Unknown
            };
        }
        let half = lasting.len().div_ceil(2);
        let is_missing = if let Some(exact) = exact {
            exact.set.shared(lasting, half).is_none()
        } else {
            let similarity = Sketch::of(lasting).similarity(&self.sketch) + NOISE_OF_SKETCHES;
            let total = lasting.len() as f64 + f64::from(self.kept);
            similarity / (1.0 + similarity) * total < half as f64
        };
        if is_missing {
            Sameness::Different
        } else {
            Sameness::Unknown
        }
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

impl Clusters {
    /// Contents known.
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

    /// Whether a content is so small that its page under another address would be another one: it repeats its
    /// own in much of it.
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

    /// Pages found to have this content.
    pub fn pages(&self, id: ClusterId) -> u32 {
        self.all.get(id as usize).map_or(0, |c| c.pages)
    }

    /// Whether the text is word for word that of the cluster's first page, chrome aside.
    pub(crate) fn is_exact(&self, page: &Newcomer<'_>, id: ClusterId, book: &ChromeBook) -> bool {
        self.all.get(id as usize).is_some_and(|c| {
            c.exact == page.text.exact() || {
                let signed = page.current(book);
                c.chrome == page.newest() && c.set == signed.of_set && signed.kept() >= SOME
            }
        })
    }

    /// Compares a page with the content of a cluster.
    pub(crate) fn compare(
        &mut self,
        page: &mut Newcomer<'_>,
        id: ClusterId,
        book: &ChromeBook,
    ) -> Sameness {
        let Some(cluster) = self.all.get(id as usize) else {
            return Sameness::Unknown;
        };
        let text = page.text;
        if cluster.exact == text.exact() || self.texts.content(text.exact()) == Some(id) {
            return Sameness::Same;
        }
        let whole = text.shingles().len();
        let known = page.at(cluster.chrome, book);
        let at = known.unwrap_or_default();
        let signed = page.signed(at, book);
        let fewer = signed.kept().min(cluster.kept);
        if fewer >= SOME && signed.of_set == cluster.set {
            return Sameness::Same;
        }
        let is_echo = fewer >= SOME && signed.of_echo == cluster.echo;
        // What the representative's signature calls content may be known for chrome by now.
        let is_outdated = known.is_none() || signed.of_set != page.current(book).of_set;
        let exact = self.at_hand(id).map(|at| &self.exact[at]);
        let mut alone = Vec::new();
        let difference = if let Some(theirs) = exact {
            let sizes = (signed.set.len(), theirs.set.len());
            let least = if is_echo {
                0
            } else {
                difference::least_shared(fewer, sizes)
            };
            let Some(shared) = theirs.set.shared(&signed.set, least) else {
                return if is_outdated {
                    cluster.differs_still(exact, known.and(Some(signed)), &page.lasting(at, book))
                } else {
                    Sameness::Different
                };
            };
            let (own, other) = (sizes.0 - shared, sizes.1 - shared);
            let similarity = shared as f64 / (shared + own + other).max(1) as f64;
            if similarity >= SAME {
                alone = theirs.set.alone(&signed.set);
            }
            Difference {
                similarity,
                fewer,
                differing: own.max(other),
                // Asked for only where all else says that they are the same.
                run: if similarity >= SAME {
                    signed.longest_run(&alone)
                } else {
                    0
                },
                whole,
            }
        } else {
            let similarity = signed.sketch().similarity(&cluster.sketch);
            let total = f64::from(signed.kept() + cluster.kept);
            Difference {
                similarity,
                fewer,
                differing: (total * (1.0 - similarity) / (1.0 + similarity)) as usize,
                run: 0,
                whole,
            }
        };
        if is_echo {
            return difference.of_echoes();
        }
        let mut found = difference.verdict();
        if found == Sameness::Same {
            let is_same = match exact {
                Some(theirs) => {
                    let words = theirs.words.alone(text.vocabulary());
                    let own = text.own_words(&words, |s| {
                        alone.binary_search(&s.raw).is_ok() && !book.recurs(s)
                    });
                    self.near.count(own < OWN_WORDS);
                    own < OWN_WORDS
                }
                None => difference.similarity >= SAME_BY_SKETCH && self.near.is_telling(),
            };
            if !is_same {
                found = Sameness::Unknown;
            }
        }
        if found == Sameness::Different && is_outdated {
            found = cluster.differs_still(exact, known.and(Some(signed)), &page.lasting(at, book));
        }
        // Lists of which every row stands on many others are nothing but chrome, and different pages all the same.
        if found == Sameness::Unknown
            && fewer < ENOUGH
            && let Some(theirs) = self.wholes.get(&id)
            && difference::of_wholes(text.whole(), theirs)
        {
            found = Sameness::Different;
        }
        found
    }

    /// The cluster that has this content, if one has.
    pub(crate) fn find(&mut self, page: &mut Newcomer<'_>, book: &ChromeBook) -> Option<ClusterId> {
        if let Some(id) = self.texts.content(page.text.exact()) {
            return Some(id);
        }
        // Before it is taken apart.
        if let Some(id) = self.filed_by_hash(page.text.exact(), 0) {
            return Some(id);
        }
        let mut tried = Vec::new();
        for version in [Some(book.current()), book.previous()]
            .into_iter()
            .flatten()
        {
            let Some(at) = page.at(version.version(), book) else {
                continue;
            };
            if at == 0 && version.version() != page.newest() {
                // All that it is found by was looked up.
                continue;
            }
            // The likeliest first.
            let names = page.names(at, book);
            for which in 0..names.hashes() {
                if let Some(id) = self.filed_by_hash(names.hash(which), which)
                    && self.is_found(id, &mut tried, page, book)
                {
                    return Some(id);
                }
            }
            if names.kept < ENOUGH {
                continue;
            }
            for band in 0..BANDS {
                if let Some(id) = self.filed_by_band(page.signed(at, book).sketch(), band)
                    && self.is_found(id, &mut tried, page, book)
                {
                    return Some(id);
                }
            }
        }
        None
    }

    /// Whether a cluster that was not tried before has a page's content.
    fn is_found(
        &mut self,
        id: ClusterId,
        tried: &mut Vec<ClusterId>,
        page: &mut Newcomer<'_>,
        book: &ChromeBook,
    ) -> bool {
        if tried.contains(&id) {
            return false;
        }
        tried.push(id);
        self.compare(page, id, book) == Sameness::Same
    }

    fn filed_by_hash(&self, hash: u64, which: usize) -> Option<ClusterId> {
        let filed = self.by_hash.find(hash, |filed| {
            filed.name() == which && self.all[filed.cluster() as usize].hash(which) == hash
        })?;
        Some(filed.cluster())
    }

    fn filed_by_band(&self, sketch: &Sketch, band: usize) -> Option<ClusterId> {
        let name = sketch.band(band);
        let filed = self.by_band.find(spread(name), |filed| {
            filed.name() == band && self.all[filed.cluster() as usize].sketch.band(band) == name
        })?;
        Some(filed.cluster())
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
            if let Some(signed) = page.under(version, book) {
                self.keep_at_hand(id, Exact::of(&signed.set, words));
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
            self.recent.pop_front();
            let oldest = self.exact.pop_front();
            self.exact_bytes -= oldest.map_or(0, |oldest| oldest.bytes());
        }
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
        } else if page.text.shingles().len() >= LONG as usize {
            self.wholes.insert(id, page.text.whole().clone());
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
            let is_it = |filed: &Filed| filed.name() == band && band_of(filed) == name;
            self.by_band
                .entry(spread(name), is_it, |filed| spread(band_of(filed)))
                .insert(Filed::new(id, band));
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Cluster>()
            + self.wholes.capacity() * (size_of::<(ClusterId, Sketch)>() + 1)
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

/// Pushes; what is kept in reserve is an eighth of what is there, not as much again.
pub(crate) fn push_tightly<T>(all: &mut Vec<T>, one: T) {
    if all.len() == all.capacity() {
        all.reserve_exact((all.len() / 8).max(64));
    }
    all.push(one);
}
