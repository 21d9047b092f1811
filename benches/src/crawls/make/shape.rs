//! What addresses and texts do the parts of a site have?

use super::{
    address::Address,
    draw::Draw,
    text::{Form, word, words},
};

/// A part of a site whose pages have addresses of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `/news/red-paint-17`
    Article,
    /// `/2019/04/red-paint-17`
    Dated,
    /// `/shop/item.php?id=1123`
    Product,
    /// `/store/garden/red-paint-17.html`
    Goods,
    /// `/forum/viewtopic.php?t=1123`
    Topic,
    /// `/users/paint17`
    Profile,
    /// `/docs/garden/red-paint-17.html`
    Manual,
    /// `/wiki/RedPaint17`
    Wiki,
    /// `/gallery/garden/1123`
    Photo,
    /// `/list/red-paint-17`, rows
    List,
    /// `/reports/2019/red-paint-17`, a table of numbers
    Report,
    /// `/index.php?page=story&id=1123`
    Front,
    /// `/menus/1123`, lines that many others have
    Menu,
}

/// Folders that several shapes have.
pub const FOLDERS: [&str; 12] = [
    "garden", "kitchen", "travel", "music", "sports", "books", "health", "money", "games",
    "science", "history", "film",
];

impl Shape {
    /// What it is called in labels.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// How its texts are built.
    pub(super) fn form(self) -> Form {
        match self {
            Self::List | Self::Photo => Form::Rows,
            Self::Report => Form::Figures,
            Self::Menu => Form::Pool,
            _ => Form::Prose,
        }
    }

    /// Address of page `n` of it.
    pub fn address(self, host: &str, n: usize, draw: &Draw) -> Address {
        let slug = format!("{}-{n}", words(draw, 2).replace(' ', "-"));
        let folder = draw.pick(&FOLDERS);
        let year = draw.between(2015..=2024);
        let id = 1000 + 7 * n;
        let path = match self {
            Self::Article => format!("news/{slug}"),
            Self::Dated => format!("{year}/{:02}/{slug}", draw.between(1..=12)),
            Self::Product => return Address::new(host, "shop/item.php").with("id", id),
            Self::Goods => format!("store/{folder}/{slug}.html"),
            Self::Topic => return Address::new(host, "forum/viewtopic.php").with("t", id),
            Self::Profile => format!("users/{}{n}", word(draw)),
            Self::Manual => format!("docs/{folder}/{slug}.html"),
            Self::Wiki => format!("wiki/{}{n}", capital(&word(draw))),
            Self::Photo => format!("gallery/{folder}/{id}"),
            Self::List => format!("list/{slug}"),
            Self::Report => format!("reports/{year}/{slug}"),
            Self::Menu => format!("menus/{id}"),
            Self::Front => {
                let page = Address::new(host, "index.php").with("page", "story");
                return page.with("id", id);
            }
        };
        Address::new(host, &path)
    }
}

/// With its first letter a capital.
pub fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1.min(word.len()));
    format!("{}{rest}", first.to_uppercase())
}
