//! Who holds a place, who waits without one, and in which order do pages teach?

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use nodust_crawler::{CrawlConfig, CrawlError, Parts, Report, Shutdown, guard::Resolver, run_with};
use nodust_tests::server::{Reply, Server};

use super::{config, crawl, page};

/// The report of a crawl that is stopped once something is done, which has to be soon.
async fn until(
    is_done: impl Fn() -> bool,
    soon: Duration,
    crawl: impl Future<Output = Result<Report, CrawlError>>,
    stop: &Shutdown,
) -> Report {
    let done = async {
        while !is_done() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.cancel();
    };
    let both = async { tokio::join!(crawl, done) };
    let (report, ()) = (tokio::time::timeout(soon, both).await).expect("the quick host is asked");
    report.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_host_does_not_slow_the_others() {
    let pages = 60;
    let delay = Duration::from_millis(20);
    // When the two quick hosts were done, by their own clocks.
    let mut took = Vec::new();
    for with_slow_host in [false, true] {
        let quick1 = Server::start("127.0.0.1", move |t| page(t, pages))
            .await
            .unwrap();
        let quick2 = Server::start("127.0.0.2", move |t| page(t, pages))
            .await
            .unwrap();
        let slow = Server::start("127.0.0.3", |t| page(t, 2).after(Duration::from_secs(2)))
            .await
            .unwrap();
        let mut servers = vec![&quick1, &quick2];
        if with_slow_host {
            servers.insert(0, &slow);
        }
        let began = Instant::now();
        let report = crawl(CrawlConfig {
            delay_ms: delay.as_millis() as u64,
            concurrency: 4,
            ..config(&servers)
        })
        .await;
        for server in [&quick1, &quick2] {
            let requests = server.requests();
            // robots.txt, the start, the pages, and two that are not there.
            assert_eq!(requests.len() as u32, pages + 4);
            took.push((requests.last().unwrap().at - began).as_secs_f64());
            assert_eq!(server.most_open(), 1);
            let gap = server.shortest_gap().unwrap();
            assert!(gap >= delay, "{gap:?}");
        }
        if with_slow_host {
            assert!(slow.requests().len() >= 5);
            assert_eq!(slow.most_open(), 1);
            assert_eq!(report.hosts.len(), 3);
        }
    }
    let ratios = [took[2] / took[0], took[3] / took[1]];
    println!("beside a slow host, the quick ones took {ratios:.2?} of their time without it");
    assert!(ratios.iter().all(|ratio| *ratio < 1.5), "{took:?}");
}

/// Crawls a quick host with two places beside three that never answer, or nothing but the request for robots.txt: requests that these had.
async fn beside_silent_hosts(answers_robots: bool) -> Vec<usize> {
    let silent = |at: u8| async move {
        let reply = move |target: &str| match target {
            "/robots.txt" if answers_robots => Reply::not_found(),
            _ => page(target, 2).after(Duration::from_mins(10)),
        };
        Server::start(&format!("127.0.0.{at}"), reply).await
    };
    let silent = [
        silent(3).await.unwrap(),
        silent(4).await.unwrap(),
        silent(5).await.unwrap(),
    ];
    let quick = Server::start("127.0.0.1", |t| page(t, 30)).await.unwrap();
    let stop = Shutdown::new();
    let crawl = nodust_crawler::run(
        CrawlConfig {
            delay_ms: 0,
            concurrency: 2,
            header_timeout_secs: 18,
            grace_secs: 0,
            ..config(&[&silent[0], &silent[1], &silent[2], &quick])
        },
        stop.clone(),
    );
    // Done before any of the others is given up.
    let is_done = || quick.requests().len() >= 34;
    let report = until(is_done, Duration::from_secs(16), Box::pin(crawl), &stop).await;
    assert!(report.total.fetched >= 31);
    silent
        .iter()
        .map(|server| server.requests().len())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_that_never_answer_hold_up_no_other_though_they_are_more_than_there_are_places() {
    let (none, robots) = tokio::join!(beside_silent_hosts(false), beside_silent_hosts(true));
    assert_eq!((none, robots), (vec![1; 3], vec![2; 3]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_that_nobody_answers_for_hold_up_no_host_though_they_are_more_than_there_are_places()
{
    let quick = Server::start("127.0.0.1", |t| page(t, 30)).await.unwrap();
    let mut config = CrawlConfig {
        delay_ms: 0,
        concurrency: 2,
        grace_secs: 0,
        ..config(&[&quick])
    };
    let dead = (0..20).map(|n| format!("http://dead{n}.example/"));
    config.seeds.extend(dead);
    let asked_for = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&asked_for);
    let parts = Parts {
        resolver: Resolver::new(move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            std::future::pending()
        }),
        ..Parts::of(&config).unwrap()
    };
    let stop = Shutdown::new();
    let crawl = run_with(config, parts, stop.clone());
    // Done before any name is given up.
    let is_done = || quick.requests().len() >= 34 && asked_for.load(Ordering::Relaxed) >= 20;
    let report = until(is_done, Duration::from_secs(9), Box::pin(crawl), &stop).await;
    assert!(report.total.fetched >= 31);
    assert_eq!(asked_for.load(Ordering::Relaxed), 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_after_its_place_was_lent_is_read_all_the_same() {
    let late = |at: u8| async move {
        let reply = |target: &str| page(target, 0).after(Duration::from_millis(1500));
        Server::start(&format!("127.0.0.{at}"), reply).await
    };
    let servers = [late(6).await.unwrap(), late(7).await.unwrap()];
    let report = crawl(CrawlConfig {
        delay_ms: 0,
        concurrency: 1,
        header_timeout_secs: 6,
        ..config(&[&servers[0], &servers[1]])
    })
    .await;
    assert_eq!((report.total.fetched, report.total.broken), (6, 4));
    assert!(servers.iter().all(|server| server.requests().len() == 4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_that_are_asked_for_at_the_same_time_teach_in_the_order_of_their_links() {
    let server = Server::start("127.0.0.1", |target| match target {
        "/" => Reply::links((10..40).map(|n| format!("/p{n}"))),
        // Of each four the first is the last to come.
        _ if target.ends_with(['0', '4', '8']) => {
            Reply::html(format!("page {target}")).after(Duration::from_millis(40))
        }
        _ => Reply::html(format!("page {target}")),
    })
    .await
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    crawl(CrawlConfig {
        delay_ms: 0,
        per_host: 4,
        robots: false,
        log: Some(log.clone()),
        ..config(&[&server])
    })
    .await;
    assert!(server.most_open() > 1);
    let log = std::fs::read_to_string(log).unwrap();
    let url_of = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["url"].as_str().unwrap().to_owned()
    };
    let met: Vec<_> = log.lines().skip(1).map(url_of).collect();
    let links: Vec<_> = (10..40).map(|n| server.url(&format!("/p{n}"))).collect();
    assert_eq!(met, links);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_requests_at_once_are_made_only_where_allowed() {
    let server = Server::start("127.0.0.1", |target| {
        let reply = match target {
            "/" => Reply::links((0..30).map(|n| format!("/p{n}"))),
            _ => Reply::html(format!("page {target}")),
        };
        reply.after(Duration::from_millis(10))
    })
    .await
    .unwrap();
    crawl(CrawlConfig {
        delay_ms: 0,
        per_host: 3,
        robots: false,
        ..config(&[&server])
    })
    .await;
    assert_eq!(server.requests().len(), 31);
    assert_eq!(server.most_open(), 3);
}
