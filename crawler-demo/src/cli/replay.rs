//! `nodust replay`: what would nodust have fetched of a recorded crawl?

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use clap::Command;
use nodust_frontier::{
    Commit, DecisionSink, Exploration, LocalFrontier, Probability, Stats, Store,
};
use nodust_middleware::filter::ScopeKind;

use super::{
    check_apart, check_free, check_named, check_outside, check_whole, print,
    settings::{self, ChainSwitches, RunSwitches},
    store, usage,
};
use crate::{
    CrawlConfig,
    crawl::{lines, tell_changed},
    purpose::Purpose,
    records::{Claim, Decisions, Kind},
    replay::{Limits, Log, replay},
    report::{Ending, Lack, Numbers, Report, Run},
    words::counted,
};

/// Run chain, frontier and predictor over a recorded crawl instead of the network
///
/// If its lines have `links`, a log is followed from its first URL and from those at depth 0 (the crawl's other seeds). If not, or with
/// --line-by-line, its lines are offered in order. Where a URL has several lines, the first counts; an answer of a server in trouble (408,
/// 425, 429, 5xx) counts only if there is no other line. Lines that are no records are logged with their number and skipped. If a log
/// breaks off, what stands before that place is replayed, and the exit code is 1. A replay shows what nodust would save on a site before
/// you trust it with the site. Equal logs, switches and seeds give equal decisions.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Logs of crawls, as `nodust crawl --log` writes them; gzip is unpacked; `-` is standard input
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Take the lines in order, even if they have links
    #[arg(long)]
    line_by_line: bool,
    #[command(flatten)]
    chain: ChainSwitches,
    #[command(flatten)]
    run: RunSwitches,
    /// Without effect in a replay
    #[arg(long, value_name = "N", hide = true)]
    concurrency: Option<usize>,
    /// Without effect in a replay
    #[arg(long, value_name = "MS", hide = true)]
    delay: Option<u64>,
}

/// State under which the store of a replay keeps with which log it began.
const BEGINS: &str = "replay/begins";

/// What switches do that a crawl has, too, where nothing is fetched from a server: their names, and their help.
const IN_OWN_WORDS: [(&str, &str); 12] = [
    (
        "config",
        "TOML file with settings: `[filter]`, `[normalize]` and so on for the stages, `[store]` for the folder of --store; of \
         `[crawl]`, only exploration, seed, limits, nofollow and max_redirects count here. Switches take precedence",
    ),
    (
        "scope",
        "How far to follow links from where the log begins [default: host, with its port; any where lines are taken in order]",
    ),
    (
        "max_depth",
        "Most links between a page and where the log begins [default: no limit]",
    ),
    (
        "exploration",
        "Share of believed duplicates that are looked up in the log all the same, to measure how often the beliefs are right, 0 to 1; \
         with 0, nothing that is believed can turn out wrong [default: 0.05]",
    ),
    (
        "no_normalize",
        "No static normalization: URLs are compared as they are spelled",
    ),
    (
        "refetch",
        "Use what the log says of further answers for one URL, as a crawl with --refetch writes them: lines that change with \
         each answer are ignored when pages are compared",
    ),
    (
        "seed",
        "Number that all random choices depend on (which duplicates are explored): the same number gives the same choices \
         [default: 0]",
    ),
    (
        "store",
        "Folder that keeps the replay, not that of a crawl: with the same folder it goes on where it stopped, and `nodust stats`, \
         `beliefs` and `explain` read it [default: none, everything is kept in memory]",
    ),
    (
        "accept_loss",
        "Open a store whose last commits were lost (a truncated file): their pages are taken from the log again. It does not \
         help where the store cannot be read at all. Refused without a store",
    ),
    (
        "max_pages",
        "Pages taken from the log at most [default: no limit]",
    ),
    (
        "second_helping",
        "At the end, take links that were dropped by belief and still wait in the ledger",
    ),
    (
        "decisions",
        "File for one JSON line per decision, in order (.gz packs it), replaced if it exists. Where the replay goes on in its \
         --store, it is appended to: a line has the decision `resume`, and lines before it may come again",
    ),
];

