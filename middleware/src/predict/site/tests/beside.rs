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
fn a_kind_of_paths_for_which_it_fails_is_not_dropped_and_the_others_are() {
    let mut site = with_branches(24);
    for item in 0..12 {
        for at in 0..2 {
            let beside = format!("branch=v{at}&commit=7f{item}");
            let page = 5_000 + 2 * item + at;
            see(&mut site, &url("compare", item, &beside), page);
        }
        assert!(!is_dropped(&site, "compare", "branch=v4&commit=7f3"));
        for kind in KINDS {
            assert!(is_dropped(&site, kind, "branch=v4&commit=7f3"), "{kind}");
        }
    }
}

/// A page as it is, and with a session that does not matter, or does.
fn show_with_session(site: &mut Site, page: &str, of: u64, matters: bool) {
    see(site, page, of);
    let other = of + if matters { 500_000 } else { 0 };
    see(site, &format!("{page}&sid={of}x"), other);
}

/// Trees of which a session does not matter, however they are asked for, and logs of which it does.
fn with_sessions_of_trees() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for item in 0..160 {
        for (at, names) in (1..).zip(["x", "y", "w"]) {
            let of = 10_000 * at + item;
            show_with_session(
                &mut site,
                &url("tree", item, &format!("{names}=1{item}")),
                of,
                false,
            );
        }
        show_with_session(
            &mut site,
            &url("log", item, &format!("z=1{item}")),
            50_000 + item,
            true,
        );
    }
    assert!(is_dropped(&site, "tree", "x=13&sid=99x"));
    site
}

#[test]
fn a_wider_claim_is_not_acted_upon_for_names_that_were_tried_elsewhere_only() {
    let mut site = with_sessions_of_trees();
    for item in 0..5 {
        let page = url("plain", item, &format!("commit=7f{item}"));
        show_with_session(&mut site, &page, 60_000 + item, false);
    }
    see(&mut site, &url("tree", 3, "commit=7f3"), 77_000);
    assert!(!is_dropped(&site, "tree", "commit=7f3&sid=99x"));
}

#[test]
fn what_fails_in_another_kind_of_paths_does_not_speak_against_the_claim_about_this_one() {
    let mut site = with_sessions_of_trees();
    for item in 0..20 {
        let page = |kind: &str| url(kind, 100 + item, &format!("commit=7f{item}"));
        show_with_session(&mut site, &page("tree"), 60_000 + item, false);
        show_with_session(&mut site, &page("plain"), 70_000 + item, true);
    }
    see(&mut site, &url("tree", 3, "commit=7f3"), 77_000);
    assert!(is_dropped(&site, "tree", "commit=7f3&sid=99x"));
    see(&mut site, &url("plain", 3, "commit=7f3"), 78_000);
    assert!(!is_dropped(&site, "plain", "commit=7f3&sid=99x"));
}

#[test]
fn a_path_on_which_it_failed_from_the_start_is_not_dropped() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for item in 2..4 {
        show(&mut site, "tree", item..item + 1);
    }
    let of_path = |item: u64, at: u64| url("tree", 1, &format!("branch=v{at}&commit=7f{item}"));
    for item in 0..8 {
        for at in 0..2 {
            see(&mut site, &of_path(item, at), 7_000 + 10 * item + at);
        }
    }
    for item in 100..150 {
        for kind in KINDS {
            show(&mut site, kind, item..item + 1);
        }
    }
    see(&mut site, &of_path(77, 1), 990_000);
    assert!(site.predict(&of_path(77, 2)).is_none());
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
