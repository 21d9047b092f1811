//! What is kept of a page's text?

use rustc_hash::{FxBuildHasher, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::{Chrome, Echo, Shingle, Sketch, Words, shingle::shingles_and_words};

/// Fewer shingles than this, and resemblance says nothing.
pub(super) const ENOUGH: u32 = 20;
/// Fewer than this, and even equality of what is left says nothing.
pub(super) const SOME: u32 = 8;

/// A text taken apart, before chrome is removed.
#[derive(Clone, Debug)]
pub struct PageText {
    exact: u64,
    shingles: Vec<Shingle>,
    words: Words,
    /// Shingles that repeat the page's own URL, and a name of all of them.
    echoes: u32,
    address: u32,
}

impl PageText {
    /// Takes a text apart; `echo` holds the words that it may repeat from its own URL.
    pub fn new(text: &str, echo: &Echo) -> Self {
        let (shingles, words) = shingles_and_words(text, echo);
        let mut address: Vec<u32> = (shingles.iter().filter(|s| s.raw != s.echo))
            .map(|s| s.raw)
            .collect();
        let echoes = address.len() as u32;
        address.sort_unstable();
        address.dedup();
        Self {
            exact: xxh3_64(text.as_bytes()),
            shingles,
            words,
            echoes,
            address: hash(&address) as u32 | 1,
        }
    }

    /// Hash of the whole text.
    pub const fn exact(&self) -> u64 {
        self.exact
    }

    /// Name of what the page says of its own address, if it is little more than that: under another one, two
    /// pages like it could be less `alike` than two pages that are the same. 0 where there is enough besides.
    pub(super) const fn address(&self, alike: f64) -> u32 {
        let (all, echoes) = (self.shingles.len() as f64, self.echoes as f64);
        if all - echoes < alike * (all + echoes) {
            self.address
        } else {
            0
        }
    }

    /// Words that tell, sorted, each once.
    pub(super) fn vocabulary(&self) -> Vec<u32> {
        let mut words = self.words.order.clone();
        words.sort_unstable();
        words.dedup();
        words.shrink_to_fit();
        words
    }

    /// Words of the shingles that `is_own` picks which a sorted vocabulary lacks: how much of its own a
    /// page says there.
    pub(super) fn new_words(&self, theirs: &[u32], is_own: impl Fn(&Shingle) -> bool) -> usize {
        let mut found: Vec<u32> = Vec::new();
        for shingle in self.shingles.iter().filter(|s| is_own(s)) {
            let at = shingle.at as usize;
            for &word in &self.words.order[at..at + usize::from(shingle.width)] {
                if word != 0 && theirs.binary_search(&word).is_err() && !found.contains(&word) {
                    found.push(word);
                }
            }
        }
        found.len()
    }

    /// All shingles, chrome included, in order.
    pub fn shingles(&self) -> &[Shingle] {
        &self.shingles
    }

    /// Signs it under a version of the host's chrome.
    pub fn sign(&self, chrome: &Chrome) -> PageSignature {
        self.signed(chrome).signature
    }

    /// The signature with all that a comparison may want.
    pub fn signed(&self, chrome: &Chrome) -> Signed {
        self.signed_from(&self.without(chrome), chrome)
    }

    /// The same, given what it is under another version of the chrome: often that is all the same.
    pub(super) fn signed_again(&self, chrome: &Chrome, before: &Signed) -> Signed {
        let kept = self.without(chrome);
        if kept.iter().map(|s| &s.raw).ne(&before.order) {
            return self.signed_from(&kept, chrome);
        }
        let mut signed = before.clone();
        signed.signature.chrome = chrome.version();
        signed
    }

    fn without(&self, chrome: &Chrome) -> Vec<Shingle> {
        let kept = self.shingles.iter().filter(|s| !chrome.holds(s));
        kept.copied().collect()
    }

    fn signed_from(&self, kept: &[Shingle], chrome: &Chrome) -> Signed {
        let order: Vec<u32> = kept.iter().map(|s| s.raw).collect();
        let mut set = order.clone();
        set.extend(successions(kept, |s| s.raw));
        set.sort_unstable();
        set.dedup();
        let of_set = hash(&set);
        // Most pages repeat nothing of their URL.
        let of_echo = if kept.iter().all(|s| s.echo == s.raw) {
            of_set
        } else {
            let mut echo: Vec<u32> = kept.iter().map(|s| s.echo).collect();
            echo.extend(successions(kept, |s| s.echo));
            echo.sort_unstable();
            echo.dedup();
            hash(&echo)
        };
        let sketch = Sketch::of(&set);
        Signed {
            signature: PageSignature {
                exact: self.exact,
                set: of_set,
                echo: of_echo,
                kept: set.len() as u32,
                chrome: chrome.version(),
                sketch,
            },
            order,
            set,
        }
    }
}

/// One element for each two lines that follow each other: shingles do not span lines, and a listing in
/// another order is another page.
fn successions(kept: &[Shingle], of: impl Fn(&Shingle) -> u32) -> Vec<u32> {
    let begins: Vec<u32> = kept.iter().filter(|s| s.begins).map(of).collect();
    begins
        .windows(2)
        .map(|pair| pair[0].rotate_left(7).wrapping_mul(0x9E37_79B1) ^ pair[1])
        .collect()
}

fn hash(set: &[u32]) -> u64 {
    let mut bytes = Vec::with_capacity(set.len() * 4);
    for element in set {
        bytes.extend_from_slice(&element.to_le_bytes());
    }
    xxh3_64(&bytes)
}

/// What is kept of a page's content: 96 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageSignature {
    /// Hash of the whole text.
    pub exact: u64,
    /// Hash of the set of shingles without chrome.
    pub set: u64,
    /// The same with echoes of the URL masked.
    pub echo: u64,
    /// Distinct shingles without chrome.
    pub kept: u32,
    /// Version of the chrome it was signed under; signatures of different versions do not compare.
    pub chrome: u32,
    /// Sketch of the set.
    pub sketch: Sketch,
}

