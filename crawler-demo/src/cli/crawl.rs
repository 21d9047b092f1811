//! `nodust crawl`: fetch what is worth fetching.

use std::{
    io::{Cursor, Read as _},
    path::{Path, PathBuf},
};

use nodust_frontier::SledStore;
use nodust_middleware::file::{NextLine, next_line, shown};

use super::{
    check_apart, check_named, check_outside, lists, print,
    settings::{self, ChainSwitches, RunSwitches, milliseconds},
    store, usage,
};
use crate::{
    CrawlConfig,
    clean::MAX_LINE,
    crawl::{
        CrawlError, TOLD_SEEDS, no_seed, parse_seeds, run, shutdown_on_signals, tell_more_left_out,
        way_on,
    },
    files::{self, Looks, is_comment},
    handles,
    report::{Ending, Report},
    words::counted,
};

/// Crawl politely from seeds, leaving out junk and duplicates
///
/// By default, each host gets one request at a time, with one second between requests, and robots.txt is obeyed. Whether it
/// is obeyed, and what the crawler calls itself, is set in the file of --config (`robots`, `user_agent`). Ctrl-C and
/// SIGTERM stop the crawl in order; with --store, the same command resumes it later.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where to begin (the seeds): URLs or host names. --store remembers those of earlier runs
    #[arg(value_name = "URL")]
    seeds: Vec<String>,
    /// File of seeds, one per line; lines that begin with `#` are comments; gzip is unpacked; `-` is standard input
    #[arg(long = "seeds", value_name = "FILE")]
    seed_files: Vec<PathBuf>,
    #[command(flatten)]
    chain: ChainSwitches,
    #[command(flatten)]
    run: RunSwitches,
    /// Most requests at the same time, over all hosts [default: 32]
    #[arg(long, value_name = "N", help_heading = "How fast")]
    concurrency: Option<usize>,
    /// Most requests at the same time to one host [default: 1]
    #[arg(long, value_name = "N", help_heading = "How fast")]
    per_host: Option<usize>,
    /// Milliseconds between an answer from a host and the next request to it [default: 1000]
    #[arg(long, value_name = "MS", value_parser = milliseconds, allow_negative_numbers = true, help_heading = "How fast")]
    delay: Option<u64>,
    /// Ask again for URLs that earlier runs on the store could not get and that may be available by now: after timeouts, broken
    /// connections, 408, 429 and 5xx, and where a host had no address, no trusted certificate, or did not give its robots.txt. Refused
    /// without a store
    #[arg(long, help_heading = "How far, and what is kept")]
    retry_failed: bool,
    /// Read the sitemaps that robots.txt names
    #[arg(long, help_heading = "Which links")]
    sitemaps: bool,
    /// File for one JSON line per fetched URL, with text and links (.gz packs it); appended to where the crawl in
    /// --store goes on
    #[arg(long, value_name = "FILE", help_heading = "How far, and what is kept")]
    log: Option<PathBuf>,
    /// Begin a new crawl even if the files of --log or --decisions hold something, and empty them, except files that a
    /// running crawl writes. Where the crawl in --store goes on, they are appended to all the same
    #[arg(long, help_heading = "How far, and what is kept")]
    overwrite: bool,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let config = self.config()?;
        handles::raise_for(config.concurrency);
        let folder = config.store.clone();
        let runtime = super::runtime()?;
        let done = runtime.block_on(async { run(config, shutdown_on_signals()).await });
        // All is durable: what names are still looked up is waited for by nobody.
        runtime.shutdown_background();
        let (report, unwritten) = match done {
            Ok(report) => (report, None),
            Err(CrawlError::Unwritten { report, source }) => (*report, Some(source)),
            Err(other) => return Err(self.in_words(other)),
        };
        print(&report.to_string())?;
        tell_what_is_left(&report, folder.as_deref());
        match unwritten {
            Some(source) => Err(CrawlError::Records(source).into()),
            None => check_has_page(&report),
        }
    }

    fn in_words(&self, error: CrawlError) -> anyhow::Error {
        match error {
            CrawlError::Chain(problem) => settings::wrong(&problem, &self.chain.named_by()),
            CrawlError::Config(_) | CrawlError::Seeds(_) | CrawlError::OtherPurpose(_) => {
                usage(error.to_string())
            }
            CrawlError::WouldOverwrite(_) => usage(format!(
                "{error}: name another file, move that one away, or have it emptied (--overwrite); only a crawl \
                 that goes on in its --store appends"
            )),
            other => other.into(),
        }
    }

    fn config(&self) -> anyhow::Result<CrawlConfig> {
        let mut crawl = self.chain.settings()?;
        self.run.apply(&mut crawl);
        self.run.check_loss(crawl.store.as_deref())?;
        crawl.retry_failed |= self.retry_failed;
        if self.retry_failed && crawl.store.is_none() {
            return Err(usage(
                "--retry-failed asks again for what earlier runs on a store could not get, and no store is named: give --store DIR, too",
            ));
        }
        check_no_files(&self.seeds)?;
        crawl.seeds.extend(self.seeds.iter().cloned());
        let mut left_out = None;
        for file in &self.seed_files {
            let (seeds, first_left_out) = read_seeds(file)
                .map_err(|error| usage(format!("cannot read the seeds: {error}")))?;
            crawl.seeds.extend(seeds);
            left_out = left_out.or(first_left_out);
        }
        if let Some(folder) = &crawl.store {
            store::check_is_no_file(folder)?;
        }
        if crawl.seeds.is_empty() && !crawl.store.as_ref().is_some_and(SledStore::is_in) {
            if let Some(told) = left_out {
                return Err(usage(format!(
                    "cannot read the seeds: none of them can be used ({told})"
                )));
            }
            if !self.seed_files.is_empty() {
                return Err(usage(hold_no_seed(&self.seed_files)));
            }
            let new_store = match &crawl.store {
                Some(_) => "; the folder of --store holds no crawl to go on with",
                None => "",
            };
            return Err(usage(
                "there is nowhere to begin: name a seed (`nodust crawl https://site.example/`) or a file of them (--seeds FILE)"
                    .to_owned()
                    + new_store,
            ));
        }
        if let Some(n) = self.concurrency {
            crawl.concurrency = n;
        }
        if let Some(n) = self.per_host {
            crawl.per_host = n;
        }
        if let Some(ms) = self.delay {
            crawl.delay_ms = ms;
        }
        crawl.sitemaps |= self.sitemaps;
        if self.log.is_some() {
            crawl.log.clone_from(&self.log);
        }
        check_named(
            (crawl.log.iter())
                .chain(&crawl.decisions)
                .chain(&crawl.report),
        )?;
        check_outside(
            crawl.store.as_deref(),
            (crawl.log.iter())
                .chain(&crawl.decisions)
                .chain(&crawl.report),
        )?;
        check_apart(
            self.seed_files.iter().chain(self.chain.files(&crawl)),
            (crawl.log.iter())
                .chain(&crawl.decisions)
                .chain(&crawl.report),
        )?;
        crawl
            .validate()
            .map_err(|problem| usage(problem.to_string()))?;
        crawl.overwrite = self.overwrite;
        Ok(crawl)
    }
}

