//! What a site of one script learns, and which claims are hypotheses of their own.

use super::*;
use crate::predict::{form::Param, parts::Parts};

/// A browser of repositories: what `h` names is shown by one action whatever `hb` is, and by the other, which is met
/// for one in `every` files, as of `hb`.
fn with_actions(every: u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for file in 0..240 {
        for revision in 0..2 {
            let at = 2 * (file % 50) + revision;
            let url = |action: &str| format!("http://e.org/?a={action}&h=7f{file}&hb=0{at}");
            see(&mut site, &url("blob"), file);
            if file % every == 0 {
                see(&mut site, &url("blame"), 1000 + 2 * file + revision);
            }
        }
    }
    site
}

#[test]
fn actions_with_the_same_parameters_are_told_apart() {
    let link = |action: &str| format!("http://e.org/?a={action}&h=7f40&hb=999");
    for every in [1, 20] {
        let site = with_actions(every);
        let mut parts = Parts::default();
        site.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
        for site in [site, Site::load("e.org", &parts).unwrap()] {
            assert!(site.predict(&link("blob")).is_some());
            assert!(site.predict(&link("blame")).is_none(), "{every}");
            assert!(site.predict(&link("tree")).is_none(), "it was never met");
        }
    }
}

/// The same with the action in the path: changes are shown alike whatever `rows` is, and a list of them, which is met for
/// one in `every` changes, or none, is not.
fn with_actions_in_the_path(every: u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for change in 0..240 {
        for time in 0..2 {
            let rows = 2 * (change % 50) + time;
            let url = |action: &str| format!("http://e.org/src/{action}/7f{change}?rows={rows}");
            see(&mut site, &url("rev"), change);
            if every > 0 && change % every == every.min(20) - 1 {
                see(&mut site, &url("log"), 1000 + 2 * change + time);
            }
        }
    }
    site
}

#[test]
fn actions_in_the_path_are_told_apart() {
    let link = |action: &str| format!("http://e.org/src/{action}/7f40?rows=999");
    for every in [1, 40, 400] {
        let site = with_actions_in_the_path(every);
        assert!(site.predict(&link("rev")).is_some());
        assert!(site.predict(&link("log")).is_none(), "{every}");
    }
}

#[test]
fn what_holds_but_for_one_action_is_tried_on_a_new_one_first() {
    let mut site = with_actions_in_the_path(400);
    let link = "http://e.org/src/graph/7f40?rows=999";
    see(&mut site, "http://e.org/src/graph/7f40?rows=30", 5000);
    assert!(site.predict(link).is_none());
    // Pages met before are filed anew a few at a time.
    for change in 300..360 {
        for rows in [30, 60] {
            let url = format!("http://e.org/src/graph/7f{change}?rows={rows}");
            see(&mut site, &url, 6000 + change);
        }
    }
    assert!(site.predict(link).is_some());
}

#[test]
fn what_holds_for_other_actions_is_not_stretched_to_one_of_which_half_cannot_be_told() {
    for undecided in [0, 1, 2] {
        let mut site = with_actions_in_the_path(0);
        for change in 300..360 {
            let is_told = change % 4 >= undecided;
            for rows in [30, 60] {
                let url = format!("http://e.org/src/graph/7f{change}?rows={rows}");
                if is_told {
                    see(&mut site, &url, 6000 + change);
                } else {
                    // Too short for anybody to say that it is the same list.
                    let text = format!("{change} shown with {rows}");
                    site.observe(&url.parse().unwrap(), &text, None, None);
                }
            }
        }
        let link = "http://e.org/src/graph/7f303?rows=999";
        assert_eq!(site.predict(link).is_some(), undecided < 2, "{undecided}");
    }
}

#[test]
fn what_a_claim_dropped_is_judged_anew_when_it_turns_out_to_hold_for_some_actions_only() {
    let mut site = with_actions_in_the_path(0);
    let link = "http://e.org/src/log/7f40?rows=999";
    see(&mut site, "http://e.org/src/log/7f40?rows=1", 7000);
    assert!(site.predict(link).is_none(), "an action never met");
    for rows in [1, 2] {
        let url = format!("http://e.org/src/log/7f39?rows={rows}");
        see(&mut site, &url, 6999);
    }
    let by = site.predict(link).unwrap().belief;
    let learned = see(&mut site, "http://e.org/src/log/7f40?rows=2", 7001);
    assert!(site.predict(link).is_none());
    assert!(learned.withdrawn.is_empty(), "it holds for changes");
    assert!(learned.reopened.contains(&by));
}

