//! `nodust learn`: which rewrite rules do these pages teach?

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    time::Instant,
};

use clap::ValueEnum;
use nodust_middleware::{
    learn::{Algorithm, Options, SampleReader, Samples, SiteSamples, eval, group_by_site},
    rules::{Edit, Entry, Key, RuleFile, Site, SitesByHost, Status},
};
use rayon::prelude::*;

use super::{
    check_apart, check_free, check_whole, rules,
    settings::{Output, share},
};
use crate::{
    files::{self, Cut, Unfit, Wanted},
    words::counted,
};

/// Learn rewrite rules from URLs whose pages are known
///
/// Lines are {"url","cluster"}, {"url","text"} (texts that a crawl takes for one make one page), or those of a crawl's log; files may
/// be packed with gzip. Lines of no such form are logged with their number and skipped. If a file breaks off, what stands before that
/// place is learned from, and the exit code is 1. Every host is learned separately, in the order of its lines; hosts that mirror each
/// other are one site.
///
/// Rules are learned on URLs as they are fetched. They include the equivalences that hold on most sites (order of
/// parameters, trailing slash, index pages, www., http, tracking parameters) where the pages do not contradict them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
        nodust learn crawl.jsonl.gz --output rules.json\n  \
        nodust learn clusters.jsonl --algorithm tree --fpr-max 0.02 | nodust rules show\n\n\
        A line: {\"url\": \"http://forum.example/view?t=1&sid=7\", \"cluster\": \"topic 1\"}")]
pub(super) struct Args {
    /// Files to learn from, `-` for standard input
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
    /// Rules file whose pinned and vetoed rules are kept as they are
    #[arg(long, value_name = "RULES")]
    known: Option<PathBuf>,
    #[command(flatten)]
    learning: LearnSwitches,
}

/// How rules are learned.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct LearnSwitches {
    /// Which learner proposes rules
    #[arg(long, value_enum, default_value = "both")]
    algorithm: AlgorithmName,
    /// Largest share of the merged pairs of URLs that may be different pages, over all rules of a site
    #[arg(long, value_name = "F", default_value = "0.01", value_parser = share, allow_negative_numbers = true)]
    fpr_max: f64,
    /// Largest share of a site's pages that its rules may hide
    #[arg(long, value_name = "F", default_value = "0.005", value_parser = share, allow_negative_numbers = true)]
    risk: f64,
    /// Pages that must have confirmed a rule before it is believed; more for risky kinds of rules
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u64).range(1..))]
    min_trials: u64,
    /// Pages with this many URLs or more teach nothing: they are mostly login and error pages
    #[arg(long, value_name = "N", default_value = "20", value_parser = giant)]
    giant: usize,
}

/// A proposer of rules.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum AlgorithmName {
    /// The pattern tree
    Tree,
    /// Equivalence classes
    Classes,
    /// Both, into one pool
    Both,
}

fn giant(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(value) if value >= 2 => Ok(value),
        _ => Err("a number of 2 or more is wanted".to_owned()),
    }
}

