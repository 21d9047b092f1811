//! What URLs say to rules that redirect.

use std::collections::BTreeSet;

use nodust_frontier::{Counts, Standing};

use super::*;

/// What a server answers.
enum Answer {
    Page(String),
    Redirect(String),
}

use Answer::{Page, Redirect};

/// Fetches one URL, and answers which.
fn fetch(frontier: &LocalFrontier, server: &impl Fn(&str) -> Answer) -> Option<String> {
    let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() else {
        return None;
    };
    let url = lease.url().as_str().to_owned();
    let answer = server(&url);
    let outcome = match &answer {
        Page(text) => Outcome::Fetched(FetchedPage {
            status: 200,
            text: Some(text),
            ..FetchedPage::default()
        }),
        Redirect(target) => Outcome::Redirected {
            status: 302,
            target: RawUrl::new(target),
        },
    };
    let mut decisions = Vec::new();
    frontier.observe(lease, &outcome, &mut decisions).unwrap();
    Some(url)
}

fn offer(frontier: &LocalFrontier, url: &str) {
    let root = "http://e.org/".parse().unwrap();
    let mut decisions = Vec::new();
    (frontier.admit(&Via::page(&root), &[RawUrl::new(url)], &mut decisions)).unwrap();
}

/// Offers links one by one and fetches what is wanted; answers what was fetched.
fn crawl_led(
    frontier: &LocalFrontier,
    urls: impl IntoIterator<Item = String>,
    server: impl Fn(&str) -> Answer,
) -> BTreeSet<String> {
    let mut fetched = BTreeSet::new();
    for url in urls {
        offer(frontier, &url);
        fetched.extend(std::iter::from_fn(|| fetch(frontier, &server)));
    }
    fetched
}

fn audited() -> Chain {
    auditing(&["e.org"], &[(SESSION, Status::Active)])
}

/// Topics without a session, and with two: whichever is met first stands for the others.
fn threes(topics: std::ops::Range<u32>) -> impl Iterator<Item = String> {
    topics.flat_map(|t| {
        let bare = format!("http://e.org/v?t={t}");
        let s = |n: u32| format!("http://e.org/v?s={}&t={t}", t * 7919 + n);
        match t % 3 {
            0 => [bare, s(1), s(2)],
            1 => [s(1), bare, s(2)],
            _ => [s(1), s(2), bare],
        }
    })
}

/// From topic 1000 on the bare address leads, in so many steps, to a page of its own.
fn summaries(steps: u32) -> impl Fn(&str) -> Answer {
    move |url| {
        let topic = url.rsplit("t=").next().unwrap();
        if let Some((step, of)) =
            (url.split_once("/step/")).map(|(_, at)| at.split_once('/').unwrap())
        {
            return match step.parse::<u32>().unwrap() {
                0 => Page(text(&format!("summary {of}"))),
                step => Redirect(format!("http://e.org/step/{}/{of}", step - 1)),
            };
        }
        if topic.len() < 4 || url.contains("s=") {
            Page(text(topic))
        } else {
            Redirect(format!("http://e.org/step/{}/{topic}", steps - 1))
        }
    }
}

fn assert_all_was_seen(fetched: &BTreeSet<String>, topics: std::ops::Range<u32>, name: &str) {
    for t in topics {
        let is_summary = |url: &&String| url.ends_with(&format!("/step/0/{t}"));
        let is_topic = |url: &&String| url.contains("s=") && url.ends_with(&format!("t={t}"));
        assert!(fetched.iter().any(|url| is_summary(&url)), "{name}: {t}");
        assert!(fetched.iter().any(|url| is_topic(&url)), "{name}: {t}");
    }
}

