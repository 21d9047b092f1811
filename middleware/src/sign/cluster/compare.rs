//! Decides whether the content of a page is known.

use super::{
    Cluster, ClusterId, Clusters, Exact, Newcomer, SAME, Sameness,
    difference::{self, Difference, NOISE_OF_SKETCHES, SLIGHT},
};
use crate::sign::{
    BANDS, ChromeBook, PageText, Shingle, Sketch,
    signature::{ENOUGH, SOME, Signed, are_of_two_kinds},
    tally::spread,
};

/// The same as sketches tell it: 117 of 128 values are equal, not 116. A page of similarity 0.85 then passes once in 23
/// times, as with 8 bits a value, and not once in 13.
const SAME_BY_SKETCH: f64 = 0.905;
/// Words of its own from which on a page is not taken for another, however much they share: a product's
/// name and code in a text that is the same for all of its kind.
const OWN_WORDS: usize = 2;

impl Cluster {
    /// What a page is called that differs from this content where chrome of today may count as content; `signed`: the page
    /// under the chrome of then, if that is known; `lasting`: its shingles that are chrome neither today nor, as far as is remembered, then. If
    /// much of these is missing here, the pages differ, whatever else is chrome (`similarity`: of these to a sketch); if there are next to none, and it is known
    /// what was chrome then, they differ where much of what was not is missing.
    fn differs_still(
        &self,
        exact: Option<&Exact>,
        signed: Option<&Signed>,
        lasting: &[u32],
        similarity: impl Fn(&[u32], &Sketch) -> f64,
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
        let least = difference::shared_of_lasting(lasting.len());
        let is_missing = if let Some(exact) = exact {
            exact.set.shared(lasting, least).is_none()
        } else {
            let similarity = similarity(lasting, &self.sketch) + NOISE_OF_SKETCHES;
            let total = lasting.len() as f64 + f64::from(self.kept);
            similarity / (1.0 + similarity) * total < least as f64
        };
        if is_missing {
            Sameness::Different
        } else {
            Sameness::Unknown
        }
    }

    /// Which signature of a page to compare with this content: the one under the chrome of then, or, where that leaves a little more
    /// than there is here, one under later chrome that leaves just what is here. (A line that came up since and is chrome by now.)
    pub(super) fn comparable(
        &self,
        page: &mut Newcomer<'_>,
        then: usize,
        book: &ChromeBook,
    ) -> usize {
        let more = page.signed(then, book).kept().checked_sub(self.kept);
        let may_be_it = |more: u32| (1..=SLIGHT as u32).contains(&more);
        if self.kept < SOME || !more.is_some_and(may_be_it) || page.current(book).kept() > self.kept
        {
            return then;
        }
        let later = (self.chrome + 1..=page.newest()).rev();
        let is_it = |at: &usize, page: &Newcomer<'_>| {
            let signed = page.signed(*at, book);
            signed.kept() >= SOME && (signed.of_set == self.set || signed.of_echo == self.echo)
        };
        for version in later {
            if let Some(at) = page.at(version, book)
                && is_it(&at, page)
            {
                return at;
            }
        }
        then
    }
}

impl Clusters {
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
        if are_of_two_kinds(cluster.exact, text.exact()) {
            return Sameness::Different;
        }
        if cluster.exact == text.exact() || self.texts.content(text.exact()) == Some(id) {
            return Sameness::Same;
        }
        let whole = text.shingles().len();
        let known = page.at(cluster.chrome, book);
        let at = cluster.comparable(page, known.unwrap_or_default(), book);
        let signed = page.signed(at, book);
        let fewer = signed.kept().min(cluster.kept);
        if fewer >= SOME && signed.of_set == cluster.set {
            return Sameness::Same;
        }
        if fewer < ENOUGH && self.content_settled(text) == Some(id) {
            return Sameness::Same;
        }
        let is_echo = fewer >= SOME && signed.of_echo == cluster.echo;
        // What the representative's signature calls content may be known for chrome by now.
        let is_outdated = known.is_none() || signed.of_set != page.current(book).of_set;
        let still_differs = |exact| {
            let lasting = page.lasting(at, book);
            let similarity = |of: &[u32], to: &Sketch| page.similarity_of_lasting(of, at, book, to);
            cluster.differs_still(exact, known.and(Some(signed)), &lasting, similarity)
        };
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
                    still_differs(exact)
                } else {
                    Sameness::Different
                };
            };
            let mut difference = Difference::of_sets(sizes, shared, fewer, whole);
            if difference.similarity >= SAME {
                alone = theirs.set.alone(&signed.set);
                // Asked for only where all else says that they are the same.
                difference.run = signed.longest_run(&alone, text, page.held(book));
            }
            difference
        } else {
            let similarity = signed.sketch().similarity(&cluster.sketch);
            let total = signed.kept() + cluster.kept;
            Difference::of_sketches(similarity, total, fewer, whole)
        };
        if is_echo {
            return difference.of_echoes();
        }
        let mut found = difference.verdict();
        if found == Sameness::Same {
            let is_same = match exact {
                Some(theirs) => {
                    let words = theirs.words.alone(text.vocabulary());
                    let is_theirs =
                        |s: &Shingle| alone.binary_search(&s.raw).is_ok() && !book.recurs(s);
                    let has_none = text.own_words(&words, is_theirs) < OWN_WORDS;
                    self.near.count(has_none);
                    has_none
                }
                None => difference.similarity >= SAME_BY_SKETCH && self.near.is_telling(),
            };
            if !is_same {
                found = Sameness::Unknown;
            }
        }
        if found == Sameness::Different && is_outdated {
            found = still_differs(exact);
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
        if page.current(book).kept() < ENOUGH
            && let Some(id) = self.content_settled(page.text)
        {
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
                if let Some(id) = self.filed_by_band(page, at, band, book)
                    && self.is_found(id, &mut tried, page, book)
                {
                    return Some(id);
                }
            }
        }
        None
    }

    /// The content of which chrome left next to nothing that has this text, whatever the clock of the page and how long it took to make. Tables of
    /// numbers are such pages, where all of their words stand on others, too.
    fn content_settled(&self, text: &PageText<'_>) -> Option<ClusterId> {
        self.texts.content(text.settled()?)
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

    pub(super) fn filed_by_hash(&self, hash: u64, which: usize) -> Option<ClusterId> {
        let filed = self.by_hash.find(hash, |filed| {
            filed.name() == which && self.all[filed.cluster() as usize].hash(which) == hash
        })?;
        Some(filed.cluster())
    }

    fn filed_by_band(
        &self,
        page: &Newcomer<'_>,
        at: usize,
        band: usize,
        book: &ChromeBook,
    ) -> Option<ClusterId> {
        let name = page.signed(at, book).sketch().band(band);
        let filed = self.by_band.find(spread(name), |filed| {
            let cluster = &self.all[filed.cluster() as usize];
            filed.name() == band
                && cluster.sketch.band(band) == name
                && !are_of_two_kinds(cluster.exact, page.text.exact())
        })?;
        Some(filed.cluster())
    }
}