/// The same definition with the switches that a crawl shares explained as what they do in a replay.
pub(super) fn in_own_words(command: Command) -> Command {
    (IN_OWN_WORDS.into_iter())
        .fold(command, |command, (name, help)| {
            command.mut_arg(name, |arg| arg.help(help))
        })
        .mut_arg("seed", |arg| arg.value_parser(lots))
}

/// Reads the number that lots depend on; a replay has no seeds that could have been meant.
fn lots(text: &str) -> Result<u64, &'static str> {
    text.parse()
        .map_err(|_| "a number is wanted; a replay begins where its log does")
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let mut config = self.chain.settings()?;
        self.run.apply(&mut config);
        self.run.check_loss(self.run.store.as_deref())?;
        check_named(&self.run.decisions)?;
        check_outside(
            self.run.store.as_deref(),
            self.run.decisions.iter().chain(&self.run.report),
        )?;
        check_apart(
            self.logs.iter().chain(self.chain.files(&config)),
            self.run.decisions.iter().chain(&self.run.report),
        )?;
        check_free(&self.run.report)?;
        let log = Log::read(&self.logs)?;
        tell_lacks(&log);
        if config.chain.predict.refetch && !log.has_second_answers() {
            tracing::warn!(
                "refetch has no effect: it uses second answers, and the log has none. A crawl with --refetch and --log writes them, also with --no-predict"
            );
        }
        let is_graph = log.is_graph() && !self.line_by_line;
        if !is_graph && self.chain.scope.is_none() {
            // Whoever wrote down a list of lines wants them all judged.
            config.chain.scope.kind = ScopeKind::Any;
        }
        let chain = settings::chain(&config.chain, &log.starts(), &self.chain.named_by())?;
        let store = (self.run.store.as_deref())
            .map(|folder| store::open(folder, &config.store_options))
            .transpose()?;
        if let Some(store) = &store {
            Purpose::Replay
                .check(&**store, self.run.store.as_deref())?
                .map_err(|other| usage(other.to_string()))?;
        }
        let goes_on = store.as_ref().is_some_and(|store| store.seen_len() > 0);
        let decisions = Arc::new(self.decisions(goes_on)?);
        if let (Some(store), Some(folder)) = (&store, &self.run.store) {
            Purpose::Replay.note(&**store)?;
            tell_changed(&config, &**store)?;
            tell_other_log(&log, &**store, folder)?;
        }
        let share = Probability::new(config.exploration)
            .ok_or_else(|| usage("exploration must lie between 0 and 1"))?;
        let mut builder = LocalFrontier::builder(chain);
        if let Some(store) = store {
            builder = builder.store(store);
        }
        let frontier = builder
            .exploration(Exploration::new(share, config.seed))
            .max_redirects(config.max_redirects)
            .sink(Arc::clone(&decisions) as Arc<dyn DecisionSink>)
            .build()?;
        let done = replay(&frontier, &log, Some(&*decisions), &self.limits(&config))?;
        let decided = match decisions.file() {
            Some(file) => file.finish(),
            None => Ok(()),
        };
        let stats = Stats {
            // No replay brings what its log does not have.
            to_retry: 0,
            ..frontier.stats()?
        };
        let totals = Numbers::from(&stats.total);
        let mut report = Report::new(
            &stats,
            done.ending,
            Run {
                seconds: done.took.as_secs_f64(),
                pages: done.pages,
                missing: Some(Lack::of(&totals)),
                second_helping: self.run.second_helping,
                ..Run::default()
            },
        )
        .with_beliefs(&frontier.beliefs()?);
        if decided.is_err() {
            report.ending = Ending::Failed;
        }
        print(&report.to_string())?;
        tell_missing(&totals, &done.missing);
        if let Some(folder) = &self.run.store
            && goes_on
            && done.pages == 0
            && done.ending == Ending::Complete
        {
            tracing::info!(
                "nothing was left in {}; give it another folder to replay the log again",
                folder.display()
            );
        }
        decided?;
        super::write_report(self.run.report.as_deref(), &report)?;
        check_whole(log.cut())?;
        if totals.is_without_page() && done.ending == Ending::Complete {
            return Err(without_page(&log, is_graph));
        }
        Ok(())
    }

    fn limits(&self, config: &CrawlConfig) -> Limits {
        let max_duration = self.run.max_duration.or(config.max_duration_secs);
        Limits {
            max_pages: self.run.max_pages.or(config.max_pages),
            max_duration: max_duration.map(Duration::from_secs),
            second_helping: self.run.second_helping,
            ignore_links: self.line_by_line,
            nofollow: config.nofollow && !config.chain.no_filter,
        }
    }

    /// The file of decisions: written on where a store goes on, and otherwise replaced. A replay can be had again, a crawl cannot.
    fn decisions(&self, goes_on: bool) -> anyhow::Result<Decisions> {
        let open = |path| {
            let mut file = Claim::of(path)?;
            if goes_on {
                file.first_url(Kind::Decisions)?;
            }
            lines(file, path, goes_on, false)
        };
        let file = self.run.decisions.as_deref().map(open).transpose()?;
        let decisions = Decisions::new(file.map(|opened| opened.file));
        if goes_on {
            decisions.resumed();
        }
        Ok(decisions)
    }
}

