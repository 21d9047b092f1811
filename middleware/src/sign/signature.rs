//! Signatures: what is kept of a page's text.

use std::{borrow::Cow, cell::OnceCell};

use nodust_frontier::FetchedPage;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    Chrome, ChromeBook, Echo, Shingle, Sketch, Words,
    arrows::without_arrows,
    chrome::Holders,
    clock::{without_clock, without_clock_of_frame},
    scan::fold,
    shingle::shingles_and_words,
    sort::sort,
};

/// Fewer shingles than this, and resemblance says nothing.
pub(super) const ENOUGH: u32 = 20;
/// Fewer than this, and even equality of what is left says nothing.
pub(super) const SOME: u32 = 8;

/// Stands before the text of a file without markup, wherever that is kept.
const PLAIN: char = '\u{2}';

/// The text of a page, marked if it came without markup.
pub(crate) fn text_of<'p>(page: &FetchedPage<'p>) -> Option<Cow<'p, str>> {
    Some(marked(page.text?, page.is_plain))
}

/// The text of a further answer for its URL, if there is one.
pub(crate) fn refetched_of<'p>(page: &FetchedPage<'p>) -> Option<Cow<'p, str>> {
    Some(marked(page.refetched?, page.is_plain))
}

/// What is compared of a text: marked if it `is_plain`, and without [arrows](without_arrows) if not.
pub(crate) fn marked(text: &str, is_plain: bool) -> Cow<'_, str> {
    let text = if is_plain {
        text.into()
    } else {
        without_arrows(text)
    };
    // Whatever a page begins with, it is one.
    let bare = text.trim_start_matches(PLAIN);
    if is_plain {
        format!("{PLAIN}{bare}").into()
    } else if bare.len() < text.len() {
        bare.to_owned().into()
    } else {
        text
    }
}

/// Whether a text is that of a file without markup.
pub(crate) fn is_marked(text: &str) -> bool {
    text.starts_with(PLAIN)
}

/// The text without the mark, and its hash, of which the lowest bit says whether it was marked: a raw file and the page
/// that shows it are two contents, whatever they share.
fn unmarked(text: &str) -> (&str, u64) {
    let bare = text.strip_prefix(PLAIN);
    let hash = xxh3_64(bare.unwrap_or(text).as_bytes());
    (bare.unwrap_or(text), hash & !1 | u64::from(bare.is_some()))
}

/// Whether of two texts with these hashes one is marked, and the other is not.
pub(super) const fn are_of_two_kinds(one: u64, other: u64) -> bool {
    (one ^ other) & 1 != 0
}

/// Each of some hashes once, in order.
pub(super) fn distinct(mut hashes: Vec<u32>) -> Vec<u32> {
    sort(&mut hashes);
    hashes.dedup();
    hashes
}

/// A text taken apart, before chrome is removed.
#[derive(Clone, Debug)]
pub struct PageText<'t> {
    exact: u64,
    /// Text and URL of a page that is taken apart when its words are asked for: of one whose text is known word for word they
    /// seldom are.
    source: Option<(&'t str, &'t Url)>,
    parts: OnceCell<Parts>,
    vocabulary: OnceCell<Vec<u32>>,
    whole: OnceCell<Sketch>,
    settled: OnceCell<Option<u64>>,
}

#[derive(Clone, Debug, Default)]
struct Parts {
    shingles: Vec<Shingle>,
    words: Words,
    /// Shingles that repeat the page's own URL, and a name of all of them.
    echoes: u32,
    address: u32,
}

impl Parts {
    fn of(text: &str, echo: &Echo) -> Self {
        let (shingles, words) = shingles_and_words(text, echo);
        let mut address: Vec<u32> = (shingles.iter().filter(|s| s.raw != s.echo))
            .map(|s| s.raw)
            .collect();
        let echoes = address.len() as u32;
        sort(&mut address);
        address.dedup();
        Self {
            shingles,
            words,
            echoes,
            address: hash(&address) as u32 | 1,
        }
    }
}

impl PageText<'static> {
    /// Takes a text apart. `echo` has the words that it may repeat from its own URL. A text that begins with U+0002 came without
    /// markup ([`FetchedPage::is_plain`](nodust_frontier::FetchedPage::is_plain)).
    pub fn new(text: &str, echo: &Echo) -> Self {
        let (text, exact) = unmarked(text);
        Self {
            exact,
            source: None,
            parts: OnceCell::from(Parts::of(text, echo)),
            vocabulary: OnceCell::new(),
            whole: OnceCell::new(),
            settled: OnceCell::new(),
        }
    }
}

