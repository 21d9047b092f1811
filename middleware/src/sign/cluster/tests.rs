//! Which pages are put together, and which are not.

use super::*;
use crate::predict::parts::Parts;
use crate::sign::{Echo, PageText, marked};

fn words(seed: u64, n: usize) -> String {
    (0..n as u64)
        .map(|i| {
            let hash = xxhash_rust::xxh3::xxh3_64_with_seed(&i.to_le_bytes(), seed);
            let word: String = (0..6)
                .map(|k| char::from(b'a' + ((hash >> (8 * k)) % 26) as u8))
                .collect();
            word + if i % 12 == 11 { "\n" } else { " " }
        })
        .collect()
}

#[test]
fn a_page_with_a_changed_word_joins_and_one_with_a_sentence_of_its_own_does_not() {
    let book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let body = format!("{}\nanna wrote\nreply to this", words(1, 300));
    let first = PageText::new(&body, &Echo::default());
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    let changed = PageText::new(&format!("reply to anna\n{body}"), &Echo::default());
    assert_eq!(
        clusters.find(&mut Newcomer::new(&changed, &book), &book),
        Some(id)
    );
    let own = PageText::new(&format!("{}\n{body}", words(2, 12)), &Echo::default());
    assert_eq!(clusters.find(&mut Newcomer::new(&own, &book), &book), None);
    let other = PageText::new(&words(3, 300), &Echo::default());
    assert_eq!(
        clusters.compare(&mut Newcomer::new(&other, &book), id, &book),
        Sameness::Different
    );
}

#[test]
fn what_the_chrome_has_become_since_is_no_reason_to_doubt_that_other_words_are_another_page() {
    let mut clusters = Clusters::default();
    let mut book = ChromeBook::default();
    let page = |chrome: u64, own: u64| {
        let text = [words(1, 90), words(chrome, 60), words(own, 90)].join("\n");
        PageText::new(&text, &Echo::default())
    };
    let first = page(1000, 10);
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    // More versions than are remembered.
    for design in 1001..1012 {
        let version = book.current().version();
        for own in 100..140 {
            book.count(page(design, own).shingles());
        }
        book.freeze_now();
        assert_ne!(book.current().version(), version);
        let mut other = |own| {
            let other = page(design, own);
            clusters.compare(&mut Newcomer::new(&other, &book), id, &book)
        };
        assert_eq!(other(11), Sameness::Different);
        // All that it has and the first page has not is chrome by now.
        assert_ne!(other(10), Sameness::Different);
    }
}

#[test]
fn a_line_that_came_up_since_and_is_chrome_by_now_makes_no_other_page() {
    let mut clusters = Clusters::default();
    let mut book = ChromeBook::default();
    let line = words(50, 20);
    let page = |lines: [&str; 2]| {
        let text = [&words(1, 90), lines[0], lines[1]].map(str::to_owned);
        PageText::new(&text.join("\n"), &Echo::default())
    };
    let learn = |book: &mut ChromeBook, line: &str, from: u64| {
        for own in from..from + 40 {
            book.count(page([line, &words(own, 60)]).shingles());
        }
        book.freeze_now();
    };
    learn(&mut book, "", 100);
    let own = words(10, 48);
    let first = page(["", &own]);
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    let mut is = |book: &ChromeBook, own: &str| {
        let other = page([&line, own]);
        clusters.compare(&mut Newcomer::new(&other, book), id, book)
    };
    assert_ne!(is(&book, &own), Sameness::Same, "it may be its own line");
    learn(&mut book, &line, 200);
    assert_eq!(is(&book, &own), Sameness::Same);
    // Nor does another line become the same by that.
    assert_ne!(is(&book, &words(11, 48)), Sameness::Same);
    let half = [words(10, 24), words(11, 24)].join("\n");
    assert_ne!(is(&book, &half), Sameness::Same);
    // What is kept of a copy with the line is kept without: the next one without it differs in a word.
    for other in 0..=EXACT_KEPT as u64 {
        let other = page(["", &words(1000 + other, 48)]);
        clusters.open(&Newcomer::new(&other, &book), &book);
    }
    let copy = page([&line, &own]);
    clusters.join(id, &mut Newcomer::new(&copy, &book), &book);
    let with_a_word = own.replacen(' ', " word ", 1);
    let next = page(["", &with_a_word]);
    let verdict = clusters.compare(&mut Newcomer::new(&next, &book), id, &book);
    assert_ne!(verdict, Sameness::Different);
}