#[test]
fn what_an_action_dropped_that_is_none_is_judged_anew() {
    let mut site = with_actions(1);
    let link = "http://e.org/?a=blob&h=7f40&hb=999";
    let by = site.predict(link).unwrap().belief;
    let learned = see(&mut site, "http://e.org/?a=7x7&h=7f1000", 9000);
    assert!(learned.shaken.contains(&by));
    assert!(site.predict(link).is_none());
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
    let site = with_actions(1);
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

#[test]
fn what_matters_for_one_action_of_a_script_need_not_for_another() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..260 {
        see(&mut site, &format!("http://e.org/doku.php?id=p{id}"), id);
        see(
            &mut site,
            &format!("http://e.org/doku.php?id=p{id}&do=edit"),
            5000 + id,
        );
        // Too short to be told from others: no trial of any claim can be decided.
        let short = format!("no backlinks to p{id} yet").repeat(1);
        let url = format!("http://e.org/doku.php?id=p{id}&do=backlink&x=1");
        site.observe(&url.parse().unwrap(), &short, None, None);
        for idx in 0..4 {
            let url = format!("http://e.org/doku.php?id=p{id}&idx={idx}");
            see(&mut site, &url, 9000 + idx);
        }
    }
    assert!(
        site.predict("http://e.org/doku.php?id=p777&idx=2")
            .is_some()
    );
    assert!(
        site.predict("http://e.org/doku.php?id=p777&do=edit")
            .is_none()
    );
    assert!(site.predict("http://e.org/doku.php?id=p777").is_none());
}

#[test]
fn an_edit_that_fails_in_one_section_is_still_learned_in_another() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..400 {
        // Behind the second segment nothing matters in one section, and everything in the other.
        see(
            &mut site,
            &format!("http://e.org/shop/detail/all/{id}"),
            5000 + id,
        );
        see(
            &mut site,
            &format!("http://e.org/shop/detail/all/{}", id + 1000),
            6000 + id,
        );
        if id >= 200 {
            let item = id % 100;
            let noise = 7919 * id;
            see(
                &mut site,
                &format!("http://e.org/shop/item-{item}/qid={noise}/ref=1/{id}-x/y"),
                item,
            );
        }
    }
    for id in 400..800 {
        let item = id % 100;
        see(
            &mut site,
            &format!(
                "http://e.org/shop/item-{item}/qid={}/ref=1/{id}-x/y",
                7919 * id
            ),
            item,
        );
    }
    assert!(
        site.predict("http://e.org/shop/item-7/qid=1/ref=1/9-x/y")
            .is_some()
    );
    assert!(site.predict("http://e.org/shop/detail/all/99999").is_none());
}

/// A script whose pages depend on `do` alone, and never on `id`.
fn script(action: &str, id: u64) -> String {
    format!("http://e.org/script?id=p{id}&do={action}")
}

fn with_a_script() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for action in 0..120 {
        for id in 0..3 {
            let name = format!("a{action}");
            see(&mut site, &script(&name, action * 7 + id), 5000 + action);
        }
    }
    site
}

#[test]
fn what_cannot_be_told_for_one_action_of_a_script_is_not_carried_by_the_others() {
    let mut site = with_a_script();
    see(&mut site, &script("view", 1), 6000);
    assert!(site.predict(&script("view", 900)).is_some());
    for id in 0..6 {
        let url = script("note", id).parse().unwrap();
        site.observe(&url, &format!("note {id} says little"), None, None);
    }
    assert!(site.predict(&script("note", 900)).is_none());
    assert!(site.predict(&script("view", 900)).is_some());
}

