//! Does docs/configuration.md name the keys that there are, and no others?

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use nodust_crawler::CrawlConfig;
use serde_json::{Value, to_value};

type Sections = BTreeMap<String, BTreeSet<String>>;

fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    text.strip_prefix(begin)?.split_once(end).map(|both| both.0)
}

/// Keys in the tables below each heading that names a section, and before the first of these. What begins a table of rules is no key.
fn documented(text: &str) -> Sections {
    let mut sections = Sections::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(name) = between(line, "## `[", "]`") {
            name.clone_into(&mut section);
        } else if let Some(key) = between(line, "| `", "` |")
            && !key.contains(' ')
        {
            let keys = sections.entry(section.clone()).or_default();
            assert!(keys.insert(key.to_owned()), "{key} is there twice");
        }
    }
    sections
}

fn add(sections: &mut Sections, section: &str, keys: Value) {
    let Value::Object(keys) = keys else {
        panic!("{section} has no keys");
    };
    for (key, value) in keys {
        let inner = format!("{section}.{key}");
        if inner == "filter.language" || inner == "filter.traps" {
            add(sections, &inner, value);
        } else {
            let keys = sections.entry(section.to_owned()).or_default();
            keys.insert(key);
        }
    }
}

#[test]
fn the_page_about_the_configuration_names_each_key() {
    let config = CrawlConfig::default();
    let mut sections = Sections::new();
    add(&mut sections, "crawl", to_value(&config).unwrap());
    add(
        &mut sections,
        "store",
        to_value(&config.store_options).unwrap(),
    );
    let Value::Object(stages) = to_value(&config.chain).unwrap() else {
        panic!("the stages have no sections");
    };
    for (stage, keys) in stages {
        if keys.is_object() {
            add(&mut sections, &stage, keys);
        } else {
            sections.entry(String::new()).or_default().insert(stage);
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(root.join("docs/configuration.md")).unwrap();
    assert_eq!(documented(&text), sections);
}

#[test]
fn the_page_about_the_configuration_names_each_session_parameter_and_no_other() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/configuration.md");
    let text = std::fs::read_to_string(page).unwrap();
    let (_, section) = text.split_once("### Session parameters\n").unwrap();
    let (before, after) = section.split_once("Servers mostly").unwrap();
    let named: Vec<&str> = before.split('`').skip(1).step_by(2).collect();
    let (families, named): (Vec<_>, Vec<_>) =
        (named.into_iter()).partition(|name| *name == "ASPSESSIONID");
    assert_eq!(families.len(), 1);
    assert_eq!(
        named,
        nodust_middleware::normalize::SESSION_PARAMETERS.to_vec()
    );
    assert!(after.contains("`sid` is not on the list"), "{after}");
}