#[test]
fn what_stays_content_tells_pages_apart_though_what_else_they_say_has_become_chrome() {
    let mut clusters = Clusters::default();
    let mut book = ChromeBook::default();
    let row = words(7, 40);
    let page = |own: u64| {
        let text = [words(1, 120), row.clone(), words(own, 80)].join("\n");
        PageText::new(&text, &Echo::default())
    };
    let first = page(10);
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    // The row stands on many other pages, it turns out.
    for own in 100..140 {
        let text = [row.clone(), words(own, 90)].join("\n");
        book.count(PageText::new(&text, &Echo::default()).shingles());
    }
    assert_ne!(book.current().version(), 0);
    // Six tenths of what is left are the same.
    let mut compare = |own| {
        let other = page(own);
        clusters.compare(&mut Newcomer::new(&other, &book), id, &book)
    };
    assert_eq!(compare(11), Sameness::Different);
    assert_eq!(compare(10), Sameness::Same);
}

#[test]
fn short_lists_of_other_pages_beside_the_own_one_are_not_the_same() {
    let page = |own: &str, other: &str| {
        let url = format!("http://e.org/wiki?do=links&id=guide:{own}");
        let text = format!(
            "{}\nguide:{own}\nthese are all the pages of the wiki that seem to link to this one\nguide:{other}\n{}",
            words(1, 60),
            words(2, 60),
        );
        PageText::new(&text, &Echo::of(&url.parse().unwrap()))
    };
    let name = |n: u64| words(n, 1).trim().to_owned();
    let mut book = ChromeBook::default();
    for own in 0..100 {
        // Pages of other kinds have the frame in common, and a line that names a page like them.
        let url = format!("http://e.org/wiki?id=guide:{}", name(own));
        let echo = Echo::of(&url.parse().unwrap());
        let text = [
            words(1, 60),
            format!("guide:{}", name(own)),
            words(own + 9, 60),
            words(2, 60),
        ];
        book.count(PageText::new(&text.join("\n"), &echo).shingles());
    }
    assert_ne!(book.current().version(), 0);
    let mut clusters = Clusters::default();
    let first = page("first", "camel");
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    let mut compare = |own, other| {
        let page = page(own, other);
        clusters.compare(&mut Newcomer::new(&page, &book), id, &book)
    };
    assert_eq!(compare("second", "camel"), Sameness::Same);
    assert_ne!(compare("second", "llama"), Sameness::Same);
}

#[test]
fn a_page_known_word_for_word_is_not_taken_apart() {
    let book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let (body, other) = (words(1, 300), words(2, 300));
    let url = "http://e.org/a?id=7".parse().unwrap();
    let first = PageText::of_page(&body, &url);
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    assert!(first.is_apart());
    for (text, is_known) in [(&body, true), (&other, false)] {
        let text = PageText::of_page(text, &url);
        let mut page = Newcomer::new(&text, &book);
        assert_eq!(clusters.find(&mut page, &book), is_known.then_some(id));
        if is_known {
            assert_eq!(clusters.compare(&mut page, id, &book), Sameness::Same);
            assert_ne!(clusters.likeness(&page, id, &book), Likeness::Similar);
            clusters.join(id, &mut page, &book);
        }
        assert_eq!(text.is_apart(), !is_known);
    }
}

#[test]
fn a_text_met_before_has_the_content_that_it_had_whatever_has_become_chrome_since() {
    let mut book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let body = format!("{}\nanna wrote\nreply to this", words(1, 300));
    let first = PageText::new(&body, &Echo::default());
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    let notice = PageText::new(&format!("reply to anna\n{body}"), &Echo::default());
    let mut page = Newcomer::new(&notice, &book);
    assert_eq!(clusters.find(&mut page, &book), Some(id));
    clusters.join(id, &mut page, &book);
    // All but the notice is chrome by now, and what it was when the page came is forgotten.
    for design in 0..10 {
        for own in 100..140 {
            let text = [body.clone(), words(1000 + design, 60), words(own, 90)].join("\n");
            book.count(PageText::new(&text, &Echo::default()).shingles());
        }
        book.freeze_now();
    }
    let mut parts = Parts::default();
    clusters.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    let other = PageText::new(&format!("anna to reply\n{body}"), &Echo::default());
    for mut clusters in [Clusters::load(&parts).unwrap(), clusters] {
        let mut again = Newcomer::new(&notice, &book);
        assert_eq!(clusters.compare(&mut again, id, &book), Sameness::Same);
        assert_eq!(clusters.find(&mut again, &book), Some(id));
        let mut other = Newcomer::new(&other, &book);
        assert_ne!(clusters.compare(&mut other, id, &book), Sameness::Same);
        assert_eq!(clusters.find(&mut other, &book), None);
    }
}