/// Says how to go on with what waits, or that nothing does.
fn tell_what_is_left(report: &Report, folder: Option<&Path>) {
    if let Some(folder) = folder
        && report.ending == Ending::Complete
        && report.run.pages == 0
        && report.to_retry == 0
        && !report.total.is_without_page()
    {
        tracing::info!(
            "the crawl in {} was complete before; give it another folder to fetch its pages again",
            folder.display()
        );
    }
    if let Some(folder) = folder
        && report.to_retry > 0
    {
        tracing::info!(
            "{} could not be fetched and may be available another day: the same command with --retry-failed asks again ({})",
            counted(report.to_retry, "URL"),
            folder.display()
        );
    }
    if report.ending == Ending::Complete || report.queued == 0 {
        return;
    }
    if let Some(folder) = folder {
        tracing::info!(
            "{} to go: run the same command again to go on in {}",
            counted(report.queued, "link"),
            folder.display()
        );
    } else {
        tracing::info!(
            "{} left and not kept: give --store DIR next time to be able to go on",
            counted(report.queued, "link")
        );
    }
}

/// Fails where there is not one page, of this run or an earlier one, and says what came of the URLs instead. Who stopped the
/// crawl, or allowed no more pages than the redirects that it began with, has what was asked for.
fn check_has_page(report: &Report) -> anyhow::Result<()> {
    let total = &report.total;
    let is_as_asked = match report.ending {
        Ending::Stopped => true,
        Ending::MaxPages => report.queued > 0,
        Ending::Complete | Ending::HostsGivenUp | Ending::MaxDuration | Ending::Failed => false,
    };
    if total.pages() > 0 || is_as_asked {
        return Ok(());
    }
    let mut reasons: Vec<_> = (total.failed_by.iter())
        .map(|(code, n)| format!("{code}: {n}"))
        .collect();
    for (name, n) in [
        ("error pages", total.broken),
        ("redirects", total.redirected),
    ] {
        if n > 0 {
            reasons.push(format!("{name}: {n}"));
        }
    }
    let reasons = match (reasons.is_empty(), report.ending) {
        (true, Ending::MaxDuration) => " in the time that was given".to_owned(),
        (true, _) => ": the hosts refused or could not be reached".to_owned(),
        (false, _) => format!(" ({})", reasons.join(", ")),
    };
    if report.run.without_page.is_empty() && report.ending == Ending::Complete {
        anyhow::bail!(
            "not one page could be fetched{reasons}, and what earlier runs asked for is not asked for again: {}",
            way_on(report.to_retry)
        );
    }
    let mut told = report.run.without_page.clone();
    let waits =
        matches!(report.ending, Ending::HostsGivenUp | Ending::MaxDuration) && report.queued > 0;
    let first = if waits { "try again later, or " } else { "" };
    told.push(format!("{first}check the seeds and the network"));
    anyhow::bail!(
        "not one page could be fetched{reasons}; {}",
        told.join("; ")
    )
}

