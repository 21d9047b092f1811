//! Does a crawl end, with counted reasons and bounded memory, whatever the server does?

#![expect(clippy::unwrap_used, reason = "a test may panic, also in its helpers")]

use std::{collections::BTreeMap, io::Write, time::Duration};

use nodust_crawler::{CrawlConfig, Ending, Report};
use nodust_tests::{
    in_time,
    server::{Reply, Server},
};
use tokio::io::AsyncReadExt;

const HTML: (&str, &str) = ("Content-Type", "text/html");

fn config(server: &Server) -> CrawlConfig {
    // Links lead anywhere here: what is not asked for is refused by the guard and not by the scope.
    let chain = nodust_middleware::Config::from_toml("no_filter = true\n[scope]\nkind = 'any'");
    CrawlConfig {
        chain: chain.unwrap(),
        seeds: vec![server.url("/")],
        delay_ms: 0,
        per_host: 8,
        retry_ms: 10,
        max_retries: 1,
        header_timeout_secs: 1,
        total_timeout_secs: 2,
        ..CrawlConfig::default()
    }
}

async fn crawl(config: CrawlConfig) -> Report {
    let report = in_time(config).await;
    assert_eq!(report.ending, Ending::Complete);
    assert_eq!(report.queued, 0);
    report
}

fn index(paths: &[&str]) -> Reply {
    Reply::links(paths)
}

fn failed(report: &Report) -> BTreeMap<&str, u64> {
    let reasons = report.total.failed_by.iter();
    reasons.map(|(code, n)| (code.as_str(), *n)).collect()
}

/// Most memory that this process has held so far, in KiB; `None` where the system does not say.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Where a child process begins its crawl.
const CHILD_SEED: &str = "NODUST_TEST_CHILD_SEED";
/// What its line begins with.
const CHILD_LINE: &str = "child crawled: ";

/// No test of its own: the crawl of the test below, in a process whose memory nobody else uses.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "is run by another test, in a process of its own"]
async fn crawl_in_a_child_process() {
    let Ok(seed) = std::env::var(CHILD_SEED) else {
        return;
    };
    let chain = nodust_middleware::Config::from_toml("no_filter = true\n[scope]\nkind = 'any'");
    let report = crawl(CrawlConfig {
        chain: chain.unwrap(),
        seeds: vec![seed],
        delay_ms: 0,
        per_host: BOMBS_AT_ONCE,
        max_retries: 1,
        ..CrawlConfig::default()
    })
    .await;
    let (fetched, peak) = (report.total.fetched, peak_memory().unwrap_or(0));
    println!(
        "{CHILD_LINE}{fetched} {} {peak}",
        report.total.failed_by.get("too_large").unwrap_or(&0)
    );
}

/// Crawls in another process; answers pages fetched, bodies that were too large, and the most memory it
/// held in KiB.
async fn crawled_in_a_child(seed: String) -> [u64; 3] {
    let out = tokio::task::spawn_blocking(|| {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "crawl_in_a_child_process",
                "--ignored",
                "--nocapture",
            ])
            .env(CHILD_SEED, seed)
            .output()
            .unwrap()
    })
    .await
    .unwrap();
    let told = String::from_utf8_lossy(&out.stdout);
    let line = told.lines().find_map(|line| line.split_once(CHILD_LINE));
    let (_, numbers) = line.unwrap_or_else(|| panic!("{told}"));
    let mut numbers = numbers.split(' ').map(|n| n.parse().unwrap());
    [(); 3].map(|()| numbers.next().unwrap())
}

