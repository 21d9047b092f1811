//! Any robots.txt: reading it and asking it never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nodust_crawler::robots::Rules;

fuzz_target!(|data: &[u8]| {
    let rules = Rules::parse("nodust", data);
    for url in ["http://e.org/", "http://e.org/a/b.html?c=d", "http://e.org/%7e"] {
        let _ = rules.allows(url);
    }
    let _ = (rules.crawl_delay(), rules.sitemaps());
});
