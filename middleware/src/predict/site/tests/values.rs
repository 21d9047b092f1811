//! A parameter that is always there, with one of few values.

use super::*;

fn of(id: u64, value: u64) -> String {
    format!("http://e.org/row?id={id}&full={value}")
}

fn bare(id: u64) -> String {
    format!("http://e.org/row?id={id}")
}

/// A site of rows, each met with two values that do not matter.
fn with_two_values() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..140 {
        see(&mut site, &of(id, 0), id);
    }
    for id in 0..140 {
        see(&mut site, &of(id, 1), id);
    }
    for id in 200..300 {
        see(&mut site, &of(id, id % 2), id);
    }
    site
}

fn is_dropped(site: &Site, url: &str) -> bool {
    site.predict(url).is_some()
}

#[test]
fn of_two_values_either_stands_for_the_other() {
    let site = with_two_values();
    for id in 200..300 {
        assert!(is_dropped(&site, &of(id, 1 - id % 2)), "{id}");
    }
}

#[test]
fn of_two_values_in_many_folders_of_few_pages_either_stands_for_the_other() {
    let row = |folder: u64, id: u64, value: u64| {
        let name = format!("{}olta", char::from(b'a' + folder as u8));
        format!("http://e.org/{name}/view?id={id}&v={value}")
    };
    let mut site = Site::new("e.org", &PredictConfig::default());
    for value in 1..=2 {
        for (folder, id) in (0..25).flat_map(|folder| (0..30).map(move |id| (folder, id))) {
            see(&mut site, &row(folder, id, value), 100 * folder + id);
        }
    }
    see(&mut site, &row(7, 90, 1), 9999);
    assert!(is_dropped(&site, &row(7, 90, 2)));
}

#[test]
fn two_values_of_a_parameter_say_nothing_of_urls_without_it_or_with_others() {
    let mut site = with_two_values();
    for site in [&site, &saved(&site)] {
        for other in [bare(200), of(200, 2), format!("{}&full=", bare(200))] {
            assert!(!is_dropped(site, &other), "{other}");
        }
    }
    for id in 200..240 {
        let learned = see(&mut site, &bare(id), 5000 + id);
        assert!(learned.withdrawn.is_empty(), "{id}: it said nothing of it");
        assert!(!is_dropped(&site, &bare(id + 1)), "{id}");
    }
    assert!(is_dropped(&site, &of(250, 1)));
    // Nor do these say anything of the values, nor does one that is a copy of others.
    see(&mut site, &bare(250), 250);
    see(&mut site, &bare(400), 400);
    assert!(!is_dropped(&site, &of(400, 1)) && !is_dropped(&site, &bare(251)));
}

#[test]
fn values_stand_for_each_other_where_the_url_without_is_another_page() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &bare(id), 5000 + id);
        see(&mut site, &of(id, 0), id);
    }
    for id in 0..120 {
        see(&mut site, &of(id, 1), id);
    }
    assert!(is_dropped(&site, &of(150, 1)));
    see(&mut site, &of(300, 1), 300);
    assert!(!is_dropped(&site, &bare(300)));
}

#[test]
fn one_value_and_none_say_nothing_of_other_values() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &bare(id), id);
    }
    for id in 0..150 {
        see(&mut site, &of(id, 1), id);
    }
    assert!(is_dropped(&site, &of(199, 1)));
    assert!(!is_dropped(&site, &of(199, 2)));
}
