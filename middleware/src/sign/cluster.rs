//! Which fetched page, if any, has this content already?
//!
//! Clusters are assigned online: by the hash of the text, of what chrome leaves of it, of that with echoes
//! of the URL masked, or by a shared band and a verified resemblance. Verification is exact while the
//! representative's shingles are still at hand (the last few hundred clusters met) and by sketch after.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{
    BandKeys, ChromeBook, PageText, Sketch,
    signature::{ENOUGH, SOME, Signed},
};

/// Number of a cluster on its host.
pub type ClusterId = u32;

/// Pages with at least this Jaccard similarity are the same.
const SAME: f64 = 0.9;
/// Pages below this one are different.
const DIFFERENT: f64 = 0.85;
/// A run of this many shingles found in one page only is a sentence of its own.
const OWN_SENTENCE: usize = 8;
/// Clusters whose shingles are kept for exact verification.
const EXACT_KEPT: usize = 192;

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// The same content.
    Same,
    /// Other content.
    Different,
    /// Too little text, too small a difference, or signed under a chrome no longer known.
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
    pub(super) sketch: Sketch,
}

/// The contents of a host.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    pub(super) all: Vec<Cluster>,
    // Follows from `all`.
    by_hash: FxHashMap<u64, ClusterId>,
    pub(super) by_band: FxHashMap<u32, ClusterId>,
    pub(super) exact: FxHashMap<ClusterId, Vec<u32>>,
    // The keys of `exact`, in order.
    pub(super) recent: VecDeque<ClusterId>,
}

/// A page that is being compared: signed under each version of the chrome that a comparison needs.
#[derive(Debug)]
pub(crate) struct Newcomer<'t> {
    text: &'t PageText,
    signed: Vec<Signed>,
}

impl<'t> Newcomer<'t> {
    pub(crate) fn new(text: &'t PageText, book: &ChromeBook) -> Self {
        Self {
            text,
            signed: vec![text.signed(book.current())],
        }
    }

    /// Under the version in force.
    pub(crate) fn current(&self) -> &Signed {
        &self.signed[0]
    }

