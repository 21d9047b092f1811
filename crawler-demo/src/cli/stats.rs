//! `nodust stats`: how far is a crawl, and what did it save?

use std::collections::BTreeMap;

use nodust_frontier::Stats;
use serde::Serialize;

use super::{print, print_json, store};
use crate::{
    report::{LEDGER_WORDS, Numbers},
    words::counted,
};

/// Print the figures of a crawl that is kept in a folder
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nodust stats [OPTIONS] <DIR>\n       nodust stats [OPTIONS] --store <DIR>"
)]
pub(super) struct Args {
    #[command(flatten)]
    folder: store::Folder,
    /// Print all figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Kept {
    #[serde(flatten)]
    total: Numbers,
    queued: u64,
    ledger: u64,
    ledger_overflow: u64,
    seen: u64,
    to_retry: u64,
    hosts: BTreeMap<String, Numbers>,
}

impl From<&Stats> for Kept {
    fn from(stats: &Stats) -> Self {
        Self {
            total: Numbers::from(&stats.total),
            queued: stats.queued,
            ledger: stats.ledger,
            ledger_overflow: stats.ledger_overflow,
            seen: stats.seen,
            to_retry: stats.to_retry,
            hosts: (stats.hosts.iter())
                .map(|(host, counts)| (host.clone(), Numbers::from(counts)))
                .collect(),
        }
    }
}

/// Hosts printed in the table; JSON has them all.
const HOSTS: usize = 20;

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let store = self.folder.open()?;
        let kept = Kept::from(&Stats::of_store(&*store)?);
        if self.json {
            return print_json(&kept);
        }
        print(&table(&kept))?;
        Ok(())
    }
}

fn table(kept: &Kept) -> String {
    let mut lines = vec![format!(
        "{:<32} {:>10} {:>10} {:>10} {:>8} {:>8}",
        "host", "fetched", "plain", "saved", "broken", "failed"
    )];
    let row = |name: &str, n: &Numbers| {
        format!(
            "{name:<32} {:>10} {:>10} {:>10} {:>8} {:>8}",
            n.fetched, n.plain, n.saved, n.broken, n.failed
        )
    };
    let mut hosts: Vec<_> = kept.hosts.iter().collect();
    hosts.sort_by_key(|(_, numbers)| std::cmp::Reverse(numbers.plain));
    lines.extend(hosts.iter().take(HOSTS).map(|(host, n)| row(host, n)));
    if hosts.len() > HOSTS {
        lines.push(format!(
            "… and {} more (--json has them all)",
            counted((hosts.len() - HOSTS) as u64, "host")
        ));
    }
    lines.push(row("all", &kept.total));
    for (stage, saved) in &kept.total.saved_by {
        lines.push(format!("saved by {stage:<12} {saved}"));
    }
    if kept.total.saved > 0 {
        lines.push(
            "(plain and saved are lower bounds: what the pages left out link to is not known)"
                .to_owned(),
        );
    }
    if kept.total.contents_new + kept.total.contents_known > 0 {
        lines.push(format!(
            "contents: {} new, {} met before",
            kept.total.contents_new, kept.total.contents_known
        ));
    }
    if kept.total.refetched > 0 {
        lines.push(format!(
            "refetched: {} once more (not counted as fetched)",
            counted(kept.total.refetched, "page")
        ));
    }
    if kept.total.links.waiting_again > 0 {
        lines.push(format!(
            "{} of plain came back from the ledger and {} to be fetched: neither fetched nor saved",
            kept.total.links.waiting_again,
            if kept.total.links.waiting_again == 1 {
                "waits"
            } else {
                "wait"
            }
        ));
    }
    lines.push(format!(
        "waiting: {} queued, {} in the ledger{}; {} URLs and classes known",
        kept.queued,
        kept.ledger,
        match kept.ledger_overflow {
            0 => String::new(),
            more => format!(" ({more} more did not fit, and are lost to it)"),
        },
        kept.seen
    ));
    if kept.ledger > 0 {
        lines.push(LEDGER_WORDS.to_owned());
    }
    if kept.to_retry > 0 {
        lines.push(format!(
            "{} could not be fetched and may be available another day: the crawl with --retry-failed asks again",
            counted(kept.to_retry, "URL")
        ));
    }
    lines.join("\n")
}
