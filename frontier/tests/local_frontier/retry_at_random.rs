//! Whatever fails, when it is asked for again, and however often the process ends in between: no page is lost, and each URL is
//! counted once.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use nodust_frontier::{
    FetchFailure, FetchedPage, Frontier, LocalFrontier, MemoryStore, Outcome, RawUrl, Store, Turn,
    frontier::Open,
};
use proptest::prelude::*;

use crate::common::{leased, page, seed};
use crate::stages::{Rule, frontier_on};

/// Spellings of one page: the second is the first's by normalization, the others while the rule is believed.
const SPELLINGS: [&str; 4] = ["", "?utm", "!1", "!2"];
const PAGES: usize = 5;

#[derive(Clone, Copy, Debug)]
enum Answer {
    Page,
    Busy,
    Timeout,
    Missing,
}

#[derive(Clone, Debug)]
enum Step {
    /// Links to these pages, by number and spelling, are found.
    Find(Vec<(usize, usize)>),
    /// What waits is fetched, with these answers in turn.
    Fetch(Vec<Answer>),
    Retry,
    SecondHelping,
    Believe(bool),
    Withdraw,
    Restart,
}

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        3 => Just(Answer::Page),
        3 => Just(Answer::Busy),
        2 => Just(Answer::Timeout),
        1 => Just(Answer::Missing),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let link = (0..PAGES, 0..SPELLINGS.len());
    let step = prop_oneof![
        3 => prop::collection::vec(link, 1..8).prop_map(Step::Find),
        6 => prop::collection::vec(answer(), 1..10).prop_map(Step::Fetch),
        4 => Just(Step::Retry),
        1 => Just(Step::SecondHelping),
        2 => any::<bool>().prop_map(Step::Believe),
        1 => Just(Step::Withdraw),
        2 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..40)
}

/// What was asked for, and what came of it at last.
#[derive(Default)]
struct Met(BTreeMap<String, Answer>);

impl Met {
    /// Fetches one link, if one waits.
    fn fetch(&mut self, frontier: &LocalFrontier, answer: Answer) -> bool {
        let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() else {
            return false;
        };
        let path = lease.url().as_str()["http://h.example".len()..].to_owned();
        let failure = FetchFailure {
            code: "timeout",
            detail: String::new(),
            status: None,
            retry_after: None,
            may_pass: true,
        };
        let answered = |status| {
            Outcome::Fetched(FetchedPage {
                status,
                ..FetchedPage::default()
            })
        };
        let outcome = match answer {
            Answer::Page => answered(200),
            Answer::Busy => answered(503),
            Answer::Missing => answered(404),
            Answer::Timeout => Outcome::Failed(failure),
        };
        (frontier.observe(lease, &outcome, &mut Vec::new())).unwrap();
        self.0.insert(path, answer);
        true
    }
}

fn ledger(frontier: &LocalFrontier) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let scan = &mut |_: &_, entry: nodust_frontier::LedgerEntry| {
        all.insert(entry.admitted.url.as_str()["http://h.example".len()..].to_owned())
    };
    frontier.store().ledger_scan(scan).unwrap();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_page_is_lost_and_each_url_is_counted_once(steps in steps()) {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let rule = Arc::new(Rule::default());
        rule.switch(true);
        let open = || frontier_on(store.clone(), &rule, 0.0);
        let mut frontier = open();
        seed(&frontier, &["http://h.example/"]);
        (frontier.observe(leased(&frontier), &page(&[]), &mut Vec::new())).unwrap();
        let (mut met, mut found) = (Met::default(), BTreeSet::new());
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Find(links) => {
                    let links = links.into_iter();
                    let links: Vec<_> =
                        links.map(|(page, as_)| format!("/p{page}{}", SPELLINGS[as_])).collect();
                    // Found on a page of its own, and not as seeds, which are fetched whatever is known.
                    seed(&frontier, &[&format!("http://h.example/hub/{number}")]);
                    found.insert(format!("/hub/{number}"));
                    found.extend(links.iter().cloned());
                    let links: Vec<_> = links.iter().map(|link| RawUrl::new(link)).collect();
                    while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
                        let path = lease.url().as_url().path().to_owned();
                        let is_hub = path.starts_with("/hub/");
                        let links = if is_hub { &links[..] } else { &[] };
                        let url = lease.url().as_str()["http://h.example".len()..].to_owned();
                        met.0.insert(url, Answer::Page);
                        (frontier.observe(lease, &page(links), &mut Vec::new())).unwrap();
                        if is_hub {
                            break;
                        }
                    }
                }
                Step::Fetch(answers) => {
                    for answer in answers {
                        met.fetch(&frontier, answer);
                    }
                }
                Step::Retry => drop(frontier.retry_failed().unwrap()),
                Step::SecondHelping => drop(frontier.second_helping().unwrap()),
                Step::Believe(on) => rule.switch(on),
                Step::Withdraw => rule.withdraw.store(true, Ordering::SeqCst),
                Step::Restart => {
                    drop(frontier);
                    frontier = open();
                }
            }
            let total = frontier.totals().total;
            prop_assert!(total.is_balanced());
        }
        // The server is in order again.
        for _ in 0..40 {
            while met.fetch(&frontier, Answer::Page) {}
            if frontier.retry_failed().unwrap() == 0 {
                break;
            }
        }
        let stats = frontier.stats().unwrap();
        prop_assert_eq!((stats.queued, stats.to_retry, stats.total.waiting_again), (0, 0, 0));
        let ledger = ledger(&frontier);
        for page in 0..PAGES {
            let spellings = SPELLINGS.map(|spelling| format!("/p{page}{spelling}"));
            let was_found = spellings.iter().any(|url| found.contains(url));
            let answers: Vec<_> = spellings.iter().filter_map(|url| met.0.get(url)).collect();
            let is_had = answers.iter().any(|answer| matches!(answer, Answer::Page | Answer::Missing));
            prop_assert!(!was_found || is_had, "/p{} is lost: {:?}", page, answers);
        }
        let fetched = met.0.keys().filter(|url| !ledger.contains(*url)).count() as u64;
        // And the page that all began with.
        prop_assert_eq!(stats.total.fetched, fetched + 1);
        prop_assert_eq!(stats.total.saved(), ledger.len() as u64);
        prop_assert_eq!(stats.total.plain(), found.len() as u64 + 1);
    }
}
