//! The switches that crawl and replay share, the configuration file behind them, and the chain that they
//! make.

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use nodust_frontier::Chain;
use nodust_middleware::{
    Config, ConfigError,
    filter::{FilterError, ScopeKind},
    predict::Trust,
    rules::RuleFileError,
    standard_chain,
};

use super::{misplaced, usage};
use crate::{
    CrawlConfig,
    files::{Looks, why},
};

/// How far from its seeds a crawl may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Scope {
    /// The seeds' hosts, with their ports.
    Host,
    /// The seeds' registrable domains (`example.co.uk`), with all their hosts.
    Domain,
    /// Anywhere.
    Any,
}

/// The settings in a TOML file (`[crawl]` and `[store]` for the crawler, every other section for the chain), or the
/// defaults. Blacklists and rules that the file names are looked for beside it.
pub(super) fn read(file: Option<&Path>) -> anyhow::Result<CrawlConfig> {
    let Some(path) = file else {
        return Ok(CrawlConfig::default());
    };
    let text = nodust_middleware::file::text(path).map_err(|error| {
        usage(format!(
            "--config: cannot read {}: {}; name a file that is there, or leave --config out for the defaults",
            path.display(),
            why(&error)
        ))
    })?;
    let mut config = CrawlConfig::from_toml(&text).map_err(|problem| {
        let file = path.display();
        let way_out = "or leave --config out for the defaults";
        usage(match Looks::of(text.as_bytes()) {
            // What may be one with a fault.
            Looks::Configuration | Looks::Text | Looks::Table | Looks::Json => {
                let belongs = misplaced::belongs(&problem.to_string());
                format!("the configuration {file} is not right: {problem}{belongs}\ncorrect it, {way_out}")
            }
            looks => format!("{file} {looks} and is no configuration: name one, {way_out}"),
        })
    })?;
    if let Some(folder) = path.parent() {
        config.chain.look_beside(folder);
    }
    Ok(config)
}

/// A configuration file, and the files that the settings of a chain are read from.
pub(super) fn files<'c>(
    config: Option<&'c PathBuf>,
    chain: &'c Config,
) -> impl Iterator<Item = &'c PathBuf> {
    (config.into_iter())
        .chain(&chain.predict.beliefs)
        .chain(&chain.rules.file)
        .chain(&chain.filter.blacklists)
}

/// The chain for a crawl from these seeds; those that are no URLs are passed over.
pub(super) fn chain(
    config: &Config,
    seeds: &[String],
    named: &NamedBy<'_>,
) -> anyhow::Result<Chain> {
    let (seeds, _broken) = crate::crawl::parse_seeds(seeds);
    standard_chain(config, &seeds).map_err(|problem| wrong(&problem, named))
}

/// What names the files that the settings of a chain are read from.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedBy<'c> {
    /// The configuration file.
    pub(super) config: Option<&'c Path>,
    /// Whether --beliefs names the beliefs, and not that file.
    pub(super) beliefs: bool,
}

impl<'c> NamedBy<'c> {
    /// A configuration file, and nothing else.
    pub(super) const fn file(config: Option<&'c Path>) -> Self {
        Self {
            config,
            beliefs: false,
        }
    }

    /// What is wrong with what a key names: where that stands, what is wrong, and what to do.
    fn tell(&self, key: &str, wrong: &str, instead: &str) -> anyhow::Error {
        if self.beliefs && key == BELIEFS {
            return usage(format!("--beliefs: {wrong}; name {instead}"));
        }
        let file = (self.config).map_or_else(|| "configuration".into(), Path::to_string_lossy);
        let (section, name) = key.split_once('.').unwrap_or_default();
        usage(format!(
            "{file}: {key}: {wrong}; name {instead} (`{name}` under [{section}]), or leave it out"
        ))
    }
}

/// The key that names a file of beliefs.
const BELIEFS: &str = "predict.beliefs";

/// What is wrong with the settings of a chain, and what a file that they name looks like that is none of its kind.
pub(super) fn wrong(problem: &ConfigError, named: &NamedBy<'_>) -> anyhow::Error {
    let unread = |key: &str, path: &Path, source: &io::Error| {
        let wrong = format!("cannot read {}: {}", path.display(), why(source));
        let instead = match source.kind() {
            io::ErrorKind::NotFound => "a file that is there",
            io::ErrorKind::IsADirectory => "a file",
            _ => "one that can be read",
        };
        named.tell(key, &wrong, instead)
    };
    let unfit = |key, path, kind| {
        let looks = nodust_middleware::file::text(path).map(|text| Looks::of(text.as_bytes()));
        let hint = match looks {
            Ok(looks) if looks != kind => format!(" (the file {looks})"),
            _ => String::new(),
        };
        named.tell(key, &format!("{problem}{hint}"), "one that is right")
    };
    match problem {
        ConfigError::Read {
            key: Some(key),
            path,
            source,
        } => unread(key, path, source),
        ConfigError::Filter(FilterError::Blacklist { path, source }) => {
            unread("filter.blacklists", path, source)
        }
        ConfigError::Rules { path, source } => {
            let told = unfit("rules.file", path, Looks::Rules);
            usage(format!("{told}{}", where_rules_are_described(source)))
        }
        ConfigError::Beliefs { path, .. } => unfit(BELIEFS, path, Looks::Beliefs),
        _ => usage(format!("configuration: {problem}")),
    }
}

