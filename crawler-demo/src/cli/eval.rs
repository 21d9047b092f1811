//! `nodust eval`: how good are rules on URLs that they were not learned from?

use std::{fmt::Write as _, path::PathBuf};

use nodust_middleware::{
    learn::{
        SiteSamples,
        eval::{self, HostCounts, Interval, Report, Summary},
        group_by_site,
    },
    rules::RuleFile,
};
use rayon::prelude::*;

use super::{
    check_apart, check_free, check_whole,
    learn::{LearnSwitches, Read, learn_site, read_samples, threads_each, together},
    print, rules, usage, write_report,
};

/// What the table says.
const COLUMNS: &str = "The table, with the names of the report in parentheses; shares are from 0 to 1:
  urls     URLs tested
  pages    different pages among them
  compr    share of the URLs saved when one URL of each class is fetched (compression)
  dup-red  how much the share of duplicates falls, from 1 - pages/urls to 1 - (pages found)/(classes): 0.5 if by half,
           1 if to nothing (dup_reduction)
  fpr      of the pairs of URLs that are merged, the share that are two pages: these merges are wrong
  recall   of the pairs of URLs that are one page, the share that are merged
  easy     the same for pairs that share a path, or differ by case, slash, host or ;parameter (easy_recall)
  loss     share of the pages that are never seen when one URL of each class is fetched (loss_rate)
  rules    rules applied
  \"mean of hosts\" weighs all hosts alike (macro), \"pooled\" all URLs and pairs (micro). With several hosts, each has
  95 % intervals, over hosts drawn anew. In the report, an interval is null where there is nothing to measure (no pair is
  merged, say), and that of a mean also where fewer than two hosts have the figure. A pooled figure of only one host has
  that host's own interval (it takes each URL, pair and page for independent, which pairs are not: it is too narrow for
  fpr and recall). The rows with * leave out the URLs of pages that have --giant URLs or more, mostly login and error
  pages: these have so many pairs that they drown out all others (without_giants).";

