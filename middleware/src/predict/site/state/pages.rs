//! Writes the pages of a site, with their names and contents.

use super::super::{ClusterId, Site, firsts::MOST_EDITS, members::MORE};
use crate::predict::{
    codec::{In, Out},
    parts::{CHUNK, Parts, Put, Section, chunks},
};

impl Site {
    pub(super) fn save_pages(&self, put: &mut Put<'_>) {
        let all: Vec<(u32, ClusterId)> = (0..).zip(self.pages.clusters()).collect();
        for (chunk, of_chunk) in (0..).zip(all.chunks(CHUNK as usize)) {
            let mut out = Out::default();
            for (page, cluster) in of_chunk {
                let kind = self.pages.kind(*page);
                out.text(&self.pages.text(*page).unwrap_or_default());
                out.number(
                    u64::from(*cluster) << 2
                        | u64::from(kind.is_name) << 1
                        | u64::from(kind.is_void),
                );
            }
            put(Section::Pages, chunk, out.0);
        }
    }

    pub(super) fn load_pages(&mut self, parts: &Parts) -> Option<()> {
        let clusters = self.clusters.len() as u32;
        for (chunk, mut from) in parts.of(Section::Pages) {
            if chunk as usize * CHUNK as usize != self.pages.len() {
                return None;
            }
            while !from.is_empty() {
                self.load_page(&mut from, clusters)?;
            }
        }
        let pages = self.pages.len() as u32;
        if self.round.next >= pages.max(1) {
            return None;
        }
        Some(())
    }

    fn load_page(&mut self, from: &mut In<'_>, clusters: u32) -> Option<()> {
        let url = from.text()?;
        let number = from.number()?;
        let cluster = u32::try_from(number >> 2).ok()?;
        let cluster = Some(cluster).filter(|cluster| *cluster < clusters)?;
        let page = self.pages.len() as u32;
        if number & 2 == 0 {
            self.pages.push(url, cluster);
            self.note_parts(&self.form(url));
        } else {
            // There is a page that it is the name of.
            page.checked_sub(1)?;
            self.pages.push_name(url, cluster);
            if number & 1 != 0 {
                self.pages.make_void(page);
            }
        }
        self.members.restore_first(cluster, page)
    }

    /// By which names pages are found, and whether they stand for them.
    pub(super) fn save_firsts(&self, put: &mut Put<'_>) {
        // That a page has had its turn in this round tells whether it was confirmed, but for what stood there before.
        let stands = (self.firsts.all_stands()).map(|(key, page, is_confirmed)| {
            (page, (key, is_confirmed != (page < self.round.next)))
        });
        for (chunk, entries) in chunks(stands) {
            let mut out = Out::default();
            for (page, (key, is_outlived)) in entries {
                out.byte((page % CHUNK) as u8);
                out.fixed64(key);
                out.flag(is_outlived);
            }
            put(Section::Stands, chunk, out.0);
        }
        let by_edit = (self.firsts.all_firsts()).map(|(key, edit, page)| (page, (key, edit)));
        for (chunk, entries) in chunks(by_edit) {
            let mut out = Out::default();
            for (page, (key, edit)) in entries {
                out.byte((page % CHUNK) as u8);
                out.fixed64(key);
                out.number(u64::from(edit));
            }
            put(Section::Firsts, chunk, out.0);
        }
    }

    pub(super) fn load_firsts(&mut self, parts: &Parts) -> Option<()> {
        let pages = self.pages.len() as u32;
        let page_of = |chunk: u32, from: &mut In<'_>| {
            let page = chunk.checked_mul(CHUNK)? + u32::from(from.byte()?);
            Some(page).filter(|page| *page < pages)
        };
        for (chunk, mut from) in parts.of(Section::Stands) {
            while !from.is_empty() {
                let page = page_of(chunk, &mut from)?;
                let key = from.fixed64()?;
                let is_outlived = from.flag()?;
                let is_confirmed = is_outlived != (page < self.round.next);
                self.firsts.let_stand(key, page, is_confirmed);
            }
        }
        for (chunk, mut from) in parts.of(Section::Firsts) {
            while !from.is_empty() {
                let page = page_of(chunk, &mut from)?;
                let key = from.fixed64()?;
                let edit = from.small().filter(|edit| (*edit as usize) < MOST_EDITS)?;
                self.firsts.file(key, edit, page);
            }
        }
        Some(())
    }

    /// Which pages have a content beside its first one.
    pub(super) fn save_members(&self, put: &mut Put<'_>) {
        for (chunk, entries) in chunks(self.members.all_more()) {
            let mut out = Out::default();
            for (cluster, pages) in entries {
                out.byte((cluster % CHUNK) as u8);
                for page in pages {
                    out.number(u64::from(page.wrapping_add(1)));
                }
            }
            put(Section::Members, chunk, out.0);
        }
    }

    pub(super) fn load_members(&mut self, parts: &Parts) -> Option<()> {
        let pages = self.pages.len() as u32;
        for (chunk, mut from) in parts.of(Section::Members) {
            while !from.is_empty() {
                let cluster = chunk.checked_mul(CHUNK)? + u32::from(from.byte()?);
                let mut more = [0; MORE];
                for page in &mut more {
                    *page = from.small()?.wrapping_sub(1);
                    Some(*page).filter(|page| *page == u32::MAX || *page < pages)?;
                }
                self.members.put_more(cluster, more);
            }
        }
        Some(())
    }
}
