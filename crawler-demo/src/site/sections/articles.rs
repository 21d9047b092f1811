//! Articles: print views, tracking parameters, a mirror, short links, a path in any letter case.

use super::{
    super::{answer::Answer, answer::Page, catalog::Catalog, route::Request, words::pick},
    moved,
};

/// `root` is where the links of the page stay: the site itself or its mirror.
pub(super) fn answer(
    site: &Catalog,
    request: &Request<'_>,
    rest: &str,
    root: &str,
    print: bool,
) -> Answer {
    if rest.is_empty() {
        return if request.path.ends_with('/') {
            index(site, root)
        } else {
            moved(format!("{}/", request.path))
        };
    }
    match site.article(rest) {
        Some(number) => article(
            site,
            number,
            root,
            print || request.get("print") == Some("1"),
        ),
        None => Answer::NotFound,
    }
}

fn index(site: &Catalog, root: &str) -> Answer {
    let mut page = Page::new("All articles", site.words("articles").lines(3));
    for (i, category) in site.categories.iter().enumerate() {
        // Every other link lacks its slash.
        let slash = if i % 2 == 0 { "/" } else { "" };
        page.link(format!("/category/{category}{slash}"), category);
    }
    if root != "/articles/" {
        for article in &site.articles {
            page.link(format!("{root}{}", article.slug), &article.title);
        }
    }
    page.into()
}

fn article(site: &Catalog, number: usize, root: &str, print: bool) -> Answer {
    let seed = site.config.seed;
    let slug = &site.articles[number].slug;
    let place = format!("article {slug}");
    let mut lines = vec![site.articles[number].title.clone()];
    lines.extend(site.words(&place).lines(5));
    let mut page = Page::new(&site.articles[number].title, lines);
    page.canonical = Some(format!("/articles/{slug}"));
    page.bare = print;
    if print {
        page.link(format!("/articles/{slug}"), "Back to the article");
        return page.into();
    }
    for n in 0..4 {
        let place = format!("{place} related {n}");
        let other = &site.articles[pick(seed, &place) as usize % site.articles.len()];
        let target = &other.slug;
        let link = match pick(seed, &place) >> 32 & 7 {
            0 | 1 => format!("{root}{target}"),
            2 => format!("{root}{target}?from=related"),
            3 => format!("{root}{target}?from=list"),
            4 => format!("{root}{target}?fbclid={}", site.token(&place, target)),
            5 => format!("{root}{target}?gclid={}", site.token(&place, target)),
            6 => format!("/Articles/{target}"),
            _ => format!("{root}{target}#comments"),
        };
        page.link(link, &other.title);
    }
    page.link(format!("/print/articles/{slug}"), "Print");
    page.link(format!("{root}{slug}?print=1"), "Print this page");
    page.link(format!("/?p={number}"), "Short link");
    if number % 25 == 3 {
        page.link(format!("/missing/{number}"), "A note on this");
        page.link(format!("/gone/{number}"), "An older note");
    }
    page.into()
}

pub(super) fn category(site: &Catalog, request: &Request<'_>, rest: &str) -> Answer {
    if !request.path.ends_with('/') {
        return moved(format!("{}/", request.path));
    }
    let name = rest.trim_end_matches('/');
    let Some(category) = site.categories.iter().position(|c| c == name) else {
        return Answer::NotFound;
    };
    let members: Vec<_> = site.in_category(category).collect();
    let pages = members.len().div_ceil(Catalog::PER_PAGE).max(1);
    let number = request.number("page").unwrap_or(1);
    let mut page = Page::new(format!("About {name}"), Vec::new());
    let shown = members
        .chunks(Catalog::PER_PAGE)
        .nth(number.saturating_sub(1))
        .unwrap_or_default();
    if shown.is_empty() {
        page.lines.push("There are no more entries.".into());
    }
    for &article in shown {
        let article = &site.articles[article];
        page.lines.push(format!(
            "{}: {}",
            article.title,
            site.words(&article.slug).phrase(9)
        ));
        page.link(format!("/articles/{}", article.slug), &article.title);
    }
    for n in 1..=pages {
        page.link(format!("/category/{name}/?page={n}"), n.to_string());
    }
    page.into()
}
