//! What has a site been told since it was last written down?
//!
//! Learning depends on nothing but what was observed, in order. So each observation is committed with the
//! page that brought it, in some 4 bytes a word, and observed again after a restart; now and then the
//! site is written down as a whole and its journal begins anew.

use super::{
    codec::{In, Out},
    exchange::{SharedBelief, Trust},
    site::{Learned, Site},
};
use crate::sign::PageText;

/// One thing that a site was told.
#[derive(Debug)]
pub(super) enum Event<'e> {
    /// A page came back.
    Page {
        url: &'e str,
        text: PageText,
        canonical: Option<&'e str>,
        probe: bool,
    },
    /// `source` leads to `target`.
    Redirect { source: &'e str, target: &'e str },
    /// Somebody brought beliefs along.
    Import {
        beliefs: Vec<SharedBelief>,
        trust: Trust,
    },
}

const PAGE: u8 = 1;
const REDIRECT: u8 = 2;
const IMPORT: u8 = 3;

impl<'e> Event<'e> {
    /// Lets a site learn from it.
    pub(super) fn tell(self, site: &mut Site) -> Learned {
        match self {
            Self::Page {
                url,
                text,
                canonical,
                probe,
            } => site.observe_text(url, text, canonical, probe),
            Self::Redirect { source, target } => site.observe_redirect(source, target),
            Self::Import { beliefs, trust } => {
                for belief in &beliefs {
                    site.take_in(belief, trust);
                }
                Learned::default()
            }
        }
    }

    pub(super) fn write(&self, out: &mut Out) {
        match self {
            Self::Page {
                url,
                text,
                canonical,
                probe,
            } => {
                out.byte(PAGE);
                out.text(url);
                out.flag(canonical.is_some());
                if let Some(canonical) = canonical {
                    out.text(canonical);
                }
                out.flag(*probe);
                text.write(out);
            }
            Self::Redirect { source, target } => {
                out.byte(REDIRECT);
                out.text(source);
                out.text(target);
            }
            Self::Import { beliefs, trust } => {
                out.byte(IMPORT);
                out.flag(*trust == Trust::Active);
                let beliefs = serde_json::to_vec(beliefs).expect("texts and numbers are JSON");
                out.bytes(&beliefs);
            }
        }
    }

    pub(super) fn read(from: &mut In<'e>) -> Option<Self> {
        Some(match from.byte()? {
            PAGE => Self::Page {
                url: from.text()?,
                canonical: if from.flag()? {
                    Some(from.text()?)
                } else {
                    None
                },
                probe: from.flag()?,
                text: PageText::read(from)?,
            },
            REDIRECT => Self::Redirect {
                source: from.text()?,
                target: from.text()?,
            },
            IMPORT => Self::Import {
                trust: if from.flag()? {
                    Trust::Active
                } else {
                    Trust::Prior
                },
                beliefs: serde_json::from_slice(from.bytes()?).ok()?,
            },
            _ => return None,
        })
    }
}
