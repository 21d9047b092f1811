//! What holds wherever some parameters stand together, whatever the path.

use super::*;

const KINDS: [&str; 8] = [
    "tree", "log", "plain", "commit", "diff", "patch", "stats", "tag",
];

fn url(kind: &str, item: u64, query: &str) -> String {
    format!("http://e.org/{kind}/{item}?{query}")
}

/// Shows items of a kind: `branch` chooses what they show where it is alone, and nothing where a commit is named.
fn show(site: &mut Site, kind: &str, items: std::ops::Range<u64>) {
    let of_kind = 10_000 * kind.bytes().map(u64::from).sum::<u64>();
    for item in items {
        for at in 0..2 {
            let branch = (2 * item + at) % 7;
            let alone = url(kind, item, &format!("branch=v{branch}"));
            see(site, &alone, of_kind + 10 * item + at);
            let beside = url(kind, item, &format!("branch=v{branch}&commit=7f{item}"));
            see(site, &beside, of_kind + 10 * item + 5);
        }
    }
}

/// A browser of repositories with so many items of each kind.
fn with_branches(items: u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for item in 0..items {
        for kind in KINDS {
            show(&mut site, kind, item..item + 1);
        }
    }
    site
}

fn is_dropped(site: &Site, kind: &str, query: &str) -> bool {
    site.predict(&url(kind, 3, query)).is_some()
}

#[test]
fn what_matters_alone_and_not_beside_another_is_learned_over_all_kinds_of_paths() {
    // Of no kind are there as many pages as a claim about it would take.
    let site = with_branches(24);
    for site in [saved(&site), site] {
        for kind in KINDS {
            assert!(is_dropped(&site, kind, "branch=v4&commit=7f3"), "{kind}");
            assert!(!is_dropped(&site, kind, "branch=v4"), "{kind}");
        }
    }
}

#[test]
fn a_kind_of_paths_has_its_own_trials_before_that_is_acted_upon() {
    let mut site = with_branches(24);
    let of_new = "branch=v4&commit=7f3";
    show(&mut site, "blame", 0..5);
    assert!(!is_dropped(&site, "blame", of_new));
    show(&mut site, "blame", 5..40);
    assert!(is_dropped(&site, "blame", of_new));
}

#[test]
fn a_kind_of_paths_for_which_it_fails_is_not_dropped() {
    let mut site = with_branches(24);
    for item in 0..12 {
        for (at, branch) in ["main", "next"].into_iter().enumerate() {
            let beside = format!("branch={branch}&commit=7f{item}");
            see(
                &mut site,
                &url("compare", item, &beside),
                5_000 + 2 * item + at as u64,
            );
        }
    }
    assert!(!is_dropped(&site, "compare", "branch=v4&commit=7f3"));
}

#[test]
fn of_a_parameter_that_is_alone_no_such_claim_is_made() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for item in 0..40 {
        for kind in KINDS {
            for rows in [10, 20] {
                // It holds for half of the kinds.
                let page = 20_000 * kind.len() as u64 + 100 * item;
                let page = page + if kind.len() > 4 { rows } else { 0 };
                see(&mut site, &url(kind, item, &format!("rows={rows}")), page);
            }
        }
    }
    let levels: Vec<Level> = site.beliefs.family().map(|belief| belief.level).collect();
    assert!(
        levels.contains(&Level::Names) && !levels.contains(&Level::HostNames),
        "{levels:?}"
    );
}
