//! Claims about pages whose URLs do not tell whether a parameter matters, and of which the third page does.

use super::*;

const ORDERS: [&str; 6] = ["new", "old", "best", "name", "size", "kind"];

/// A list in some order: of six entries each order is another page, of one entry all are one.
fn list(id: u64, order: usize) -> (String, u64) {
    let page = if is_short(id) { 0 } else { 1000 * order as u64 };
    let url = format!("http://e.org/list?id={id}&order={}", ORDERS[order]);
    (url, page + 10_000 * id)
}

const fn is_short(id: u64) -> bool {
    !id.is_multiple_of(3)
}

/// Sees a list in all orders, as a crawler that heeds what is predicted; how many it fetched, and how many contents it lost.
fn crawl(site: &mut Site, id: u64) -> (usize, usize) {
    let (mut fetched, mut pages, mut seen) = (0, FxHashSet::default(), FxHashSet::default());
    for order in 0..ORDERS.len() {
        let (url, page) = list(id, order);
        pages.insert(page);
        if site.predict(&url).is_none() {
            see(site, &url, page);
            seen.insert(page);
            fetched += 1;
        }
    }
    (fetched, pages.len() - seen.len())
}

fn crawl_all(site: &mut Site, lists: std::ops::Range<u64>) -> (usize, usize) {
    let all = lists.map(|id| crawl(site, id));
    all.fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
}

fn with_lists() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    assert_eq!(crawl_all(&mut site, 0..120).1, 0);
    site
}

#[test]
fn the_third_page_tells_whether_the_rest_are_fetched() {
    let mut site = with_lists();
    // Three of each short one, and all six of the others.
    assert_eq!(crawl_all(&mut site, 120..240), (80 * 3 + 40 * 6, 0));
    for order in 0..2 {
        let (url, page) = list(1000, order);
        see(&mut site, &url, page);
        let next = list(1000, order + 1).0;
        assert!(site.predict(&next).is_none(), "one copy may be chance");
    }
}

#[test]
fn what_all_orders_of_a_list_show_says_nothing_of_the_list_without_one() {
    let mut site = with_lists();
    for order in 0..3 {
        let (url, page) = list(1000, order);
        see(&mut site, &url, page);
    }
    assert!(site.predict(&list(1000, 3).0).is_some());
    assert!(site.predict("http://e.org/list?id=1000").is_none());
}

#[test]
fn it_is_read_back_as_it_was_and_told_by_its_name() {
    let mut site = saved(&with_lists());
    assert_eq!(crawl_all(&mut site, 120..150), (20 * 3 + 10 * 6, 0));
    for (url, page) in [list(151, 0), list(151, 1), list(151, 2)] {
        see(&mut site, &url, page);
    }
    let prediction = site.predict(&list(151, 3).0).unwrap();
    let record = site.record(prediction.belief).unwrap();
    assert!(record.text.contains("| where_held |"), "{}", record.text);
}

#[test]
fn one_page_of_its_own_behind_three_that_are_one_ends_it_and_what_it_dropped_is_judged_anew() {
    let mut site = with_lists();
    for (url, page) in [list(400, 0), list(400, 1), list(400, 2)] {
        see(&mut site, &url, page);
    }
    let link = list(400, 3).0;
    let belief = site.predict(&link).unwrap().belief;
    let learned = site.observe(&link.parse().unwrap(), &text(77), None, Some(belief));
    assert_eq!(learned.was_duplicate, Some(false));
    assert!(learned.withdrawn.contains(&belief));
    assert!(site.predict(&list(400, 4).0).is_none());
}

#[test]
fn what_one_namespace_shows_of_a_place_says_nothing_of_another() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let url = |list: u64, space: &str, page: u64| {
        format!("http://e.org/media?in={list}&id={space}:p{list}x{page}")
    };
    let both = ["guide", "wiki"];
    for list in 0..200 {
        // Each list is asked for from one namespace, and every third is another one for each page.
        for page in 0..5 {
            let of_page = if is_short(list) { 0 } else { page };
            let link = url(list, both[list as usize % 2], page);
            see(&mut site, &link, 100 * list + of_page);
        }
    }
    for page in 0..3 {
        see(&mut site, &url(901, "guide", page), 90_100);
    }
    assert!(site.predict(&url(901, "guide", 7)).is_some());
    assert!(site.predict(&url(901, "wiki", 7)).is_none());
}

#[test]
fn where_every_second_rest_shows_other_pages_later_it_is_never_believed() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..300 {
        for order in 0..ORDERS.len() {
            let (url, _) = list(id, order);
            // The first three orders are one page.
            let page = 10_000 * id
                + if id % 2 == 0 {
                    order as u64 / 3
                } else {
                    order as u64
                };
            assert!(site.predict(&url).is_none(), "{url}");
            see(&mut site, &url, page);
        }
    }
}

#[test]
fn where_the_same_claim_falls_elsewhere_it_has_to_prove_itself_again() {
    let mut site = with_lists();
    let item = |id: u64, order: usize| format!("http://e.org/item?id={id}&order={}", ORDERS[order]);
    for id in 0..200 {
        for order in [0, 1 + id as usize % 5] {
            see(&mut site, &item(id, order), 5_000_000 + id);
        }
    }
    see(&mut site, &item(500, 0), 5_000_500);
    let of_items = site.predict(&item(500, 1)).unwrap().belief;
    for order in 0..3 {
        let (url, page) = list(1000, order);
        see(&mut site, &url, page);
    }
    let link = list(1000, 3).0;
    let of_lists = site.predict(&link).unwrap().belief;
    assert_ne!(of_items, of_lists);
    // The site changes: each order of an item is another page now.
    for id in 600..660 {
        see(&mut site, &item(id, 0), 6_000_000 + id);
        let url = item(id, 1).parse().unwrap();
        let learned = site.observe(&url, &text(7_000_000 + id), None, Some(of_items));
        if learned.withdrawn.contains(&of_items) {
            assert!(
                learned.withdrawn.contains(&of_lists),
                "what it dropped comes back"
            );
            assert!(site.predict(&link).is_none());
            return;
        }
        assert!(!learned.withdrawn.contains(&of_lists));
    }
    panic!("what is wrong sixty times has to fall");
}
