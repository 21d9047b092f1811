//! Addresses of posts, which show the page that links to them.

use super::*;
use crate::predict::site::pages::name_of;
use nodust_frontier::DropReason;

fn thread(id: u64) -> String {
    format!("http://e.org/thread-{id}.html")
}

fn post(thread: u64, number: u64) -> String {
    let number = 10_000 + 7 * number + 100 * thread;
    format!("http://e.org/thread-{thread}-post-{number}.html")
}

/// A page that was found on another, fetched as a probe of a belief or not.
fn see_on(site: &mut Site, on: &str, url: &str, page: u64, probed: Option<BeliefId>) -> Learned {
    let facts = Facts {
        probed,
        found_on: Some(name_of(on)),
        ..Facts::default()
    };
    site.observe_page(&url.parse().unwrap(), &text(page), facts)
}

/// The belief that drops a link which was found on a page.
fn drops(site: &Site, on: &str, url: &str) -> Option<BeliefId> {
    let (dropped, _) = site.judge(url, (Some(name_of(on)), None), || None);
    dropped.map(|why| match why {
        DropReason::PredictedDuplicate(prediction) => prediction.belief,
        other => panic!("{other:?}"),
    })
}

/// Threads with posts, whose addresses show the page that is said of thread and number.
fn with_posts(threads: u64, posts: std::ops::Range<u64>, shown: impl Fn(u64, u64) -> u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..threads {
        see_on(&mut site, "http://e.org/", &thread(id), id, None);
        for number in posts.clone() {
            see_on(
                &mut site,
                &thread(id),
                &post(id, number),
                shown(id, number),
                None,
            );
        }
    }
    site
}

/// Threads with two posts each.
fn with_threads(threads: u64) -> Site {
    with_posts(threads, 0..2, |id, _| id)
}

#[test]
fn addresses_of_posts_are_dropped_on_the_thread_that_was_fetched_and_nowhere_else() {
    let mut site = with_threads(80);
    let (on, link) = (thread(1000), post(1000, 3));
    assert_eq!(
        drops(&site, &on, &link),
        None,
        "that thread was not fetched"
    );
    see_on(&mut site, "http://e.org/", &on, 1000, None);
    assert!(drops(&site, &on, &link).is_some());
    assert_eq!(drops(&site, "http://e.org/", &link), None, "no thread");
    assert_eq!(drops(&site, &on, &post(1001, 3)), None, "of another thread");
    let page = "http://e.org/thread-1000-page-2.html";
    assert_eq!(drops(&site, &on, page), None, "another word");
    assert_eq!(drops(&site, &on, &on), None, "the thread itself");
    assert!(site.predict(&link).is_none(), "the URL alone says nothing");
    let mut told = Vec::new();
    site.remarks(&link, (Some(name_of(&on)), None), &mut |remark| {
        told.push(remark);
    });
    assert_eq!(
        told,
        [format!("taken for a copy of the page that it is on, {on}")]
    );
}

#[test]
fn few_threads_with_many_posts_are_not_enough() {
    let mut site = with_posts(12, 0..30, |id, _| id);
    for id in 12..40 {
        see_on(&mut site, "http://e.org/", &thread(id), id, None);
    }
    assert_eq!(drops(&site, &thread(30), &post(30, 3)), None);
}

/// Whether the first page of its own behind such a link, fetched as a probe, ends the claim.
fn ends(site: &mut Site) -> bool {
    let belief = drops(site, &thread(7), &post(7, 9)).unwrap();
    let learned = see_on(site, &thread(7), &post(7, 100), 5000, Some(belief));
    assert_eq!(learned.was_duplicate, Some(false));
    learned.withdrawn == [belief] && drops(site, &thread(8), &post(8, 9)).is_none()
}

#[test]
fn the_first_post_that_stands_alone_withdraws_the_claim_and_a_restart_changes_nothing() {
    let mut site = with_threads(80);
    let mut again = saved(&site);
    for id in 0..90 {
        let dropped = |site: &Site| drops(site, &thread(id), &post(id, 9));
        assert_eq!(dropped(&again), dropped(&site));
    }
    let belief = drops(&again, &thread(7), &post(7, 9)).unwrap();
    let text = again.record(belief).unwrap().text;
    assert!(text.starts_with("page is the one that links to it | names | "));
    assert!(ends(&mut site) && ends(&mut again));
    assert_eq!(site.beliefs(), again.beliefs());
}

