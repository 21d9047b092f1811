//! Writes what is believed about a site, edit by edit.

use std::borrow::Cow;

use super::super::{Site, beliefs::key_of};
use crate::predict::{
    belief::Belief,
    codec::Out,
    parts::{Parts, Put, Section},
};

impl Site {
    pub(super) fn save_beliefs(&self, put: &mut Put<'_>) {
        let mut by_edit: Vec<Vec<Cow<'_, Belief>>> = vec![Vec::new(); self.edits.len()];
        for belief in self.beliefs.iter() {
            by_edit[belief.edit() as usize].push(belief);
        }
        for (edit, mut beliefs) in (0..).zip(by_edit) {
            beliefs.sort_unstable_by_key(|belief| key_of(belief));
            let mut out = Out::default();
            for belief in beliefs {
                belief.write(&mut out);
                self.kinds.write(key_of(&belief), &mut out);
                self.shown.write(key_of(&belief), &mut out);
            }
            put(Section::Beliefs, edit, out.0);
        }
    }

    pub(super) fn load_beliefs(&mut self, parts: &Parts) -> Option<()> {
        for (edit, mut from) in parts.of(Section::Beliefs) {
            if edit as usize >= self.edits.len() {
                return None;
            }
            while !from.is_empty() {
                let belief = Belief::read(&mut from, edit)?;
                let key = key_of(&belief);
                self.kinds.read(key, &mut from)?;
                self.shown.read(key, &mut from)?;
                if let Some(id) = belief.id() {
                    self.ids.insert(id, key);
                }
                if self.beliefs.get(key).is_some() {
                    return None;
                }
                self.beliefs.put(belief);
            }
        }
        Some(())
    }
}