#[test]
fn the_text_of_a_first_page_stays_that_of_its_content() {
    let book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let one = PageText::new(&words(1, 300), &Echo::default());
    let other = PageText::new(&words(2, 300), &Echo::default());
    let id = clusters.open(&Newcomer::new(&one, &book), &book);
    let taken = clusters.open(&Newcomer::new(&other, &book), &book);
    // Something else says that this is a copy of the other content.
    clusters.join(taken, &mut Newcomer::new(&one, &book), &book);
    let mut again = Newcomer::new(&one, &book);
    assert_eq!(clusters.find(&mut again, &book), Some(id));
}

#[test]
fn lists_are_told_apart_though_each_of_their_rows_stands_on_many_others() {
    let mut book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let list = |rows: std::ops::Range<u64>| {
        let rows: Vec<String> = rows.map(|row| words(500 + row, 12)).collect();
        PageText::new(
            &format!("{}{}", words(1, 40), rows.concat()),
            &Echo::default(),
        )
    };
    let early = list(0..30);
    let early_id = clusters.open(&Newcomer::new(&early, &book), &book);
    for end in 10..50 {
        book.count(list(0..end).shingles());
    }
    book.freeze_now();
    let late = list(0..31);
    let late_id = clusters.open(&Newcomer::new(&late, &book), &book);
    let mut parts = Parts::default();
    clusters.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    for mut clusters in [Clusters::load(&parts).unwrap(), clusters] {
        let mut compare = |end, id| {
            let page = list(0..end);
            let mut page = Newcomer::new(&page, &book);
            assert!(page.current(&book).kept() < SOME, "it is all chrome by now");
            clusters.compare(&mut page, id, &book)
        };
        for id in [early_id, late_id] {
            assert_eq!(compare(8, id), Sameness::Different);
            assert_ne!(compare(29, id), Sameness::Different, "much the same");
        }
    }
}

#[test]
fn the_noise_of_sketches_calls_no_page_another() {
    let mut book = ChromeBook::default();
    let mut clusters = Clusters::default();
    // Long ones, most of what the pages have being chrome, of which nobody knows yet.
    let text = |chrome: u64, own: u64| {
        let text = [words(chrome, 2400), words(own, 110)].join("\n");
        PageText::new(&text, &Echo::default())
    };
    let ids: Vec<ClusterId> = (10..70)
        .map(|own| clusters.open(&Newcomer::new(&text(2, own), &book), &book))
        .collect();
    for other in 1000..1400 {
        let other = PageText::new(&words(other, 60), &Echo::default());
        clusters.open(&Newcomer::new(&other, &book), &book);
    }
    let gone = ids.iter().filter(|id| clusters.at_hand(**id).is_none());
    assert!(gone.count() > 40);
    for own in 100..140 {
        book.count(text(1, own).shingles());
    }
    book.freeze_now();
    for (id, own) in ids.into_iter().zip(10..) {
        let redesigned = text(1, own);
        let verdict = clusters.compare(&mut Newcomer::new(&redesigned, &book), id, &book);
        assert_ne!(verdict, Sameness::Different);
    }
}

#[test]
fn products_in_the_same_words_but_for_a_name_of_their_own_are_not_one_page() {
    let book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let product = |name: u64| {
        let text = format!("{}\n{}", words(1, 300), words(name, 3));
        PageText::new(&text, &Echo::default())
    };
    let first = product(7);
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    let second = product(8);
    let mut second = Newcomer::new(&second, &book);
    assert_eq!(clusters.compare(&mut second, id, &book), Sameness::Unknown);
    assert_eq!(clusters.find(&mut second, &book), None);
}

