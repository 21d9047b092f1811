//! Cleans a list: which of its lines are URLs worth having.
//!
//! The list streams through the chain in chunks: any number of threads judge, the order of the lines is kept, and
//! memory is bounded by the chunks in flight, however long the list is. Only [`unique`](Options::unique) remembers
//! something of every line kept.
//!
//! ```
//! use nodust_crawler::clean::{Options, clean};
//! use nodust_frontier::Chain;
//!
//! let list = "HTTP://shop.example/%7Eann#top\nmailto:ann@shop.example\n";
//! let mut kept = Vec::new();
//! let counts = clean(&Chain::new(), &Options::default(), list.as_bytes(), &mut kept, None)?;
//! assert_eq!(kept, b"http://shop.example/~ann\n");
//! assert_eq!((counts.kept, counts.dropped), (1, 1));
//! # Ok::<(), std::io::Error>(())
//! ```

mod chunks;
mod judge;
mod pipeline;

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
};

use nodust_frontier::Chain;
use rustc_hash::FxHashSet;
use serde::Serialize;

pub use chunks::CHUNK as MAX_LINE;
use chunks::{Chunk, Chunks};
use judge::{Judge, Judged, Line};

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Kept lines as URLs, discarded lines unchanged.
    #[default]
    Text,
    /// One JSON object per line: `input`, `url`, `class`, `verdict`, `stage`, `reason`, `rule`.
    Jsonl,
}

/// Which of its two names is printed for a kept URL (text format).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// What would be fetched.
    #[default]
    Url,
    /// What the URL is compared by.
    Class,
}

/// Options besides the chain itself.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The output format.
    pub format: Format,
    /// Which name is printed.
    pub spelling: Spelling,
    /// Keep only one line of each class. Costs 8 to 18 bytes of memory per line kept.
    pub unique: bool,
    /// Threads that judge.
    pub threads: usize,
}

impl Default for Options {
    /// Text, wire URLs, all of them, one thread.
    fn default() -> Self {
        Self {
            format: Format::Text,
            spelling: Spelling::Url,
            unique: false,
            threads: 1,
        }
    }
}

/// What became of the lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Lines read, including blank ones and comments.
    pub lines: u64,
    /// Lines kept.
    pub kept: u64,
    /// Lines that the chain, or [`Options::unique`], did not want.
    pub dropped: u64,
    /// Lines with nothing but white space: neither kept nor dropped.
    pub blank: u64,
    /// Lines that begin with `#`: neither kept nor dropped.
    pub comments: u64,
    /// Lines that are not UTF-8: skipped.
    pub not_utf8: u64,
    /// Lines too long to be read: skipped.
    pub overlong: u64,
    /// Dropped lines by stage and reason (`filter.excluded`).
    pub reasons: BTreeMap<String, u64>,
}

/// Judges each line of `input`. Kept lines go to `kept`, discarded ones to `discarded` if it is given (otherwise, in
/// JSON lines, to `kept`, too).
///
/// # Errors
/// When reading or writing fails.
pub fn clean<'a>(
    chain: &Chain,
    options: &'a Options,
    input: impl Read + Send,
    kept: &'a mut (dyn Write + Send + 'a),
    discarded: Option<&'a mut (dyn Write + Send + 'a)>,
) -> io::Result<Counts> {
    let judge = Judge::new(chain, options, discarded.is_some());
    let mut writer = Writer {
        options,
        kept,
        discarded,
        classes: FxHashSet::default(),
        counts: Counts::default(),
    };
    let mut chunks = Chunks::new(input);
    if options.threads <= 1 {
        let (mut chunk, mut judged) = (Chunk::default(), Judged::default());
        let mut bench = judge::Bench::default();
        while chunks.fill(&mut chunk)? {
            judge.judge(&chunk, &mut bench, &mut judged);
            writer.write(&chunk, &judged)?;
        }
    } else {
        pipeline::run(&judge, options.threads, &mut chunks, &mut writer)?;
    }
    if writer.counts.not_utf8 + writer.counts.overlong > 0 {
        tracing::warn!(
            not_utf8 = writer.counts.not_utf8,
            overlong = writer.counts.overlong,
            "lines were skipped"
        );
    }
    Ok(writer.counts)
}

