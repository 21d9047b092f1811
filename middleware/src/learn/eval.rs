//! Measures learned rules on URLs they were not learned from.

use nodust_frontier::CanonicalUrl;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{
    Options, Sample,
    count::{Counts, Item, count, easy_key},
    learn_without,
};
use crate::rules::{Rule, Site, SiteRules, wilson};

/// Static normalization: gives the class of a URL, or `None` if the URL cannot be read.
pub type Normalize<'n> = &'n dyn Fn(&str) -> Option<String>;

/// The counts of a host, and how many rules were applied.
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
    /// See [`Counts::recall`]; `None` if there are no duplicates. Means leave such hosts out.
    pub recall: Option<f64>,
    /// See [`Counts::easy_recall`].
    pub easy_recall: Option<f64>,
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
            recall: counts.recall(),
            easy_recall: counts.easy_recall(),
            loss_rate: counts.loss_rate(),
            rules: rules as f64,
        }
    }
}

/// A figure's 95 % interval; `None` if there was nothing to measure.
pub type Interval = Option<[f64; 2]>;

/// The results, over all hosts and for each.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Means over hosts, with bootstrap intervals over hosts. A figure that fewer than two hosts have gets none, since one host does not
    /// tell how much hosts differ.
    pub r#macro: Summary,
    /// Figures of the pooled counts, with bootstrap intervals over hosts. A figure that only one host has gets that host's own
    /// interval.
    pub micro: Summary,
    /// Each host.
    pub hosts: Vec<HostReport>,
    /// The same without the URLs of large clusters, which are mostly login and error pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_giants: Option<Box<Report>>,
}

/// Figures with their intervals.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Summary {
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// Their intervals.
    pub intervals: Intervals,
}

/// One host of a report. Its intervals are Wilson's, as if URLs, pairs and clusters were drawn independently. Pairs are
/// not, so the intervals of `fpr` and `recall` are narrower than they should be.
#[derive(Clone, Debug, Serialize)]
pub struct HostReport {
    /// Its name.
    pub host: String,
    /// Its figures.
    #[serde(flatten)]
    pub summary: Summary,
}

/// 95 % intervals of some figures.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Intervals {
    /// Of the compression.
    pub compression: Interval,
    /// Of the false-positive rate.
    pub fpr: Interval,
    /// Of the recall.
    pub recall: Interval,
    /// Of the recall of easy pairs.
    pub easy_recall: Interval,
    /// Of the loss rate.
    pub loss_rate: Interval,
}

impl Intervals {
    fn of(counts: &Counts) -> Self {
        let wilson = |hits: u128, trials: u128| {
            let (low, high) = wilson(hits as u64, trials as u64);
            (trials > 0).then_some([low, high])
        };
        Self {
            compression: wilson((counts.urls - counts.forms).into(), counts.urls.into()),
            fpr: wilson(counts.false_pairs, counts.support),
            recall: wilson(counts.support - counts.false_pairs, counts.same_pairs),
            easy_recall: wilson(counts.easy_found, counts.easy_pairs),
            loss_rate: wilson(
                (counts.clusters - counts.covered).into(),
                counts.clusters.into(),
            ),
        }
    }

    const fn all(&self) -> [Interval; FIGURES] {
        [
            self.compression,
            self.fpr,
            self.recall,
            self.easy_recall,
            self.loss_rate,
        ]
    }

    fn from_all(of: impl Fn(usize) -> Interval) -> Self {
        Self {
            compression: of(0),
            fpr: of(1),
            recall: of(2),
            easy_recall: of(3),
            loss_rate: of(4),
        }
    }
}

/// The text that a URL is compared by before any rule is applied: the spelling that is fetched, which the server cannot
/// tell from the one found. Equivalences that are right only for most sites are left to the rules, which need evidence.
pub fn wire(url: &str) -> Option<String> {
    Some(CanonicalUrl::resolve(url, None).ok()?.as_str().to_owned())
}

