//! Saves and restores a host's pages.
//!
//! As in prediction, what a host is told goes into its journal, with the commit of the page that told it, and now and
//! then the host is written as a whole. What is read back equals what was written, so that lessons come out as they
//! would have.

use std::{borrow::Cow, sync::Arc};

use nodust_frontier::BeliefId;
use rustc_hash::FxHashSet;
use url::Url;

use super::{
    Held,
    host::{Host, Outcome, Page, near_classes},
    sources::{Probed, Sources},
};
use crate::{
    predict::{
        codec::{In, Out},
        packed,
        parts::{CHUNK, Parts, Put, Section, chunks},
    },
    rules::SiteRules,
    sign::{ChromeBook, Clusters, Echo, PageText},
};

/// One thing that a host was told.
#[derive(Debug)]
pub(super) enum Event<'e> {
    /// A page came back. `class` where it is not the text of the URL.
    Page {
        url: Cow<'e, Url>,
        class: Option<Cow<'e, str>>,
        text: Cow<'e, str>,
        /// It was explored.
        probed: Option<Probed>,
    },
    /// One class leads to another.
    Redirect {
        source: &'e str,
        target: &'e str,
        probed: Option<Probed>,
        /// Whether it takes the place of the oldest.
        replaces: bool,
    },
    /// A page of a class came of which nothing is kept.
    Passed { class: Cow<'e, str> },
    /// A link was explored for a rule that is in doubt.
    Explored(BeliefId),
    /// A lesson was over, and left this behind.
    Lesson(Box<Outcome>),
}

const PAGE: u8 = 1;
const REDIRECT: u8 = 2;
const LESSON: u8 = 3;
const PASSED: u8 = 4;
const EXPLORED: u8 = 5;

impl<'e> Event<'e> {
    /// Tells the host; `true` when other rules are to be in force from now on.
    pub(super) fn tell(self, host: &mut Host) -> bool {
        match self {
            Self::Page {
                url,
                class,
                text,
                probed,
            } => {
                let text = PageText::new(&text, &Echo::of(&url));
                let class = class.as_deref().unwrap_or(url.as_str());
                !host.page(class, text, probed).fallen.is_empty()
            }
            Self::Redirect {
                source,
                target,
                probed,
                replaces,
            } => {
                let found = host.redirect(source, target, probed, replaces);
                !found.fallen.is_empty()
            }
            Self::Passed { class } => {
                host.passed(&class);
                false
            }
            Self::Explored(belief) => {
                host.explored(belief);
                false
            }
            Self::Lesson(outcome) => host.take_over(*outcome),
        }
    }

    pub(super) fn packed(&self) -> Vec<u8> {
        let mut out = Out::default();
        match self {
            Self::Page {
                url,
                class,
                text,
                probed,
            } => {
                out.byte(PAGE);
                out.text(url.as_str());
                out.flag(class.is_some());
                if let Some(class) = class {
                    out.text(class);
                }
                packed::write(&mut out, text);
                Probed::write_any(probed.as_ref(), &mut out);
            }
            Self::Redirect {
                source,
                target,
                probed,
                replaces,
            } => {
                out.byte(REDIRECT);
                out.text(source);
                out.text(target);
                Probed::write_any(probed.as_ref(), &mut out);
                out.flag(*replaces);
            }
            Self::Passed { class } => {
                out.byte(PASSED);
                out.text(class);
            }
            Self::Explored(belief) => {
                out.byte(EXPLORED);
                out.fixed64(belief.to_bits());
            }
            Self::Lesson(outcome) => {
                out.byte(LESSON);
                out.bytes(&json(outcome));
            }
        }
        out.0
    }

    pub(super) fn read(from: &mut In<'e>) -> Option<Self> {
        Some(match from.byte()? {
            PAGE => Self::Page {
                url: Cow::Owned(from.text()?.parse().ok()?),
                class: if from.flag()? {
                    Some(Cow::Borrowed(from.text()?))
                } else {
                    None
                },
                text: Cow::Owned(packed::read(from)?),
                probed: Probed::read_any(from)?,
            },
            REDIRECT => Self::Redirect {
                source: from.text()?,
                target: from.text()?,
                probed: Probed::read_any(from)?,
                replaces: from.flag()?,
            },
            PASSED => Self::Passed {
                class: Cow::Borrowed(from.text()?),
            },
            EXPLORED => Self::Explored(BeliefId::from_bits(from.fixed64()?)),
            LESSON => Self::Lesson(serde_json::from_slice(from.bytes()?).ok()?),
            _ => return None,
        })
    }
}

