//! How good and how fast is the learner of rewrite rules, beside simpler ones?
//!
//! `cargo bench -p nodust-benches --bench rules` measures quality on the hosts in `NODUST_CLUSTERS` (a folder of
//! `{"url","cluster"}` files, else `../shared/data/clusters` beside the workspace; skipped without): learned on the
//! first fifth of each file with at least 200 URLs, measured on the rest, with and without the URLs of clusters of 20
//! or more. Then speed, on a generated forum: learning 100k URLs beside the pairwise baseline, growth with the number
//! of URLs (`NODUST_BENCH_LEARN`, in thousands, default `25,50,100`), both on one thread and on all cores (the baseline
//! knows one), and the time that 50 rules take for a URL.

#![expect(
    clippy::print_stdout,
    reason = "the table is what the benchmark is run for"
)]

use std::{
    fs::File,
    hint::black_box,
    io::BufReader,
    path::{Path, PathBuf},
    time::Instant,
};

use flate2::read::MultiGzDecoder;
use nodust_benches::baselines::{classify, pairwise, per_parameter};
use nodust_frontier::CanonicalUrl;
use nodust_middleware::{
    learn::{
        Algorithm, Options, Sample, Selection,
        eval::{self, HostCounts},
        learn, read_samples,
    },
    normalize::{Equivalences, NormalizeConfig},
    rules::{Parts, Rule, SiteRules},
};

const GIANT: usize = 20;

fn main() {
    quality();
    speed();
}

/// The hosts with at least 200 URLs, in order of their names; URLs as they are fetched.
fn hosts() -> Vec<(String, Vec<Sample>)> {
    let folder = std::env::var_os("NODUST_CLUSTERS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/clusters"),
        PathBuf::from,
    );
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("no folder {}: no quality measured", folder.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.sort();
    files
        .iter()
        .filter_map(|path| {
            let file = BufReader::new(MultiGzDecoder::new(File::open(path).ok()?));
            let samples: Vec<Sample> = read_samples(file)
                .ok()?
                .samples
                .into_iter()
                .filter_map(|s| {
                    Some(Sample {
                        url: eval::wire(&s.url)?,
                        cluster: s.cluster,
                    })
                })
                .collect();
            let name = path.file_name()?.to_string_lossy().into_owned();
            (samples.len() >= 200).then_some((name, samples))
        })
        .collect()
}

type Learner<'l> = Box<dyn Fn(&[Sample]) -> Vec<Rule> + 'l>;

fn quality() {
    let hosts = hosts();
    if hosts.is_empty() {
        return;
    }
    let ours = |algorithm, selection| -> Learner<'static> {
        let options = Options {
            algorithm,
            selection,
            ..Options::default()
        };
        Box::new(move |known| {
            let site = learn(known, &options);
            site.rules.into_iter().map(|entry| entry.rule).collect()
        })
    };
    let fpr = Options::default().fpr_max;
    let learners: Vec<(&str, Learner<'_>)> = vec![
        ("per parameter", Box::new(|known| per_parameter(known, fpr))),
        (
            "pairwise, fan-out 5",
            Box::new(|known| pairwise(known, 5, GIANT, fpr)),
        ),
        (
            "pairwise, fan-out 10",
            Box::new(|known| pairwise(known, 10, GIANT, fpr)),
        ),
        (
            "both, naive selection",
            ours(Algorithm::Both, Selection::Naive),
        ),
        (
            "both, greedy selection",
            ours(Algorithm::Both, Selection::Joint),
        ),
        ("tree", ours(Algorithm::Tree, Selection::Graph)),
        ("classes", ours(Algorithm::Classes, Selection::Graph)),
        ("both", ours(Algorithm::Both, Selection::Graph)),
    ];
    println!(
        "{} hosts; macro means, 95 % bootstrap intervals over hosts",
        hosts.len()
    );
    println!(
        "| learner | large clusters | compression | fpr | loss | recall | easy recall | micro compression |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let fixed = Equivalences::new(&NormalizeConfig::default());
    let standard = |url: &str| {
        let url = CanonicalUrl::resolve(url, None).ok()?;
        let class = fixed.class_of(url.as_url());
        Some(class.unwrap_or_else(|| url.as_str().to_owned()))
    };
    line("static only", &hosts, &|_| Box::new(standard));
    for (name, learner) in &learners {
        line(name, &hosts, &|known| {
            let rules = SiteRules::new("", learner(known));
            Box::new(move |url: &str| Some(classify(&rules, url)))
        });
    }
}

type Classify<'c> = Box<dyn Fn(&str) -> Option<String> + 'c>;