#[test]
fn sources_that_lead_to_pages_of_their_own_end_a_rule_and_nothing_stays_lost() {
    for (name, chain) in [
        ("file", audited as fn() -> Chain),
        ("for all", || auditing(&["*"], &[(SESSION, Status::Active)])),
        ("learned", || chain(RuleFile::default())),
    ] {
        for steps in [1, 3] {
            let frontier = frontier_of(chain(), &Arc::default());
            crawl_led(&frontier, threes(0..260), summaries(steps));
            let before = frontier.totals();
            assert!(before.ledger > 300, "the rule acts: {}", before.ledger);
            let undecided = |of: &Counts| of.explored - of.explored_duplicates - of.explored_new;
            let fetched = crawl_led(&frontier, threes(1000..1200), summaries(steps));
            assert_all_was_seen(&fetched, 1000..1200, name);
            let standing = |text: &str| {
                let beliefs = frontier.beliefs().unwrap();
                let mut of = beliefs.into_iter().filter(|(b, _)| b.text.contains(text));
                of.next().unwrap().0.standing
            };
            assert_eq!(standing("query.s"), Standing::Withdrawn);
            let total = frontier.totals().total;
            assert!(total.explored_new > 0 && total.is_balanced());
            assert_eq!(
                undecided(&total),
                undecided(&before.total),
                "what came of sources is counted, too: {name}, {steps}"
            );
        }
    }
}

#[test]
fn a_login_to_which_all_lead_for_a_while_ends_no_rule() {
    for chain in [audited, || chain(RuleFile::default())] {
        let frontier = frontier_of(chain(), &Arc::default());
        let login = |url: &str| match url.rsplit("t=").next().unwrap() {
            _ if url.contains("login") => Page(text("login")),
            topic if topic.len() == 4 && url.contains("s=") => {
                Redirect(format!("http://e.org/login?next={topic}"))
            }
            topic => Page(text(topic)),
        };
        crawl_led(&frontier, ["http://e.org/login".to_owned()], login);
        crawl_led(&frontier, forum(0..260), login);
        let fetched = crawl_led(&frontier, forum(1000..1200), login);
        assert!(fetched.len() < 300, "{}", fetched.len());
        let fetched = crawl_led(&frontier, forum(300..500), login);
        assert!(fetched.len() < 250, "{}", fetched.len());
        assert_eq!(frontier.beliefs().unwrap()[0].0.standing, Standing::Active);
        assert_eq!(frontier.totals().total.explored_new, 0);
    }
}

#[test]
fn sources_that_lead_to_their_own_class_say_nothing() {
    let frontier = frontier_of(audited(), &Arc::default());
    let home = |url: &str| match url.split_once("s=") {
        Some((_, rest)) => {
            let (_, topic) = rest.split_once("t=").unwrap();
            Redirect(format!("http://e.org/v?t={topic}"))
        }
        None => Page(text(url)),
    };
    let fetched = crawl_led(&frontier, forum(0..300), home);
    // What says nothing leaves the rule untried, until there is an end to that.
    assert!(fetched.len() < 370, "{}", fetched.len());
    assert_eq!(frontier.beliefs().unwrap()[0].0.standing, Standing::Active);
}

#[test]
fn a_wrong_rule_that_acts_on_few_sources_hides_none_of_them() {
    let wrong = || auditing(&["e.org"], &[(PAGE, Status::Active)]);
    let server = |url: &str| match url.split_once("page=") {
        Some((_, n)) => Redirect(format!("http://e.org/lists/{n}")),
        None => Page(text(url)),
    };
    for (others, pages) in [(100, 5), (3, 12), (60, 80)] {
        for seed in 0..10 {
            let frontier = frontier_exploring(wrong(), 0.05, seed);
            let others_of = (0..others).map(|n| format!("http://e.org/other/{n}"));
            let lists = (0..pages).map(|n| format!("http://e.org/list?page={n}"));
            let fetched = crawl_led(&frontier, others_of.chain(lists), server);
            let lists = fetched.iter().filter(|url| url.contains("/lists/"));
            assert_eq!(lists.count(), pages as usize, "{others}, {pages}, {seed}");
        }
    }
}

