//! Does a crawl that was stopped go on where it was, with its files whole?

#![expect(clippy::unwrap_used, reason = "a test may panic, also in its helpers")]

use std::{
    collections::BTreeMap,
    io::Read,
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use nodust_crawler::{CrawlConfig, CrawlError, Ending, Shutdown};
use nodust_tests::server::{Reply, Server};

const PAGES: u32 = 150;

fn page(target: &str) -> Reply {
    match target.trim_start_matches("/p").parse::<u32>() {
        Ok(n) if n < PAGES => {
            let links = [2 * n + 1, 2 * n + 2].map(|n| format!("/p{n}"));
            Reply::links(links).after(Duration::from_millis(3))
        }
        _ if target == "/" => Reply::links(["/p0", "/p1"]),
        _ => Reply::not_found(),
    }
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let octets = std::fs::read(path).unwrap();
    let mut text = String::new();
    if path.extension().unwrap() == "gz" {
        let mut unpacked = flate2::read::MultiGzDecoder::new(&octets[..]);
        unpacked.read_to_string(&mut text).unwrap();
    } else {
        text = String::from_utf8(octets).unwrap();
    }
    assert!(text.ends_with('\n'));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_crawl_goes_on_and_fetches_nothing_twice() {
    let server = Server::start("127.0.0.1", page).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut config = CrawlConfig {
        seeds: vec![server.url("/")],
        store: Some(folder.path().join("store")),
        log: Some(folder.path().join("log.jsonl.gz")),
        decisions: Some(folder.path().join("decisions.jsonl")),
        report: Some(folder.path().join("report.json")),
        delay_ms: 0,
        per_host: 4,
        ..CrawlConfig::default()
    };
    // Its pages are copies of each other, and all of them are counted here.
    config.chain.predict.enabled = false;
    let mut endings = Vec::new();
    for stop_after in [50, 100, 10_000] {
        let shutdown = Shutdown::new();
        let stop = shutdown.clone();
        let running = nodust_crawler::run(config.clone(), shutdown);
        tokio::pin!(running);
        let report = loop {
            tokio::select! {
                report = &mut running => break report.unwrap(),
                () = tokio::time::sleep(Duration::from_millis(5)) => {
                    if server.pages().len() > stop_after {
                        stop.cancel();
                    }
                }
            }
        };
        endings.push(report.ending);
    }
    assert_eq!(
        endings,
        [Ending::Stopped, Ending::Stopped, Ending::Complete]
    );

    let mut asked: BTreeMap<String, u32> = BTreeMap::new();
    for page in server.pages() {
        *asked.entry(page).or_default() += 1;
    }
    // The pages, the start, and the children of the last generation that are not there.
    assert_eq!(asked.len() as u32, 1 + 2 * PAGES + 1);
    assert!(asked.values().all(|times| *times == 1), "{asked:?}");
    assert_eq!(
        lines(&folder.path().join("log.jsonl.gz")).len(),
        asked.len()
    );
    let decisions = lines(&folder.path().join("decisions.jsonl"));
    let fetches = decisions
        .iter()
        .filter(|line| line["decision"] == "fetch")
        .count();
    assert_eq!(fetches, asked.len());
    let report = &lines(&folder.path().join("report.json"))[0];
    assert_eq!(report["fetched"], asked.len());
    assert_eq!(report["queued"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_pages_are_fetched_than_allowed_and_the_next_run_goes_on() {
    let server = Server::start("127.0.0.1", page).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = CrawlConfig {
        seeds: vec![server.url("/")],
        store: Some(folder.path().join("store")),
        max_pages: Some(20),
        delay_ms: 0,
        per_host: 8,
        ..CrawlConfig::default()
    };
    for run in 1..=3 {
        let report = nodust_crawler::run(config.clone(), Shutdown::new())
            .await
            .unwrap();
        assert_eq!(report.ending, Ending::MaxPages);
        assert_eq!(report.run.pages, 20);
        assert_eq!(report.total.fetched, 20 * run);
        assert_eq!(server.pages().len() as u64, 20 * run);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_ends_when_its_time_is_over() {
    let server = Server::start("127.0.0.1", |target| {
        Reply::links([format!("{target}x")]).after(Duration::from_millis(20))
    })
    .await
    .unwrap();
    let config = CrawlConfig {
        seeds: vec![server.url("/")],
        max_duration_secs: Some(1),
        delay_ms: 0,
        robots: false,
        ..CrawlConfig::default()
    };
    let report = nodust_crawler::run(config, Shutdown::new()).await.unwrap();
    assert_eq!(report.ending, Ending::MaxDuration);
    assert!(report.run.seconds < 3.0, "{}", report.run.seconds);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_crawled_is_said_in_one_sentence() {
    let run = |config| nodust_crawler::run(config, Shutdown::new());
    let none = run(CrawlConfig::default()).await.unwrap_err();
    assert!(matches!(none, CrawlError::Seeds(_)), "{none}");
    let broken = CrawlConfig {
        seeds: vec!["http://".to_owned(), "mailto:a@b.example".to_owned()],
        ..CrawlConfig::default()
    };
    let told = run(broken).await.unwrap_err().to_string();
    assert!(told.contains("\"http://\""), "{told}");
    let nowhere = CrawlConfig {
        seeds: vec!["http://127.0.0.1:1/".to_owned()],
        log: Some("/nonexistent/log.jsonl".into()),
        ..CrawlConfig::default()
    };
    let told = run(nowhere).await.unwrap_err().to_string();
    assert!(told.contains("/nonexistent/log.jsonl"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_stops_the_crawl_and_says_so() {
    if !Path::new("/dev/full").exists() {
        println!("skipped: this system has no /dev/full");
        return;
    }
    let server = Server::start("127.0.0.1", page).await.unwrap();
    let config = CrawlConfig {
        seeds: vec![server.url("/")],
        log: Some("/dev/full".into()),
        delay_ms: 0,
        ..CrawlConfig::default()
    };
    let told = nodust_crawler::run(config, Shutdown::new())
        .await
        .unwrap_err();
    let CrawlError::Unwritten { report, .. } = told else {
        panic!("{told}");
    };
    assert_eq!(report.ending, Ending::Failed);
    assert!(server.pages().len() < 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sitemaps_are_read_when_asked_for_and_count_as_no_fetch() {
    for (sitemaps, fetched) in [(false, 1), (true, 3)] {
        let home = Arc::new(OnceLock::new());
        let own = Arc::clone(&home);
        let server = Server::start("127.0.0.1", move |target| match target {
            "/robots.txt" => Reply::new(200, &[], b"Sitemap: /index.xml"),
            "/index.xml" => Reply::html(
                "<sitemapindex><sitemap><loc>/list</loc></sitemap>\
                 <sitemap><loc>/gone</loc></sitemap></sitemapindex>",
            ),
            "/list" => Reply::new(301, &[("Location", "/new/list")], b""),
            "/new/list" => {
                let home: &String = own.get().unwrap();
                Reply::new(200, &[], format!("{home}one\n{home}two\n{home}").as_bytes())
            }
            "/gone" => Reply::not_found(),
            _ => Reply::html("leaf"),
        })
        .await
        .unwrap();
        home.set(server.url("/")).unwrap();
        let config = CrawlConfig {
            seeds: vec![server.url("/")],
            sitemaps,
            delay_ms: 0,
            ..CrawlConfig::default()
        };
        let report = nodust_crawler::run(config, Shutdown::new()).await.unwrap();
        assert_eq!(report.run.sitemap_requests, if sitemaps { 4 } else { 0 });
        assert_eq!(report.total.fetched, fetched);
        assert_eq!(server.most_open(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sitemap_that_names_very_many_keeps_no_other_from_being_read() {
    let server = Server::start("127.0.0.1", |target| match target {
        "/robots.txt" => Reply::new(200, &[], b"Sitemap: /index.xml\nSitemap: /list"),
        "/index.xml" => {
            let files = (0..20).map(|n| format!("<sitemap><loc>/of/{n}</loc></sitemap>"));
            let files: String = files.collect();
            Reply::html(format!("<sitemapindex>{files}</sitemapindex>"))
        }
        _ => Reply::html("<urlset></urlset>"),
    })
    .await
    .unwrap();
    let config = CrawlConfig {
        seeds: vec![server.url("/")],
        sitemaps: true,
        max_sitemaps: 5,
        delay_ms: 0,
        ..CrawlConfig::default()
    };
    let report = nodust_crawler::run(config, Shutdown::new()).await.unwrap();
    assert_eq!(report.run.sitemap_requests, 5);
    let asked = server.requests();
    assert!(asked.iter().any(|request| request.target == "/list"));
}

/// A site whose start page leads nowhere, and whose sitemap lists two pages; `answer` is what comes of the sitemap.
async fn site_with_sitemap(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Server {
    let home = Arc::new(OnceLock::<String>::new());
    let own = Arc::clone(&home);
    let server = Server::start("127.0.0.1", move |target| match target {
        "/robots.txt" => Reply::new(200, &[], b"Sitemap: /list"),
        "/list" => answer(own.get().unwrap()),
        _ => Reply::html("leaf"),
    })
    .await
    .unwrap();
    home.set(server.url("/")).unwrap();
    server
}

fn listed(home: &str) -> Reply {
    Reply::new(200, &[], format!("{home}one\n{home}two").as_bytes())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sitemaps_that_were_not_read_are_when_the_crawl_goes_on() {
    let server = site_with_sitemap(|home| listed(home).after(Duration::from_millis(300))).await;
    let folder = tempfile::tempdir().unwrap();
    let mut config = CrawlConfig {
        seeds: vec![server.url("/")],
        store: Some(folder.path().join("store")),
        sitemaps: true,
        delay_ms: 0,
        ..CrawlConfig::default()
    };
    let shutdown = Shutdown::new();
    let stop = shutdown.clone();
    let stopping = async {
        while server.pages().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.cancel();
    };
    let (first, ()) = tokio::join!(nodust_crawler::run(config.clone(), shutdown), stopping);
    let first = first.unwrap();
    assert_eq!((first.ending, first.total.fetched), (Ending::Stopped, 1));
    assert_eq!(first.queued, 0);
    // Nothing waits, and no seed is named.
    config.seeds.clear();
    for (read, fetched) in [(1, 3), (0, 3)] {
        let report = nodust_crawler::run(config.clone(), Shutdown::new())
            .await
            .unwrap();
        assert_eq!(report.ending, Ending::Complete);
        assert_eq!(report.run.sitemap_requests, read);
        assert_eq!(report.total.fetched, fetched);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sitemap_that_is_not_to_be_had_for_now_is_asked_for_again() {
    let asked = Arc::new(AtomicU64::new(0));
    let times = Arc::clone(&asked);
    let server = site_with_sitemap(move |home| {
        if times.fetch_add(1, Ordering::SeqCst) < 4 {
            Reply::new(500, &[], b"")
        } else {
            listed(home)
        }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let config = CrawlConfig {
        seeds: vec![server.url("/")],
        store: Some(folder.path().join("store")),
        sitemaps: true,
        max_retries: 1,
        retry_ms: 10,
        delay_ms: 0,
        ..CrawlConfig::default()
    };
    for (requests, fetched) in [(2, 1), (2, 1), (1, 3), (0, 3)] {
        let report = nodust_crawler::run(config.clone(), Shutdown::new())
            .await
            .unwrap();
        assert_eq!(report.run.sitemap_requests, requests);
        assert_eq!(report.total.fetched, fetched);
    }
}