/// Bombs that are unpacked at the same time. Each may hold its body's limit of 8 MiB, in a buffer that
/// doubles as it grows, and its decoder's window.
const BOMBS_AT_ONCE: usize = 2;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_of_bombs_holds_hardly_more_memory_than_one_of_an_ordinary_page() {
    if peak_memory().is_none() {
        println!("skipped: this system does not say how much memory a process held (VmHWM)");
        return;
    }
    let (gzip, brotli, zstd) = (gzip_bomb(), brotli_bomb().await, zstd_bomb().await);
    let server = Server::start("127.0.0.1", move |target| {
        let packed =
            |name: &str, body: &[u8]| Reply::new(200, &[HTML, ("Content-Encoding", name)], body);
        match target {
            "/bombs" => index(&[
                "/gzip", "/br", "/zstd", "/endless", "/gzip2", "/br2", "/zstd2",
            ]),
            "/gzip" | "/gzip2" => packed("gzip", &gzip),
            "/br" | "/br2" => packed("br", &brotli),
            "/zstd" | "/zstd2" => packed("zstd", &zstd),
            "/endless" => {
                let mut reply = Reply::raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
                reply.endless = Some(vec![b'<'; 1 << 16]);
                reply
            }
            "/ordinary" => Reply::html("an ordinary page ".repeat(1000)),
            _ => Reply::not_found(),
        }
    })
    .await
    .unwrap();
    let [fetched, too_large, ordinary] = crawled_in_a_child(server.url("/ordinary")).await;
    assert_eq!((fetched, too_large), (1, 0));
    let [fetched, too_large, bombs] = crawled_in_a_child(server.url("/bombs")).await;
    assert_eq!((fetched, too_large), (8, 7));
    println!("peak memory: an ordinary page {ordinary} KiB, 700 MiB of bombs {bombs} KiB");
    assert!(
        ordinary > 0 && bombs < ordinary + 64 * 1024,
        "{ordinary} and {bombs} KiB"
    );
}

/// The same octet 100 million times, packed.
fn gzip_bomb() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let block = vec![b' '; 1 << 20];
    for _ in 0..100 {
        encoder.write_all(&block).unwrap();
    }
    encoder.finish().unwrap()
}

async fn packed(mut encoder: impl tokio::io::AsyncRead + Unpin) -> Vec<u8> {
    let mut octets = Vec::new();
    encoder.read_to_end(&mut octets).await.unwrap();
    octets
}

async fn brotli_bomb() -> Vec<u8> {
    use async_compression::{Level, tokio::bufread::BrotliEncoder};
    let blank = tokio::io::repeat(b' ').take(100 << 20);
    let blank = tokio::io::BufReader::with_capacity(1 << 20, blank);
    packed(BrotliEncoder::with_quality(blank, Level::Fastest)).await
}

