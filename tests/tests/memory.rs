//! Is what prediction says that it holds what the process holds?
//!
//! One test alone in its process: nobody else allocates.

use std::fmt::Write as _;

use nodust_middleware::predict::{PredictConfig, Site};
use url::Url;

#[global_allocator]
static HEAP: dhat::Alloc = dhat::Alloc;

/// A text of its own for each number, below a menu that all share.
fn text(number: usize) -> String {
    let mut text = "home news search about\nlog in or register\n".to_owned();
    for at in 0..40 {
        let _ = write!(text, "w{} ", (number * 7919 + at * (number + 31)) % 50_021);
    }
    text
}

/// Pages of sections, each with noise of its own kind, so that there is much to claim: parameters, folders, names of files,
/// titles behind numbers, letter case, canonical addresses.
fn pages() -> impl Iterator<Item = (String, usize, Option<String>)> {
    (0..6000).map(|at| {
        let (id, section) = (at / 3, at / 3 % 12);
        let url = match section % 6 {
            0 => format!("http://e.org/shop{section}/item?id={id}&sid{section}=s{at}"),
            1 => format!("http://e.org/v{}/docs{section}/{id}.html", at % 3),
            2 => format!("http://e.org/art{section}/{id}-title-{}", at * 31),
            3 => format!(
                "http://e.org/list{section}?page={id}&sort{section}={}&view={}",
                at % 3,
                at % 2
            ),
            4 => format!(
                "http://e.org/{}{section}/{id}",
                ["wiki", "Wiki", "WIKI"][at % 3]
            ),
            _ => format!(
                "http://e.org/m{section}/{id}{}.html",
                ["", "_print", "_mobile"][at % 3]
            ),
        };
        let canonical = (section == 5 && at % 3 > 0).then(|| format!("http://e.org/m5/{id}.html"));
        (url, id, canonical)
    })
}

#[test]
fn memory_that_prediction_says_it_holds_is_what_it_holds() {
    let _heap = dhat::Profiler::builder().testing().build();
    let before = dhat::HeapStats::get().curr_bytes;
    let mut site = Site::new("e.org", &PredictConfig::default());
    for (number, (url, content, canonical)) in pages().enumerate() {
        let url: Url = url.parse().expect("a URL");
        site.observe(&url, &text(content), canonical.as_deref(), None);
        if number % 1500 == 1499 {
            let held = dhat::HeapStats::get().curr_bytes - before;
            let said = site.bytes();
            println!("{number} pages: {held} bytes held, {said} said");
            // What an allocator rounds up is said, too, and not seen here.
            assert!(said * 100 >= held * 98, "{said} said, {held} held");
            assert!(said * 100 <= held * 110, "{said} said, {held} held");
        }
    }
    assert!(site.pages() > 5000, "{} pages", site.pages());
}
