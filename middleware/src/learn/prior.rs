//! The rules that hold on nearly every site, so that they need no proof, only the lack of a disproof.
//!
//! These are the equivalences of static normalization (tier 2 of the design), put as rules: a site that
//! contradicts one loses it, where static normalization would go on losing pages.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::table::Table;
use crate::{
    normalize::{SESSION_PARAMETERS, TRACKING_PARAMETERS},
    rules::{Condition, Edit, Key, Rule},
};

/// Names of index pages.
const INDEX_PAGES: [&str; 6] = [
    "index.html",
    "index.htm",
    "index.php",
    "index.asp",
    "index.jsp",
    "default.aspx",
];

/// `WordPress` serves pages under either name.
const PAGE_IDS: &str = "is:len=0 has:query.p no:query.page_id => move:query.p>query.page_id";

/// phpBB writes the session into every link for visitors without cookies.
const SESSIONS: &str = "is:ext=php has:query.sid => drop:query.sid";

/// What widespread applications do on most sites that run them (`WordPress`, phpBB, Drupal, `MediaWiki`): one page
/// that agrees is enough, or two.
const PLATFORMS: [&str; 13] = [
    PAGE_IDS,
    "has:query.replytocom => drop:query.replytocom",
    "is:tail.0=viewtopic.php has:query.t => drop:query.f",
    "is:tail.0=viewtopic.php has:query.p has:query.f => drop:query.f",
    SESSIONS,
    "is:query.start=0 => drop:query.start",
    "is:query.postdays=0 => drop:query.postdays",
    "is:query.postorder=asc => drop:query.postorder",
    "is:query.highlight= => drop:query.highlight",
    "is:query.page=0 => drop:query.page",
    "is:query.offset=0 => drop:query.offset",
    "is:query.printable=yes has:query.title => drop:query.printable",
    "is:query.printable=yes&yes => set:query.printable=yes",
];

fn platforms() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        PLATFORMS
            .iter()
            .map(|text| {
                text.parse()
                    .expect("the table above holds rules, as a test shows")
            })
            .collect()
    });
    &RULES
}

/// Parameters that say where a visitor came from or shall go back to; the page itself is the same.
const RETURN_ADDRESSES: [&str; 10] = [
    "destination",
    "redirect_to",
    "return_to",
    "return_url",
    "returnto",
    "returntoquery",
    "returnurl",
    "ReturnUrl",
    "referer",
    "referrer",
];

/// Names of parameters that turn the pages of a list. Lists that are short make them look idle.
const PAGING: [&str; 10] = [
    "page", "start", "offset", "pg", "paged", "limit", "skip", "pagenum", "per_page", "startat",
];

/// Names of parameters that seldom say which page it is.
const DECORATIONS: [&str; 16] = [
    "highlight",
    "hilit",
    "hl",
    "print",
    "printable",
    "style",
    "theme",
    "skin",
    "mobile",
    "ismobile",
    "mobileaction",
    "useskin",
    "share",
    "wpDestFile",
    "prev_next",
    "topicseen",
];

/// Whether the parameter turns pages.
pub(crate) fn is_paging(name: &str) -> bool {
    PAGING.contains(&name)
}

/// Whether the parameter changes how a page is shown, not which page it is.
pub(crate) fn is_decoration(name: &str) -> bool {
    DECORATIONS.contains(&name) || RETURN_ADDRESSES.contains(&name)
}

/// Whether the parameter holds a session.
pub(crate) fn is_session(name: &str) -> bool {
    (SESSION_PARAMETERS.iter()).any(|session| session.eq_ignore_ascii_case(name))
}

fn is_noise(name: &str) -> bool {
    RETURN_ADDRESSES.contains(&name)
        || TRACKING_PARAMETERS.contains(&name)
        || SESSION_PARAMETERS.contains(&name)
}

/// Pages that must have shown one of these rules right; `None` for all other rules.
pub(crate) fn pages_for_usual(rule: &Rule) -> Option<u64> {
    if platforms().contains(rule) {
        let is = |text: &str| text.parse().is_ok_and(|known: Rule| known == *rule);
        // A session may well show another page to its owner.
        let pages = u64::from(!is(PAGE_IDS)) + u64::from(is(SESSIONS));
        return Some(pages);
    }
    // Front pages change from fetch to fetch, and some sites have another one behind the bare slash.
    let is_index = matches!(rule.edits.as_slice(), [Edit::Drop(Key::Tail(_))]);
    is_equivalence(rule).then_some(u64::from(is_index))
}

