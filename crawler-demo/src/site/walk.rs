//! What a plain crawler would meet.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use url::Url;

use super::{ContentId, Site, answer::Answer, html, route::Request};

/// Everything that is reached from `/` by following links and redirects, breadth first.
#[derive(Debug)]
pub struct Walk {
    found: BTreeMap<String, Option<ContentId>>,
}

impl Walk {
    pub(super) fn of(site: &Site) -> Self {
        let start = Url::parse("http://site.invalid/").expect("a constant URL parses");
        let mut seen = HashSet::from([start.clone()]);
        let mut queue = VecDeque::from([start.clone()]);
        let mut found = BTreeMap::new();
        while let Some(url) = queue.pop_front() {
            let mut next = |link: &str| {
                let Ok(mut target) = url.join(link) else {
                    return;
                };
                target.set_fragment(None);
                if target.origin() == start.origin()
                    && !target.path().starts_with(Site::FORBIDDEN)
                    && seen.insert(target.clone())
                {
                    queue.push_back(target);
                }
            };
            let mut content = None;
            match site.answer(&Request::of(&url)) {
                Answer::Page(page) => {
                    content = page.content().map(ContentId);
                    for link in html::links(&site.catalog, &page) {
                        next(&link);
                    }
                }
                Answer::Redirect { to, .. } => next(&to),
                Answer::File { .. } | Answer::NotFound => {}
            }
            found.insert(path_and_query(&url).to_owned(), content);
        }
        Self { found }
    }

    /// The paths with queries of all URLs met, including redirects and errors, in alphabetical order.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.found.keys().map(String::as_str)
    }

    /// The number of fetches that a plain crawler makes.
    pub fn fetches(&self) -> usize {
        self.found.len()
    }

    /// The different contents met.
    pub fn contents(&self) -> BTreeSet<ContentId> {
        self.found.values().flatten().copied().collect()
    }
}

fn path_and_query(url: &Url) -> &str {
    &url[url::Position::BeforePath..url::Position::AfterQuery]
}
