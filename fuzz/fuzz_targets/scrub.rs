//! Any text: resolving, scrubbing and classing it never panics, and each is final when done twice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nodust_frontier::CanonicalUrl;
use nodust_middleware::{
    clean,
    normalize::Normalize,
    scrub::{Scrub, ScrubConfig},
};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let _ = clean::clean_url(&text);
    let _ = clean::check_url(&text, &clean::CheckOptions::default());
    let base = url();
    for base in [None, Some(base.as_url())] {
        let Ok(found) = CanonicalUrl::resolve(&text, base) else {
            continue;
        };
        let again = CanonicalUrl::resolve(found.as_str(), None).expect("a canonical URL resolves");
        assert_eq!(again.as_str(), found.as_str());
        let normalize = Normalize::default();
        let same = normalize.equivalences();
        if let Some(class) = same.class_of(found.as_url()) {
            let class: CanonicalUrl = class.parse().expect("a class is a URL");
            assert_eq!(same.class_of(class.as_url()), None);
        }
        let reckless = ScrubConfig {
            extract_nested_url: true,
            unescape_html: true,
            delete_markup: true,
            decode_reserved: true,
            replace_undecodable: true,
            ..ScrubConfig::default()
        };
        let _ = Scrub::new(reckless).rewrite(found.as_url());
    }
});

fn url() -> CanonicalUrl {
    "http://e.org/a/b?c".parse().expect("it is a URL")
}