fn is_equivalence(rule: &Rule) -> bool {
    let [edit] = rule.edits.as_slice() else {
        return false;
    };
    match (rule.pattern.0.as_slice(), edit) {
        ([], Edit::Sort | Edit::Drop(Key::Slash) | Edit::Set(Key::Scheme, _)) => true,
        ([Condition::Has(Key::Query(_))], Edit::Drop(Key::Query(name)))
        | ([Condition::Has(Key::PathParam(_))], Edit::Drop(Key::PathParam(name))) => is_noise(name),
        ([Condition::Is(Key::Host, from)], Edit::Set(Key::Host, to)) => {
            from.strip_prefix("www.") == Some(to)
        }
        ([Condition::Is(Key::Tail(0), name)], Edit::Drop(Key::Tail(0))) => {
            INDEX_PAGES.contains(&&**name)
        }
        _ => false,
    }
}

/// Those of them that a site's URLs have a use for.
pub(crate) fn usual(table: &Table<'_>) -> Vec<Rule> {
    let (mut schemes, mut hosts, mut names) = (
        FxHashSet::default(),
        FxHashSet::default(),
        FxHashSet::default(),
    );
    let mut noise = FxHashSet::default();
    let (mut slash, mut two_keys) = (false, false);
    for parts in &table.apart {
        schemes.insert(&*parts.scheme);
        hosts.insert(&*parts.host);
        slash |= parts.slash;
        two_keys |= parts.query.len() > 1;
        if let Some(last) = parts.segs.last().filter(|s| INDEX_PAGES.contains(&&***s)) {
            let tail = Key::Tail(0);
            names.insert(Rule::new(
                vec![Condition::Is(tail.clone(), (&**last).into())],
                vec![Edit::Drop(tail)],
            ));
        }
        let params = parts.path_params.iter().filter(|p| is_noise(&p.name));
        noise.extend(params.map(|p| Key::PathParam((&*p.name).into())));
    }
    for (_, first) in table.kinds().iter() {
        let params = table.apart[first as usize].query.iter();
        let params = params.filter(|p| is_noise(&p.name));
        noise.extend(params.map(|p| Key::query(&p.name)));
    }
    names.extend(
        noise
            .into_iter()
            .map(|key| Rule::new(vec![Condition::Has(key.clone())], vec![Edit::Drop(key)])),
    );
    let has = |name: &str| {
        table
            .kinds()
            .iter()
            .any(|(_, first)| table.apart[first as usize].query_value(name).is_some())
    };
    let leads_to_known = |rule: &&Rule| {
        rule.edits
            .iter()
            .all(|edit| !matches!(edit, Edit::Move(_, Key::Query(name)) if !has(name)))
    };
    names.extend(platforms().iter().filter(leads_to_known).cloned());
    let mut rules: Vec<Rule> = names.into_iter().collect();
    if schemes.len() > 1 {
        rules.push(Rule::new(
            Vec::new(),
            vec![Edit::Set(Key::Scheme, "https".into())],
        ));
    }
    for host in &hosts {
        if let Some(bare) = host
            .strip_prefix("www.")
            .filter(|bare| hosts.contains(bare))
        {
            rules.push(Rule::new(
                vec![Condition::Is(Key::Host, (*host).into())],
                vec![Edit::Set(Key::Host, bare.into())],
            ));
        }
    }
    if slash {
        rules.push(Rule::new(Vec::new(), vec![Edit::Drop(Key::Slash)]));
    }
    if two_keys {
        rules.push(Rule::new(Vec::new(), vec![Edit::Sort]));
    }
    rules.sort();
    rules
}

#[cfg(test)]
mod tests {
    use super::{pages_for_usual, platforms};

    #[test]
    fn what_platforms_do_is_believed_and_nothing_else() {
        assert!(
            platforms()
                .iter()
                .all(|rule| pages_for_usual(rule) <= Some(2))
        );
        let other = "is:query.start=15 => drop:query.start".parse().unwrap();
        assert_eq!(pages_for_usual(&other), None);
    }
}
