//! What does prediction cost a page, and does that grow with the pages of a site?
//!
//! With `NODUST_LOG`, a file of lines `{"url","text"}` (gzipped or not): its pages in order, those left out
//! that are dropped; the time of each judgement and of each page learned, as `update` and `predict` of
//! `MaybeDont` count them, and the whole as JSON in the last line (`scripts/predict_beside_maybedont` reads
//! it); `NODUST_SKIP` leaves the first pages out of the figures. Without: a shop that is made up while it is crawled, up to `NODUST_PAGES` pages (200,000), with the
//! time a page, the model's own count of its bytes, and what the process really grew by.
//!
//! The time of a page is that of `Predict::observe` alone: text to signature, evidence and beliefs, as in a
//! frontier without a store (the peer keeps nothing either); with `NODUST_JOURNAL` the text is packed for the
//! journal as well. No network, one core.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the figures are what the benchmark is run for"
)]

use std::{
    error::Error,
    fmt::Write as _,
    io::{BufRead, BufReader},
    path::Path,
    time::Instant,
};

use nodust_crawler::files::open;
use nodust_frontier::{
    Admitted, Candidate, CanonicalUrl, DropReason, Effects, Exploration, FetchedPage, HostKey,
    Middleware, Observation, Outcome, Prediction, Probability, RawUrl, Verdict, Via,
};
use nodust_middleware::predict::{Predict, PredictConfig};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

type Failure = Box<dyn Error>;

/// A predictor with a stopwatch.
struct Timed {
    stage: Predict,
    exploration: Exploration,
    /// Nanoseconds of each page learned.
    update: Vec<u64>,
    /// Nanoseconds of each URL judged.
    predict: Vec<u64>,
    dropped: u64,
    hosts: Vec<HostKey>,
    /// Whether what is to be written to a store is made.
    is_kept: bool,
}

impl Timed {
    fn new() -> Self {
        let share = Probability::new(0.05).expect("a share between 0 and 1");
        Self {
            stage: Predict::new(PredictConfig::default()),
            exploration: Exploration::new(share, 1),
            update: Vec::new(),
            predict: Vec::new(),
            dropped: 0,
            hosts: Vec::new(),
            is_kept: std::env::var_os("NODUST_JOURNAL").is_some(),
        }
    }

    /// Judges a URL, and learns its page unless it is dropped.
    fn meet(&mut self, url: &str, text: &str) -> Result<(), Failure> {
        let page = CanonicalUrl::resolve(url, None)?;
        let via = Via::page(&page);
        let mut link = Candidate::resolve(RawUrl::new(url), &via)?;
        let begin = Instant::now();
        let verdict = self.stage.judge(&mut link, &via);
        self.predict.push(begin.elapsed().as_nanos() as u64);
        if !self.hosts.contains(link.host()) {
            self.hosts.push(link.host().clone());
        }
        let probe = match verdict {
            Verdict::Drop(DropReason::PredictedDuplicate(by)) if self.explores(&link, by) => {
                Some(by)
            }
            Verdict::Drop(_) => {
                self.dropped += 1;
                return Ok(());
            }
            Verdict::Pass => None,
        };
        let mut admitted = link.seal(&via, 0);
        admitted.probe = probe;
        self.learn(&admitted, text);
        Ok(())
    }

    fn explores(&self, link: &Candidate, by: Prediction) -> bool {
        let generation = self.stage.generation(link.host());
        (self.exploration).picks(link.key(), by.belief, generation)
    }

    fn learn(&mut self, admitted: &Admitted, text: &str) {
        let outcome = Outcome::Fetched(FetchedPage {
            status: 200,
            text: Some(text),
            ..FetchedPage::default()
        });
        let seen = Observation {
            url: admitted,
            outcome: &outcome,
            points_to: None::<&CanonicalUrl>,
        };
        let mut effects = Effects {
            forgets_state: !self.is_kept,
            ..Effects::default()
        };
        let begin = Instant::now();
        self.stage.observe(&seen, &mut effects);
        self.update.push(begin.elapsed().as_nanos() as u64);
    }

    /// Bytes of all sites by their own count, and the pages they hold.
    fn held(&self) -> (usize, usize) {
        let (mut names, mut bytes, mut pages) = (Vec::new(), 0, 0);
        for host in &self.hosts {
            self.stage.with_site(host, |site| {
                if !names.contains(&site.name().to_owned()) {
                    names.push(site.name().to_owned());
                    bytes += site.bytes();
                    pages += site.pages();
                }
            });
        }
        (bytes, pages)
    }
}

/// The value below which a share of the others lies, in microseconds.
fn quantile(values: &[u64], share: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_unstable();
    let at = (values.len() as f64 * share) as usize;
    values
        .get(at.min(values.len().saturating_sub(1)))
        .map_or(0.0, |nanoseconds| *nanoseconds as f64 / 1000.0)
}

fn mean(values: &[u64]) -> f64 {
    values.iter().sum::<u64>() as f64 / values.len().max(1) as f64 / 1000.0
}