/// Where to read how a rules file is written, as a line of its own, for whoever edited one by hand.
pub(super) const fn where_rules_are_described(problem: &RuleFileError) -> &'static str {
    match problem {
        RuleFileError::Json(_) => {
            "\ndocs/rules.md describes the file, with all conditions and edits"
        }
        RuleFileError::Format { .. } => "",
    }
}

/// Where a list goes that a subcommand makes of another.
#[derive(Clone, Debug, Args)]
pub(super) struct Output {
    /// File for the output (.gz packs it), replaced if it exists; `-` for standard output [default: standard output]
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true
    )]
    pub(super) output: PathBuf,
}

/// Switches that say which links are wanted.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Which links")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one switch of the command line"
)]
pub(super) struct ChainSwitches {
    /// TOML file with settings: `[crawl]` for the crawler, `[store]` for its folder, `[filter]`, `[normalize]` and so on for the
    /// stages. Switches take precedence
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// How far from the seeds to follow links [default: host, with its port]
    #[arg(long, value_enum)]
    pub(super) scope: Option<Scope>,
    /// Most links between a page and its seed [default: no limit]
    #[arg(long, value_name = "N")]
    pub(super) max_depth: Option<u16>,
    /// Share of believed duplicates that are fetched all the same, to measure how often the beliefs are right, 0 to 1.
    /// With 0, nothing that is believed, predicted or from a rules file, can turn out wrong [default: 0.05]
    #[arg(long, value_name = "F", value_parser = share, allow_negative_numbers = true)]
    pub(super) exploration: Option<f64>,
    /// No filters: only validity, scope and depth decide
    #[arg(long)]
    pub(super) no_filter: bool,
    /// No static normalization: URLs are compared as they would be fetched
    #[arg(long)]
    pub(super) no_normalize: bool,
    /// No rewrite rules: none are learned, and a rules file that the configuration names is not used
    #[arg(long)]
    pub(super) no_rules: bool,
    /// No prediction of duplicates, whatever --config says; beliefs that it names are not used
    #[arg(long)]
    pub(super) no_predict: bool,
    /// Fetch a few pages twice, to learn which lines change with each answer (a quotation, a recommended product), and ignore those lines
    /// when pages are compared. For sites whose copies are not found because each page has such lines, above or below a line that all
    /// pages have. Pages that differ only in such a line are lost, and exploration does not show it
    #[arg(long)]
    pub(super) refetch: bool,
    /// File of beliefs, as `nodust beliefs --export` writes it: they are tested from the start and need less evidence.
    /// Refused where nothing is predicted
    #[arg(long, value_name = "FILE")]
    pub(super) beliefs: Option<PathBuf>,
    /// Act at once upon imported beliefs that were active, instead of testing them first, except for the first page of
    /// each kind of URLs (a namespace, a folder) that they were tried on
    #[arg(long, requires = "beliefs")]
    pub(super) trust_beliefs: bool,
    /// Number that all random choices depend on (which duplicates are explored): the same number gives the same
    /// choices. Not a URL to begin with: give those without a switch, or by --seeds [default: 0]
    #[arg(long, value_name = "N", value_parser = lots)]
    pub(super) seed: Option<u64>,
}

/// Switches that say where results go and when to stop.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "How far, and what is kept")]
pub(super) struct RunSwitches {
    /// Folder that keeps the crawl: the same command with the same folder goes on where it stopped [default: none,
    /// everything is kept in memory]
    #[arg(long, value_name = "DIR")]
    pub(super) store: Option<PathBuf>,
    /// Open a store whose last commits were lost (a truncated file): their pages are fetched again. It does not help
    /// where the store cannot be read at all. Refused without a store
    #[arg(long)]
    pub(super) accept_loss: bool,
    /// Most pages to fetch in this run [default: no limit]. Failed tries that are repeated do not count, up to the same number;
    /// further ones do
    #[arg(long, value_name = "N", value_parser = pages, allow_negative_numbers = true)]
    pub(super) max_pages: Option<u64>,
    /// Seconds this run may take; requests under way then get a few more to finish (`grace_secs`) [default: no limit]
    #[arg(long, value_name = "SECS", value_parser = seconds, allow_negative_numbers = true)]
    pub(super) max_duration: Option<u64>,
    /// At the end, fetch links that were dropped by belief and still wait in the ledger
    #[arg(long)]
    pub(super) second_helping: bool,
    /// File for one JSON line per decision, in order (.gz packs it). A crawl that begins anew empties a file that holds
    /// something only with --overwrite. One that goes on in its store appends: a line has the decision `resume`, and lines
    /// before it may come again
    #[arg(long, value_name = "FILE")]
    pub(super) decisions: Option<PathBuf>,
    /// File for the report as JSON, replaced if it exists [default: only the summary is printed]
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
}

