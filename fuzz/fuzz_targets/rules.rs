//! Any text: it is no rule, or one that prints as what it parses from.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nodust_middleware::filter::Rule;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let Ok(rule) = text.parse::<Rule>() else {
        return;
    };
    let again: Rule = rule.to_string().parse().expect("a rule parses as it prints");
    assert_eq!(again, rule);
    let url = "http://e.org/a/b.pdf?c=d".parse().expect("it is a URL");
    assert_eq!(rule.matches(&url), again.matches(&url));
});
