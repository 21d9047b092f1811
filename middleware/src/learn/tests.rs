use super::{Algorithm, Options, Sample, Selection, learn, learn_without};
use crate::rules::{Entry, Rule};

fn options(algorithm: Algorithm) -> Options {
    Options {
        algorithm,
        ..Options::default()
    }
}

/// A forum whose sort orders and sessions do not matter, whose pages of a topic do.
fn forum() -> Vec<Sample> {
    let mut samples = Vec::new();
    for t in 0..50 {
        for start in [0, 15] {
            let page = format!("topic {t} from {start}");
            let base = format!("http://f.org/viewtopic.php?t={t}&start={start}");
            samples.push(Sample::new(&base, &page));
            samples.push(Sample::new(format!("{base}&hl=w{}", t * 7 % 23), &page));
        }
    }
    samples
}

#[test]
fn what_matters_is_kept_and_what_does_not_is_dropped() {
    for algorithm in [Algorithm::Classes, Algorithm::Tree, Algorithm::Both] {
        let rules = learn(&forum(), &options(algorithm)).compile();
        let class = |url: &str| rules.canon(url).map_or(url.to_owned(), |c| c.class);
        let a = class("http://f.org/viewtopic.php?t=900&start=15&hl=new");
        assert_eq!(
            a,
            class("http://f.org/viewtopic.php?t=900&start=15"),
            "{algorithm:?}"
        );
        assert_ne!(
            a,
            class("http://f.org/viewtopic.php?t=900&start=0"),
            "{algorithm:?}"
        );
    }
}

#[test]
fn what_is_usual_heeds_a_veto_and_stays_learnable_beside_it() {
    let mut samples = Vec::new();
    for script in ["view.php", "list.php"] {
        for (id, session) in (0..40).flat_map(|id| [3, 5, 7].map(|k| (id, id * 31 + k * 1009))) {
            let url = format!("http://e.org/{script}?id={id}&sid={session}");
            samples.push(Sample::new(url, &format!("{script} {id}")));
        }
    }
    let class = |rules: &[Entry], url: &str| {
        let rules = rules.iter().map(|entry| entry.rule.clone());
        let rules = crate::rules::SiteRules::new("", rules);
        rules.canon(url).map_or(url.to_owned(), |canon| canon.class)
    };
    let veto: Rule = "is:seg.0=view.php has:query.sid => drop:query.sid"
        .parse()
        .unwrap();
    for selection in [Selection::Naive, Selection::Joint, Selection::Graph] {
        let options = Options {
            selection,
            ..Options::default()
        };
        let [view, list] = ["view", "list"].map(|script| format!("http://e.org/{script}.php?id=7"));
        let [of_view, of_list] = [&view, &list].map(|url| format!("{url}&sid=99"));
        let rules = learn(&samples, &options).rules;
        assert_eq!(
            [&of_view, &of_list].map(|url| class(&rules, url)),
            [view, list.clone()]
        );
        let rules = learn_without(&samples, &options, std::slice::from_ref(&veto)).rules;
        assert_eq!(
            [&of_view, &of_list].map(|url| class(&rules, url)),
            [of_view.clone(), list]
        );
    }
}

#[test]
fn the_order_of_the_pages_does_not_matter() {
    let forwards = forum();
    let backwards: Vec<Sample> = forwards.iter().rev().cloned().collect();
    let learn = |samples: &[Sample]| learn(samples, &Options::default()).rules;
    assert_eq!(learn(&forwards), learn(&backwards));
}

/// A large forum, and what is learned of it when proposals come from a part of its pages.
fn learned_from_a_part(samples: &[Sample], max_proposed_from: usize, threads: usize) -> Vec<Entry> {
    let options = Options {
        max_proposed_from,
        threads,
        ..Options::default()
    };
    learn(samples, &options).rules
}

