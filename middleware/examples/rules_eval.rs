//! Learns rules on the first part of each file and measures them on the rest.
//!
//! `cargo run --release --example rules_eval -- [--split 0.2] [--algorithm both] [--giants] [--show] FILE.jsonl.gz…`

use std::{fs::File, io::BufReader};

use flate2::read::GzDecoder;
use nodust_middleware::{
    frontier::CanonicalUrl,
    learn::{Options, eval, read_samples},
    normalize::{Equivalences, NormalizeConfig},
};

#[expect(clippy::print_stdout, reason = "an example talks to its reader")]
#[expect(clippy::too_many_lines, reason = "options, a loop and a table")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options::default();
    let (mut share, mut giants, mut show, mut files) = (0.2, false, false, Vec::new());
    let (mut min_urls, mut fixed) = (200, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--split" => share = value()?.parse()?,
            "--algorithm" => options.algorithm = value()?.parse()?,
            "--fpr-max" => options.fpr_max = value()?.parse()?,
            "--failures-max" => options.failures_max = value()?.parse()?,
            "--min-trials" => options.min_trials = value()?.parse()?,
            "--min-urls" => min_urls = value()?.parse()?,
            "--giants" => giants = true,
            "--show" => show = true,
            "--static" => fixed = true,
            _ => files.push(arg),
        }
    }
    let same = Equivalences::new(&NormalizeConfig::default());
    let standard = |url: &str| {
        let url = CanonicalUrl::resolve(url, None).ok()?;
        Some(
            same.class_of(url.as_url())
                .unwrap_or_else(|| url.as_str().to_owned()),
        )
    };
    let wire = |url: &str| Some(CanonicalUrl::resolve(url, None).ok()?.as_str().to_owned());
    let normalize: &dyn Fn(&str) -> Option<String> = if fixed { &standard } else { &wire };
    let mut hosts = Vec::new();
    let mut plain = Vec::new();
    for file in files {
        let read = read_samples(BufReader::new(GzDecoder::new(File::open(&file)?)))?;
        let mut samples = read.samples;
        if samples.len() < min_urls {
            continue;
        }
        if !giants {
            samples = eval::without_giants(&samples, 20);
        }
        let name = file
            .rsplit('/')
            .next()
            .unwrap_or(&file)
            .replace(".jsonl.gz", "");
        let (train, test) = eval::split(&samples, share);
        let start = std::time::Instant::now();
        let site = eval::learn_from(train, normalize, &options, &[]);
        let took = start.elapsed();
        let done = eval::evaluate(&name, test, &site.compile(), normalize);
        let bare = eval::evaluate(
            &name,
            test,
            &nodust_middleware::rules::SiteRules::default(),
            &standard,
        );
        let c = &done.counts;
        println!(
            "{name:45.45} {:6} urls compr {:.3} (static {:.3}, best {:.3}) fpr {:.4} loss {:.4} recall {:.3} easy {:.3} (static {:.3}) rules {:3} {took:.1?}",
            c.urls,
            c.compression(),
            bare.counts.compression(),
            1.0 - c.clusters as f64 / c.urls.max(1) as f64,
            c.fpr(),
            c.loss_rate(),
            c.recall().unwrap_or(f64::NAN),
            c.easy_recall().unwrap_or(f64::NAN),
            bare.counts.easy_recall().unwrap_or(f64::NAN),
            done.rules,
        );
        if show {
            let compiled = site.compile();
            let mut per_rule = vec![(0u32, 0u32); compiled.len()];
            let mut first = std::collections::HashMap::new();
            for s in test {
                let Some(class) = normalize(&s.url) else {
                    continue;
                };
                let canon = compiled.canon(&class);
                let form = canon.as_ref().map_or(class, |c| c.class.clone());
                let cluster = *first.entry(form).or_insert(s.cluster);
                for at in canon.into_iter().flat_map(|c| c.fired) {
                    per_rule[at].0 += 1;
                    per_rule[at].1 += u32::from(cluster != s.cluster);
                }
            }
            for (entry, (n, bad)) in site.rules.iter().zip(per_rule) {
                let e = &entry.evidence;
                println!(
                    "      {:>5} trials {:>3} fail | test {n:>5} fired {bad:>4} wrong | {}",
                    e.trials, e.failures, entry.rule
                );
            }
        }
        hosts.push(done);
        plain.push(bare);
    }
    let half = |odd: usize| {
        let hosts: Vec<_> = hosts.iter().skip(odd).step_by(2).cloned().collect();
        eval::report(&hosts)
    };
    for (what, report) in [
        ("even", half(0)),
        ("odd", half(1)),
        ("rules", eval::report(&hosts)),
        ("static", eval::report(&plain)),
    ] {
        for (level, f) in [
            ("macro", report.r#macro.figures),
            ("micro", report.micro.figures),
        ] {
            println!(
                "{what:7} {level} compr {:.4} dup-red {:.3} fpr {:.5} loss {:.5} recall {:.3} easy {:.3} rules {:.1}",
                f.compression,
                f.dup_reduction,
                f.fpr,
                f.loss_rate,
                f.recall.unwrap_or(f64::NAN),
                f.easy_recall.unwrap_or(f64::NAN),
                f.rules
            );
        }
    }
    Ok(())
}