impl<'t> PageText<'t> {
    /// The text of the page at a URL, which is taken apart as soon as anything but its hash is asked for.
    pub(crate) fn of_page(text: &'t str, url: &'t Url) -> Self {
        let (text, exact) = unmarked(text);
        Self {
            exact,
            source: Some((text, url)),
            parts: OnceCell::new(),
            vocabulary: OnceCell::new(),
            whole: OnceCell::new(),
            settled: OnceCell::new(),
        }
    }

    #[cfg(test)]
    pub(super) fn is_apart(&self) -> bool {
        self.parts.get().is_some()
    }

    fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| {
            let source = self.source;
            source.map_or_else(Parts::default, |(text, url)| {
                Parts::of(text, &Echo::of(url))
            })
        })
    }

    /// Hash of the whole text; the lowest bit says whether it came without markup.
    pub const fn exact(&self) -> u64 {
        self.exact
    }

    /// Hash of the whole text but for what is of the moment: the time of day, and how long the page took. None where the text is not
    /// at hand any more.
    pub(crate) fn still(&self) -> Option<u64> {
        let kind = self.exact & 1;
        (self.source).map(|(text, _)| without_clock(text) ^ (kind << 1))
    }

    /// The same, the time of day being left out only at the page's beginning and end.
    pub(crate) fn settled(&self) -> Option<u64> {
        *self.settled.get_or_init(|| {
            let kind = self.exact & 1;
            (self.source).map(|(text, _)| without_clock_of_frame(text) ^ (kind << 1))
        })
    }

    /// Name of what the page says of its own address, if it is little more than that: under another one, two
    /// pages like it could be less `alike` than two pages that are the same. 0 where there is enough besides.
    pub(super) fn address(&self, alike: f64) -> u32 {
        let parts = self.parts();
        let (all, echoes) = (parts.shingles.len() as f64, f64::from(parts.echoes));
        if all - echoes < alike * (all + echoes) {
            parts.address
        } else {
            0
        }
    }

    /// Name and sketch of what it says, chrome included, in whatever order, with digits and echoes of its URL masked.
    pub(crate) fn said(&self) -> (u32, Sketch) {
        let all = self.shingles().iter().map(|s| s.masked);
        let all = distinct(all.collect());
        (hash(&all) as u32, Sketch::of(&all))
    }

    /// Sketch of all its shingles, chrome included.
    pub(super) fn whole(&self) -> &Sketch {
        self.whole.get_or_init(|| {
            let all = self.shingles().iter().map(|s| s.raw);
            Sketch::of(&distinct(all.collect()))
        })
    }

    /// Words that tell, sorted, each once.
    pub(super) fn vocabulary(&self) -> &[u32] {
        self.vocabulary
            .get_or_init(|| distinct(self.parts().words.order.clone()))
    }

    /// How many different words with a digit it has, but for those that repeat its own URL.
    pub(super) fn numbers(&self) -> usize {
        distinct(self.parts().words.numbers.clone()).len()
    }

    /// Words of the shingles that `is_own` picks which are among `own`, which is sorted: how much of its own a
    /// page says there.
    pub(super) fn own_words(&self, own: &[u32], is_own: impl Fn(&Shingle) -> bool) -> usize {
        let mut found: Vec<u32> = Vec::new();
        let Parts {
            shingles, words, ..
        } = self.parts();
        for shingle in shingles.iter().filter(|s| is_own(s)) {
            let at = shingle.at as usize;
            for &word in &words.order[at..at + usize::from(shingle.width)] {
                if word != 0 && own.binary_search(&word).is_ok() && !found.contains(&word) {
                    found.push(word);
                }
            }
        }
        found.len()
    }

    /// All shingles, chrome included, in order.
    pub fn shingles(&self) -> &[Shingle] {
        &self.parts().shingles
    }

    /// Computes its signature under a version of the host's chrome.
    pub fn sign(&self, chrome: Chrome<'_>) -> PageSignature {
        let signed = self.signed(&self.held_by(chrome.book()), chrome.version());
        PageSignature {
            exact: self.exact,
            set: signed.of_set,
            echo: signed.of_echo,
            kept: signed.kept(),
            chrome: chrome.version(),
            sketch: signed.sketch().clone(),
        }
    }

    /// The versions of the chrome that hold each of its shingles.
    pub(super) fn held_by(&self, book: &ChromeBook) -> Vec<Holders> {
        self.shingles().iter().map(|s| book.held(s)).collect()
    }

    /// Signs it under a version of the chrome with all that a comparison may want.
    pub(super) fn signed(&self, held: &[Holders], version: u32) -> Signed {
        let shingles = self.shingles();
        let mut set = Vec::with_capacity(shingles.len() + 16);
        // The first shingles of two lines that follow each other: shingles do not span lines, and a listing in
        // another order is another page.
        let mut following = Vec::new();
        let mut echoed = Echoed::default();
        let mut last: Option<&Shingle> = None;
        let own = shingles.iter().zip(held);
        for (shingle, _) in own.filter(|(_, held)| !held.by(version)) {
            set.push(shingle.raw);
            echoed.note(shingle.raw, shingle.echo);
            if shingle.begins
                && let Some(last) = last.replace(shingle)
            {
                let raw = succession(last.raw, shingle.raw);
                echoed.note(raw, succession(last.echo, shingle.echo));
                following.push(raw);
            }
        }
        set.append(&mut following);
        sort(&mut set);
        set.dedup();
        let of_set = hash(&set);
        Signed {
            of_set,
            of_echo: echoed.of(of_set),
            version,
            set,
            sketch: OnceCell::new(),
        }
    }
}