/// Reads a share.
pub(super) fn share(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share from 0 to 1 is wanted, such as 0.05"),
    }
}

/// Reads the number that lots depend on. Many a URL was meant to be one to begin with.
fn lots(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(
        |_| "a number is wanted; a URL to begin with is given without a switch, or by --seeds FILE",
    )
}

/// Reads a number of pages.
fn pages(text: &str) -> Result<u64, &'static str> {
    match text.parse() {
        Ok(pages) if pages > 0 => Ok(pages),
        _ => Err("a number of pages, 1 or more, is wanted; without the switch there is no limit"),
    }
}

/// Reads a number of seconds.
fn seconds(text: &str) -> Result<u64, &'static str> {
    match text.parse() {
        Ok(seconds) if seconds > 0 => Ok(seconds),
        _ => Err("a number of seconds, 1 or more, is wanted, without unit: 600 is ten minutes"),
    }
}

/// Reads a number of milliseconds.
pub(super) fn milliseconds(text: &str) -> Result<u64, &'static str> {
    text.parse()
        .map_err(|_| "a number of milliseconds is wanted, without unit: 1000 is a second")
}

impl From<Scope> for ScopeKind {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Host => Self::Host,
            Scope::Domain => Self::Domain,
            Scope::Any => Self::Any,
        }
    }
}

impl ChainSwitches {
    /// What names the files of these settings.
    pub(super) fn named_by(&self) -> NamedBy<'_> {
        NamedBy {
            config: self.config.as_deref(),
            beliefs: self.beliefs.is_some(),
        }
    }

    /// The files that these switches, and the settings that come of them, are read from.
    pub(super) fn files<'c>(&'c self, crawl: &'c CrawlConfig) -> impl Iterator<Item = &'c PathBuf> {
        files(self.config.as_ref(), &crawl.chain)
    }

    /// The settings of file and switches together.
    pub(super) fn settings(&self) -> anyhow::Result<CrawlConfig> {
        let mut crawl = read(self.config.as_deref())?;
        let chain = &mut crawl.chain;
        if let Some(scope) = self.scope {
            chain.scope.kind = scope.into();
        }
        chain.scope.max_depth = self.max_depth.or(chain.scope.max_depth);
        chain.no_filter |= self.no_filter;
        chain.no_normalize |= self.no_normalize;
        chain.no_rules |= self.no_rules;
        chain.predict.enabled &= !self.no_predict;
        chain.predict.refetch |= self.refetch;
        if let Some(file) = &self.beliefs {
            self.check_predicts(chain.predict.enabled)?;
            chain.predict.beliefs = Some(file.clone());
        }
        if self.trust_beliefs {
            chain.predict.trust = Trust::Active;
        }
        crawl.exploration = self.exploration.unwrap_or(crawl.exploration);
        crawl.seed = self.seed.unwrap_or(crawl.seed);
        Ok(crawl)
    }

    /// Refuses --beliefs where nothing would be made of them: whoever named a file wants it heeded.
    fn check_predicts(&self, predicts: bool) -> anyhow::Result<()> {
        let off = match (predicts, self.no_predict) {
            (true, _) => return Ok(()),
            (false, true) => "--no-predict turns that off",
            (false, false) => "the configuration turns that off (`enabled` under [predict])",
        };
        Err(usage(format!(
            "--beliefs needs prediction, and {off}: leave one of the two out"
        )))
    }
}

impl RunSwitches {
    /// Refuses --accept-loss where there is no store that could have lost anything: whoever gave it meant one.
    pub(super) fn check_loss(&self, store: Option<&Path>) -> anyhow::Result<()> {
        if self.accept_loss && store.is_none() {
            return Err(usage(
                "--accept-loss opens a store that lost its last commits, and no store is named: give --store DIR, too",
            ));
        }
        Ok(())
    }

    /// Writes the switches over what a file said.
    pub(super) fn apply(&self, crawl: &mut CrawlConfig) {
        let RunSwitches {
            store,
            max_pages,
            max_duration,
            second_helping,
            accept_loss,
            decisions,
            report,
        } = self.clone();
        crawl.store = store.or(crawl.store.take());
        crawl.store_options.accept_loss |= accept_loss;
        crawl.second_helping |= second_helping;
        crawl.max_pages = max_pages.or(crawl.max_pages);
        crawl.max_duration_secs = max_duration.or(crawl.max_duration_secs);
        crawl.decisions = decisions.or(crawl.decisions.take());
        crawl.report = report.or(crawl.report.take());
    }
}
