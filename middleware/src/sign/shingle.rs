//! Shingles: the runs of words in a page.
//!
//! These are word 4-shingles that never span a line (a line of fewer words is one shingle). Each shingle has three
//! hashes: of its words as they are; of its words with every run of digits replaced (clocks, counters and dates then
//! look alike from page to page, which is how they are recognised as chrome); and of its words with those replaced that
//! merely repeat the page's own URL. If a word does so only in part, such as `guide:index` on `guide:start`, the rest
//! is kept if the word is a line by itself: it tells an item of a list from others.

use super::{
    Echo,
    scan::{fold, masked_hash, scan},
};

/// Words in a shingle.
pub const WORDS: usize = 4;
/// What stands for the hash of an echo.
const ECHO: u64 = 0x6563_686F;

/// One run of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shingle {
    /// Hash of the words as they are.
    pub raw: u32,
    /// Hash of the words with digits and echoes of the URL masked: what chrome is recognised by.
    pub masked: u32,
    /// Hash of the words with echoes of the URL masked.
    pub echo: u32,
    /// Place of its first word in [`Words::order`].
    pub at: u32,
    /// The number of its words.
    pub width: u8,
    /// Whether it begins a line.
    pub begins: bool,
}

/// The words of a text, in order and by hash; 0 stands for words that tell nothing: those with a digit
/// (counters, dates, tokens) and those that repeat the page's own URL.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// One hash per word.
    pub order: Vec<u32>,
    /// Hashes of those with a digit that do not repeat the page's own URL.
    pub numbers: Vec<u32>,
}

