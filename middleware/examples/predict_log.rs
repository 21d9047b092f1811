//! What would the predictor alone save on a recorded crawl?
//!
//! `predict_log LOG [--decisions FILE] [--beliefs] [--static] [--seed N]`: `LOG` has one JSON object a line,
//! `{"url","text"}` in order, or with `links` a link graph to be followed breadth-first from its first line.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]
#![expect(
    clippy::too_many_lines,
    reason = "an experiment reads best from top to bottom"
)]

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fs::File,
    io::{BufRead, BufReader, BufWriter, Read, Write},
    time::Instant,
};

use nodust_frontier::{
    BeliefId, CanonicalUrl, DropReason, Effects, Exploration, FetchedPage, Fingerprint, HostKey,
    Middleware, Observation, Outcome, Prediction, Probability, RawUrl, Verdict, Via,
};
use nodust_middleware::{
    frontier::{Admitted, Candidate},
    predict::{Predict, PredictConfig},
};
use serde_json::Value;

type Failure = Box<dyn std::error::Error>;

struct Record {
    url: CanonicalUrl,
    text: Option<String>,
    status: u16,
    redirect: Option<String>,
    canonical: Option<String>,
    links: Vec<String>,
    cluster: Option<String>,
}

fn read(path: &str) -> Result<(Vec<Record>, bool), Failure> {
    let file = File::open(path)?;
    let reader: Box<dyn Read> = if path.to_ascii_lowercase().ends_with(".gz") {
        Box::new(flate2::read::MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let mut out = Vec::new();
    let mut graph = false;
    for line in BufReader::new(reader).lines() {
        let value: Value = serde_json::from_str(&line?)?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        graph |= value.get("links").is_some();
        let Some(Ok(url)) = text("url").map(|u| CanonicalUrl::resolve(&u, None)) else {
            continue;
        };
        let links = value.get("links").and_then(Value::as_array);
        out.push(Record {
            url,
            status: value.get("status").and_then(Value::as_u64).unwrap_or(200) as u16,
            text: text("text"),
            redirect: text("redirect_to"),
            canonical: text("canonical"),
            links: links.map_or(Vec::new(), |l| {
                l.iter()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect()
            }),
            cluster: text("cluster"),
        });
    }
    Ok((out, graph))
}

enum Turn {
    Drop,
    /// With the prediction that it tests, if it is a probe.
    Fetch(Option<Prediction>),
}

struct Loop {
    stage: Predict,
    exploration: Exploration,
    ledger: HashMap<BeliefId, Vec<CanonicalUrl>>,
    probes: (u64, u64),
    judge: Vec<u32>,
    update: Vec<u32>,
    out: Option<BufWriter<File>>,
    fetched: u64,
    explored: u64,
    withdrawn: u64,
}

fn class_of(url: &CanonicalUrl, normalize: bool) -> String {
    let mut class = url.as_url().clone();
    if normalize && class.query().is_some() {
        let noise = |k: &str| {
            k.starts_with("utm_") || matches!(k, "gclid" | "fbclid" | "PHPSESSID" | "jsessionid")
        };
        let mut pairs: Vec<String> = class
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|p| !noise(p.split('=').next().unwrap_or_default()))
            .map(str::to_owned)
            .collect();
        pairs.sort_by(|a, b| a.split('=').next().cmp(&b.split('=').next()));
        class.set_query((!pairs.is_empty()).then(|| pairs.join("&")).as_deref());
    }
    class.into()
}

impl Loop {
    fn note(&mut self, url: &str, decision: &str, reason: &str) -> Result<(), Failure> {
        if let Some(out) = &mut self.out {
            let line = serde_json::json!({"url": url, "decision": decision, "stage": "predict", "reason": reason});
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    fn judge(&mut self, url: &CanonicalUrl) -> Result<Turn, Failure> {
        let via = Via::page(url);
        let mut candidate = Candidate::resolve(RawUrl::new(url.as_str()), &via)?;
        let start = Instant::now();
        let verdict = self.stage.judge(&mut candidate, &via);
        self.judge.push(start.elapsed().as_nanos() as u32);
        let Verdict::Drop(DropReason::PredictedDuplicate(p)) = verdict else {
            if let Verdict::Drop(reason) = verdict {
                self.note(url.as_str(), "drop", &reason.to_string())?;
                if let Some(belief) = reason.belief() {
                    self.ledger.entry(belief).or_default().push(url.clone());
                }
                return Ok(Turn::Drop);
            }
            self.note(url.as_str(), "fetch", "")?;
            return Ok(Turn::Fetch(None));
        };
        let generation = self.stage.generation(url.host());
        let reason = format!("{} {:.3}", p.belief, p.probability.get());
        if self
            .exploration
            .picks(candidate.key(), p.belief, generation)
        {
            self.explored += 1;
            self.note(url.as_str(), "explore", &reason)?;
            return Ok(Turn::Fetch(Some(p)));
        }
        self.note(url.as_str(), "drop", &reason)?;
        self.ledger.entry(p.belief).or_default().push(url.clone());
        Ok(Turn::Drop)
    }

    fn observe(&mut self, record: &Record, probe: Option<Prediction>) -> Vec<CanonicalUrl> {
        self.fetched += 1;
        let key = Fingerprint::of(record.url.as_url(), record.url.as_str());
        let admitted = Admitted {
            url: record.url.clone(),
            key,
            class: key,
            merged_by: None,
            probe,
            depth: 0,
            redirects: 0,
            origin: nodust_frontier::Origin::Link,
            priority: 128,
            generation: 0,
            recalled_from: None,
        };
        let base = Some(record.url.as_url());
        let target = record.redirect.as_deref().or(record.canonical.as_deref());
        let points_to = target.and_then(|t| CanonicalUrl::resolve(t, base).ok());
        let outcome = match &record.redirect {
            Some(target) => Outcome::Redirected {
                status: record.status,
                target: RawUrl::new(target),
            },
            None => Outcome::Fetched(FetchedPage {
                status: record.status,
                text: record.text.as_deref(),
                ..FetchedPage::default()
            }),
        };
        let mut effects = Effects::default();
        let seen = Observation {
            url: &admitted,
            outcome: &outcome,
            points_to: points_to.as_ref(),
        };
        let start = Instant::now();
        self.stage.observe(&seen, &mut effects);
        self.update.push(start.elapsed().as_nanos() as u32);
        if let Some(was) = effects.probe_was_duplicate {
            self.probes.0 += u64::from(was);
            self.probes.1 += 1;
        }
        let mut back = Vec::new();
        for (_, belief) in effects.withdrawn {
            self.withdrawn += 1;
            back.extend(self.ledger.remove(&belief).unwrap_or_default());
        }
        back
    }
}

fn quantile(values: &mut [u32], q: f64) -> f64 {
    values.sort_unstable();
    let at = ((values.len() as f64 * q) as usize).min(values.len().saturating_sub(1));
    values.get(at).map_or(0.0, |ns| f64::from(*ns) / 1000.0)
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        args.iter()
            .position(|a| a == name)
            .and_then(|at| args.get(at + 1))
    };
    let has = |name: &str| args.iter().any(|a| a == name);
    let log = args.first().ok_or("usage: predict_log LOG")?;
    let seed = option("--seed").map_or(Ok(1), |s| s.parse())?;
    let share = Probability::new(0.05).ok_or("share")?;
    let (records, graph) = read(log)?;
    let mut run = Loop {
        stage: Predict::new(PredictConfig::default()),
        exploration: Exploration::new(share, seed),
        ledger: HashMap::new(),
        probes: (0, 0),
        judge: Vec::new(),
        update: Vec::new(),
        out: option("--decisions")
            .map(File::create)
            .transpose()?
            .map(BufWriter::new),
        fetched: 0,
        explored: 0,
        withdrawn: 0,
    };
    let mut by_url: HashMap<&str, usize> = HashMap::new();
    for (i, record) in records.iter().enumerate() {
        by_url.entry(record.url.as_str()).or_insert(i);
    }
    let mut known: HashSet<String> = HashSet::new();
    let mut queue: VecDeque<CanonicalUrl> = VecDeque::new();
    let start = records.first().ok_or("the log is empty")?.url.clone();
    let scheme = start.as_url().scheme().to_owned();
    let normalize = has("--static");
    if graph {
        known.insert(class_of(&start, normalize));
        queue.push_back(start.clone());
    } else {
        queue.extend(records.iter().map(|r| r.url.clone()));
    }
    let mut fetched_clusters: HashSet<&str> = HashSet::new();
    let mut dropped = 0u64;
    while let Some(url) = queue.pop_front() {
        let Turn::Fetch(probe) = run.judge(&url)? else {
            dropped += 1;
            continue;
        };
        let Some(&at) = by_url.get(url.as_str()) else {
            continue;
        };
        let record = &records[at];
        if let Some(cluster) = &record.cluster {
            fetched_clusters.insert(cluster);
        }
        let back = run.observe(record, probe);
        dropped -= back.len() as u64;
        queue.extend(back);
        let links = match &record.redirect {
            Some(target) => std::slice::from_ref(target),
            None => &record.links[..],
        };
        for link in links {
            let Ok(link) = CanonicalUrl::resolve(link, Some(record.url.as_url())) else {
                continue;
            };
            let class = class_of(&link, normalize && record.redirect.is_none());
            if link.host() == start.host()
                && link.as_url().scheme() == scheme
                && known.insert(class)
            {
                queue.push_back(link);
            }
        }
    }
    if let Some(out) = &mut run.out {
        out.flush()?;
    }
    let clusters: HashSet<&str> = records
        .iter()
        .filter_map(|r| r.cluster.as_deref())
        .collect();
    let lost = clusters.len() - fetched_clusters.len();
    let dups = records.len() - clusters.len();
    let hosts: HashSet<HostKey> = records.iter().map(|r| r.url.host().clone()).collect();
    let (mut bytes, mut pages) = (0, 0);
    let mut names: HashSet<String> = HashSet::new();
    for host in &hosts {
        let text = run.stage.with_site(host, |s| {
            (s.name().to_owned(), s.bytes(), s.pages(), s.beliefs())
        });
        if let Some((name, b, p, beliefs)) = text
            && names.insert(name)
        {
            bytes += b;
            pages += p;
            if has("--beliefs") {
                for belief in beliefs {
                    println!("{belief}");
                }
            }
        }
    }
    println!(
        "{} fetched {} dropped {dropped} explored {} (dup {}/{}) withdrawn {} | dups {dups} avoided {:.1} % lost {lost} of {} ({:.2} %) precision {:.4} | judge p50 {:.1} p99 {:.1} update p50 {:.1} p99 {:.1} max {:.0} us | {} B/page",
        log.rsplit('/').next().unwrap_or_default(),
        run.fetched,
        run.explored,
        run.probes.0,
        run.probes.1,
        run.withdrawn,
        100.0 * (dropped as f64 - lost as f64) / dups.max(1) as f64,
        clusters.len(),
        100.0 * lost as f64 / clusters.len().max(1) as f64,
        1.0 - lost as f64 / dropped.max(1) as f64,
        quantile(&mut run.judge, 0.5),
        quantile(&mut run.judge, 0.99),
        quantile(&mut run.update, 0.5),
        quantile(&mut run.update, 0.99),
        quantile(&mut run.update, 1.0),
        bytes / pages.max(1),
    );
    Ok(())
}
