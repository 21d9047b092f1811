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
    /// One bit for each length and first and last octet that occur: most words of a text are none of these.
    marks: [u64; 16],
}

/// Shorter words are no echoes.
const SHORTEST: usize = 3;

/// Where parts of a word may begin and end: `reference/perldata.txt` repeats `reference:perldata`.
const SEAMS: [u8; 3] = [b'/', b'.', b':'];

/// Place of the bit of a word, whatever the case of its letters.
#[inline]
fn mark(word: &[u8]) -> (usize, u64) {
    let (Some(first), Some(last)) = (word.first(), word.last()) else {
        return (0, 0);
    };
    let bit = word.len() * 167 + usize::from(first | 32) * 29 + usize::from(last | 32);
    (bit / 64 % 16, 1 << (bit % 64))
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
                let low = word.to_ascii_lowercase();
                let (at, bit) = mark(low.as_bytes());
                self.marks[at] |= bit;
                self.words.insert(xxh3_64(low.as_bytes()));
            }
        };
        for word in text.split(['+', ' ', '/']) {
            one(word);
            for part in word.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-') {
                one(part);
            }
        }
    }

    /// Whether a word may be an echo or hold one; most do not. `is_plain`: it consists of ASCII letters and digits.
    #[inline]
    fn may_hold(&self, word: &[u8], is_plain: bool) -> bool {
        let (at, bit) = mark(word);
        self.marks[at] & bit != 0 || !(is_plain || self.words.is_empty())
    }

    /// Whether a word is an echo, or what punctuation leaves of it. `low` is room to work in.
    fn holds(&self, word: &str, low: &mut String) -> bool {
        let bare = bare(word);
        self.has(word, low)
            || (bare.len() < word.len() && self.has(bare, low))
            || (bare.bytes().any(|b| SEAMS.contains(&b))
                && (bare.split(|c: char| SEAMS.iter().any(|seam| c == char::from(*seam))))
                    .any(|part| part.len() >= SHORTEST && self.has(part, low)))
    }

    fn has(&self, word: &str, low: &mut String) -> bool {
        let (at, bit) = mark(word.as_bytes());
        if self.marks[at] & bit == 0 {
            return false;
        }
        low.clear();
        low.push_str(word);
        low.make_ascii_lowercase();
        self.words.contains(&xxh3_64(low.as_bytes()))
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

/// A word as one pass over its octets finds it.
#[derive(Clone, Copy)]
struct Scanned {
    len: usize,
    hash: u64,
    has_digit: bool,
    is_ascii: bool,
    /// Whether there is nothing in it but ASCII letters and digits.
    is_plain: bool,
}

/// The same octet eight times.
const fn eight(octet: u8) -> u64 {
    u64::from_le_bytes([octet; 8])
}

const HIGH: u64 = eight(0x80);

/// A hash of a number, given a constant.
pub(super) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product ^ (product >> 64)) as u64
}

