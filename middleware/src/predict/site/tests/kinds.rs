//! Claims that hold for the kinds of values that they were tried on.

use super::*;

/// The list of recent changes, as linked from the page of this name.
fn link(id: &str) -> String {
    format!("http://e.org/do?id={id}&do=recent")
}

/// What is said of a link beside whether it is dropped.
fn remarks(site: &Site, url: &str) -> Vec<String> {
    let mut told = Vec::new();
    site.remarks(url, (None, None), &mut |remark| told.push(remark));
    told
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
    assert!(remarks(&site, "http://e.org/somewhere?else=1").is_empty());
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
fn what_holds_for_numbers_and_tokens_is_not_said_of_words() {
    let tab = |id: u64, tab: &str| format!("{}&tab={tab}", article(id));
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &article(id), id);
        see(&mut site, &tab(id, &format!("{:x}7", 1000 + id * 77)), id);
    }
    assert!(site.predict(&tab(7, "4711")).is_some());
    assert!(site.predict(&tab(7, "reviews")).is_none());
    let [why] = &remarks(&site, &tab(7, "reviews"))[..] else {
        panic!("{:?}", remarks(&site, &tab(7, "reviews")));
    };
    assert!(
        why.contains("tab is ignored") && why.contains("not tried on a value of this kind"),
        "{why}"
    );
    for id in 0..4 {
        see(&mut site, &tab(id, "reviews"), 8000 + id);
    }
    assert!(site.predict(&tab(7, "offers")).is_none(), "an exception");
    assert!(site.predict(&tab(7, "4712")).is_some());
}

#[test]
fn that_no_parameter_of_a_path_matters_is_not_said_of_a_name_that_was_never_there() {
    let login = |query: &str| format!("http://e.org/login?{query}");
    let mut site = Site::new("e.org", &PredictConfig::default());
    see(&mut site, "http://e.org/login", 7777);
    for id in 0..300 {
        see(&mut site, &article(id), id);
        let (back, from) = (format!("back=x{id}"), format!("from=y{id}"));
        let query = [back.clone(), from.clone(), format!("{back}&{from}")];
        see(&mut site, &login(&query[id as usize % 3]), 7777);
    }
    assert!(site.predict(&login("from=y777&back=x778")).is_some());
    assert!(site.predict(&login("user=7")).is_none());
    see(&mut site, &login("user=7"), 7777);
    assert!(site.predict(&login("user=8")).is_some());
}

/// Articles in these themes, of which the first looks like the article without any.
fn in_themes(themes: &[&str], page: impl Fn(u64, &str) -> u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..400 {
        let theme = themes[id as usize % themes.len()];
        see(&mut site, &article(id), id);
        see(&mut site, &themed(id, theme), page(id, theme));
    }
    site
}

fn themed(id: u64, theme: &str) -> String {
    format!("{}&theme={theme}", article(id))
}

#[test]
fn a_value_that_was_never_met_is_fetched_first_where_values_are_few() {
    let mut site = in_themes(&["dark", "light", "blue"], |id, _| id);
    assert!(site.predict(&themed(7, "dark")).is_some());
    assert!(site.predict(&themed(7, "print")).is_none());
    see(&mut site, &themed(7, "print"), 9999);
    assert!(site.predict(&themed(8, "print")).is_none(), "an exception");
    see(&mut site, &themed(7, "large"), 7);
    assert!(site.predict(&themed(8, "large")).is_some(), "one kind more");

    let site = in_themes(&[""], |id, _| id);
    assert!(site.predict(&themed(7, "dark")).is_none());
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &article(id), id);
        see(&mut site, &themed(id, &format!("t{id}")), id);
    }
    assert!(
        site.predict(&themed(7, "t777")).is_some(),
        "each is new: that tells nothing"
    );
}

#[test]
fn a_value_that_fails_whenever_it_is_met_is_an_exception() {
    let known = [
        "dark", "light", "blue", "green", "red", "gold", "grey", "white",
    ];
    let themes: Vec<&str> = (0..24)
        .map(|n| known[n % known.len()])
        .chain(["print"])
        .collect();
    let page = |id, theme: &str| if theme == "print" { 5000 + id } else { id };
    let site = in_themes(&themes, page);
    assert!(site.predict(&themed(7, "light")).is_some());
    assert!(site.predict(&themed(7, "print")).is_none());
}

#[test]
fn what_holds_on_a_path_is_not_stretched_to_other_parameters_beside() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let doc = |id: u64, rest: &str| format!("http://e.org/doc?id={id}{rest}");
    for id in 0..200 {
        see(&mut site, &doc(id, ""), id);
        see(&mut site, &doc(id, &format!("&ref=r{id}")), id);
        // Elsewhere it matters.
        let (list, other) = ("http://e.org/list?ref", "http://e.org/list");
        see(&mut site, &format!("{list}=r{id}"), 7000 + id);
        see(&mut site, other, 6999);
    }
    see(&mut site, &doc(300, ""), 300);
    assert!(site.predict(&doc(300, "&ref=r777")).is_some());
    let history = |rest: &str| doc(300, &format!("&hist=1{rest}"));
    see(&mut site, &history(""), 8000);
    assert!(site.predict(&history("&ref=r777")).is_none());
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
    let mut again = saved(&site);
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
fn two_values_are_enough_to_say_that_a_parameter_does_not_matter_and_one_is_not() {
    for values in [1, 2] {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for id in 0..200 {
            see(&mut site, &article(id), id);
            let url = format!("{}&view={}", article(id), id % values);
            see(&mut site, &url, id);
        }
        let believed = site.beliefs.family().any(|belief| {
            let claim = site.claim_of(belief).to_string();
            belief.state == crate::predict::belief::State::Active
                && claim.starts_with("view is ignored |")
        });
        assert_eq!(believed, values == 2, "{values}");
    }
}

#[test]
fn a_new_number_of_numbered_hosts_is_fetched_first_and_is_an_exception_where_it_brings_something_else()
 {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let page = |host: u64, id: u64| format!("http://www{host}.e.org/item/{id}");
    for id in 0..120 {
        for copy in 0..2 {
            see(&mut site, &page(1 + (id + 3 * copy) % 8, id), id);
        }
    }
    assert!(site.predict(&page(5, 7)).is_some());
    for id in 0..6 {
        assert!(site.predict(&page(9, id)).is_none(), "nobody has asked it");
        see(&mut site, &page(9, id), 1000 + id);
    }
    assert!(site.predict(&page(9, 50)).is_none());
    assert!(site.predict(&page(5, 7)).is_some(), "the others are one");
}

#[test]
fn a_link_that_passes_says_what_speaks_for_leaving_it_out() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..160 {
        see(&mut site, &article(id), id);
        if id < 60 && id % 2 == 0 {
            see(&mut site, &format!("{}&sid={id}f", article(id)), id);
        }
    }
    let link = format!("{}&sid=9x", article(151));
    let told = remarks(&site, &link);
    let [why] = &told[..] else {
        panic!("{told:?}");
    };
    let claim = "sid is ignored | ";
    assert!(why.contains(claim) && why.contains(&article(151)), "{why}");
    assert!(why.contains(" trials, 0 failed;"), "{why}");
    let other = format!("{}&sid=9x", article(9000));
    assert_eq!(remarks(&site, &other), [""; 0], "no such page was met");
    assert_eq!(remarks(&site, &article(151)), [""; 0], "it was fetched");
}
