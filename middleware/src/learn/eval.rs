//! How good are learned rules on URLs they were not learned from?

use serde::Serialize;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{
    Options, Sample,
    count::{Counts, Item, count, easy_key},
    learn,
};
use crate::rules::Site;

/// Static normalization: the class of a URL, or `None` when the URL cannot be read.
pub type Normalize<'n> = &'n dyn Fn(&str) -> Option<String>;

/// Counts of a host and how many rules made them.
#[derive(Clone, Debug, Serialize)]
pub struct HostCounts {
    /// Name of the host or of its file.
    pub host: String,
    /// Rules applied.
    pub rules: usize,
    /// The counts.
    pub counts: Counts,
}

/// The figures of one host, or of all.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Figures {
    /// URLs looked at.
    pub urls: f64,
    /// Different pages among them.
    pub clusters: f64,
    /// See [`Counts::compression`].
    pub compression: f64,
    /// See [`Counts::dup_reduction`].
    pub dup_reduction: f64,
    /// See [`Counts::fpr`].
    pub fpr: f64,
    /// See [`Counts::recall`]; means leave out hosts without duplicates.
    pub recall: f64,
    /// See [`Counts::easy_recall`].
    pub easy_recall: f64,
    /// See [`Counts::loss_rate`].
    pub loss_rate: f64,
    /// Rules applied.
    pub rules: f64,
}

impl Figures {
    fn of(counts: &Counts, rules: usize) -> Self {
        Self {
            urls: counts.urls as f64,
            clusters: counts.clusters as f64,
            compression: counts.compression(),
            dup_reduction: counts.dup_reduction(),
            fpr: counts.fpr(),
            recall: counts.recall().unwrap_or(0.0),
            easy_recall: counts.easy_recall().unwrap_or(0.0),
            loss_rate: counts.loss_rate(),
            rules: rules as f64,
        }
    }
}

/// A figure's 95 % interval over hosts.
pub type Interval = [f64; 2];

/// What came out, over all hosts and for each.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Means over hosts.
    pub r#macro: Figures,
    /// 95 % bootstrap intervals of some of these means.
    pub macro_intervals: Intervals,
    /// Figures of the pooled counts.
    pub micro: Figures,
    /// Each host.
    pub hosts: Vec<HostReport>,
}

/// One host of a report.
#[derive(Clone, Debug, Serialize)]
pub struct HostReport {
    /// Its name.
    pub host: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Bootstrap intervals over hosts, 95 %.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Intervals {
    /// Of the mean compression.
    pub compression: Interval,
    /// Of the mean false-positive rate.
    pub fpr: Interval,
    /// Of the mean recall.
    pub recall: Interval,
    /// Of the mean loss rate.
    pub loss_rate: Interval,
}

/// Counts what `site` makes of the samples; `normalize` comes first, and URLs that it cannot read are left out.
pub fn evaluate(
    host: &str,
    samples: &[Sample],
    site: &Site,
    normalize: Normalize<'_>,
) -> HostCounts {
    let rules = site.compile();
    let classify = |url: &str| {
        let class = normalize(url)?;
        Some(match rules.canon(&class) {
            Some(canon) => canon.class,
            None => class,
        })
    };
    HostCounts {
        host: host.to_owned(),
        rules: rules.len(),
        counts: evaluate_with(samples, &classify),
    }
}

/// Counts what any canonical form makes of the samples.
pub fn evaluate_with(samples: &[Sample], classify: Normalize<'_>) -> Counts {
    let items: Vec<Item> = samples
        .iter()
        .filter_map(|sample| {
            Some(Item {
                form: xxh3_64(classify(&sample.url)?.as_bytes()),
                cluster: sample.cluster,
                easy: easy_key(&sample.url),
            })
        })
        .collect();
    count(&items)
}

/// Splits samples into the first-seen share and the rest.
pub fn split(samples: &[Sample], share: f64) -> (&[Sample], &[Sample]) {
    let at = (samples.len() as f64 * share.clamp(0.0, 1.0)).round() as usize;
    samples.split_at(at.min(samples.len()))
}

/// The samples but those of clusters with at least `size` URLs.
pub fn without_giants(samples: &[Sample], size: usize) -> Vec<Sample> {
    let mut sizes = rustc_hash::FxHashMap::<u64, usize>::default();
    for sample in samples {
        *sizes.entry(sample.cluster).or_default() += 1;
    }
    samples
        .iter()
        .filter(|s| sizes[&s.cluster] < size)
        .cloned()
        .collect()
}

/// Learns a site from samples as they were fetched: static normalization first, then [`learn`].
pub fn learn_from(samples: &[Sample], normalize: Normalize<'_>, options: &Options) -> Site {
    let classes: Vec<Sample> = samples
        .iter()
        .filter_map(|s| {
            Some(Sample {
                url: normalize(&s.url)?,
                cluster: s.cluster,
            })
        })
        .collect();
    learn(&classes, options)
}

/// Puts the counts of hosts together.
pub fn report(hosts: &[HostCounts]) -> Report {
    let mut pooled = Counts::default();
    let mut rules = 0;
    for host in hosts {
        pooled += host.counts;
        rules += host.rules;
    }
    let all: Vec<&HostCounts> = hosts.iter().collect();
    Report {
        r#macro: mean(&all),
        macro_intervals: bootstrap(hosts),
        micro: Figures::of(&pooled, rules),
        hosts: hosts
            .iter()
            .map(|host| HostReport {
                host: host.host.clone(),
                figures: Figures::of(&host.counts, host.rules),
            })
            .collect(),
    }
}

fn mean(hosts: &[&HostCounts]) -> Figures {
    let average = |of: &dyn Fn(&HostCounts) -> Option<f64>| {
        let values: Vec<f64> = hosts.iter().filter_map(|h| of(h)).collect();
        if values.is_empty() {
            0.0
        } else {
            values.iter().sum::<f64>() / values.len() as f64
        }
    };
    Figures {
        urls: average(&|h| Some(h.counts.urls as f64)),
        clusters: average(&|h| Some(h.counts.clusters as f64)),
        compression: average(&|h| Some(h.counts.compression())),
        dup_reduction: average(&|h| Some(h.counts.dup_reduction())),
        fpr: average(&|h| Some(h.counts.fpr())),
        recall: average(&|h| h.counts.recall()),
        easy_recall: average(&|h| h.counts.easy_recall()),
        loss_rate: average(&|h| Some(h.counts.loss_rate())),
        rules: average(&|h| Some(h.rules as f64)),
    }
}

/// Rounds of the bootstrap.
const ROUNDS: u64 = 1_000;

fn bootstrap(hosts: &[HostCounts]) -> Intervals {
    if hosts.is_empty() {
        return Intervals::default();
    }
    let means: Vec<Figures> = (0..ROUNDS)
        .map(|round| {
            // Drawn by hash, so that a report is the same each time.
            let drawn: Vec<&HostCounts> = (0..hosts.len() as u64)
                .map(|i| {
                    let hash = xxh3_64_with_seed(&i.to_le_bytes(), round);
                    &hosts[(hash % hosts.len() as u64) as usize]
                })
                .collect();
            mean(&drawn)
        })
        .collect();
    let interval = |of: fn(&Figures) -> f64| {
        let mut values: Vec<f64> = means.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        [values[24], values[974]]
    };
    Intervals {
        compression: interval(|f| f.compression),
        fpr: interval(|f| f.fpr),
        recall: interval(|f| f.recall),
        loss_rate: interval(|f| f.loss_rate),
    }
}
