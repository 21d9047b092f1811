//! What second chances cost, and what they bring: sites whose pages are not to be had under the spelling that is met first.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop with the error"
)]

mod crawl;

use crawl::{Answer, Crawl, Manner, crawl};
use url::Url;

/// The four names of a site; all but one redirect to that one.
const NAMES: [&str; 4] = [
    "https://www.e.org",
    "http://www.e.org",
    "http://e.org",
    "https://e.org",
];
const CANONICAL: &str = NAMES[0];

/// How many pages a list links to.
const LISTED: usize = 20;

/// `path` under all four names, of which each is first somewhere.
fn under_all_names(path: &str, n: usize) -> [String; 4] {
    std::array::from_fn(|at| format!("{}{path}", NAMES[(n + at) % 4]))
}

/// Home of a site whose lists link to `links`, as many of them at a time as one page has.
fn listed(url: &Url, links: &[String], at_a_time: usize) -> Option<Answer> {
    let list = match url.path() {
        "/" => 0,
        path => path.strip_prefix("/list/")?.parse::<usize>().ok()?,
    };
    let chunk = links.chunks(at_a_time).nth(list)?;
    let next = format!("/list/{}", list + 1);
    let has_next = links.len() > (list + 1) * at_a_time;
    let links = has_next.then_some(next).into_iter();
    Some(Answer::Page {
        content: format!("list {list}"),
        links: links.chain(chunk.iter().cloned()).collect(),
    })
}

fn number(url: &Url) -> Option<usize> {
    let digits = url.path().trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().ok()
}

fn has(url: &Url, parameter: &str) -> bool {
    url.query_pairs()
        .any(|(name, value)| format!("{name}={value}") == parameter)
}

fn content(text: impl Into<String>) -> Answer {
    Answer::Page {
        content: text.into(),
        links: Vec::new(),
    }
}

/// In every manner in which a crawl may be done.
fn in_all_manners(site: impl Fn(&Url) -> Answer, check: impl Fn(&Crawl)) {
    for manner in Manner::ALL {
        let crawl = crawl(&[&format!("{CANONICAL}/")], &site, manner);
        check(&crawl);
    }
}

/// So many fetches at most.
fn assert_costs(crawl: &Crawl, most: usize) {
    let fetched = crawl.fetched.len();
    assert!(fetched <= most, "{fetched} of at most {most}");
}

fn contents_of(crawl: &Crawl, kind: &str) -> usize {
    let of_kind = crawl.contents.iter().filter(|text| text.starts_with(kind));
    of_kind.count()
}

/// Three of four names redirect to the fourth, and there two old addresses of each page redirect to it. Where `folders` is
/// not 0, the old ones lie in so many folders, one for each user.
fn site_of_four_names(pages: usize, folders: usize) -> impl Fn(&Url) -> Answer {
    let path = move |kind: char, n: usize| match folders {
        0 => format!("/{kind}/{n}"),
        _ => format!("/{kind}/u{}/{n}", user(n % folders)),
    };
    let old = move |n: usize| {
        ['a', 'b'].map(|kind| under_all_names(&path(kind, n), n + usize::from(kind == 'b')))
    };
    let links: Vec<String> = (0..pages)
        .flat_map(|n| old(n).into_iter().flatten())
        .collect();
    move |url| {
        if !url.as_str().starts_with(CANONICAL) {
            return Answer::To(format!("{CANONICAL}{}", url.path()));
        }
        if let Some(list) = listed(url, &links, LISTED * 8) {
            return list;
        }
        let n = url.path().rsplit('/').next().unwrap();
        if url.path().starts_with("/page/") {
            content(format!("page {n}"))
        } else {
            Answer::To(format!("/page/{n}"))
        }
    }
}

/// A name without a number.
fn user(n: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    [letter(n / 26), letter(n)].iter().collect()
}

/// For each page one fetch, and two for each of its two old addresses, but where the right name came first.
const fn needed_under_four_names(pages: usize) -> usize {
    pages * 9 / 2
}

