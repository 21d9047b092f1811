use super::*;
use crate::predict::parts::Parts;

const NEWS: u64 = 7;
const SHOP: u64 = 8;

fn page(title: &str, quotes: &[&str]) -> String {
    let quotes = quotes.join("\n");
    format!("menu\nTitle: {title}\ntext of {title}\nWords of the day\n{quotes}\nimprint\n")
}

fn taught(section: u64, turning: &mut Turning) {
    for n in 0..4 {
        let answer = |k: &str| {
            page(
                &format!("t{n}x"),
                &[&format!("{k} {n} says"), "and so on", k],
            )
        };
        turning.note(section, &answer("anna"), &answer("bela"));
    }
}

#[test]
fn what_was_another_line_in_the_second_answer_is_left_out_where_it_stood() {
    let mut turning = Turning::default();
    taught(NEWS, &mut turning);
    let left = |quotes: &[&str]| turning.without(NEWS, &page("new", quotes)).into_owned();
    // What stands between two lines that turn is no matter: it is there each time.
    let still = page("new", &["and so on"]);
    assert_eq!(left(&["carl 7 says", "and so on", "carl"]), still);
    assert_eq!(left(&["dora", "or eva says", "and so on", "dora"]), still);
    // Something else is no quotation: it is far too long.
    let long = "word ".repeat(20);
    assert!(left(&["dora says", "and so on", &long]).contains(&long));
    assert!(
        left(&["dora says"]).contains("dora"),
        "where the other end is not"
    );
    // Of a page without it nothing is left out, nor of another section.
    let other = "menu\nTitle: x\nimprint\ncarl says";
    assert_eq!(turning.without(NEWS, other), other);
    assert_eq!(
        turning.without(SHOP, &page("new", &["x"])),
        page("new", &["x"])
    );
}

#[test]
fn what_stands_on_some_pages_is_not_left_out() {
    let mut turning = Turning::default();
    taught(NEWS, &mut turning);
    for n in 0..2 {
        let same = page(&format!("s{n}y"), &["eva says", "and so on", "eva"]);
        turning.note(NEWS, &same, &same);
    }
    let text = page("new", &["carl says", "and so on", "carl"]);
    assert_eq!(turning.without(NEWS, &text), text);
}

#[test]
fn numbers_alone_teach_nothing() {
    let mut turning = Turning::default();
    for n in 0..9 {
        let answer = |k: u32| page(&format!("t{n}x"), &[&format!("read {k} times")]);
        turning.note(NEWS, &answer(n), &answer(n + 17));
    }
    assert_eq!(turning.all.turned, 0);
    let text = page("new", &["costs 7 crowns"]);
    assert_eq!(turning.without(NEWS, &text), text);
}

#[test]
fn a_site_on_which_nothing_turns_is_seldom_asked_twice() {
    let mut still = Turning::default();
    let mut lively = Turning::default();
    taught(SHOP, &mut lively);
    for n in 0..2000 {
        let text = page(&format!("t{n}x"), &["all is well"]);
        let other = page(
            &format!("t{n}x"),
            &[if n % 2 == 0 { "anna" } else { "bela" }],
        );
        for (turning, other) in [(&mut still, &text), (&mut lively, &other)] {
            if Asked::default().wants(NEWS, turning) {
                turning.note(NEWS, &text, other);
            }
            turning.count(NEWS);
        }
    }
    assert_eq!(still.all.twice, 6);
    assert_eq!(lively.sections[&NEWS].twice, 21);
}

#[test]
fn second_answers_that_do_not_come_are_not_wanted_for_ever() {
    let (mut turning, asked) = (Turning::default(), Asked::default());
    let mut wanted = 0;
    for section in 0..100 {
        for _ in 0..20 {
            turning.count(section);
            wanted += u32::from(asked.wants(section, &turning));
        }
    }
    assert!((6..80).contains(&wanted), "{wanted}");
}

#[test]
fn what_is_known_outlives_the_process() {
    let mut turning = Turning::default();
    taught(NEWS, &mut turning);
    turning.count(SHOP);
    let mut parts = Parts::default();
    turning.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    assert_eq!(Turning::load(&parts), Some(turning));
}
