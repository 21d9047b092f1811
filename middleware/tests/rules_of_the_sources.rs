//! The examples of the two sources of rule learning, as behaviour.
//!
//! Lei et al., "A pattern tree-based approach to learning URL normalization rules" (WWW 2010), and Najork,
//! "Inferring URL normalization rules" (US patent). The figures' literal URLs are not reprinted here: the URLs below
//! have the shapes that the figures describe. The patent's own cases stand beside the learner.

use std::collections::{BTreeMap, BTreeSet};

use nodust_middleware::{
    learn::{Algorithm, Options, Sample, eval, learn},
    rules::SiteRules,
};

const ALL: [Algorithm; 3] = [Algorithm::Classes, Algorithm::Tree, Algorithm::Both];

fn rules(samples: &[Sample], algorithm: Algorithm) -> SiteRules {
    let options = Options {
        algorithm,
        ..Options::default()
    };
    learn(samples, &options).compile()
}

fn class(rules: &SiteRules, url: &str) -> String {
    rules
        .canon(url)
        .map_or_else(|| url.to_owned(), |canon| canon.class)
}

/// Every page has one class, no class two pages, and a class is its own class.
fn assert_sound(rules: &SiteRules, samples: &[Sample]) {
    let mut of_page: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    let mut of_class: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for sample in samples {
        let form = class(rules, &sample.url);
        assert_eq!(class(rules, &form), form);
        of_page
            .entry(sample.cluster)
            .or_default()
            .insert(form.clone());
        of_class.entry(form).or_default().insert(sample.cluster);
    }
    assert!(of_class.values().all(|pages| pages.len() == 1));
    assert!(
        of_page.values().all(|forms| forms.len() == 1),
        "{:?}",
        of_page.values().find(|forms| forms.len() > 1)
    );
}

/// Figure 3: four pages, each written in two ways (U1 to U8). A method that compares URLs pair by pair and counts the
/// values that a rule holds for fails when a URL is missing; three of four pairs are enough here.
#[test]
fn figure_3_eight_urls_and_any_seven_of_them() {
    let eight: Vec<Sample> = (1..=4)
        .flat_map(|n| {
            let page = format!("news {n}");
            [
                Sample::new(format!("http://e.com/news.php?id=a{n}b"), &page),
                Sample::new(format!("http://e.com/news.php?id=a{n}b&from=rss{n}"), &page),
            ]
        })
        .collect();
    for missing in 0..=eight.len() {
        let mut samples = eight.clone();
        if missing < samples.len() {
            samples.remove(missing);
        }
        for algorithm in ALL {
            let rules = rules(&samples, algorithm);
            let new = class(&rules, "http://e.com/news.php?id=new");
            assert_eq!(
                class(&rules, "http://e.com/news.php?from=x&id=new"),
                new,
                "{algorithm:?} without {missing}"
            );
            assert_ne!(class(&rules, "http://e.com/news.php?id=old"), new);
        }
    }
}

/// Figure 4: an archive shows each page below `archive/` and by `pageid`; the value moves from path to query.
#[test]
fn figure_4_a_path_segment_becomes_a_page_id() {
    let samples: Vec<Sample> = (0..40)
        .flat_map(|n| {
            let page = format!("page {n}");
            [
                Sample::new(format!("http://e.com/archive/p{n}"), &page),
                Sample::new(format!("http://e.com/index.php?pageid=p{n}"), &page),
            ]
        })
        .collect();
    for algorithm in ALL {
        let rules = rules(&samples, algorithm);
        assert_eq!(
            class(&rules, "http://e.com/archive/new"),
            class(&rules, "http://e.com/index.php?pageid=new"),
            "{algorithm:?}"
        );
        assert_sound(&rules, &samples);
    }
}

/// Figure 1: a portal with blogs and albums; each has a user and an item that matter, and noise that does not.
fn portal() -> Vec<Sample> {
    (0..60)
        .flat_map(|n| {
            let (user, item) = (format!("u{}", n % 7), 1000 + n);
            let (blog, album) = (
                format!("blog {user} {item}"),
                format!("album {user} {item}"),
            );
            let show = format!("http://w.cc/album/show.php?i={user}&f={item}");
            [
                Sample::new(format!("http://w.cc/blog/{user}/{item}"), &blog),
                Sample::new(
                    format!("http://w.cc/blog/{user}/{item}?ref={}", n * 5 % 11),
                    &blog,
                ),
                Sample::new(&show, &album),
                Sample::new(format!("{show}&p={}", n % 5), &album),
            ]
        })
        .collect()
}

