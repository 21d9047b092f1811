//! Links that have long redirected to the same few contents.

use nodust_frontier::{DropReason, Standing};

use super::*;

fn target(id: u64) -> String {
    format!("http://e.org/news/x{id}")
}

/// A link to what only members may do, in a place that is never the same twice.
fn members_only(id: u64) -> String {
    format!("http://e.org/wishlist/add/{id}/from/k{:x}/", id * 7919)
}

const LOGIN: &str = "http://e.org/login";

/// A site of which so many links have led to the form to log in.
fn with_members_only(links: u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..100 {
        see(&mut site, &target(id), id);
    }
    see(&mut site, LOGIN, 9999);
    for id in 0..links {
        site.observe_redirect(&members_only(id), LOGIN, None);
    }
    site
}

fn dropped(site: &Site, url: &str) -> Option<DropReason> {
    site.judge(url, (None, None), || None).0
}

#[test]
fn links_that_have_long_led_to_the_same_form_are_left_out_until_one_leads_elsewhere() {
    assert!(dropped(&with_members_only(99), &members_only(500)).is_none());
    let mut site = with_members_only(100);
    let Some(DropReason::OverBudget { belief, .. }) = dropped(&site, &members_only(500)) else {
        panic!("it is not left out");
    };
    assert!(dropped(&site, &target(500)).is_none());
    let again = saved(&site);
    assert_eq!(again.yields.moved, site.yields.moved);
    assert_eq!(
        dropped(&again, &members_only(500)),
        dropped(&site, &members_only(500))
    );
    assert_eq!(again.record(belief), site.record(belief));
    let record = site.record(belief).unwrap();
    let (text, standing) = (record.text, record.standing);
    assert!(text.contains("http://e.org/wishlist/add/"), "{text}");
    assert_eq!((standing, record.trials >= 100), (Standing::Active, true));
    // One more of these that was explored says that it is right, and one that leads to what is known elsewhere that it is not.
    let learned = site.observe_redirect(&members_only(501), LOGIN, Some(belief));
    assert_eq!(learned.was_duplicate, Some(true));
    assert_eq!(learned.reopened, []);
    let learned = site.observe_redirect(&members_only(502), &target(3), Some(belief));
    assert_eq!(learned.reopened, [belief]);
    assert!(dropped(&site, &members_only(503)).is_none());
    assert_eq!(site.record(belief).unwrap().standing, Standing::Withdrawn);
    for id in 600..800 {
        site.observe_redirect(&members_only(id), LOGIN, None);
    }
    assert!(
        dropped(&site, &members_only(503)).is_none(),
        "it takes longer then"
    );
    for id in 800..2000 {
        site.observe_redirect(&members_only(id), LOGIN, None);
    }
    assert!(dropped(&site, &members_only(503)).is_some());
    assert_eq!(
        site.draws()
            .into_iter()
            .find(|(id, _)| *id == belief)
            .map(|(_, draw)| draw),
        Some(1)
    );
}

#[test]
fn a_form_to_log_in_that_is_another_url_for_each_link_is_the_same_form() {
    let form = |id: u64| format!("{LOGIN}?next={:x}", id * 104_729);
    let mut site = with_members_only(0);
    for id in 0..400 {
        let url = form(id);
        site.observe_redirect(&members_only(id), &url, None);
        if dropped(&site, &url).is_none() {
            see(&mut site, &url, 9999);
        }
    }
    assert!(dropped(&site, &form(500)).is_some());
    assert!(dropped(&site, &members_only(500)).is_some());
}

#[test]
fn links_that_redirect_to_one_page_each_are_followed() {
    let mut site = with_members_only(0);
    for id in 0..1000 {
        site.observe_redirect(&members_only(id), &target(id % 100), None);
    }
    assert!(dropped(&site, &members_only(5000)).is_none());
    // Nor are they left out where some are pages themselves.
    let mut site = with_members_only(90);
    see(&mut site, &members_only(90), 777);
    for id in 91..140 {
        site.observe_redirect(&members_only(id), LOGIN, None);
    }
    assert!(dropped(&site, &members_only(5000)).is_none());
}

#[test]
fn a_form_to_log_in_that_may_not_be_fetched_is_known_by_its_url() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..60 {
        see(&mut site, &target(id), id);
    }
    for id in 0..100 {
        site.observe_redirect(&members_only(id), LOGIN, None);
    }
    assert!(dropped(&site, &members_only(500)).is_some());
    site.observe_redirect(&members_only(500), &target(500), None);
    assert!(dropped(&site, &members_only(501)).is_none());
}

#[test]
fn a_link_that_leads_elsewhere_is_heard_at_once_wherever_that_is() {
    let elsewhere = ["http://x.net/", "http://e.org/not/met/yet"];
    for url in elsewhere {
        let mut site = with_members_only(0);
        for id in 0..30 {
            site.observe_redirect(&members_only(id), &target(id), None);
        }
        for id in 100..400 {
            site.observe_redirect(&members_only(id), LOGIN, None);
        }
        let Some(drop) = dropped(&site, &members_only(500)) else {
            panic!("it is not left out");
        };
        let learned = site.observe_redirect(&members_only(501), url, drop.belief());
        let is_left_out = dropped(&site, &members_only(500)).is_some();
        assert!(
            is_left_out != learned.reopened.contains(&drop.belief().unwrap()),
            "{url}"
        );
    }
}

#[test]
fn a_page_of_the_shape_is_heard_though_no_further_shapes_are_counted() {
    let config = PredictConfig {
        max_beliefs: 2,
        ..PredictConfig::default()
    };
    let mut site = Site::new("e.org", &config);
    for id in 0..100 {
        see(&mut site, &target(id), id);
    }
    see(&mut site, LOGIN, 9999);
    for id in 0..120 {
        site.observe_redirect(&members_only(id), LOGIN, None);
    }
    assert!(dropped(&site, &members_only(500)).is_some());
    assert_eq!(see(&mut site, &members_only(501), 7777).reopened.len(), 1);
    assert!(dropped(&site, &members_only(500)).is_none());
}

#[test]
fn pages_that_were_fetched_speak_against_a_notice_that_a_site_shows_for_a_while() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    see(&mut site, LOGIN, 9999);
    for id in 0..300 {
        see(&mut site, &target(id), id);
    }
    for id in 300..1000 {
        site.observe_redirect(&target(id), LOGIN, None);
    }
    assert!(dropped(&site, &target(5000)).is_none());
}
