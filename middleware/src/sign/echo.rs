//! Echoes: words of a page that merely repeat its own URL.

use xxhash_rust::xxh3::xxh3_64;

/// Words that a page may merely repeat from its own URL.
#[derive(Clone, Debug, Default)]
pub struct Echo {
    /// Their hashes, in order.
    words: Vec<u64>,
    /// Bits for each length and first and last octet that occur: most words of a text are none of these.
    marks: [u64; 16],
}

/// Shorter words are no echoes.
const SHORTEST: usize = 3;

/// Where parts of a word may begin and end: `reference/perldata.txt` repeats `reference:perldata`.
pub(super) const SEAMS: [u8; 3] = [b'/', b'.', b':'];

/// Place of the bit of a word, whatever the case of its letters.
#[inline]
fn mark(word: &[u8]) -> (usize, u32) {
    let (Some(first), Some(last)) = (word.first(), word.last()) else {
        return (0, 0);
    };
    // Letters of two cases differ in 32.
    let bit = u32::from(first | 32) + 2 * u32::from(last | 32);
    (word.len() % 16, bit % 64)
}

/// Letters and digits of ASCII.
const IS_BARE: [bool; 256] = {
    let mut is_bare = [false; 256];
    let mut octet = 0;
    while octet < 128 {
        is_bare[octet] = (octet as u8).is_ascii_alphanumeric();
        octet += 1;
    }
    is_bare
};

impl Echo {
    /// Whether there is any word.
    #[inline]
    pub(super) fn is_any(&self) -> bool {
        !self.words.is_empty()
    }

    /// Takes the values and path segments of a URL apart: whole, and split at punctuation.
    pub fn of(url: &url::Url) -> Self {
        let (mut echo, mut low) = (Self::default(), Vec::new());
        for segment in url.path().split('/') {
            echo.add(segment, &mut low);
        }
        for pair in url.query().unwrap_or_default().split(['&', ';']) {
            let value = pair.split_once('=').map_or("", |(_, value)| value);
            echo.add(value, &mut low);
        }
        echo.words.sort_unstable();
        echo.words.dedup();
        echo
    }

    /// Adds the words of a part of a URL. `low` is room to work in.
    fn add(&mut self, text: &str, low: &mut Vec<u8>) {
        if text.len() < SHORTEST {
            return;
        }
        let text = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
        let mut one = |word: &str| {
            if word.len() >= SHORTEST {
                low.clear();
                low.extend(word.bytes().map(|octet| octet.to_ascii_lowercase()));
                let (at, bit) = mark(low);
                self.marks[at] |= 1 << bit;
                self.words.push(xxh3_64(low));
            }
        };
        for word in text.split(['+', ' ', '/']) {
            one(word);
            for part in word.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-') {
                one(part);
            }
        }
    }

    #[inline]
    fn is_marked(&self, word: &[u8]) -> bool {
        let (at, bit) = mark(word);
        (self.marks[at] >> bit) & 1 != 0
    }

    /// Whether a word of letters and digits around nothing [special](super::scan) is no echo: most are none.
    #[inline]
    pub(super) fn is_plain(&self, word: &[u8]) -> bool {
        let (Some(first), Some(last)) = (word.first(), word.last()) else {
            return false;
        };
        let is_bare = IS_BARE[usize::from(*first)] && IS_BARE[usize::from(*last)];
        is_bare && !self.is_marked(word)
    }

    /// Whether a word of ASCII may be an echo or hold one; most do not. `may_part`: there may be a [seam](SEAMS) in it.
    #[inline]
    pub(super) fn may_hold(&self, word: &[u8], may_part: bool) -> bool {
        if self.is_marked(word) {
            return true;
        }
        let is_bare = |octet: &u8| IS_BARE[usize::from(*octet)];
        if !may_part && word.first().is_some_and(is_bare) && word.last().is_some_and(is_bare) {
            return false;
        }
        let Some(from) = word.iter().position(is_bare) else {
            return false;
        };
        let to = word.iter().rposition(is_bare).unwrap_or(from);
        let bare = &word[from..=to];
        self.is_marked(bare) || (may_part && bare.iter().any(|octet| SEAMS.contains(octet)))
    }

    /// Whether a word is an echo, or what punctuation leaves of it. `low` is room to work in.
    pub(super) fn holds(&self, word: &str, low: &mut Vec<u8>) -> bool {
        let (word, bare) = (word.as_bytes(), bare(word).as_bytes());
        self.has(word, low)
            || (bare.len() < word.len() && self.has(bare, low))
            || (bare.iter().any(|octet| SEAMS.contains(octet))
                && (bare.split(|octet| SEAMS.contains(octet)))
                    .any(|part| part.len() >= SHORTEST && self.has(part, low)))
    }

    /// The parts of a word that are no echoes, where others are. Short ones count for neither.
    pub(super) fn left<'w>(&self, word: &'w str, low: &mut Vec<u8>) -> Vec<&'w [u8]> {
        let bare = bare(word).as_bytes();
        if self.has(word.as_bytes(), low) || self.has(bare, low) {
            return Vec::new();
        }
        let parts = bare.split(|octet| SEAMS.contains(octet));
        let left = parts.filter(|part| part.len() >= SHORTEST && !self.has(part, low));
        left.collect()
    }

    fn has(&self, word: &[u8], low: &mut Vec<u8>) -> bool {
        if !self.is_marked(word) {
            return false;
        }
        low.clear();
        low.extend(word.iter().map(u8::to_ascii_lowercase));
        self.words.binary_search(&xxh3_64(low)).is_ok()
    }
}

/// A word without what is neither letter nor digit around it.
fn bare(word: &str) -> &str {
    let octets = word.as_bytes();
    match (octets.first(), octets.last()) {
        (Some(a), Some(b)) if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric() => word,
        _ => word.trim_matches(|c: char| !c.is_alphanumeric()),
    }
}