fn line<'c>(
    name: &str,
    hosts: &[(String, Vec<Sample>)],
    learn: &dyn Fn(&[Sample]) -> Classify<'c>,
) {
    let mut with = Vec::new();
    let mut without = Vec::new();
    for (host, samples) in hosts {
        let small = eval::without_giants(samples, GIANT);
        for (samples, counts) in [(samples, &mut with), (&small, &mut without)] {
            let (known, rest) = eval::split(samples, 0.2);
            let classify = learn(known);
            counts.push(HostCounts {
                host: host.clone(),
                rules: 0,
                counts: eval::evaluate_with(rest, &*classify),
            });
        }
    }
    for (large, counts) in [("with", with), ("without", without)] {
        let parts = [
            ("", counts.clone()),
            (" (even)", counts.iter().step_by(2).cloned().collect()),
            (
                " (odd)",
                counts.iter().skip(1).step_by(2).cloned().collect(),
            ),
        ];
        for (part, counts) in parts {
            let report = eval::report(&counts);
            let (f, i) = (report.r#macro.figures, report.r#macro.intervals);
            let range = |interval: eval::Interval, digits: usize| match interval {
                Some([low, high]) => format!("{low:.digits$} to {high:.digits$}"),
                None => "-".to_owned(),
            };
            println!(
                "| {name}{part} | {large} | {:.4} ({}) | {:.4} ({}) | {:.4} ({}) | {:.3} | {:.3} ({}) | {:.4} |",
                f.compression,
                range(i.compression, 4),
                f.fpr,
                range(i.fpr, 4),
                f.loss_rate,
                range(i.loss_rate, 4),
                f.recall.unwrap_or(0.0),
                f.easy_recall.unwrap_or(0.0),
                range(i.easy_recall, 3),
                report.micro.figures.compression,
            );
        }
    }
}

/// A forum of `n` URLs: topics with sessions and highlights, members in two spellings, and pages with one URL each.
fn forum(n: usize) -> Vec<Sample> {
    (0..n)
        .map(|i| {
            let t = i / 4;
            let (url, page) = match i % 8 {
                0 | 4 => (
                    format!("http://f.example/viewtopic.php?t={t}"),
                    format!("t{t}"),
                ),
                1 | 5 => (
                    format!(
                        "http://f.example/viewtopic.php?t={t}&sid={:08x}",
                        i * 2_654_435
                    ),
                    format!("t{t}"),
                ),
                2 => (
                    format!(
                        "http://f.example/viewtopic.php?t={}&highlight=w{}",
                        i / 4,
                        i % 97
                    ),
                    format!("t{t}"),
                ),
                3 => (format!("http://f.example/post/{i}.html"), format!("p{i}")),
                6 => (
                    format!("http://f.example/member/u{}", i / 8),
                    format!("m{}", i / 8),
                ),
                _ => (
                    format!("http://f.example/profile.php?u=u{}", i / 8),
                    format!("m{}", i / 8),
                ),
            };
            Sample::new(url, &page)
        })
        .collect()
}

fn speed() {
    let sizes = std::env::var("NODUST_BENCH_LEARN").unwrap_or_else(|_| "25,50,100".to_owned());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let [alone, together] = [1, cores].map(|threads| Options {
        max_samples: usize::MAX,
        threads,
        ..Options::default()
    });
    for size in sizes
        .split(',')
        .filter_map(|s| s.trim().parse::<usize>().ok())
    {
        let samples = forum(size * 1000);
        for options in [&alone, &together] {
            let start = Instant::now();
            let site = learn(&samples, options);
            let took = start.elapsed();
            println!(
                "learning {size}k URLs on {} threads: {:.2} s, {:.2} µs a URL, {} rules",
                options.threads,
                took.as_secs_f64(),
                took.as_secs_f64() * 1e6 / samples.len() as f64,
                site.rules.len()
            );
        }
    }
    let samples = forum(100_000);
    // In turn, so that all meet the same machine.
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..3 {
        let learners: [&dyn Fn() -> usize; 3] = [
            &|| learn(&samples, &alone).rules.len(),
            &|| learn(&samples, &together).rules.len(),
            &|| pairwise(&samples, 10, GIANT, alone.fpr_max).len(),
        ];
        for (learner, times) in learners.iter().zip(&mut times) {
            let start = Instant::now();
            let rules = learner();
            times.push((start.elapsed().as_secs_f64(), rules));
        }
    }
    let [ours, on_all_cores, pairs] = times.map(|mut times: Vec<(f64, usize)>| {
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        times[1]
    });
    println!(
        "100k URLs, medians of three: both {:.3} s on one thread ({} rules), {:.3} s on {cores} ({} rules), pairwise \
         {:.2} s ({} rules), ratios {:.1} and {:.1}",
        ours.0,
        ours.1,
        on_all_cores.0,
        on_all_cores.1,
        pairs.0,
        pairs.1,
        pairs.0 / ours.0,
        pairs.0 / on_all_cores.0,
    );
    let rules = SiteRules::new(
        "f.example",
        (0..50).filter_map(|n| {
            let text = match n % 3 {
                0 => format!("has:query.p{n} => drop:query.p{n}"),
                1 => format!("is:seg.0=old{n} has:query.id => set:seg.0=new{n}"),
                _ => format!("is:seg.0=viewtopic.php is:query.f={n} has:query.t => drop:query.f"),
            };
            text.parse().ok()
        }),
    );
    let urls = &samples[..50_000];
    let time = |what: &dyn Fn(&str)| {
        let best = (0..5).map(|_| {
            let start = Instant::now();
            for sample in urls {
                what(black_box(&sample.url));
            }
            start.elapsed().as_secs_f64() * 1e9 / urls.len() as f64
        });
        best.fold(f64::INFINITY, f64::min)
    };
    let parse = time(&|url| {
        black_box(url::Url::parse(url).ok());
    });
    let apply = time(&|url| {
        black_box(rules.canon(url));
    });
    let apart = time(&|url| {
        black_box(Parts::parse(url));
    });
    println!(
        "{} rules: {apply:.0} ns a URL; url::Url::parse {parse:.0} ns; taking apart {apart:.0} ns",
        rules.len()
    );
}
