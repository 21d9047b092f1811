//! Handbook pages: with and without a slash at the end, and with an index page.

use super::super::{answer::Answer, answer::Page, catalog::Catalog, route::Request};

pub(super) fn answer(site: &Catalog, request: &Request<'_>) -> Answer {
    let rest = request.path.strip_prefix("/docs").unwrap_or_default();
    let rest = rest.strip_suffix("/index.html").unwrap_or(rest);
    let name = rest.trim_matches('/');
    if name.is_empty() {
        let mut page = Page::new("Handbook", site.words("docs").lines(3));
        for (i, doc) in site.docs.iter().enumerate() {
            page.link(format!("/docs/{doc}{}", ENDINGS[i % 3]), doc);
        }
        return page.into();
    }
    let Some(number) = site.docs.iter().position(|doc| doc == name) else {
        return Answer::NotFound;
    };
    let mut page = Page::new(name, site.words(&format!("doc {name}")).lines(5));
    page.canonical = Some(format!("/docs/{name}/"));
    for (step, ending) in ENDINGS.iter().enumerate() {
        let other = &site.docs[(number + step + 1) % site.docs.len()];
        page.link(format!("/docs/{other}{ending}"), other);
    }
    page.into()
}

const ENDINGS: [&str; 3] = ["/", "", "/index.html"];
