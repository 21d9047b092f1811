//! Claims about a piece of a segment or of a value.

use super::*;

/// Words for titles; no two numbers close to each other have the same.
fn title(n: u64) -> String {
    const WORDS: [&str; 7] = ["red", "green", "old", "new", "big", "small", "odd"];
    let word = |n: u64| WORDS[(n % 7) as usize];
    format!("{}-{}-{}", word(n), word(n / 7), word(n / 49))
}

fn with(items: u64, visits: u64, url: impl Fn(u64, u64) -> (String, u64)) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..items {
        for visit in 0..visits {
            let (url, page) = url(id, visit);
            see(&mut site, &url, page);
        }
    }
    site
}

/// The claim on whose word a link is dropped.
fn claim(site: &Site, url: &str) -> Option<String> {
    let found = site.predict(url)?;
    let text = site.record(found.belief)?.text;
    Some(text.split(" | ").next()?.to_owned())
}

#[test]
fn any_title_may_follow_a_number() {
    let link = |id: u64, visit: u64| format!("http://e.org/thread/{id}-{}", title(id + 5 * visit));
    let site = with(120, 3, |id, visit| (link(id, visit), id));
    let said = "segment 1 of 2 behind its first - is ignored";
    let dropped = (0..120).filter(|id| claim(&site, &link(*id, 9)).as_deref() == Some(said));
    assert_eq!(dropped.count(), 120);
    assert_eq!(claim(&site, &link(500, 9)), None, "a number never met");
    assert_eq!(claim(&site, "http://e.org/thread/7"), None);
    assert_eq!(claim(&site, "http://e.org/thread/7-"), None);
    assert_eq!(claim(&site, "http://e.org/thread/7-a/b"), None);
}

#[test]
fn a_title_that_chooses_among_pages_is_no_title() {
    let link = |id: u64, visit: u64| format!("http://e.org/thread/{id}-{}", title(id + 5 * visit));
    let page = |id: u64, visit: u64| {
        if visit == 2 && id % 8 == 1 {
            1000 + id
        } else {
            id
        }
    };
    let site = with(200, 3, |id, visit| (link(id, visit), page(id, visit)));
    assert!((0..200).all(|id| claim(&site, &link(id, 9)).is_none()));
}

#[test]
fn of_two_cuts_the_one_that_leaves_more_is_made() {
    // Two names in seven begin alike.
    let link = |id: u64, visit: u64| {
        let token = xxhash_rust::xxh3::xxh3_64_with_seed(&id.to_le_bytes(), visit);
        format!("http://e.org/text/{}-{token:x}.html", title(id))
    };
    let site = with(100, 3, |id, visit| (link(id, visit), id));
    let said = "segment 1 of 2 behind its last - is ignored";
    assert!((0..100).all(|id| claim(&site, &link(id, 9)).as_deref() == Some(said)));
    assert!((200..300).all(|id| claim(&site, &link(id, 9)).is_none()));
    let other = link(7, 9).replace(".html", ".txt");
    assert_eq!(claim(&site, &other), None, "another kind of file");
}

#[test]
fn a_piece_of_a_value_need_not_matter() {
    let link =
        |id: u64, visit: u64| format!("http://e.org/item?id={id}:{}&x=1", title(id + 57 * visit));
    let site = with(120, 3, |id, visit| (link(id, visit), id));
    let said = "value of id behind its last : is ignored";
    assert!((0..120).all(|id| claim(&site, &link(id, 9)).as_deref() == Some(said)));
    assert_eq!(claim(&site, &link(500, 9)), None);
    // Which of two is meant nobody knows.
    let twice = "http://e.org/item?id=7:a&id=8:b&x=1";
    assert_eq!(claim(&site, twice), None);
}

#[test]
fn before_a_number_any_title_may_stand() {
    let link = |id: u64, visit: u64| {
        let title = title(id + 5 * visit);
        format!("http://e.org/news/{title}_{id}.html")
    };
    let site = with(120, 3, |id, visit| (link(id, visit), id));
    let said = "segment 1 of 2 before its first _ is ignored";
    assert!((0..120).all(|id| claim(&site, &link(id, 9)).as_deref() == Some(said)));
}

