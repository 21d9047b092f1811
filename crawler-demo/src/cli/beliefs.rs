//! `nodust beliefs`: what did a crawl learn?

use std::{collections::BTreeSet, path::PathBuf};

use clap::ValueEnum;
use nodust_frontier::{LocalFrontier, Standing};
use nodust_middleware::predict::{BeliefFile, Predict, PredictConfig};

use super::{check_apart, print, print_json, store, usage};
use crate::{
    files,
    learned::{Belief, Learned},
    words::counted,
};

/// List what a crawl that is kept in a folder believes about the sites it met
///
/// Prints each belief with its standing, the trials it was put to, and what came of acting on it. --export writes them
/// as a file for `--beliefs` of a later crawl, on this machine or another.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "nodust beliefs [OPTIONS] <DIR>\n       nodust beliefs [OPTIONS] --store <DIR>"
)]
pub(super) struct Args {
    #[command(flatten)]
    folder: store::Folder,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// File to write the beliefs to, for `--beliefs`, replaced if it exists, `-` for standard output; the list is then not
    /// printed
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Leave out beliefs that are on probation
    #[arg(long)]
    decided: bool,
    /// Only beliefs about the site of this host, with its port if it has one
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A few lines for each belief
    Text,
    /// What --export writes
    Json,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        check_apart([], &self.export)?;
        let store = self.folder.open()?;
        let chain = nodust_frontier::Chain::new().then(Predict::new(PredictConfig::default()));
        let frontier = LocalFrontier::builder(chain)
            .store(store)
            .only_looks()
            .build()?;
        let is_list = self.export.is_none() && matches!(self.format, Format::Text);
        let mut beliefs = if is_list || self.host.is_some() {
            frontier.beliefs()?
        } else {
            Vec::new()
        };
        if let Some(host) = &self.host {
            check_is_known(host, beliefs.iter().map(|(belief, _)| belief.site.as_str()))?;
        }
        if is_list {
            beliefs.retain(|(belief, _)| self.wants(&belief.site, belief.standing));
            let beliefs = beliefs.iter().map(Belief::from).collect();
            print(&Learned::new(beliefs).to_string())?;
            return Ok(());
        }
        let mut file = BeliefFile::of(&frontier)?;
        if self.decided || self.host.is_some() {
            for (site, beliefs) in &mut file.sites {
                beliefs.retain(|belief| self.wants(site, belief.standing));
            }
            file.sites.retain(|_, beliefs| !beliefs.is_empty());
        }
        if let Some(path) = &self.export {
            files::replace(path, (file.to_json() + "\n").as_bytes())?;
            // Budgets are not.
            let all = file.sites.values().map(|of_site| of_site.len() as u64);
            let written = counted(all.sum(), "belief");
            if path.as_os_str() != "-" {
                tracing::info!("{written} written to {}", path.display());
            }
            return Ok(());
        }
        print_json(&file)
    }

    /// Whether a belief of this site is listed.
    fn wants(&self, site: &str, standing: Standing) -> bool {
        let is_decided = !self.decided || standing != Standing::Probation;
        let is_wanted = |host: &String| is_of_host(site, host);
        is_decided && self.host.as_ref().is_none_or(is_wanted)
    }
}

/// Sites that are told where none is of the host that was asked for.
const SITES_TOLD: usize = 5;

/// Refuses a host of whose site nothing was learned, and names some of which something was.
fn check_is_known<'s>(host: &str, sites: impl Iterator<Item = &'s str>) -> anyhow::Result<()> {
    let sites: BTreeSet<&str> = sites.collect();
    if sites.iter().any(|site| is_of_host(site, host)) {
        return Ok(());
    }
    if sites.is_empty() {
        return Err(usage(format!(
            "nothing was learned of {host}, nor of any other host"
        )));
    }
    let some: Vec<&str> = sites.iter().copied().take(SITES_TOLD).collect();
    let more = if sites.len() > SITES_TOLD {
        ", …"
    } else {
        ""
    };
    Err(usage(format!(
        "nothing was learned of {host}: name a host of {}{more}",
        some.join(", ")
    )))
}

/// Whether a site is that of a host: a registrable domain, whatever the port, or a host with its port, which may be left out.
fn is_of_host(site: &str, host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let without_port = |host: &str| {
        let name = host
            .rsplit_once(':')
            .map(|(name, port)| (name, port.parse::<u16>().is_ok()));
        name.filter(|(_, is_port)| *is_port)
            .map(|(name, _)| name.to_owned())
    };
    let name = without_port(&host).unwrap_or_else(|| host.clone());
    let below = name.strip_suffix(site);
    host == site
        || without_port(site).is_some_and(|name| name == host)
        || below.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}