/// Lines told one by one before the log falls silent about their like.
const TOLD: u64 = 10;

/// Puts judged chunks out, in the order of the input.
struct Writer<'a> {
    options: &'a Options,
    kept: &'a mut (dyn Write + Send),
    discarded: Option<&'a mut (dyn Write + Send)>,
    classes: FxHashSet<u64>,
    counts: Counts,
}

impl Writer<'_> {
    fn write(&mut self, chunk: &Chunk, judged: &Judged) -> io::Result<()> {
        let first = self.counts.lines;
        for &line in &judged.not_utf8 {
            self.counts.not_utf8 += 1;
            if self.counts.not_utf8 <= TOLD {
                tracing::warn!(line = first + line + 1, "skipped a line that is no UTF-8");
            }
        }
        self.counts.lines += judged.lines;
        self.counts.blank += judged.blank;
        self.counts.comments += judged.comments;
        for (&(stage, code), &count) in &judged.reasons {
            *self
                .counts
                .reasons
                .entry(format!("{stage}.{code}"))
                .or_default() += count;
        }
        if self.options.unique {
            for line in &judged.order {
                self.put(judged, line)?;
            }
        } else {
            self.counts.kept += judged.kept_lines;
            self.counts.dropped += judged.dropped_lines;
            self.kept.write_all(&judged.kept)?;
            if let Some(discarded) = &mut self.discarded {
                discarded.write_all(&judged.dropped)?;
            }
        }
        if chunk.overlong {
            self.counts.lines += 1;
            self.counts.overlong += 1;
            if self.counts.overlong <= TOLD {
                tracing::warn!(
                    line = self.counts.lines,
                    "skipped a line longer than {} octets",
                    chunks::CHUNK
                );
            }
        }
        Ok(())
    }

    /// Puts out one line of a list in which each class shall stand once.
    fn put(&mut self, judged: &Judged, line: &Line) -> io::Result<()> {
        match line {
            Line::Kept {
                text,
                repeat,
                class,
            } => {
                if self.classes.insert(*class) {
                    self.counts.kept += 1;
                    return self.kept.write_all(&judged.kept[text.clone()]);
                }
                self.counts.dropped += 1;
                *self
                    .counts
                    .reasons
                    .entry("normalize.known_duplicate".into())
                    .or_default() += 1;
                self.discard(&judged.kept[repeat.clone()])
            }
            Line::Dropped { text } => {
                self.counts.dropped += 1;
                self.discard(&judged.dropped[text.clone()])
            }
        }
    }

    fn discard(&mut self, octets: &[u8]) -> io::Result<()> {
        match (&mut self.discarded, self.options.format) {
            (Some(file), _) => file.write_all(octets),
            (None, Format::Jsonl) => self.kept.write_all(octets),
            (None, Format::Text) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(options: Options, input: &[u8]) -> (String, String, Counts) {
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        let counts = clean(
            &Chain::new(),
            &options,
            input,
            &mut kept,
            Some(&mut dropped),
        )
        .unwrap();
        (
            String::from_utf8(kept).unwrap(),
            String::from_utf8(dropped).unwrap(),
            counts,
        )
    }

    #[test]
    fn kept_lines_are_canonical_and_discarded_lines_are_as_they_were() {
        let (kept, dropped, counts) = run(
            Options::default(),
            b"http://E.example:80/%7ea#x\r\n\n  \nnot a url\nhttp://e.example/b",
        );
        assert_eq!(kept, "http://e.example/~a\nhttp://e.example/b\n");
        assert_eq!(dropped, "not a url\n");
        assert_eq!(
            (counts.lines, counts.kept, counts.dropped, counts.blank),
            (5, 2, 1, 2)
        );
        assert_eq!(counts.reasons["resolve.malformed"], 1);
    }

    #[test]
    fn comments_are_neither_kept_nor_dropped() {
        let (kept, dropped, counts) = run(
            Options::default(),
            b"# from the sitemap\nhttp://e.example/#a\n \t#\r\n# caf\xe9\nx #\n",
        );
        assert_eq!(
            (kept.as_str(), dropped.as_str()),
            ("http://e.example/\n", "x #\n")
        );
        assert_eq!(
            (counts.lines, counts.kept, counts.dropped, counts.comments),
            (5, 1, 1, 3)
        );
    }

    #[test]
    fn lines_that_are_no_utf8_are_counted_and_skipped() {
        let (kept, dropped, counts) = run(Options::default(), b"\xff\xfe\nhttp://e.example/\n");
        assert_eq!(kept, "http://e.example/\n");
        assert_eq!(dropped, "");
        assert_eq!((counts.lines, counts.not_utf8), (2, 1));
    }

    #[test]
    fn unique_keeps_the_first_line_of_each_class() {
        let options = Options {
            unique: true,
            ..Options::default()
        };
        let (kept, dropped, counts) = run(options, b"http://e.example/\nhttp://E.example/#a\nx\n");
        assert_eq!(kept, "http://e.example/\n");
        assert_eq!(dropped, "http://E.example/#a\nx\n");
        assert_eq!((counts.kept, counts.dropped), (1, 2));
    }

    #[test]
    fn json_lines_say_what_happened_to_each_input() {
        let options = Options {
            format: Format::Jsonl,
            unique: true,
            ..Options::default()
        };
        let mut out = Vec::new();
        clean(
            &Chain::new(),
            &options,
            &b"http://e.example/#a\nhttp://e.example/\nx\n"[..],
            &mut out,
            None,
        )
        .unwrap();
        let lines: Vec<serde_json::Value> = String::from_utf8(out)
            .unwrap()
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        assert_eq!(lines[0]["input"], "http://e.example/#a");
        assert_eq!(lines[0]["url"], "http://e.example/");
        assert_eq!(lines[0]["verdict"], "keep");
        assert_eq!(lines[1]["verdict"], "drop");
        assert_eq!(lines[1]["reason"], "known_duplicate");
        assert_eq!(lines[2]["stage"], "resolve");
        assert_eq!(lines[2]["reason"], "malformed");
        assert!(lines[2]["url"].is_null());
    }

    #[derive(Debug)]
    struct Breaks;

    impl nodust_frontier::Middleware for Breaks {
        fn name(&self) -> nodust_frontier::StageName {
            "breaks"
        }

        fn judge(
            &self,
            link: &mut nodust_frontier::Candidate,
            _via: &nodust_frontier::Via<'_>,
        ) -> nodust_frontier::Verdict {
            assert!(
                !link.url().path().contains("broken"),
                "as the test wants it"
            );
            nodust_frontier::Verdict::Pass
        }
    }

    #[test]
    fn a_judge_that_breaks_ends_the_run_with_an_error() {
        let mut input = "http://e.example/a\n".repeat(300_000);
        input.push_str("http://e.example/broken\n");
        let options = Options {
            threads: 3,
            ..Options::default()
        };
        let chain = Chain::new().then(Breaks);
        let error = clean(&chain, &options, input.as_bytes(), &mut io::sink(), None).unwrap_err();
        assert!(error.to_string().contains("report"), "{error}");
    }

    #[test]
    fn many_threads_put_out_what_one_does() {
        let input: String = (0..120_000)
            .map(|i| match i % 7 {
                0 => format!("no url {i}\n"),
                1 => "\n".to_owned(),
                _ => format!("http://h{}.example/p/{}?x={i}\n", i % 13, i % 5000),
            })
            .collect();
        for unique in [false, true] {
            let one = run(
                Options {
                    unique,
                    ..Options::default()
                },
                input.as_bytes(),
            );
            let four = run(
                Options {
                    unique,
                    threads: 4,
                    ..Options::default()
                },
                input.as_bytes(),
            );
            assert_eq!(one.2, four.2);
            assert!(one.0 == four.0 && one.1 == four.1, "the texts differ");
        }
    }
}
