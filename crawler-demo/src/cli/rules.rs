//! `nodust rules`: prints, compares and joins rules files, and imports lists of trackers.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::Read as _,
    path::{Path, PathBuf},
};

use nodust_frontier::{SledOptions, SledStore};
use nodust_middleware::{
    learn::online::rules_in_store,
    rules::{Entry, Imported, RuleFile, RuleFileError, Site, Why, import_clearurls},
};

use super::{
    check_apart, check_once, print,
    settings::{Output, where_rules_are_described},
    store, usage,
};
use crate::{
    files::{self, Looks, Unfit},
    words::counted,
};

/// Print, compare and join rules files, and import lists of trackers
///
/// Rules files are JSON and may be edited by hand. A rule with the status `pinned` is applied whatever the evidence
/// says; one with the status `vetoed` is not applied, and no learner brings it back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
        nodust rules show rules.json --host forum.example\n  \
        nodust rules show --store crawl/ --json > found.json\n  \
        nodust rules diff old.json new.json\n  \
        nodust rules merge old.json new.json --output rules.json\n  \
        nodust rules import clearurls.json --output trackers.json")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print rules with the evidence for and against them
    ///
    /// `by` says who proposed a rule: `tree` and `classes` are the two learners; `sinks` finds pages that very many addresses lead to;
    /// `jointly` are differences that were mostly met together, each proved given the others;
    /// `usual` is what holds on most sites (order of parameters, trailing slash, tracking names …) and stands where no page contradicts
    /// it, tried or not; `hand` is a person; `clearurls` an imported list. `merges` counts the pairs of URLs that the rule makes one, and
    /// `fpr` is the share of them that is two pages. `trials` counts the groups of URLs that showed whether the rule is right, with the 95
    /// % interval of the share that fails. `saves` counts the fetches it would spare, `loses` the pages it would hide, and `loss` is the
    /// share of those fetches that would have brought such a page.
    ///
    /// The pairs of one group are not independent: a group is one page or it is not. So the 95 % intervals of `fpr` and `loss` count
    /// trials, however many pairs there are. They are the interval of failing groups, scaled to pairs (or fetches) by what the failed
    /// groups came to, and are no narrower than if each trial had been one pair.
    Show(Show),
    /// Print what differs between two rules files
    ///
    /// A line starts with + (only in the new file), - (only in the old one) or ~ (another status, or applied at another place), and
    /// names the hosts that the rule holds for.
    Diff {
        /// The older file
        old: PathBuf,
        /// The newer file
        new: PathBuf,
    },
    /// Join rules files: later ones win, except over what a person pinned or vetoed
    Merge {
        /// The files, oldest first
        #[arg(required = true, value_name = "RULES")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// Turn a list of trackers in the form of `ClearURLs` into rules on the class
    ///
    /// Only parameter names that are plain text and hold for every site are taken. Each other entry is reported with its
    /// place, and the rest is imported all the same; if nothing in a list can be taken, the exit code is 2. The list is
    /// your own choice, so its rules are pinned: a crawl does not fetch pages to check them. Give a rule the status
    /// `active` to have it audited.
    Import {
        /// The list, `-` for standard input
        list: PathBuf,
        #[command(flatten)]
        output: Output,
    },
}

