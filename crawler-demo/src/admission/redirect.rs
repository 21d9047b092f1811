//! Where an answer redirects to.

use std::borrow::Cow;

use nodust_frontier::{CanonicalUrl, FetchedPage};
use url::Url;

use crate::{extract::Page, fetch::Answer};

/// Where an answer sends the reader, by header as it was sent, or by markup, resolved against `<base
/// href>`. A page that refreshes to itself stays a page.
pub(super) fn redirect_of<'a>(
    url: &CanonicalUrl,
    answer: &'a Answer,
    page: &Page,
) -> Option<Cow<'a, str>> {
    if answer.is_redirect() {
        return answer.location.as_deref().map(Cow::Borrowed);
    }
    let target = page.refresh.as_deref().filter(|_| answer.is_success())?;
    let resolved = CanonicalUrl::resolve(target, Some(&base_of(url, page))).ok()?;
    (resolved != *url).then(|| Cow::Owned(resolved.as_str().to_owned()))
}

/// What the links of a page resolve against.
pub(super) fn base_of(url: &CanonicalUrl, page: &Page) -> Url {
    let fetched = FetchedPage {
        base: page.base.as_deref(),
        ..FetchedPage::default()
    };
    let base = fetched.base_url(url);
    base.unwrap_or_else(|| url.as_url().clone())
}
