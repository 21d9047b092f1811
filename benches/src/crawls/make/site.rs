//! What does the site consist of?

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;

use super::{draw::Draw, item::Item, shape::Shape};

/// A site that is being made.
#[derive(Clone, Debug)]
pub struct Site {
    seed: u64,
    host: String,
    pub(super) items: Vec<Item>,
    made: FxHashMap<String, usize>,
    span: (f64, f64),
    length: RangeInclusive<usize>,
    pub(super) frame_at: fn(f64) -> u32,
    pub(super) chrome_words: usize,
    pub(super) has_clock: bool,
}

impl Site {
    /// The empty site of this name; half of the names have a clock at the foot of each page.
    pub fn new(seed: u64, name: &str) -> Self {
        let draw = Draw::named(seed, name);
        Self {
            seed: seed ^ draw.below(1 << 30) as u64,
            host: format!("{name}.example"),
            items: Vec::new(),
            made: FxHashMap::default(),
            span: (0.0, 1.0),
            length: 60..=300,
            frame_at: |_| 0,
            chrome_words: 40 + draw.below(80),
            has_clock: draw.one_in(2),
        }
    }

    /// Seed of its words.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Its host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Words of the texts that are made from now on.
    pub fn length(&self) -> RangeInclusive<usize> {
        self.length.clone()
    }

    /// Texts that are made from now on have so many words.
    pub fn words(&mut self, length: RangeInclusive<usize>) {
        self.length = length;
    }

    /// What is made from now on is met between these places of the crawl, 0 to 1.
    pub fn span(&mut self, from: f64, to: f64) {
        self.span = (from, to);
    }

    /// The chrome at each place of the crawl.
    pub fn frames(&mut self, frame_at: fn(f64) -> u32) {
        self.frame_at = frame_at;
    }

    /// Words of the chrome.
    pub fn chrome_words(&mut self, many: usize) {
        self.chrome_words = many;
    }

    /// So many pages of this shape, whose addresses the closure says.
    pub fn each(&mut self, shape: Shape, many: usize, mut say: impl FnMut(&mut Item)) {
        let before = self.made.get(&shape.name()).map_or(0, |made| *made);
        self.made.insert(shape.name(), before + many);
        let (from, to) = self.span;
        for n in 0..many {
            let at = from + (to - from) * (n as f64 + 0.5) / many as f64;
            let mut item = shape.item(self, before + n, at);
            item.n = n;
            say(&mut item);
            self.items.push(item);
        }
    }

    /// So many pages of this shape, each with one address.
    pub fn fill(&mut self, shape: Shape, many: usize) {
        self.each(shape, many, |item| {
            item.base();
        });
    }

    /// What most sites have beside the part in question: news, profiles and a manual, without duplicates.
    pub fn usual(&mut self) {
        self.fill(Shape::Dated, 220);
        self.fill(Shape::Profile, 120);
        self.fill(Shape::Manual, 160);
    }
}