async fn zstd_bomb() -> Vec<u8> {
    use async_compression::{Level, tokio::bufread::ZstdEncoder};
    let blank = tokio::io::repeat(b' ').take(100 << 20);
    let blank = tokio::io::BufReader::with_capacity(1 << 20, blank);
    packed(ZstdEncoder::with_quality(blank, Level::Fastest)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decompression_bombs_and_endless_bodies_are_given_up_with_a_reason() {
    let gzip = gzip_bomb();
    let mut twice = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    twice.write_all(&gzip).unwrap();
    let twice = twice.finish().unwrap();
    let (brotli, zstd) = (brotli_bomb().await, zstd_bomb().await);
    let server = Server::start("127.0.0.1", move |target| {
        let packed =
            |name: &str, body: &[u8]| Reply::new(200, &[HTML, ("Content-Encoding", name)], body);
        match target {
            "/" => index(&[
                "/gzip", "/twice", "/br", "/zstd", "/many", "/odd", "/noise", "/endless", "/claim",
                "/good",
            ]),
            "/gzip" => packed("gzip", &gzip),
            "/twice" => packed("gzip, gzip", &twice),
            "/br" => packed("br", &brotli),
            "/zstd" => packed("zstd", &zstd),
            "/many" => packed("gzip, gzip, gzip, gzip", &gzip),
            "/odd" => packed("compress", b"x"),
            "/noise" => packed("gzip", b"<html>not packed at all"),
            "/endless" => {
                let mut reply = Reply::raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
                reply.endless = Some(vec![b'<'; 1 << 16]);
                reply
            }
            "/claim" => Reply::raw(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99999999999\r\n\r\n",
            ),
            "/good" => Reply::html("still here"),
            _ => Reply::not_found(),
        }
    })
    .await
    .unwrap();
    let report = crawl(config(&server)).await;
    assert_eq!(report.total.fetched, 11);
    assert_eq!(
        failed(&report),
        BTreeMap::from([("encoding", 3), ("too_large", 6)])
    );
    assert_eq!(report.total.retried, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redirects_in_circles_and_without_end_come_to_an_end() {
    let server = Server::start("127.0.0.1", |target| {
        let step = target
            .strip_prefix("/chain/")
            .and_then(|n| n.parse::<u32>().ok());
        match (target, step) {
            ("/", _) => index(&["/self", "/a", "/chain/0", "/nowhere", "/mail", "/refresh"]),
            ("/self", _) => Reply::redirect("/self"),
            ("/a", _) => Reply::redirect("/b"),
            ("/b", _) => Reply::redirect("/a"),
            ("/nowhere", _) => Reply::new(301, &[], b""),
            ("/mail", _) => Reply::redirect("mailto:a@b.example"),
            ("/refresh", _) => {
                Reply::html("<meta http-equiv=refresh content='0;url=/refresh'>text")
            }
            (_, Some(n)) => Reply::redirect(&format!("/chain/{}", n + 1)),
            _ => Reply::not_found(),
        }
    })
    .await
    .unwrap();
    let report = crawl(CrawlConfig {
        max_redirects: 5,
        ..config(&server)
    })
    .await;
    let pages = server.pages();
    let steps = pages
        .iter()
        .filter(|page| page.starts_with("/chain/"))
        .count();
    assert_eq!(steps, 6, "the first and five redirects");
    let most = pages
        .iter()
        .map(|page| pages.iter().filter(|p| *p == page).count())
        .max();
    assert_eq!(most, Some(1), "{pages:?}");
    assert_eq!(report.total.links.dropped["redirect"]["out_of_scope"], 1);
    assert_eq!(report.total.fetched, pages.len() as u64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refresh_resolves_against_the_base_and_its_page_has_links_of_its_own() {
    let server = Server::start("127.0.0.1", |target| match target {
        "/" => Reply::html(
            "<base href=/deep/><meta http-equiv=refresh content='0;url=target'>\
             <a href=target>go on</a><a href=beside>or there</a>",
        ),
        // As the field says it that browsers read, though no RFC has it.
        "/deep/target" => Reply::new(
            200,
            &[
                ("Content-Type", "text/html"),
                ("Refresh", "0; url=/by-header"),
            ],
            b"text",
        ),
        "/by-header" => Reply::new(
            200,
            &[("Content-Type", "text/html"), ("Refresh", "60; url=/later")],
            b"a page to be read",
        ),
        _ => Reply::html("leaf"),
    })
    .await
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let report = crawl(CrawlConfig {
        log: Some(log.clone()),
        ..config(&server)
    })
    .await;
    let mut pages = server.pages();
    pages.sort_unstable();
    assert_eq!(
        pages,
        ["/", "/by-header", "/deep/beside", "/deep/target", "/later"]
    );
    assert_eq!(report.total.redirected, 2);
    let line = std::fs::read_to_string(&log).unwrap();
    let line: serde_json::Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!(line["redirect_to"], server.url("/deep/target"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_names_the_page_that_led_to_each() {
    let server = Server::start("127.0.0.1", |target| match target {
        "/" => index(&["/a", "/moved"]),
        "/a" => index(&["/b", "/a"]),
        "/moved" => Reply::redirect("/new"),
        _ => Reply::html("leaf"),
    })
    .await
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    crawl(CrawlConfig {
        log: Some(log.clone()),
        ..config(&server)
    })
    .await;
    let lines = std::fs::read_to_string(&log).unwrap();
    let refs: BTreeMap<String, Option<String>> = lines
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| line[name].as_str().map(str::to_owned);
            (text("url").unwrap(), text("ref"))
        })
        .collect();
    let expected = [
        ("/", None),
        ("/a", Some("/")),
        ("/b", Some("/a")),
        ("/moved", Some("/")),
        ("/new", Some("/moved")),
    ];
    let expected = expected.map(|(page, led)| (server.url(page), led.map(|page| server.url(page))));
    assert_eq!(refs, BTreeMap::from(expected));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_are_slow_or_break_off_are_given_up_with_a_reason() {
    let server = Server::start("127.0.0.1", |target| match target {
        "/" => index(&[
            "/slow-head", "/slow-body", "/silent", "/short", "/long", "/negative", "/garbage",
            "/chunk", "/header", "/many-headers", "/good",
        ]),
        "/slow-head" => {
            let mut reply = Reply::html("late");
            reply.trickle = Duration::from_millis(100);
            reply
        }
        "/slow-body" => {
            let mut reply = Reply::raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
            // Three seconds in all, and the headers within the first.
            reply.octets.extend(std::iter::repeat_n(b'x', 140));
            reply.trickle = Duration::from_millis(15);
            reply
        }
        "/silent" => Reply::raw(""),
        "/short" => Reply::raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<a href=/lost>"),
        "/long" => Reply::raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\ntextand more"),
        "/negative" => Reply::raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: -5\r\n\r\ntext"),
        "/garbage" => Reply::raw(vec![0, 1, 2, 3, 255, b'\r', b'\n', b'\r', b'\n']),
        "/chunk" => Reply::raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx"),
        "/header" => Reply::raw(format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(2 << 20))),
        "/many-headers" => Reply::raw(format!("HTTP/1.1 200 OK\r\n{}\r\n", "X: y\r\n".repeat(10_000))),
        "/good" => Reply::html("still here"),
        _ => Reply::not_found(),
    })
    .await
    .unwrap();
    let report = crawl(config(&server)).await;
    let reasons = failed(&report);
    println!("{reasons:?}");
    assert_eq!(report.total.fetched, 12);
    assert!(!server.pages().contains(&"/lost".to_owned()));
    assert_eq!(reasons.values().sum::<u64>(), 9, "{reasons:?}");
    assert_eq!(reasons["timeout"], 2, "{reasons:?}");
    assert_eq!(reasons["body"], 2, "{reasons:?}");
    assert_eq!(report.total.retried, 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn broken_pages_and_charsets_still_give_their_links() {
    let server = Server::start("127.0.0.1", |target| match target {
        "/" => index(&[
            "/charset", "/latin", "/utf16", "/broken", "/deep", "/untyped", "/xml", "/binary",
            "/cookies",
        ]),
        "/cookies" => {
            let head = format!("Set-Cookie: a=b\r\n{}", "X : y\r\n".repeat(200));
            Reply::raw(format!(
                "HTTP/1.1 200 OK\r\n{head}Content-Type : text/html\r\n\r\n<a href=/9>"
            ))
        }
        "/charset" => Reply::new(
            200,
            &[("Content-Type", "text/html; charset=klingon")],
            b"\xe9\xff\xfe<a href=/1>",
        ),
        "/latin" => Reply::html(b"\xe9\xff\xc0\x80<a href='/2?\xe9'>"),
        "/utf16" => {
            let page: Vec<u8> = "\u{feff}<a href=/3>"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect();
            Reply::html(page)
        }
        "/broken" => Reply::html(
            "<p <a><<a href=/4 \"'></b></p></html><a href='/5'\0>&#xffffffff;<a href=\"/lost",
        ),
        "/deep" => Reply::html(format!("{}<a href=/6>", "<div><b><table>".repeat(100_000))),
        "/untyped" => Reply::new(200, &[], b"  <html><a href=/7>"),
        "/xml" => Reply::new(
            200,
            &[("Content-Type", "application/xhtml+xml")],
            b"<?xml version='1.0'?><a href='/8'/>",
        ),
        "/binary" => Reply::new(
            200,
            &[("Content-Type", "application/octet-stream")],
            b"<a href=/lost>",
        ),
        _ => Reply::html("leaf"),
    })
    .await
    .unwrap();
    crawl(config(&server)).await;
    let pages = server.pages();
    let is_leaf = |page: &&String| page[1..].starts_with(|c: char| c.is_ascii_digit());
    let mut leaves: Vec<_> = pages.iter().filter(is_leaf).collect();
    leaves.sort_unstable();
    assert_eq!(
        leaves,
        [
            "/1",
            "/2?%EF%BF%BD",
            "/3",
            "/4",
            "/5",
            "/6",
            "/7",
            "/8",
            "/9"
        ]
    );
    assert!(!pages.contains(&"/lost".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_with_a_hundred_thousand_links_is_one_page() {
    let server = Server::start("127.0.0.1", |target| match target {
        "/robots.txt" => Reply::new(200, &[], b"User-agent: *\nDisallow: /trap/"),
        "/" => {
            let traps = (0..100_000).map(|n| format!("/trap/{n}"));
            Reply::links(traps.chain(["/good".to_owned()]))
        }
        _ => Reply::html("leaf"),
    })
    .await
    .unwrap();
    let before = peak_memory();
    let report = crawl(config(&server)).await;
    assert_eq!(server.pages(), ["/", "/good"]);
    assert_eq!(failed(&report), BTreeMap::from([("robots", 100_000)]));
    assert_eq!(report.total.fetched, 2);
    println!("peak memory {before:?} to {:?} KiB", peak_memory());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_to_addresses_that_are_not_public_are_refused_unless_a_seed_lies_there() {
    let secret = Server::start("127.0.0.2", |_| Reply::html("secret"))
        .await
        .unwrap();
    let port = secret.address().port();
    let server = Server::start("127.0.0.1", move |target| match target {
        "/" => index(&[
            &format!("http://127.0.0.2:{port}/direct"),
            &format!("http://0x7f.0.0.2:{port}/hex"),
            &format!("http://2130706434:{port}/decimal"),
            &format!("http://[::ffff:127.0.0.2]:{port}/mapped"),
            "http://10.0.0.1/",
            "http://169.254.169.254/latest/meta-data/",
            "http://[fd00:ec2::254]/",
            "http://100.64.0.1/",
            "/redirect",
            "/refresh",
            "/own",
        ]),
        "/redirect" => Reply::redirect(&format!("http://127.0.0.2:{port}/redirect")),
        "/refresh" => Reply::html(format!(
            "<meta http-equiv=refresh content='0;url=http://127.0.0.2:{port}/refresh'>"
        )),
        _ => Reply::html("leaf"),
    })
    .await
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let decisions = folder.path().join("decisions.jsonl");
    let report = crawl(CrawlConfig {
        decisions: Some(decisions.clone()),
        ..config(&server)
    })
    .await;
    assert_eq!(secret.requests().len(), 0);
    assert_eq!(report.total.fetched, 4);
    // Ten spellings of eight URLs: hexadecimal and decimal are one with the address they stand for.
    let refused = report.total.failed_by["private_address"];
    let lines = std::fs::read_to_string(&decisions).unwrap();
    let told = lines
        .lines()
        .filter(|line| line.contains("\"stage\":\"guard\""))
        .count();
    assert_eq!((refused, told), (10, 10), "{lines}");

    // With a seed there, the same links are as good as any.
    let both = CrawlConfig {
        seeds: vec![server.url("/"), secret.url("/")],
        ..config(&server)
    };
    crawl(both).await;
    assert!(secret.pages().contains(&"/redirect".to_owned()));
}
