mod judged;
mod pinned;
mod redirects;
mod under_way;
mod vetoed;

use std::{fmt::Write as _, sync::Arc, time::Instant};

use nodust_frontier::{
    BeliefRecord, Chain, Commit, Exploration, FetchedPage, Frontier as _, LocalFrontier,
    MemoryStore, Outcome, Probability, RawUrl, Standing, StateStore as _, Store, Turn, Via,
    frontier::Open,
};

use super::{Held, Learner};
use crate::rules::{Entry, RuleBook, RuleFile, Rules, RulesConfig, Status};

fn chain(file: RuleFile) -> Chain {
    let learns = RulesConfig {
        learn: true,
        ..RulesConfig::default()
    };
    chain_with(file, &learns)
}

fn chain_with(file: RuleFile, config: &RulesConfig) -> Chain {
    let book = Arc::new(RuleBook::default());
    let learner = Learner::new(Arc::clone(&book), file, None, config);
    Chain::new().then(Rules::new(book).with_learner(learner))
}

/// A chain that learns nothing, and audits rules of a file for these hosts.
fn auditing(hosts: &[&str], rules: &[(&str, Status)]) -> Chain {
    let entry = |(text, status): &(&str, Status)| Entry {
        status: *status,
        ..Entry::by_hand(text.parse().unwrap())
    };
    let site = crate::rules::Site {
        hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
        rules: rules.iter().map(entry).collect(),
    };
    chain_with(RuleFile::new(vec![site]), &RulesConfig::default())
}

fn frontier_of(chain: Chain, store: &Arc<MemoryStore>) -> LocalFrontier {
    LocalFrontier::builder(chain)
        .store(Arc::clone(store) as Arc<dyn Store>)
        .exploration(Exploration::new(Probability::new(0.1).unwrap(), 1))
        .build()
        .unwrap()
}

fn frontier(store: &Arc<MemoryStore>) -> LocalFrontier {
    frontier_of(chain(RuleFile::default()), store)
}

/// A text of its own for every name.
fn text(name: &str) -> String {
    let mut text = String::from("home about contact\n");
    for i in 0..60u32 {
        let word = xxhash_rust::xxh3::xxh3_64(format!("{name} {i}").as_bytes());
        for letter in word.to_le_bytes() {
            text.push(char::from(b'a' + letter % 26));
        }
        text.push(if i % 10 == 9 { '\n' } else { ' ' });
    }
    let _ = write!(text, "end of {name}");
    text
}

/// Offers links one by one and fetches what is wanted; answers what was fetched.
fn crawl(
    frontier: &LocalFrontier,
    urls: impl IntoIterator<Item = String>,
    page: impl Fn(&str) -> String,
) -> Vec<String> {
    let root = "http://e.org/".parse().unwrap();
    let mut fetched = Vec::new();
    let mut decisions = Vec::new();
    for url in urls {
        frontier
            .admit(&Via::page(&root), &[RawUrl::new(&url)], &mut decisions)
            .unwrap();
        while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
            let url = lease.url().as_str().to_owned();
            let text = page(&url);
            let page = FetchedPage {
                status: 200,
                text: Some(&text),
                ..FetchedPage::default()
            };
            frontier
                .observe(lease, &Outcome::Fetched(page), &mut decisions)
                .unwrap();
            fetched.push(url);
        }
    }
    fetched
}

/// Crawls a site from its root on; answers what was fetched.
fn crawl_from_root(
    frontier: &LocalFrontier,
    page: impl Fn(&str) -> (String, Vec<String>),
) -> std::collections::BTreeSet<String> {
    let mut fetched = std::collections::BTreeSet::new();
    let mut decisions = Vec::new();
    let root = [RawUrl::new("http://e.org/")];
    frontier.admit(&Via::seed(), &root, &mut decisions).unwrap();
    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
        let url = lease.url().as_str().to_owned();
        let (text, links) = page(&url);
        let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
        let page = FetchedPage {
            status: 200,
            text: Some(&text),
            links: &links,
            ..FetchedPage::default()
        };
        frontier
            .observe(lease, &Outcome::Fetched(page), &mut decisions)
            .unwrap();
        fetched.insert(url);
    }
    fetched
}

