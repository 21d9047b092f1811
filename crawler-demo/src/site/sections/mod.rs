//! The parts of the site.

mod articles;
mod calendar;
mod docs;
mod forum;
mod gallery;
mod lookalikes;
mod shop;

use super::{
    answer::{Answer, Page},
    catalog::Catalog,
    route::Request,
};

pub(super) fn answer(site: &Catalog, request: &Request<'_>) -> Answer {
    let (first, rest) = split(request.path);
    match first {
        "" | "index.html" | "index.php" if rest.is_empty() => home(site, request),
        "home" => moved("/"),
        "articles" | "Articles" => articles::answer(site, request, rest, "/articles/", false),
        "print" => match split(rest) {
            ("articles", rest) => articles::answer(site, request, rest, "/articles/", true),
            _ => Answer::NotFound,
        },
        "mirror" => match split(rest) {
            ("articles", rest) => articles::answer(site, request, rest, "/mirror/articles/", false),
            _ => Answer::NotFound,
        },
        "category" => articles::category(site, request, rest),
        "docs" => docs::answer(site, request),
        "shop" => shop::answer(site, request, rest),
        "forum" => forum::answer(site, request, rest),
        "gallery" => gallery::answer(site, request),
        "wiki" => lookalikes::wiki(site, rest),
        "notes" => lookalikes::notes(site, request, rest),
        "calendar" => calendar::month(site, request),
        "event" => calendar::event(site, request),
        "login" => login(),
        "missing" => missing(),
        "private" => Page::new("Private", vec!["Nobody should read this.".into()]).into(),
        "files" => file(rest),
        "robots.txt" => robots(),
        "sitemap.xml" => sitemap(site),
        _ => Answer::NotFound,
    }
}

/// The first segment of a path and the rest behind it.
fn split(path: &str) -> (&str, &str) {
    let path = path.strip_prefix('/').unwrap_or(path);
    path.split_once('/').unwrap_or((path, ""))
}

fn moved(to: impl Into<String>) -> Answer {
    Answer::Redirect {
        status: 301,
        to: to.into(),
    }
}

fn home(site: &Catalog, request: &Request<'_>) -> Answer {
    if let Some(number) = request.number("p") {
        return match site.articles.get(number) {
            Some(article) => moved(format!("/articles/{}", article.slug)),
            None => Answer::NotFound,
        };
    }
    let mut page = Page::new("Welcome", site.words("home").lines(4));
    page.canonical = Some("/".into());
    for (article, source) in site
        .articles
        .iter()
        .zip(["newsletter", "feed", "partner"].iter().cycle())
        .take(12)
    {
        page.link(
            format!(
                "/articles/{}?utm_source={source}&utm_medium=email",
                article.slug
            ),
            &article.title,
        );
    }
    page.link("/index.html", "Home");
    page.link("/home", "Start");
    page.link("/articles", "All articles");
    page.link("/mirror/articles/", "Articles, from our mirror");
    page.link("/private/diary", "Not for robots");
    page.link("/gone/2019", "Our first year");
    page.link("/files/logo.png", "Logo");
    page.link("/files/report.pdf", "Yearly report");
    page.link("mailto:editor@site.example", "Write to us");
    page.link("javascript:void(0)", "More");
    page.into()
}

fn login() -> Answer {
    hollow(
        "Log in",
        "Please log in to see this page. If you have no account yet, ask the editor for one.",
    )
}

/// An error page that says 200.
fn missing() -> Answer {
    hollow(
        "Nothing here",
        "We are sorry, but what you are looking for is not here any more.",
    )
}

fn hollow(title: &str, line: &str) -> Answer {
    let mut page = Page::new(title, vec![line.to_owned()]);
    page.hollow = true;
    page.into()
}

fn file(name: &str) -> Answer {
    match name {
        "logo.png" => Answer::File {
            content_type: "image/png",
            body: b"\x89PNG\r\n\x1a\n".to_vec(),
        },
        "report.pdf" => Answer::File {
            content_type: "application/pdf",
            body: b"%PDF-1.4\n%%EOF\n".to_vec(),
        },
        _ => Answer::NotFound,
    }
}

fn robots() -> Answer {
    Answer::File {
        content_type: "text/plain; charset=utf-8",
        body: format!(
            "User-agent: *\nDisallow: {}\n\nSitemap: /sitemap.xml\n",
            super::Site::FORBIDDEN
        )
        .into_bytes(),
    }
}

/// Absolute addresses are filled in by the server, which knows its own.
fn sitemap(site: &Catalog) -> Answer {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for article in &site.articles {
        xml.push_str("<url><loc>{origin}/articles/");
        xml.push_str(&article.slug);
        xml.push_str("</loc></url>\n");
    }
    xml.push_str("</urlset>\n");
    Answer::File {
        content_type: "application/xml",
        body: xml.into_bytes(),
    }
}
