//! A site as the store has it.

use std::collections::{BTreeMap, HashMap};

use xxhash_rust::xxh3::xxh3_64;

use super::{ChunkName, Kept, VERSION, begin, chunk_key, head_key, journal_key};
use crate::predict::{PredictConfig, Site, codec::In, journal::Event, parts::Parts};

/// Why a value cannot be used.
enum Unusable {
    Other(u8),
    Damaged,
}

fn unsealed(value: &[u8]) -> Result<In<'_>, Unusable> {
    let mut from = In(value);
    match from.byte() {
        Some(VERSION) => {}
        Some(version) => return Err(Unusable::Other(version)),
        None => return Err(Unusable::Damaged),
    }
    let hash = from.fixed64().ok_or(Unusable::Damaged)?;
    if xxh3_64(from.0) == hash {
        Ok(from)
    } else {
        Err(Unusable::Damaged)
    }
}

/// What the store holds of a site, as it is read.
#[derive(Debug, Default)]
pub(crate) struct Found {
    head: Option<Vec<u8>>,
    chunks: HashMap<(ChunkName, u64), Vec<u8>>,
    journal: BTreeMap<u64, Vec<u8>>,
    keys: Vec<String>,
}

impl Found {
    /// Takes an entry; `key` without the site's name.
    pub(crate) fn take(&mut self, site: &str, key: &str, value: &[u8]) -> Option<()> {
        self.keys.push(format!("{site}/{key}"));
        let (kind, rest) = key.split_once('/').unwrap_or((key, ""));
        match kind {
            "h" => self.head = Some(value.to_vec()),
            "j" => {
                let number = u64::from_str_radix(rest, 16).ok()?;
                self.journal.insert(number, value.to_vec());
            }
            "c" => {
                let (name, epoch) = rest.split_once('/')?;
                let (section, chunk) = name.split_at_checked(2)?;
                let section = u8::from_str_radix(section, 16).ok()?;
                let chunk = u32::from_str_radix(chunk, 16).ok()?;
                let epoch = u64::from_str_radix(epoch, 16).ok()?;
                self.chunks
                    .insert(((section, chunk), epoch), value.to_vec());
            }
            _ => return None,
        }
        Some(())
    }

    /// The keys of all that was taken.
    pub(in crate::predict) fn into_keys(self) -> Vec<String> {
        self.keys
    }

    /// Puts the site together. What cannot be read is told and begins anew: one entry of the journal, or
    /// the whole site.
    pub(in crate::predict) fn assemble(
        self,
        name: &str,
        config: &PredictConfig,
        problems: &mut Vec<String>,
    ) -> (Site, Kept) {
        let begin_anew = |kept: &mut Kept| begin(name, config, kept);
        let load = |parts: Option<&Parts>| match parts {
            None => Some(Site::new(name, config)),
            Some(parts) => Site::load(name, parts),
        };
        let tell = |site: &mut Site, from: &mut In<'_>| {
            Event::read(from)?.tell(site);
            Some(())
        };
        let (mut site, mut kept) = self.put_together(name, problems, begin_anew, load, tell);
        // The journal was told under the settings of its time; from here on those of this run hold.
        let now = PredictConfig {
            beliefs: None,
            ..config.clone()
        };
        if *site.settings() != now {
            kept.remember(&Event::Settings(Box::new(now)));
            site.configure(config);
        }
        (site, kept)
    }

    /// The same for anything: `load` makes it of its chunks, or without any as it is at first, `tell` tells
    /// it an entry of the journal, and `begin_anew` makes one when that cannot be done.
    pub(crate) fn put_together<T>(
        mut self,
        name: &str,
        problems: &mut Vec<String>,
        begin_anew: impl FnOnce(&mut Kept) -> T,
        load: impl FnOnce(Option<&Parts>) -> Option<T>,
        tell: impl FnMut(&mut T, &mut In<'_>) -> Option<()>,
    ) -> (T, Kept) {
        match self.try_assemble(name, problems, load, tell) {
            Ok(found) => found,
            Err(why) => {
                problems.push(format!(
                    "what was learned of {name} {why}; it is learned anew"
                ));
                // No new entry may get the name of one that is still to be swept away, and the head is
                // replaced before: a process killed amid the sweeping does not find the damage again.
                self.keys.retain(|key| *key != head_key(name));
                let next = self.journal.keys().last().map_or(0, |last| last + 1);
                let epochs = self.chunks.keys().map(|(_, epoch)| *epoch);
                let mut kept = Kept {
                    next,
                    first: next,
                    epoch: epochs.max().unwrap_or(0),
                    garbage: std::mem::take(&mut self.keys),
                    headless: true,
                    ..Kept::default()
                };
                let site = begin_anew(&mut kept);
                (site, kept)
            }
        }
    }

    fn try_assemble<T>(
        &mut self,
        name: &str,
        problems: &mut Vec<String>,
        load: impl FnOnce(Option<&Parts>) -> Option<T>,
        mut tell: impl FnMut(&mut T, &mut In<'_>) -> Option<()>,
    ) -> Result<(T, Kept), String> {
        let told = |why: Unusable| match why {
            Unusable::Other(version) => {
                format!("has format {version}, and this program reads {VERSION}")
            }
            Unusable::Damaged => "is damaged".to_owned(),
        };
        let damaged = || told(Unusable::Damaged);
        let mut kept = Kept::default();
        let mut site = match &self.head {
            None => load(None).ok_or_else(damaged)?,
            Some(head) => {
                let mut from = unsealed(head).map_err(told)?;
                kept.read_head(&mut from).ok_or_else(damaged)?;
                let mut parts = Parts::default();
                for (chunk, (written, hash)) in &kept.chunks {
                    let bytes = self.chunks.remove(&(*chunk, *written));
                    let bytes = bytes.filter(|bytes| xxh3_64(bytes) == *hash);
                    parts.put(chunk.0, chunk.1, bytes.ok_or_else(damaged)?);
                }
                // The head of a site that began anew names no chunks: all that is known is in the journal.
                let parts = (!kept.chunks.is_empty()).then_some(&parts);
                load(parts).ok_or_else(damaged)?
            }
        };
        for ((chunk, written), _) in self.chunks.drain() {
            kept.garbage.push(chunk_key(name, chunk, written));
            kept.epoch = kept.epoch.max(written);
        }
        kept.next = kept.first;
        for (number, value) in &self.journal {
            if *number < kept.first {
                kept.garbage.push(journal_key(name, *number));
                continue;
            }
            kept.next = number + 1;
            kept.journalled += value.len();
            let read = match unsealed(value) {
                // The head was written by this version: an older entry is a damaged one.
                Err(Unusable::Other(version)) if version > VERSION || self.head.is_none() => {
                    return Err(told(Unusable::Other(version)));
                }
                Err(_) => None,
                Ok(mut from) => tell(&mut site, &mut from),
            };
            if read.is_none() {
                problems.push(format!("one page of {name} is damaged and was not learned"));
            }
        }
        Ok((site, kept))
    }
}

impl Kept {
    fn read_head(&mut self, from: &mut In<'_>) -> Option<()> {
        self.first = from.number()?;
        self.epoch = from.number()?;
        while !from.is_empty() {
            let chunk = (from.byte()?, from.small()?);
            let written = (from.number()?, from.fixed64()?);
            self.chunks.insert(chunk, written);
        }
        Some(())
    }
}
