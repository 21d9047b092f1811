//! The forum: a session in the path, threads of two pages, a log-in link on each page.

use super::{
    super::{answer::Answer, answer::Page, catalog::Catalog, route::Request},
    moved, split,
};

pub(super) fn answer(site: &Catalog, request: &Request<'_>, rest: &str) -> Answer {
    match split(rest) {
        ("", _) if !request.path.ends_with('/') => moved("/forum/"),
        ("", _) => index(site, request),
        ("thread", number) => match number.parse() {
            Ok(number) if number < site.threads => thread(site, request, number),
            _ => Answer::NotFound,
        },
        _ => Answer::NotFound,
    }
}

/// A link with a session in its path, on some pages.
fn with_session(site: &Catalog, source: &str, target: &str) -> String {
    let token = site.token(source, target);
    if token.ends_with(['0', '1', '2', '3', '4', '5', '6', '7']) {
        target.to_owned()
    } else {
        format!("{target};jsessionid={}", token.to_ascii_uppercase())
    }
}

const PER_INDEX: usize = 20;

fn index(site: &Catalog, request: &Request<'_>) -> Answer {
    let number = request.number("page").unwrap_or(1).max(1);
    let pages = site.threads.div_ceil(PER_INDEX);
    let mut page = Page::new(
        "Forum",
        vec![format!(
            "Threads, page {} of the list",
            number.min(pages + 1)
        )],
    );
    let here = format!("forum {number}");
    for thread in ((number - 1).saturating_mul(PER_INDEX)..site.threads).take(PER_INDEX) {
        let title = site.words(&format!("thread {thread}")).phrase(7);
        page.link(
            with_session(site, &here, &format!("/forum/thread/{thread}")),
            &title,
        );
        page.lines.push(title);
    }
    for n in 1..=pages {
        page.link(format!("/forum/?page={n}"), n.to_string());
    }
    page.into()
}

fn thread(site: &Catalog, request: &Request<'_>, thread: usize) -> Answer {
    let second = thread % 4 == 2 && request.get("page") == Some("2");
    let place = format!("thread {thread}");
    let mut words = site.words(&if second {
        format!("{place} page 2")
    } else {
        place.clone()
    });
    let mut page = Page::new(words.phrase(7), words.lines(4));
    if thread % 4 == 2 {
        page.link(format!("/forum/thread/{thread}?page=2"), "Next page");
        page.link(format!("/forum/thread/{thread}"), "First page");
    }
    for n in 0..2 {
        let other = site.words(&format!("{place} see {n}")).below(site.threads);
        page.link(
            with_session(site, &place, &format!("/forum/thread/{other}")),
            "See also",
        );
    }
    page.link(
        format!("/login?next=/forum/thread/{thread}"),
        "Log in to answer",
    );
    page.into()
}
