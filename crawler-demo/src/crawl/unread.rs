//! Hosts whose sitemaps are still to be read.
//!
//! A site's sitemaps are wanted from when its robots.txt names them until the last has been read. A crawl that ends before that,
//! or cannot get one for now, reads them when it goes on; until then the store remembers them.

use nodust_frontier::{CanonicalUrl, Commit, Store, StoreError};

/// How the names of the states begin under which the store keeps them; scheme and host follow. The value is a page of it.
const UNREAD: &str = "crawl/sitemaps/";

/// Sitemaps that are to be read.
#[derive(Debug)]
pub(crate) struct Unread {
    /// A page of their host and scheme.
    pub(crate) page: CanonicalUrl,
    /// The files that robots.txt names; `None`: an earlier run was told, and it is to be asked again.
    pub(crate) files: Option<Vec<String>>,
}

/// Notes that sitemaps are to be read.
pub(crate) fn note(store: &dyn Store, page: &CanonicalUrl) -> Result<(), StoreError> {
    write(store, page, Some(page.as_str().into()))
}

/// Forgets those of this page's host and scheme.
pub(crate) fn forget(store: &dyn Store, page: &CanonicalUrl) -> Result<(), StoreError> {
    write(store, page, None)
}

fn write(store: &dyn Store, page: &CanonicalUrl, value: Option<Vec<u8>>) -> Result<(), StoreError> {
    let origin = page.as_url().origin().ascii_serialization();
    store.commit(Commit {
        state: vec![(format!("{UNREAD}{origin}"), value)],
        ..Commit::default()
    })
}

/// Those that earlier runs have left.
pub(super) fn left(store: &dyn Store) -> Result<Vec<Unread>, StoreError> {
    let mut left = Vec::new();
    store.state_scan(UNREAD, &mut |_, page| {
        let page = std::str::from_utf8(page)
            .ok()
            .and_then(|page| page.parse().ok());
        left.extend(page.map(|page| Unread { page, files: None }));
    })?;
    Ok(left)
}

#[cfg(test)]
mod tests {
    use nodust_frontier::MemoryStore;

    use super::*;

    #[test]
    fn sitemaps_are_known_until_they_are_forgotten() {
        let store = MemoryStore::default();
        let pages = [
            "http://a.example/x",
            "https://a.example/",
            "http://b.example:81/y",
        ]
        .map(|page| page.parse::<CanonicalUrl>().unwrap());
        for page in &pages {
            note(&store, page).unwrap();
        }
        note(&store, &"http://a.example/z".parse().unwrap()).unwrap();
        forget(&store, &pages[1]).unwrap();
        let mut left: Vec<_> = (left(&store).unwrap().iter())
            .map(|unread| unread.page.to_string())
            .collect();
        left.sort();
        assert_eq!(left, ["http://a.example/z", "http://b.example:81/y"]);
    }
}