impl LearnSwitches {
    pub(super) fn options(&self) -> Options {
        Options {
            algorithm: match self.algorithm {
                AlgorithmName::Tree => Algorithm::Tree,
                AlgorithmName::Classes => Algorithm::Classes,
                AlgorithmName::Both => Algorithm::Both,
            },
            fpr_max: self.fpr_max,
            // Who puts up with so many wrong pairs in all puts up with as many wrong groups of one rule.
            failures_max: Options::default().failures_max.max(self.fpr_max),
            loss_max: self.risk,
            min_trials: self.min_trials,
            giant: self.giant,
            ..Options::default()
        }
    }
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        check_apart(&self.logs, [&self.output.output])?;
        check_free([&self.output.output])?;
        let mut options = self.learning.options();
        let known = self.known.as_deref().map(rules::read).transpose()?;
        let Read { samples: read, cut } = read_samples(&self.logs)?;
        let urls = read.samples.len();
        let began = Instant::now();
        let mut sites = group_by_site(read.samples, 1.0, options.giant);
        let said = known.as_ref().map(RuleFile::by_host);
        if let Some(said) = &said {
            // A person said that their URLs are one.
            sites = together(sites, said, |site| !hosts_of_pins(site).is_empty());
        }
        let hosts = sites.len();
        options.threads = threads_each(hosts);
        let learned: Vec<Site> = sites
            .into_par_iter()
            .map(|site| learn_site(&site, &options, said.as_ref()))
            .filter(|site| !site.rules.is_empty() && !site.hosts.is_empty())
            .collect();
        let mut learned = learned;
        if let Some(known) = &known {
            learned.extend(said_of_others(known, &learned));
        }
        let mut file = RuleFile::default();
        // Sites may have come to share a host by what a person said.
        file.merge(&RuleFile::new(learned));
        let count: usize = file.sites.iter().map(|s| s.rules.len()).sum();
        rules::write(&file, &self.output.output)?;
        tracing::info!(
            urls,
            sites = hosts,
            sites_with_rules = file.sites.len(),
            rules = count,
            unreadable = read.skipped,
            contradictions = read.contradictions,
            "learned in {:.2} s{}",
            began.elapsed().as_secs_f64(),
            of_lines_without_a_lesson(read.passed_over)
        );
        check_whole(&cut)
    }
}

/// What is told of lines that are sound and teach nothing.
fn of_lines_without_a_lesson(lines: u64) -> String {
    match lines {
        0 => String::new(),
        _ => format!(
            "; {} could teach nothing (a fetch that failed, a page without text, a URL met before)",
            counted(lines, "line")
        ),
    }
}

/// Threads for each of so many sites that are learned side by side: a few sites share all cores.
pub(super) fn threads_each(sites: usize) -> usize {
    rayon::current_num_threads() / sites.max(1)
}

/// What a person pinned or vetoed on hosts that were not met this time.
fn said_of_others(known: &RuleFile, learned: &[Site]) -> Vec<Site> {
    let met: HashSet<&String> = learned.iter().flat_map(|site| &site.hosts).collect();
    (known.sites.iter())
        .map(|site| {
            let mut kept = site.clone();
            kept.hosts.retain(|host| !met.contains(host));
            kept.rules
                .retain(|entry| matches!(entry.status, Status::Pinned | Status::Vetoed));
            kept
        })
        .filter(|site| !site.rules.is_empty() && !site.hosts.is_empty())
        .collect()
}

/// Hosts that a file holds one list of rules for are one site, where `is_one` says so of that list.
pub(super) fn together(
    hosts: Vec<SiteSamples>,
    file: &SitesByHost<'_>,
    is_one: impl Fn(&Site) -> bool,
) -> Vec<SiteSamples> {
    let mut sites: Vec<SiteSamples> = Vec::new();
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for of_host in hosts {
        let in_file = of_host.hosts.iter().find_map(|host| file.site(host));
        let in_file = in_file.filter(|site| is_one(site));
        let name = in_file.and_then(|site| site.hosts.first());
        if let Some(at) = name.and_then(|name| by_name.get(name.as_str())) {
            let site = &mut sites[*at];
            site.hosts.extend(of_host.hosts);
            site.samples.extend(of_host.samples);
        } else {
            by_name.extend(name.map(|name| (name.as_str(), sites.len())));
            sites.push(of_host);
        }
    }
    sites
}

/// All hosts of a site of which a person pinned a rule that gives URLs another host.
fn hosts_of_pins(site: &Site) -> &[String] {
    let pinned = |entry: &&Entry| entry.status == Status::Pinned;
    let of_hosts = |edit: &Edit| {
        matches!(
            edit,
            Edit::Set(Key::Host, _) | Edit::Mask(Key::Host) | Edit::MaskDigits(Key::Host, _)
        )
    };
    let mut pins = site.rules.iter().filter(pinned);
    if pins.any(|entry| entry.rule.edits.iter().any(of_hosts)) {
        &site.hosts
    } else {
        &[]
    }
}

