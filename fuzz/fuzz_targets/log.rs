//! Any line of a log: reading it never panics, and what is kept can be found again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nodust_crawler::replay::{Log, Record};

fuzz_target!(|data: &[u8]| {
    let mut log = Log::default();
    for line in data.split(|octet| *octet == b'\n') {
        if let Ok(record) = serde_json::from_slice::<Record>(line) {
            let _ = (record.status(), record.redirect(), record.readable_text());
            log.push(record);
        }
    }
    for record in log.records() {
        let url = record.url.parse().expect("only records with a URL are kept");
        assert!(log.get(&url).is_some());
    }
});