#[test]
fn a_set_of_parameters_is_denied_where_the_part_of_it_that_is_there_fails() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &article(id), id);
        see(&mut site, &format!("{}&sid={id}f", article(id)), id);
        see(
            &mut site,
            &format!("{}&sid={id}e&ref={id}", article(id)),
            id,
        );
    }
    let any = |names: &[&str]| {
        let params = names.iter().map(|name| Param::Any((*name).into()));
        Edit::Params(params.collect())
    };
    site.register_one(any(&["ref", "sid"]), None);
    for id in 300..420 {
        see(&mut site, &article(id), id);
        see(&mut site, &format!("{}&sid={id}f", article(id)), id);
        see(
            &mut site,
            &format!("{}&sid={id}e&ref={id}", article(id)),
            id,
        );
    }
    let number = |edit: Edit| site.numbers.get(&edit, &site.edits).unwrap();
    let (part, set) = (number(any(&["sid"])), number(any(&["ref", "sid"])));
    let url = format!("{}&sid=777f", article(350));
    let before = Form::parse(&url);
    assert!(site.decide(set, &before).is_ok());
    let mut learned = Learned::default();
    for _ in 0..3 {
        site.trial(
            part,
            &before,
            Sameness::Different,
            with_first(&before),
            &mut learned,
        );
    }
    assert!(site.decide(set, &before).is_err());
    let other = format!("{}&sid=777f&ref=777", article(350));
    assert!(site.decide(set, &Form::parse(&other)).is_ok());
}

/// A list of albums and their photos behind one script: which page of the list a photo was linked from does not matter.
#[test]
fn what_long_held_beside_some_parameters_is_acted_upon_though_it_fails_beside_others() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let album = |rest: String| format!("http://e.org/album?{rest}");
    for id in 0..500 {
        let list = id % 40;
        see(&mut site, &album(format!("list={list}")), 5000 + list);
        see(
            &mut site,
            &album(format!("list={list}&page={id}")),
            6000 + id,
        );
        see(&mut site, &album(format!("photo={id}")), id);
        see(
            &mut site,
            &album(format!("photo={id}&page={}", id % 90)),
            id,
        );
    }
    see(&mut site, &album("photo=700".to_owned()), 700);
    assert!(
        site.predict(&album("photo=700&page=95".to_owned()))
            .is_some()
    );
    assert!(site.predict(&album("list=3&page=995".to_owned())).is_none());
}

/// The same, with an action that was never met: what holds for files need not for it, however long it held.
#[test]
fn what_long_held_is_not_stretched_to_another_action() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let url =
        |action: &str, file: u64, at: u64| format!("http://e.org/?a={action}&h=7f{file}&hb=0{at}");
    for id in 0..40 {
        see(&mut site, &article(id), 80_000 + id);
    }
    for file in 0..500 {
        for at in [2 * file, 2 * file + 1] {
            see(&mut site, &url("blob", file, at), file);
            let log = format!("http://e.org/?a=log&p=7f{file}&hb=0{at}");
            see(&mut site, &log, 40_000 + at);
        }
    }
    see(&mut site, &url("blame", 900, 1), 30_000);
    assert!(site.predict(&url("blame", 900, 99_999)).is_none());
    assert!(site.predict(&url("blob", 40, 99_999)).is_some());
}

/// A wiki with a form to log in behind each page; under no page's name it has fewer buttons.
#[test]
fn pages_are_compared_with_each_other_where_nobody_can_tell_of_the_one_that_stands() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let see = |site: &mut Site, url: &str, buttons: &str, body: &str| {
        let text = format!("create {buttons}\n{body}\nmade by hand, as ever");
        let url = format!("http://e.org/?{url}");
        site.observe(&url.parse().unwrap(), &text, None, None);
    };
    let form = "your name\nthe word that you chose\nlog in";
    let (few, all) = (
        "index changes login",
        "edit diff index changes history source login",
    );
    for name in 0..60 {
        see(&mut site, &format!("c=show;p=n{name}x"), all, &text(name));
        see(
            &mut site,
            &format!("c=edit;p=n{name}x"),
            all,
            &text(1_000 + name),
        );
    }
    see(&mut site, "c=login", few, form);
    for name in 60..260 {
        for (action, body) in [
            ("show", text(name)),
            ("edit", text(1_000 + name)),
            ("login", form.to_owned()),
        ] {
            see(&mut site, &format!("c={action};p=n{name}x"), all, &body);
        }
    }
    assert!(site.predict("http://e.org/?c=login;p=n999x").is_some());
    assert!(site.predict("http://e.org/?c=edit;p=n999x").is_none());
}
