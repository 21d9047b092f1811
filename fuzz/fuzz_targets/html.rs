//! Any markup: looking for its links never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nodust_middleware::clean::{LinkOptions, base_href, extract_links, filter_links};

fuzz_target!(|data: &[u8]| {
    let html = String::from_utf8_lossy(data);
    let _ = base_href(&html);
    let options = LinkOptions::default();
    for link in extract_links(&html, "https://e.org/a/", &options) {
        assert!(link.starts_with("http"));
    }
    let _ = filter_links(&html, "https://e.org/a/", &options, |_| true);
});
