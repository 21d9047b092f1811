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
pub struct Echo {
    words: FxHashSet<u64>,
    /// One bit for each length that occurs, so that most words of a text are told by their length.
    lengths: u64,
}

/// Shorter words are no echoes.
const SHORTEST: usize = 3;

/// Where parts of a word may begin and end: `reference/perldata.txt` repeats `reference:perldata`.
const SEAMS: [u8; 3] = [b'/', b'.', b':'];

const fn length_bit(len: usize) -> u64 {
    1 << if len < 63 { len } else { 63 }
}

impl Echo {
    /// Takes the values and path segments of a URL apart: whole, and split at punctuation.
    pub fn of(url: &url::Url) -> Self {
        let mut echo = Self::default();
        for segment in url.path().split('/') {
            echo.add(segment);
        }
        for pair in url.query().unwrap_or_default().split(['&', ';']) {
            echo.add(pair.split_once('=').map_or("", |(_, value)| value));
        }
        echo
    }

    fn add(&mut self, text: &str) {
        let text = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
        let mut one = |word: &str| {
            if word.len() >= SHORTEST {
                self.lengths |= length_bit(word.len());
                self.words
                    .insert(xxh3_64(word.to_ascii_lowercase().as_bytes()));
            }
        };
        for word in text.split(['+', ' ', '/']) {
            one(word);
            for part in word.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-') {
                one(part);
            }
        }
    }

    /// Whether a word is an echo; `low` is room to work in.
    fn holds(&self, word: &str, low: &mut String) -> bool {
        if self.lengths == 0 {
            return false;
        }
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let has_seams = bare.bytes().any(|b| SEAMS.contains(&b));
        let lengths = length_bit(word.len()) | length_bit(bare.len());
        if !has_seams && self.lengths & lengths == 0 {
            return false;
        }
        low.clear();
        low.push_str(word);
        low.make_ascii_lowercase();
        let bare = low.trim_matches(|c: char| !c.is_alphanumeric());
        self.has(low.as_bytes())
            || (bare.len() < low.len() && self.has(bare.as_bytes()))
            || (has_seams
                && bare
                    .as_bytes()
                    .split(|b| SEAMS.contains(b))
                    .any(|part| part.len() >= SHORTEST && self.has(part)))
    }

    fn has(&self, word: &[u8]) -> bool {
        self.lengths & length_bit(word.len()) != 0 && self.words.contains(&xxh3_64(word))
    }
}

/// Hash of a word with digits, every run of which is replaced.
fn masked_hash(word: &str, buffer: &mut Vec<u8>) -> u64 {
    buffer.clear();
    for byte in word.bytes() {
        if !byte.is_ascii_digit() {
            buffer.push(byte);
        } else if buffer.last() != Some(&b'#') {
            buffer.push(b'#');
        }
    }
    xxh3_64(buffer)
}

/// Hashes of a word: as it stands, as chrome is recognised, and with echoes masked. Where the second is the
/// first, so is the third.
type Word = [u64; 3];

fn mix(words: &[Word], which: usize) -> u32 {
    let mut hash = words.len() as u64;
    for word in words {
        hash = (hash ^ word[which]).wrapping_mul(0x9E37_79B9_7F4A_7C15);
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
    let mut words = Words {
        order: Vec::with_capacity(text.len() / 6),
    };
    let mut line: Vec<Word> = Vec::new();
    let (mut low, mut buffer) = (String::new(), Vec::new());
    for text in text.split('\n') {
        line.clear();
        for word in text.split_whitespace() {
            let hash = xxh3_64(word.as_bytes());
            let tells = !echo.holds(word, &mut low);
            let has_digit = word.bytes().any(|b| b.is_ascii_digit());
            words.order.push(if tells && !has_digit {
                (hash >> 32) as u32 | 1
            } else {
                0
            });
            line.push(match (tells, has_digit) {
                (false, _) => [hash, ECHO, ECHO],
                (true, true) => [hash, masked_hash(word, &mut buffer), hash],
                (true, false) => [hash; 3],
            });
        }
        if line.is_empty() {
            continue;
        }
        let width = WORDS.min(line.len());
        let first = words.order.len() - line.len();
        for (at, run) in line.windows(width).enumerate() {
            let raw = mix(run, 0);
            let is_plain = run.iter().all(|word| word[0] == word[1]);
            let (masked, echo) = if is_plain {
                (raw, raw)
            } else {
                (mix(run, 1), mix(run, 2))
            };
            out.push(Shingle {
                raw,
                masked,
                echo,
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