fn recorded(path: &str) -> Result<(), Failure> {
    let reader = open(Path::new(path))?;
    let skip = std::env::var("NODUST_SKIP").map_or(Ok(0), |n| n.parse())?;
    let (mut timed, mut met) = (Timed::new(), 0);
    for line in BufReader::new(reader).lines() {
        let page: Value = serde_json::from_str(&line?)?;
        if let (Some(url), Some(text)) = (page["url"].as_str(), page["text"].as_str()) {
            if let Err(error) = timed.meet(url, text) {
                eprintln!("{url}: {error}; left out");
                continue;
            }
            met += 1;
            if met == skip {
                timed.update.clear();
                timed.predict.clear();
            }
        }
    }
    let (bytes, pages) = timed.held();
    println!(
        "{}",
        json!({
            "learned": timed.update.len(),
            "judged": timed.predict.len(),
            "dropped": timed.dropped,
            "pages": pages,
            "stopwatch_bytes": 8 * (timed.update.capacity() + timed.predict.capacity()),
            "bytes_per_page": bytes / pages.max(1),
            "update_us": {"mean": mean(&timed.update), "p50": quantile(&timed.update, 0.5), "p99": quantile(&timed.update, 0.99)},
            "predict_us": {"mean": mean(&timed.predict), "p50": quantile(&timed.predict, 0.5), "p99": quantile(&timed.predict, 0.99)},
        })
    );
    Ok(())
}

/// A number that looks drawn, and depends on nothing but its names.
fn draw(name: u64, of: u64) -> u64 {
    xxh3_64(&[name.to_le_bytes(), of.to_le_bytes()].concat())
}

/// Page `n` of a shop: articles of 300 words in a frame of 40, lists of them, and of each some spellings with
/// a session or an order of sorting; one page in three is such a copy.
fn page_of_shop(n: u64) -> (String, String) {
    let is_copy = n % 3 == 2 && n > 300;
    let of = if is_copy { draw(n, 1) % (n - 200) } else { n };
    let of = of - u64::from(of % 3 == 2);
    let mut url = match of % 7 {
        0 => format!("http://shop.example/list/{}/?page={}", of % 90, of / 90),
        kind => format!("http://shop.example/c{kind}/{}/item?id={of}", of % 40),
    };
    if is_copy {
        let mark = if url.contains('?') { '&' } else { '?' };
        let extra = match n % 5 {
            0 => format!("sid={:x}", draw(n, 2)),
            1 => "sort=price".to_owned(),
            2 => format!("ref=p{}", n % 500),
            3 => "print=1".to_owned(),
            _ => format!("sid={:x}&ref=p{}", draw(n, 3), n % 500),
        };
        write!(url, "{mark}{extra}").unwrap_or_default();
    }
    let mut text = String::with_capacity(3000);
    for line in 0..10 {
        writeln!(text, "menu entry {line} of the shop").unwrap_or_default();
    }
    for word in 0..300 {
        let end = if word % 12 == 11 { '\n' } else { ' ' };
        write!(text, "w{:x}{end}", draw(of, 100 + word) % 30_000).unwrap_or_default();
    }
    (url, text)
}

/// Memory of this process, in bytes; 0 where the system does not tell.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|line| line.split(' ').nth(1)?.parse::<usize>().ok());
    pages.unwrap_or(0) * 4096
}

fn growing(up_to: u64) -> Result<(), Failure> {
    let mut timed = Timed::new();
    let before = resident();
    println!(
        "{:>8} {:>8} {:>8} {:>10} {:>10} {:>10} {:>10} {:>8} {:>12}",
        "pages",
        "learned",
        "dropped",
        "update us",
        "p50",
        "p99",
        "judge p50",
        "B/page",
        "B/page (RSS)"
    );
    let (mut told, mut next) = (0, 1000);
    for n in 0..up_to {
        let (url, text) = page_of_shop(n);
        timed.meet(&url, &text)?;
        if n + 1 == next || n + 1 == up_to {
            let (bytes, pages) = timed.held();
            let update = &timed.update[told..];
            println!(
                "{:>8} {:>8} {:>8} {:>10.1} {:>10.1} {:>10.1} {:>10.2} {:>8} {:>12}",
                n + 1,
                timed.update.len(),
                timed.dropped,
                mean(update),
                quantile(update, 0.5),
                quantile(update, 0.99),
                quantile(&timed.predict, 0.5),
                bytes / pages.max(1),
                // The stopwatch's own notes are no part of it.
                (resident() - before)
                    .saturating_sub(8 * (timed.update.capacity() + timed.predict.capacity()))
                    / pages.max(1),
            );
            told = timed.update.len();
            next *= 2;
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    if let Ok(path) = std::env::var("NODUST_LOG") {
        return recorded(&path);
    }
    let pages = std::env::var("NODUST_PAGES").map_or(Ok(200_000), |n| n.parse())?;
    growing(pages)
}
