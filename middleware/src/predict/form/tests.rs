//! What forms are taken apart to, and what edits make of them.

use proptest::prelude::*;

use super::*;
use crate::cut::Cut;

fn any_param() -> impl Strategy<Value = Param> {
    ("[ab]", "[x*]").prop_flat_map(|(name, value)| {
        prop_oneof![
            Just(Param::Any(name.as_str().into())),
            Just(Param::Wild(name.as_str().into())),
            Just(Param::Value(name.into(), value.into())),
        ]
    })
}

fn slot() -> impl Strategy<Value = Slot> {
    let before = prop::collection::vec("[xyX]?", 0..3);
    (before, "[xy]?[~]?", "(\\.[xy]{1,2})?").prop_map(|(before, prefix, suffix)| Slot {
        before,
        prefix,
        suffix,
    })
}

fn any_edit() -> impl Strategy<Value = Edit> {
    let path = || prop::collection::vec("[xyX]?", 0..3);
    prop_oneof![
        ("http://[ef]", "http://[ef]").prop_map(|(from, to)| Edit::Origin { from, to }),
        (path(), path()).prop_map(|(from, to)| Edit::Prefix { from, to }),
        (path(), path()).prop_map(|(from, to)| Edit::Suffix { from, to }),
        (
            path(),
            "[ab]",
            slot(),
            prop::collection::vec("[xyX]?", 0..2)
        )
            .prop_map(|(path, name, to, behind)| Edit::Move {
                path,
                name,
                to,
                behind
            }),
        (slot(), slot()).prop_map(|(from, to)| Edit::Reshape { from, to }),
        ("[.xy]{0,2}", "[.xy]{0,2}").prop_map(|(from, to)| Edit::Extension { from, to }),
        Just(Edit::HostNumber),
        Just(Edit::Folders),
        (
            "[ab]{0,1}",
            prop::sample::select(vec![
                Title::Next,
                Title::Behind("-".into()),
                Title::Before("_".into())
            ]),
            prop::option::of("[ab]")
        )
            .prop_map(|(folder, title, name)| Edit::Titled {
                from: Titled {
                    before: vec![folder.clone()],
                    title
                },
                to: ById {
                    path: vec![folder],
                    name
                },
            }),
        (0..3usize, 2..4usize).prop_map(|(at, of)| Edit::Superfluous { at, of }),
        (
            prop_oneof![
                (0..3usize, 1..4usize).prop_map(|(at, of)| Whole::Segment { at, of }),
                "[ab]".prop_map(|name| Whole::Value { name }),
            ],
            prop::sample::select(vec!["x", "X", "."]),
            prop::sample::select(Cut::ALL.to_vec())
        )
            .prop_map(|(of, sign, cut)| Edit::Piece {
                of,
                sign: sign.into(),
                cut
            }),
        ("[ab]", any::<bool>()).prop_map(|(name, last)| Edit::Repeated { name, last }),
        (0..3usize).prop_map(|drop| Edit::Head { drop }),
        (0..3usize).prop_map(|keep| Edit::Tail { keep }),
        (prop::collection::vec(0..2usize, 1..3), 2..4usize)
            .prop_map(|(at, of)| Edit::Segments { at, of }),
        prop::collection::vec(any_param(), 1..4).prop_map(Edit::Params),
        (
            (prop::collection::vec(0..2usize, 1..3), 2..4usize),
            prop::collection::vec(any_param(), 1..3)
        )
            .prop_map(|((at, of), params)| Edit::Both {
                path: Edit::Segments { at, of }.into(),
                params,
            }),
        prop::sample::select(vec![
            Edit::Case,
            Edit::QueryCase,
            Edit::Escapes,
            Edit::Spelling,
            Edit::AllParams,
            Edit::Order
        ]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn what_an_edit_will_do_is_told_before(
        url in "http://[ef][1*]?/([xyX*]?/){0,3}x?(;a=x)?(\\?([abA]=[xX*]?(,|%2C|\\+|%20)?&?){0,4})?",
        edit in any_edit(),
    ) {
        let form = Form::parse(&url);
        // Names that are known before are known after, or forgotten.
        let _ = (form.key(), form.shape_key(), form.names_key());
        let mut after = form.clone();
        let is_applied = edit.apply(&mut after);
        let effect = edit.effect(&form);
        prop_assert_eq!(effect.is_some(), is_applied);
        prop_assert_eq!(edit.key_after(&form), after.key());
        let undone = edit.undo(&form).map(|form| form.key());
        let hashed = Hashed::from(edit);
        let mut again = form.clone();
        prop_assert_eq!(hashed.apply(&mut again), is_applied);
        prop_assert_eq!((again.key(), again.names_key()), (after.key(), after.names_key()));
        prop_assert_eq!(hashed.effect(&form), effect);
        prop_assert_eq!(hashed.changes(&form), after != form);
        prop_assert_eq!(hashed.key_after(&form), after.key());
        prop_assert_eq!(hashed.key_before(&form), undone);
        if let Some(effect) = effect {
            prop_assert_eq!(effect.dropped, form.params.len() - after.params.len());
        }
        let mut anew = after.clone();
        anew.keys = Keys::default();
        for part in &mut anew.segments {
            *part = Part::new(Kind::Segment, part.to_string());
        }
        for (name, value) in &mut anew.params {
            *name = Part::new(Kind::Name, name.to_string());
            *value = Part::new(Kind::Value, value.to_string());
        }
        prop_assert_eq!(after.key(), anew.key());
        prop_assert_eq!(after.path_key(), anew.path_key());
        prop_assert_eq!(after.shape_key(), anew.shape_key());
        prop_assert_eq!(after.names_key(), anew.names_key());
    }
}

fn after(edit: &Edit, url: &str) -> Option<u64> {
    let mut form = Form::parse(url);
    edit.apply(&mut form).then(|| form.key())
}

#[test]
fn path_parameters_are_parameters() {
    let edit = Edit::Params(vec![Param::Any(";jsessionid".into())]);
    assert_eq!(
        after(&edit, "http://e.org/a.do;jsessionid=77?id=1"),
        Some(Form::parse("http://e.org/a.do?id=1").key())
    );
}

#[test]
fn names_that_are_tokens_are_none() {
    let name = |url: &str| Form::parse(url).params[0].0.to_string();
    for token in [
        "7f3a09=1",
        "1699999999=",
        "a7X2b9Q=x",
        "deadbeef1=",
        "x7f3a09=1",
        "f7f3a09=1",
        "_1699999999=",
        "363073689",
    ] {
        assert_eq!(name(&format!("http://e.org/?{token}")), NAMELESS, "{token}");
        let in_path = format!("http://e.org/a;{token}");
        assert_eq!(name(&in_path), NAMELESS_IN_PATH, "{token}");
    }
    for word in [
        "id",
        "page2",
        "filter10",
        "sha256sum",
        "f[1]",
        "utm_source",
        "decade",
        "12",
        "mp3player",
        "f1000001",
        "p363073689",
    ] {
        assert_eq!(name(&format!("http://e.org/?{word}=1")), word);
    }
}

#[test]
fn a_part_of_the_path_and_parameters_go_where_all_of_them_are_there() {
    let edit: Edit = "segments [0] of 2 are ignored and s is ignored, ;t is ignored"
        .parse()
        .unwrap();
    let made = |url: &str| after(&edit, url);
    assert!(made("http://e.org/7/a;t=7?s=7").is_some());
    assert_eq!(
        made("http://e.org/7/a;t=7?s=7"),
        made("http://e.org/8/a;t=8?s=9")
    );
    assert_ne!(
        made("http://e.org/7/a;t=7?s=7"),
        made("http://e.org/7/b;t=7?s=7")
    );
    for other in ["7/a;t=7", "7/a?s=7", "a;t=7?s=7"] {
        assert_eq!(made(&format!("http://e.org/{other}")), None, "{other}");
    }
}

#[test]
fn mirrored_folders_slashes_and_tails_become_one() {
    let prefix = Edit::Prefix {
        from: vec!["mirror".into(), "python".into()],
        to: vec!["3".into()],
    };
    let target = Form::parse("http://e.org/3/os.html").key();
    assert_eq!(
        after(&prefix, "http://e.org/mirror/python/os.html"),
        Some(target)
    );
    assert_eq!(after(&prefix, "http://e.org/mirror/perl/os.html"), None);
    let slash = Edit::Suffix {
        from: vec![String::new()],
        to: vec![],
    };
    assert_eq!(
        after(&slash, "http://e.org/a/"),
        Some(Form::parse("http://e.org/a").key())
    );
    assert_eq!(after(&slash, "http://e.org/"), None);
    let tail = Edit::Tail { keep: 1 };
    assert_eq!(
        after(&tail, "http://e.org/a/b/c"),
        after(&tail, "http://e.org/a/")
    );
}

#[test]
fn what_has_no_name_is_a_value_unless_it_is_a_word() {
    let parts = |url: &str| -> Vec<(String, String)> {
        let form = Form::parse(url);
        let pairs = form.params.iter();
        pairs
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect()
    };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let url = "http://e.org/a;7f/b;v?363&print&x2=";
    let wanted = [
        (";#", "7f"),
        (";v", ""),
        ("#", "363"),
        ("print", ""),
        ("x2", ""),
    ];
    assert_eq!(parts(url), wanted.map(|(name, value)| pair(name, value)));
    let any = Edit::Params(vec![Param::Any("#".into())]);
    assert_eq!(
        after(&any, "http://e.org/a?363"),
        after(&any, "http://e.org/a?7f")
    );
}

#[test]
fn extensions_are_aliases_and_of_several_parameters_one_counts() {
    let html = Edit::Extension {
        from: ".html".into(),
        to: String::new(),
    };
    let key = |url: &str| Some(Form::parse(url).key());
    assert_eq!(
        after(&html, "http://e.org/a.html?x=1"),
        key("http://e.org/a?x=1")
    );
    assert_eq!(after(&html, "http://e.org/.html"), None);
    assert_eq!(after(&html, "http://e.org/a.htm"), None);
    let plain = Form::parse("http://e.org/a?x=1");
    let alias = html.undo(&plain).map(|form| form.key());
    assert_eq!(alias, key("http://e.org/a.html?x=1"));
    let one = |last| Edit::Repeated {
        name: "t".into(),
        last,
    };
    let url = "http://e.org/?t=1&x=2&t=3&t=4";
    assert_eq!(after(&one(false), url), key("http://e.org/?t=1&x=2"));
    assert_eq!(after(&one(true), url), key("http://e.org/?x=2&t=4"));
    assert_eq!(after(&one(true), "http://e.org/?t=1&x=2"), None);
}

#[test]
fn a_set_of_parameters_goes_at_once_and_values_only_together() {
    let any = Edit::Params(vec![Param::Any("s".into()), Param::Any("t".into())]);
    let plain = Form::parse("http://e.org/?id=1").key();
    assert_eq!(after(&any, "http://e.org/?s=3&id=1&t=9"), Some(plain));
    assert_eq!(after(&any, "http://e.org/?id=1&t=9"), Some(plain));
    let values = Edit::Params(vec![
        Param::Value("sort".into(), "default".into()),
        Param::Value("order".into(), "asc".into()),
    ]);
    assert_eq!(after(&values, "http://e.org/?id=1&sort=default"), None);
    assert_eq!(
        after(&values, "http://e.org/?id=1&sort=default&order=asc"),
        Some(plain)
    );
}

#[test]
fn what_was_joined_to_a_number_can_be_told_from_both() {
    for n in 0..1000u64 {
        let (a, b) = (hash_of(1, &n.to_string()), hash_of(2, &n.to_string()));
        assert_eq!(part_from(a, join(a, b)), b);
    }
}

#[test]
fn a_path_without_a_name_is_a_value_and_a_word_is_a_name() {
    let names = |query: &str| -> Vec<String> {
        let url = format!("http://e.org/i?{query}");
        let form = Form::parse(&url);
        form.params
            .iter()
            .map(|(name, _)| name.to_string())
            .collect()
    };
    for query in ["org/example/Shapes.html", "363073689"] {
        assert_eq!(names(query), [NAMELESS], "{query}");
    }
    for query in ["print", "view.print"] {
        assert_eq!(names(query), [query]);
    }
}
