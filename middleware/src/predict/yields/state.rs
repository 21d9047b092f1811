//! Saves and restores the counts by shape of URL.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Moved, Row, Yield, Yields};
use crate::{
    predict::{
        codec::Out,
        parts::{CHUNK, Parts, Put, Section, chunks},
    },
    sign::{Figures, Sketch},
};

/// What is counted by shape of URL, in 64 chunks.
fn by_shape<T>(counts: &FxHashMap<u64, T>) -> impl Iterator<Item = (u32, (&u64, &T))> {
    counts
        .iter()
        .map(|(shape, counts)| ((*shape >> 58) as u32 * CHUNK, (shape, counts)))
}

impl Yields {
    /// Hands out all that is known, in chunks; `is_budget`: whether a shape is cut short, or may be.
    pub(in crate::predict) fn save(&self, is_budget: impl Fn(u64) -> bool, put: &mut Put<'_>) {
        self.save_shapes(is_budget, put);
        self.save_moved(put);
        save_tables(&self.tables, put);
        save_bare(&self.bare, put);
        save_last_bare(&self.last_bare, put);
    }

    fn save_shapes(&self, is_budget: impl Fn(u64) -> bool, put: &mut Put<'_>) {
        for (chunk, entries) in chunks(by_shape(&self.shapes)) {
            let mut out = Out::default();
            for (_, (shape, counts)) in entries {
                let Yield {
                    fetched,
                    fresh,
                    led,
                    unheeded,
                    beyond,
                    row,
                    dry,
                    foretold,
                    example,
                    granted,
                    reopened,
                    tables,
                    chained,
                    last,
                    is_of_folders,
                } = counts;
                out.fixed64(*shape);
                for number in [
                    fetched, fresh, led, unheeded, beyond, dry, foretold, example, granted,
                    reopened, tables, chained,
                ] {
                    out.number(u64::from(*number));
                }
                row.write(&mut out);
                for page in last {
                    out.number(u64::from(*page));
                }
                out.flag(*is_of_folders);
                out.flag(is_budget(*shape));
            }
            put(Section::Yields, chunk, out.0);
        }
    }

    fn save_moved(&self, put: &mut Put<'_>) {
        for (chunk, entries) in chunks(by_shape(&self.moved)) {
            let mut out = Out::default();
            for (_, (shape, moved)) in entries {
                out.fixed64(*shape);
                let Moved {
                    away,
                    to,
                    here,
                    contents,
                    urls,
                    reopened,
                } = moved;
                out.fixed64(*to);
                for number in [away, here, reopened] {
                    out.number(u64::from(*number));
                }
                contents.write(&mut out);
                urls.write(&mut out);
                out.text(self.redirecting.get(shape).map_or("", |url| url));
            }
            put(Section::Moved, chunk, out.0);
        }
    }

    /// What [`save`](Self::save) handed out, and the shapes of which it was told that they are budgets; `None` when that cannot be.
    pub(in crate::predict) fn load(parts: &Parts) -> Option<(Self, Vec<u64>)> {
        let (mut yields, mut budgets) = (Self::default(), Vec::new());
        for (_, mut from) in parts.of(Section::Yields) {
            while !from.is_empty() {
                let shape = from.fixed64()?;
                let counts = Yield {
                    fetched: from.small()?,
                    fresh: from.small()?,
                    led: from.small()?,
                    unheeded: from.small()?,
                    beyond: from.small()?,
                    dry: from.small()?,
                    foretold: from.small()?,
                    example: from.small()?,
                    granted: from.small()?,
                    reopened: from.small()?,
                    tables: from.small()?,
                    chained: from.small()?,
                    row: Row::read(&mut from)?,
                    last: [from.small()?, from.small()?, from.small()?, from.small()?],
                    is_of_folders: from.flag()?,
                };
                yields.shapes.insert(shape, counts);
                if from.flag()? {
                    budgets.push(shape);
                }
            }
        }
        for (_, mut from) in parts.of(Section::Moved) {
            while !from.is_empty() {
                let shape = from.fixed64()?;
                let moved = Moved {
                    to: from.fixed64()?,
                    away: from.small()?,
                    here: from.small()?,
                    reopened: from.small()?,
                    contents: Row::read(&mut from)?,
                    urls: Row::read(&mut from)?,
                };
                yields.moved.insert(shape, moved);
                let led = from.text()?;
                if !led.is_empty() {
                    yields.redirecting.insert(shape, led.into());
                    budgets.push(shape);
                }
            }
        }
        yields.tables = load_tables(parts)?;
        yields.bare = load_bare(parts)?;
        yields.last_bare = load_last_bare(parts)?;
        Some((yields, budgets))
    }
}

fn save_tables(tables: &FxHashMap<u64, Vec<Figures>>, put: &mut Put<'_>) {
    for (chunk, entries) in chunks(by_shape(tables)) {
        let mut out = Out::default();
        for (_, (shape, last)) in entries {
            out.fixed64(*shape);
            out.count(last.len());
            for figures in last {
                out.0.extend(figures.to_bytes());
            }
        }
        put(Section::Tables, chunk, out.0);
    }
}

fn load_tables(parts: &Parts) -> Option<FxHashMap<u64, Vec<Figures>>> {
    let mut tables = FxHashMap::default();
    for (_, mut from) in parts.of(Section::Tables) {
        while !from.is_empty() {
            let (shape, count) = (from.fixed64()?, from.count()?);
            let last: Option<_> = (0..count)
                .map(|_| Figures::from_bytes(from.take(Figures::BYTES)?))
                .collect();
            tables.insert(shape, last?);
        }
    }
    Some(tables)
}

fn save_bare(bare: &FxHashSet<u32>, put: &mut Put<'_>) {
    let by_name = bare.iter().map(|name| ((name >> 26) * CHUNK, *name));
    for (chunk, names) in chunks(by_name) {
        let mut out = Out::default();
        for (_, name) in names {
            out.fixed32(name);
        }
        put(Section::Bare, chunk, out.0);
    }
}

fn load_bare(parts: &Parts) -> Option<FxHashSet<u32>> {
    let mut bare = FxHashSet::default();
    for (_, mut from) in parts.of(Section::Bare) {
        while !from.is_empty() {
            bare.insert(from.fixed32()?);
        }
    }
    Some(bare)
}

fn save_last_bare(last: &FxHashMap<u64, Sketch>, put: &mut Put<'_>) {
    let octets = |(shape, said): (u64, &Sketch)| (shape, *said.as_bytes());
    let all = by_shape(last).map(|(chunk, (shape, said))| (chunk, octets((*shape, said))));
    for (chunk, entries) in chunks(all) {
        let mut out = Out::default();
        for (_, (shape, said)) in entries {
            out.fixed64(shape);
            out.0.extend(said);
        }
        put(Section::LastBare, chunk, out.0);
    }
}

fn load_last_bare(parts: &Parts) -> Option<FxHashMap<u64, Sketch>> {
    let mut last = FxHashMap::default();
    for (_, mut from) in parts.of(Section::LastBare) {
        while !from.is_empty() {
            let shape = from.fixed64()?;
            let said = from.take(size_of::<Sketch>())?.try_into().ok()?;
            last.insert(shape, Sketch::from_bytes(said));
        }
    }
    Some(last)
}
