//! What a site of one script learns, and which claims are hypotheses of their own.

use super::*;
use crate::predict::site::tests::{see, with_sessions};

/// A browser of repositories: what `h` names is shown by one action whatever `hb` is, and by the other as of `hb`.
fn with_actions() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for file in 0..150 {
        for revision in 0..2 {
            let at = 2 * (file % 50) + revision;
            let url = |action: &str| format!("http://e.org/?a={action}&h=7f{file}&hb=0{at}");
            see(&mut site, &url("blob"), file);
            see(&mut site, &url("blame"), 1000 + 2 * file + revision);
        }
    }
    site
}

#[test]
fn actions_with_the_same_parameters_are_told_apart() {
    let site = with_actions();
    let link = |action: &str| format!("http://e.org/?a={action}&h=7f3&hb=999");
    assert!(site.predict(&link("blob")).is_some());
    assert!(site.predict(&link("blame")).is_none());
    assert!(site.predict(&link("tree")).is_none(), "it was never met");
}

#[test]
fn a_claim_that_a_wider_one_makes_too_is_no_hypothesis_of_its_own() {
    let site = with_sessions();
    let mut levels = Vec::new();
    for belief in site.beliefs.family() {
        let claim = site.claim_of(belief).to_string();
        if claim.starts_with("sid is ignored |") {
            levels.push(belief.level);
        }
    }
    assert_eq!(levels, [Level::Host]);
    let site = with_actions();
    let of_actions = (site.beliefs.family())
        .filter(|belief| belief.level == Level::Action)
        .filter(|belief| {
            site.claim_of(belief)
                .to_string()
                .starts_with("hb is ignored |")
        });
    assert_eq!(
        of_actions.count(),
        1,
        "wider ones fail, and so it does for `blame`"
    );
}