/// Counts what `rules` make of the samples. `normalize` is applied first, and URLs that it cannot read are left out.
pub fn evaluate(
    host: &str,
    samples: &[Sample],
    rules: &SiteRules,
    normalize: Normalize<'_>,
) -> HostCounts {
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

/// Splits samples into the first `share` of them and the rest.
pub fn split(samples: &[Sample], share: f64) -> (&[Sample], &[Sample]) {
    let at = (samples.len() as f64 * share.clamp(0.0, 1.0)).round() as usize;
    samples.split_at(at.min(samples.len()))
}

/// The clusters with at least `size` URLs.
pub fn large_clusters(samples: &[Sample], size: usize) -> FxHashSet<u64> {
    let mut sizes = FxHashMap::<u64, usize>::default();
    for sample in samples {
        *sizes.entry(sample.cluster).or_default() += 1;
    }
    sizes.retain(|_, n| *n >= size);
    sizes.into_keys().collect()
}

/// The samples except those of clusters with at least `size` URLs.
pub fn without_giants(samples: &[Sample], size: usize) -> Vec<Sample> {
    let large = large_clusters(samples, size);
    samples
        .iter()
        .filter(|s| !large.contains(&s.cluster))
        .cloned()
        .collect()
}

/// Learns a site from samples as they were fetched: applies `normalize`, then learns as [`learn`](super::learn) does,
/// but never proposes the vetoed rules.
pub fn learn_from(
    samples: &[Sample],
    normalize: Normalize<'_>,
    options: &Options,
    vetoed: &[Rule],
) -> Site {
    let classes: Vec<Sample> = samples
        .iter()
        .filter_map(|s| {
            Some(Sample {
                url: normalize(&s.url)?,
                cluster: s.cluster,
            })
        })
        .collect();
    learn_without(&classes, options, vetoed)
}

/// Makes a report of the counts of hosts.
pub fn report(hosts: &[HostCounts]) -> Report {
    let all: Vec<&HostCounts> = hosts.iter().collect();
    let [over_means, over_pools] = bootstrap(hosts);
    Report {
        r#macro: Summary {
            figures: mean(&all),
            intervals: over_means,
        },
        micro: Summary {
            figures: pooled(&all),
            intervals: over_pools,
        },
        hosts: hosts
            .iter()
            .map(|host| HostReport {
                host: host.host.clone(),
                summary: Summary {
                    figures: Figures::of(&host.counts, host.rules),
                    intervals: Intervals::of(&host.counts),
                },
            })
            .collect(),
        without_giants: None,
    }
}

fn pooled(hosts: &[&HostCounts]) -> Figures {
    let mut counts = Counts::default();
    let mut rules = 0;
    for host in hosts {
        counts += host.counts;
        rules += host.rules;
    }
    Figures::of(&counts, rules)
}

fn mean(hosts: &[&HostCounts]) -> Figures {
    // One of which nothing was tested says nothing.
    let hosts: Vec<_> = hosts.iter().filter(|host| host.counts.urls > 0).collect();
    let known = |of: &dyn Fn(&HostCounts) -> Option<f64>| {
        let values: Vec<f64> = hosts.iter().filter_map(|h| of(h)).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let average = |of: &dyn Fn(&HostCounts) -> f64| known(&|h| Some(of(h))).unwrap_or(0.0);
    Figures {
        urls: average(&|h| h.counts.urls as f64),
        clusters: average(&|h| h.counts.clusters as f64),
        compression: average(&|h| h.counts.compression()),
        dup_reduction: average(&|h| h.counts.dup_reduction()),
        fpr: average(&|h| h.counts.fpr()),
        recall: known(&|h| h.counts.recall()),
        easy_recall: known(&|h| h.counts.easy_recall()),
        loss_rate: average(&|h| h.counts.loss_rate()),
        rules: average(&|h| h.rules as f64),
    }
}

/// Rounds of the bootstrap.
const ROUNDS: u64 = 1_000;

/// Figures that have an interval, in the order of [`Intervals`].
const FIGURES: usize = 5;

/// The figures that have an interval; `None` where there is nothing that they could be shares of.
fn shares(counts: &Counts) -> [Option<f64>; FIGURES] {
    [
        (counts.urls > 0).then(|| counts.compression()),
        (counts.support > 0).then(|| counts.fpr()),
        counts.recall(),
        counts.easy_recall(),
        (counts.clusters > 0).then(|| counts.loss_rate()),
    ]
}

/// Intervals of the means over hosts and of the pooled figures, from hosts drawn with replacement: by hash, so that a report is the same each time.
fn bootstrap(hosts: &[HostCounts]) -> [Intervals; 2] {
    let of_host: Vec<[Option<f64>; FIGURES]> = hosts
        .iter()
        .map(|host| {
            let mut shares = shares(&host.counts);
            // A host that was tested and merges nothing counts as one without fault, as in the mean.
            shares[1] = (host.counts.urls > 0).then(|| host.counts.fpr());
            shares
        })
        .collect();
    let mut means = [const { Vec::new() }; FIGURES];
    let mut pools = [const { Vec::new() }; FIGURES];
    for round in 0..ROUNDS {
        let mut sums = [(0.0, 0u64); FIGURES];
        let mut pool = Counts::default();
        for i in 0..hosts.len() as u64 {
            let hash = xxh3_64_with_seed(&i.to_le_bytes(), round);
            let at = (hash % hosts.len() as u64) as usize;
            pool += hosts[at].counts;
            for ((sum, n), share) in sums.iter_mut().zip(&of_host[at]) {
                *sum += share.unwrap_or(0.0);
                *n += u64::from(share.is_some());
            }
        }
        for (figure, (sum, n)) in sums.into_iter().enumerate() {
            means[figure].extend((n > 0).then(|| sum / n as f64));
        }
        for (values, share) in pools.iter_mut().zip(shares(&pool)) {
            values.extend(share);
        }
    }
    // Hosts that have a figure: of those that have none nothing is known, and one alone does not vary.
    let mut holders = [const { Vec::new() }; FIGURES];
    for host in hosts {
        for (holders, share) in holders.iter_mut().zip(shares(&host.counts)) {
            holders.extend(share.map(|_| host));
        }
    }
    let tested = hosts.iter().filter(|host| host.counts.urls > 0).count();
    let of_means = |figure: usize| {
        let least = if figure == 1 && !holders[1].is_empty() {
            tested
        } else {
            holders[figure].len()
        };
        (least > 1)
            .then(|| middle(&mut means[figure].clone()))
            .flatten()
    };
    let of_pools = |figure: usize| match holders[figure].as_slice() {
        [] => None,
        [host] => Intervals::of(&host.counts).all()[figure],
        _ => middle(&mut pools[figure].clone()),
    };
    [Intervals::from_all(of_means), Intervals::from_all(of_pools)]
}

/// The interval that holds 95 % of the values.
fn middle(values: &mut [f64]) -> Interval {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let last = values.len().saturating_sub(1);
        values.get((share * last as f64).round() as usize).copied()
    };
    Some([at(0.025)?, at(0.975)?])
}