/// Topics with a session in every other link.
fn forum(topics: std::ops::Range<u32>) -> impl Iterator<Item = String> {
    topics.flat_map(|t| {
        [
            format!("http://e.org/v?t={t}"),
            format!("http://e.org/v?s={}&t={t}", t * 7919),
        ]
    })
}

/// Of a forum's URL, the topic.
fn topic(url: &str) -> String {
    text(url.rsplit("t=").next().unwrap())
}

#[test]
fn a_session_is_learned_proved_and_dropped_and_the_drops_can_be_undone() {
    let frontier = frontier(&Arc::default());
    let before = crawl(&frontier, forum(0..260), topic);
    let after = crawl(&frontier, forum(1000..1200), topic);
    assert!(
        before.len() > 256,
        "it takes pages to learn: {}",
        before.len()
    );
    assert!(
        (200..260).contains(&after.len()),
        "all topics, and a few links with a session to look after the rule: {}",
        after.len()
    );
    let total = frontier.totals();
    assert!(total.ledger > 150 && total.total.is_balanced());
    let beliefs = frontier.beliefs().unwrap();
    let (rule, counts) = &beliefs[0];
    assert!(rule.text.contains("drop:query.s"), "{}", rule.text);
    assert!(counts.explored > 5 && counts.explored == counts.explored_duplicates);
}

#[test]
fn a_counterexample_ends_a_rule_and_what_it_dropped_is_fetched() {
    let frontier = frontier(&Arc::default());
    crawl(&frontier, forum(0..260), topic);
    // From now on the session says which page it is.
    let fetched = crawl(&frontier, forum(1000..1200), text);
    let later = fetched.iter().filter(|url| url.contains("t=1"));
    assert!(later.count() >= 400, "nothing is lost");
    assert_eq!(frontier.totals().ledger, 0);
    let counts = &frontier.beliefs().unwrap()[0].1;
    assert!(counts.dropped > 0 && counts.dropped == counts.recalled);
}

#[test]
fn what_was_learned_is_in_force_after_a_restart_and_can_still_fall() {
    let store: Arc<MemoryStore> = Arc::default();
    let first = frontier(&store);
    crawl(&first, forum(0..260), topic);
    first.flush().unwrap();
    drop(first);
    let second = frontier(&store);
    assert_eq!(second.not_restored(), 0);
    let fetched = crawl(&second, forum(1000..1100), topic);
    assert!(fetched.len() < 130, "{}", fetched.len());
    // A new topic comes twice, with two sessions that now matter.
    let links =
        (0..400).flat_map(|t| [1, 2].map(|s| format!("http://e.org/v?s={s}&t={}", 5000 + t)));
    let fetched = crawl(&second, links, text);
    let later = fetched.iter().filter(|url| url.contains("t=5"));
    assert!(later.count() >= 800, "nothing is lost");
}

#[test]
fn equal_crawls_learn_equal_rules() {
    let run = || {
        let frontier = frontier(&Arc::default());
        let fetched = crawl(&frontier, forum(0..400), topic);
        (fetched, frontier.beliefs().unwrap().len())
    };
    assert_eq!(run(), run());
}

#[test]
fn with_a_worker_beside_it_a_checkpoint_only_publishes() {
    let frontier = frontier(&Arc::default());
    assert!(!frontier.chain().work(), "there is nothing to do yet");
    crawl(&frontier, forum(0..260), topic);
    assert!(frontier.beliefs().unwrap().is_empty());
    assert!(frontier.chain().work());
    frontier.flush().unwrap();
    assert!(!frontier.beliefs().unwrap().is_empty());
}

const SESSION: &str = "has:query.t => drop:query.s";

#[test]
fn a_rule_of_a_file_that_became_false_falls_and_nothing_stays_lost() {
    for hosts in [["e.org"], ["*"]] {
        let frontier = frontier_of(
            auditing(&hosts, &[(SESSION, Status::Active)]),
            &Arc::default(),
        );
        let before = crawl(&frontier, forum(0..260), topic);
        assert!(
            (260..330).contains(&before.len()),
            "the rule acts from the start: {}",
            before.len()
        );
        let total = frontier.totals().total;
        assert!(total.explored_duplicates > 10 && total.explored_new == 0);
        let fetched = crawl(&frontier, forum(1000..1200), text);
        let later = fetched.iter().filter(|url| url.contains("t=1"));
        assert!(later.count() >= 400, "nothing is lost");
        assert_eq!(frontier.totals().ledger, 0);
        let (rule, counts) = &frontier.beliefs().unwrap()[0];
        assert_eq!(rule.standing, nodust_frontier::Standing::Withdrawn);
        assert!(counts.dropped > 200 && counts.dropped == counts.recalled);
    }
}

