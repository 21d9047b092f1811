//! Finds the section that a misplaced configuration key belongs in.

use serde_json::{Map, Value};

use crate::CrawlConfig;

/// What a complaint about an unknown key comes to, as a line of its own, where another section has one of that name.
pub(super) fn belongs(complaint: &str) -> String {
    let key = (complaint.split_once("unknown field `"))
        .and_then(|(_, behind)| behind.split_once('`'))
        .map(|(key, _)| key);
    let sections: Vec<_> = key.map(sections_with).unwrap_or_default();
    if sections.is_empty() {
        return String::new();
    }
    let sections: Vec<_> = (sections.iter())
        .map(|section| format!("[{section}]"))
        .collect();
    format!(
        "\n`{}` belongs under {}",
        key.unwrap_or_default(),
        sections.join(" or ")
    )
}

/// The sections that have a key.
fn sections_with(key: &str) -> Vec<String> {
    let config = CrawlConfig::default();
    let of = |value: Result<Value, serde_json::Error>| match value {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    };
    let mut sections = vec![
        ("crawl".to_owned(), of(serde_json::to_value(&config))),
        (
            "store".to_owned(),
            of(serde_json::to_value(&config.store_options)),
        ),
    ];
    for (name, keys) in of(serde_json::to_value(&config.chain)) {
        sections.push((name, of(Ok(keys))));
    }
    (sections.into_iter())
        .filter(|(_, keys)| keys.contains_key(key))
        .map(|(name, _)| name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_another_section_is_told_where_it_belongs() {
        let told = |key: &str| {
            belongs(&format!(
                "at line 1: unknown field `{key}`, expected one of `x`"
            ))
        };
        assert_eq!(told("delay_ms"), "\n`delay_ms` belongs under [crawl]");
        assert_eq!(told("flush"), "\n`flush` belongs under [store]");
        assert_eq!(told("max_depth"), "\n`max_depth` belongs under [scope]");
        assert_eq!(told("blacklists"), "\n`blacklists` belongs under [filter]");
        assert!(
            told("sort_parameters").ends_with("under [scrub] or [normalize] or [predict]"),
            "{}",
            told("sort_parameters")
        );
        assert_eq!(told("dely"), "");
        assert_eq!(belongs("it is no TOML"), "");
    }
}