#[cfg(test)]
mod tests {
    use super::{HostCounts, report};
    use crate::learn::Counts;

    fn host(urls: u64, support: u128, same_pairs: u128) -> HostCounts {
        HostCounts {
            host: format!("h{urls}.org"),
            rules: 1,
            counts: Counts {
                urls,
                forms: urls - urls.min(support as u64),
                clusters: urls,
                covered: urls,
                support,
                same_pairs,
                ..Counts::default()
            },
        }
    }

    #[test]
    fn of_one_host_the_pool_is_as_sure_as_the_host_and_the_mean_tells_nothing() {
        let report = report(&[host(40, 10, 20)]);
        let of_host = report.hosts[0].summary.intervals;
        let [low, high] = of_host.compression.unwrap();
        assert!(low < 0.25 && high > 0.25);
        assert!(of_host.fpr.unwrap()[1] > 0.2);
        assert_eq!(report.micro.intervals.all(), of_host.all());
        assert_eq!(report.r#macro.intervals.all(), [None; 5]);
        assert_eq!(of_host.easy_recall, None, "there are no such pairs");
    }

    #[test]
    fn what_was_not_measured_has_no_interval() {
        let none = report(&[host(40, 0, 0), host(50, 0, 0)]);
        for summary in [&none.r#macro, &none.micro, &none.hosts[0].summary] {
            assert_eq!(summary.intervals.fpr, None, "nothing is merged");
            assert_eq!(summary.intervals.recall, None, "there is nothing to merge");
            assert!(summary.intervals.compression.is_some());
        }
        // One host alone has pairs: it says nothing about hosts, and all there is about pairs.
        let one = report(&[host(40, 10, 20), host(50, 0, 0), host(60, 0, 0)]);
        let of_host = one.hosts[0].summary.intervals;
        assert_eq!(one.r#macro.intervals.recall, None);
        assert_eq!(one.micro.intervals.recall, of_host.recall);
        assert_eq!(one.micro.intervals.fpr, of_host.fpr);
        assert!(
            one.r#macro.intervals.fpr.is_some(),
            "two merge nothing wrong"
        );
        // Where hosts differ, both have a width.
        let many: Vec<_> = (1..9).map(|n| host(40, n, 10)).collect();
        let many = report(&many);
        for summary in [many.r#macro, many.micro] {
            let [low, high] = summary.intervals.recall.unwrap();
            assert!(low < high, "{low} {high}");
        }
    }
}
