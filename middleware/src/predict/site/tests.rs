//! What a site learns, told page by page.

use super::*;

fn text(page: u64) -> String {
    (0..120u64)
        .map(|i| {
            let hash = xxhash_rust::xxh3::xxh3_64_with_seed(&i.to_le_bytes(), page);
            let word: String = (0..6)
                .map(|k| char::from(b'a' + ((hash >> (8 * k)) % 26) as u8))
                .collect();
            word + if i % 12 == 11 { "\n" } else { " " }
        })
        .collect()
}

fn see(site: &mut Site, url: &str, page: u64) -> Learned {
    site.observe(&url.parse().unwrap(), &text(page), None, false)
}

fn article(id: u64) -> String {
    format!("http://e.org/article?id={id}")
}

/// A site where `sid` was seen to be irrelevant on 200 articles.
fn with_sessions() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &article(id), id);
        see(&mut site, &format!("{}&sid={id}f", article(id)), id);
    }
    site
}

#[test]
fn a_session_in_the_address_is_learned_and_its_links_are_dropped() {
    let mut site = with_sessions();
    assert!(site.predict("http://e.org/article?id=7&sid=99x").is_some());
    assert!(site.predict(&article(7)).is_none(), "that page was fetched");
    see(&mut site, &article(1000), 1000);
    assert!(site.predict("http://e.org/article?id=1000&sid=1").is_some());
}

#[test]
fn a_page_that_nothing_fetched_stands_for_is_never_dropped() {
    let site = with_sessions();
    assert!(site.predict("http://e.org/article?id=5000&sid=1").is_none());
}

#[test]
fn a_few_copies_of_one_page_teach_nothing_about_others() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..100 {
        see(&mut site, &article(id), id);
    }
    for color in 0..40 {
        see(
            &mut site,
            &format!("http://e.org/widget?color={color}"),
            7777,
        );
    }
    see(&mut site, "http://e.org/shop?color=1", 8888);
    assert!(site.predict("http://e.org/shop?color=2").is_none());
}

#[test]
fn what_turns_out_wrong_is_taken_back_with_all_that_may_have_leaned_on_it() {
    let mut site = with_sessions();
    let fell = (0..60).find(|&id| {
        let url = format!("{}&sid={id}new", article(id));
        let learned = site.observe(&url.parse().unwrap(), &text(90_000 + id), None, true);
        !learned.withdrawn.is_empty()
    });
    assert!(fell.is_some_and(|probes| probes < 30), "{fell:?}");
    for id in 60..120 {
        let url = format!("{}&sid={id}new", article(id));
        site.observe(&url.parse().unwrap(), &text(90_000 + id), None, true);
    }
    assert!(site.predict("http://e.org/article?id=150&sid=z").is_none());
}

#[test]
fn without_duplicates_nothing_is_ever_believed() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..1500 {
        see(
            &mut site,
            &format!("{}&page={}", article(id / 3), id % 3),
            id,
        );
    }
    assert!(site.ids.is_empty());
}
