//! What a site learns, told page by page.

mod actions;
mod aliases;
mod anywhere;
mod beside;
mod exceptions;
mod held;
mod kinds;
mod languages;
mod leading;
mod led;
mod limits;
mod named;
mod pieces;
mod redirects;
mod reduced;
mod referrer;
mod shared;
mod shows;
mod slots;
mod spelling;
mod things;
mod values;
mod walls;
mod withdrawal;

use nodust_frontier::BeliefId;

use super::{pair::Pair, *};
use crate::predict::{belief::About, form::Form, parts::Parts};

/// A text of 120 words of its own.
pub(in crate::predict) fn text(page: u64) -> String {
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

pub(super) fn see(site: &mut Site, url: &str, page: u64) -> Learned {
    site.observe(&url.parse().unwrap(), &text(page), None, None)
}

pub(super) fn article(id: u64) -> String {
    format!("http://e.org/article?id={id}")
}

fn learn_that_sessions_do_not_matter(site: &mut Site) {
    for id in 0..200 {
        see(site, &article(id), id);
        see(site, &format!("{}&sid={id}f", article(id)), id);
    }
}

/// A site where `sid` was seen to be irrelevant on 200 articles.
pub(super) fn with_sessions() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    learn_that_sessions_do_not_matter(&mut site);
    site
}

/// A page and the first one that was met.
fn with_first<'f, 'u>(newer: &'f Form<'u>) -> Pair<'f, 'u> {
    Pair {
        pages: (1, 0),
        newer,
        older: 0,
        confirmed: false,
    }
}

/// A site as it is read back from what it hands out.
fn saved(site: &Site) -> Site {
    let mut parts = Parts::default();
    site.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    Site::load("e.org", &parts).unwrap()
}

/// The belief that drops links with a session.
fn session_belief(site: &Site) -> BeliefId {
    site.predict("http://e.org/article?id=7&sid=99x")
        .unwrap()
        .belief
}

/// Probes of a session that turn out to be other pages, until the belief falls.
fn disprove(site: &mut Site, belief: BeliefId) -> u64 {
    (0..60)
        .find(|&id| {
            let url = format!("{}&sid={id}new", article(id));
            let learned = site.observe(
                &url.parse().unwrap(),
                &text(90_000 + id),
                None,
                Some(belief),
            );
            assert_eq!(learned.was_duplicate, Some(false));
            learned.withdrawn.contains(&belief)
        })
        .unwrap()
}

#[test]
fn a_session_in_the_address_is_learned_and_its_links_are_dropped() {
    let mut site = with_sessions();
    assert!(site.predict("http://e.org/article?id=7&sid=99x").is_some());
    assert!(site.predict(&article(7)).is_none(), "that page was fetched");
    assert_eq!(see(&mut site, &article(1000), 1000).is_new, Some(true));
    let copy = "http://e.org/article?id=1000&sid=1";
    assert!(site.predict(copy).is_some());
    assert_eq!(see(&mut site, copy, 1000).is_new, Some(false));
}

#[test]
fn whoever_asks_is_told_all_claims_that_make_a_copy_of_a_link() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..400 {
        let page = if id % 2 == 0 {
            article(id)
        } else {
            format!("http://e.org/item?n={id}")
        };
        see(&mut site, &page, id);
        see(&mut site, &format!("{page}&sid={id}f"), id);
        see(&mut site, &format!("{page}&ref={id}r"), id);
    }
    let told = |more: &str| {
        let mut told = Vec::new();
        let url = article(8) + more;
        site.remarks(&url, (None, None), &mut |remark| told.push(remark));
        told
    };
    let copy = format!("taken for a copy of {}", article(8));
    assert_eq!(told("&sid=99x"), [&*copy]);
    let of_both = told("&sid=99x&ref=99r");
    let has = |claim| of_both[0].contains(claim);
    assert!(has("several claims together") && has("sid is ignored") && has("ref is ignored"));
    assert_eq!(of_both[1..], [copy]);
}

#[test]
fn forms_behind_any_number_of_addresses_are_proved_each_for_itself_soon() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let forms = ["login", "register", "reset"];
    let link = |form: &str, i: u64| format!("http://e.org/w?do={form}&back=p{i}&how=m{}", i % 7);
    for i in 0..40 {
        see(&mut site, &article(i), 100 + i);
    }
    let fetched = (0..1000).find(|i| {
        for (form, page) in forms.iter().zip(1..) {
            see(&mut site, &link(form, *i), page);
        }
        (forms.iter()).all(|form| site.predict(&link(form, 5000)).is_some())
    });
    // 65 trials of each would do if it were the only claim.
    assert!((65..130).contains(&fetched.unwrap()), "{fetched:?}");
    assert!(site.predict(&link("feedback", 5000)).is_none());
}

#[test]
fn tails_of_several_lengths_prove_together_that_they_do_not_matter() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let link = |item: u64, tail: &str| format!("http://e.org/shop/item-{item}/{tail}");
    let tails = |n: u64| [format!("ref={n}"), format!("q={n}/ref={n}")];
    for item in 0..90 {
        // Each item has tails of one length: neither has as many trials as a claim about it alone needs.
        let of = (item % 2) as usize;
        for visit in 0..2 {
            let tail = &tails(7919 * item + visit)[of];
            see(&mut site, &link(item, tail), item);
        }
    }
    for tail in tails(5) {
        assert!(site.predict(&link(44, &tail)).is_some(), "{tail}");
    }
    let longer = link(44, "a/b/c/d");
    assert!(site.predict(&longer).is_none(), "none is known to hold");
    see(&mut site, &link(44, "reviews/by/one"), 44);
    let other = link(45, "reviews/by/two");
    assert!(site.predict(&other).is_none(), "one is not enough");
}

/// A form that is the same behind every link to it; a notice that comes up later is a small part of it.
fn form_with(notice: &str) -> String {
    let words: Vec<String> = text(1_000_005)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    format!("{}\n{notice}", words[..42].join(" "))
}

#[test]
fn a_notice_that_comes_up_amid_a_crawl_does_not_stop_what_is_being_learned() {
    let link = |id: u64| format!("http://e.org/login?from={id}x");
    let believed_after = |notices: u64| {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for id in 0..200 {
            see(&mut site, &article(id), id);
        }
        let before = form_with("");
        let since = form_with("the page before is being changed by somebody else");
        for id in 0..30 {
            site.observe(&link(id).parse().unwrap(), &before, None, None);
        }
        for id in 30..30 + notices {
            site.observe(&link(id).parse().unwrap(), &since, None, None);
        }
        site.predict(&link(999)).is_some()
    };
    assert!(!believed_after(10), "40 pages are not enough");
    assert!(believed_after(90));
}

#[test]
fn trials_seen_are_those_that_took_place_screening_included() {
    let ratios = Ratios::for_risk(0.02);
    let mut belief = Belief::new(0, Level::Host, 1, 1.0);
    for trial in 0..10 {
        assert_eq!(belief.seen(), trial);
        belief.count(true, u64::from(trial), 0, 4, About::Query, &ratios);
    }
    assert!(belief.is_tried());
    let mut imported = Belief::new(0, Level::Host, 1, 1.0);
    imported.start();
    assert_eq!(
        imported.seen(),
        0,
        "what is taken from elsewhere was not tried here"
    );
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