#[test]
fn old_addresses_under_four_names_are_fetched_little_more_than_once() {
    in_all_manners(site_of_four_names(350, 0), |crawl| {
        assert_eq!(contents_of(crawl, "page"), 350);
        assert_costs(crawl, needed_under_four_names(350) + 60);
    });
}

#[test]
fn a_folder_for_each_user_costs_little_more() {
    in_all_manners(site_of_four_names(350, 70), |crawl| {
        assert_eq!(contents_of(crawl, "page"), 350);
        assert_costs(crawl, needed_under_four_names(350) + 320);
    });
}

/// What a shop leads to before it shows a page.
#[derive(Clone, Copy, Debug)]
enum Cookie {
    /// A path that the product has for it.
    OfPage,
    /// The page with a parameter.
    Parameter,
    /// A script that is the same for all.
    Script,
}

/// Each product comes in two colours, a page each; all is linked under all names, each of which is right.
fn shop(products: usize, cookie: Cookie) -> impl Fn(&Url) -> Answer {
    let paths = |n: usize| [format!("/p/{n}"), format!("/p/{n}?color=red")];
    let links = (0..products).flat_map(|n| paths(n).map(|path| (n, path)));
    let links: Vec<String> = links
        .flat_map(|(n, path)| under_all_names(&path, n))
        .collect();
    move |url| {
        if let Some(list) = listed(url, &links, LISTED * 8) {
            return list;
        }
        let back = url.query_pairs().find(|(name, _)| name == "back");
        let n = back.map_or_else(|| number(url), |(_, n)| n.parse().ok());
        let n = n.unwrap_or_default();
        let is_red = has(url, "color=red");
        let colour = if is_red { "&color=red" } else { "" };
        if has(url, "PHPSESSID=1") {
            return content(format!("product {n} {is_red}"));
        }
        let is_back = url.path().starts_with("/cookie") || has(url, "cookie=1");
        if is_back {
            return Answer::To(format!("/p/{n}?PHPSESSID=1{colour}"));
        }
        Answer::To(match cookie {
            Cookie::OfPage => format!("/cookie/{n}?{colour}"),
            Cookie::Parameter => format!("/p/{n}?cookie=1{colour}"),
            Cookie::Script => format!("/cookie.php?back={n}{colour}"),
        })
    }
}

#[test]
fn a_shop_that_sets_a_cookie_first_is_fetched_once() {
    for cookie in [Cookie::OfPage, Cookie::Parameter, Cookie::Script] {
        in_all_manners(shop(160, cookie), |crawl| {
            assert_eq!(contents_of(crawl, "product"), 320);
            assert_costs(crawl, 3 * 320 + 8 + 60);
        });
    }
}

/// Pages of members have numbers from here on.
const MEMBERS: usize = 10_000;

/// How members are met: before the others, in a folder of their own or among them.
fn site_with_members(
    members: usize,
    others: usize,
    folder: &'static str,
) -> impl Fn(&Url) -> Answer {
    let of_members = (0..members).flat_map(move |n| {
        let path = format!("/{folder}/{}", MEMBERS + n);
        [format!("{path}?PHPSESSID=0"), path]
    });
    let old = (0..others).map(|n| format!("/p/{n}?PHPSESSID=0"));
    let new = (0..others).map(|n| format!("/p/{n}"));
    site_of_members(of_members.chain(old).chain(new).collect())
}

/// Who is no member is led to a form to log in, and so is who has a session that has ended.
fn site_of_members(links: Vec<String>) -> impl Fn(&Url) -> Answer {
    move |url| {
        if let Some(list) = listed(url, &links, 200) {
            return list;
        }
        let last = url.path().rsplit('/').next().unwrap();
        if last == "login" {
            return content("login");
        }
        if number(url).is_some_and(|n| n >= MEMBERS) || has(url, "PHPSESSID=0") {
            return Answer::To("/login".to_owned());
        }
        content(format!("page {last}"))
    }
}

#[test]
fn members_do_not_take_the_chances_of_others() {
    // Each of the others is fetched twice, and each way that leads to the form tries some of the members; where others are of
    // the same kind, all of these may be tried, once others were had.
    for (folder, more) in [("members", 30), ("p", 330)] {
        in_all_manners(site_with_members(300, 351, folder), |crawl| {
            assert_eq!(contents_of(crawl, "page"), 351);
            assert_costs(crawl, 300 + 2 * 351 + more);
        });
    }
}