#[test]
fn a_doubt_has_more_links_explored_until_it_is_settled() {
    let frontier = |seed| frontier_exploring(audited(), 0.02, seed);
    // One source leads elsewhere, to a page that is known; all other links are copies.
    let once = |url: &str| match url.rsplit("t=").next().unwrap() {
        "0" if url.contains("s=") => Redirect("http://e.org/elsewhere".to_owned()),
        _ if url.contains("elsewhere") => Page(text("elsewhere")),
        topic => Page(text(topic)),
    };
    for seed in 0..3 {
        let frontier = frontier(seed);
        crawl_led(&frontier, ["http://e.org/elsewhere".to_owned()], once);
        crawl_led(&frontier, forum(10..110), once);
        let explored = |frontier: &LocalFrontier| frontier.totals().total.explored;
        let link = |n: u32| format!("http://e.org/v?s={n}&t=0");
        crawl_led(&frontier, ["http://e.org/v?t=0".to_owned()], once);
        let before = explored(&frontier);
        // Until exploration picks one of them.
        for n in 0..1000 {
            crawl_led(&frontier, [link(n)], once);
            if explored(&frontier) > before {
                break;
            }
        }
        let before = explored(&frontier);
        crawl_led(&frontier, forum(1000..1009), topic_of);
        assert!(explored(&frontier) >= before + 8);
        let before = explored(&frontier);
        crawl_led(&frontier, forum(2000..2100), topic_of);
        assert!(explored(&frontier) < before + 10, "and no more by itself");
        assert_eq!(frontier.beliefs().unwrap()[0].0.standing, Standing::Active);
    }
}

fn topic_of(url: &str) -> Answer {
    Page(topic(url))
}

#[test]
fn sources_are_heard_where_no_more_pages_are_kept() {
    let file = |chain: fn(RuleFile, &RulesConfig) -> Chain| {
        let entry = Entry {
            status: Status::Active,
            ..Entry::by_hand(SESSION.parse().unwrap())
        };
        let site = crate::rules::Site {
            hosts: vec!["e.org".to_owned()],
            rules: vec![entry],
        };
        let config = RulesConfig {
            max_pages: 360,
            ..RulesConfig::default()
        };
        chain(RuleFile::new(vec![site]), &config)
    };
    let store: Arc<MemoryStore> = Arc::default();
    let open = || frontier_of(file(chain_with), &store);
    // Pages of topics are kept, and nothing that comes later.
    let first = open();
    let topics = (1000..1300).map(|t| format!("http://e.org/v?s={t}&t={t}"));
    let others = (0..100).map(|t| format!("http://e.org/v?t={t}"));
    crawl_led(&first, topics.chain(others), summaries(1));
    first.flush().unwrap();
    drop(first);
    let frontier = open();
    assert_eq!(frontier.not_restored(), 0);
    let bare = (1000..1300).map(|t| format!("http://e.org/v?t={t}"));
    let fetched = crawl_led(&frontier, bare, summaries(1));
    let summaries = fetched.iter().filter(|url| url.contains("/step/0/"));
    assert_eq!(summaries.count(), 300);
}

/// What is fetched of a site whose late pages are others, in order, and what its rule comes to, if the frontier is opened anew
/// after every so many.
fn with_restarts(server: impl Fn(&str) -> Answer, every: usize) -> (Vec<String>, Standing) {
    let store: Arc<MemoryStore> = Arc::default();
    let open = || frontier_of(audited(), &store);
    let mut frontier = open();
    let mut fetched = Vec::new();
    for url in threes(0..60).chain(threes(1000..1060)) {
        offer(&frontier, &url);
        while let Some(url) = fetch(&frontier, &server) {
            fetched.push(url);
            if fetched.len() % every == 0 {
                drop(frontier);
                frontier = open();
                assert_eq!(frontier.not_restored(), 0);
            }
        }
    }
    let standing = frontier.beliefs().unwrap()[0].0.standing;
    (fetched, standing)
}

