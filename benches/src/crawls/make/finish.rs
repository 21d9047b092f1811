//! Where are the pages linked, and in which order are they met?
//!
//! A chronicle lists the items, fifteen a page, in the order of their places; the first address of each stands there, the
//! others there or on pages of items nearby, as links of a real site do. Every page shows the names of four items
//! nearby. Pages are in the order of a plain crawl, breadth first.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    address::Address,
    draw::Draw,
    item::{Answer, Item, Spelling},
    site::Site,
    text::{chrome, words},
};
use crate::crawls::{Crawl, Page};

/// Items on a page of the chronicle.
const LISTED: usize = 15;
/// How far from an item the pages are that link to it.
const NEARBY: usize = 25;
/// Items that a page names beside its own.
const RELATED: usize = 4;

impl Site {
    /// Its pages, with all links between them.
    ///
    /// # Panics
    /// Where a URL was given two contents, or cannot be reached: then the labels would be wrong.
    pub fn finish(mut self) -> Crawl {
        self.items.retain(|item| !item.spellings.is_empty());
        self.items.sort_by(|one, other| one.at.total_cmp(&other.at));
        let plan = Plan::of(&self);
        let mut writer = Writer::new(&self);
        writer.write_home();
        for (number, links) in plan.lists.iter().enumerate() {
            writer.write_list(number, plan.lists.len(), links);
        }
        for (at, item) in self.items.iter().enumerate() {
            for spelling in &item.spellings {
                writer.write(item, at, spelling, &plan.pages[at]);
            }
        }
        Crawl {
            pages: in_order(writer.pages),
        }
    }

    fn list_address(&self, number: usize) -> String {
        Address::new(self.host(), &format!("chronicle/{}", number + 1)).to_string()
    }

    fn home(&self) -> String {
        Address::new(self.host(), "").to_string()
    }
}

/// Which page links to what.
struct Plan {
    lists: Vec<Vec<String>>,
    pages: Vec<Vec<String>>,
}

impl Plan {
    fn of(site: &Site) -> Self {
        let draw = Draw::named(site.seed(), "links");
        let count = site.items.len();
        let mut plan = Self {
            lists: vec![Vec::new(); count.div_ceil(LISTED)],
            pages: vec![Vec::new(); count],
        };
        let is_page =
            |spelling: &Spelling| !spelling.is_hidden && matches!(spelling.answer, Answer::Page(_));
        let has_links: Vec<bool> = (site.items.iter())
            .map(|item| item.spellings.iter().any(is_page))
            .collect();
        for (at, item) in site.items.iter().enumerate() {
            let linked = item.spellings.iter().filter(|spelling| !spelling.is_hidden);
            let mut spellings: Vec<&Spelling> = linked.collect();
            draw.shuffle(&mut spellings);
            // Links on a page are reached only where one address of the page is on a list.
            spellings.sort_by_key(|spelling| (spelling.from.is_some(), !is_page(spelling)));
            for (turn, spelling) in spellings.into_iter().enumerate() {
                let home = spelling
                    .place
                    .map_or(at, |place| ((place * count as f64) as usize).min(count - 1));
                let near = (home + draw.below(2 * NEARBY + 1)).saturating_sub(NEARBY);
                let near = near.min(count - 1);
                if spelling.from.is_some() {
                    continue;
                }
                let links = if turn == 0 || draw.one_in(3) || near == at || !has_links[near] {
                    &mut plan.lists[home / LISTED]
                } else {
                    &mut plan.pages[near]
                };
                links.push(spelling.address.to_string());
            }
        }
        for at in 0..count {
            for other in related(at, count) {
                // What is linked elsewhere in the crawl is not linked here.
                let spellings = (site.items[other].spellings.iter())
                    .filter(|it| it.place.is_none() && !it.is_hidden && it.from.is_none());
                let spellings: Vec<&Spelling> = spellings.collect();
                if let Some(spelling) = spellings.get(draw.below(spellings.len())) {
                    plan.pages[at].push(spelling.address.to_string());
                }
            }
        }
        plan
    }
}

/// The items that the page of this one names.
fn related(at: usize, count: usize) -> impl Iterator<Item = usize> {
    (1..=RELATED).map(move |step| (at + step * step * 3) % count)
}

/// Chrome above and below the text.
type Frame = (Vec<String>, Vec<String>);

/// Puts pages together.
struct Writer<'s> {
    site: &'s Site,
    frames: FxHashMap<u32, Frame>,
    /// Titles of the items.
    titles: Vec<String>,
    /// Main text of each label.
    texts: FxHashMap<String, String>,
    pages: Vec<Page>,
    labels: FxHashMap<String, String>,
}

impl<'s> Writer<'s> {
    fn new(site: &'s Site) -> Self {
        Self {
            site,
            frames: FxHashMap::default(),
            titles: (site.items.iter())
                .map(|item| item.content.title(site.seed()))
                .collect(),
            texts: FxHashMap::default(),
            pages: Vec::new(),
            labels: FxHashMap::default(),
        }
    }