/// Whether a line ends before the next word.
fn is_last(behind: &str) -> bool {
    let is_space = |c: char| c <= ' ' || c.is_whitespace();
    let next = behind.chars().find(|c| *c == '\n' || !is_space(*c));
    next.is_none_or(|c| c == '\n')
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

/// Hashes of all runs of words that make a whole shingle.
fn mixes(words: &[u64]) -> impl Iterator<Item = u32> {
    let behind = |n: usize| words.get(n..).unwrap_or_default();
    let pairs = |n| behind(n).iter().zip(behind(n + 1));
    (pairs(0).zip(pairs(2))).map(|((a, b), (c, d))| mix(&[*a, *b, *c, *d]))
}

/// Where runs of words begin that hold any of some words, one bit each.
fn runs_with(words: u64, width: usize) -> impl Iterator<Item = usize> {
    let mut runs = (0..width).fold(0, |runs, before| runs | (words >> before));
    std::iter::from_fn(move || {
        let next = runs.trailing_zeros() as usize;
        // The lowest one goes.
        let found = (runs != 0).then_some(next);
        runs &= runs.wrapping_sub(1);
        found
    })
}

/// Words whose shingles are made at a time.
const BLOCK: usize = u64::BITS as usize;

/// Words of the line that is being read.
struct Line {
    /// By their hashes: as they stand; and as chrome is recognised, and with echoes masked.
    raw: [u64; BLOCK],
    masked: [u64; BLOCK],
    /// Which of them have more than one hash, and which are echoes: one bit each.
    is_masked: u64,
    is_echo: u64,
    words: usize,
    /// How many of the first ones are in `order` already: shingles were made of them and words before them.
    done: usize,
}

impl Line {
    const fn new() -> Self {
        Self {
            raw: [0; BLOCK],
            masked: [0; BLOCK],
            is_masked: 0,
            is_echo: 0,
            words: 0,
            done: 0,
        }
    }

    /// Adds a word that has one hash.
    #[inline]
    const fn push(&mut self, hash: u64) {
        let at = self.words % BLOCK;
        self.raw[at] = hash;
        self.masked[at] = hash;
        self.words += 1;
    }

    /// Adds a word that is told by another hash where chrome is recognised.
    const fn push_masked(&mut self, hash: u64, masked: u64) {
        let at = self.words % BLOCK;
        self.raw[at] = hash;
        self.masked[at] = masked;
        self.is_masked |= 1 << at;
        self.words += 1;
    }

    /// Adds an echo, and what stands for it.
    const fn push_echo(&mut self, hash: u64, masked: u64) {
        self.is_echo |= 1 << (self.words % BLOCK);
        self.push_masked(hash, masked);
    }

    /// Hash of a run of words with echoes masked.
    fn mix_echoes(&self, at: usize, width: usize) -> u32 {
        let mut run = [0; WORDS];
        let run = &mut run[..width];
        for (at, hash) in (at..).zip(&mut *run) {
            let is_echo = (self.is_echo >> at) & 1 != 0;
            *hash = if is_echo {
                self.masked[at]
            } else {
                self.raw[at]
            };
        }
        mix(run)
    }

    /// Makes the shingles of the words that are there; the last ones stay for those that span them.
    fn make(&mut self, shingles: &mut Vec<Shingle>, order: &mut Vec<u32>, width: usize) {
        let (first, from) = (order.len() - self.done, shingles.len());
        let (raw, masked) = (&self.raw[..self.words], &self.masked[..self.words]);
        let told = |hash: &u64| (hash >> 32) as u32 | 1;
        if self.is_masked >> self.done == 0 {
            order.extend(raw[self.done..].iter().map(told));
        } else {
            // A word that has another hash does not tell.
            let words = raw[self.done..].iter().zip(&masked[self.done..]);
            order.extend(words.map(|(raw, masked)| if raw == masked { told(raw) } else { 0 }));
        }
        let shingle = |at, raw, masked| Shingle {
            raw,
            masked,
            echo: raw,
            at,
            width: width as u8,
            begins: false,
        };
        if width < WORDS {
            shingles.push(shingle(first as u32, mix(raw), mix(masked)));
        } else {
            let runs = mixes(raw).zip(first as u32..);
            shingles.extend(runs.map(|(raw, at)| shingle(at, raw, raw)));
        }
        let made = &mut shingles[from..];
        let runs = made.len();
        if self.done == 0
            && let Some(first) = made.first_mut()
        {
            first.begins = true;
        }
        if self.is_masked != 0 && width == WORDS {
            for (shingle, masked) in made.iter_mut().zip(mixes(masked)) {
                shingle.masked = masked;
            }
        }
        if self.is_echo != 0 {
            for at in runs_with(self.is_echo, width).take_while(|at| *at < runs) {
                made[at].echo = self.mix_echoes(at, width);
            }
        }
    }

    /// Makes room for further words of the line.
    fn go_on(&mut self, shingles: &mut Vec<Shingle>, order: &mut Vec<u32>) {
        self.make(shingles, order, WORDS);
        let last = self.words - (WORDS - 1);
        for all in [&mut self.raw, &mut self.masked] {
            all.copy_within(last..self.words, 0);
        }
        self.is_masked >>= last;
        self.is_echo >>= last;
        self.done = WORDS - 1;
        self.words = self.done;
    }

    /// Begins another line. Of one that is too short for a whole shingle there is made a short one.
    fn end(&mut self, shingles: &mut Vec<Shingle>, order: &mut Vec<u32>) {
        if self.words > self.done {
            self.make(shingles, order, self.words.min(WORDS));
        }
        (self.words, self.done) = (0, 0);
        (self.is_masked, self.is_echo) = (0, 0);
    }
}

/// The shingles of a text, in order.
pub fn shingles(text: &str, echo: &Echo) -> Vec<Shingle> {
    shingles_and_words(text, echo).0
}

/// The shingles of a text and its words, in order.
pub(super) fn shingles_and_words(text: &str, echo: &Echo) -> (Vec<Shingle>, Words) {
    let octets = text.as_bytes();
    let mut shingles = Vec::with_capacity(text.len() / 6);
    let mut order = Vec::with_capacity(text.len() / 6);
    let (mut line, mut numbers) = (Line::new(), Vec::new());
    let is_any_echo = echo.is_any();
    let (mut low, mut buffer) = (Vec::new(), Vec::new());
    // Where the octets end that hold no space of ASCII, but others beyond it.
    let mut beyond = 0;
    let mut at = 0;
    while let Some(rest @ [octet, ..]) = octets.get(at..) {
        if *octet <= b' ' {
            if *octet == b'\n' {
                line.end(&mut shingles, &mut order);
            }
            at += 1;
            continue;
        }
        if line.words == BLOCK {
            line.go_on(&mut shingles, &mut order);
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
            let word = scan(rest);
            if !word.is_ascii() {
                beyond = at + word.len;
                continue;
            }
            word
        };
        let (found, behind) = rest.split_at(word.len);
        let end = at + word.len;
        // Mostly one space follows.
        let next = end + usize::from(behind.first() == Some(&b' '));
        if !word.is_special() && (!is_any_echo || echo.is_plain(found)) {
            line.push(word.hash);
            at = next;
            continue;
        }
        let may_echo = is_any_echo && (at < beyond || echo.may_hold(found, word.is_special()));
        if may_echo && echo.holds(&text[at..end], &mut low) {
            let left = if line.words == 0 && is_last(&text[end..]) {
                echo.left(&text[at..end], &mut low)
            } else {
                Vec::new()
            };
            // Numbers tell pages apart, too: `guide:page7` is no counter.
            let take = |hash, part: &&[u8]| fold(hash, scan(part).hash);
            line.push_echo(word.hash, left.iter().fold(ECHO, take));
        } else if word.is_special() && found.iter().any(u8::is_ascii_digit) {
            line.push_masked(word.hash, masked_hash(found, &mut buffer));
            numbers.push((word.hash >> 32) as u32);
        } else {
            line.push(word.hash);
        }
        at = next;
    }
    line.end(&mut shingles, &mut order);
    (shingles, Words { order, numbers })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    fn of(text: &str) -> Vec<Shingle> {
        shingles(text, &Echo::default())
    }

    /// The three hashes of each run of words of a line, word for word.
    fn one_by_one(line: &str, echo: &Echo) -> Vec<[u32; 3]> {
        let is_one = line.split_whitespace().count() == 1;
        let hashes = |word: &str| {
            let octets = word.as_bytes();
            let hash = scan(octets).hash;
            if echo.holds(word, &mut Vec::new()) {
                let left = echo.left(word, &mut Vec::new());
                let left = left.iter().filter(|_| is_one);
                let masked = left.fold(ECHO, |hash, part| fold(hash, scan(part).hash));
                [hash, masked, masked]
            } else if octets.iter().any(u8::is_ascii_digit) {
                [hash, masked_hash(octets, &mut Vec::new()), hash]
            } else {
                [hash; 3]
            }
        };
        let words: Vec<[u64; 3]> = line.split_whitespace().map(hashes).collect();
        let runs = words.windows(words.len().clamp(1, WORDS));
        runs.map(|run| {
            [0, 1, 2].map(|of| mix(&run.iter().map(|word| word[of]).collect::<Vec<_>>()))
        })
        .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn each_run_of_words_has_its_hashes(
            text in "(((ab|(7|a|c|ü|[.:/(,]){1,10}|[abc]{1,3}|longer-word7)[ \u{a0}]){0,150}\n?|abc[:/](x7y|ü|abc){1,2}[ \t\u{a0}]?\n){0,4}",
        ) {
            let echo = Echo::of(&"http://e.org/abc/acc?q=cab&r=a7c".parse().unwrap());
            for echo in [echo, Echo::default()] {
                let found = shingles(&text, &echo);
                let found: Vec<[u32; 3]> = found.iter().map(|s| [s.raw, s.masked, s.echo]).collect();
                let lines = text.split('\n').flat_map(|line| one_by_one(line, &echo));
                prop_assert_eq!(found, lines.collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn shingles_do_not_span_lines_and_a_short_line_is_one() {
        assert_eq!(of("a b c d e").len(), 2);
        assert_eq!(of("a b\nc d e f").len(), 2);
        assert!(of(" \n ").is_empty());
    }

    #[test]
    fn what_a_line_of_one_word_says_besides_the_url_tells_it_from_others() {
        let echo = Echo::of(&"http://e.org/wiki?id=guide:start".parse().unwrap());
        let masked = |text: &str| {
            let first = shingles(text, &echo)[0];
            (first.masked, first.echo)
        };
        assert_ne!(masked("guide:index\nof all"), masked("guide:names"));
        assert_ne!(masked("guide:page7 \t\nof all"), masked("guide:page9"));
        assert_eq!(masked("guide:start"), masked("(start)"));
        // In a sentence it is one of many words.
        assert_eq!(masked("see guide:index too"), masked("see guide:names too"));
    }

    #[test]
    fn digits_are_masked_only_where_chrome_is_recognised() {
        let (a, b) = (of("seen 17 times today")[0], of("seen 9 times today")[0]);
        assert_eq!(a.masked, b.masked);
        assert_ne!(a.raw, b.raw);
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
