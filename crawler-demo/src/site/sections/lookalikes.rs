//! Pages whose URLs differ in what elsewhere does not matter: letter case, a parameter without a value.

use super::super::{answer::Answer, answer::Page, catalog::Catalog, route::Request};

const PLANETS: [(&str, &str); 4] = [
    ("Mars", "MARS"),
    ("Venus", "VENUS"),
    ("Ceres", "CERES"),
    ("Vesta", "VESTA"),
];

/// `/wiki/Mars-0` is a planet, `/wiki/MARS-0` a rocket.
pub(super) fn wiki(site: &Catalog, rest: &str) -> Answer {
    let number = |n: usize| (n / PLANETS.len(), PLANETS[n % PLANETS.len()]);
    if rest.is_empty() {
        let mut page = Page::new("Wiki", site.words("wiki").lines(2));
        for n in 0..site.planets.div_ceil(2) {
            let (set, (planet, rocket)) = number(n);
            page.link(format!("/wiki/{planet}-{set}"), planet);
            page.link(format!("/wiki/{rocket}-{set}"), rocket);
        }
        return page.into();
    }
    let known = (0..site.planets.div_ceil(2)).any(|n| {
        let (set, (planet, rocket)) = number(n);
        rest == format!("{planet}-{set}") || rest == format!("{rocket}-{set}")
    });
    if !known {
        return Answer::NotFound;
    }
    let mut page = Page::new(rest, site.words(&format!("wiki {rest}")).lines(5));
    page.link("/wiki/", "All entries");
    page.into()
}

/// `?draft` and `?q=` show other texts than the bare path.
pub(super) fn notes(site: &Catalog, request: &Request<'_>, rest: &str) -> Answer {
    if rest.is_empty() {
        let mut page = Page::new("Notes", site.words("notes").lines(2));
        for n in 0..site.notes {
            page.link(format!("/notes/{n}"), format!("Note {n}"));
        }
        return page.into();
    }
    let Some(number) = rest.parse::<usize>().ok().filter(|&n| n < site.notes) else {
        return Answer::NotFound;
    };
    let version = match (request.get("draft"), request.get("q")) {
        (Some(_), _) => "draft",
        (None, Some(_)) => "questions",
        (None, None) => "text",
    };
    let mut page = Page::new(
        format!("Note {number}"),
        site.words(&format!("note {number} {version}")).lines(5),
    );
    page.link(format!("/notes/{number}"), "Text");
    page.link(format!("/notes/{number}?draft"), "Draft");
    page.link(format!("/notes/{number}?q="), "Questions");
    page.into()
}