/// What `rules show` is told.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nodust rules show [OPTIONS] [FILE]\n       nodust rules show [OPTIONS] --store <DIR>"
)]
struct Show {
    /// The file, `-` for standard input, or the folder of a crawl (see --store)
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Show what a crawl found out about rules, those it learned and those of its file: the folder given to `nodust crawl --store`, which
    /// no running crawl may be using. Rules that a person pinned or vetoed, and those of all hosts (`*`), are in the file alone
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    store: Option<PathBuf>,
    /// Print the rules as a rules file
    #[arg(long)]
    json: bool,
    /// Print only the rules of this host
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Also print pairs of URLs that a rule makes one. `=` marks two that showed one page: the first becomes the second, or both
    /// become what follows them. `≠` marks two that showed different pages, which speaks against the rule
    #[arg(long)]
    examples: bool,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self.what {
            What::Show(show) => show.run(),
            What::Diff { old, new } => {
                check_once([&old, &new])?;
                let mut text = String::new();
                for change in read(&old)?.diff(&read(&new)?) {
                    let _ = writeln!(text, "{change}");
                }
                if text.is_empty() {
                    tracing::info!("no difference");
                    return Ok(());
                }
                Ok(print(&text)?)
            }
            What::Merge { files, output } => {
                check_once(&files)?;
                check_apart([], [&output.output])?;
                let mut rules = RuleFile::default();
                for file in &files {
                    rules.merge(&read(file)?);
                }
                // Lists that are sound apart may lead to hosts of one another.
                if let Err(why) = RuleFile::parse(&rules.to_text()?) {
                    return Err(usage(format!(
                        "joined, the files do not make a valid rules file: {why}"
                    )));
                }
                write(&rules, &output.output)
            }
            What::Import { list, output } => {
                check_apart([&list], [&output.output])?;
                let text = text_of(&list, TRACKERS)?;
                let imported = import_clearurls(&text).map_err(|error| {
                    let why = match error {
                        RuleFileError::Json(why) => why.to_string(),
                        other @ RuleFileError::Format { .. } => other.to_string(),
                    };
                    let why = format!(" ({why}); docs/rules.md describes such a list");
                    no_such(&list, text.as_bytes(), TRACKERS, &why)
                })?;
                let taken: usize = imported.rules.sites.iter().map(|s| s.rules.len()).sum();
                let left_out = tell_left_out(&list, &imported);
                if taken == 0 {
                    return Err(usage(format!(
                        "{} holds no entry that could become a rule ({left_out} left out); nothing is written",
                        files::name(&list)
                    )));
                }
                tracing::info!(taken, left_out, "imported");
                write(&imported.rules, &output.output)
            }
        }
    }
}

impl Show {
    fn run(self) -> anyhow::Result<()> {
        let is_store = SledStore::is_in(&self.file);
        let folder = self.store.as_ref().or(is_store.then_some(&self.file));
        let file = match folder {
            Some(folder) => {
                let store = store::open_existing(folder, &SledOptions::default())?;
                rules_in_store(&*store)?.with_hosts_together()
            }
            None => read(&self.file)?,
        };
        let sites: Vec<&Site> = match &self.host {
            None => file.sites.iter().collect(),
            Some(host) => match file.site(&host.to_ascii_lowercase()) {
                Some(site) => vec![site],
                None => return Err(usage(format!("no rules of {host} in the file"))),
            },
        };
        if self.json {
            let shown = RuleFile::new(sites.into_iter().cloned().collect());
            return Ok(print(&shown.to_text()?)?);
        }
        let mut text = String::new();
        for site in sites {
            let _ = writeln!(text, "{}", site.hosts.join(" "));
            for entry in &site.rules {
                text.push_str(&self.line(entry));
            }
        }
        if text.is_empty() {
            let hint = match folder {
                None => "",
                Some(_) => {
                    ": that crawl has learned none (it tries with `learn = true` under [rules] only); those of a `file` stay there; \
                     what prediction learned is listed by `nodust beliefs`"
                }
            };
            tracing::info!("there are no rules{hint}");
            return Ok(());
        }
        Ok(print(&text)?)
    }

    fn line(&self, entry: &Entry) -> String {
        let evidence = &entry.evidence;
        let by = if entry.by.is_empty() { "?" } else { &entry.by };
        let mut text = format!("  {:9} {}\n            by {by}, ", entry.status, entry.rule);
        text.push_str(&words_of(entry));
        text.push('\n');
        if self.examples {
            for (mark, pairs) in [("=", &evidence.examples), ("≠", &evidence.counterexamples)] {
                for pair in pairs {
                    let shown = entry.rule.show(pair);
                    let _ = write!(text, "            {} {mark} {}", shown.copy, shown.original);
                    let made = shown.made.map(|made| format!(" (both become {made})"));
                    let _ = writeln!(text, "{}", made.unwrap_or_default());
                }
            }
        }
        text
    }
}

