//! Sites that have no room for more pages, or none that can be learned from.

use super::*;

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