#[test]
fn figure_1_each_part_of_a_site_gets_its_own_rules() {
    let samples = portal();
    for algorithm in ALL {
        let rules = rules(&samples, algorithm);
        assert_sound(&rules, &samples);
        for (a, b) in [
            ("http://w.cc/blog/new/7", "http://w.cc/blog/new/7?ref=x"),
            (
                "http://w.cc/album/show.php?i=new&f=7",
                "http://w.cc/album/show.php?p=9&f=7&i=new",
            ),
        ] {
            let classes = [a, b].map(|url| class(&rules, url).replace("i=new&f=7", "f=7&i=new"));
            assert_eq!(classes[0], classes[1], "{algorithm:?}");
        }
        assert_ne!(
            class(&rules, "http://w.cc/album/show.php?f=7&i=new"),
            class(&rules, "http://w.cc/album/show.php?f=7&i=other"),
        );
    }
}

/// Figure 7: (a) one way of writing could become either of two others, (b) two could become each other, (c) three
/// could go in a circle. Whatever is deployed, each page ends in one class.
#[test]
fn figure_7_conflicts_and_circles_end_in_one_class() {
    let forms = [
        |n: u32| format!("http://e.com/view.php?id={n}"),
        |n: u32| format!("http://e.com/show.php?doc={n}"),
        |n: u32| format!("http://e.com/read.php?text={n}"),
    ];
    for ways in [2, 3] {
        let samples: Vec<Sample> = (0..50)
            .flat_map(|n| {
                forms[..ways]
                    .iter()
                    .map(move |form| Sample::new(form(n), &format!("page {n}")))
            })
            .collect();
        for algorithm in [Algorithm::Tree, Algorithm::Both] {
            let rules = rules(&samples, algorithm);
            assert_sound(&rules, &samples);
            let new: BTreeSet<String> = forms[..ways]
                .iter()
                .map(|form| class(&rules, &form(9999)))
                .collect();
            assert_eq!(new.len(), 1, "{algorithm:?} {ways} {new:?}");
        }
    }
}

/// Figure 8: a rule's result is where the next rule begins.
#[test]
fn figure_8_rules_chain() {
    let samples: Vec<Sample> = (0..60)
        .flat_map(|n| {
            let page = format!("topic {n}");
            [
                Sample::new(format!("http://e.com/view?t=x{n}"), &page),
                Sample::new(format!("http://e.com/view?s={}&t=x{n}", n * 7 % 31), &page),
                Sample::new(format!("http://e.com/old/x{n}?s={}", n * 3 % 29), &page),
            ]
        })
        .collect();
    for algorithm in [Algorithm::Tree, Algorithm::Both] {
        let rules = rules(&samples, algorithm);
        assert_sound(&rules, &samples);
        let new: BTreeSet<String> = ["view?t=new", "view?s=1&t=new", "old/new?s=2"]
            .iter()
            .map(|path| class(&rules, &format!("http://e.com/{path}")))
            .collect();
        assert_eq!(new.len(), 1, "{algorithm:?} {new:?}");
    }
}

#[test]
fn what_was_learned_reads_back() {
    for entry in learn(&portal(), &Options::default()).rules {
        assert_eq!(entry.rule.to_string().parse(), Ok(entry.rule));
    }
}

#[test]
fn a_site_without_duplicates_gets_no_rule_that_merges() {
    let samples: Vec<Sample> = (0..500)
        .map(|n| {
            let url = format!("http://e.com/{}/{}.php?id={n}&page={}", n % 9, n % 5, n % 3);
            Sample::new(url, &format!("page {n}"))
        })
        .collect();
    let rules = rules(&samples, Algorithm::Both);
    let forms: BTreeSet<String> = samples.iter().map(|s| class(&rules, &s.url)).collect();
    assert_eq!(forms.len(), samples.len());
}

/// The benchmark hosts without duplicates; the data is not part of the project.
#[test]
fn hosts_without_duplicates_lose_no_page() {
    let folder = std::env::var_os("NODUST_SHARED").map_or_else(
        || std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")),
        std::path::PathBuf::from,
    );
    let Ok(files) = std::fs::read_dir(folder.join("data/clusters")) else {
        println!("skipped: no data/clusters in {}", folder.display());
        return;
    };
    let controls = ["stenus", "xtruhl05", "tc39-wiki", "aesidau", "solarkennedy"];
    let mut seen = 0;
    for file in files {
        let path = file.unwrap().path();
        let name = path.to_string_lossy().into_owned();
        if !controls.iter().any(|control| name.contains(control)) {
            continue;
        }
        seen += 1;
        let unpacked = flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap());
        let read = nodust_middleware::learn::read_samples(std::io::BufReader::new(unpacked));
        let samples = read.unwrap().samples;
        let (known, rest) = eval::split(&samples, 0.2);
        let site = eval::learn_from(known, &eval::wire, &Options::default(), &[]);
        let counts = eval::evaluate(&name, rest, &site.compile(), &eval::wire).counts;
        assert_eq!(counts.false_pairs, 0, "{name}");
    }
    assert_eq!(seen, controls.len());
}
