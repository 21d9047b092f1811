//! Copies that lead to what no other page leads to.

use super::*;
use crate::predict::site::pages::name_of;

fn see_on(site: &mut Site, on: &str, url: &str, page: u64) -> Learned {
    let facts = Facts {
        found_on: Some(name_of(on)),
        ..Facts::default()
    };
    site.observe_page(&url.parse().unwrap(), &text(page), facts)
}

fn album(id: u64, part: u64) -> String {
    match part {
        0 => format!("http://e.org/album/{id}"),
        part => format!("http://e.org/album/{id}?part={part}"),
    }
}

/// A part of an album of which only the first was fetched.
const OTHER: u64 = 900;

/// Albums of which all parts have the same words.
fn with_albums(albums: u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    see_on(&mut site, "http://e.org/", &album(OTHER, 0), OTHER);
    for (part, id) in (0..4).flat_map(|part| (0..albums).map(move |id| (part, id))) {
        see_on(&mut site, "http://e.org/", &album(id, part), id);
    }
    assert!(site.predict(&album(OTHER, 2)).is_some());
    site
}

/// Sees a picture of its own for each part of twenty albums, by the URL that the album's page leads to; whether anything came back.
fn with_pictures(
    site: &mut Site,
    mut see: impl FnMut(&mut Site, &str, &str, u64) -> Learned,
) -> bool {
    let mut came_back = false;
    for (id, part) in (0..20).flat_map(|id| (0..4).map(move |part| (id, part))) {
        let picture = 1000 + 10 * id + part;
        let url = format!("http://e.org/picture/{picture}");
        let learned = see(site, &album(id, part), &url, picture);
        came_back |= !learned.reopened.is_empty();
    }
    came_back
}

#[test]
fn what_leads_to_other_pictures_each_time_is_no_copy_whatever_it_says() {
    let mut site = with_albums(120);
    let came_back = with_pictures(&mut site, see_on);
    assert!(came_back, "what was dropped is judged again");
    for mut site in [saved(&site), site] {
        assert!(site.predict(&album(OTHER, 2)).is_none());
        // What is fetched now leads to more.
        for part in 4..6 {
            for id in 0..120 {
                see_on(&mut site, "http://e.org/", &album(id, part), id);
                let picture = 3000 + 10 * id + part;
                let url = format!("http://e.org/picture/{picture}");
                see_on(&mut site, &album(id, part), &url, picture);
            }
        }
        assert!(site.predict(&album(OTHER, 2)).is_none());
        let why = &mut Vec::new();
        site.remarks(&album(OTHER, 2), (None, None), &mut |note| why.push(note));
        assert!(
            why.iter()
                .any(|note| note.contains("no other page leads to")),
            "{why:?}"
        );
    }
}

#[test]
fn copies_that_lead_to_what_their_originals_lead_to_stay_copies() {
    let mut site = with_albums(120);
    for id in 0..60 {
        let url = format!("http://e.org/picture/{id}");
        see_on(&mut site, &album(id, 0), &url, 1000 + id);
    }
    assert!(site.predict(&album(OTHER, 2)).is_some());
}

#[test]
fn where_few_copies_lead_to_something_new_they_stay_copies() {
    let mut site = with_albums(120);
    for id in 0..4 {
        let url = format!("http://e.org/picture/{id}");
        see_on(&mut site, &album(id, 1), &url, 1000 + id);
    }
    assert!(site.predict(&album(OTHER, 2)).is_some(), "4 of 360");
    for id in 120..220 {
        for part in 0..4 {
            see_on(&mut site, "http://e.org/", &album(id, part), id);
        }
        if id % 10 == 0 {
            let url = format!("http://e.org/picture/{id}");
            see_on(&mut site, &album(id, 1), &url, 1000 + id);
        }
    }
    assert!(site.predict(&album(OTHER, 2)).is_some(), "14 of 660");
}

#[test]
fn what_the_last_copies_lead_to_counts_however_many_led_to_nothing_before() {
    let mut site = with_albums(400);
    for id in 400..430 {
        for part in 0..4 {
            see_on(&mut site, "http://e.org/", &album(id, part), id);
        }
    }
    assert!(site.predict(&album(OTHER, 2)).is_some());
    for (id, part) in (400..430).flat_map(|id| (1..4).map(move |part| (id, part))) {
        let picture = 1000 + 10 * id + part;
        let url = format!("http://e.org/picture/{picture}");
        see_on(&mut site, &album(id, part), &url, picture);
    }
    for site in [saved(&site), site] {
        assert!(site.predict(&album(OTHER, 2)).is_none(), "90 of 1290");
    }
}

#[test]
fn links_that_have_the_session_of_a_copy_are_other_spellings_of_those_of_its_original() {
    let mut site = with_sessions();
    let session = |id: u64| format!("{:012x}", (id + 7).wrapping_mul(0x9E37_79B9_7F4A) >> 4);
    for id in 0..100 {
        let copy = format!("{}&sid={}", article(id), session(id));
        see(&mut site, &copy, id);
        let url = format!("http://e.org/more?about={id}&token={}", session(id));
        see_on(&mut site, &copy, &url, 5000 + id);
        let url = format!("http://e.org/less/{}/{id}", session(id));
        see_on(&mut site, &copy, &url, 7000 + id);
    }
    assert!(site.predict(&format!("{}&sid=7x", article(7))).is_some());
}

#[test]
fn a_shape_whose_pages_lead_to_something_new_has_no_drought() {
    let form = |part| format!("http://e.org/wall?part={part}");
    // Where there is one content, one copy in eight must lead, or parts do not matter.
    let kinds = [(1, 4), (2, 10), (5, 10)].into_iter();
    for (contents, one_in, leads) in kinds.flat_map(|(n, of)| [(n, of, false), (n, of, true)]) {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for part in 0..900 {
            see_on(&mut site, "http://e.org/", &form(part), 1 + part % contents);
            if leads && part > 5 && part % one_in == 0 {
                let picture = 5000 + part;
                let url = format!("http://e.org/picture/{picture}");
                see_on(&mut site, &form(part), &url, picture);
            }
        }
        let (dropped, _) = site.judge(&form(9000), (None, None), || None);
        assert_eq!(dropped.is_some(), !leads, "{contents} contents");
    }
}

#[test]
fn pictures_behind_links_that_redirect_count_for_the_page_of_the_link() {
    let mut site = with_albums(120);
    let came_back = with_pictures(&mut site, |site, album, url, picture| {
        let on = Some(name_of(album));
        site.observe_redirect_of(&format!("http://e.org/go/{picture}"), url, (None, on));
        *site = saved(site);
        see(site, url, picture)
    });
    assert!(came_back && site.predict(&album(OTHER, 2)).is_none());
}

#[test]
fn equal_pages_in_ever_other_folders_that_lead_to_something_new_are_followed() {
    let word = |n: u64| {
        let letter = |n: u64| char::from(b'a' + (n % 26) as u8);
        String::from_iter([letter(n), letter(n / 26), 'x'])
    };
    let folder = |n: u64| format!("http://e.org/{}/all", word(n));
    for leads in [false, true] {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for n in 0..100 {
            see_on(&mut site, "http://e.org/", &folder(n), 0);
            let on = if leads {
                folder(n)
            } else {
                "http://e.org/".to_owned()
            };
            see_on(&mut site, &on, &format!("http://e.org/item/{n}/a/b"), n + 1);
        }
        let (drop, _) = site.judge(&folder(200), (Some(name_of(&folder(7))), None), || None);
        assert_eq!(drop.is_some(), !leads, "{drop:?}");
    }
}
