//! Cleans lists of URLs, without a crawl.
//!
//! Plain functions over texts for people who prepare lists of URLs, named as in courlan where they mean the same. They
//! keep to the tiers of the project: what is sent to a server stays the same request unless the function says
//! otherwise. [`scrub_url`] keeps the request; [`normalize_url`] and [`clean_url`] drop exact-named trackers and order
//! the parameters; `strict` drops whatever does not name content. What courlan does beyond that (unescaping HTML,
//! deleting spaces, taking a nested URL for the whole) is offered by [`ScrubConfig`](crate::scrub::ScrubConfig), each
//! by its own switch.
//!
//! The formal checks and the filters are defined beside the stage that uses them, in [`filter`](crate::filter), and
//! exported again here, so that one `use` brings in everything.
//!
//! ```
//! use nodust_middleware::clean::{check_url, clean_url, CheckOptions};
//!
//! assert_eq!(clean_url(" HTTP://e.org:80/a?utm_source=x&b=2&a=1#top").unwrap(), "http://e.org/a?a=1&b=2");
//! let (url, domain) = check_url("https://www.e.co.uk/article", &CheckOptions::default()).unwrap();
//! assert_eq!((&*url, &*domain), ("https://www.e.co.uk/article", "e.co.uk"));
//! assert_eq!(check_url("https://e.org/page/2", &CheckOptions::default()), None);
//! ```

mod anchors;
mod check;
mod domain;
mod known;
mod links;
mod normal;

pub use anchors::{Anchor, Anchors, base_href};
pub use check::{CENTRAL_SITES, CheckOptions, check_url};
pub use domain::{extract_domain, get_base_url, get_host_and_path, get_hostinfo, is_external};
pub use known::{fix_relative_urls, is_known_link};
pub use links::{LinkOptions, extract_links, filter_links};
pub use normal::{
    CleanError, CleanOptions, clean_query, clean_url, normalize_url, normalize_url_with, scrub_url,
};

pub use crate::filter::{
    extension::extension_filter,
    hostname::domain_filter,
    language::lang_filter,
    structure::{is_navigation_page, is_not_crawlable, path_filter, type_filter},
    validity::{SplitUrl, basic_filter, is_valid_url, validate_url},
};