fn json(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("rules are texts and numbers, which JSON can hold")
}

impl Host {
    /// Hands out all that is known, in chunks; not while it [is warming](Self::is_warming).
    pub(super) fn save(&self, put: &mut Put<'_>) {
        let Self {
            name: _,
            book,
            // Only while texts of a file are compared anew does it not.
            learns_chrome: _,
            clusters,
            warming: _,
            pages,
            unjudged,
            sources,
            // These two follow from the pages and the rules in force.
            by_class: _,
            nearly: _,
            doubts,
            rules: _,
            // Follows from the rules.
            in_force: _,
            next_lesson: _,
            // One that is under way is held again.
            is_in_class: _,
            has_published,
        } = self;
        book.save(put);
        clusters.save(put);
        for (chunk, pages) in (0..).zip(pages.chunks(CHUNK as usize)) {
            let mut out = Out::default();
            for Page { class, cluster } in pages {
                out.text(class);
                out.number(u64::from(*cluster));
            }
            put(Section::Pages, chunk, out.0);
        }
        for (chunk, probes) in chunks(unjudged.iter().map(|(at, probed)| (*at, probed))) {
            let mut out = Out::default();
            for (at, probed) in probes {
                out.number(u64::from(at));
                probed.write(&mut out);
            }
            put(Section::Unjudged, chunk, out.0);
        }
        sources.save(put);
        for (chunk, doubts) in chunks(doubts.iter().map(|(a, b)| (*b as u32, *a))) {
            let mut out = Out::default();
            for (b, a) in doubts {
                out.number(u64::from(b));
                out.number(a);
            }
            put(Section::Doubts, chunk, out.0);
        }
        let mut out = Out::default();
        out.flag(*has_published);
        out.bytes(&json(&self.outcome()));
        put(Section::Head, 0, out.0);
    }

    /// Puts a host together from what [`save`](Self::save) handed out; `None` when that cannot be. No rule is in
    /// force yet.
    pub(super) fn load(name: &str, parts: &Parts) -> Option<Self> {
        let mut host = Self::new(name, Arc::new(SiteRules::default()));
        let mut head = parts.one(Section::Head)?;
        host.warming = None;
        host.has_published = head.flag()?;
        host.take_over(serde_json::from_slice(head.bytes()?).ok()?);
        host.book = ChromeBook::load(parts)?;
        host.clusters = Clusters::load(parts)?;
        let clusters = host.clusters.len() as u32;
        for (_, mut from) in parts.of(Section::Pages) {
            while !from.is_empty() {
                let class = from.text()?;
                let cluster = from.small().filter(|cluster| *cluster < clusters)?;
                let near = near_classes(class).into_iter();
                host.nearly.extend(near.map(|key| (key, cluster)));
                host.pages.push(Page {
                    class: class.into(),
                    cluster,
                });
            }
        }
        let pages = host.pages.len() as u32;
        for (_, mut from) in parts.of(Section::Unjudged) {
            while !from.is_empty() {
                let at = from.small().filter(|at| *at < pages)?;
                host.unjudged.insert(at, Probed::read(&mut from)?);
            }
        }
        host.sources = Sources::load(parts, clusters)?;
        let mut doubts = FxHashSet::default();
        for (_, mut from) in parts.of(Section::Doubts) {
            while !from.is_empty() {
                let b = from.number()?;
                doubts.insert((from.number()?, b));
            }
        }
        host.doubts = doubts;
        Some(host)
    }
}

/// The rules alone, as another program reads them.
pub(super) fn rules(rules: &[Held]) -> Vec<u8> {
    json(&rules)
}

#[cfg(test)]
mod tests {
    use super::{super::RuleSource, *};
    use crate::{
        learn::barred::Barred,
        rules::{Entry, Status},
    };