#[test]
fn links_that_redirect_elsewhere_end_the_claim() {
    let mut site = with_threads(80);
    let belief = drops(&site, &thread(7), &post(7, 9)).unwrap();
    let on = Some(name_of(&thread(7)));
    let back = site.observe_redirect_of(&post(7, 50), &thread(7), (None, on));
    assert!(back.withdrawn.is_empty(), "it leads back");
    let learned = site.observe_redirect_of(&post(7, 51), "http://e.org/other", (None, on));
    assert_eq!(learned.withdrawn, [belief]);
}

#[test]
fn captions_of_small_pages_are_fetched() {
    let mut site = with_threads(80);
    let on = thread(1000);
    let facts = || Facts {
        found_on: Some(name_of("http://e.org/")),
        ..Facts::default()
    };
    site.observe_page(&on.parse().unwrap(), "red lamps of old towns", facts());
    assert_eq!(drops(&site, &on, &post(1000, 3)), None);
}

#[test]
fn a_page_is_named_as_the_frontier_names_it() {
    let url: nodust_frontier::CanonicalUrl =
        nodust_frontier::CanonicalUrl::resolve("http://e.org/thread-17.html?a=%20b", None).unwrap();
    let via = nodust_frontier::Via::page(&url);
    assert_eq!(via.found_on(), Some(name_of(url.as_str())));
}

#[test]
fn probes_of_it_are_judged_by_the_thread() {
    let mut site = with_threads(80);
    let belief = drops(&site, &thread(7), &post(7, 9)).unwrap();
    let learned = see_on(&mut site, &thread(7), &post(7, 9), 7, Some(belief));
    assert_eq!(learned.was_duplicate, Some(true));
}

#[test]
fn links_that_show_something_else_once_in_eight_are_no_copies() {
    let site = with_posts(200, 0..2, |id, number| match (2 * id + number) % 8 {
        5 => 9000 + 2 * id + number,
        _ => id,
    });
    assert_eq!(drops(&site, &thread(30), &post(30, 9)), None);
}

#[test]
fn links_to_posts_of_other_threads_that_were_fetched_neither_prove_the_claim_nor_end_it() {
    let with_others = |one_in: u64| {
        let site = with_posts(300, 1..2, |id, _| {
            id - u64::from(id > 0 && id % one_in == 0)
        });
        drops(&site, &thread(30), &post(30, 9))
    };
    assert!(with_others(40).is_some());
    assert_eq!(with_others(8), None, "too many of them say nothing");
}

#[test]
fn a_probe_that_brings_what_was_met_elsewhere_was_a_duplicate() {
    let mut site = with_threads(80);
    let belief = drops(&site, &thread(7), &post(7, 9)).unwrap();
    let learned = see_on(&mut site, &thread(7), &post(7, 9), 8, Some(belief));
    assert_eq!(learned.was_duplicate, Some(true));
    assert!(learned.withdrawn.is_empty());
}

fn article(number: u64) -> String {
    format!("http://e.org/guide/item{number}")
}

/// The link of an article that sets a language, and leads back to the article.
fn in_german(number: u64) -> String {
    format!("http://e.org/locale/set?locale=de&next=/guide/item{number}")
}

/// Articles with such links, each with what that redirects to.
fn with_languages(
    articles: std::ops::Range<u64>,
    mut leads_to: impl FnMut(u64) -> String,
) -> (Site, Learned) {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let mut last = Learned::default();
    for number in articles {
        see_on(&mut site, "http://e.org/", &article(number), number, None);
        let on = Some(name_of(&article(number)));
        last = site.observe_redirect_of(&in_german(number), &leads_to(number), (None, on));
    }
    (site, last)
}

