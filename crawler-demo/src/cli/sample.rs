//! `nodust sample`: which few URLs of each host stand for all of them?

use std::{io::Write as _, path::PathBuf};

use nodust_middleware::{
    file::{NextLine, next_line},
    sample::{SampleConfig, Sampler},
};

use super::{check_apart, check_free, lists, settings::Output, usage};
use crate::{
    clean::MAX_LINE,
    files::{Sink, is_comment, name},
    words::counted,
};

/// Lines that are skipped of which each is told; the rest is counted.
const TOLD: u64 = 10;

/// Draw a limited number of URLs of each host from a list, one per line
///
/// The same list, in whatever order, gives the same sample for the same seed. Lines that begin with `#` are comments. Memory holds the
/// sample and, if --exclude-min or --exclude-max is given, 8 bytes and overhead for each URL. Start pages (`https://e.org/`) are never
/// drawn.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The list, `-` for standard input; gzip is unpacked
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Most URLs to draw of one host
    #[arg(long, value_name = "N", default_value = "100")]
    per_host: usize,
    /// Leave out hosts with fewer different URLs
    #[arg(long, value_name = "N")]
    exclude_min: Option<usize>,
    /// Leave out hosts with more different URLs
    #[arg(long, value_name = "N")]
    exclude_max: Option<usize>,
    /// Number that the draw depends on: another number gives another sample
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.per_host == 0 {
            return Err(usage("--per-host 0 draws nothing: give 1 or more"));
        }
        if let (Some(min), Some(max)) = (self.exclude_min, self.exclude_max)
            && min > max
        {
            return Err(usage(format!(
                "--exclude-min {min} and --exclude-max {max} leave out every host"
            )));
        }
        check_apart([&self.file], [&self.output.output])?;
        check_free([&self.output.output])?;
        let mut sampler = Sampler::new(SampleConfig {
            per_host: self.per_host,
            exclude_min: self.exclude_min,
            exclude_max: self.exclude_max,
            seed: self.seed,
        });
        let mut input = lists::open(&self.file, "sample")?;
        let mut line = Vec::new();
        let (mut comments, mut skipped) = (0u64, 0u64);
        // What was read before a list broke off is drawn from all the same.
        let mut number = 0u64;
        let broken = loop {
            let found = match next_line(&mut input, &mut line, MAX_LINE + 2) {
                Ok(NextLine::None) => break None,
                Ok(found) => found,
                Err(error) => break Some(error),
            };
            number += 1;
            let why = match std::str::from_utf8(&line) {
                Ok(text) if text.trim().is_empty() && found == NextLine::Whole => continue,
                _ if is_comment(&line) => {
                    comments += 1;
                    continue;
                }
                _ if found == NextLine::TooLong || line.trim_ascii_end().len() > MAX_LINE => {
                    "it is too long"
                }
                Ok(text) => {
                    sampler.push(text);
                    continue;
                }
                Err(_) => "it is not UTF-8",
            };
            skipped += 1;
            if skipped <= TOLD {
                tracing::warn!("{}:{number} is skipped: {why}", name(&self.file));
            }
        };
        let (sample, counts) = sampler.finish();
        let mut out = Sink::create(&self.output.output)?;
        for url in sample {
            writeln!(out, "{url}")?;
        }
        out.finish()?;
        tracing::info!(
            drawn = counts.drawn,
            offered = counts.offered,
            invalid = counts.invalid,
            hosts_left_out = counts.hosts_left_out,
            comments,
            skipped,
            "sampled{}",
            of_start_pages(counts.start_pages)
        );
        broken.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// What is told of start pages in the list.
fn of_start_pages(number: u64) -> String {
    match number {
        0 => String::new(),
        _ => format!("; {} left out, as always", counted(number, "start page")),
    }
}