    /// One that acts on none of the pages.
    fn rule() -> Entry {
        let rule = "has:query.none => drop:query.none".parse().unwrap();
        Entry {
            status: Status::Active,
            ..Entry::by_hand(rule)
        }
    }

    fn told(name: &str, pages: std::ops::Range<u32>) -> Host {
        let mut host = Host::new(name, Arc::default());
        let said = Held::said(Arc::new(rule()), RuleSource::File);
        host.heed_file(&[said], Barred::default());
        tell(&mut host, pages);
        host
    }

    fn tell(host: &mut Host, pages: std::ops::Range<u32>) {
        for n in pages {
            let url: Url = format!("http://e.org/v?t={}&s={n}", n / 2).parse().unwrap();
            let words: Vec<String> = (0..80)
                .map(|i| format!("w{:x}", (n / 2) * 7919 + i * (i + n / 2)))
                .collect();
            let event = Event::Page {
                url: Cow::Owned(url),
                class: (n % 3 == 0).then(|| format!("http://e.org/v?t={}&s={n}", n / 2).into()),
                text: words.join(" ").into(),
                probed: (n % 5 == 0).then(|| Probed {
                    host: "e.org".into(),
                    belief: rule().rule.belief("e.org"),
                }),
            };
            let packed = event.packed();
            let again = Event::read(&mut In(&packed)).unwrap();
            assert_eq!(format!("{again:?}"), format!("{event:?}"));
            assert!(!again.tell(host));
            // To a page that is known, to one that is to come, and by way of another source to one that never comes.
            let probed = (n % 2 == 0).then(|| Probed {
                host: "e.org".into(),
                belief: BeliefId::from_bits(u64::from(n)),
            });
            let coming = n + 3;
            let last = format!("http://e.org/never?{}", n / 3);
            for (source, target) in [
                ("known", "http://e.org/v?t=1&s=2".to_owned()),
                (
                    "coming",
                    format!("http://e.org/v?t={}&s={coming}", coming / 2),
                ),
                ("going", format!("http://e.org/over?{}", n / 3)),
            ] {
                let source = format!("http://e.org/{source}?{n}");
                host.redirect(&source, &target, probed.clone(), n > 800);
            }
            host.redirect(&format!("http://e.org/over?{}", n / 3), &last, None, false);
        }
    }

    fn again(host: &Host) -> Host {
        let mut parts = Parts::default();
        host.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
        let mut again = Host::load(&host.name, &parts).unwrap();
        again.put_in_force(Arc::default(), &mut Vec::new());
        again.has_published = host.has_published;
        again
    }

    /// Tables without an order are told in one.
    fn all(host: &Host) -> String {
        let Host {
            name,
            book,
            learns_chrome,
            clusters,
            warming,
            pages,
            unjudged,
            sources,
            by_class,
            nearly,
            doubts,
            rules,
            in_force,
            next_lesson,
            is_in_class,
            has_published,
        } = host;
        let mut parts = std::collections::BTreeMap::new();
        let mut put = |section: Section, chunk, bytes| {
            parts.insert((section as u8, chunk), bytes);
        };
        book.save(&mut put);
        clusters.save(&mut put);
        let by_class: std::collections::BTreeMap<_, _> = by_class.iter().collect();
        let nearly: std::collections::BTreeMap<_, _> = nearly.iter().collect();
        let doubts: std::collections::BTreeSet<_> = doubts.iter().collect();
        let sources = sources.told();
        format!(
            "{name} {parts:?} {warming:?} {pages:?} {unjudged:?} {sources} {by_class:?} {nearly:?} {doubts:?} {rules:?} \
             {in_force:?} {next_lesson} {is_in_class} {has_published} {learns_chrome}"
        )
    }

    #[test]
    fn a_host_that_was_read_back_goes_on_like_the_one_that_was_written() {
        let mut host = told("e.org", 0..700);
        let mut back = again(&host);
        assert!(!host.unjudged.is_empty());
        assert_eq!(all(&back), all(&host));
        for host in [&mut host, &mut back] {
            tell(host, 650..900);
            host.homework();
        }
        assert_eq!(all(&back), all(&host));
    }
}
