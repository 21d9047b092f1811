//! Judges each line of a chunk by the chain.

use std::{collections::BTreeMap, io::Write as _, ops::Range};

use nodust_frontier::{Batch, Candidate, Chain, Dropped, RawUrl, Via, chain::Slot};
use serde::Serialize;

use super::{Chunk, Format, Options, Spelling};
use crate::files::is_comment;

/// Judges chunks; shared by all threads.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    chain: &'a Chain,
    options: &'a Options,
    /// Discarded lines have a file of their own.
    split: bool,
}

/// Memory that a thread uses again for each chunk.
#[derive(Debug, Default)]
pub(super) struct Bench {
    batch: Batch,
}

/// A judged chunk, ready to be put out.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// Text of the kept lines (in JSON lines without a file for the others: of all lines).
    pub(super) kept: Vec<u8>,
    /// Text of the others.
    pub(super) dropped: Vec<u8>,
    pub(super) kept_lines: u64,
    pub(super) dropped_lines: u64,
    pub(super) lines: u64,
    pub(super) blank: u64,
    pub(super) comments: u64,
    /// Lines that are no UTF-8, counted from the chunk's first line, which is 0.
    pub(super) not_utf8: Vec<u64>,
    pub(super) reasons: BTreeMap<(&'static str, &'static str), u64>,
    /// Where each line's text lies, if the writer has yet to decide.
    pub(super) order: Vec<Line>,
}

/// Where the text of one line lies.
#[derive(Debug)]
pub(super) enum Line {
    /// In `kept`: the line itself, and what to write instead if its class was kept before.
    Kept {
        text: Range<usize>,
        repeat: Range<usize>,
        class: u64,
    },
    /// In `dropped`.
    Dropped { text: Range<usize> },
}

/// A line of the report.
#[derive(Serialize)]
struct Row<'a> {
    input: &'a str,
    url: Option<&'a str>,
    class: Option<&'a str>,
    verdict: &'static str,
    stage: Option<&'static str>,
    reason: Option<&'static str>,
    rule: Option<&'a str>,
}

impl Judged {
    fn clear(&mut self) {
        self.kept.clear();
        self.dropped.clear();
        self.not_utf8.clear();
        self.reasons.clear();
        self.order.clear();
        (self.kept_lines, self.dropped_lines) = (0, 0);
        (self.lines, self.blank, self.comments) = (0, 0, 0);
    }
}

/// Lines that are judged at a time: enough to spread the costs of a batch, few enough to stay in cache.
const BATCH: usize = 16;

impl<'a> Judge<'a> {
    pub(super) const fn new(chain: &'a Chain, options: &'a Options, split: bool) -> Self {
        Self {
            chain,
            options,
            split,
        }
    }

    pub(super) fn judge(&self, chunk: &Chunk, bench: &mut Bench, out: &mut Judged) {
        out.clear();
        let mut links: Vec<RawUrl<'_>> = Vec::with_capacity(BATCH);
        // What follows the last line end is a line of its own only if there is something.
        let octets = chunk.octets.strip_suffix(b"\n").unwrap_or(&chunk.octets);
        if chunk.octets.is_empty() {
            return;
        }
        // One look at the whole chunk, instead of one at each line.
        let all = std::str::from_utf8(octets).ok();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', octets).chain([octets.len()]) {
            let bare = &octets[start..end];
            let line = match all {
                // Line ends are characters of their own.
                Some(all) => all.get(start..end),
                None => std::str::from_utf8(bare).ok(),
            };
            start = end + 1;
            out.lines += 1;
            match line {
                _ if is_comment(bare) => out.comments += 1,
                Some(line) if line.trim_start().is_empty() => out.blank += 1,
                Some(line) => links.push(RawUrl::new(line.strip_suffix('\r').unwrap_or(line))),
                None => out.not_utf8.push(out.lines - 1),
            }
            if links.len() == BATCH {
                self.judge_batch(&links, bench, out);
                links.clear();
            }
        }
        self.judge_batch(&links, bench, out);
    }

    fn judge_batch(&self, links: &[RawUrl<'_>], bench: &mut Bench, out: &mut Judged) {
        let via = Via::seed();
        self.chain.judge(&via, links, &mut bench.batch);
        for (link, slot) in links.iter().zip(bench.batch.slots()) {
            match slot {
                Slot::Live(candidate) => self.keep(link.as_str(), candidate, out),
                Slot::Dropped(candidate, dropped) => {
                    self.drop(link.as_str(), candidate.as_ref(), dropped, out);
                }
                // Only a frontier that knows spellings answers so.
                Slot::Known => {}
            }
        }
    }

    fn keep(&self, input: &str, candidate: &Candidate, out: &mut Judged) {
        let start = out.kept.len();
        match self.options.format {
            Format::Text => {
                let text = match self.options.spelling {
                    Spelling::Url => candidate.url().as_str(),
                    Spelling::Class => candidate.class(),
                };
                out.kept.extend_from_slice(text.as_bytes());
                out.kept.push(b'\n');
            }
            Format::Jsonl => row(&mut out.kept, &keep_row(input, candidate)),
        }
        out.kept_lines += 1;
        if self.options.unique {
            let text = start..out.kept.len();
            match self.options.format {
                Format::Text => raw(&mut out.kept, input),
                Format::Jsonl => row(
                    &mut out.kept,
                    &Row {
                        verdict: "drop",
                        stage: Some("normalize"),
                        reason: Some("known_duplicate"),
                        ..keep_row(input, candidate)
                    },
                ),
            }
            out.order.push(Line::Kept {
                repeat: text.end..out.kept.len(),
                text,
                class: candidate.class_key().url(),
            });
        }
    }

    fn drop(
        &self,
        input: &str,
        candidate: Option<&Candidate>,
        dropped: &Dropped,
        out: &mut Judged,
    ) {
        out.dropped_lines += 1;
        *out.reasons
            .entry((dropped.stage, dropped.reason.code()))
            .or_default() += 1;
        // Without a file of their own, discarded rows stand among the kept ones, in order.
        let to = if self.options.format == Format::Jsonl && !self.split && !self.options.unique {
            &mut out.kept
        } else {
            &mut out.dropped
        };
        let start = to.len();
        match self.options.format {
            Format::Text => raw(to, input),
            Format::Jsonl => row(
                to,
                &Row {
                    input,
                    url: candidate.map(|c| c.url().as_str()),
                    class: candidate.map(Candidate::class),
                    verdict: "drop",
                    stage: Some(dropped.stage),
                    reason: Some(dropped.reason.code()),
                    rule: dropped.reason.rule().map(AsRef::as_ref),
                },
            ),
        }
        if self.options.unique {
            let text = start..to.len();
            out.order.push(Line::Dropped { text });
        }
    }
}

fn keep_row<'a>(input: &'a str, candidate: &'a Candidate) -> Row<'a> {
    Row {
        input,
        url: Some(candidate.url().as_str()),
        class: Some(candidate.class()),
        verdict: "keep",
        stage: None,
        reason: None,
        rule: None,
    }
}

fn raw(out: &mut Vec<u8>, input: &str) {
    out.extend_from_slice(input.as_bytes());
    out.push(b'\n');
}

fn row(out: &mut Vec<u8>, row: &Row<'_>) {
    // Writing text to memory cannot fail.
    let _ = serde_json::to_writer(&mut *out, row);
    let _ = out.write(b"\n");
}