/// Learns one site; what a person said about it before stands.
pub(super) fn learn_site(
    site: &SiteSamples,
    options: &Options,
    known: Option<&SitesByHost<'_>>,
) -> Site {
    // Hosts that were sites of their own may be one now.
    let said: Vec<&Site> = (known.iter())
        .flat_map(|known| site.hosts.iter().filter_map(|host| known.site(host)))
        .collect();
    let entries = |status: Status| {
        let entries = said.iter().flat_map(|site| &site.rules);
        entries.filter(move |entry| entry.status == status)
    };
    let of_all = known.and_then(|known| known.site("*"));
    let of_all = of_all.into_iter().flat_map(|site| &site.rules);
    let vetoed: Vec<_> = entries(Status::Vetoed)
        .chain(of_all.filter(|entry| entry.status == Status::Vetoed))
        .map(|entry| entry.rule.clone())
        .collect();
    let mut learned = eval::learn_from(&site.samples, &eval::wire, options, &vetoed);
    // A URL may have one that a rules file would take for a pattern.
    let is_name = |host: &&String| !host.contains('*');
    learned.hosts = site.hosts.iter().filter(is_name).cloned().collect();
    let bare = Site {
        hosts: learned.hosts.clone(),
        rules: Vec::new(),
    };
    // No file that has such a rule could be read.
    (learned.rules).retain(|entry| bare.leads_abroad(&entry.rule).is_none());
    for host in said.iter().flat_map(|site| hosts_of_pins(site)) {
        if !learned.hosts.contains(host) {
            learned.hosts.push(host.clone());
        }
    }
    for entry in entries(Status::Pinned).chain(entries(Status::Vetoed)) {
        learned.rules.retain(|other| other.rule != entry.rule);
        learned.rules.push(entry.clone());
    }
    learned
}

/// Bad lines told one by one before the log falls silent about their like.
const TOLD: u64 = 10;

/// What could be read.
pub(super) struct Read {
    pub(super) samples: Samples,
    /// Files that broke off.
    pub(super) cut: Vec<Cut>,
}

/// What is wanted of a file to learn from.
const WANTED: Wanted<'_> = Wanted {
    name: "log of a crawl",
    instead: "the log that `nodust crawl --log` writes, or lines with a \"url\" and a \"cluster\" or \"text\"",
    check: &check,
};

fn check(line: &[u8]) -> Result<(), String> {
    let mut fault = None;
    // A line of its own cannot fail to be read.
    let _ = SampleReader::default().read(line, &mut |_, why| fault = Some(why.to_owned()));
    fault.map_or(Ok(()), Err)
}

/// Reads all files, but for empty ones; a file, or an input, without any sample is an error.
pub(super) fn read_samples(paths: &[PathBuf]) -> anyhow::Result<Read> {
    let mut reader = SampleReader::default();
    let mut bad = 0u64;
    let mut cut = Vec::new();
    for path in paths {
        let Some(input) = files::open_log(path, &WANTED)? else {
            continue;
        };
        let read = reader.read(input, &mut |line, why| {
            bad += 1;
            if bad <= TOLD {
                tracing::warn!("{}:{line} is skipped: {why}", files::name(path));
            }
        });
        if let Err(unread) = read {
            cut.push(Cut::new(path, unread.number, &unread.source));
        }
    }
    let samples = reader.finish();
    if bad > 0 {
        tracing::warn!("{} skipped", counted(bad, "line"));
    }
    if let Some(url) = &samples.contradicted {
        tracing::warn!(
            "{} named another cluster than an earlier line of the same URL; the earlier line counts. The first was of {url}",
            counted(samples.contradictions, "line")
        );
    }
    if samples.bare > 0 {
        tracing::warn!(
            "{} with only text that many others of their site have, too: each that differs in a word counts as a page of its own (if one of them was \
             fetched under very many addresses, with a counter or a clock on it, correct rules look wrong); lines with a `cluster` of your own avoid this",
            counted(samples.bare, "page")
        );
    }
    if samples.samples.is_empty() {
        let names: Vec<_> = paths.iter().map(|path| files::name(path)).collect();
        let mut text = format!(
            "{}: no line says which page a URL has; give {}",
            names.join(", "),
            WANTED.instead
        );
        for cut in &cut {
            text = format!("{text}; {cut}");
        }
        return Err(Unfit::new(text).into());
    }
    Ok(Read { samples, cut })
}
