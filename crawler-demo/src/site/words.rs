//! The words of a page: always the same for the same seed and place.

use xxhash_rust::xxh3::xxh3_64_with_seed;

const WORDS: &[&str] = &[
    "amber", "anchor", "apple", "arch", "arrow", "ash", "autumn", "badge", "bamboo", "barley",
    "basin", "beacon", "bell", "birch", "blanket", "boat", "border", "bottle", "branch", "bread",
    "brick", "bridge", "bronze", "brook", "bucket", "button", "cabin", "cable", "candle", "canvas",
    "canyon", "carpet", "castle", "cedar", "chalk", "chart", "cherry", "chest", "circle", "clay",
    "cliff", "cloud", "clover", "coal", "coast", "copper", "coral", "corner", "cotton", "crane",
    "creek", "crown", "crystal", "curtain", "dawn", "delta", "desert", "dome", "door", "draft",
    "drum", "dune", "eagle", "ember", "engine", "fabric", "falcon", "farm", "feather", "fence",
    "fern", "ferry", "field", "flame", "flint", "flute", "forest", "fountain", "fox", "frost",
    "garden", "gate", "ginger", "glacier", "glass", "globe", "grain", "granite", "grove", "gull",
    "hammer", "harbour", "harvest", "hazel", "hearth", "hedge", "hill", "honey", "horizon",
    "island", "ivory", "ivy", "jacket", "jasmine", "jewel", "journey", "kettle", "kiln", "ladder",
    "lagoon", "lake", "lantern", "lava", "leaf", "lemon", "lens", "lime", "linen", "lotus",
    "lumber", "mantle", "maple", "marble", "market", "marsh", "meadow", "mill", "mint", "mirror",
    "mist", "moss", "mountain", "needle", "nest", "oak", "oasis", "ocean", "olive", "orchard",
    "otter", "oven", "paddle", "paper", "path", "pearl", "pebble", "pepper", "pine", "planet",
    "plaza", "pond", "poplar", "prairie", "quarry", "quartz", "quill", "rain", "raven", "reed",
    "reef", "ribbon", "ridge", "river", "robin", "rope", "rose", "saddle", "sail", "salt", "sand",
    "shadow", "shell", "silver", "slate", "smoke", "snow", "spice", "spring", "spruce", "stone",
    "stream", "summit", "temple", "thistle", "thunder", "tide", "timber", "tower", "valley",
    "velvet", "village", "violet", "walnut", "willow",
];

/// A number that follows from the seed and a place, and looks like chance.
pub(super) fn pick(seed: u64, place: &str) -> u64 {
    xxh3_64_with_seed(place.as_bytes(), seed)
}

/// Words in a row, the same for the same seed and place.
#[derive(Debug)]
pub(super) struct Words {
    state: u64,
}

impl Words {
    pub(super) fn at(seed: u64, place: &str) -> Self {
        Self {
            state: pick(seed, place),
        }
    }

    /// The next number (`SplitMix64`, Steele et al., OOPSLA 2014).
    pub(super) fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.number() % end.max(1) as u64) as usize
    }

    pub(super) fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    /// Some words with a blank between each two.
    pub(super) fn phrase(&mut self, words: usize) -> String {
        let mut out = String::new();
        for i in 0..words {
            if i > 0 {
                out.push(' ');
            }
            out.push_str(self.word());
        }
        out
    }

    /// A line of 24 to 40 words with a full stop.
    pub(super) fn line(&mut self) -> String {
        let words = 24 + self.below(17);
        let mut line = self.phrase(words);
        line.push('.');
        line
    }

    /// Some lines.
    pub(super) fn lines(&mut self, lines: usize) -> Vec<String> {
        (0..lines).map(|_| self.line()).collect()
    }
}
