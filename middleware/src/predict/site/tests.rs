//! What a site learns, told page by page.

use nodust_frontier::BeliefId;

use super::*;
use crate::predict::{belief::About, form::Param, parts::Parts};

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

pub(super) fn see(site: &mut Site, url: &str, page: u64) -> Learned {
    site.observe(&url.parse().unwrap(), &text(page), None, None)
}

pub(super) fn article(id: u64) -> String {
    format!("http://e.org/article?id={id}")
}

/// A site where `sid` was seen to be irrelevant on 200 articles.
pub(super) fn with_sessions() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &article(id), id);
        see(&mut site, &format!("{}&sid={id}f", article(id)), id);
    }
    site
}

/// The belief that drops links with a session.
fn session_belief(site: &Site) -> BeliefId {
    site.predict("http://e.org/article?id=7&sid=99x")
        .unwrap()
        .belief
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
fn a_parameter_is_tried_though_what_it_leaves_is_known_under_a_shorter_address() {
    let topic = |id: u64, rest: &str| format!("http://e.org/topic?f={}&t={id}{rest}", id % 31);
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..300 {
        see(&mut site, &topic(id, ""), id);
        see(&mut site, &format!("http://e.org/topic?t={id}"), id);
        // For lists it matters.
        let list = format!("http://e.org/board/list?f={}&p={}", id % 31, id / 31);
        see(&mut site, &list, 2000 + id);
    }
    assert!(site.predict(&topic(7, "")).is_none(), "it was fetched");
    assert!(site.predict("http://e.org/topic?f=9&t=8").is_some());
    let printed = "&view=print";
    for id in 400..600 {
        see(&mut site, &topic(id, ""), id);
        see(&mut site, &topic(id, printed), id);
    }
    see(&mut site, &topic(700, ""), 700);
    assert!(site.predict(&topic(700, printed)).is_some());
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

/// A form that is the same behind every link to it; a notice that comes up later is a small part of it.
fn form_with(notice: &str) -> String {
    let words: Vec<String> = text(5).split_whitespace().map(str::to_owned).collect();
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

/// The list of recent changes, as linked from the page of this name.
fn link(id: &str) -> String {
    format!("http://e.org/do?id={id}&do=recent")
}

/// A wiki where that list was seen to be the same behind 200 pages of these names.
fn with_recent_changes(name: impl Fn(u64) -> String) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &article(id), id);
        see(&mut site, &link(&name(id)), 7777);
    }
    site
}

#[test]
fn a_kind_of_value_that_a_claim_was_never_tried_on_is_fetched_first() {
    let mut site = with_recent_changes(|id| {
        let namespace = ["guide", "faq", "platform"][id as usize % 3];
        format!("{namespace}:x{id}")
    });
    assert!(site.predict(&link("faq:new")).is_some());
    assert!(site.predict(&link("wiki:new")).is_none());
    see(&mut site, &link("wiki:new"), 7777);
    assert!(site.predict(&link("wiki:other")).is_some());
    for id in 0..4 {
        see(&mut site, &link(&format!("news:{id}")), 8000 + id);
    }
    assert!(site.predict(&link("news:new")).is_none(), "an exception");
    assert!(site.predict(&link("faq:newer")).is_some());

    let site = with_recent_changes(|id| format!("u{id}x:{id}"));
    assert!(
        site.predict(&link("u999x:999")).is_some(),
        "each has a kind of its own: kinds tell nothing"
    );
}

