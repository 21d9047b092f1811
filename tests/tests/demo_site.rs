//! A whole crawl of the built-in site: what is fetched, what is saved, and what is lost.

#![expect(clippy::unwrap_used, reason = "a test may panic, also in its helpers")]

use std::collections::{BTreeSet, HashMap};

use nodust_crawler::{
    CrawlConfig, Ending, Report, Shutdown,
    demo::plain_settings,
    run,
    site::{ContentId, Site, SiteConfig},
};
use nodust_middleware::Config;

/// Crawls a site and tells what the server was asked for.
async fn crawl(site: &Site, chain: Config) -> (Report, HashMap<String, u64>) {
    let server = site.serve(([127, 0, 0, 1], 0).into()).await.unwrap();
    let config = CrawlConfig {
        seeds: vec![server.start_url()],
        concurrency: 16,
        per_host: 16,
        delay_ms: 0,
        chain,
        ..CrawlConfig::default()
    };
    let report = run(config, Shutdown::new()).await.unwrap();
    let mut hits = server.hits();
    hits.remove("/robots.txt");
    (report, hits)
}

fn contents(site: &Site, hits: &HashMap<String, u64>) -> BTreeSet<ContentId> {
    hits.keys()
        .filter_map(|path| site.truth(&format!("http://site.invalid{path}")))
        .collect()
}

fn assert_balanced(report: &Report) {
    let links = &report.total.links;
    let dropped: u64 = links
        .dropped
        .values()
        .flat_map(|codes| codes.values())
        .sum();
    assert_eq!(links.offered, links.admitted + links.known + dropped);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_crawl_fetches_exactly_what_links_lead_to() {
    let site = Site::new(SiteConfig {
        pages: 200,
        seed: 7,
        ..SiteConfig::default()
    });
    let walk = site.walk();
    let (report, hits) = crawl(&site, plain_settings()).await;
    let asked: BTreeSet<&str> = hits.keys().map(String::as_str).collect();
    let there: BTreeSet<&str> = walk.urls().collect();
    assert_eq!(
        asked.difference(&there).collect::<Vec<_>>(),
        Vec::<&&str>::new()
    );
    assert_eq!(
        there.difference(&asked).collect::<Vec<_>>(),
        Vec::<&&str>::new()
    );
    assert!(
        hits.values().all(|&times| times == 1),
        "a URL was fetched twice"
    );
    assert_eq!(report.ending, Ending::Complete);
    assert_eq!(report.total.fetched, walk.fetches() as u64);
    assert_eq!(
        (report.total.saved, report.total.plain),
        (0, report.total.fetched)
    );
    assert_balanced(&report);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_standard_chain_saves_fetches_and_loses_no_content() {
    for seed in [1, 2] {
        let site = Site::new(SiteConfig {
            pages: 200,
            seed,
            ..SiteConfig::default()
        });
        let walk = site.walk();
        let (report, hits) = crawl(&site, Config::default()).await;
        let reached = contents(&site, &hits);
        let lost: Vec<_> = walk
            .urls()
            .filter(|path| {
                site.truth(&format!("http://site.invalid{path}"))
                    .is_some_and(|content| !reached.contains(&content))
            })
            .collect();
        assert_eq!(lost, Vec::<&str>::new(), "seed {seed}");
        assert!(
            hits.values().all(|&times| times == 1),
            "a URL was fetched twice"
        );
        let there: BTreeSet<&str> = walk.urls().collect();
        assert!(
            hits.keys().all(|path| there.contains(path.as_str())),
            "a URL was made up"
        );
        let share = report.total.saved as f64 / walk.fetches() as f64;
        assert!(share > 0.1, "seed {seed}: {share:.3} saved");
        assert!(report.total.plain <= walk.fetches() as u64);
        assert_balanced(&report);
    }
}
