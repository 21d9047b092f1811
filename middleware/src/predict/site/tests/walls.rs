//! Busy servers that say 200, and what else comes instead of pages.

use nodust_frontier::DropReason;

use super::*;

const BUSY: u64 = 1_000_000;

fn visit(id: u64, visit: u64) -> String {
    format!("{}&sid={visit}v{id}", article(id))
}

/// Articles under their plain address and two visits each, of which every tenth is a busy server.
fn learn_beside_busy_answers(site: &mut Site, ids: std::ops::Range<u64>) {
    for id in ids {
        see(site, &article(id), id);
        for turn in 0..2 {
            let is_busy = (2 * id + turn) % 10 == 7;
            see(site, &visit(id, turn), if is_busy { BUSY } else { id });
        }
    }
}

fn beside_busy_answers() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    learn_beside_busy_answers(&mut site, 0..300);
    site
}

#[test]
fn answers_of_a_busy_server_do_not_hide_that_sessions_mean_nothing() {
    let site = beside_busy_answers();
    assert!(site.predict(&visit(7, 99)).is_some());
    assert!(site.predict(&article(5000)).is_none());
}

#[test]
fn a_busy_answer_stands_for_no_page_until_the_page_comes() {
    let mut site = beside_busy_answers();
    see(&mut site, &article(5000), BUSY);
    assert_eq!(
        site.predict(&visit(5000, 1)),
        None,
        "what the busy server hid may come under this"
    );
    see(&mut site, &visit(5000, 1), 5000);
    assert!(site.predict(&visit(5000, 2)).is_some());
    see(&mut site, &visit(5000, 3), BUSY);
    assert!(site.predict(&visit(5000, 4)).is_some());
}

#[test]
fn a_probe_that_a_busy_server_answers_says_nothing_of_the_belief() {
    let mut site = beside_busy_answers();
    let belief = session_belief(&site);
    for id in 0..60 {
        let url = visit(id, 1000).parse().unwrap();
        let learned = site.observe(&url, &text(BUSY), None, Some(belief));
        assert_eq!(learned.was_duplicate, None);
        assert!(learned.withdrawn.is_empty());
    }
    assert_eq!(session_belief(&site), belief);
}

#[test]
fn what_was_dropped_for_a_busy_answer_is_judged_anew_once_it_is_known_as_one() {
    let mut site = with_sessions();
    let belief = session_belief(&site);
    // For a while everything is busy, and nothing says that this is none of the pages.
    for id in 5000..5030 {
        see(&mut site, &article(id), BUSY);
    }
    assert!(site.predict(&visit(5020, 1)).is_some());
    let mut told = Vec::new();
    for id in 0..4 {
        for other in 100..130 {
            see(&mut site, &visit(other, 400 + id), other);
        }
        // The server is busy again, where others show the page.
        let generation = site.generation();
        let learned = see(&mut site, &visit(id, 500), BUSY);
        let is_reopened = learned.reopened.contains(&belief);
        told.push((is_reopened, site.generation() > generation));
    }
    assert_eq!(told[3], (true, true));
    assert_eq!(site.predict(&visit(5020, 1)), None);
    // Until it was known as such the server's answers were failures like others.
    for id in 30..110 {
        see(&mut site, &visit(id, 600), id);
    }
    assert!(site.predict(&visit(7, 99)).is_some());
    assert_eq!(site.predict(&visit(5020, 1)), None);
}

#[test]
fn a_notice_that_most_profiles_show_is_a_page_like_others() {
    // Nothing in these URLs tells the profiles that are public.
    let profile = |id: u64| format!("http://e.org/profile?id={id}");
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..900 {
        see(&mut site, &article(id), id);
        see(
            &mut site,
            &profile(id),
            if id % 30 == 17 { 50_000 + id } else { BUSY },
        );
    }
    assert_eq!(site.predict(&profile(9000)), None);
}

#[test]
fn what_is_known_of_busy_servers_is_read_back() {
    let mut site = beside_busy_answers();
    let mut back = saved(&site);
    assert_eq!(back.walls, site.walls);
    for site in [&mut site, &mut back] {
        see(site, &article(5000), BUSY);
        assert_eq!(site.predict(&visit(5000, 1)), None);
    }
}