/// Not one page came, though the log may have some.
fn without_page(log: &Log, is_graph: bool) -> anyhow::Error {
    let records = log.records();
    let has_page = (records.iter()).any(|record| (200..300).contains(&record.status()));
    match records.first() {
        Some(first) if is_graph && has_page => anyhow::anyhow!(
            "not one page could be fetched: a replay follows the links of the log's first record, {}, which led to none of the pages; \
             --line-by-line judges all {} in order",
            first.url,
            counted(records.len() as u64, "line")
        ),
        _ => anyhow::anyhow!("not one page could be fetched: the log has none"),
    }
}

/// Says if what is in the store began with another log, or writes down with which it begins.
fn tell_other_log(log: &Log, store: &dyn Store, folder: &Path) -> anyhow::Result<()> {
    let first = log.starts().into_iter().next().unwrap_or_default();
    let now = format!("{first} ({})", counted(log.records().len() as u64, "line"));
    if let Some(before) = store.state(BEGINS)? {
        if before != now.as_bytes() {
            tracing::warn!(
                "the replay in {} began with another log than this; the figures cover both. The two logs begin with {} and {now}",
                folder.display(),
                String::from_utf8_lossy(&before)
            );
        }
        return Ok(());
    }
    Ok(store.commit(Commit {
        state: vec![(BEGINS.to_owned(), Some(now.into_bytes()))],
        ..Commit::default()
    })?)
}

/// Of so many URLs fetched one may be missing before it is said how to record more: fewer change no figure, and robots.txt
/// refuses some on most sites, which no log has.
const TOLD_OF: u64 = 100;

/// Of so many URLs fetched one may be missing before the share saved says little.
const IN_DOUBT: u64 = 10;

/// Names some of the URLs that a log lacks, and says how one is recorded that lacks fewer where these are so many that the saving
/// is in doubt.
fn tell_missing(total: &Numbers, first: &[String]) {
    let Lack { urls, of, .. } = Lack::of(total);
    if urls == 0 {
        return;
    }
    let names = match (first.is_empty(), urls.saturating_sub(first.len() as u64)) {
        (true, _) => String::new(),
        (false, 0) => format!(" ({})", first.join(", ")),
        (false, more) => format!(" ({} and {more} more)", first.join(", ")),
    };
    let why = if urls.saturating_mul(TOLD_OF) <= of {
        "its crawl left them out (robots.txt, its limits, what it dropped), or got no answer"
    } else {
        "nobody can tell what they would have brought. A crawl with --no-filter --no-normalize --no-rules --no-predict records all \
         that robots.txt and its limits allow"
    };
    let what = format!(
        "not in the log, and counted as fetched: {urls} of {}{names}",
        counted(of, "URL")
    );
    if urls.saturating_mul(IN_DOUBT) <= of {
        tracing::info!("{what}; {why}");
    } else {
        tracing::warn!("{what}, so that the share saved says little; {why}");
    }
}

/// What a log does not have of what was recorded.
fn tell_lacks(log: &Log) {
    if log.cut_texts() > 0 {
        tracing::warn!(
            "the log has only the beginning of {}: pages are compared by what is there, and decisions may differ from those of the crawl \
             (log_text_chars says how much it keeps)",
            counted(log.cut_texts(), "text")
        );
    }
    if log.skipped() > 0 {
        tracing::warn!("{} skipped", counted(log.skipped(), "line"));
    }
}