#[test]
fn kinds_of_values_and_their_exceptions_outlive_the_process() {
    let mut site = with_recent_changes(|id| {
        let namespace = ["guide", "faq", "platform"][id as usize % 3];
        format!("{namespace}:x{id}")
    });
    see(&mut site, &link("wiki:0"), 7777);
    for id in 0..4 {
        see(&mut site, &link(&format!("news:{id}")), 8000 + id);
    }
    let mut parts = Parts::default();
    site.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    let mut again = Site::load("e.org", &parts).unwrap();
    for id in ["faq:new", "wiki:new", "news:new", "other:new"] {
        assert_eq!(again.predict(&link(id)), site.predict(&link(id)), "{id}");
    }
    assert!(again.predict(&link("wiki:new")).is_some());
    assert!(again.predict(&link("news:new")).is_none());
    let mut records = Vec::new();
    again.records(&mut |record| records.push(record));
    assert!(records.iter().any(|record| record.exceptions > 0));
    for site in [&mut site, &mut again] {
        see(site, &link("other:new"), 7777);
        see(site, &link("third:new"), 9999);
    }
    for id in ["other:x", "third:x"] {
        assert_eq!(again.predict(&link(id)), site.predict(&link(id)), "{id}");
    }
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
fn what_turns_out_wrong_is_taken_back_with_all_that_may_have_leaned_on_it() {
    let mut site = with_sessions();
    let belief = session_belief(&site);
    let fell = (0..60).find(|&id| {
        let url = format!("{}&sid={id}new", article(id));
        let learned = site.observe(
            &url.parse().unwrap(),
            &text(90_000 + id),
            None,
            Some(belief),
        );
        !learned.withdrawn.is_empty()
    });
    assert!(fell.is_some_and(|probes| probes < 30), "{fell:?}");
    for id in 60..120 {
        let url = format!("{}&sid={id}new", article(id));
        site.observe(
            &url.parse().unwrap(),
            &text(90_000 + id),
            None,
            Some(belief),
        );
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
fn a_probe_that_returns_after_its_belief_fell_still_counts() {
    let mut site = with_sessions();
    let belief = session_belief(&site);
    disprove(&mut site, belief);
    let mut probe = |id: u64, content| {
        let url = format!("{}&sid={id}late", article(id)).parse().unwrap();
        site.observe(&url, &text(content), None, Some(belief))
            .was_duplicate
    };
    assert_eq!(probe(150, 150), Some(true));
    assert_eq!(probe(151, 95_000), Some(false));
}

#[test]
fn with_no_room_for_more_pages_beliefs_are_still_audited_and_fall() {
    let config = PredictConfig {
        max_pages: 400,
        ..PredictConfig::default()
    };
    let mut site = with_sessions();
    site.configure(&config);
    let belief = session_belief(&site);
    assert_eq!(site.pages(), 400);
    let url = format!("{}&sid=right", article(9)).parse().unwrap();
    let learned = site.observe(&url, &text(9), None, Some(belief));
    assert_eq!(learned.was_duplicate, Some(true));
    disprove(&mut site, belief);
    assert_eq!(site.pages(), 400, "nothing was remembered");
    assert!(site.predict("http://e.org/article?id=7&sid=99x").is_none());
}

#[test]
fn with_no_room_for_more_pages_nothing_is_taken_for_a_drought() {
    let config = PredictConfig {
        max_pages: 400,
        ..PredictConfig::default()
    };
    let mut site = Site::new("e.org", &config);
    for id in 0..4000 {
        // One page in ten is known, the others nobody can tell once the site is full.
        let page = if id % 10 == 9 { id % 300 } else { id };
        see(&mut site, &article(id), page);
    }
    assert!(site.predict(&article(9000)).is_none());
}

#[test]
fn exploration_draws_anew_for_a_belief_that_rose_again() {
    let mut site = with_sessions();
    let belief = session_belief(&site);
    assert!(site.draws().is_empty());
    disprove(&mut site, belief);
    let mut draws = Vec::new();
    for id in 1000..1400 {
        draws.extend(see(&mut site, &article(id), id).risen);
        draws.extend(see(&mut site, &format!("{}&sid={id}z", article(id)), id).risen);
    }
    assert!(draws.contains(&(belief, 1)), "{draws:?}");
    let mut kept = site.draws();
    kept.sort_unstable();
    draws.sort_unstable();
    assert_eq!(kept, draws);
}

#[test]
fn a_site_of_long_pages_or_of_redirects_only_does_not_wait_for_ever() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let long: String = (0..40).map(text).collect();
    for id in 0..40 {
        assert!(site.bytes() < 3 << 20);
        site.observe(
            &article(id).parse().unwrap(),
            &format!("{id} {long}"),
            None,
            None,
        );
    }
    assert!(!site.is_warming());
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..2000 {
        site.observe_redirect(&format!("{}&old={id}", article(id)), &article(0));
    }
    assert!(!site.is_warming());
    assert!(site.bytes() < 1 << 20);
}

#[test]
fn what_matters_for_one_action_of_a_script_need_not_for_another() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..260 {
        see(&mut site, &format!("http://e.org/doku.php?id=p{id}"), id);
        see(
            &mut site,
            &format!("http://e.org/doku.php?id=p{id}&do=edit"),
            5000 + id,
        );
        // Too short to be told from others: no trial of any claim can be decided.
        let short = format!("no backlinks to p{id} yet").repeat(1);
        let url = format!("http://e.org/doku.php?id=p{id}&do=backlink&x=1");
        site.observe(&url.parse().unwrap(), &short, None, None);
        for idx in 0..4 {
            let url = format!("http://e.org/doku.php?id=p{id}&idx={idx}");
            see(&mut site, &url, 9000 + idx);
        }
    }
    assert!(site.predict("http://e.org/doku.php?id=new&idx=2").is_some());
    assert!(
        site.predict("http://e.org/doku.php?id=new&do=edit")
            .is_none()
    );
    assert!(site.predict("http://e.org/doku.php?id=new").is_none());
}

#[test]
fn an_edit_that_fails_in_one_section_is_still_learned_in_another() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..400 {
        // Behind the second segment nothing matters in one section, and everything in the other.
        see(
            &mut site,
            &format!("http://e.org/shop/detail/all/{id}"),
            5000 + id,
        );
        see(
            &mut site,
            &format!("http://e.org/shop/detail/all/{}", id + 1000),
            6000 + id,
        );
        if id >= 200 {
            let item = id % 100;
            let noise = 7919 * id;
            see(
                &mut site,
                &format!("http://e.org/shop/item-{item}/qid={noise}/ref=1/{id}-x/y"),
                item,
            );
        }
    }
    for id in 400..800 {
        let item = id % 100;
        see(
            &mut site,
            &format!(
                "http://e.org/shop/item-{item}/qid={}/ref=1/{id}-x/y",
                7919 * id
            ),
            item,
        );
    }
    assert!(
        site.predict("http://e.org/shop/item-7/qid=1/ref=1/z-x/y")
            .is_some()
    );
    assert!(site.predict("http://e.org/shop/detail/all/99999").is_none());
}