#[test]
fn sessions_that_have_ended_lead_to_a_form_and_say_nothing_of_those_that_have_not() {
    const FORM: &str = "http://e.org/login";
    let mut site = Site::new("e.org", &PredictConfig::default());
    see(&mut site, FORM, BUSY);
    for id in 0..300 {
        see(&mut site, &article(id), id);
        for turn in 0..2 {
            if (2 * id + turn) % 10 == 7 {
                site.observe_redirect(&visit(id, turn), FORM, None);
            } else {
                see(&mut site, &visit(id, turn), id);
            }
        }
    }
    let belief = session_belief(&site);
    for id in 0..60 {
        let learned = site.observe_redirect(&visit(id, 1000), FORM, Some(belief));
        assert_ne!(learned.was_duplicate, Some(false), "the form was known");
        assert!(learned.withdrawn.is_empty());
    }
    assert!(site.predict(&visit(7, 99)).is_some());
}

#[test]
fn a_page_that_took_the_place_of_a_busy_answer_keeps_it_when_pages_are_filed_anew() {
    let mut site = beside_busy_answers();
    see(&mut site, &article(5000), BUSY);
    see(&mut site, &visit(5000, 1), 5000);
    assert!(site.predict(&visit(5000, 2)).is_some());
    site.stale = true;
    for id in 10_000..10_400 {
        see(&mut site, &article(id), id);
    }
    assert!(site.predict(&visit(5000, 2)).is_some());
}

#[test]
fn what_most_urls_show_is_no_accident_and_makes_nothing_of_the_others_true() {
    let cursor = |id: u64, turn: u64| format!("{}&cursor={turn}c{id}", article(id));
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..500 {
        see(&mut site, &article(id), id);
        for turn in 0..3 {
            // A third of the cursors show where the list begins, and most nothing more.
            let content = if (id + turn) % 3 == 0 { id } else { BUSY };
            see(&mut site, &cursor(id, turn), content);
        }
    }
    assert_eq!(site.predict(&cursor(7, 99)), None);
}

#[test]
fn a_site_that_was_read_back_amid_busy_answers_goes_on_like_the_one_that_was_written() {
    for pages in [40, 60, 150] {
        let mut site = Site::new("e.org", &PredictConfig::default());
        learn_beside_busy_answers(&mut site, 0..pages);
        let mut back = saved(&site);
        assert_eq!(back.walls, site.walls);
        for id in pages..pages + 150 {
            for site in [&mut site, &mut back] {
                learn_beside_busy_answers(site, id..id + 1);
            }
            assert_eq!(back.walls, site.walls);
            assert_eq!(back.generation(), site.generation());
            for other in (0..id).step_by(7) {
                let url = visit(other, 99);
                assert_eq!(back.predict(&url), site.predict(&url));
            }
        }
    }
}

/// A text of ten of sixty lines, which many other pages have, too.
fn of_a_pool(page: u64) -> String {
    let line = |n: u64| format!("{}\n", text(700_000 + n).split('\n').next().unwrap());
    let first = page % 60;
    (0..10)
        .map(|n| line((first + n * (1 + page / 60 % 59)) % 60))
        .collect()
}

/// The same, with the number of its visitor below.
fn of_visitor(page: u64, number: u64) -> String {
    format!("{}visitor number {number}\n", of_a_pool(page))
}

fn see_text(site: &mut Site, url: &str, text: &str) {
    site.observe(&url.parse().unwrap(), text, None, None);
}

fn drop_of(site: &Site, url: &str) -> Option<DropReason> {
    site.judge(url, (None, None), || None).0
}

fn menu(n: u64) -> String {
    format!("http://e.org/menus/{n}")
}

#[test]
fn pages_of_lines_that_many_have_are_no_drought_where_no_two_say_the_same() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for n in 0..1500 {
        assert!(drop_of(&site, &menu(n)).is_none(), "{n}");
        see_text(&mut site, &menu(n), &of_visitor(n, n));
    }
    // What was met as nothing but chrome is known after a restart, too.
    let menu_again = |site: &mut Site, folder: &str, n: u64| {
        let text = of_visitor(1000 + n, 9000 + n);
        see_text(site, &format!("http://e.org/{folder}/{n}"), &text);
    };
    (0..400).for_each(|n| menu_again(&mut site, "once", n));
    let mut again = saved(&site);
    for site in [&mut site, &mut again] {
        (0..400).for_each(|n| menu_again(site, "twice", n));
        let is_left = drop_of(site, "http://e.org/twice/5000");
        assert!(matches!(is_left, Some(DropReason::OverBudget { .. })));
    }
    // And one text is one, whatever the number of visitors on it.
    for n in 0..400 {
        let text = of_visitor(7, 2000 + n);
        see_text(&mut site, &format!("http://e.org/members/{n}"), &text);
    }
    let is_left = drop_of(&site, "http://e.org/members/999");
    assert!(matches!(is_left, Some(DropReason::OverBudget { .. })));
}