const EXAMPLES: &str = "Examples:
  nodust eval --rules rules.json test.jsonl.gz
  nodust eval --split 0.2 hosts/*.jsonl.gz --report report.json

The report: {\"macro\": {…}, \"micro\": {…}, \"hosts\": [{\"host\": …, …}], \"without_giants\": {…}}";

/// Measure rules on URLs whose pages are known
///
/// Lines are as for `nodust learn`. With --rules, all lines are a test of that file's rules. With --split S, rules are
/// learned for each host on the first S of its lines and tested on the rest. Classes are those of `nodust normalize`:
/// the rules are applied to the spelling that would be fetched.
///
/// Where pages are compared by their texts, a page that changes from fetch to fetch may count as two, and merging its URLs
/// as wrong. Lines with a `cluster` of your own are exact.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("tested").required(true)))]
#[command(after_help = EXAMPLES, after_long_help = format!("{COLUMNS}\n\n{EXAMPLES}"))]
pub(super) struct Args {
    /// Files to test on, `-` for standard input
    #[arg(required = true, value_name = "DATA")]
    files: Vec<PathBuf>,
    /// Rules file to test
    #[arg(long, value_name = "RULES", group = "tested")]
    rules: Option<PathBuf>,
    /// Learn on this share of each host's lines, taken from the beginning, and test on the rest
    #[arg(
        long,
        value_name = "S",
        group = "tested",
        allow_negative_numbers = true
    )]
    split: Option<f64>,
    /// Leave out hosts with fewer URLs
    #[arg(long, value_name = "N", default_value = "0")]
    min_urls: usize,
    /// File for the figures, as JSON, replaced if it exists
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    learning: LearnSwitches,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if let Some(split) = self.split
            && !(split > 0.0 && split < 1.0)
        {
            return Err(usage("--split must be greater than 0 and less than 1"));
        }
        check_apart(self.files.iter().chain(&self.rules), &self.report)?;
        check_free(&self.report)?;
        let file = self.rules.as_deref().map(rules::read).transpose()?;
        let mut options = self.learning.options();
        let Read { samples: read, cut } = read_samples(&self.files)?;
        let sites = group_by_site(read.samples, self.split.unwrap_or(0.0), options.giant);
        let file = file.as_ref().map(RuleFile::by_host);
        let sites = match &file {
            // Its rules may merge URLs of several hosts.
            Some(file) => together(sites, file, |_| true),
            None => sites,
        };
        let sites: Vec<SiteSamples> = (sites.into_iter())
            .filter(|site| site.samples.len() >= self.min_urls)
            .collect();
        if sites.is_empty() {
            return Err(usage(format!(
                "no host has {} URLs or more, so there is nothing to test; give a smaller --min-urls",
                self.min_urls
            )));
        }
        options.threads = threads_each(sites.len());
        let counts: Vec<[HostCounts; 2]> = sites
            .par_iter()
            .map(|site| {
                let (rules, tested) = match (&file, self.split) {
                    (None, Some(share)) => {
                        let (known, tested) = eval::split(&site.samples, share);
                        let known = SiteSamples {
                            hosts: site.hosts.clone(),
                            samples: known.to_vec(),
                        };
                        (learn_site(&known, &options, None).compile(), tested)
                    }
                    (file, _) => {
                        let hosts = site.hosts.iter().map(String::as_str);
                        let rules = file.as_ref().map(|file| file.rules_for(hosts));
                        (rules.unwrap_or_default(), site.samples.as_slice())
                    }
                };
                let name = site.hosts.first().map_or("", String::as_str);
                let large = eval::large_clusters(&site.samples, options.giant);
                let small: Vec<_> = tested
                    .iter()
                    .filter(|s| !large.contains(&s.cluster))
                    .cloned()
                    .collect();
                [tested, small.as_slice()]
                    .map(|samples| eval::evaluate(name, samples, &rules, &eval::wire))
            })
            .collect();
        let pick = |which: usize| {
            let hosts: Vec<HostCounts> = counts.iter().map(|both| both[which].clone()).collect();
            eval::report(&hosts)
        };
        let mut report = pick(0);
        // Drawing hosts anew is most of the work where they are many.
        let has_giants = (counts.iter()).any(|[all, small]| all.counts != small.counts);
        let without = if has_giants { pick(1) } else { report.clone() };
        report.without_giants = Some(Box::new(without));
        write_report(self.report.as_deref(), &report)?;
        print(&table(&report, options.giant))?;
        check_whole(&cut)
    }
}

fn table(report: &Report, giant: usize) -> String {
    let mut text = format!(
        "{:44} {:>8} {:>8} {:>6} {:>7} {:>6} {:>6} {:>6} {:>6} {:>5}\n",
        "host", "urls", "pages", "compr", "dup-red", "fpr", "recall", "easy", "loss", "rules"
    );
    for host in &report.hosts {
        row(&mut text, &host.host, &host.summary);
    }
    let parts = [("", Some(report)), ("*", report.without_giants.as_deref())];
    for (mark, report) in parts {
        let Some(report) = report else { continue };
        for (name, summary) in [
            ("mean of hosts", &report.r#macro),
            ("pooled", &report.micro),
        ] {
            row(&mut text, &format!("{name}{mark}"), summary);
            // Of one host the mean has none, and the pool that of the host.
            if report.hosts.len() > 1 {
                interval(&mut text, summary);
            }
        }
    }
    let _ = writeln!(
        text,
        "* without the URLs of pages that have {giant} URLs or more; `nodust eval --help` explains the columns"
    );
    text
}

fn row(text: &mut String, name: &str, summary: &Summary) {
    let f = &summary.figures;
    let maybe = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.3}"));
    let _ = writeln!(
        text,
        "{name:44.44} {:8.0} {:8.0} {:6.4} {:7.4} {:6.4} {:>6} {:>6} {:6.4} {:5.1}",
        f.urls,
        f.clusters,
        f.compression,
        f.dup_reduction,
        f.fpr,
        maybe(f.recall),
        maybe(f.easy_recall),
        f.loss_rate,
        f.rules,
    );
}

fn interval(text: &mut String, summary: &Summary) {
    let i = &summary.intervals;
    let range = |interval: Interval, digits: usize| {
        let text = |[low, high]: [f64; 2]| format!("{low:.digits$} to {high:.digits$}");
        interval.map_or_else(|| "-".to_owned(), text)
    };
    let _ = writeln!(
        text,
        "    95 %: compression {}, fpr {}, recall {}, easy {}, loss {}",
        range(i.compression, 4),
        range(i.fpr, 4),
        range(i.recall, 3),
        range(i.easy_recall, 3),
        range(i.loss_rate, 4),
    );
}