/// Three in four are members, and all are met with a session that has ended.
#[test]
fn members_among_others_do_not_take_their_chances() {
    let number = |n: usize| if n.is_multiple_of(4) { n } else { MEMBERS + n };
    let spellings = |n: usize| [format!("/p/{n}?PHPSESSID=0"), format!("/p/{n}")];
    let links: Vec<String> = (0..400).map(number).flat_map(spellings).collect();
    in_all_manners(site_of_members(links), |crawl| {
        assert_eq!(contents_of(crawl, "page"), 100);
        assert_costs(crawl, 2 * 400 + 5);
    });
}

/// Each observation is one commit, so that a kill leaves what one of these restarts does.
#[test]
fn a_crawl_that_begins_anew_after_each_page_fetches_the_same_in_the_same_order() {
    for folder in ["members", "p"] {
        let site = site_with_members(100, 150, folder);
        let fetched = |restart_every| {
            let manner = Manner {
                at_once: 1,
                restart_every,
            };
            crawl(&[&format!("{CANONICAL}/")], &site, manner).fetched
        };
        assert_eq!(fetched(1), fetched(usize::MAX));
    }
}

/// Eight spellings of each page, of which four have a session that has ended, one of those is met first, and three names redirect.
#[test]
fn of_many_spellings_one_without_a_session_is_tried() {
    let links: Vec<String> = (0..200)
        .flat_map(|n| {
            let path = format!("/p/{n}");
            let old = under_all_names(&format!("{path}?PHPSESSID=0"), n);
            old.into_iter().chain(under_all_names(&path, n))
        })
        .collect();
    let site = |url: &Url| {
        if !url.as_str().starts_with(CANONICAL) {
            return Answer::To(format!("{CANONICAL}{}", &url[url::Position::BeforePath..]));
        }
        if has(url, "PHPSESSID=0") {
            return Answer::To("/login".to_owned());
        }
        listed(url, &links, LISTED * 8).unwrap_or_else(|| content(format!("page {}", url.path())))
    };
    in_all_manners(site, |crawl| {
        assert_eq!(contents_of(crawl, "page /p/"), 200);
    });
}

#[test]
fn private_pages_that_are_found_at_once_are_fetched_little_more_than_once() {
    let links: Vec<String> = (0..1500)
        .flat_map(|n| under_all_names(&format!("/private/{n}"), n))
        .collect();
    for is_told in [false, true] {
        let site = |url: &Url| match listed(url, &links, links.len()) {
            Some(list) => list,
            None if url.path() == "/login" => content("login"),
            None if is_told => Answer::Status(403),
            None => Answer::To(format!("/login?next={}", url.path())),
        };
        in_all_manners(site, |crawl| {
            // Where it leads to log in has an address for each page, too.
            let forms = crawl.fetched.iter().filter(|url| url.contains("/login"));
            assert_costs(crawl, 1500 + 80 + forms.count());
        });
    }
}

/// What held before: three links in ten are met first with a session that has ended.
#[test]
fn pages_that_are_met_with_an_ended_session_first_are_all_had() {
    let links: Vec<String> = (0..400)
        .flat_map(|n| {
            let (old, new) = (format!("/p/{n}?PHPSESSID=0"), format!("/p/{n}"));
            if n % 10 < 3 { [old, new] } else { [new, old] }
        })
        .collect();
    for login in ["/login", "/login?next=", "/"] {
        let site = |url: &Url| {
            if has(url, "PHPSESSID=0") {
                let page = if login.ends_with('=') { url.path() } else { "" };
                return Answer::To(format!("{login}{page}"));
            }
            listed(url, &links, LISTED * 2)
                .unwrap_or_else(|| content(format!("page {}", url.path())))
        };
        in_all_manners(site, |crawl| {
            assert_eq!(contents_of(crawl, "page /p/"), 400);
            assert_costs(crawl, 400 + 2 * 120 + 20 + 20);
        });
    }
}
