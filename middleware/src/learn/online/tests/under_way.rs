//! What was under way when a rule fell.

use super::*;

#[test]
fn links_that_were_explored_while_their_rule_fell_hide_nothing_of_its_classes() {
    let chain = auditing(&["e.org"], &[(SESSION, Status::Active)]);
    let frontier = frontier_exploring(chain, 0.9, 0);
    crawl(&frontier, forum(0..100), topic);
    let root = "http://e.org/".parse().unwrap();
    let mut decisions = Vec::new();
    let mut offer = |url: &str| {
        (frontier.admit(&Via::page(&root), &[RawUrl::new(url)], &mut decisions)).unwrap();
    };
    let link = |t: u32, s: u32| format!("http://e.org/v?s={s}&t={t}");
    // Most of the second links are to be explored, and none is fetched yet.
    for t in 1000..1040 {
        offer(&link(t, 1));
        offer(&link(t, 2));
    }
    // From now on the session says which page it is.
    let mut fetched = crawl(&frontier, [link(1040, 1)], text);
    fetched.extend(crawl(
        &frontier,
        (1000..1040).map(|t| format!("http://e.org/v?t={t}")),
        text,
    ));
    assert_eq!(
        frontier.beliefs().unwrap()[0].0.standing,
        nodust_frontier::Standing::Withdrawn
    );
    let bare = fetched.iter().filter(|url| !url.contains("s="));
    assert_eq!(bare.count(), 40, "nothing is lost");
}
