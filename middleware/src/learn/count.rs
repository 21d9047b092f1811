//! Measures how good a canonical form is, over pairs of URLs but without enumerating them (Lei et al. 2010, section 5;
//! the sums are exact and take time linear in the number of URLs).

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// One URL, as it is counted.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Hash of its canonical form.
    pub form: u64,
    /// Its cluster.
    pub cluster: u64,
    /// Hash of what easy duplicates have in common: see [`easy_key`].
    pub easy: u64,
}

/// Counts over the URLs of a host. They can be added, for pooled figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// URLs.
    pub urls: u64,
    /// Canonical forms.
    pub forms: u64,
    /// Clusters.
    pub clusters: u64,
    /// Clusters among the first URLs of the forms: what a crawler that fetches one URL per form would see.
    pub covered: u64,
    /// Pairs of URLs with one form.
    pub support: u128,
    /// Of these, pairs of two clusters.
    pub false_pairs: u128,
    /// Pairs of URLs of one cluster.
    pub same_pairs: u128,
    /// Pairs of one cluster that share a path, or differ by order, case, slash, host alias or `;` parameter.
    pub easy_pairs: u128,
    /// Of these, pairs with one form.
    pub easy_found: u128,
}

const fn pairs(n: u64) -> u128 {
    let n = n as u128;
    n * n.saturating_sub(1) / 2
}

/// Hash of the path in lower case, without `;` parameters, trailing slash, host and query.
pub fn easy_key(url: &str) -> u64 {
    let path = crate::rules::slices(url).map_or(url, |(_, _, path, _)| path);
    let mut key = String::with_capacity(path.len());
    for segment in path.trim_end_matches('/').split('/') {
        key.push('/');
        key.push_str(
            &segment
                .split(';')
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase(),
        );
    }
    xxh3_64(key.as_bytes())
}

/// Counts the items; their order decides which URL of a form is the first.
pub fn count(items: &[Item]) -> Counts {
    let mut forms: FxHashMap<u64, (u64, u64)> = FxHashMap::default();
    let mut merged: FxHashMap<(u64, u64), u64> = FxHashMap::default();
    let mut clusters: FxHashMap<u64, u64> = FxHashMap::default();
    let mut easy: FxHashMap<(u64, u64), u64> = FxHashMap::default();
    let mut easy_found: FxHashMap<(u64, u64, u64), u64> = FxHashMap::default();
    for item in items {
        forms.entry(item.form).or_insert((0, item.cluster)).0 += 1;
        *merged.entry((item.form, item.cluster)).or_default() += 1;
        *clusters.entry(item.cluster).or_default() += 1;
        *easy.entry((item.easy, item.cluster)).or_default() += 1;
        *easy_found
            .entry((item.easy, item.cluster, item.form))
            .or_default() += 1;
    }
    let mut covered: Vec<u64> = forms.values().map(|(_, first)| *first).collect();
    covered.sort_unstable();
    covered.dedup();
    let support: u128 = forms.values().map(|(n, _)| pairs(*n)).sum();
    let true_pairs: u128 = merged.values().map(|n| pairs(*n)).sum();
    Counts {
        urls: items.len() as u64,
        forms: forms.len() as u64,
        clusters: clusters.len() as u64,
        covered: covered.len() as u64,
        support,
        false_pairs: support - true_pairs,
        same_pairs: clusters.values().map(|n| pairs(*n)).sum(),
        easy_pairs: easy.values().map(|n| pairs(*n)).sum(),
        easy_found: easy_found.values().map(|n| pairs(*n)).sum(),
    }
}

fn share(part: u128, whole: u128, otherwise: f64) -> f64 {
    if whole == 0 {
        otherwise
    } else {
        part as f64 / whole as f64
    }
}

impl Counts {
    /// 1 - forms/URLs.
    pub fn compression(&self) -> f64 {
        1.0 - share(self.forms.into(), self.urls.into(), 1.0)
    }

    /// The relative reduction of the share of duplicates, from URLs to forms (Lei et al., WWW 2010); 0 if there were none. It is less than
    /// the share of the duplicates that is gone, since there are fewer forms than URLs.
    pub fn dup_reduction(&self) -> f64 {
        let before = 1.0 - share(self.clusters.into(), self.urls.into(), 1.0);
        let after = 1.0 - share(self.covered.into(), self.forms.into(), 1.0);
        if before <= 0.0 {
            0.0
        } else {
            1.0 - after / before
        }
    }

    /// Share of merged pairs that are two pages; 0 if nothing is merged.
    pub fn fpr(&self) -> f64 {
        share(self.false_pairs, self.support, 0.0)
    }

    /// Share of duplicate pairs that are merged; `None` if there are none.
    pub fn recall(&self) -> Option<f64> {
        (self.same_pairs > 0).then(|| share(self.support - self.false_pairs, self.same_pairs, 0.0))
    }

    /// The same for the pairs that share a path or differ by order, case, slash, host alias or `;` parameter.
    pub fn easy_recall(&self) -> Option<f64> {
        (self.easy_pairs > 0).then(|| share(self.easy_found, self.easy_pairs, 0.0))
    }

    /// Share of clusters that a crawler that fetches one URL per form would not see.
    pub fn loss_rate(&self) -> f64 {
        share(
            (self.clusters - self.covered).into(),
            self.clusters.into(),
            0.0,
        )
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.urls += more.urls;
        self.forms += more.forms;
        self.clusters += more.clusters;
        self.covered += more.covered;
        self.support += more.support;
        self.false_pairs += more.false_pairs;
        self.same_pairs += more.same_pairs;
        self.easy_pairs += more.easy_pairs;
        self.easy_found += more.easy_found;
    }
}

#[cfg(test)]
mod tests {
    use super::{Item, count, easy_key};
    use proptest::prelude::*;

    #[test]
    fn easy_duplicates_share_a_path_but_for_case_slash_host_and_parameters() {
        let key = easy_key("http://e.org/A/b;s=1/");
        assert_eq!(key, easy_key("https://www.e.org/a/B?x=1"));
        assert_ne!(key, easy_key("http://e.org/a/c"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn counts_equal_brute_force(raw in proptest::collection::vec((0u64..6, 0u64..5, 0u64..3), 0..40)) {
            let items: Vec<Item> = raw.iter().map(|(form, cluster, easy)| Item { form: *form, cluster: *cluster, easy: *easy }).collect();
            let got = count(&items);
            let (mut support, mut false_pairs, mut same, mut easy, mut found) = (0u128, 0u128, 0u128, 0u128, 0u128);
            for (i, a) in items.iter().enumerate() {
                for b in &items[..i] {
                    let (form, cluster) = (a.form == b.form, a.cluster == b.cluster);
                    support += u128::from(form);
                    false_pairs += u128::from(form && !cluster);
                    same += u128::from(cluster);
                    easy += u128::from(cluster && a.easy == b.easy);
                    found += u128::from(cluster && form && a.easy == b.easy);
                }
            }
            prop_assert_eq!((got.support, got.false_pairs, got.same_pairs), (support, false_pairs, same));
            prop_assert_eq!((got.easy_pairs, got.easy_found), (easy, found));
            let mut seen = std::collections::HashSet::new();
            let first: std::collections::HashSet<u64> = items.iter().filter(|i| seen.insert(i.form)).map(|i| i.cluster).collect();
            prop_assert_eq!(got.covered, first.len() as u64);
        }
    }
}