#[test]
fn a_listing_in_another_order_is_another_page() {
    let book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let lines: Vec<String> = (0..30).map(|i| words(i, 6)).collect();
    let sorted = PageText::new(&lines.join("\n"), &Echo::default());
    let id = clusters.open(&Newcomer::new(&sorted, &book), &book);
    let mut other = lines.clone();
    other.reverse();
    let other = PageText::new(&other.join("\n"), &Echo::default());
    assert_eq!(
        clusters.compare(&mut Newcomer::new(&other, &book), id, &book),
        Sameness::Different
    );
}

#[test]
fn pages_that_differ_in_their_own_address_only_are_one_if_they_say_enough_besides() {
    let book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let page = |name: &str, text: &str| {
        let url = format!("http://e.org/{name}").parse().unwrap();
        PageText::new(
            &format!("you came from {name} today\n{text}"),
            &Echo::of(&url),
        )
    };
    let long = words(1, 120);
    let first = page("alpha", &long);
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    let second = page("gamma", &long);
    let mut second = Newcomer::new(&second, &book);
    assert_eq!(clusters.compare(&mut second, id, &book), Sameness::Same);
    let short = words(2, 9);
    let first = page("alpha", &short);
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    let second = page("gamma", &short);
    let mut second = Newcomer::new(&second, &book);
    assert_ne!(clusters.compare(&mut second, id, &book), Sameness::Same);
}

#[test]
fn a_listing_that_is_little_more_than_its_address_differs_from_that_of_another_folder() {
    let book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let listing = |folder: &str, files: &str| {
        let url = format!("http://e.org/{folder}/").parse().unwrap();
        PageText::new(
            &format!("all that is in {folder}\n{files}"),
            &Echo::of(&url),
        )
    };
    let (few, many) = (words(1, 8), words(2, 300));
    let first = listing("mirror", &few);
    let id = clusters.open(&Newcomer::new(&first, &book), &book);
    let differs =
        |page: &PageText<'_>| clusters.differs_in_address(&Newcomer::new(page, &book), id);
    assert!(differs(&listing("public", &few)));
    assert!(!differs(&first));
    assert!(
        !differs(&listing("public", &many)),
        "it says enough besides"
    );
}

#[test]
fn of_long_pages_fewer_are_kept_whole() {
    let book = ChromeBook::default();
    let kept_of = |words_a_page: usize| {
        let mut clusters = Clusters::default();
        for page in 0..200 {
            let text = PageText::new(&words(page, words_a_page), &Echo::default());
            clusters.open(&Newcomer::new(&text, &book), &book);
        }
        assert!(clusters.bytes() < 9 << 16, "{}", clusters.bytes());
        clusters.exact.len()
    };
    assert_eq!(kept_of(100), EXACT_KEPT);
    assert!((EXACT_LEAST..150).contains(&kept_of(6000)));
}

#[test]
fn little_text_is_never_a_duplicate_by_resemblance() {
    let book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let a = PageText::new(&words(1, 16), &Echo::default());
    let id = clusters.open(&Newcomer::new(&a, &book), &book);
    let b = PageText::new(&format!("{}more", words(1, 16)), &Echo::default());
    assert_ne!(
        clusters.compare(&mut Newcomer::new(&b, &book), id, &book),
        Sameness::Same
    );
}

#[test]
fn a_raw_file_is_not_the_page_that_shows_it_whatever_they_share() {
    let book = ChromeBook::default();
    let words = words(1, 300);
    let mut clusters = Clusters::default();
    let of = |text: &str, is_plain| PageText::new(&marked(text, is_plain), &Echo::default());
    let texts = [words.clone(), format!("{words}\nend")];
    let mut opened = Vec::new();
    for is_plain in [false, true] {
        let first = of(&texts[0], is_plain);
        let mut page = Newcomer::new(&first, &book);
        assert_eq!(clusters.find(&mut page, &book), None);
        opened.push(clusters.open(&page, &book));
    }
    let mut parts = Parts::default();
    clusters.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    for mut clusters in [clusters, Clusters::load(&parts).unwrap()] {
        for (text, kind) in texts.iter().flat_map(|text| [(text, 0), (text, 1)]) {
            let page = of(text, kind == 1);
            let mut page = Newcomer::new(&page, &book);
            let mut compare = |id| clusters.compare(&mut page, id, &book);
            assert_eq!(compare(opened[kind]), Sameness::Same);
            assert_eq!(compare(opened[1 - kind]), Sameness::Different);
            assert_eq!(clusters.find(&mut page, &book), Some(opened[kind]));
            assert_eq!(
                clusters.likeness(&page, opened[1 - kind], &book),
                Likeness::Similar
            );
        }
    }
    // What begins as raw files are marked, and came with markup, is a page.
    let odd = of(&marked(&texts[0], true), false);
    assert_eq!(odd.exact(), of(&texts[0], false).exact());
}

