//! Groups hosts into sites.
//!
//! Every host is a site of its own (`www.` aside), unless the URLs given show that it mirrors another: the same paths
//! with the same pages.

use nodust_frontier::CanonicalUrl;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::Sample;
use crate::rules::{site_name, slices};

/// Pages that two hosts must show under the same path and query to be one site.
const COMMON_PAGES: u32 = 3;
/// Of the pages of the smaller host, the share that must be among those.
const COMMON_SHARE: f64 = 0.05;

/// The samples of one site.
#[derive(Clone, Debug)]
pub struct SiteSamples {
    /// Its hosts, the most frequent first; without `www.` and default port.
    pub hosts: Vec<String>,
    /// The samples, in the order given.
    pub samples: Vec<Sample>,
}

/// A host and its samples with their places in the whole.
type Host = (String, Vec<(usize, Sample)>);

/// Name of the site that a URL belongs to by its host.
fn host_of(url: &str) -> String {
    let host = slices(url).map_or("", |(_, host, ..)| host);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let mut host = host.to_ascii_lowercase();
    if !is_plain(&host)
        && let Ok(url) = CanonicalUrl::resolve(url, None)
    {
        // `münchen.example`, say, which rules files know as URLs have it.
        url.host().as_str().clone_into(&mut host);
    }
    let host = host
        .strip_suffix(":80")
        .or_else(|| host.strip_suffix(":443"))
        .unwrap_or(&host);
    site_name(host).to_owned()
}

/// Whether a host in lower case is spelled as URLs have it, as nearly all are, which spares the reading of its URL.
fn is_plain(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "80"));
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_letter = |octet: u8| octet.is_ascii_alphanumeric() || b"-_.".contains(&octet);
    name.bytes().all(is_letter)
        && last.starts_with(|first: char| first.is_ascii_alphabetic())
        && !port.is_empty()
        && !port.starts_with('0')
        && port.bytes().all(|octet| octet.is_ascii_digit())
}

/// Groups samples by site, sites in the order of their first sample. Mirrors are looked for in the first `share` of
/// each host's samples, so that a test on the rest stays honest. Clusters of `giant` URLs or more prove nothing.
///
/// ```
/// use nodust_middleware::learn::{Sample, group_by_site};
///
/// let samples = (0..9).flat_map(|n| {
///     ["http://www.a.org", "http://b.org", "https://a.org"]
///         .map(|host| Sample::new(format!("{host}/{n}"), &format!("page {n}")))
/// });
/// let sites = group_by_site(samples.collect(), 1.0, 20);
/// assert_eq!(sites.len(), 1);
/// assert_eq!(sites[0].hosts, ["a.org", "b.org"]);
/// ```
pub fn group_by_site(samples: Vec<Sample>, share: f64, giant: usize) -> Vec<SiteSamples> {
    let mut number: FxHashMap<String, usize> = FxHashMap::default();
    let mut hosts: Vec<Host> = Vec::new();
    for (order, sample) in samples.into_iter().enumerate() {
        let host = host_of(&sample.url);
        let at = *number.entry(host).or_insert_with_key(|host| {
            hosts.push((host.clone(), Vec::new()));
            hosts.len() - 1
        });
        hosts[at].1.push((order, sample));
    }
    let mut sites: Vec<SiteSamples> = Vec::new();
    let mut of_root: FxHashMap<usize, usize> = FxHashMap::default();
    let roots = mirrors(&hosts, share, giant);
    let mut members: Vec<Vec<Host>> = Vec::new();
    for (host, root) in hosts.into_iter().zip(roots) {
        let at = *of_root.entry(root).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[at].push(host);
    }
    for mut hosts in members {
        hosts.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(&b.0)));
        let names = hosts.iter().map(|(host, _)| host.clone()).collect();
        let mut samples: Vec<(usize, Sample)> = hosts.into_iter().flat_map(|(_, s)| s).collect();
        samples.sort_by_key(|(order, _)| *order);
        sites.push(SiteSamples {
            hosts: names,
            samples: samples.into_iter().map(|(_, sample)| sample).collect(),
        });
    }
    sites
}

