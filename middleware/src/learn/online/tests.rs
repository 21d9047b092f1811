use std::{fmt::Write as _, sync::Arc, time::Instant};

use nodust_frontier::{
    Chain, Exploration, FetchedPage, Frontier as _, LocalFrontier, MemoryStore, Outcome,
    Probability, RawUrl, Store, Turn, Via, frontier::Open,
};

use super::Learner;
use crate::rules::{RuleBook, RuleFile, Rules, RulesConfig, Status};

fn chain(file: RuleFile) -> Chain {
    let book = Arc::new(RuleBook::default());
    file.publish_to(&book);
    let learner = Learner::new(Arc::clone(&book), file, None, &RulesConfig::default());
    Chain::new().then(Rules::new(book).with_learner(learner))
}

fn frontier(store: &Arc<MemoryStore>) -> LocalFrontier {
    LocalFrontier::builder(chain(RuleFile::default()))
        .store(Arc::clone(store) as Arc<dyn Store>)
        .exploration(Exploration::new(Probability::new(0.1).unwrap(), 1))
        .build()
        .unwrap()
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
    let store = Arc::default();
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
fn what_a_person_vetoed_is_not_learned() {
    let mut file = RuleFile::default();
    let rule = |text: &str| crate::rules::Entry {
        status: Status::Vetoed,
        ..crate::rules::Entry::by_hand(text.parse().unwrap())
    };
    let open = frontier(&Arc::default());
    crawl(&open, forum(0..260), topic);
    let learned = open.beliefs().unwrap();
    file.sites.push(crate::rules::Site {
        hosts: vec!["e.org".to_owned()],
        rules: learned.iter().map(|(b, _)| rule(&b.text)).collect(),
    });
    let vetoed = LocalFrontier::builder(chain(file)).build().unwrap();
    crawl(&vetoed, forum(0..260), topic);
    for (belief, _) in vetoed.beliefs().unwrap() {
        assert!(learned.iter().all(|(other, _)| other.text != belief.text));
    }
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
