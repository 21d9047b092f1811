//! What rules merged stays merged when the crawl goes on in another process, and comes back when they are
//! gone.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::sync::Arc;

use nodust_frontier::{Chain, Frontier as _, LocalFrontier, MemoryStore, RawUrl, Store, Via};
use nodust_middleware::rules::{RuleBook, Rules, SiteRules};

fn frontier(store: Arc<dyn Store>, rules: &[&str]) -> LocalFrontier {
    let book = Arc::new(RuleBook::default());
    let site = SiteRules::new("e.org", rules.iter().map(|rule| rule.parse().unwrap()));
    book.publish([("e.org".to_owned(), site)]);
    LocalFrontier::builder(Chain::new().then(Rules::new(book)))
        .store(store)
        .build()
        .unwrap()
}

#[test]
fn links_that_two_rules_merged_wait_on_after_a_restart_and_come_back_without_the_rules() {
    let both = [
        "has:query.id => drop:query.sid",
        "has:query.id => drop:query.ref",
    ];
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let first = frontier(Arc::clone(&store), &both);
    let links: Vec<String> = (0..20)
        .map(|n| format!("http://e.org/?id=1&sid={n}&ref={n}"))
        .collect();
    let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
    first.admit(&Via::seed(), &links, &mut Vec::new()).unwrap();
    let totals = first.totals();
    assert_eq!((totals.queued, totals.ledger), (1, 19));
    drop(first);

    let again = frontier(Arc::clone(&store), &both);
    let totals = again.totals();
    assert_eq!((totals.queued, totals.ledger), (1, 19));
    drop(again);

    let without = frontier(store, &both[..1]);
    let totals = without.totals();
    assert_eq!((totals.queued, totals.ledger), (20, 0));
}