#[test]
fn links_that_redirect_to_the_page_that_they_are_on_are_dropped() {
    let (mut site, _) = with_languages(0..200, article);
    see_on(&mut site, "http://e.org/", &article(1000), 1000, None);
    let belief = drops(&site, &article(1000), &in_german(1000)).unwrap();
    let mut told = Vec::new();
    let on = Some(name_of(&article(1000)));
    site.remarks(&in_german(1000), (on, None), &mut |remark| {
        told.push(remark);
    });
    let back = format!(
        "taken to redirect to the page that it is on, {}",
        article(1000)
    );
    assert_eq!(told, [back]);
    assert_eq!(drops(&site, "http://e.org/", &in_german(1000)), None);
    assert_eq!(
        drops(&site, &article(2000), &in_german(2000)),
        None,
        "no such page"
    );
    let french = in_german(1000).replace("=de", "=fr");
    assert_eq!(drops(&site, &article(1000), &french), None, "another word");
    let again = saved(&site);
    assert_eq!(
        drops(&again, &article(1000), &in_german(1000)),
        Some(belief)
    );
    // What is explored of them is judged by where it leads.
    let on = Some(name_of(&article(1000)));
    let back = site.observe_redirect_of(&in_german(1000), &article(1000), (Some(belief), on));
    assert_eq!(back.was_duplicate, Some(true));
    let on = Some(name_of(&article(7)));
    let learned = site.observe_redirect_of(&in_german(7), "http://e.org/de", (Some(belief), on));
    assert_eq!(learned.withdrawn, [belief]);
    assert_eq!(drops(&site, &article(1000), &in_german(1000)), None);
}

#[test]
fn what_redirects_to_pages_that_were_met_neither_proves_the_claim_nor_ends_it() {
    let to_login = |one_in: u64| {
        let leads_to = |number: u64| match number % one_in {
            7 => "http://e.org/".to_owned(),
            _ => article(number),
        };
        let mut site = Site::new("e.org", &PredictConfig::default());
        see_on(&mut site, "http://e.org/", "http://e.org/", 5000, None);
        for number in 0..300 {
            see_on(&mut site, "http://e.org/", &article(number), number, None);
            let on = Some(name_of(&article(number)));
            site.observe_redirect_of(&in_german(number), &leads_to(number), (None, on));
        }
        drops(&site, &article(30), &in_german(30))
    };
    assert!(to_login(40).is_some());
    assert_eq!(to_login(8), None, "too many of them say nothing");
}

#[test]
fn few_links_that_lead_back_or_one_in_thirty_that_does_not_drop_none() {
    let (mut site, _) = with_languages(0..40, article);
    see_on(&mut site, "http://e.org/", &article(1000), 1000, None);
    assert_eq!(drops(&site, &article(1000), &in_german(1000)), None);
    let elsewhere = |number: u64| match number % 30 {
        7 => format!("http://e.org/de/item{number}"),
        _ => article(number),
    };
    let (site, _) = with_languages(0..600, elsewhere);
    assert_eq!(drops(&site, &article(500), &in_german(500)), None);
}

#[test]
fn a_page_of_its_own_behind_such_a_link_ends_the_claim() {
    let (mut site, _) = with_languages(0..200, article);
    let belief = drops(&site, &article(9), &in_german(9)).unwrap();
    let learned = see_on(&mut site, &article(9), &in_german(9), 9, Some(belief));
    assert_eq!(learned.was_duplicate, Some(true), "it is a copy");
    assert!(learned.withdrawn.is_empty());
    let learned = see_on(&mut site, &article(9), &in_german(9), 5000, Some(belief));
    assert_eq!(learned.was_duplicate, Some(false));
    assert_eq!(learned.withdrawn, [belief]);
}

#[test]
fn links_of_small_pages_are_dropped_where_they_redirect_back() {
    let (mut site, _) = with_languages(0..200, article);
    let on = article(1000);
    let facts = Facts {
        found_on: Some(name_of("http://e.org/")),
        ..Facts::default()
    };
    site.observe_page(&on.parse().unwrap(), "red lamps", facts);
    assert!(drops(&site, &on, &in_german(1000)).is_some());
}

fn topic(id: u64) -> String {
    format!("http://e.org/topic/{id}")
}

/// The address of a post, which redirects to a page of its topic.
fn post_of(id: u64, number: u64) -> String {
    format!("http://e.org/post/{}", 20_000 + 50 * id + number)
}

