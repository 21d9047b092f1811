//! A built-in site, to try a crawl without a network.
//!
//! A small synthetic site runs in this process and answers on loopback. It has the usual duplicates (sessions, sort
//! orders, print views, tracking parameters, aliases, mirrors, an endless calendar, login links that remember the page
//! they are on) and also pages that look alike but are not. What each URL shows follows from a seed alone, so the truth
//! is known to a test and never to the crawler.
//!
//! | part | what is the same | what is not |
//! | --- | --- | --- |
//! | `/articles/` | `/print/…`, `?print=1`, `utm_*`, `fbclid`, `gclid`, `from=`, `/mirror/…`, `/Articles/…`, `/?p=N` (301) | |
//! | `/category/` | missing slash (301), `page=1` | `page=N` |
//! | `/docs/` | trailing slash, `index.html` | |
//! | `/shop/` | `sid=`, `sort=`, `order=`, order of parameters | `id=`, `lang=`; parts differ in one line |
//! | `/forum/` | `;jsessionid=` | `page=N` |
//! | `/gallery/` | | `gallery=`, `image=`; its `rel=canonical` lies |
//! | `/wiki/` | | letter case |
//! | `/notes/` | | `?draft` without a value, `?q=` with an empty one |
//! | `/calendar` | months without events, `view=list` | months with events |
//! | `/login?next=…`, `/missing/…` | say 200 and have no content | |
//!
//! Every page carries long chrome, a clock and a visitor counter that change with each request.
//!
//! ```
//! use nodust_crawler::site::{Site, SiteConfig};
//!
//! let site = Site::new(SiteConfig { pages: 200, ..SiteConfig::default() });
//! assert_eq!(site.truth("http://any.example/index.html"), site.truth("http://any.example/"));
//! assert_ne!(site.truth("http://any.example/wiki/MARS-0"), site.truth("http://any.example/wiki/Mars-0"));
//! ```

mod answer;
mod catalog;
mod html;
mod route;
mod sections;
mod server;
mod walk;
mod words;

use std::sync::Arc;

use url::Url;

pub use server::ServerHandle;
pub use walk::Walk;

use answer::Answer;
use catalog::Catalog;
use route::Request;

/// How large the site is, and which of all possible sites it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteConfig {
    /// About how many different contents the site has (never fewer than 100). A plain crawler fetches
    /// about six times as many URLs.
    pub pages: usize,
    /// Determines every word and every link. Equal seeds give equal sites on any machine.
    pub seed: u64,
    /// Months of the calendar. A real one never ends; this one stops, so that a plain crawl does, too.
    pub calendar_months: u32,
}

impl Default for SiteConfig {
    /// 600 contents, and a calendar of ten years.
    fn default() -> Self {
        Self {
            pages: 600,
            seed: 1,
            calendar_months: 120,
        }
    }
}

/// The name of a content: two URLs with the same one show a reader the same page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentId(u64);

/// The built-in site. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Site {
    catalog: Arc<Catalog>,
}

impl Site {
    /// A site with this configuration.
    pub fn new(config: SiteConfig) -> Self {
        Self {
            catalog: Arc::new(Catalog::new(config)),
        }
    }

    /// The content that a URL shows; `None` for redirects, errors (also those with status 200), login forms, and files
    /// that are not text. The host does not matter.
    pub fn truth(&self, url: &str) -> Option<ContentId> {
        let url = Url::parse(url).ok()?;
        match self.answer(&Request::of(&url)) {
            Answer::Page(page) => page.content().map(ContentId),
            _ => None,
        }
    }

    /// What a plain crawler meets that starts at `/`, obeys robots.txt, and takes two URLs for the same only if they
    /// are equal except for the fragment.
    pub fn walk(&self) -> Walk {
        Walk::of(self)
    }

    /// Paths that robots.txt forbids.
    pub const FORBIDDEN: &'static str = "/private/";

    fn answer(&self, request: &Request<'_>) -> Answer {
        sections::answer(&self.catalog, request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        Site::new(SiteConfig {
            pages: 300,
            ..SiteConfig::default()
        })
    }

    fn truth(path: &str) -> Option<ContentId> {
        site().truth(&format!("http://s.example{path}"))
    }

    #[test]
    fn what_is_said_to_be_the_same_is_the_same() {
        let slug = site().catalog.articles[3].slug.clone();
        let article = truth(&format!("/articles/{slug}"));
        assert!(article.is_some());
        for alias in [
            format!("/print/articles/{slug}"),
            format!("/articles/{slug}?print=1"),
            format!("/articles/{slug}?utm_source=x&utm_medium=y"),
            format!("/mirror/articles/{slug}"),
            format!("/Articles/{slug}?fbclid=7"),
        ] {
            assert_eq!(truth(&alias), article, "{alias}");
        }
        assert_eq!(
            truth("/shop/shelf?id=0&sort=price&order=desc&sid=ab"),
            truth("/shop/shelf?id=0")
        );
        assert_eq!(
            truth("/forum/thread/2;jsessionid=AB12"),
            truth("/forum/thread/2")
        );
        assert_eq!(
            truth("/calendar?year=2031&month=4"),
            truth("/calendar?year=2032&month=5")
        );
        for empty in ["/login?next=/a", "/missing/1", "/gone/1", "/home"] {
            assert_eq!(truth(empty), None, "{empty}");
        }
    }

    #[test]
    fn what_only_looks_alike_is_not_the_same() {
        for (one, other) in [
            ("/shop/part?id=1", "/shop/part?id=2"),
            ("/shop/item?id=3", "/shop/item?id=3&lang=de"),
            ("/gallery/?gallery=0", "/gallery/?gallery=1"),
            ("/wiki/Mars-0", "/wiki/MARS-0"),
            ("/notes/0", "/notes/0?draft"),
            ("/notes/0", "/notes/0?q="),
            ("/forum/thread/2", "/forum/thread/2?page=2"),
            ("/calendar?year=2026&month=1", "/calendar?year=2026&month=2"),
        ] {
            assert!(truth(one).is_some(), "{one}");
            assert!(truth(other).is_some(), "{other}");
            assert_ne!(truth(one), truth(other), "{one} {other}");
        }
    }

    #[test]
    fn every_kind_of_content_is_reached_and_the_calendar_ends() {
        let walk = site().walk();
        assert!(walk.contents().len() >= 300, "{}", walk.contents().len());
        assert!(
            walk.fetches() > 4 * walk.contents().len(),
            "{}",
            walk.fetches()
        );
        assert!(walk.fetches() < 12 * walk.contents().len());
        for part in [
            "/articles/",
            "/print/",
            "/mirror/",
            "/docs/",
            "/shop/item",
            "/shop/part",
            ";jsessionid=",
            "image=",
            "/wiki/",
            "?draft",
            "/event?",
            "/login?",
            "/missing/",
            "/gone/",
            "/?p=",
            "/files/",
        ] {
            assert!(walk.urls().any(|url| url.contains(part)), "{part}");
        }
        assert!(!walk.urls().any(|url| url.contains(Site::FORBIDDEN)));
    }

    #[test]
    fn equal_seeds_give_equal_sites_and_others_do_not() {
        let urls = |seed| {
            let site = Site::new(SiteConfig {
                pages: 100,
                seed,
                ..SiteConfig::default()
            });
            site.walk().urls().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(urls(1), urls(1));
        assert_ne!(urls(1), urls(2));
    }
}
