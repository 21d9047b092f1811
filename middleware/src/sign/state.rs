//! Saves and restores clusters and chrome.
//!
//! What is read back equals what was written, to the bit: a crawl that goes on decides like one that was
//! never stopped. Tables are destructured field by field, so that a new one cannot be forgotten here.

use rustc_hash::FxHashMap;

use super::{
    ChromeBook, ClusterId, Clusters, Sketch,
    cluster::{Cluster, Exact, Fingerprints, Near},
    sketch::BYTES,
    tally::{Closed, Once},
};
use crate::predict::{
    codec::{In, Out},
    parts::{CHUNK, Parts, Put, Section},
};

impl ChromeBook {
    /// Writes the frozen versions, each once, and the running window.
    pub(crate) fn save(&self, put: &mut Put<'_>) {
        let Self {
            version: _,
            common: _,
            counts,
            last,
            pages,
            window,
        } = self;
        for version in self.kept() {
            let mut out = Out::default();
            let mut all: Vec<u32> = self.held_by(version).collect();
            all.sort_unstable();
            write_sorted(&mut out, &all);
            put(Section::Chrome, version, out.0);
        }
        let mut out = Out::default();
        out.number(u64::from(*pages));
        out.number(u64::from(*window));
        let mut counted: Vec<(u32, u8)> = counts.counted().collect();
        counted.sort_unstable();
        let keys: Vec<u32> = counted.iter().map(|(key, _)| *key).collect();
        write_sorted(&mut out, &keys);
        for (_, pages) in counted {
            out.byte(pages);
        }
        for tag in counts.once.tags() {
            out.0.extend_from_slice(&tag.to_le_bytes());
        }
        put(Section::Counts, 0, out.0);
        let mut out = Out::default();
        write_sorted(&mut out, &last.all().collect::<Vec<u32>>());
        put(Section::Last, 0, out.0);
    }

    /// Reads what [`save`](Self::save) wrote.
    pub(crate) fn load(parts: &Parts) -> Option<Self> {
        let mut book = Self::default();
        let mut versions = parts.of(Section::Chrome).peekable();
        versions.peek()?;
        for (version, mut from) in versions {
            book.adopt(version, read_sorted(&mut from)?);
        }
        let mut from = parts.one(Section::Counts)?;
        (book.pages, book.window) = (from.small()?, from.small()?);
        for hash in read_sorted(&mut from)? {
            book.counts.put(hash, from.byte()?);
        }
        let (tags, rest) = from.0.as_chunks();
        let tags: Vec<u16> = tags.iter().map(|tag| u16::from_le_bytes(*tag)).collect();
        book.counts.once = Once::of_tags(&tags).filter(|_| rest.is_empty())?;
        book.last = Closed::of(read_sorted(&mut parts.one(Section::Last)?)?);
        Some(book)
    }
}

impl Clusters {
    /// Writes the clusters; their sizes apart, since only those change.
    pub(crate) fn save(&self, put: &mut Put<'_>) {
        for (chunk, clusters) in (0..).zip(self.all.chunks(CHUNK as usize)) {
            let (mut out, mut sizes) = (Out::default(), Out::default());
            for (id, cluster) in (chunk * CHUNK..).zip(clusters) {
                let Cluster {
                    exact,
                    set,
                    echo,
                    kept,
                    chrome,
                    pages,
                    address,
                    sketch,
                } = cluster;
                for hash in [exact, set, echo] {
                    out.fixed64(*hash);
                }
                out.number(u64::from(*kept));
                out.number(u64::from(*chrome));
                out.fixed32(*address);
                out.0.extend_from_slice(sketch.as_bytes());
                let whole = self.wholes.get(&id);
                out.flag(whole.is_some());
                if let Some(whole) = whole {
                    out.0.extend_from_slice(whole.as_bytes());
                }
                sizes.number(u64::from(*pages));
            }
            put(Section::Clusters, chunk, out.0);
            put(Section::Sizes, chunk, sizes.0);
        }
        let texts: Vec<(u64, ClusterId)> = self.texts.all().collect();
        for (chunk, texts) in (0..).zip(texts.chunks(CHUNK as usize)) {
            let mut out = Out::default();
            for (hash, content) in texts {
                out.fixed64(*hash);
                out.number(u64::from(*content));
            }
            put(Section::Texts, chunk, out.0);
        }
        for (id, Exact { set, words }) in self.recent.iter().zip(&self.exact) {
            let mut out = Out::default();
            for (len, octets) in [set.parts(), words.parts()] {
                out.count(len);
                out.bytes(octets);
            }
            put(Section::Exact, *id, out.0);
        }
        let mut out = Out::default();
        let Near { same, own } = self.near;
        out.number(u64::from(same));
        out.number(u64::from(own));
        for id in &self.recent {
            out.number(u64::from(*id));
        }
        put(Section::Recent, 0, out.0);
    }

    /// Reads what [`save`](Self::save) wrote.
    pub(crate) fn load(parts: &Parts) -> Option<Self> {
        let mut clusters = Self::default();
        let sizes: FxHashMap<u32, In<'_>> = parts.of(Section::Sizes).collect();
        for (chunk, mut from) in parts.of(Section::Clusters) {
            if chunk as usize * CHUNK as usize != clusters.all.len() {
                return None;
            }
            let mut sizes = *sizes.get(&chunk)?;
            while !from.is_empty() {
                let sketch = |from: &mut In<'_>| {
                    Some(Sketch::from_bytes(from.take(BYTES)?.try_into().ok()?))
                };
                clusters.push(Cluster {
                    exact: from.fixed64()?,
                    set: from.fixed64()?,
                    echo: from.fixed64()?,
                    kept: from.small()?,
                    chrome: from.small()?,
                    address: from.fixed32()?,
                    sketch: sketch(&mut from)?,
                    pages: sizes.small()?,
                });
                if from.flag()? {
                    let id = clusters.all.len() as ClusterId - 1;
                    clusters.wholes.insert(id, sketch(&mut from)?);
                }
            }
        }
        let count = clusters.all.len() as ClusterId;
        for (_, mut from) in parts.of(Section::Texts) {
            while !from.is_empty() {
                let (hash, content) = (from.fixed64()?, from.small()?);
                (clusters.texts).note(hash, Some(content).filter(|id| *id < count)?);
            }
        }
        let mut wholes: FxHashMap<ClusterId, In<'_>> = parts.of(Section::Exact).collect();
        let mut from = parts.one(Section::Recent)?;
        clusters.near = Near {
            same: from.small()?,
            own: from.small()?,
        };
        while !from.is_empty() {
            let id = from.small().filter(|id| *id < count)?;
            let mut whole = wholes.remove(&id)?;
            let mut one = || Fingerprints::from_parts(whole.small()?, whole.bytes()?);
            let (set, words) = (one()?, one()?);
            clusters.keep_at_hand(id, Exact { set, words });
        }
        wholes.is_empty().then_some(clusters)
    }
}

/// Numbers in ascending order, as steps from one to the next.
fn write_sorted(out: &mut Out, numbers: &[u32]) {
    out.count(numbers.len());
    let mut last = 0;
    for number in numbers {
        out.number(u64::from(number - last));
        last = *number;
    }
}

fn read_sorted(from: &mut In<'_>) -> Option<Vec<u32>> {
    let count = from.count()?;
    let mut numbers = Vec::with_capacity(count);
    let mut last = 0u32;
    for _ in 0..count {
        last = last.checked_add(from.small()?)?;
        numbers.push(last);
    }
    Some(numbers)
}
