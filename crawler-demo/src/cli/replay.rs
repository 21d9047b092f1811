//! `nodust replay`: what would nodust have fetched of a crawl that was recorded?

use std::{path::PathBuf, sync::Arc, time::Duration};

use nodust_frontier::{DecisionSink, Exploration, LocalFrontier, Probability};
use nodust_middleware::filter::ScopeKind;

use super::{
    check_apart, check_named, check_whole, print,
    settings::{self, ChainSwitches, RunSwitches},
    store, usage,
};
use crate::{
    crawl::lines,
    records::{Claim, Decisions},
    replay::{Limits, Log, replay},
    report::{Numbers, Report, Run},
    words::counted,
};

/// Run chain, frontier and predictor over a recorded crawl instead of the network
///
/// With `links` in its lines, a log is followed from its first URL, and from those that lie at depth 0 (the
/// crawl's other seeds); without, its lines are offered in order, as they are with --line-by-line. Of a URL
/// that stands in it twice, the first line counts. Lines that are no records are logged with their number and skipped; what stands
/// before the place where a log breaks off is replayed, and the exit code is 1. This tells what nodust would save on a site before it is trusted with it. Equal logs, switches
/// and seeds give equal decisions.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Logs of crawls, as `nodust crawl --log` writes them; gzip is unpacked, `-` is standard input
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

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let mut config = self.chain.settings()?;
        self.run.apply(&mut config);
        self.run.check_loss(self.run.store.as_deref())?;
        check_named(&self.run.decisions)?;
        check_apart(
            self.logs.iter().chain(self.chain.files(&config)),
            self.run.decisions.iter().chain(&self.run.report),
        )?;
        let log = Log::read(&self.logs)?;
        if log.skipped() > 0 {
            tracing::warn!("{} skipped", counted(log.skipped(), "line"));
        }
        let is_graph = log.is_graph() && !self.line_by_line;
        if !is_graph && self.chain.scope.is_none() {
            // Whoever wrote down a list of lines wants them all judged.
            config.chain.scope.kind = ScopeKind::Any;
        }
        let chain = settings::chain(&config.chain, &log.starts())?;
        let store = (self.run.store.as_deref())
            .map(|folder| store::open(folder, &config.store_options))
            .transpose()?;
        let goes_on = store.as_ref().is_some_and(|store| store.seen_len() > 0);
        let decisions = Arc::new(self.decisions(goes_on)?);
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
        let limits = Limits {
            max_pages: self.run.max_pages.or(config.max_pages),
            max_duration: self
                .run
                .max_duration
                .or(config.max_duration_secs)
                .map(Duration::from_secs),
            second_helping: self.run.second_helping,
            ignore_links: self.line_by_line,
            nofollow: config.nofollow && !config.chain.no_filter,
        };
        let done = replay(&frontier, &log, Some(&*decisions), &limits)?;
        if let Some(file) = decisions.file() {
            file.finish()?;
        }
        let report = Report::new(
            &frontier.stats()?,
            done.ending,
            Run {
                seconds: done.took.as_secs_f64(),
                pages: done.pages,
                ..Run::default()
            },
        )
        .with_beliefs(&frontier.beliefs()?);
        super::write_report(self.run.report.as_deref(), &report)?;
        print(&report.to_string())?;
        tell_missing(&report.total);
        check_whole(log.cut())
    }

    /// The file of decisions: written on where a store goes on, and otherwise replaced. A replay can be had again, a crawl cannot.
    fn decisions(&self, goes_on: bool) -> anyhow::Result<Decisions> {
        let open = |path| lines(Claim::of(path)?, path, goes_on, false);
        let file = self.run.decisions.as_deref().map(open).transpose()?;
        let decisions = Decisions::new(file.map(|opened| opened.file));
        if goes_on {
            decisions.resumed();
        }
        Ok(decisions)
    }
}

/// Of so many URLs fetched one may be missing before it is said how to record more: fewer change no figure, and robots.txt
/// refuses some on most sites, which no log has.
const TOLD_OF: u64 = 100;

/// Says how many URLs the log lacks, where these are so many that the saving is in doubt.
fn tell_missing(total: &Numbers) {
    let missing = (total.failed_by.get(crate::replay::MISSING)).map_or(0, |missing| *missing);
    if missing.saturating_mul(TOLD_OF) <= total.fetched {
        return;
    }
    tracing::info!(
        "not in the log, and counted as fetched: {missing} of {}; nobody can tell what they would have brought. A crawl with \
         --no-filter --no-normalize --no-rules --no-predict records all that robots.txt and its limits allow",
        counted(total.fetched, "URL")
    );
}