const fn succession(before: u32, after: u32) -> u32 {
    before.rotate_left(7).wrapping_mul(0x9E37_79B1) ^ after
}

/// Shingles that repeat something of the page's URL: as they stand, and with that masked.
#[derive(Default)]
struct Echoed {
    raw: Vec<u32>,
    masked: Vec<u32>,
}

impl Echoed {
    fn note(&mut self, raw: u32, masked: u32) {
        if raw != masked {
            self.raw.push(raw);
            self.masked.push(masked);
        }
    }

    /// Hash of a set with these masked; most pages repeat nothing of their URL.
    fn of(mut self, set: u64) -> u64 {
        for all in [&mut self.raw, &mut self.masked] {
            sort(all);
            all.dedup();
        }
        set.wrapping_sub(hash(&self.raw))
            .wrapping_add(hash(&self.masked))
    }
}

/// Hash of a set, which is the sum of those of its elements.
fn hash(set: &[u32]) -> u64 {
    set.iter().fold(0, |sum: u64, element| {
        let element = u64::from(*element) ^ 0xA076_1D64_78BD_642F;
        sum.wrapping_add(fold(element, 0xE703_7ED1_A0B4_28DB))
    })
}

/// What is kept of a page's content: 96 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageSignature {
    /// Hash of the whole text; the lowest bit says whether it came without markup.
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

/// What a version of the chrome leaves of a text.
#[derive(Clone, Debug)]
pub(crate) struct Signed {
    /// Hash of the set.
    pub(super) of_set: u64,
    /// The same with echoes of the URL masked.
    pub(super) of_echo: u64,
    /// The version.
    version: u32,
    /// The distinct shingles, sorted.
    pub(super) set: Vec<u32>,
    sketch: OnceCell<Sketch>,
}

impl Signed {
    /// Distinct shingles.
    pub(crate) fn kept(&self) -> u32 {
        self.set.len() as u32
    }

    /// Sketch of the set.
    pub(super) fn sketch(&self) -> &Sketch {
        self.sketch.get_or_init(|| Sketch::of(&self.set))
    }

    /// What it leaves of the shingles of the text, in order.
    pub(super) fn order<'a>(
        &'a self,
        text: &'a PageText<'_>,
        held: &'a [Holders],
    ) -> impl Iterator<Item = u32> + 'a {
        let all = text.shingles().iter().zip(held);
        let own = all.filter(|(_, held)| !held.by(self.version));
        own.map(|(shingle, _)| shingle.raw)
    }

    /// Shingles of this page in a row that are among `own`, which is sorted, at most.
    pub(super) fn longest_run(&self, own: &[u32], text: &PageText<'_>, held: &[Holders]) -> usize {
        let (mut run, mut longest) = (0, 0);
        for shingle in self.order(text, held) {
            run = if own.binary_search(&shingle).is_ok() {
                run + 1
            } else {
                0
            };
            longest = longest.max(run);
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::ChromeBook;

    #[test]
    fn echoes_of_the_url_are_masked_in_the_hash_meant_for_them_alone() {
        let sign = |name: &str| {
            let echo = Echo::of(&format!("http://e.org/{name}/").parse().unwrap());
            let text = format!(
                "you searched for the word ({name}) and found nothing at all in {name}/here"
            );
            PageText::new(&text, &echo).sign(ChromeBook::default().current())
        };
        let (a, b) = (sign("alpha"), sign("gamma"));
        assert_eq!(a.echo, b.echo);
        assert_ne!(a.set, b.set);
        assert_ne!(a.echo, a.set);
    }

    #[test]
    fn a_table_of_the_same_rows_is_the_same_whatever_it_says_to_be_sorted_by() {
        let exact = |text| PageText::new(&marked(text, false), &Echo::default()).exact();
        let by_id = exact("id▼ name since\n7 Anna Kis 2006");
        assert_eq!(by_id, exact("id name▲ since\n7 Anna Kis 2006"));
        assert_ne!(by_id, exact("id▼ name since\n8 Bela Kis 2006"));
        // What stands before the text of a raw file does not come to its beginning by that.
        assert_eq!(exact("▲\u{2}id"), exact("id"));
    }
}