/// For each host the number of the host that stands for its site.
fn mirrors(hosts: &[Host], share: f64, giant: usize) -> Vec<usize> {
    let mut roots: Vec<usize> = (0..hosts.len()).collect();
    if hosts.len() < 2 {
        return roots;
    }
    let mut sizes: FxHashMap<(usize, u64), usize> = FxHashMap::default();
    let mut under: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let prefix = |at: usize| {
        let samples = &hosts[at].1;
        let known = (samples.len() as f64 * share.clamp(0.0, 1.0)).round() as usize;
        &samples[..known.min(samples.len())]
    };
    for at in 0..hosts.len() {
        for (_, sample) in prefix(at) {
            *sizes.entry((at, sample.cluster)).or_default() += 1;
        }
    }
    for at in 0..hosts.len() {
        for (_, sample) in prefix(at) {
            if sizes[&(at, sample.cluster)] >= giant {
                continue;
            }
            let (_, _, path, query) = slices(&sample.url).unwrap_or_default();
            let place = format!("{}?{}", path, query.unwrap_or_default());
            let hosts = under
                .entry(xxh3_64_with_seed(place.as_bytes(), sample.cluster))
                .or_default();
            if !hosts.contains(&at) && hosts.len() < 16 {
                hosts.push(at);
            }
        }
    }
    let mut common: FxHashMap<(usize, usize), u32> = FxHashMap::default();
    for hosts in under.values() {
        for (i, a) in hosts.iter().enumerate() {
            for b in &hosts[i + 1..] {
                *common.entry((*a.min(b), *a.max(b))).or_default() += 1;
            }
        }
    }
    let mut common: Vec<_> = common.into_iter().collect();
    common.sort_unstable();
    for ((a, b), pages) in common {
        let smaller = prefix(a).len().min(prefix(b).len());
        if pages < COMMON_PAGES || f64::from(pages) < COMMON_SHARE * smaller as f64 {
            continue;
        }
        let (x, y) = (root_of(&mut roots, a), root_of(&mut roots, b));
        roots[x.max(y)] = x.min(y);
    }
    (0..hosts.len()).map(|at| root_of(&mut roots, at)).collect()
}

/// The first of the hosts that are one with this one; what is gone through leads there at once the next time.
fn root_of(roots: &mut [usize], at: usize) -> usize {
    let mut root = at;
    while roots[root] != root {
        root = roots[root];
    }
    let mut next = at;
    while next != root {
        next = std::mem::replace(&mut roots[next], root);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::{Sample, group_by_site, host_of};

    #[test]
    fn hosts_with_other_pages_stay_apart_and_keep_their_order() {
        let samples = (0..9)
            .flat_map(|n| {
                ["http://a.org", "http://b.org"]
                    .map(|host| Sample::new(format!("{host}/{n}"), &format!("{host} {n}")))
            })
            .collect();
        let sites = group_by_site(samples, 1.0, 20);
        assert_eq!(sites.len(), 2);
        assert_eq!(sites[1].samples[8].url, "http://b.org/8");
    }

    #[test]
    fn one_error_page_on_all_paths_makes_no_mirror() {
        let samples = (0..30)
            .flat_map(|n| {
                ["http://a.org", "http://b.org"]
                    .map(|host| Sample::new(format!("{host}/{n}"), "not found"))
            })
            .collect();
        assert_eq!(group_by_site(samples, 1.0, 20).len(), 2);
    }

    #[test]
    fn a_host_has_one_name() {
        for url in [
            "http://WWW.e.org/",
            "https://e.org:443/x",
            "//me:pw@e.org?q",
            "http://e.org:80",
        ] {
            assert_eq!(host_of(url), "e.org", "{url}");
        }
        assert_eq!(host_of("http://e.org:8080/"), "e.org:8080");
        for (url, host) in [
            ("http://Bücher.example/", "xn--bcher-kva.example"),
            ("http://127.1/", "127.0.0.1"),
            ("http://e.org:/", "e.org"),
            ("http://e.org:0080/", "e.org"),
            ("http:e.org/a", "e.org"),
            ("http://[::1]:81/", "[::1]:81"),
        ] {
            assert_eq!(host_of(url), host, "{url}");
        }
    }
}
