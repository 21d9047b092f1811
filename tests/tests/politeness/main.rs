//! Is no host asked more than it allows, and does a slow one hold up nobody else?

#![expect(clippy::unwrap_used, reason = "a test may panic, also in its helpers")]

mod places;

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use nodust_crawler::{CrawlConfig, Ending, Report, Shutdown};
use nodust_tests::{
    in_time,
    server::{Reply, Server},
};

/// Pages of a host: a chain with side links, so that links are found while others wait.
fn page(target: &str, pages: u32) -> Reply {
    let number = target.trim_start_matches("/p").parse::<u32>();
    match (target, number) {
        ("/", _) => Reply::html("<a href=/p1>1</a><a href=/p2>2</a>"),
        (_, Ok(n)) if n <= pages => {
            let (next, after) = (n + 1, n + 2);
            Reply::html(format!(
                "page {n} <a href=/p{next}>x</a><a href=/p{after}>y</a>"
            ))
        }
        _ => Reply::not_found(),
    }
}

fn config(servers: &[&Server]) -> CrawlConfig {
    CrawlConfig {
        seeds: servers.iter().map(|server| server.url("/")).collect(),
        retry_ms: 20,
        ..CrawlConfig::default()
    }
}

async fn crawl(config: CrawlConfig) -> Report {
    let report = in_time(config).await;
    assert_eq!(report.ending, Ending::Complete);
    report
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crawl_delay_of_robots_txt_is_kept_and_its_rules_are_obeyed() {
    let server = Server::start("127.0.0.1", |target| match target {
        "/robots.txt" => Reply::new(
            200,
            &[("Content-Type", "text/plain")],
            b"User-agent: *\nCrawl-delay: 0.2\nDisallow: /p2",
        ),
        _ => page(target, 4),
    })
    .await
    .unwrap();
    let report = crawl(CrawlConfig {
        delay_ms: 1,
        ..config(&[&server])
    })
    .await;
    let gap = server.shortest_gap().unwrap();
    assert!(gap >= Duration::from_millis(200), "{gap:?}");
    assert_eq!(server.pages(), ["/", "/p1", "/p3", "/p4", "/p5", "/p6"]);
    assert_eq!(report.total.fetched, 6);
    assert_eq!(report.total.failed_by["robots"], 1);
    assert_eq!(report.run.robots_requests, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusing_host_is_left_alone_for_as_long_as_it_asks() {
    let refused = AtomicU32::new(0);
    let server = Server::start("127.0.0.1", move |target| match target {
        "/p1" if refused.fetch_add(1, Ordering::SeqCst) == 0 => {
            Reply::new(429, &[("Retry-After", "1")], b"")
        }
        _ => page(target, 3),
    })
    .await
    .unwrap();
    let report = crawl(CrawlConfig {
        delay_ms: 0,
        ..config(&[&server])
    })
    .await;
    let requests = server.requests();
    let at = requests.iter().position(|r| r.target == "/p1").unwrap();
    let pause = requests[at + 1].at - requests[at].at;
    assert!(pause >= Duration::from_secs(1), "{pause:?}");
    assert_eq!(requests.iter().filter(|r| r.target == "/p1").count(), 2);
    assert_eq!(report.total.retried, 1);
    assert_eq!(report.total.failed, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_whose_robots_txt_is_in_trouble_is_not_crawled_and_asked_again() {
    let tries = AtomicU32::new(0);
    let recovering = Server::start("127.0.0.1", move |target| match target {
        "/robots.txt" if tries.fetch_add(1, Ordering::SeqCst) < 2 => Reply::new(503, &[], b""),
        _ => page(target, 2),
    })
    .await
    .unwrap();
    let broken = Server::start("127.0.0.2", |target| match target {
        "/robots.txt" => Reply::new(500, &[], b""),
        _ => page(target, 2),
    })
    .await
    .unwrap();
    let report = crawl(CrawlConfig {
        delay_ms: 0,
        ..config(&[&recovering, &broken])
    })
    .await;
    assert!(broken.pages().is_empty(), "{:?}", broken.pages());
    assert_eq!(recovering.pages().len(), 5);
    assert_eq!(report.total.failed_by["robots_unreachable"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_links_of_a_host_that_is_down_wait_and_none_fails() {
    let down = Server::start("127.0.0.1", |_| Reply::new(500, &[], b""));
    let down = down.await.unwrap();
    let links = 40;
    let report = in_time(CrawlConfig {
        seeds: (0..links).map(|n| down.url(&format!("/p{n}"))).collect(),
        delay_ms: 0,
        ..config(&[])
    })
    .await;
    assert_eq!(report.ending, Ending::HostsGivenUp);
    assert!(down.pages().is_empty(), "{:?}", down.pages());
    assert_eq!((report.total.failed, report.queued), (0, links));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_few_links_with_a_scheme_that_nobody_serves_do_not_give_up_their_host() {
    let server = Server::start("127.0.0.1", |target| page(target, 30));
    let server = server.await.unwrap();
    let mut seeds = vec![server.url("/")];
    seeds.extend((0..4).map(|n| server.url(&format!("/s{n}")).replace("http:", "https:")));
    let report = crawl(CrawlConfig {
        seeds,
        delay_ms: 0,
        ..config(&[])
    })
    .await;
    assert_eq!(report.total.failed, 4, "{:?}", report.total.failed_by);
    assert!(
        server.pages().contains(&"/p30".to_owned()),
        "{:?}",
        server.pages()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_robots_txt_that_redirects_to_another_host_waits_for_its_turn_there() {
    let home = Server::start("127.0.0.1", |target| match target {
        "/robots.txt" => Reply::new(200, &[], b"User-agent: *\nDisallow: /p2"),
        _ => page(target, 6),
    })
    .await
    .unwrap();
    let elsewhere = home.url("/robots.txt");
    let guests = ["127.0.0.2", "127.0.0.3"];
    let mut servers = vec![home];
    for ip in guests {
        let elsewhere = elsewhere.clone();
        let guest = Server::start(ip, move |target| match target {
            "/robots.txt" => Reply::redirect(&elsewhere),
            _ => page(target, 6),
        });
        servers.push(guest.await.unwrap());
    }
    crawl(CrawlConfig {
        delay_ms: 100,
        ..config(&servers.iter().collect::<Vec<_>>())
    })
    .await;
    let gap = servers[0].shortest_gap().unwrap();
    assert!(gap >= Duration::from_millis(100), "{gap:?}");
    assert_eq!(servers[0].most_open(), 1);
    for server in &servers {
        let pages = server.pages();
        assert!(pages.contains(&"/p1".to_owned()) && !pages.contains(&"/p2".to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_robots_txt_does_not_wait_for_ever_for_the_turn_of_another_host() {
    let busy = Server::start("127.0.0.1", |target| match target {
        "/robots.txt" => Reply::new(200, &[], b"User-agent: *\nCrawl-delay: 3"),
        _ => Reply::html("page"),
    })
    .await
    .unwrap();
    let elsewhere = busy.url("/robots.txt");
    let guest = Server::start("127.0.0.2", move |target| match target {
        // By then the other host has named its delay.
        "/robots.txt" => Reply::redirect(&elsewhere).after(Duration::from_millis(500)),
        _ => Reply::html("page"),
    })
    .await
    .unwrap();
    let report = crawl(CrawlConfig {
        delay_ms: 0,
        max_retries: 1,
        max_host_wait_secs: 1,
        ..config(&[&busy, &guest])
    })
    .await;
    assert_eq!(report.total.failed_by["robots_unreachable"], 1);
    assert_eq!(busy.pages(), ["/"]);
    assert!(guest.pages().is_empty(), "{:?}", guest.pages());
    let gap = busy.shortest_gap().unwrap();
    assert!(gap >= Duration::from_secs(3), "{gap:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_whose_robots_txt_redirects_to_one_wait_for_it_without_holding_up_others() {
    let home = Server::start("127.0.0.1", |target| match target {
        "/robots.txt" => Reply::new(200, &[], b"User-agent: *\nDisallow: /p2"),
        _ => Reply::not_found(),
    })
    .await
    .unwrap();
    let elsewhere = home.url("/robots.txt");
    let mut servers = vec![home];
    for guest in 2..7 {
        let elsewhere = elsewhere.clone();
        let ip = format!("127.0.0.{guest}");
        let guest = Server::start(&ip, move |target| match target {
            "/robots.txt" => Reply::redirect(&elsewhere),
            _ => page(target, 2),
        });
        servers.push(guest.await.unwrap());
    }
    let other = Server::start("127.0.0.9", |target| page(target, 3));
    servers.push(other.await.unwrap());
    // Two places only; each of five hosts waits its turn at the first, longer than a request may take.
    crawl(CrawlConfig {
        delay_ms: 600,
        concurrency: 2,
        total_timeout_secs: 1,
        max_retries: 1,
        ..config(&servers.iter().collect::<Vec<_>>())
    })
    .await;
    let gap = servers[0].shortest_gap().unwrap();
    assert!(gap >= Duration::from_millis(600), "{gap:?}");
    let end_of_robots = (servers[0].requests().iter())
        .filter(|request| request.target == "/robots.txt")
        .map(|request| request.at)
        .max();
    let (other, guests) = servers[1..].split_last().unwrap();
    for guest in guests {
        let pages = guest.pages();
        assert!(pages.contains(&"/p1".to_owned()), "{pages:?}");
        assert!(!pages.contains(&"/p2".to_owned()), "{pages:?}");
        let robots = (guest.requests().iter())
            .filter(|request| request.target == "/robots.txt")
            .count();
        assert_eq!(robots, 1, "asked again for a file that had answered");
    }
    assert!(other.pages().contains(&"/p2".to_owned()));
    let first_of_other = other.requests()[0].at;
    assert!(Some(first_of_other) < end_of_robots);
}

/// A site whose start page is slow, and whose sitemaps lead to more sitemaps for ever.
async fn site_of_sitemaps() -> Server {
    Server::start("127.0.0.1", |target| match target {
        "/robots.txt" => {
            let files: Vec<_> = (0..30).map(|n| format!("Sitemap: /map{n}.xml")).collect();
            Reply::new(200, &[], files.join("\n").as_bytes())
        }
        "/" => Reply::html("start").after(Duration::from_millis(100)),
        target if target.starts_with("/map") => {
            let file = format!("<urlset><url><loc>/of{target}</loc></url></urlset>");
            Reply::new(200, &[("Content-Type", "text/xml")], file.as_bytes())
                .after(Duration::from_millis(20))
        }
        _ => Reply::html("leaf"),
    })
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sitemaps_are_requests_like_others_and_end_with_the_page_budget() {
    let server = site_of_sitemaps().await;
    let config = CrawlConfig {
        sitemaps: true,
        delay_ms: 0,
        per_host: 8,
        concurrency: 1,
        ..config(&[&server])
    };
    let report = nodust_crawler::run(
        CrawlConfig {
            max_pages: Some(1),
            ..config.clone()
        },
        Shutdown::new(),
    )
    .await
    .unwrap();
    assert_eq!(report.ending, Ending::MaxPages);
    assert_eq!(report.run.pages, 1);
    let read = report.run.sitemap_requests;
    assert!(read <= 2, "{read} sitemaps read after the last page");

    let server = site_of_sitemaps().await;
    let config = CrawlConfig {
        seeds: vec![server.url("/")],
        ..config
    };
    let report = crawl(config).await;
    assert_eq!(report.run.sitemap_requests, 30);
    assert_eq!(report.total.fetched, 31);
    assert_eq!(server.most_open(), 1, "one place, one request");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_delay_counts_from_robots_txt_when_the_first_page_is_disallowed() {
    let server = Server::start("127.0.0.1", |target| match target {
        "/robots.txt" => Reply::new(200, &[], b"User-agent: *\nDisallow: /p1\nDisallow: /p2"),
        _ => Reply::html("page"),
    })
    .await
    .unwrap();
    crawl(CrawlConfig {
        seeds: ["/p1", "/p2", "/p3"].map(|path| server.url(path)).to_vec(),
        delay_ms: 200,
        ..CrawlConfig::default()
    })
    .await;
    assert_eq!(server.pages(), ["/p3"]);
    let gap = server.shortest_gap().unwrap();
    assert!(gap >= Duration::from_millis(200), "{gap:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_refuses_for_ever_is_given_up_and_its_links_wait() {
    let server = Server::start("127.0.0.1", |target| match target {
        "/robots.txt" => Reply::not_found(),
        _ => Reply::new(503, &[("Retry-After", "3600")], b""),
    })
    .await
    .unwrap();
    let config = CrawlConfig {
        seeds: (0..20).map(|n| server.url(&format!("/p{n}"))).collect(),
        delay_ms: 0,
        retry_ms: 1,
        max_backoff_secs: 0,
        max_host_failures: 5,
        ..CrawlConfig::default()
    };
    let report = in_time(config).await;
    assert_eq!(report.ending, Ending::HostsGivenUp);
    assert_eq!(server.pages().len(), 5);
    assert!(report.queued >= 18, "{}", report.queued);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_asks_to_wait_for_longer_than_the_crawl_would_is_given_up_at_once() {
    // Each page, or robots.txt itself.
    for whole_host in [false, true] {
        let server = Server::start("127.0.0.1", move |target| match target {
            "/robots.txt" if !whole_host => Reply::not_found(),
            _ => Reply::new(503, &[("Retry-After", "2")], b""),
        })
        .await
        .unwrap();
        let began = Instant::now();
        let config = CrawlConfig {
            seeds: (0..20).map(|n| server.url(&format!("/p{n}"))).collect(),
            delay_ms: 0,
            retry_ms: 1,
            max_host_wait_secs: 3,
            ..CrawlConfig::default()
        };
        let report = in_time(config).await;
        assert_eq!(report.ending, Ending::HostsGivenUp, "{whole_host}");
        assert!(report.queued >= 19, "{}", report.queued);
        // It was waited for once: twice would be more than three seconds.
        assert_eq!(server.requests().len(), if whole_host { 2 } else { 3 });
        let took = began.elapsed();
        assert!(
            took >= Duration::from_secs(2) && took < Duration::from_secs(8),
            "{took:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_cannot_be_reached_is_given_up_and_its_links_wait() {
    let address = Server::start("127.0.0.1", |_| Reply::not_found())
        .await
        .unwrap()
        .address();
    let folder = tempfile::tempdir().unwrap();
    for robots in [false, true] {
        let config = CrawlConfig {
            seeds: (0..50).map(|n| format!("http://{address}/p{n}")).collect(),
            store: Some(folder.path().join(format!("robots-{robots}"))),
            robots,
            delay_ms: 0,
            retry_ms: 1,
            max_host_failures: 6,
            ..CrawlConfig::default()
        };
        let report = in_time(config).await;
        assert_eq!(report.ending, Ending::HostsGivenUp);
        assert!(report.queued >= 44, "{}", report.queued);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_host_asked_for_holds_for_the_next_run_on_its_store() {
    // Each page, or robots.txt itself; a crawl that waits for so long, and one that does not.
    for whole_host in [false, true] {
        let server = Server::start("127.0.0.1", move |target| match target {
            "/robots.txt" if !whole_host => Reply::not_found(),
            _ => Reply::new(503, &[("Retry-After", "600")], b""),
        })
        .await
        .unwrap();
        for (max_host_wait_secs, ending) in
            [(3600, Ending::MaxDuration), (60, Ending::HostsGivenUp)]
        {
            let folder = tempfile::tempdir().unwrap();
            let config = CrawlConfig {
                seeds: vec![server.url("/")],
                store: Some(folder.path().join("store")),
                delay_ms: 0,
                retry_ms: 1,
                max_duration_secs: Some(2),
                max_host_wait_secs,
                ..CrawlConfig::default()
            };
            let before = server.requests().len();
            let first = in_time(config.clone()).await;
            assert_eq!(first.ending, ending, "{whole_host}");
            let asked = server.requests().len();
            assert_eq!(asked - before, if whole_host { 1 } else { 2 });
            let second = in_time(config).await;
            assert_eq!(second.ending, ending, "{whole_host}");
            assert_eq!(
                server.requests().len(),
                asked,
                "{whole_host} {max_host_wait_secs}"
            );
            assert_eq!(second.queued, 1, "it waits");
            let told = &second.run.without_page;
            assert!(
                told.iter().any(|line| line.contains("left alone")),
                "{told:?}"
            );
        }
    }
}
