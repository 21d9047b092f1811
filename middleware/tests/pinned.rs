//! Is what rules drop explored, where none of them may fall?

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::sync::Arc;

use nodust_frontier::{
    BeliefId, Candidate, Chain, Exploration, Frontier as _, LocalFrontier, Middleware, Probability,
    RawUrl, StageName, Verdict, Via,
};
use nodust_middleware::rules::{RuleBook, Rules, SiteRules};

const SESSION: &str = "has:query.id => drop:query.sid";

fn rules(site: &str, lines: &[&str]) -> SiteRules {
    SiteRules::new(site, lines.iter().map(|line| line.parse().unwrap()))
}

/// Queued and dropped of these links, where all that may be explored is.
fn admitted(chain: Chain, links: &[&str]) -> (u64, u64) {
    let frontier = LocalFrontier::builder(chain)
        .exploration(Exploration::new(Probability::new(1.0).unwrap(), 1))
        .build()
        .unwrap();
    let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
    frontier
        .admit(&Via::seed(), &links, &mut Vec::new())
        .unwrap();
    let totals = frontier.totals();
    (totals.queued, totals.ledger)
}

fn book_of(site: &str, lines: &[&str]) -> Arc<RuleBook> {
    let book = Arc::new(RuleBook::default());
    book.publish([(site.to_owned(), rules(site, lines))]);
    book
}

const COPIES: [&str; 3] = [
    "http://e.org/?id=1",
    "http://e.org/?id=1&sid=2",
    "http://e.org/?id=1&sid=3&ref=4",
];

#[test]
fn it_is_not_be_it_by_one_rule_or_several_or_one_for_all_sites() {
    let both = [SESSION, "has:query.id => drop:query.ref"];
    let chain = Chain::new().then(Rules::new(book_of("e.org", &both)));
    assert_eq!(admitted(chain, &COPIES), (1, 2));

    let book = Arc::new(RuleBook::default());
    book.publish_everywhere(rules("*", &both));
    assert_eq!(
        admitted(Chain::new().then(Rules::new(book)), &COPIES),
        (1, 2)
    );

    let mirror = book_of("m.e.org", &["=> set:host=e.org"]);
    let links = ["http://e.org/x", "http://m.e.org/x"];
    assert_eq!(
        admitted(Chain::new().then(Rules::new(mirror)), &links),
        (1, 1)
    );
}

#[test]
fn it_is_where_another_stage_compares_it() {
    let stage = Rules::new(book_of("e.org", &[SESSION])).audited_elsewhere();
    assert_eq!(admitted(Chain::new().then(stage), &COPIES[..2]), (2, 0));
}

/// Takes all of `?ref=` for one page.
#[derive(Debug)]
struct Other;

impl Middleware for Other {
    fn name(&self) -> StageName {
        "other"
    }
    fn judge(&self, link: &mut Candidate, _via: &Via<'_>) -> Verdict {
        if let Some((page, _)) = link.class().split_once("?ref=") {
            let page = page.to_owned();
            link.merge_into(page, BeliefId::of("e.org", "ref is ignored"));
        }
        Verdict::Pass
    }
}

#[test]
fn what_another_stage_drops_is() {
    let chain = Chain::new()
        .then(Rules::new(book_of("e.org", &[SESSION])))
        .then(Other);
    let links = ["http://e.org/a", "http://e.org/a?ref=1"];
    assert_eq!(admitted(chain, &links), (2, 0));
}