#[test]
fn what_sources_have_said_is_the_same_after_a_restart() {
    let whole = with_restarts(summaries(3), usize::MAX);
    assert_eq!(whole.1, Standing::Withdrawn);
    for every in [1, 7] {
        assert_eq!(with_restarts(summaries(3), every), whole);
    }
}

#[test]
fn two_sources_that_lead_to_two_pages_that_are_known_end_a_rule() {
    let frontier = frontier_of(audited(), &Arc::default());
    let server = summaries(1);
    let known = (1000..1100).map(|t| format!("http://e.org/step/0/{t}"));
    crawl_led(&frontier, forum(0..100).chain(known), &server);
    let standing = || frontier.beliefs().unwrap()[0].0.standing;
    let topics = (1000..1100).map(|t| format!("http://e.org/v?s={t}&t={t}"));
    crawl_led(&frontier, topics, &server);
    assert_eq!(standing(), Standing::Active);
    let bare = (1000..1100).map(|t| format!("http://e.org/v?t={t}"));
    let fetched = crawl_led(&frontier, bare, &server);
    assert_eq!(standing(), Standing::Withdrawn);
    let bare = fetched.iter().filter(|url| url.contains("v?t=1"));
    assert_eq!(bare.count(), 100, "nothing stays lost");
}

/// The same, but that the steps and the pages of their own lie on another host.
fn summaries_abroad(steps: u32) -> impl Fn(&str) -> Answer {
    let there = summaries(steps);
    move |url| match there(url) {
        Redirect(target) => Redirect(target.replace("http://e.org/", "http://m.e.org/")),
        page @ Page(_) => page,
    }
}

#[test]
fn sources_that_lead_to_pages_of_another_host_end_a_rule_too() {
    let chains = [
        ("file", audited as fn() -> Chain),
        ("learned", || chain(RuleFile::default())),
    ];
    for (name, chain) in chains {
        for steps in [1, 3] {
            let frontier = frontier_of(chain(), &Arc::default());
            crawl_led(&frontier, threes(0..260), summaries_abroad(steps));
            let fetched = crawl_led(&frontier, threes(1000..1200), summaries_abroad(steps));
            assert_all_was_seen(&fetched, 1000..1200, name);
        }
    }
}

#[test]
fn what_sources_wait_for_on_another_host_is_known_after_a_restart() {
    let run = |every: usize| {
        let (mut fetched, standing) = with_restarts(summaries_abroad(3), every);
        // Which host is next after a restart is another question.
        fetched.sort_unstable();
        (fetched, standing)
    };
    let whole = run(usize::MAX);
    assert_eq!(whole.1, Standing::Withdrawn);
    for every in [1, 7] {
        assert_eq!(run(every), whole);
    }
}

#[test]
fn a_login_that_was_met_ends_no_rule_where_no_more_pages_are_kept() {
    let config = RulesConfig {
        max_pages: 360,
        ..RulesConfig::default()
    };
    let entry = Entry {
        status: Status::Active,
        ..Entry::by_hand(SESSION.parse().unwrap())
    };
    let site = crate::rules::Site {
        hosts: vec!["e.org".to_owned()],
        rules: vec![entry],
    };
    let store: Arc<MemoryStore> = Arc::default();
    let frontier = frontier_of(chain_with(RuleFile::new(vec![site]), &config), &store);
    let login = |url: &str| match url.rsplit("t=").next().unwrap() {
        _ if url.contains("login") => Page(text("login")),
        topic if topic.len() == 4 && url.contains("s=") => {
            Redirect(format!("http://e.org/login?next={topic}"))
        }
        topic => Page(text(topic)),
    };
    crawl_led(&frontier, ["http://e.org/login".to_owned()], login);
    // Pages of topics are kept, and nothing that comes later.
    let bare = (1000..1200).map(|t| format!("http://e.org/v?t={t}"));
    crawl_led(&frontier, bare.chain(forum(0..200)), login);
    crawl_led(&frontier, forum(1000..1200), login);
    assert_eq!(frontier.beliefs().unwrap()[0].0.standing, Standing::Active);
}