    fn under(&mut self, version: u32, book: &ChromeBook) -> Option<&Signed> {
        let known = self
            .signed
            .iter()
            .position(|s| s.signature.chrome == version);
        let at = if let Some(at) = known {
            at
        } else {
            self.signed.push(self.text.signed(book.version(version)?));
            self.signed.len() - 1
        };
        Some(&self.signed[at])
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

    /// Pages found to have this content.
    pub fn pages(&self, id: ClusterId) -> u32 {
        self.all.get(id as usize).map_or(0, |c| c.pages)
    }

    /// Whether the text is word for word that of the cluster's first page, chrome aside.
    pub(crate) fn is_exact(&self, page: &Newcomer<'_>, id: ClusterId) -> bool {
        self.all.get(id as usize).is_some_and(|c| {
            let s = &page.current().signature;
            c.exact == s.exact || (c.chrome == s.chrome && c.set == s.set && s.kept >= SOME)
        })
    }

    /// Compares a page with the content of a cluster.
    pub(crate) fn compare(
        &self,
        page: &mut Newcomer<'_>,
        id: ClusterId,
        book: &ChromeBook,
    ) -> Sameness {
        let Some(cluster) = self.all.get(id as usize) else {
            return Sameness::Unknown;
        };
        if cluster.exact == page.text.exact() {
            return Sameness::Same;
        }
        let whole = page.text.shingles().len();
        let newest = page.current().signature.set;
        let Some(signed) = page.under(cluster.chrome, book) else {
            return Sameness::Unknown;
        };
        let mine = &signed.signature;
        let fewer = mine.kept.min(cluster.kept);
        if fewer >= SOME && (mine.set == cluster.set || mine.echo == cluster.echo) {
            return Sameness::Same;
        }
        // What the representative's signature calls content may be known for chrome by now.
        let outdated = mine.set != newest;
        let found = if let Some(theirs) = self.exact.get(&id) {
            let shared = signed.shared(theirs);
            let (own, other) = (signed.set.len() - shared, theirs.len() - shared);
            let similarity = shared as f64 / (shared + own + other).max(1) as f64;
            let run = signed.longest_new_run(theirs);
            verdict(similarity, fewer, own.max(other), run, whole)
        } else {
            let similarity = mine.sketch.similarity(&cluster.sketch);
            let total = f64::from(mine.kept + cluster.kept);
            let differing = (total * (1.0 - similarity) / (1.0 + similarity)) as usize;
            verdict(similarity, fewer, differing, 0, whole)
        };
        if found == Sameness::Different && outdated {
            return Sameness::Unknown;
        }
        found
    }

    /// The cluster that has this content, if one has.
    pub(crate) fn find(&self, page: &mut Newcomer<'_>, book: &ChromeBook) -> Option<ClusterId> {
        let mut tried = Vec::new();
        for version in [Some(book.current()), book.previous()]
            .into_iter()
            .flatten()
        {
            let Some(signed) = page.under(version.version(), book) else {
                continue;
            };
            let s = &signed.signature;
            let hashes = [exact_key(s.exact), set_key(s.set), echo_key(s.echo)];
            let bands: BandKeys = signed.bands;
            let enough = s.kept >= ENOUGH;
            let candidates = hashes
                .iter()
                .filter_map(|h| self.by_hash.get(h))
                .chain(
                    bands
                        .iter()
                        .filter(|_| enough)
                        .filter_map(|b| self.by_band.get(b)),
                )
                .copied();
            for id in candidates.collect::<Vec<_>>() {
                if !tried.contains(&id) {
                    tried.push(id);
                    if self.compare(page, id, book) == Sameness::Same {
                        return Some(id);
                    }
                }
            }
        }
        None
    }

    /// Counts one more page of a known content.
    pub(crate) fn join(&mut self, id: ClusterId) {
        if let Some(cluster) = self.all.get_mut(id as usize) {
            cluster.pages = cluster.pages.saturating_add(1);
        }
    }

    /// Opens a cluster for a content not seen before.
    pub(crate) fn open(&mut self, page: &Newcomer<'_>) -> ClusterId {
        let id = self.all.len() as ClusterId;
        let signed = page.current();
        let s = &signed.signature;
        self.push(Cluster {
            exact: s.exact,
            set: s.set,
            echo: s.echo,
            kept: s.kept,
            chrome: s.chrome,
            pages: 1,
            sketch: s.sketch.clone(),
        });
        if s.kept >= ENOUGH {
            for band in signed.bands {
                self.by_band.insert(band, id);
            }
            self.exact.insert(id, signed.set.clone());
            self.recent.push_back(id);
            if self.recent.len() > EXACT_KEPT
                && let Some(oldest) = self.recent.pop_front()
            {
                self.exact.remove(&oldest);
            }
        }
        id
    }

    /// Adds a cluster and files it under its hashes.
    pub(super) fn push(&mut self, cluster: Cluster) {
        let id = self.all.len() as ClusterId;
        self.by_hash.entry(exact_key(cluster.exact)).or_insert(id);
        if cluster.kept >= SOME {
            self.by_hash.entry(set_key(cluster.set)).or_insert(id);
            self.by_hash.entry(echo_key(cluster.echo)).or_insert(id);
        }
        self.all.push(cluster);
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Cluster>()
            + self.by_hash.capacity() * 15
            + self.by_band.capacity() * 10
            + self.exact.values().map(|v| v.capacity() * 4).sum::<usize>()
    }
}

/// `differing`: shingles of one page that the other lacks; `run`: the longest row of them; `whole`: all
/// shingles of the page, chrome included. A difference that is small beside the whole page proves nothing:
/// it may be a footer with the page's name and date.
fn verdict(similarity: f64, fewer: u32, differing: usize, run: usize, whole: usize) -> Sameness {
    let slight =
        differing <= OWN_SENTENCE || (differing <= 3 * OWN_SENTENCE && differing * 20 <= whole);
    if fewer < ENOUGH {
        return if similarity < 0.5 && !slight {
            Sameness::Different
        } else {
            Sameness::Unknown
        };
    }
    if similarity >= SAME {
        if run < OWN_SENTENCE {
            Sameness::Same
        } else {
            Sameness::Unknown
        }
    } else if similarity < DIFFERENT && !slight {
        Sameness::Different
    } else {
        Sameness::Unknown
    }
}

const fn exact_key(hash: u64) -> u64 {
    hash
}

const fn set_key(hash: u64) -> u64 {
    hash.rotate_left(1) ^ 0x5345_5400
}

const fn echo_key(hash: u64) -> u64 {
    hash.rotate_left(2) ^ 0x4543_484F
}

#[cfg(test)]
mod tests {
    use super::super::Echo;
    use super::*;

    fn words(seed: u64, n: usize) -> String {
        (0..n as u64)
            .map(|i| {
                let hash = xxhash_rust::xxh3::xxh3_64_with_seed(&i.to_le_bytes(), seed);
                let word: String = (0..6)
                    .map(|k| char::from(b'a' + ((hash >> (8 * k)) % 26) as u8))
                    .collect();
                word + if i % 12 == 11 { "\n" } else { " " }
            })
            .collect()
    }

    #[test]
    fn a_page_with_a_changed_word_joins_and_one_with_a_sentence_of_its_own_does_not() {
        let book = ChromeBook::default();
        let mut clusters = Clusters::default();
        let body = words(1, 300);
        let first = PageText::new(&body, &Echo::default());
        let id = clusters.open(&Newcomer::new(&first, &book));
        let changed = PageText::new(&format!("reply to anna\n{body}"), &Echo::default());
        assert_eq!(
            clusters.find(&mut Newcomer::new(&changed, &book), &book),
            Some(id)
        );
        let own = PageText::new(&format!("{}\n{body}", words(2, 12)), &Echo::default());
        assert_eq!(clusters.find(&mut Newcomer::new(&own, &book), &book), None);
        let other = PageText::new(&words(3, 300), &Echo::default());
        assert_eq!(
            clusters.compare(&mut Newcomer::new(&other, &book), id, &book),
            Sameness::Different
        );
    }

    #[test]
    fn little_text_is_never_a_duplicate_by_resemblance() {
        let book = ChromeBook::default();
        let mut clusters = Clusters::default();
        let a = PageText::new(&words(1, 16), &Echo::default());
        let id = clusters.open(&Newcomer::new(&a, &book));
        let b = PageText::new(&format!("{}more", words(1, 16)), &Echo::default());
        assert_ne!(
            clusters.compare(&mut Newcomer::new(&b, &book), id, &book),
            Sameness::Same
        );
    }
}