fn large_forum() -> Vec<Sample> {
    let mut samples = Vec::new();
    for n in 0..1_000 {
        let (topic, member) = (format!("topic {n}"), format!("member {n}"));
        let base = format!("http://f.org/viewtopic.php?t={n}");
        for (url, page) in [
            (base.clone(), &topic),
            (format!("{base}&sid={:08x}", n * 2_654_435_u64), &topic),
            (format!("{base}&highlight=w{}", n % 97), &topic),
            (format!("http://f.org/member/u{n}"), &member),
            (format!("http://f.org/profile.php?u=u{n}"), &member),
        ] {
            // A page in a thousand has changed meanwhile.
            let is_new = samples.len() % 1_000 == 7;
            let page = format!("{page}{}", if is_new { ", changed" } else { "" });
            samples.push(Sample::new(url, &page));
        }
    }
    samples
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let samples = large_forum();
    for part in [200, 1_000_000] {
        let one = learned_from_a_part(&samples, part, 1);
        assert!(one.len() > 1, "{one:?}");
        for threads in [0, 2, 5] {
            assert_eq!(learned_from_a_part(&samples, part, threads), one);
        }
    }
}

#[test]
fn the_order_of_the_pages_does_not_matter_to_rules_of_a_part() {
    let mut samples = large_forum();
    let twice: Vec<Sample> = samples.iter().step_by(3).cloned().collect();
    let forwards = learned_from_a_part(&samples, 200, 1);
    let shown = |entry: &&Entry| entry.evidence.examples.len() == 3;
    assert!(forwards.iter().filter(shown).count() > 1);
    samples.extend(twice);
    samples.reverse();
    assert_eq!(learned_from_a_part(&samples, 200, 1), forwards);
}

#[test]
fn a_page_with_a_third_of_the_urls_is_learned_from_whatever_its_name() {
    let has_login_rule = |name: &str| {
        let login = (0..1_000).map(|n| {
            let url = format!("http://f.org/login?from={}&next=n{}", n * 31, n % 9);
            Sample::new(url, name)
        });
        let pages = (0..2_000).map(|n| {
            Sample::new(
                format!("http://f.org/item/{n}?p=x{n}"),
                &format!("item {n}"),
            )
        });
        let samples: Vec<Sample> = login.chain(pages).collect();
        let rules = learned_from_a_part(&samples, 300, 1);
        let login = |entry: &Entry| entry.rule.to_string().contains("login");
        rules.iter().any(login)
    };
    for name in ["login", "a", "b", "c", "d", "e", "f", "g"] {
        assert!(has_login_rule(name), "{name}");
    }
}

#[test]
fn pages_far_behind_speak_against_a_rule_that_the_first_show() {
    let mut samples = Vec::new();
    for n in 0..60_000 {
        let pages = [
            format!("item {n}"),
            format!("item {n}{}", if n < 50_000 { "" } else { ", printed" }),
        ];
        for (query, page) in ["", "?v=1"].iter().zip(&pages) {
            samples.push(Sample::new(format!("http://f.org/b/{n}{query}"), page));
        }
    }
    let rules = learn(&samples, &Options::default()).compile();
    assert!(rules.canon("http://f.org/b/7?v=1").is_none());
}

#[test]
fn a_few_pages_taken_for_others_do_not_end_learning() {
    let is_found = |wrong: usize| {
        let urls = (0..2_000).flat_map(|n| (0..3).map(move |s| (n, s)));
        let samples: Vec<Sample> = urls
            .map(|(n, s)| {
                let query = if s == 0 {
                    String::new()
                } else {
                    format!("?sid={}", n * 31 + s)
                };
                let is_wrong = (n * 3 + s) * 7_919 % 1_000 < wrong;
                let page = if is_wrong { (n * 7 + 1) % 2_000 } else { n };
                Sample::new(
                    format!("http://f.org/item/{n}{query}"),
                    &format!("item {page}"),
                )
            })
            .collect();
        let rules = learn(&samples, &Options::default()).compile();
        rules.canon("http://f.org/item/9999?sid=7").is_some()
    };
    assert!(is_found(3), "three of a thousand");
    assert!(
        !is_found(30),
        "three of a hundred are more than is put up with"
    );
}

#[test]
fn rules_make_of_their_own_result_nothing_new() {
    let samples = forum();
    let rules = learn(&samples, &Options::default()).compile();
    for sample in &samples {
        let once = rules
            .canon(&sample.url)
            .map_or(sample.url.clone(), |c| c.class);
        assert!(rules.canon(&once).is_none());
    }
}