/// Reads a word up to the first octet that is a space or less, eight octets at a time: the high bit of each octet
/// of a mask tells of the octet at its place.
#[inline]
fn scan(text: &[u8]) -> Scanned {
    let (mut len, mut hash) = (0, 0x9E37_79B9_7F4A_7C15);
    let (mut digit, mut beyond_ascii, mut other) = (0, 0, 0);
    loop {
        let rest = &text[len..];
        let octets = if let Some(octets) = rest.first_chunk() {
            u64::from_le_bytes(*octets)
        } else {
            let mut octets = [0; 8];
            octets[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(octets)
        };
        // Exact up to the first octet that it finds.
        let ends = octets.wrapping_sub(eight(0x21)) & !octets & HIGH;
        let more = ends.trailing_zeros() as usize / 8;
        if more == 0 {
            break;
        }
        let inside = u64::MAX >> (64 - 8 * more);
        let octets = octets & inside;
        let low = octets & !HIGH;
        let above = |octet: u8| low + eight(0x80 - octet);
        let digits = above(b'0') & !above(b'9' + 1) & !octets;
        let letters = low | eight(0x20);
        let letters =
            (letters + eight(0x80 - b'a')) & !(letters + eight(0x80 - b'z' - 1)) & !octets;
        digit |= digits;
        beyond_ascii |= octets;
        other |= inside & !(digits | letters);
        hash = fold(hash ^ octets, 0xD6E8_FEB8_6659_FD93);
        len += more;
        if more < 8 {
            break;
        }
    }
    Scanned {
        len,
        hash,
        has_digit: digit & HIGH != 0,
        is_ascii: beyond_ascii & HIGH == 0,
        is_plain: other & HIGH == 0,
    }
}

/// Hash of a word with digits, every run of which is replaced.
fn masked_hash(word: &[u8], buffer: &mut Vec<u8>) -> u64 {
    buffer.clear();
    for &byte in word {
        if !byte.is_ascii_digit() {
            buffer.push(byte);
        } else if buffer.last() != Some(&b'#') {
            buffer.push(b'#');
        }
    }
    scan(buffer).hash
}

/// Hash of a run of words, given those of the words.
#[inline]
fn mix(words: &[u64]) -> u32 {
    let mut hash = words.len() as u64;
    for word in words {
        hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
    }
    (hash >> 16) as u32
}

/// The last words of the line that is being read.
#[derive(Clone, Copy, Default)]
struct Run {
    /// By their hashes: as they stand, as chrome is recognised, and with echoes masked.
    raw: [u64; WORDS],
    masked: [u64; WORDS],
    echo: [u64; WORDS],
    /// Which of them have more than one hash: the last one is the lowest bit.
    is_masked: u32,
    /// Words of the line.
    in_line: usize,
}

impl Run {
    /// Adds a word; the first one goes.
    #[inline]
    const fn push(&mut self, raw: u64, masked: u64, echo: u64, is_masked: bool) {
        let ([_, r @ ..], [_, m @ ..], [_, e @ ..]) = (self.raw, self.masked, self.echo);
        self.raw = [r[0], r[1], r[2], raw];
        self.masked = [m[0], m[1], m[2], masked];
        self.echo = [e[0], e[1], e[2], echo];
        self.is_masked = self.is_masked << 1 | is_masked as u32;
        self.in_line += 1;
    }

    /// The shingle of the last words; `at`: words of the text before them.
    #[inline]
    fn shingle(&self, width: usize, at: usize) -> Shingle {
        let from = WORDS - width;
        let raw = mix(&self.raw[from..]);
        let (masked, echo) = if self.is_masked.trailing_zeros() as usize >= width {
            (raw, raw)
        } else {
            (mix(&self.masked[from..]), mix(&self.echo[from..]))
        };
        Shingle {
            raw,
            masked,
            echo,
            at: at as u32,
            width: width as u8,
            begins: self.in_line == width,
        }
    }

    /// The shingle of a line that is too short for a whole one.
    #[inline]
    fn short_line(&self, words: usize) -> Option<Shingle> {
        let is_short = (1..WORDS).contains(&self.in_line);
        is_short.then(|| self.shingle(self.in_line, words - self.in_line))
    }
}

/// The shingles of a text, in order.
pub fn shingles(text: &str, echo: &Echo) -> Vec<Shingle> {
    shingles_and_words(text, echo).0
}

/// The shingles of a text and its words, in order.
pub(super) fn shingles_and_words(text: &str, echo: &Echo) -> (Vec<Shingle>, Words) {
    /// What stands for an echo.
    const ECHO: u64 = 0x6563_686F;
    let octets = text.as_bytes();
    let mut shingles = Vec::with_capacity(text.len() / 6);
    let mut order = Vec::with_capacity(text.len() / 6);
    let mut run = Run::default();
    let (mut low, mut buffer) = (String::new(), Vec::new());
    // Where the octets end that hold no space of ASCII, but others beyond it.
    let mut beyond = 0;
    let mut at = 0;
    while let Some(&octet) = octets.get(at) {
        if octet <= b' ' {
            if octet == b'\n' {
                shingles.extend(run.short_line(order.len()));
                run.in_line = 0;
            }
            at += 1;
            continue;
        }
        let word = if at < beyond {
            // There are spaces beyond ASCII.
            let rest = &text[at..beyond];
            let space = rest.len() - rest.trim_start().len();
            if space > 0 {
                at += space;
                continue;
            }
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            scan(&octets[at..at + end])
        } else {
            let word = scan(&octets[at..]);
            if !word.is_ascii {
                beyond = at + word.len;
                continue;
            }
            word
        };
        let end = at + word.len;
        let is_echo =
            echo.may_hold(&octets[at..end], word.is_plain) && echo.holds(&text[at..end], &mut low);
        let hash = word.hash;
        if is_echo {
            order.push(0);
            run.push(hash, ECHO, ECHO, true);
        } else if word.has_digit {
            order.push(0);
            let masked = masked_hash(&octets[at..end], &mut buffer);
            run.push(hash, masked, hash, true);
        } else {
            order.push((hash >> 32) as u32 | 1);
            run.push(hash, hash, hash, false);
        }
        if run.in_line >= WORDS {
            shingles.push(run.shingle(WORDS, order.len() - WORDS));
        }
        at = end;
    }
    shingles.extend(run.short_line(order.len()));
    (shingles, Words { order })
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
    fn a_word_is_read_to_its_end_and_told_by_all_of_its_octets() {
        let text = "a plain word, größer 2026-11 abcdefgh abcdefghi /x\n";
        let mut at = 0;
        let mut hashes = Vec::new();
        for word in text.split_whitespace() {
            at += text[at..].find(word).unwrap();
            let found = scan(&text.as_bytes()[at..]);
            assert_eq!(found.len, word.len(), "{word}");
            assert_eq!(found.hash, scan(word.as_bytes()).hash, "{word}");
            assert_eq!(found.is_ascii, word.is_ascii(), "{word}");
            assert_eq!(found.has_digit, word.bytes().any(|b| b.is_ascii_digit()));
            let is_plain = word.bytes().all(|b| b.is_ascii_alphanumeric());
            assert_eq!(found.is_plain, is_plain, "{word}");
            hashes.push(found.hash);
        }
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 8);
    }

    #[test]
    fn spaces_beyond_ascii_part_words_too() {
        assert_eq!(of("a\u{a0}b c\u{3000}d"), of("a b c d"));
        assert_eq!(of("a\tb\rc d"), of("a b c d"));
        assert_eq!(of("ä\u{3000}\u{a0}b \u{a0}c\u{a0} dé"), of("ä b c dé"));
    }

    #[test]
    fn a_long_text_without_a_space_of_ascii_is_read_once() {
        let words = 100_000;
        let text = "wort\u{3000}".repeat(words);
        assert_eq!(of(&text).len(), words - WORDS + 1);
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