/// A signature together with the shingles themselves.
#[derive(Clone, Debug)]
pub struct Signed {
    /// What is kept.
    pub signature: PageSignature,
    /// The shingles in the order of the text.
    pub order: Vec<u32>,
    /// The distinct shingles, sorted.
    pub set: Vec<u32>,
}

impl Signed {
    /// Shingles of this page in a row that `other` does not have, at most.
    pub(super) fn longest_new_run(&self, other: &[u32]) -> usize {
        let mut theirs: FxHashSet<u32> =
            FxHashSet::with_capacity_and_hasher(other.len(), FxBuildHasher);
        theirs.extend(other);
        let (mut run, mut longest) = (0, 0);
        for shingle in &self.order {
            run = if theirs.contains(shingle) { 0 } else { run + 1 };
            longest = longest.max(run);
        }
        longest
    }

    /// Shingles shared with another sorted set.
    pub(super) fn shared(&self, other: &[u32]) -> usize {
        let (mut i, mut j, mut shared) = (0, 0, 0);
        while i < self.set.len() && j < other.len() {
            match self.set[i].cmp(&other[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    i += 1;
                    j += 1;
                }
            }
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sign::ChromeBook;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn signing_again_is_signing(text in "([a-e7]{1,2}[ \n]){0,60}", common in "([a-e7]{1,2} ){4,12}") {
            let echo = Echo::of(&"http://e.org/ab/cde?q=bad".parse().unwrap());
            let page = PageText::new(&text, &echo);
            let mut book = ChromeBook::default();
            for _ in 0..40 {
                book.count(PageText::new(&common, &echo).shingles());
            }
            let plain = page.signed(&Chrome::default());
            let again = page.signed_again(book.current(), &plain);
            let anew = page.signed(book.current());
            prop_assert_eq!(&again.signature, &anew.signature);
            prop_assert_eq!((again.order, again.set), (anew.order, anew.set));
        }
    }

    #[test]
    fn echoes_of_the_url_are_masked_in_the_hash_meant_for_them_alone() {
        let sign = |name: &str| {
            let echo = Echo::of(&format!("http://e.org/{name}/").parse().unwrap());
            let text = format!(
                "you searched for the word ({name}) and found nothing at all in {name}/here"
            );
            PageText::new(&text, &echo).sign(&Chrome::default())
        };
        let (a, b) = (sign("alpha"), sign("gamma"));
        assert_eq!(a.echo, b.echo);
        assert_ne!(a.set, b.set);
        assert_ne!(a.echo, a.set);
    }
}