/// Refuses a seed that is a file here: it would be asked for as a host's name.
fn check_no_files(seeds: &[String]) -> anyhow::Result<()> {
    let file = (seeds.iter()).find(|seed| !seed.contains("://") && Path::new(seed).is_file());
    match file {
        None => Ok(()),
        Some(file) => {
            let or_host = if file.contains(['/', '\\']) {
                String::new()
            } else {
                format!(", or write http://{file}/ if it is a host")
            };
            Err(usage(format!(
                "{file} is a file here: give it as --seeds {file} if it holds seeds{or_host}"
            )))
        }
    }
}

/// What is told of lists that have no line to begin with.
fn hold_no_seed(lists: &[PathBuf]) -> String {
    let names: Vec<_> = lists.iter().map(|list| files::name(list)).collect();
    let hold = if names.len() == 1 { "holds" } else { "hold" };
    format!(
        "{} {hold} no seed: each is a line of its own, a URL or a host name",
        names.join(", ")
    )
}

/// Octets of a list of seeds that are looked at to tell a table.
const LOOKED_AT: u64 = 1 << 16;

/// The seeds in a file, and of those that are left out the first, with what is wrong with it.
fn read_seeds(file: &Path) -> anyhow::Result<(Vec<String>, Option<String>)> {
    let mut seeds = Vec::new();
    let mut list = lists::open(file, "crawl --seeds -")?;
    let mut begin = Vec::new();
    list.by_ref().take(LOOKED_AT).read_to_end(&mut begin)?;
    if Looks::of(&begin) == Looks::Table {
        // Each of its lines would be tried as a host's name.
        anyhow::bail!(
            "{} {} and is not a list of URLs or host names, one per line: extract them (`cut -d , -f 2` takes the second \
             column)",
            files::name(file),
            Looks::Table
        );
    }
    let mut left_out = 0;
    let mut first = None;
    let mut list = Cursor::new(begin).chain(list);
    let mut line = Vec::new();
    for number in 1u64.. {
        let found = next_line(&mut list, &mut line, MAX_LINE)?;
        if found == NextLine::None {
            break;
        }
        if line.trim_ascii().is_empty() && found == NextLine::Whole || is_comment(&line) {
            continue;
        }
        let read = std::str::from_utf8(&line).map(str::trim);
        let why = match read {
            _ if found == NextLine::TooLong => Some(format!(
                "{} is too long",
                shown(&String::from_utf8_lossy(&line))
            )),
            Ok("") => continue,
            // What would be put in the place of such octets is another URL.
            Err(_) => Some("it is not UTF-8".to_owned()),
            Ok(seed) => why_no_seed(seed),
        };
        let Some(why) = why else {
            seeds.extend(read.map(str::to_owned));
            continue;
        };
        let told = format!("{}:{number}: {why}", files::name(file));
        left_out += 1;
        if left_out <= TOLD_SEEDS {
            tracing::warn!("{told}; left out");
        }
        first.get_or_insert(told);
    }
    tell_more_left_out(left_out);
    Ok((seeds, first))
}

/// What is wrong with a line of a list of seeds.
fn why_no_seed(seed: &str) -> Option<String> {
    let (_, broken) = parse_seeds(&[seed.to_owned()]);
    broken.first().map(|(seed, why)| no_seed(seed, *why))
}