/// What speaks for a rule and against it.
fn words_of(entry: &Entry) -> String {
    let evidence = &entry.evidence;
    if evidence.support == 0 && evidence.trials == 0 {
        return match entry.by.as_str() {
            // A learner lets a rule stand without proof only where nearly every site keeps it.
            "tree" | "classes" | "sinks" | "usual" => {
                "untried: no two pages here differ by it alone; it holds on most sites, and no page contradicts it"
            }
            _ => "untried: nothing was measured",
        }
        .to_owned();
    }
    let percent = |share: f64| 100.0 * share;
    let of_share = |share: f64, (low, high): (f64, f64)| {
        let [share, low, high] = [share, low, high].map(percent);
        format!("{share:.2} %, 95 %: {low:.2} to {high:.2} %")
    };
    let (low, high) = evidence.failure_interval();
    format!(
        "merges {} (fpr {}), {}, {} failed ({:.1} to {:.1} %), saves {}, loses {} (loss {})",
        counted(evidence.support, "pair"),
        of_share(evidence.fpr(), evidence.fpr_interval()),
        counted(evidence.trials, "trial"),
        evidence.failures,
        percent(low),
        percent(high),
        evidence.saved,
        evidence.lost,
        of_share(evidence.loss(), evidence.loss_interval()),
    )
}

/// Names each entry of a list that became no rule, and how many there are of each kind.
fn tell_left_out(list: &Path, imported: &Imported) -> usize {
    let mut kinds: BTreeMap<Why, usize> = BTreeMap::new();
    for entry in &imported.left_out {
        tracing::warn!("left out: {entry}");
        *kinds.entry(entry.why).or_default() += 1;
    }
    if !kinds.is_empty() {
        let kinds: Vec<String> = kinds.iter().map(|(why, n)| format!("{n}: {why}")).collect();
        tracing::warn!(
            "{} of {} left out ({})",
            counted(imported.left_out.len() as u64, "entry"),
            files::name(list),
            kinds.join("; ")
        );
    }
    imported.left_out.len()
}

/// What a file says, `-` for standard input; one that is no text is no `wanted`.
fn text_of(path: &Path, wanted: &str) -> anyhow::Result<String> {
    let mut octets = Vec::new();
    files::open(path)?
        .read_to_end(&mut octets)
        .map_err(|error| Unfit::new(format!("cannot read {}: {error}", files::name(path))))?;
    String::from_utf8(octets).map_err(|error| no_such(path, error.as_bytes(), wanted, ""))
}

/// Says that a file is not what was asked for, and what it looks like instead.
fn no_such(path: &Path, octets: &[u8], wanted: &str, why: &str) -> anyhow::Error {
    let name = files::name(path);
    Unfit::new(format!(
        "{name} {} and is no {wanted}{why}",
        Looks::of(octets)
    ))
    .into()
}

/// What is wanted of a list of trackers.
const TRACKERS: &str = "list of trackers in the form of `ClearURLs`";

/// What is wanted of a rules file.
const RULES: &str = "rules file, such as `nodust learn` writes it";

/// Reads a rules file.
pub(super) fn read(path: &Path) -> anyhow::Result<RuleFile> {
    let text = text_of(path, RULES)?;
    RuleFile::parse(&text).map_err(|error| match Looks::of(text.as_bytes()) {
        Looks::Rules => {
            let way_out = where_rules_are_described(&error);
            Unfit::new(format!("{}: {error}{way_out}", files::name(path))).into()
        }
        _ => no_such(path, text.as_bytes(), RULES, ""),
    })
}

/// Writes a rules file whole or not at all, or prints it for `-`.
pub(super) fn write(rules: &RuleFile, path: &Path) -> anyhow::Result<()> {
    // A crawl may be reading the file that is replaced.
    Ok(files::replace(path, rules.to_text()?.as_bytes())?)
}
