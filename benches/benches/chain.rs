//! How fast is the whole chain, beside parsing the URLs and nothing else?
//!
//! Input: a list of links, one a line, gzipped or not, named by `NODUST_LINKS_FILE`, or
//! `../shared/data/urls/links_120k.txt.gz` beside the workspace; without either, generated URLs, and the
//! run says so. One core. `whole chain` is what a crawler pays per link before the seen-set: resolve, scrub,
//! filter, normalize, and both fingerprints, judged by pages of 64 links.

#![expect(
    clippy::print_stdout,
    reason = "the ratio is what the benchmark is run for"
)]

use std::{
    hint::black_box,
    io::Read as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use criterion::{Criterion, Throughput};
use nodust_crawler::files::open;
use nodust_frontier::{Batch, Candidate, Chain, RawUrl, Via};
use nodust_middleware::{
    filter::{Filter, FilterConfig},
    normalize::Normalize,
    scrub::Scrub,
};
use url::Url;

const PAGE: usize = 64;

fn links() -> Vec<String> {
    let path = std::env::var_os("NODUST_LINKS_FILE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/urls/links_120k.txt.gz"),
        PathBuf::from,
    );
    let Some(text) = read(&path) else {
        println!("no file {}: generated URLs instead", path.display());
        return generated();
    };
    let links: Vec<String> = text.lines().map(str::to_owned).collect();
    println!("{} links of {}", links.len(), path.display());
    links
}

fn read(path: &Path) -> Option<String> {
    let mut octets = Vec::new();
    open(path).ok()?.read_to_end(&mut octets).ok()?;
    Some(String::from_utf8_lossy(&octets).into_owned())
}

/// Paths of three to five segments, one in ten with a query, as in the list of real links.
fn generated() -> Vec<String> {
    (0..50_000)
        .map(|i| {
            let scheme = if i % 6 == 0 { "http" } else { "https" };
            let www = if i % 2 == 0 { "www." } else { "" };
            let query = if i % 10 == 0 { format!("?utm_source=feed&id={i}&page=2") } else { String::new() };
            let host = i % 997;
            format!("{scheme}://{www}site-{host}.example.org/news/2024/{i}/a-headline-of-some-words-{i}{query}")
        })
        .collect()
}

fn parse_all(links: &[String]) -> usize {
    links
        .iter()
        .filter(|link| black_box(Url::parse(link)).is_ok())
        .count()
}

fn resolve_all(pages: &[Vec<RawUrl<'_>>]) -> usize {
    pages
        .iter()
        .flatten()
        .filter(|link| black_box(Candidate::resolve(**link, &Via::seed())).is_ok())
        .count()
}

fn judge_all(chain: &Chain, pages: &[Vec<RawUrl<'_>>], batch: &mut Batch) -> u64 {
    let mut names = 0_u64;
    for page in pages {
        chain.judge(&Via::seed(), page, batch);
        for link in batch.survivors() {
            names ^= link.key().url() ^ link.class_key().url();
        }
    }
    names
}

fn benchmark(c: &mut Criterion) {
    let links = links();
    let pages: Vec<Vec<RawUrl<'_>>> = links
        .chunks(PAGE)
        .map(|page| page.iter().map(|link| RawUrl::new(link)).collect())
        .collect();
    // Without a page the links pass for seeds, which are judged here as links are.
    let config = FilterConfig {
        judge_seeds: true,
        ..FilterConfig::default()
    };
    let filter = || Filter::new(&config).expect("the defaults are valid");
    let chain = Chain::new()
        .then(Scrub::default())
        .then(filter())
        .then(Normalize::default());
    let alone = [
        ("scrub alone", Chain::new().then(Scrub::default())),
        ("filter alone", Chain::new().then(filter())),
        ("normalize alone", Chain::new().then(Normalize::default())),
    ];
    let mut batch = Batch::default();
    let mut group = c.benchmark_group("chain");
    group
        .throughput(Throughput::Elements(links.len() as u64))
        .sample_size(10)
        .measurement_time(Duration::from_secs(4));
    group.bench_function("url::Url::parse", |b| b.iter(|| parse_all(&links)));
    group.bench_function("resolve", |b| b.iter(|| resolve_all(&pages)));
    for (name, chain) in &alone {
        group.bench_function(*name, |b| b.iter(|| judge_all(chain, &pages, &mut batch)));
    }
    group.bench_function("whole chain", |b| {
        b.iter(|| judge_all(&chain, &pages, &mut batch));
    });
    group.finish();

    // Turn by turn, so that a busy machine slows both alike.
    let (mut parse, mut judge) = (Duration::MAX, Duration::MAX);
    for _ in 0..7 {
        parse = parse.min(timed(|| parse_all(&links)));
        judge = judge.min(timed(|| judge_all(&chain, &pages, &mut batch)));
    }
    let rate = |time: Duration| links.len() as f64 / time.as_secs_f64() / 1e6;
    println!(
        "best of 7: parse {:.2} M URLs/s, whole chain {:.2} M URLs/s, ratio {:.2} (wanted: 0.25)",
        rate(parse),
        rate(judge),
        parse.as_secs_f64() / judge.as_secs_f64()
    );
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    benchmark(&mut criterion);
    criterion.final_summary();
}
