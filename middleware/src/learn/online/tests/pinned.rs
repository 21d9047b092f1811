//! What comes of rules that a person has pinned, and of those beside them?

use super::*;

#[test]
fn a_rule_that_a_person_pinned_stands_whatever_the_pages_say() {
    let pinned = auditing(&["e.org"], &[(SESSION, Status::Pinned)]);
    let frontier = frontier_of(pinned, &Arc::default());
    let fetched = crawl(&frontier, forum(1000..1200), text);
    assert_eq!(
        fetched.len(),
        200,
        "one of each topic, and none to find out"
    );
    let total = frontier.totals().total;
    assert_eq!((total.recalled, total.explored), (0, 0));
}

/// Rules of which only that in sessions may fall; with a session a topic is another page from the 1100th on. For each topic a link with
/// a session comes first, and then one with `beside`. What was fetched.
fn crawl_beside_pinned(pinned: &[&str], beside: &str) -> Vec<String> {
    let mut rules: Vec<_> = pinned.iter().map(|rule| (*rule, Status::Pinned)).collect();
    rules.push((SESSION, Status::Active));
    let frontier = frontier_of(auditing(&["e.org"], &rules), &Arc::default());
    let links = (1000..1500).flat_map(|t| {
        [format!("s={}", t * 7919), beside.to_owned()]
            .map(|of| format!("http://e.org/v?{of}&t={t}"))
    });
    let shown = |url: &str| text(&content_beside_pinned(url));
    crawl(&frontier, links, shown)
}

fn content_beside_pinned(url: &str) -> String {
    let topic: u32 = url.rsplit("t=").next().unwrap().parse().unwrap();
    format!("{topic} {}", topic > 1100 && url.contains("s="))
}

#[test]
fn what_pinned_rules_drop_tells_of_a_rule_that_may_fall_and_comes_back_with_it() {
    let (p, q) = ("has:query.t => drop:query.p", "has:query.t => drop:query.q");
    for (pinned, beside) in [(&[p][..], "p=1"), (&[p, q][..], "p=1&q=2")] {
        let fetched = crawl_beside_pinned(pinned, beside);
        let contents: std::collections::BTreeSet<_> = fetched
            .iter()
            .map(|url| content_beside_pinned(url))
            .collect();
        assert_eq!(contents.len(), 101 + 2 * 399, "{beside}: nothing is lost");
    }
}

#[test]
fn what_is_explored_for_a_pinned_rule_is_judged_where_another_may_fall() {
    let rules = [
        ("has:query.t => drop:query.p", Status::Pinned),
        ("has:query.never => drop:query.u", Status::Active),
    ];
    let frontier = frontier_of(auditing(&["e.org"], &rules), &Arc::default());
    let links = (0..400).flat_map(|t| ["", "p=1&"].map(|of| format!("http://e.org/v?{of}t={t}")));
    crawl(&frontier, links, |url| {
        text(url.rsplit("t=").next().unwrap())
    });
    let total = frontier.totals().total;
    assert!(total.explored > 20, "{total:?}");
    assert!(total.explored_duplicates * 2 > total.explored, "{total:?}");
}

#[test]
fn what_a_pinned_rule_for_all_sites_dropped_elsewhere_stays_where_a_rule_of_one_site_falls() {
    let entry = |text: &str, status| Entry {
        status,
        ..Entry::by_hand(text.parse().unwrap())
    };
    let site = |host: &str, rules| crate::rules::Site {
        hosts: vec![host.to_owned()],
        rules,
    };
    let file = RuleFile::new(vec![
        site(
            "*",
            vec![entry("has:query.t => drop:query.p", Status::Pinned)],
        ),
        site("e.org", vec![entry(SESSION, Status::Active)]),
    ]);
    let frontier = frontier_of(chain_with(file, &RulesConfig::default()), &Arc::default());
    let on_b = (0..200).flat_map(|t| (0..4).map(move |p| format!("http://b.net/v?p={p}&t={t}")));
    assert_eq!(
        crawl(&frontier, on_b, |url| text(
            url.rsplit("t=").next().unwrap()
        ))
        .len(),
        200
    );
    let before = frontier.totals();
    assert_eq!(before.ledger, 600);
    // With a session each topic of the other site is another page.
    let on_e = (0..100).flat_map(|t| ["", "s=1&"].map(|of| format!("http://e.org/v?{of}t={t}")));
    let fetched = crawl(&frontier, on_e, text);
    assert_eq!(fetched.len(), 200, "the rule has fallen");
    assert!(fetched.iter().all(|url| url.contains("e.org")));
    assert_eq!(frontier.totals().ledger, 600);
}
