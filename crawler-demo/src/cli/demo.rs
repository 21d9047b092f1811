//! `nodust demo`: what does the chain save on a site whose truth is known?

use anyhow::Context as _;
use nodust_middleware::Config;

use super::{print, print_json};
use crate::{
    crawl::shutdown_on_signals,
    demo::demo,
    site::{Site, SiteConfig},
};

/// Crawl a built-in site twice, plain and through the chain, and compare the two
///
/// The site runs in this process, on loopback: no network is needed. It has sessions, sort orders, print views,
/// tracking parameters, aliases, mirrors, an endless calendar (here: ten years of it), and pages that look alike but
/// are not.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only serve the site, on this port of 127.0.0.1 (8099 if none is named, 0 for any free one), until Ctrl-C:
    /// something to try the other commands on
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8099", conflicts_with = "json")]
    serve: Option<u16>,
    /// Print both reports as JSON: {"plain": …, "nodust": …}
    #[arg(long)]
    json: bool,
    /// About how many different contents the site has
    #[arg(long, value_name = "N", default_value = "600", value_parser = contents, allow_negative_numbers = true)]
    pages: usize,
    /// Number that the built-in site is generated from
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
}

/// Contents of the built-in site, at most: all of it is held in memory.
const MOST_CONTENTS: usize = 100_000;

/// Reads a number of contents. Of a site without any there is nothing to tell.
fn contents(text: &str) -> Result<usize, &'static str> {
    match text.parse() {
        Ok(contents) if (1..=MOST_CONTENTS).contains(&contents) => Ok(contents),
        _ => Err("a number of contents from 1 to 100000 is wanted"),
    }
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let site = SiteConfig {
            pages: self.pages,
            seed: self.seed,
            ..SiteConfig::default()
        };
        if let Some(port) = self.serve {
            return super::runtime()?.block_on(serve(site, port));
        }
        let both = super::runtime()?
            .block_on(async { demo(site, &Config::default(), &shutdown_on_signals()).await })?;
        if self.json {
            return print_json(&both);
        }
        print(&format!(
            "A built-in site on loopback, crawled plain and through the chain.\n\n{:<34} {:>9} {:>9}\n{both}\n\
             Which contents are the same is known here. A live crawl cannot know: where it drops links by\n\
             what it learned (prediction, rules), it fetches a few of them all the same to see how often\n\
             that is right (--exploration), and the report says so.\n\
             Next: nodust crawl --help, or nodust replay on a log of your own site.",
            "", "plain", "nodust"
        ))?;
        Ok(())
    }
}

/// Serves the site until told to stop.
async fn serve(site: SiteConfig, port: u16) -> anyhow::Result<()> {
    let server = Site::new(site)
        .serve(([127, 0, 0, 1], port).into())
        .await
        .with_context(|| {
            format!("cannot listen on 127.0.0.1:{port}; name another port (--serve PORT)")
        })?;
    print(&format!(
        "{0} answers until it is stopped (Ctrl-C). Beside it: nodust crawl {0} --delay 0",
        server.start_url()
    ))?;
    tokio::signal::ctrl_c().await?;
    Ok(())
}