/// The patent's case of a news site: an optional path segment and three parameters, in all combinations.
#[test]
fn sixteen_spellings_of_a_story_are_one() {
    let mut samples = Vec::new();
    for story in 0..6 {
        let page = format!("story {story}");
        for bits in 0..16u32 {
            let path = if bits & 1 == 0 {
                "News/Story"
            } else {
                "News/Story/Print"
            };
            let mut query = vec![format!("guid={story}")];
            for (bit, param) in [(2, "dist=news"), (4, "siteid=mktw"), (8, "print=true")] {
                if bits & bit != 0 {
                    query.push(param.to_owned());
                }
            }
            samples.push(Sample::new(
                format!("http://m.example/{path}?{}", query.join("&")),
                &page,
            ));
        }
    }
    for algorithm in [Algorithm::Classes, Algorithm::Both] {
        let rules = learn(&samples, &options(algorithm)).compile();
        let forms: std::collections::BTreeSet<String> = samples
            .iter()
            .map(|s| rules.canon(&s.url).map_or(s.url.clone(), |c| c.class))
            .collect();
        assert_eq!(forms.len(), 6, "{algorithm:?} {forms:?}");
    }
}

/// The patent's case of a shop: a session and a place in the list behind the name of the thing.
#[test]
fn noise_behind_a_path_is_cut_off() {
    let samples: Vec<Sample> = (0..30)
        .flat_map(|n| {
            let page = format!("thing {n}");
            let url = format!("http://a.example/exec/obidos/ASIN/B{n}X");
            [
                Sample::new(&url, &page),
                Sample::new(
                    format!("{url}/qid={}/ref=sr_{}", 1000 + n * 3, n % 4),
                    &page,
                ),
                Sample::new(
                    format!("{url}/qid={}/ref=sr_{}", 2000 + n * 7, n % 5),
                    &page,
                ),
            ]
        })
        .collect();
    let rules = learn(&samples, &options(Algorithm::Classes)).compile();
    let canon = rules
        .canon("http://a.example/exec/obidos/ASIN/B77X/qid=5/ref=sr_9")
        .unwrap();
    assert_eq!(canon.class, "http://a.example/exec/obidos/ASIN/B77X");
}

/// The patent's case of a magazine: a session in the path.
#[test]
fn sessions_in_the_path_go_and_the_story_stays() {
    let samples: Vec<Sample> = (0..20)
        .flat_map(|n| {
            let url = |s: u32| format!("http://i.example/story/show.jhtml;jsid={s}?articleID={n}");
            let page = format!("story {n}");
            [
                Sample::new(url(n * 2), &page),
                Sample::new(url(n * 2 + 1), &page),
            ]
        })
        .collect();
    let rules = learn(&samples, &Options::default()).compile();
    let class = |url: &str| rules.canon(url).map_or(url.to_owned(), |c| c.class);
    let a = class("http://i.example/story/show.jhtml;jsid=900?articleID=99");
    assert_eq!(
        a,
        class("http://i.example/story/show.jhtml;jsid=901?articleID=99")
    );
    assert_ne!(
        a,
        class("http://i.example/story/show.jhtml;jsid=900?articleID=98")
    );
}

#[test]
fn titles_behind_numbers_are_left_out_after_many_pages_and_where_that_was_asked_for() {
    let titled = |pages: usize| -> Vec<Sample> {
        let urls = (0..pages).flat_map(|page| (0..3).map(move |title| (page, title)));
        urls.map(|(page, title)| {
            let url = format!("http://f.org/a/{}-t{}", page * 31, page * 7 + title);
            Sample::new(url, &format!("article {page}"))
        })
        .collect()
    };
    let classes = |pages, options: &Options| {
        let rules = learn(&titled(pages), options).compile();
        let class = |url: &str| rules.canon(url).map_or(url.to_owned(), |c| c.class);
        class("http://f.org/a/99999-one") == class("http://f.org/a/99999-two")
    };
    let all = options(Algorithm::Both);
    assert!(!classes(16, &all), "it may be right by chance");
    assert!(classes(60, &all));
    let without = Options {
        pieces: false,
        ..all
    };
    assert!(!classes(60, &without));
}
