//! The HTML of the site's pages.

use std::fmt::Write as _;

use super::{answer::Page, catalog::Catalog};

/// Parts of the site that stand in the navigation of every page.
const SECTIONS: [(&str, &str); 9] = [
    ("/", "Home"),
    ("/articles/", "Articles"),
    ("/docs/", "Handbook"),
    ("/shop/", "Shop"),
    ("/forum/", "Forum"),
    ("/gallery/", "Galleries"),
    ("/wiki/", "Wiki"),
    ("/notes/", "Notes"),
    ("/calendar", "Calendar"),
];

/// The links of a page, those of its chrome first.
pub(super) fn links<'a>(site: &'a Catalog, page: &'a Page) -> impl Iterator<Item = String> + 'a {
    let chrome = if page.bare { Vec::new() } else { chrome(site) };
    chrome
        .into_iter()
        .map(|(to, _)| to)
        .chain(page.links.iter().map(|(to, _)| to.clone()))
}

fn chrome(site: &Catalog) -> Vec<(String, String)> {
    SECTIONS
        .iter()
        .map(|&(to, words)| (to.to_owned(), words.to_owned()))
        .chain(
            site.categories
                .iter()
                .take(24)
                .map(|name| (format!("/category/{name}/"), format!("About {name}"))),
        )
        .collect()
}

/// Writes a page out. `visit` is the number of the request: it changes the lines that change on every
/// visit.
pub(super) fn render(site: &Catalog, page: &Page, visit: u64) -> String {
    let mut out = String::with_capacity(8 * 1024);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    escape(&page.title, &mut out);
    out.push_str("</title>");
    if let Some(canonical) = &page.canonical {
        out.push_str("<link rel=\"canonical\" href=\"");
        escape(canonical, &mut out);
        out.push_str("\">");
    }
    out.push_str("</head>\n<body>\n");
    if !page.bare {
        out.push_str("<nav><ul>\n");
        for (to, words) in chrome(site) {
            out.push_str("<li>");
            anchor(&to, &words, &mut out);
            out.push_str("</li>\n");
        }
        out.push_str("</ul></nav>\n");
        let seconds = visit.wrapping_mul(7919) % 86_400;
        let _ = writeln!(
            out,
            "<p>It is {:02}:{:02}:{:02} o'clock.</p>\n<p>You are visitor number {}.</p>",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
            visit + 1
        );
    }
    out.push_str("<main><h1>");
    escape(&page.title, &mut out);
    out.push_str("</h1>\n");
    if let Some(heading) = &page.heading {
        out.push_str("<h2>");
        escape(heading, &mut out);
        out.push_str("</h2>\n");
    }
    for line in &page.lines {
        out.push_str("<p>");
        escape(line, &mut out);
        out.push_str("</p>\n");
    }
    out.push_str("<ul>\n");
    for (to, words) in &page.links {
        out.push_str("<li>");
        anchor(to, words, &mut out);
        out.push_str("</li>\n");
    }
    out.push_str("</ul></main>\n");
    if !page.bare {
        out.push_str("<footer>\n");
        for line in site.words("footer").lines(3) {
            out.push_str("<p>");
            out.push_str(&line);
            out.push_str("</p>\n");
        }
        out.push_str("</footer>\n");
    }
    out.push_str("</body></html>\n");
    out
}

fn anchor(to: &str, words: &str, out: &mut String) {
    out.push_str("<a href=\"");
    escape(to, out);
    out.push_str("\">");
    escape(words, out);
    out.push_str("</a>");
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Site, SiteConfig, answer::Page};
    use super::render;

    #[test]
    fn only_clock_and_counter_change_from_visit_to_visit() {
        let site = Site::new(SiteConfig::default());
        let page = Page::new("A & B", vec!["x < y".into()]);
        let (one, two) = (
            render(&site.catalog, &page, 1),
            render(&site.catalog, &page, 2),
        );
        let changed = one.lines().zip(two.lines()).filter(|(a, b)| a != b).count();
        assert_eq!(changed, 2);
        assert!(one.contains("A &amp; B") && one.contains("x &lt; y"));
    }
}