#[test]
fn of_tables_in_known_words_the_numbers_tell_and_not_the_clock_of_the_page() {
    let table = |run: u64, scale: u64, clock: &str| {
        let row = |row: u64| format!("{} {}", words(row, 2).trim(), row * scale % 997);
        let rows: Vec<String> = (0..60).map(row).collect();
        format!(
            "run {run}\n{}\nmade at {clock} in 0.0{run}s",
            rows.join("\n")
        )
    };
    let url = "http://e.org/".parse().unwrap();
    let mut clusters = Clusters::default();
    let mut book = ChromeBook::default();
    for run in 0..40 {
        let text = table(run, 1000 + run, "10:00:00");
        book.count(PageText::of_page(&text, &url).shingles());
    }
    book.freeze_now();
    let first = table(7, 31, "10:11:12");
    let first = PageText::of_page(&first, &url);
    let first = Newcomer::new(&first, &book);
    assert!(first.current(&book).kept() < crate::sign::signature::ENOUGH);
    let id = clusters.open(&first, &book);
    let mut is = |text: &str| {
        let page = PageText::of_page(text, &url);
        let page = &mut Newcomer::new(&page, &book);
        (
            clusters.compare(page, id, &book),
            clusters.find(page, &book),
        )
    };
    assert_eq!(is(&table(7, 31, "11:59:03")), (Sameness::Same, Some(id)));
    let (verdict, found) = is(&table(7, 37, "10:11:12"));
    assert!(verdict != Sameness::Same && found.is_none());
}

fn saved(clusters: &Clusters) -> Clusters {
    let mut parts = Parts::default();
    clusters.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    Clusters::load(&parts).unwrap()
}

/// How many of 400 pages, each followed by some words, are known again by a view with others, which comes when all of them were met.
fn known_long_after(page_has: impl Fn(u64) -> String, view_has: impl Fn(u64) -> String) -> usize {
    let book = ChromeBook::default();
    let mut clusters = Clusters::default();
    let text = |page, own: String| {
        PageText::new(&format!("{}\n{own}", words(page, 300)), &Echo::default())
    };
    for page in 0..400 {
        let text = text(page, page_has(page));
        clusters.open(&Newcomer::new(&text, &book), &book);
    }
    let mut clusters = saved(&clusters);
    let mut known = 0;
    for page in 0..400 {
        let view = text(page, view_has(page));
        let mut newcomer = Newcomer::new(&view, &book);
        match clusters.find(&mut newcomer, &book) {
            Some(id) => {
                known += usize::from(u64::from(id) == page);
                clusters.join(id, &mut newcomer, &book);
            }
            None => drop(clusters.open(&newcomer, &book)),
        }
    }
    known
}

#[test]
fn pages_are_known_by_a_view_without_one_word_long_after_they_were_met() {
    let next = |page| words(page + 7000, 1);
    let known = known_long_after(next, |_| String::new());
    assert!(known > 250, "{known}");
}

#[test]
fn views_with_words_of_their_own_are_not_taken_for_pages_met_long_before() {
    let own = |page| words(page + 7000, 3);
    assert_eq!(known_long_after(|_| String::new(), own), 0);
}

#[test]
fn those_that_stay_at_hand_leave_room_for_those_met_of_late() {
    let book = ChromeBook::default();
    let mut clusters = Clusters::default();
    for page in 0..3000u32 {
        let text = PageText::new(&words(u64::from(page), 100), &Echo::default());
        clusters.open(&Newcomer::new(&text, &book), &book);
        if page % 500 != 499 {
            continue;
        }
        let is_late = |id: &&ClusterId| **id + EXACT_KEPT as u32 > page;
        let late = clusters.recent.iter().filter(is_late).count();
        assert_eq!(clusters.recent.len(), EXACT_KEPT);
        let earlier = EXACT_KEPT - late;
        assert!((8..=EXACT_KEPT / 2).contains(&earlier), "{page}: {earlier}");
    }
    let again = saved(&clusters);
    assert_eq!(again.recent, clusters.recent);
}
