//! Rewrite rules for a site's URLs.
//!
//! A [`Rule`] is made for people: one line of text that parses back, with its [`Evidence`]. A site's rules, compiled
//! ([`SiteRules`]), turn a URL into its class. A [`RuleBook`] holds the rules in force and swaps them while the crawl
//! goes on. [`Rules`] is the stage that applies them, and a [`RuleFile`] keeps them on disk.

mod book;
mod clearurls;
mod edit;
mod file;
mod parts;
mod pattern;
mod rule;
mod site;
mod stage;
mod veto;
mod wrap;

pub use crate::cut::Cut;
pub use book::{RuleBook, RuleSet};
pub use clearurls::{Imported, LeftOut, Why, import_clearurls};
pub use edit::{ANY, Edit};
pub use file::{Change, RuleFile, RuleFileError, Site, SitesByHost};
pub use parts::{Key, Parts};
pub use pattern::{Condition, Pattern};
pub use rule::{Entry, Evidence, Rule, Shown, Status, wilson};
pub use site::{Canon, MAX_PASSES, SiteRules, Unsettled};
pub use stage::{RULES, Rules, RulesConfig};
pub use veto::defies;
pub use wrap::Wrap;

pub(crate) use book::{Fallen, site_name};
pub(crate) use parts::{Param, digit_shape, slices, without_fragment};
pub(crate) use pattern::Tokens;
pub(crate) use site::EVERYWHERE;