/// Topics with posts that redirect to the first page by the number that it has among others: which shows the topic, or something else for one in so
/// many.
fn with_first_pages(topics: u64, one_in: u64) -> Site {
    let first_page = |id: u64| format!("{}?page=1", topic(id));
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..topics {
        see_on(&mut site, "http://e.org/", &topic(id), id, None);
        let on = Some(name_of(&topic(id)));
        // The menu sets a language, which leads back by the page's own address.
        site.observe_redirect_of(&format!("http://e.org/lang/{id}"), &topic(id), (None, on));
        let shown = if id % one_in == 3 { 9000 + id } else { id };
        see_on(&mut site, &topic(id), &first_page(id), shown, None);
        for number in 0..3 {
            site.observe_redirect_of(&post_of(id, number), &first_page(id), (None, on));
        }
    }
    see_on(&mut site, "http://e.org/", &topic(5000), 5000, None);
    site
}

#[test]
fn links_that_redirect_to_another_address_of_their_page_are_dropped() {
    let link = post_of(5000, 9);
    let site = with_first_pages(200, u64::MAX);
    assert!(drops(&site, &topic(5000), &link).is_some());
    assert_eq!(drops(&site, "http://e.org/", &link), None);
    let site = with_first_pages(200, 8);
    assert_eq!(drops(&site, &topic(5000), &link), None);
}

/// Articles with such links, of which one in so many redirects to a longer edition that nothing else links to, fetched thereafter.
fn with_longer_editions(articles: u64, one_in: u64) -> Site {
    let longer = |number: u64| format!("{}?full=1", article(number));
    let is_other = |number: u64| number % one_in == 7;
    let (mut site, _) = with_languages(0..articles, |number| {
        if is_other(number) {
            longer(number)
        } else {
            article(number)
        }
    });
    for number in (0..articles).filter(|number| is_other(*number)) {
        see_on(&mut site, "", &longer(number), 9000 + number, None);
    }
    see_on(&mut site, "http://e.org/", &article(5000), 5000, None);
    site
}

#[test]
fn where_a_link_leads_to_its_page_with_something_more_the_fetched_page_tells() {
    let link = in_german(5000);
    let dropped_by = |site: &Site| drops(site, &article(5000), &link);
    assert_eq!(dropped_by(&with_longer_editions(200, 8)), None);
    // The first one comes after the claim was believed: explored or not, its page ends it, after a restart, too.
    for is_probe in [false, true] {
        let mut site = with_longer_editions(200, u64::MAX);
        let belief = dropped_by(&site).unwrap();
        let longer = format!("{}?full=1", article(9));
        let probed = is_probe.then_some(belief);
        let on = Some(name_of(&article(9)));
        let learned = site.observe_redirect_of(&in_german(9), &longer, (probed, on));
        assert!(learned.withdrawn.is_empty() && dropped_by(&site).is_some());
        let mut site = saved(&site);
        let learned = see_on(&mut site, "", &longer, 9009, None);
        assert_eq!(learned.withdrawn, [belief]);
        let told = learned.late.first().map(|late| late.was_duplicate);
        assert_eq!(told, is_probe.then_some(false));
        assert_eq!(dropped_by(&site), None);
    }
}

#[test]
fn what_is_only_believed_to_show_the_page_proves_nothing() {
    let first_page = |id: u64| format!("{}?page=1", topic(id));
    let lead = |site: &mut Site, id: u64| {
        let on = Some(name_of(&topic(id)));
        site.observe_redirect_of(&post_of(id, 1), &first_page(id), (None, on));
    };
    let mut site = with_first_pages(100, u64::MAX);
    for id in 100..400 {
        see_on(&mut site, "http://e.org/", &topic(id), id, None);
        see_on(&mut site, &topic(id), &first_page(id), id, None);
    }
    let later = |site: &mut Site| {
        for id in 400..600 {
            see_on(site, "http://e.org/", &topic(id), id, None);
            lead(site, id);
        }
    };
    assert!(
        site.predict(&first_page(5000)).is_some(),
        "page=1 is as absent"
    );
    let trials = |site: &Site| {
        let mut trials = 0;
        site.records(&mut |it| {
            trials += u64::from(it.text.starts_with("link leads back")) * it.trials;
        });
        trials
    };
    let before = trials(&site);
    later(&mut site);
    assert_eq!(trials(&site), before);
    // One that is fetched after all tells.
    see_on(&mut site, "", &first_page(450), 450, None);
    assert_eq!(trials(&site), before + 1);
}
