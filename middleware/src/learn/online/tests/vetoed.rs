//! What comes of rules that a person has forbidden?

use super::*;

#[test]
fn what_a_person_vetoed_is_not_learned() {
    let mut file = RuleFile::default();
    let rule = |text: &str| crate::rules::Entry {
        status: Status::Vetoed,
        ..crate::rules::Entry::by_hand(text.parse().unwrap())
    };
    let open = frontier(&Arc::default());
    crawl(&open, forum(0..260), topic);
    let learned = open.beliefs().unwrap();
    file.sites.push(crate::rules::Site {
        hosts: Vec::new(),
        rules: learned.iter().map(|(b, _)| rule(&b.text)).collect(),
    });
    for host in ["e.org", "*"] {
        file.sites[0].hosts = vec![host.to_owned()];
        let vetoed = LocalFrontier::builder(chain(file.clone())).build().unwrap();
        crawl(&vetoed, forum(0..260), topic);
        for (belief, _) in vetoed.beliefs().unwrap() {
            assert!(learned.iter().all(|(other, _)| other.text != belief.text));
        }
    }
}

#[test]
fn what_was_learned_before_a_person_vetoed_it_acts_no_more_and_gives_its_links_back() {
    let other_words = |_: &str| "has:query.t => drop:query.s".to_owned();
    let same_words = |learned: &str| learned.to_owned();
    for words in [other_words as fn(&str) -> String, same_words] {
        for host in ["e.org", "*"] {
            let store: Arc<MemoryStore> = Arc::default();
            let open = frontier(&store);
            crawl(&open, forum(0..260), topic);
            let is_session = |record: &BeliefRecord| {
                record.text.contains("drop:query.s") && record.standing == Standing::Active
            };
            let beliefs = open.beliefs().unwrap();
            let learned = beliefs
                .iter()
                .find(|(belief, _)| is_session(belief))
                .unwrap();
            assert!(open.totals().ledger > 0);
            open.flush().unwrap();
            drop(open);
            let rule = Entry {
                status: Status::Vetoed,
                ..Entry::by_hand(words(&learned.0.text).parse().unwrap())
            };
            let file = RuleFile::new(vec![crate::rules::Site {
                hosts: vec![host.to_owned()],
                rules: vec![rule],
            }]);
            let vetoed = frontier_of(chain(file), &store);
            assert!(
                !vetoed
                    .beliefs()
                    .unwrap()
                    .iter()
                    .any(|(belief, _)| is_session(belief))
            );
            crawl(&vetoed, forum(1000..1001), topic);
            assert_eq!(vetoed.totals().ledger, 0, "{host}");
            vetoed.flush().unwrap();
            let kept = super::super::rules_in_store(&*store).unwrap();
            let mut kept = kept.sites.iter().flat_map(|site| &site.rules);
            assert!(!kept.any(|entry| entry.rule.to_string().contains("drop:query.s")));
        }
    }
}

#[test]
fn what_came_after_a_veto_is_told_again_without_the_rule_that_it_ended() {
    let drops_q = Entry {
        status: Status::Active,
        ..Entry::by_hand("has:query.q => drop:query.q".parse().unwrap())
    };
    let veto = Entry {
        status: Status::Vetoed,
        ..Entry::by_hand("has:query.t => drop:query.s".parse().unwrap())
    };
    let file = |rules: &[&Entry]| {
        RuleFile::new(vec![crate::rules::Site {
            hosts: vec!["e.org".to_owned()],
            rules: rules.iter().map(|&rule| rule.clone()).collect(),
        }])
    };
    let store: Arc<MemoryStore> = Arc::default();
    let open = frontier_of(chain(file(&[&drops_q])), &store);
    crawl(&open, forum(0..260), topic);
    open.flush().unwrap();
    drop(open);
    // Of pages that an earlier program kept nothing is read but the rules: the site begins anew, and is not written down whole so soon.
    let mut rules = Commit::default();
    store
        .state_scan("stage/rules/e.org/rules", &mut |key, value| {
            rules.state.push((key.to_owned(), Some(value.to_vec())));
        })
        .unwrap();
    assert_eq!(rules.state.len(), 1);
    let store: Arc<MemoryStore> = Arc::default();
    store.commit(rules).unwrap();
    // The person is right: a session says which page it is.
    let vetoed = frontier_of(chain(file(&[&drops_q, &veto])), &store);
    let links = (1000..1030).flat_map(|t| {
        [
            format!("http://e.org/v?t={t}"),
            format!("http://e.org/v?q=1&s={t}&t={t}"),
        ]
    });
    crawl(&vetoed, links, text);
    let standing = |frontier: &LocalFrontier| {
        let beliefs = frontier.beliefs().unwrap().into_iter();
        let mut beliefs: Vec<_> = beliefs.map(|(b, _)| (b.text, b.standing)).collect();
        beliefs.sort_by(|a, b| a.0.cmp(&b.0));
        beliefs
    };
    let before = standing(&vetoed);
    assert_eq!(before.len(), 1, "{before:?}");
    // Killed before it was written down.
    drop(vetoed);
    let again = frontier_of(chain(file(&[&drops_q, &veto])), &store);
    assert_eq!(standing(&again), before);
}
