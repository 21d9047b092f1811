//! Does a crawl that is killed again and again still fetch every page, and hardly any twice?
//!
//! The real binary crawls the built-in site, is sent SIGKILL at instants drawn from a fixed seed, and goes
//! on with the same store. The server counts what it is asked for, in another process than the one that
//! dies, so its counts are the truth.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use nodust_crawler::{
    Report,
    report::Ending,
    site::{ServerHandle, Site, SiteConfig},
};
use nodust_tests::dice::Dice;

/// Requests at the same time.
const IN_FLIGHT: u64 = 64;
/// Kills of a process that is crawling.
const KILLS: u64 = 28;
/// Kills of a process that is just starting.
const EARLY_KILLS: u64 = 4;
/// No run is waited for longer than this.
const PATIENCE: Duration = Duration::from_mins(2);

/// The crawl whose outcome does not depend on the order in which pages arrive: nothing is learned.
fn crawl(server: &ServerHandle, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nodust-under-test"));
    command
        .args(["crawl", &server.start_url(), "--delay", "0"])
        .args([
            "--no-filter",
            "--no-normalize",
            "--no-rules",
            "--no-predict",
        ])
        .args(["--concurrency", "64", "--per-host", "64"])
        .arg("--store")
        .arg(folder.join("store"))
        .arg("--log")
        .arg(folder.join("log.jsonl"))
        .arg("--report")
        .arg(folder.join("report.json"))
        .env("RUST_LOG", "warn")
        .stdin(Stdio::null());
    command
}

/// Lets a crawl come to its end; answers its report and what the server was asked for.
fn to_the_end(server: &ServerHandle, folder: &Path) -> (Report, HashMap<String, u64>) {
    let output = crawl(server, folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!output.stdout.is_empty());
    let report: Report =
        serde_json::from_slice(&std::fs::read(folder.join("report.json")).unwrap()).unwrap();
    assert_eq!(report.ending, Ending::Complete);
    assert_eq!(report.queued, 0);
    let links = &report.total.links;
    let dropped: u64 = (links.dropped.values()).flat_map(BTreeMap::values).sum();
    assert_eq!(links.offered, links.admitted + links.known + dropped);
    let mut hits = server.hits();
    hits.remove("/robots.txt");
    (report, hits)
}

/// Starts a crawl and kills it after this time or this many requests, whichever comes first; the clock
/// starts with the first request, or at once when it is to die early. Answers whether it still ran.
fn killed(
    server: &ServerHandle,
    folder: &Path,
    time: Duration,
    requests: u64,
    early: bool,
) -> bool {
    let before = server.requests();
    let mut child = crawl(server, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !early && server.requests() == before {
        assert!(began.elapsed() < PATIENCE, "it asks for nothing");
        if child.try_wait().unwrap().is_some() {
            break;
        }
        sleep(Duration::from_millis(1));
    }
    let crawls = Instant::now();
    while crawls.elapsed() < time && server.requests() - before < requests {
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let was_killed = output.status.signal() == Some(9);
    // A store that does not open ends the program with an error.
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(was_killed || output.status.success(), "{said}");
    was_killed
}

/// What one run asked for, each URL once; `before` is brought up to date.
fn asked_since(before: &mut HashMap<String, u64>, server: &ServerHandle) -> BTreeSet<String> {
    // What a killed crawl has sent may be read only now.
    let mut requests = None;
    while requests != Some(server.requests()) {
        requests = Some(server.requests());
        sleep(Duration::from_millis(50));
    }
    let mut now = server.hits();
    now.remove("/robots.txt");
    let mut asked = BTreeSet::new();
    for (path, times) in &now {
        match times - before.get(path).unwrap_or(&0) {
            0 => {}
            1 => {
                asked.insert(path.clone());
            }
            more => panic!("{path} was asked for {more} times in one run"),
        }
    }
    *before = now;
    asked
}

/// How many URLs of a run had to be asked for again: what the kill at its end cost. That may be made good
/// only some runs later, when the next one is killed early.
fn cost(runs: &[BTreeSet<String>], run: usize) -> u64 {
    let later = |path: &String| runs[run + 1..].iter().any(|asked| asked.contains(path));
    runs[run].iter().filter(|path| later(path)).count() as u64
}

fn repeated(hits: &HashMap<String, u64>) -> u64 {
    (hits.iter())
        .filter(|(path, _)| *path != "/robots.txt")
        .map(|(_, times)| times - 1)
        .sum()
}

fn logged(folder: &Path) -> BTreeSet<String> {
    let log = std::fs::read_to_string(folder.join("log.jsonl")).unwrap();
    log.lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["url"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn a_crawl_killed_at_random_instants_loses_no_page_and_fetches_few_twice() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let site = Site::new(SiteConfig {
        pages: 800,
        ..SiteConfig::default()
    });
    let serve = || runtime.block_on(site.serve(([127, 0, 0, 1], 0).into()));

    let (server, folder) = (serve().unwrap(), tempfile::tempdir().unwrap());
    let (undisturbed, there) = to_the_end(&server, folder.path());
    assert!(there.len() >= 2000, "{}", there.len());
    assert_eq!(repeated(&there), 0);

    let (server, folder) = (serve().unwrap(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    let mut dice = Dice(2026);
    let mut kills = 0;
    let mut hits = HashMap::new();
    let mut runs = Vec::new();
    for round in 0..KILLS + EARLY_KILLS {
        let early = round % 8 == 7;
        let time = Duration::from_millis(dice.below(if early { 100 } else { 1500 }));
        let requests = 1 + dice.below(300);
        if killed(&server, folder, time, requests, early) && !early {
            kills += 1;
        }
        runs.push(asked_since(&mut hits, &server));
    }
    assert!(kills >= 25, "only {kills} kills met a crawl under way");

    let (report, asked) = to_the_end(&server, folder);
    runs.push(asked_since(&mut hits, &server));
    let urls = |hits: &HashMap<String, u64>| hits.keys().cloned().collect::<BTreeSet<_>>();
    let (asked_urls, there_urls) = (urls(&asked), urls(&there));
    let lost: Vec<_> = there_urls.difference(&asked_urls).collect();
    assert_eq!(lost, Vec::<&String>::new(), "lost");
    let made_up: Vec<_> = asked_urls.difference(&there_urls).collect();
    assert_eq!(made_up, Vec::<&String>::new(), "made up");

    let again = repeated(&asked);
    let worst = (0..runs.len()).map(|run| cost(&runs, run)).max();
    println!(
        "{} URLs, {kills} kills and {EARLY_KILLS} early ones, {again} fetched again, at most {worst:?} for one kill; undisturbed {:.1} s",
        asked.len(),
        undisturbed.run.seconds
    );
    assert!(
        worst <= Some(IN_FLIGHT),
        "{worst:?} fetched again after one kill"
    );
    assert_eq!(report.total.fetched, undisturbed.total.fetched);
    assert_eq!(
        report.total.links.admitted,
        undisturbed.total.links.admitted
    );

    let base = server.start_url();
    let expected: BTreeSet<String> = (there_urls.iter())
        .map(|path| format!("{}{path}", base.trim_end_matches('/')))
        .collect();
    let logged = logged(folder);
    let unlogged: Vec<_> = expected.difference(&logged).collect();
    assert_eq!(unlogged, Vec::<&String>::new(), "not in the log");
}