    fn write_home(&mut self) {
        let draw = Draw::named(self.site.seed(), "home");
        let main = [words(&draw, 12), words(&draw, 14), words(&draw, 9)].join("\n");
        let page = Page {
            url: self.site.home(),
            label: "home".into(),
            links: vec![self.site.list_address(0)],
            ..Page::default()
        };
        self.add(page, 0, None, &main, &[]);
    }

    fn write_list(&mut self, number: usize, of: usize, links: &[String]) {
        let from = number * LISTED;
        let listed = self.site.items.iter().zip(&self.titles);
        let rows: Vec<String> = (listed.skip(from).take(LISTED))
            .map(|(item, title)| {
                let name = format!("teaser {}", item.content.origin);
                let draw = Draw::named(self.site.seed(), &name);
                format!("{title} {}", words(&draw, 8))
            })
            .collect();
        let mut links = links.to_vec();
        links.push(self.site.home());
        for other in [number.wrapping_sub(1), number + 1, number + 2, number + 3] {
            if other < of {
                links.push(self.site.list_address(other));
            }
        }
        let page = Page {
            url: self.site.list_address(number),
            label: format!("chronicle/{number}"),
            links,
            ..Page::default()
        };
        let place = number as f64 / of as f64;
        let frame = (self.site.frame_at)(place);
        self.add(page, frame, None, &rows.join("\n"), &[]);
    }

    fn write(&mut self, item: &Item, at: usize, spelling: &Spelling, links: &[String]) {
        let site = self.site;
        let (content, redirect, is_wall) = match &spelling.answer {
            Answer::Page(content) => (content, None, false),
            Answer::Wall(content) => (content, None, true),
            Answer::Redirect(content, to) => (content, Some(to.to_string()), false),
        };
        let mut page = Page {
            url: spelling.address.to_string(),
            label: content.label(),
            links: vec![site.home(), site.list_address(at / LISTED)],
            redirect,
            canonical: spelling.canonical.as_ref().map(ToString::to_string),
            ..Page::default()
        };
        let mut beside = Vec::new();
        if !is_wall {
            page.links.extend_from_slice(links);
            page.links.extend(item.linked_from(content));
            beside.extend(related(at, site.items.len()).map(|other| self.titles[other].clone()));
        }
        let place = spelling.place.unwrap_or(item.at);
        let frame = spelling.frame.unwrap_or_else(|| (site.frame_at)(place));
        let main = (self.texts.entry(page.label.clone()))
            .or_insert_with(|| content.lines(site.seed()).join("\n"))
            .clone();
        self.add(page, frame, spelling.note.as_deref(), &main, &beside);
    }

    fn add(
        &mut self,
        mut page: Page,
        frame: u32,
        note: Option<&str>,
        main: &str,
        beside: &[String],
    ) {
        if let Some(label) = self.labels.get(&page.url) {
            assert_eq!(*label, page.label, "two contents at {}", page.url);
            return;
        }
        self.labels.insert(page.url.clone(), page.label.clone());
        if page.redirect.is_none() {
            let seed = self.site.seed();
            let (header, footer) = (self.frames.entry(frame))
                .or_insert_with(|| chrome(seed, frame, self.site.chrome_words));
            let above: Vec<&str> = (header.iter().map(String::as_str)).chain(note).collect();
            let mut text = format!("{}\n", above.join("\n"));
            let begin = text.len();
            text.push_str(main);
            page.main = begin..text.len();
            for line in beside.iter().chain(footer.iter()) {
                text.push('\n');
                text.push_str(line);
            }
            if self.site.has_clock {
                text.push_str(&clock(seed, &page.url));
            }
            page.text = text;
        }
        self.pages.push(page);
    }
}

/// A line that is another one each time a page is fetched.
fn clock(seed: u64, url: &str) -> String {
    let draw = Draw::named(seed, url);
    let (hour, minute, second) = (draw.below(24), draw.below(60), draw.below(60));
    format!(
        "\nserved at {hour:02}:{minute:02}:{second:02} in 0.{:03} s to visitor {}",
        draw.below(1000),
        draw.below(100_000)
    )
}

/// The pages as a plain crawl meets them.
fn in_order(pages: Vec<Page>) -> Vec<Page> {
    let by_url: FxHashMap<String, usize> = (pages.iter().enumerate())
        .map(|(at, page)| (page.url.clone(), at))
        .collect();
    let (mut order, mut queue) = (Vec::new(), VecDeque::from([0]));
    let mut met: FxHashSet<usize> = [0].into_iter().collect();
    while let Some(at) = queue.pop_front() {
        order.push(at);
        for link in pages[at].redirect.iter().chain(&pages[at].links) {
            if let Some(&to) = by_url.get(link)
                && met.insert(to)
            {
                queue.push_back(to);
            }
        }
    }
    assert_eq!(order.len(), pages.len(), "pages that nothing leads to");
    let mut pages: Vec<Option<Page>> = pages.into_iter().map(Some).collect();
    (order.into_iter())
        .filter_map(|at| pages[at].take())
        .collect()
}