#[test]
fn a_number_alone_is_what_a_title_follows_where_pages_have_shown_it() {
    let link = |id: u64, visit: u64| match visit {
        0 => format!("http://e.org/thread/{id}"),
        visit => format!("http://e.org/thread/{id}-{}", title(id + 5 * visit)),
    };
    let site = with(300, 3, |id, visit| (link(id, visit), id));
    assert!((0..300).all(|id| claim(&site, &link(id, 9)).is_some()));
    // Numbers met with a title only.
    let mut site = site;
    for id in 300..310 {
        see(&mut site, &link(id, 1), id);
    }
    let said = "segment 1 of 2 from its first - is ignored";
    assert!((300..310).all(|id| claim(&site, &link(id, 0)).as_deref() == Some(said)));

    // The number alone is a list.
    let page = |id: u64, visit: u64| if visit == 0 { 1000 + id } else { id };
    let mut site = with(200, 3, |id, visit| (link(id, visit), page(id, visit)));
    for id in 200..210 {
        see(&mut site, &link(id, 1), id);
    }
    assert!((200..210).all(|id| claim(&site, &link(id, 0)).is_none()));
    assert!((0..210).all(|id| claim(&site, &link(id, 9)).is_some()));
}

#[test]
fn a_word_before_the_extension_is_an_alias_of_none() {
    let link = |id: u64, visit: u64| {
        let print = ["", "_print"][visit as usize];
        format!("http://e.org/text/{}{print}.html", title(id))
    };
    let mut site = with(100, 2, |id, visit| (link(id, visit), id));
    see(&mut site, &link(200, 0), 200);
    let said = "extension _print.html = .html";
    assert_eq!(claim(&site, &link(200, 1)).as_deref(), Some(said));
    see(&mut site, &link(201, 1), 201);
    assert_eq!(claim(&site, &link(201, 0)).as_deref(), Some(said));
    assert_eq!(claim(&site, &link(202, 1)), None);
    let other = link(200, 0).replace(".html", "_audio.html");
    assert_eq!(claim(&site, &other), None);
}

#[test]
fn pages_that_were_met_with_a_title_and_without_say_nothing_of_two_titles() {
    let link = |id: u64, visit: u64| match visit {
        0 => format!("http://e.org/thread/{id}"),
        _ => format!("http://e.org/thread/{id}-{}", title(id)),
    };
    let mut site = with(300, 2, |id, visit| (link(id, visit), id));
    for id in 300..303 {
        see(&mut site, &format!("http://e.org/thread/{id}-story"), id);
    }
    let said = "segment 1 of 2 from its first - is ignored";
    for id in 300..303 {
        let photos = format!("http://e.org/thread/{id}-photos");
        assert_eq!(claim(&site, &photos), None, "both have a title");
        assert_eq!(claim(&site, &link(id, 0)).as_deref(), Some(said));
        let first = id - 300;
        let photos = format!("http://e.org/thread/{first}-photos");
        assert_eq!(claim(&site, &photos).as_deref(), Some(said));
    }
    // Where pages were met with two titles, that is known, and outlives the process.
    let link = |id: u64, visit: u64| match visit {
        0 if id.is_multiple_of(2) => format!("http://e.org/thread/{id}"),
        visit => format!("http://e.org/thread/{id}-{}", title(id + 5 * visit)),
    };
    let site = with(300, 3, |id, visit| (link(id, visit), id));
    let (mut site, found) = (site, "http://e.org/thread/300-photos");
    see(&mut site, "http://e.org/thread/300-story", 300);
    assert_eq!(claim(&site, found).as_deref(), Some(said));
    assert_eq!(claim(&saved(&site), found).as_deref(), Some(said));
}

#[test]
fn of_two_words_and_three_none_is_told_for_the_token() {
    let link = |id: u64, visit: u64| {
        let (one, other) = (title(id).replace('-', ""), id % 13);
        let token = ["", &format!("-7f{id}")][visit as usize].to_owned();
        format!("http://e.org/text/{one}-x{other}{token}")
    };
    let mut site = with(300, 2, |id, visit| (link(id, visit), id));
    see(&mut site, "http://e.org/text/new-a", 300);
    assert_eq!(claim(&site, "http://e.org/text/new-b"), None);
}

