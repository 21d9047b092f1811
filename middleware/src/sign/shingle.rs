//! Which runs of words does a page consist of?
//!
//! Word 4-shingles that never span a line (a line of fewer words is one shingle). Each shingle has three
//! hashes: of its words as they stand, of its words with every run of digits replaced (clocks, counters
//! and dates then look alike from page to page, which is how they are recognised as chrome), and of its
//! words with those replaced that merely repeat the page's own URL.

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

/// Words in a shingle.
pub const WORDS: usize = 4;

/// One run of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shingle {
    /// Hash of the words as they stand.
    pub raw: u32,
    /// Hash of the words with digits and echoes of the URL masked: what chrome is recognised by.
    pub masked: u32,
    /// Hash of the words with echoes of the URL masked.
    pub echo: u32,
    /// Place of its first word in [`Words::order`].
    pub at: u32,
    /// Its words.
    pub width: u8,
    /// Whether it begins a line.
    pub begins: bool,
}

/// The words of a text, in order and by hash; 0 stands for words that tell nothing: those with a digit
/// (counters, dates, tokens) and those that repeat the page's own URL.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// One hash a word.
    pub order: Vec<u32>,
}

/// Words that a page may merely repeat from its own URL.
#[derive(Clone, Debug, Default)]
pub struct Echo(FxHashSet<u64>);

impl Echo {
    /// Takes the values and path segments of a URL apart: whole, and split at punctuation.
    pub fn of(url: &url::Url) -> Self {
        let mut set = FxHashSet::default();
        let mut add = |text: &str| {
            let text = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
            let mut one = |word: &str| {
                if word.len() >= 3 {
                    set.insert(xxh3_64(word.to_ascii_lowercase().as_bytes()));
                }
            };
            for word in text.split(['+', ' ', '/']) {
                one(word);
                for part in word.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-') {
                    one(part);
                }
            }
        };
        for segment in url.path().split('/') {
            add(segment);
        }
        for pair in url.query().unwrap_or_default().split(['&', ';']) {
            add(pair.split_once('=').map_or("", |(_, value)| value));
        }
        Self(set)
    }

    fn holds(&self, word: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let low = word.to_ascii_lowercase();
        let bare = low.trim_matches(|c: char| !c.is_alphanumeric());
        // `reference/perldata.txt` repeats `reference:perldata`.
        self.0.contains(&xxh3_64(low.as_bytes()))
            || self.0.contains(&xxh3_64(bare.as_bytes()))
            || (bare.contains(['/', '.', ':'])
                && bare
                    .split(['/', '.', ':'])
                    .any(|part| part.len() >= 3 && self.0.contains(&xxh3_64(part.as_bytes()))))
    }
}

fn masked_hash(word: &str, buffer: &mut Vec<u8>) -> Option<u64> {
    word.bytes().any(|b| b.is_ascii_digit()).then(|| {
        buffer.clear();
        for byte in word.bytes() {
            if !byte.is_ascii_digit() {
                buffer.push(byte);
            } else if buffer.last() != Some(&b'#') {
                buffer.push(b'#');
            }
        }
        xxh3_64(buffer)
    })
}

fn mix(words: &[u64]) -> u32 {
    let mut hash = words.len() as u64;
    for word in words {
        hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
    }
    (hash >> 16) as u32
}

/// The shingles of a text, in order.
pub fn shingles(text: &str, echo: &Echo) -> Vec<Shingle> {
    shingles_and_words(text, echo).0
}

/// The shingles of a text and its words, in order.
pub(super) fn shingles_and_words(text: &str, echo: &Echo) -> (Vec<Shingle>, Words) {
    const ECHO: u64 = 0x6563_686F;
    let mut out = Vec::with_capacity(text.len() / 6);
    let (mut raw, mut masked, mut echoed) = (Vec::new(), Vec::new(), Vec::new());
    let mut buffer = Vec::new();
    let mut words = Words::default();
    for line in text.split('\n') {
        raw.clear();
        masked.clear();
        echoed.clear();
        for word in line.split_whitespace() {
            let hash = xxh3_64(word.as_bytes());
            raw.push(hash);
            let tells = !echo.holds(word);
            let has_digit = word.bytes().any(|b| b.is_ascii_digit());
            words.order.push(if tells && !has_digit {
                (hash >> 32) as u32 | 1
            } else {
                0
            });
            if tells {
                masked.push(masked_hash(word, &mut buffer).unwrap_or(hash));
                echoed.push(hash);
            } else {
                masked.push(ECHO);
                echoed.push(ECHO);
            }
        }
        if raw.is_empty() {
            continue;
        }
        let width = WORDS.min(raw.len());
        let first = words.order.len() - raw.len();
        for at in 0..=raw.len() - width {
            let range = at..at + width;
            out.push(Shingle {
                raw: mix(&raw[range.clone()]),
                masked: mix(&masked[range.clone()]),
                echo: mix(&echoed[range]),
                at: (first + at) as u32,
                width: width as u8,
                begins: at == 0,
            });
        }
    }
    (out, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Shingle> {
        shingles(text, &Echo::default())
    }

    #[test]
    fn shingles_do_not_span_lines_and_a_short_line_is_one() {
        assert_eq!(of("a b c d e").len(), 2);
        assert_eq!(of("a b\nc d e f").len(), 2);
        assert!(of(" \n ").is_empty());
    }

    #[test]
    fn digits_are_masked_only_where_chrome_is_recognised() {
        let (a, b) = (of("seen 17 times today")[0], of("seen 9 times today")[0]);
        assert_eq!(a.masked, b.masked);
        assert_ne!(a.raw, b.raw);
    }

    #[test]
    fn words_of_the_url_are_masked_as_echoes() {
        let echo = |id: &str| Echo::of(&format!("http://e.org/doku?id=ref:{id}").parse().unwrap());
        let a = shingles("log in to ref:alpha please", &echo("alpha"));
        let b = shingles("log in to ref:gamma please", &echo("gamma"));
        assert_eq!(a[0].echo, b[0].echo);
        assert_ne!(a[0].raw, b[0].raw);
    }
}
