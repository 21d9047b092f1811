use crate::{
    learn::{Options, Sample, learn},
    rules::Entry,
};

/// Things of each section in two languages that do not matter, and one page of help.
fn site(sections: &[&str]) -> Vec<Sample> {
    let home = ["help/", ""].map(|path| Sample::new(format!("http://e.org/{path}"), path));
    let things = sections.iter().flat_map(|section| {
        (0..30).flat_map(move |n| {
            let page = format!("{section} {n}");
            let url = format!("http://e.org/{section}/view?id={n}");
            [
                Sample::new(&url, &page),
                Sample::new(format!("{url}&lang=fr"), &page),
            ]
        })
    });
    home.into_iter().chain(things).collect()
}

fn drops_language(samples: &[Sample], section: &str) -> bool {
    let rules = learn(samples, &Options::default()).compile();
    let url = format!("http://e.org/{section}/view?id=900&lang=fr");
    rules.canon(&url).is_some()
}

#[test]
fn a_rule_acts_in_the_sections_it_was_seen_in_and_in_no_other() {
    for sections in [&["news", "product"][..], &["news"]] {
        let samples = site(sections);
        for section in sections {
            assert!(drops_language(&samples, section));
        }
        let rules = learn(&samples, &Options::default()).rules;
        assert!(!drops_language(&samples, "help"), "{rules:?}");
    }
}

#[test]
fn what_holds_in_many_sections_holds_in_all() {
    let samples = site(&["news", "product", "blog", "shop"]);
    assert!(drops_language(&samples, "help"));
    let rules = learn(&samples, &Options::default()).rules;
    let drops = |entry: &&Entry| entry.rule.to_string().contains("drop:query.lang");
    assert_eq!(rules.iter().filter(drops).count(), 1, "{rules:?}");
}

#[test]
fn what_holds_in_all_sections_of_a_folder_holds_in_no_other_folder() {
    let stories = (0..40).flat_map(|n| {
        let url = format!("http://e.org/story/{n}");
        let page = n.to_string();
        [
            Sample::new(format!("{url}?src=feed{n}"), &page),
            Sample::new(url, &page),
        ]
    });
    let mut samples: Vec<Sample> = stories.collect();
    let canon = |samples: &[Sample], url: &str| {
        let rules = learn(samples, &Options::default()).compile();
        rules.canon(url).map(|canon| canon.class)
    };
    let story = "http://e.org/story/900?src=feed";
    let picture = "http://e.org/picture?src=lamp";
    assert_eq!(
        canon(&samples, story).as_deref(),
        Some("http://e.org/story/900")
    );
    assert_eq!(canon(&samples, picture), None);
    // Seen at the top, too, it is a way of the whole site.
    samples.extend(["http://e.org/", "http://e.org/?src=all"].map(|url| Sample::new(url, "home")));
    assert_eq!(
        canon(&samples, picture).as_deref(),
        Some("http://e.org/picture")
    );
}

#[test]
fn what_is_met_in_one_folder_of_a_section_says_nothing_of_its_others() {
    let learned_from = |folders: &[&str]| {
        let mut samples = Vec::new();
        for repository in ["faq", "guide"] {
            samples.push(Sample::new(
                format!("http://e.org/{repository}"),
                repository,
            ));
            for (folder, n) in folders.iter().flat_map(|of| (0..30).map(move |n| (of, n))) {
                let url = format!("http://e.org/{repository}/{folder}/{n:x}e");
                let page = format!("{repository} {folder} {n}");
                samples.push(Sample::new(format!("{url}?context=6"), &page));
                samples.push(Sample::new(url, &page));
            }
        }
        learn(&samples, &Options::default()).compile()
    };
    let [change, diff] =
        ["changeset", "diff"].map(|of| format!("http://e.org/faq/{of}/9a?context=6"));
    let of_changes = learned_from(&["changeset"]);
    assert!(of_changes.canon(&change).is_some());
    assert!(of_changes.canon(&diff).is_none());
    // Met in two folders, it is a way of the repository; and what has a number in its name is no folder of its own.
    assert!(learned_from(&["changeset", "blame"]).canon(&diff).is_some());
    let of_year = learned_from(&["2024"]);
    assert!(
        of_year
            .canon("http://e.org/faq/2025/9a?context=6")
            .is_some()
    );
}

#[test]
fn sections_begin_where_the_paths_branch() {
    let mut samples = site(&["en/news", "en/product"]);
    samples.retain(|sample| !sample.url.ends_with("help/"));
    samples.push(Sample::new("http://e.org/en/help/", "some help"));
    assert!(drops_language(&samples, "en/product"));
    assert!(!drops_language(&samples, "en/help"));
}

/// Of a thing, without digits.
fn name(n: u32) -> String {
    let letters = format!("{n:06b}").replace('0', "a").replace('1', "e");
    format!("item/{letters}")
}

/// Forty things of a folder, each under two names, and pages beside them.
fn in_one_folder(other: impl Fn(u32) -> String) -> Vec<Sample> {
    let home =
        ["about/team/", "help/x", ""].map(|path| Sample::new(format!("http://e.org/{path}"), path));
    let things = (0..40).flat_map(|n| {
        let page = format!("thing {n}");
        [name(n), other(n)].map(|path| Sample::new(format!("http://e.org/{path}"), &page))
    });
    home.into_iter().chain(things).collect()
}

#[test]
fn what_one_folder_shows_is_not_said_of_its_neighbours() {
    type Other = fn(u32) -> String;
    let kinds: [(Other, &str, &str); 4] = [
        (
            |n| format!("de/{}", name(n)),
            "de/item/oak",
            "de/report/oak",
        ),
        (
            |n| format!("{}?print=1", name(n)),
            "item/oak?print=1",
            "report/oak?print=1",
        ),
        (
            |n| format!("{};v={n}", name(n)),
            "item/oak;v=9",
            "report/oak;v=9",
        ),
        (
            |n| name(n).to_uppercase().replacen("ITEM", "item", 1),
            "item/OAK",
            "k/OAK",
        ),
    ];
    for (other, known, unknown) in kinds {
        let list = learn(&in_one_folder(other), &Options::default());
        let rules = list.compile();
        let is_changed = |path: &str| rules.canon(&format!("http://e.org/{path}")).is_some();
        assert!(is_changed(known), "{known}: {:?}", list.rules);
        assert!(!is_changed(unknown), "{unknown}: {:?}", list.rules);
    }
}

#[test]
fn what_most_sites_do_everywhere_needs_two_sections_to_be_taken_for_it() {
    let samples: Vec<Sample> = ["news", "item"]
        .iter()
        .flat_map(|section| {
            (0..20).flat_map(move |n| {
                let page = format!("{section} {n}");
                ["", "?print=1"]
                    .map(|query| Sample::new(format!("http://e.org/{section}/t{n}{query}"), &page))
            })
        })
        .collect();
    let rules = learn(&samples, &Options::default()).compile();
    assert!(rules.canon("http://e.org/report/t1?print=1").is_some());
}

#[test]
fn pages_in_two_spellings_are_no_two_sections() {
    let samples: Vec<Sample> = (0..30)
        .flat_map(|n| {
            let page = format!("news {n}");
            ["news", "News", "NEWS"]
                .map(|section| Sample::new(format!("http://e.org/{section}/t{n}"), &page))
        })
        .chain([Sample::new("http://e.org/about/us", "us")])
        .collect();
    let rules = learn(&samples, &Options::default()).compile();
    assert!(rules.canon("http://e.org/NEWS/t90").is_some());
    assert!(rules.canon("http://e.org/k/ABc").is_none());
}
