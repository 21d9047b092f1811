//! The journal of a site: what it was told since it was last written as a whole.
//!
//! Learning depends only on what was observed, in order. So each observation is committed with the page that brought
//! it, its text packed, and observed again after a restart. Now and then the site is written as a whole, and its
//! journal begins anew. Texts are kept, not signatures, so that nothing here depends on how pages are compared.

use std::borrow::Cow;

use nodust_frontier::BeliefId;
use url::Url;

use super::{
    PredictConfig,
    codec::{In, Out},
    exchange::{SharedBelief, Trust},
    packed,
    site::{Facts, Learned, Site},
};

/// One thing that a site was told.
#[derive(Debug)]
pub(super) enum Event<'e> {
    /// A page came back.
    Page {
        url: Cow<'e, Url>,
        text: Cow<'e, str>,
        canonical: Option<&'e str>,
        /// The belief that predicted it to be a duplicate.
        probed: Option<BeliefId>,
        /// What rewrite rules make of the URL, if that is another.
        named: Option<Cow<'e, str>>,
        /// Name of the page whose link it is.
        found_on: Option<u64>,
        /// The text of a further answer for the URL.
        refetched: Option<Cow<'e, str>>,
    },
    /// `source` leads to `target`.
    Redirect {
        source: &'e str,
        target: &'e str,
        /// The belief that predicted the source to be a duplicate.
        probed: Option<BeliefId>,
        /// Name of the page whose link the source is.
        found_on: Option<u64>,
    },
    /// There is no page at a URL.
    Gone {
        url: &'e str,
        /// The belief that predicted it to be a duplicate.
        probed: Option<BeliefId>,
    },
    /// What came of a URL is no page with text.
    Pageless { url: &'e str },
    /// A page of another site came back, to which sources lead.
    Abroad {
        url: Cow<'e, Url>,
        text: Cow<'e, str>,
    },
    /// Somebody brought beliefs along.
    Import {
        beliefs: Vec<SharedBelief>,
        trust: Trust,
    },
    /// It learns under these settings from now on.
    Settings(Box<PredictConfig>),
    /// Memory is short.
    Frugal,
    /// Other rewrite rules hold: their mark, bits of the hosts of which any has fallen, and the names that say nothing any more.
    Rules {
        mark: u64,
        fallen: u64,
        void: Vec<u32>,
    },
}

const PAGE: u8 = 1;
const REDIRECT: u8 = 2;
const IMPORT: u8 = 3;
const SETTINGS: u8 = 4;
const FRUGAL: u8 = 5;
const RULES: u8 = 6;
const ABROAD: u8 = 7;
const GONE: u8 = 8;
const PAGELESS: u8 = 9;

/// Writes the name of a page; that of none is 0.
fn write_page(name: Option<u64>, out: &mut Out) {
    out.fixed64(name.unwrap_or_default());
}

const fn page_of(name: u64) -> Option<u64> {
    match name {
        0 => None,
        name => Some(name),
    }
}

impl<'e> Event<'e> {
    /// Lets a site learn from it.
    pub(super) fn tell(self, site: &mut Site) -> Learned {
        match self {
            Self::Page {
                url,
                text,
                canonical,
                probed,
                named,
                found_on,
                refetched,
            } => {
                let facts = Facts {
                    canonical,
                    probed,
                    named: named.as_deref(),
                    found_on,
                    refetched: refetched.as_deref(),
                    is_doubted: false,
                };
                site.observe_page(&url, &text, facts)
            }
            Self::Redirect {
                source,
                target,
                probed,
                found_on,
            } => site.observe_redirect_of(source, target, (probed, found_on)),
            Self::Gone { url, probed } => site.observe_gone(url, probed),
            Self::Pageless { url } => site.observe_pageless(url),
            Self::Abroad { url, text } => site.observe_abroad(&url, &text),
            Self::Import { beliefs, trust } => {
                for belief in &beliefs {
                    site.take_in(belief, trust);
                }
                Learned::default()
            }
            Self::Settings(settings) => {
                site.configure(&settings);
                Learned::default()
            }
            Self::Frugal => site.be_frugal(),
            Self::Rules { mark, fallen, void } => site.heed_rules(mark, fallen, &void),
        }
    }