#[test]
fn a_word_before_the_extension_ends_with_one_other_page() {
    let link = |id: u64, visit: u64| {
        let print = ["", "_print"][visit as usize];
        format!("http://e.org/text/{}{print}.html", title(id))
    };
    let mut site = with(160, 2, |id, visit| (link(id, visit), id));
    see(&mut site, &link(200, 0), 200);
    let belief = site.predict(&link(200, 1)).unwrap().belief;
    let learned = see(&mut site, &link(200, 1), 999);
    assert!(learned.withdrawn.contains(&belief));
    see(&mut site, &link(201, 0), 201);
    assert_eq!(claim(&site, &link(201, 1)), None);
}

#[test]
fn what_names_say_by_signs_takes_evidence_for_half_the_risk() {
    let titled =
        |id: u64, visit: u64| format!("http://e.org/thread/{id}-{}", title(id + 5 * visit));
    let printed = |id: u64, visit: u64| {
        let print = ["", "_print"][visit as usize];
        format!("http://e.org/text/{}{print}.html", title(id))
    };
    let plain = |id: u64, visit: u64| format!("http://e.org/text?id={id}&sid={id}{visit}");
    let needed = |link: &dyn Fn(u64, u64) -> String| {
        let mut site = Site::new("e.org", &PredictConfig::default());
        (0..300).find(|&id| {
            see(&mut site, &link(id, 0), id);
            let is_dropped = site.predict(&link(id, 1)).is_some();
            see(&mut site, &link(id, 1), id);
            is_dropped
        })
    };
    let all: [&dyn Fn(u64, u64) -> String; 3] = [&plain, &titled, &printed];
    let [plain, titled, printed] = all.map(|link| needed(link).unwrap_or(0));
    assert!(
        plain * 3 / 2 < titled && plain * 3 / 2 < printed,
        "{plain} {titled} {printed}"
    );
}

#[test]
fn a_folder_where_titles_choose_pages_is_an_exception_or_has_no_claim() {
    let link = |id: u64, visit: u64| {
        let folder = ["threads", "photos", "albums"][(id % 3) as usize];
        format!("http://e.org/{folder}/{id}-{}", title(id + 5 * visit))
    };
    let page = |id: u64, visit: u64| if id % 3 == 2 { 1000 * visit + id } else { id };
    let site = with(300, 3, |id, visit| (link(id, visit), page(id, visit)));
    let dropped = |third: u64| {
        let of_folder = (0..300).filter(|id| id % 3 == third);
        of_folder
            .filter(|id| claim(&site, &link(*id, 9)).is_some())
            .count()
    };
    assert_eq!((dropped(0), dropped(1), dropped(2)), (100, 100, 0));
}

#[test]
fn what_holds_where_a_number_is_left_says_nothing_of_words() {
    let link = |id: u64, visit: u64| format!("http://e.org/thread/{id}-{}", title(id + 5 * visit));
    let mut site = with(150, 3, |id, visit| (link(id, visit), id));
    see(&mut site, "http://e.org/thread/how-to-post", 500);
    see(&mut site, "http://e.org/thread/7.html", 501);
    assert_eq!(claim(&site, "http://e.org/thread/how-to-register"), None);
    assert!(claim(&site, &link(7, 9)).is_some());
}

#[test]
fn one_other_page_ends_a_claim_about_pieces_and_gives_its_links_back() {
    let link = |id: u64, visit: u64| format!("http://e.org/thread/{id}-{}", title(id + 5 * visit));
    let mut site = with(150, 3, |id, visit| (link(id, visit), id));
    let belief = site.predict(&link(7, 9)).unwrap().belief;
    let learned = see(&mut site, &link(8, 9), 999);
    assert!(learned.withdrawn.contains(&belief));
    assert_eq!(claim(&site, &link(7, 9)), None);
}