#[test]
fn hosts_share_what_a_file_has_for_all_of_them() {
    let entry = |text: &str| Entry {
        status: Status::Active,
        ..Entry::by_hand(text.parse().unwrap())
    };
    let (for_all, own) = (entry("has:query.s => drop:query.s"), entry("=> sort"));
    let site = |host: &str, rules| crate::rules::Site {
        hosts: vec![host.to_owned()],
        rules,
    };
    let file = RuleFile::new(vec![
        site("*", vec![for_all.clone()]),
        site("e.org", vec![own.clone()]),
        site("f.org", vec![for_all.clone()]),
    ]);
    let learner = Learner::new(Arc::default(), file, None, &RulesConfig::default());
    let (e, g) = (learner.audited("e.org"), learner.audited("g.org"));
    let rules = |held: &[Held]| {
        held.iter()
            .map(|h| h.entry.rule.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(rules(&e), [own.rule, for_all.rule.clone()]);
    assert_eq!(rules(&g), std::slice::from_ref(&for_all.rule));
    assert!(Arc::ptr_eq(&e[1].entry, &g[0].entry));
    // Its own word counts where a host says the same.
    let f = learner.audited("f.org");
    assert_eq!(rules(&f), [for_all.rule]);
    assert!(!Arc::ptr_eq(&f[0].entry, &g[0].entry));
}

#[test]
fn a_rule_that_stands_takes_back_only_what_is_another_page_without_the_fallen_one() {
    let rules = [
        (SESSION, Status::Active),
        ("has:query.t => drop:query.p", Status::Active),
    ];
    let frontier = frontier_of(auditing(&["e.org"], &rules), &Arc::default());
    let link = |t: u32, s: u32, p: u32| format!("http://e.org/v?s={s}&p={p}&t={t}");
    // Both rules act on each link but the first of its topic; either may be asked to answer for it.
    let links = (0..100).flat_map(|t| [link(t, 1, 1), link(t, 2, 1), link(t, 1, 2)]);
    // What `s` says is shown, and `p` is not.
    let shown = |url: &str| {
        let (s, t) = (
            url.split(['=', '&']).nth(1).unwrap(),
            url.rsplit('=').next().unwrap(),
        );
        text(&format!("{s} of {t}"))
    };
    let fetched = crawl(&frontier, links, shown);
    let contents: std::collections::BTreeSet<_> = fetched.iter().map(|url| shown(url)).collect();
    assert_eq!(contents.len(), 200, "nothing is lost");
    assert!(
        fetched.len() < 230,
        "the other rule goes on saving: {}",
        fetched.len()
    );
    let beliefs = frontier.beliefs().unwrap();
    let standing = |with: &str| {
        let mut beliefs = beliefs.iter().filter(|(b, _)| b.text.contains(with));
        beliefs.next().unwrap().0.standing
    };
    assert_eq!(standing("query.s"), nodust_frontier::Standing::Withdrawn);
    assert_eq!(standing("query.p"), nodust_frontier::Standing::Active);
}

#[test]
fn a_rule_that_was_right_by_itself_does_not_answer_for_what_another_did_with_it() {
    let wrong = "is:query.t=50 => set:query.t=51";
    let rules = [(SESSION, Status::Active), (wrong, Status::Active)];
    let frontier = frontier_of(auditing(&["e.org"], &rules), &Arc::default());
    let before = crawl(&frontier, forum(0..49), topic);
    assert!(before.len() < 70, "sessions are dropped: {}", before.len());
    // The page of the other topic is there first, and then one that both rules take for it, explored for the wrong one.
    let pages = ["t=51", "s=7&t=50", "t=50"].map(|query| format!("http://e.org/v?{query}"));
    crawl(&frontier, pages, topic);
    let standing = |with: &str| {
        let beliefs = frontier.beliefs().unwrap();
        let mut beliefs = beliefs.iter().filter(|(b, _)| b.text.contains(with));
        beliefs.next().unwrap().0.standing
    };
    assert_eq!(standing(wrong), nodust_frontier::Standing::Withdrawn);
    assert_eq!(standing(SESSION), nodust_frontier::Standing::Active);
}

#[test]
fn what_a_rule_that_stands_dropped_without_the_fallen_one_stays_where_it_is() {
    let rules = [
        (SESSION, Status::Active),
        ("is:seg.0=a has:query.p => drop:query.p", Status::Active),
    ];
    let frontier = frontier_of(auditing(&["e.org"], &rules), &Arc::default());
    let link = |t: u32, p: u32| format!("http://e.org/a?id={t}&p={p}");
    let shown = |url: &str| text(url.split("&p=").next().unwrap());
    let links = (0..100).flat_map(|t| [link(t, 1), link(t, 2), link(t, 3)]);
    crawl(&frontier, links, shown);
    let before = frontier.totals();
    assert!(before.ledger > 150);
    // Another rule turns out wrong where this one has nothing to say.
    let fetched = crawl(&frontier, forum(0..20), text);
    assert_eq!(fetched.len(), 40);
    let after = frontier.totals();
    assert_eq!(after.ledger, before.ledger);
    assert!(after.total.recalled < 40 && after.total.waiting_again == 0);
    let beliefs = frontier.beliefs().unwrap();
    let (_, of_p) = beliefs
        .iter()
        .find(|(b, _)| b.text.contains("query.p"))
        .unwrap();
    assert_eq!(of_p.recalled, 0);
    assert!(
        beliefs
            .iter()
            .any(|(b, _)| b.standing == nodust_frontier::Standing::Withdrawn)
    );
}

#[test]
fn what_fell_stays_fallen_after_a_restart_and_for_other_hosts_of_the_site() {
    let store: Arc<MemoryStore> = Arc::default();
    let chain = || auditing(&["f.org", "e.org"], &[(SESSION, Status::Active)]);
    let first = frontier_of(chain(), &store);
    crawl(&first, forum(0..260), text);
    first.flush().unwrap();
    drop(first);
    let second = frontier_of(chain(), &store);
    assert_eq!(second.not_restored(), 0);
    let fetched = crawl(&second, forum(1000..1100), text);
    assert_eq!(fetched.len(), 200);
    let of_f = forum(2000..2100).map(|url| url.replace("e.org", "f.org"));
    assert_eq!(crawl(&second, of_f, text).len(), 200);
}

const PAGE: &str = "has:query.page => drop:query.page";

/// A site of `others` pages and of one list, whose pages lead to things that nothing else leads to.
fn site_with_a_list(others: u32, pages: u32) -> impl Fn(&str) -> (String, Vec<String>) {
    move |url: &str| {
        let links: Vec<String> = match url.split_once("page=") {
            None if url.ends_with("org/") => (0..others)
                .map(|n| format!("/other/{n}"))
                .chain((0..pages).map(|n| format!("/list?page={n}")))
                .collect(),
            Some((_, n)) => vec![format!("/thing/{n}")],
            None => Vec::new(),
        };
        (text(url), links)
    }
}

fn frontier_exploring(chain: Chain, share: f64, seed: u64) -> LocalFrontier {
    LocalFrontier::builder(chain)
        .exploration(Exploration::new(Probability::new(share).unwrap(), seed))
        .build()
        .unwrap()
}

#[test]
fn a_wrong_rule_of_a_file_that_acts_on_few_links_hides_none_of_them() {
    let wrong = || auditing(&["e.org"], &[(PAGE, Status::Active)]);
    // Of a site on which it is soon known what is chrome, of one on which it never is, and of many links at once.
    for (others, pages) in [(100, 5), (3, 12), (0, 80)] {
        for seed in 0..10 {
            let frontier = frontier_exploring(wrong(), 0.05, seed);
            let fetched = crawl_from_root(&frontier, site_with_a_list(others, pages));
            let all = 1 + others + 2 * pages;
            assert_eq!(fetched.len(), all as usize, "{others}, {pages}, {seed}");
            let total = frontier.totals().total;
            assert!(total.explored >= 2 && total.is_balanced());
        }
    }
    // Whoever explores nothing finds out nothing.
    let frontier = frontier_exploring(wrong(), 0.0, 0);
    let fetched = crawl_from_root(&frontier, site_with_a_list(100, 5));
    assert_eq!(fetched.len(), 1 + 100 + 2);
}

#[test]
fn a_rule_of_a_file_is_looked_after_by_chance_alone_once_it_was_right_twice() {
    let rules = [(SESSION, Status::Active)];
    for hosts in [["e.org"], ["*"]] {
        let frontier = frontier_exploring(auditing(&hosts, &rules), 1e-9, 0);
        let fetched = crawl(&frontier, forum(0..300), topic);
        assert_eq!(fetched.len(), 300 + 2);
        assert_eq!(frontier.totals().total.explored_duplicates, 2);
    }
}

#[test]
fn a_rule_that_did_not_answer_for_a_link_is_tried_on_it_all_the_same() {
    // The second rule, of which fewer trials are known, answers wherever both act.
    let frontier = |seed| {
        let mut wrong = Entry::by_hand(PAGE.parse().unwrap());
        wrong.status = Status::Active;
        wrong.evidence.trials = 90;
        let mut right = Entry::by_hand("has:query.s => drop:query.s".parse().unwrap());
        right.status = Status::Active;
        let site = crate::rules::Site {
            hosts: vec!["e.org".to_owned()],
            rules: vec![wrong, right],
        };
        let chain = chain_with(RuleFile::new(vec![site]), &RulesConfig::default());
        frontier_exploring(chain, 0.05, seed)
    };
    for seed in 0..5 {
        let links = (0..200u32).map(|n| format!("http://e.org/a?id={}&s={n}", n / 2));
        let lists = (0..6u32).map(|n| format!("http://e.org/list?page={n}&s={n}"));
        let shown = |url: &str| text(url.split("&s=").next().unwrap());
        let fetched = crawl(&frontier(seed), links.chain(lists), shown);
        let lists = fetched.iter().filter(|url| url.contains("list"));
        assert_eq!(lists.count(), 6, "{seed}");
    }
}

#[test]
fn pages_that_nobody_can_tell_apart_keep_no_rule_from_being_learned() {
    // On every third page what the link with a session brings differs in so many words.
    for words in [2, 4] {
        let shown = |url: &str| {
            let topic: u32 = url.rsplit("t=").next().unwrap().parse().unwrap();
            let shown = text(&topic.to_string());
            if !url.contains("s=") || !topic.is_multiple_of(3) {
                return shown;
            }
            let other = text(&format!("{topic} x"));
            let mut all: Vec<&str> = shown.split(' ').collect();
            let others: Vec<&str> = other.split(' ').collect();
            let from = all.len() - words - 3;
            let to = all.len() - 3;
            all[from..to].copy_from_slice(&others[from..to]);
            all.join(" ")
        };
        let frontier = frontier(&Arc::default());
        crawl(&frontier, forum(0..260), shown);
        let after = crawl(&frontier, forum(1000..1200), shown);
        assert!(
            (200..260).contains(&after.len()),
            "{words} words: {}",
            after.len()
        );
    }
}

#[test]
fn which_links_try_a_rule_is_the_same_after_a_restart() {
    let rules = [(SESSION, Status::Active)];
    let store: Arc<MemoryStore> = Arc::default();
    let open = || {
        LocalFrontier::builder(auditing(&["e.org"], &rules))
            .store(Arc::clone(&store) as Arc<dyn Store>)
            .exploration(Exploration::new(Probability::new(1e-9).unwrap(), 0))
            .build()
            .unwrap()
    };
    let mut fetched = Vec::new();
    for part in 0..10u32 {
        fetched.append(&mut crawl(&open(), forum(part * 30..part * 30 + 30), topic));
    }
    assert_eq!(fetched.len(), 300 + 2);
    let first = frontier_exploring(auditing(&["e.org"], &rules), 1e-9, 0);
    assert_eq!(fetched, crawl(&first, forum(0..300), topic));
}
