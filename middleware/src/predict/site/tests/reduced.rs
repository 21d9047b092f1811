//! What is learned of some names of parameters beside what is believed of others.

use super::*;

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