/// A script whose pages depend on `do` alone, and never on `id`.
fn script(action: &str, id: u64) -> String {
    format!("http://e.org/script?id=p{id}&do={action}")
}

fn with_actions() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for action in 0..120 {
        for id in 0..3 {
            let name = format!("a{action}");
            see(&mut site, &script(&name, action * 7 + id), 5000 + action);
        }
    }
    site
}

#[test]
fn what_cannot_be_told_for_one_action_of_a_script_is_not_carried_by_the_others() {
    let mut site = with_actions();
    see(&mut site, &script("view", 1), 6000);
    assert!(site.predict(&script("view", 900)).is_some());
    for id in 0..6 {
        let url = script("note", id).parse().unwrap();
        site.observe(&url, &format!("note {id} says little"), None, None);
    }
    assert!(site.predict(&script("note", 900)).is_none());
    assert!(site.predict(&script("view", 900)).is_some());
}

#[test]
fn a_set_of_parameters_is_denied_where_the_part_of_it_that_is_there_fails() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &article(id), id);
        see(&mut site, &format!("{}&sid={id}f", article(id)), id);
        see(
            &mut site,
            &format!("{}&sid={id}e&ref={id}", article(id)),
            id,
        );
    }
    let any = |names: &[&str]| {
        let params = names.iter().map(|name| Param::Any((*name).to_owned()));
        Edit::Params(params.collect())
    };
    site.register_one(any(&["ref", "sid"]));
    for id in 300..420 {
        see(&mut site, &article(id), id);
        see(&mut site, &format!("{}&sid={id}f", article(id)), id);
        see(
            &mut site,
            &format!("{}&sid={id}e&ref={id}", article(id)),
            id,
        );
    }
    let (part, set) = (
        site.numbers[&any(&["sid"])],
        site.numbers[&any(&["ref", "sid"])],
    );
    let url = format!("{}&sid=new", article(350));
    let before = Form::parse(&url);
    assert!(site.decide(set, &before).is_some());
    let mut learned = Learned::default();
    for _ in 0..3 {
        site.trial(
            part,
            &before,
            Sameness::Different,
            false,
            (1, 0),
            &mut learned,
        );
    }
    assert!(site.decide(set, &before).is_none());
    let other = format!("{}&sid=new&ref=x", article(350));
    assert!(site.decide(set, &Form::parse(&other)).is_some());
}