    pub(super) fn write(&self, out: &mut Out) {
        match self {
            Self::Page {
                url,
                text,
                canonical,
                probed,
                named,
                found_on,
                refetched,
            } => {
                out.byte(PAGE);
                out.text(url.as_str());
                out.flag(canonical.is_some());
                if let Some(canonical) = canonical {
                    out.text(canonical);
                }
                out.belief(*probed);
                out.flag(named.is_some());
                if let Some(named) = named {
                    out.text(named);
                }
                write_page(*found_on, out);
                out.flag(refetched.is_some());
                if let Some(refetched) = refetched {
                    packed::write(out, refetched);
                }
                packed::write(out, text);
            }
            Self::Redirect {
                source,
                target,
                probed,
                found_on,
            } => {
                out.byte(REDIRECT);
                out.text(source);
                out.text(target);
                out.belief(*probed);
                write_page(*found_on, out);
            }
            Self::Gone { url, probed } => {
                out.byte(GONE);
                out.text(url);
                out.belief(*probed);
            }
            Self::Pageless { url } => {
                out.byte(PAGELESS);
                out.text(url);
            }
            Self::Abroad { url, text } => {
                out.byte(ABROAD);
                out.text(url.as_str());
                packed::write(out, text);
            }
            Self::Import { beliefs, trust } => {
                out.byte(IMPORT);
                out.flag(*trust == Trust::Active);
                let beliefs = serde_json::to_vec(beliefs).expect("texts and numbers are JSON");
                out.bytes(&beliefs);
            }
            Self::Settings(settings) => {
                out.byte(SETTINGS);
                let settings = serde_json::to_vec(settings).expect("texts and numbers are JSON");
                out.bytes(&settings);
            }
            Self::Frugal => out.byte(FRUGAL),
            Self::Rules { mark, fallen, void } => {
                out.byte(RULES);
                out.fixed64(*mark);
                out.number(*fallen);
                out.count(void.len());
                for page in void {
                    out.number(u64::from(*page));
                }
            }
        }
    }

    pub(super) fn read(from: &mut In<'e>) -> Option<Self> {
        Some(match from.byte()? {
            PAGE => Self::Page {
                url: Cow::Owned(from.text()?.parse().ok()?),
                canonical: if from.flag()? {
                    Some(from.text()?)
                } else {
                    None
                },
                probed: from.belief()?,
                named: if from.flag()? {
                    Some(Cow::Borrowed(from.text()?))
                } else {
                    None
                },
                found_on: page_of(from.fixed64()?),
                refetched: if from.flag()? {
                    Some(Cow::Owned(packed::read(from)?))
                } else {
                    None
                },
                text: Cow::Owned(packed::read(from)?),
            },
            ABROAD => Self::Abroad {
                url: Cow::Owned(from.text()?.parse().ok()?),
                text: Cow::Owned(packed::read(from)?),
            },
            REDIRECT => Self::Redirect {
                source: from.text()?,
                target: from.text()?,
                probed: from.belief()?,
                found_on: page_of(from.fixed64()?),
            },
            GONE => Self::Gone {
                url: from.text()?,
                probed: from.belief()?,
            },
            PAGELESS => Self::Pageless { url: from.text()? },
            IMPORT => Self::Import {
                trust: if from.flag()? {
                    Trust::Active
                } else {
                    Trust::Prior
                },
                beliefs: serde_json::from_slice(from.bytes()?).ok()?,
            },
            SETTINGS => Self::Settings(Box::new(serde_json::from_slice(from.bytes()?).ok()?)),
            FRUGAL => Self::Frugal,
            RULES => Self::Rules {
                mark: from.fixed64()?,
                fallen: from.number()?,
                void: {
                    let count = from.count()?;
                    (0..count).map(|_| from.small()).collect::<Option<_>>()?
                },
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn an_event_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60), kind in 0..10u8) {
            let mut all = vec![kind];
            all.extend(bytes);
            let _ = Event::read(&mut In(&all));
        }
    }

    #[test]
    fn an_event_is_read_back_as_it_was_written() {
        let event = Event::Page {
            url: Cow::Owned("http://e.org/?id=7".parse().unwrap()),
            text: Cow::Borrowed("Grüße\nan alle"),
            canonical: Some("http://e.org/"),
            probed: Some(BeliefId::from_bits(77)),
            named: Some(Cow::Borrowed("http://e.org/7")),
            found_on: Some(u64::MAX - 9),
            refetched: Some(Cow::Borrowed("Grüße\nan niemanden")),
        };
        let rules = Event::Rules {
            mark: u64::MAX - 1,
            fallen: 1 << 63,
            void: vec![3, 70_000],
        };
        let redirect = Event::Redirect {
            source: "http://e.org/go/7",
            target: "http://e.org/7",
            probed: Some(BeliefId::from_bits(78)),
            found_on: Some(9),
        };
        let gone = Event::Gone {
            url: "http://e.org/no",
            probed: None,
        };
        let pageless = Event::Pageless {
            url: "http://e.org/a.pdf",
        };
        for event in [event, redirect, rules, gone, pageless] {
            let mut out = Out::default();
            event.write(&mut out);
            let mut from = In(&out.0);
            let read = Event::read(&mut from).unwrap();
            assert_eq!(format!("{read:?}"), format!("{event:?}"));
            assert!(from.is_empty());
        }
    }
}
