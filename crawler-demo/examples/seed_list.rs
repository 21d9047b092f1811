//! You have a seed list: crawl it as `nodust crawl` does, and look at the report.
//! Run it with `cargo run --release -p nodust-crawler --example seed_list -- http://site.example/`; without seeds, it
//! crawls a site of its own on loopback.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use nodust_crawler::{
    CrawlConfig, shutdown_on_signals,
    site::{Site, SiteConfig},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut seeds: Vec<String> = std::env::args().skip(1).collect();
    let mut config = CrawlConfig::default();
    let site = if seeds.is_empty() {
        let server = Site::new(SiteConfig::default())
            .serve(([127, 0, 0, 1], 0).into())
            .await?;
        seeds.push(server.start_url());
        config.delay_ms = 0;
        Some(server)
    } else {
        None
    };
    let report =
        nodust_crawler::run(CrawlConfig { seeds, ..config }, shutdown_on_signals()).await?;
    println!("{report}");
    drop(site);
    Ok(())
}
