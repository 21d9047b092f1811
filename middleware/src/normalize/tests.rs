//! What the equivalences promise.

use proptest::prelude::*;
use url::Url;

use super::{Equivalences, NormalizeConfig};

fn class(text: &str) -> String {
    class_with(&NormalizeConfig::default(), text)
}

fn class_with(config: &NormalizeConfig, text: &str) -> String {
    let url = Url::parse(text).unwrap();
    Equivalences::new(config)
        .class_of(&url)
        .unwrap_or_else(|| url.into())
}

#[test]
fn a_url_that_stands_for_its_class_is_left_alone() {
    let same = Equivalences::new(&NormalizeConfig::default());
    for text in [
        "https://e.org/",
        "https://e.org/a/b.html",
        "https://e.org/a?a=1&b=%20&b=1",
        "https://e.org:8443/x",
        "https://www.com/",
        "https://e.org/a//",
    ] {
        assert_eq!(same.class_of(&Url::parse(text).unwrap()), None, "{text}");
    }
}

#[test]
fn one_page_has_one_class() {
    for (spelling, stands_for_it) in [
        ("http://e.org/", "https://e.org/"),
        ("http://e.org:8080/a", "http://e.org:8080/a"),
        ("https://www.e.org./a/", "https://e.org/a"),
        ("https://e.org/?", "https://e.org/"),
        (
            "https://e.org/a?utm_source=x&id=1&FBCLID=2",
            "https://e.org/a?id=1",
        ),
        ("https://e.org/a?gclid=x", "https://e.org/a"),
        (
            "https://e.org/a?b=2&a=2&b=1&a=1",
            "https://e.org/a?a=2&a=1&b=2&b=1",
        ),
        ("https://e.org/a?q=a+b", "https://e.org/a?q=a%20b"),
        (
            "https://e.org/a;jsessionid=1F;v=2?x",
            "https://e.org/a;v=2?x",
        ),
        ("https://e.org/a;JSESSIONID=1F.n1/b", "https://e.org/a/b"),
        (
            "https://e.org/(S(4hqa0555fwsecu455xqckv45))/a.aspx",
            "https://e.org/a.aspx",
        ),
        ("https://e.org/a?PHPSESSID=1&x", "https://e.org/a?x"),
        ("https://e.org/a/Index.PHP", "https://e.org/a"),
        ("https://e.org/default.aspx", "https://e.org/"),
        ("https://e.org/index.html?gclid=1", "https://e.org/"),
    ] {
        assert_eq!(class(spelling), stands_for_it, "{spelling}");
    }
}

#[test]
fn pages_that_look_alike_stay_apart() {
    for (one, other) in [
        ("https://e.org/a?sid=1", "https://e.org/a?sid=2"),
        ("https://e.org/a?gallery=1", "https://e.org/a"),
        ("https://e.org/a?b", "https://e.org/a?b="),
        ("https://e.org/a?b=", "https://e.org/a"),
        ("https://e.org/a?b=%2B", "https://e.org/a?b=+"),
        ("https://e.org/a?a[]=1&a[]=2", "https://e.org/a?a[]=2&a[]=1"),
        ("https://e.org/index.php?p=1", "https://e.org/?p=1"),
        ("https://e.org/a//b", "https://e.org/a/b"),
        ("https://e.org/A", "https://e.org/a"),
        ("http://e.org:81/", "https://e.org:81/"),
        ("https://www2.e.org/", "https://e.org/"),
    ] {
        assert_ne!(class(one), class(other), "{one} {other}");
    }
}

#[test]
fn every_equivalence_can_be_switched_off() {
    let none = NormalizeConfig::none();
    let spelling = "http://www.e.org./a/index.html/?q=a+b&gclid=1&PHPSESSID=2&a";
    assert_eq!(class_with(&none, spelling), spelling);
    assert_eq!(class_with(&none, "http://e.org/?"), "http://e.org/?");
    let www = NormalizeConfig {
        www: true,
        ..NormalizeConfig::none()
    };
    assert_eq!(
        class_with(&www, "http://www.e.org/a/?b&a"),
        "http://e.org/a/?b&a"
    );
}

#[test]
fn the_operator_adds_and_keeps_names() {
    let config = NormalizeConfig {
        drop_parameters: vec!["from".into()],
        keep_parameters: vec!["gclid".into()],
        ..NormalizeConfig::default()
    };
    assert_eq!(
        class_with(&config, "https://e.org/?from=x&gclid=1"),
        "https://e.org/?gclid=1"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_class_of_a_class_is_itself(
        www in "(www\\.){0,3}",
        host in "(e\\.org|com|www|1\\.2\\.3\\.4)\\.{0,2}",
        path in "(/|/index\\.html|/a|;jsessionid=1|/\\(S\\(4hqa0555fwsecu455xqckv45\\)\\)|/\\.\\.){0,5}",
        query in "(\\?[ab&=+%20]{0,8}(&utm_source=1)?(&PHPSESSID)?)?",
    ) {
        let text = format!("http://{www}{host}/{path}{query}");
        if let Ok(url) = Url::parse(&text) {
            let same = Equivalences::new(&NormalizeConfig::default());
            if let Some(class) = same.class_of(&url) {
                let again = Url::parse(&class).unwrap();
                prop_assert_eq!(again.as_str(), class.as_str());
                prop_assert_eq!(same.class_of(&again), None, "{}", class);
            }
        }
    }

    #[test]
    fn no_url_makes_it_panic(text in "(?s).{0,40}") {
        for text in [text.clone(), format!("http://e.org/{text}"), format!("http://{text}")] {
            if let Ok(url) = Url::parse(&text) && url.has_host() {
                let _ = Equivalences::new(&NormalizeConfig::default()).class_of(&url);
            }
        }
    }
}
