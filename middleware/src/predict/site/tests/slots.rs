//! Names that stand in several ways in addresses of one page.

use super::aliases::{see, text};
use crate::predict::{parts::Parts, site::*};

fn topic(n: u64) -> String {
    format!("http://e.org/forum/viewtopic.php?t={n}")
}

fn file(n: u64) -> String {
    format!("http://e.org/forum/topic{n}.html")
}

/// Sees pages by both addresses until the second is known by the first.
fn learned(site: &mut Site, most: u64, both: impl Fn(u64) -> [String; 2]) -> Option<u64> {
    (0..most).find(|&n| {
        let [one, other] = both(n);
        see(site, &one, &text(n));
        if site.predict(&other).is_some() {
            return true;
        }
        see(site, &other, &text(n));
        false
    })
}

#[test]
fn a_number_that_is_a_parameter_here_and_within_a_name_there_is_learned_either_way() {
    for turned in [false, true] {
        let mut site = Site::new("e.org", &PredictConfig::default());
        let both = |n| match (topic(n), file(n)) {
            (one, other) if turned => [other, one],
            both => both.into(),
        };
        assert!(
            learned(&mut site, 200, both).is_some_and(|n| n > 60),
            "{turned}"
        );
        see(&mut site, &both(900)[0], &text(900));
        assert!(site.predict(&both(900)[1]).is_some());
        assert!(site.predict(&both(901)[1]).is_none(), "nobody has seen it");
        // Nothing is said of words, or of a longer number.
        see(
            &mut site,
            "http://e.org/forum/viewtopic.php?t=s",
            &text(950),
        );
        see(&mut site, &topic(97), &text(951));
        for other in [
            "topics.html",
            "topic970.html",
            "subtopic97.html",
            "topic97.htm",
        ] {
            let url = format!("http://e.org/forum/{other}");
            assert!(site.predict(&url).is_none(), "{url}");
        }
    }
}

#[test]
fn what_a_folder_holds_moves_with_its_name() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let both = |n: u64| ["users/", "~"].map(|before| format!("http://e.org/{before}kim{n}/album"));
    assert!(learned(&mut site, 200, both).is_some_and(|n| n > 60));
    let mut parts = Parts::default();
    site.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    let mut again = Site::load("e.org", &parts).unwrap();
    see(&mut again, "http://e.org/~pat/album", &text(900));
    assert!(again.predict("http://e.org/users/pat/album").is_some());
    assert!(again.predict("http://e.org/users/pat/films").is_none());
}

#[test]
fn one_home_of_its_own_ends_the_claim() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let both = |n: u64| ["users/", "~"].map(|before| format!("http://e.org/{before}kim{n}"));
    let (early, own) = (60, 61);
    for n in 0..early {
        for url in both(n) {
            see(&mut site, &url, &text(n));
        }
    }
    let [page, home] = both(own);
    see(&mut site, &page, &text(own));
    see(&mut site, &home, &text(5000));
    assert!(learned(&mut site, 119, |n| both(100 + n)).is_none());
}

#[test]
fn one_home_of_its_own_ends_the_claim_about_a_parameter_too() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let both = |n: u64| ["u.php?n=", "~"].map(|before| format!("http://e.org/{before}kim{n}"));
    for n in 0..60 {
        for url in both(n) {
            see(&mut site, &url, &text(n));
        }
    }
    let [page, home] = both(61);
    see(&mut site, &page, &text(61));
    see(&mut site, &home, &text(5000));
    assert!(learned(&mut site, 119, |n| both(100 + n)).is_none());
}

/// A word for a number.
fn word(mut n: u64) -> String {
    let mut word = String::new();
    for _ in 0..4 {
        word.push((b'a' + (n % 26) as u8) as char);
        n /= 26;
    }
    word
}

#[test]
fn titles_of_one_word_leave_room_for_what_is_true() {
    for item in ["i.php?id=", "i/", "a/b/i/"] {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for n in 1000..1500 {
            see(&mut site, &format!("http://e.org/{item}{n}"), &text(n));
            let titled = format!("http://e.org/p/{}-{n}.html", word(n));
            see(&mut site, &titled, &text(n));
            let filed = format!("http://e.org/{}/p{n}.html", word(n));
            see(&mut site, &filed, &text(n));
        }
        let read = site.edits.iter();
        let read = read.filter(|known| known.edit.is_respelling()).count();
        assert!(read <= 50, "{item}: {read}");
        if !item.contains('?') {
            let both = |n: u64| ["", "&sid=7"].map(|sid| format!("http://e.org/q?n={n}{sid}"));
            assert!(learned(&mut site, 120, both).is_some(), "{item}");
        }
    }
}

#[test]
fn values_of_one_page_each_leave_room_for_what_is_true() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for n in 1000..1600 {
        see(&mut site, &format!("http://e.org/i.php?id={n}"), &text(n));
        see(&mut site, &format!("http://e.org/p/{}", word(n)), &text(n));
    }
    let both = |n: u64| ["", "&sid=7"].map(|sid| format!("http://e.org/q?n={n}{sid}"));
    assert!(learned(&mut site, 200, both).is_some());
}

#[test]
fn messages_that_share_a_page_leave_room_for_what_is_true() {
    // A page of a topic has fifteen messages, and a name for each of them; which fifteen is not to be told.
    for name in [
        "topic,{t}.msg{m}.html",
        "t/{t}/m{m}/",
        "{m}/t{t}",
        "t?id={t}&act=reply&msg={m}",
    ] {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for page in 1000..1500u64 {
            for message in [2, 5, 11] {
                let (topic, message) = (page / 4, page * 15 + message);
                let of = name.replace("{t}", &topic.to_string());
                let of = of.replace("{m}", &message.to_string());
                see(
                    &mut site,
                    &format!("http://e.org/index.php/{of}"),
                    &text(page),
                );
            }
        }
        assert!(site.edits.len() < 200, "{name}: {}", site.edits.len());
        let both = |n: u64| ["", "&sid=7"].map(|sid| format!("http://e.org/q?n={n}{sid}"));
        assert!(learned(&mut site, 200, both).is_some(), "{name}");
    }
}

/// That of a site where most pages are met twice, in a way in which no two pages are alike, and some in a way which all of them share.
fn is_learned_late(alone: impl Fn(u64) -> [String; 2], alike: impl Fn(u64) -> String) -> bool {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for n in 1000..1050 {
        for url in alone(n) {
            see(&mut site, &url, &text(n));
        }
    }
    (1050..1500).any(|n| {
        let [one, other] = alone(n);
        see(&mut site, &one, &text(n));
        if site.predict(&alike(n)).is_some() {
            return true;
        }
        see(&mut site, &alike(n), &text(n));
        see(&mut site, &other, &text(n));
        false
    })
}

#[test]
fn what_many_pages_say_is_learned_after_what_one_page_each_says() {
    let current = |n: u64| format!("http://e.org/w?title={}", word(n));
    let by_number = |n: u64| [String::new(), format!("&oldid={n}")].map(|by| current(n) + &by);
    assert!(is_learned_late(by_number, |n| format!(
        "{}&oldid=cur",
        current(n)
    )));
    for item in ["item.php?id=", "item/"] {
        let titled = |n: u64| {
            let item = format!("http://e.org/{item}{n}");
            [item, format!("http://e.org/{}-{n}.html", word(n))]
        };
        let filed = |n: u64| format!("http://e.org/t{n}.html");
        assert!(is_learned_late(titled, filed), "{item}");
    }
}
