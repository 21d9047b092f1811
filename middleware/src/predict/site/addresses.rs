//! Keeps the URLs of a site in little memory.
//!
//! They have much in common. Some, the *leaders*, are kept whole and in order. Of any other URL, two things are kept: how many
//! octets it shares with the leader that it is most like, and the rest. If a part of the rest is already stored elsewhere (the
//! same long query after another path), it is a reference to that place, as in Lempel and Ziv (1977), but such parts are looked
//! for only at the beginnings of segments and parameters. So a URL is restored from one leader and what its pieces refer to.

use std::borrow::Cow;

use memchr::{memchr, memchr3};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    super::form::{Form, NAMELESS, NAMELESS_IN_PATH, is_same, is_value},
    push_tightly,
};

/// Octets that a URL shares with no leader, from which on it becomes one.
const OWN: usize = 12;
/// Leaders: at least, of how many URLs one more, and at most.
const LEAST_LEADERS: usize = 64;
const URLS_A_LEADER: usize = 16;
const MOST_LEADERS: usize = 4096;

/// What stands in front of a reference: of a place, in four octets, and a length, in two. No text has it, since it is not UTF-8.
const MARK: u8 = 0xff;
/// Octets that a piece is looked for by, and that it must have in common with what is found.
const BEGIN: usize = 16;
const LEAST: usize = 12;
/// URLs from which on pieces are looked for, and how many beginnings are remembered then, the newest of those that share a slot.
const FROM: usize = 256;
const BEGINNINGS: usize = 1024;

#[derive(Clone, Copy, Debug)]
struct Address {
    /// Where begins what it shares with no leader.
    at: u32,
    /// Octets that it shares with a leader, and which of these it is, in the order in which they came.
    shared: u16,
    leader: u16,
}

/// URLs of a site, by number.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    all: Vec<Address>,
    /// What each shares with no leader, and references.
    texts: Vec<u8>,
    /// URLs kept whole.
    leaders: Vec<u32>,
    /// Their places in this list, in order of their texts.
    in_order: Vec<u16>,
    /// Where a piece with a beginning stood last, by the hash of that: beyond all texts where none did. Nothing before many came.
    beginnings: Vec<u32>,
}

/// The pieces of a URL that were not read.
#[derive(Clone, Debug)]
pub(super) struct Pieces<'t> {
    texts: &'t [u8],
    /// What its leader is made of, and how many octets of that are its own, too.
    leader: &'t [u8],
    shared: usize,
    rest: &'t [u8],
}

/// The next piece of what may have references.
fn next_of<'t>(texts: &'t [u8], text: &mut &'t [u8]) -> Option<&'t [u8]> {
    let (piece, rest) = match memchr(MARK, text) {
        Some(0) => {
            let (place, rest) = text.get(1..)?.split_first_chunk()?;
            let (length, rest) = rest.split_first_chunk()?;
            let from = u32::from_le_bytes(*place) as usize;
            let to = from + usize::from(u16::from_le_bytes(*length));
            (texts.get(from..to)?, rest)
        }
        Some(at) => text.split_at(at),
        None => (*text, &[][..]),
    };
    *text = rest;
    (!piece.is_empty()).then_some(piece)
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        if self.shared > 0
            && let Some(piece) = next_of(self.texts, &mut self.leader)
        {
            let piece = &piece[..piece.len().min(self.shared)];
            self.shared -= piece.len();
            return Some(piece);
        }
        next_of(self.texts, &mut self.rest)
    }
}

impl Pieces<'_> {
    /// Whether they are those of this text.
    pub(super) fn is(self, text: &str) -> bool {
        let mut rest = text.as_bytes();
        for piece in self {
            match rest.split_at_checked(piece.len()) {
                Some((begin, end)) if is_same(begin, piece) => rest = end,
                _ => return false,
            }
        }
        rest.is_empty()
    }

    /// Writes the text that they make behind what is there.
    pub(super) fn write(&mut self, text: &mut Vec<u8>) {
        self.for_each(|piece| text.extend_from_slice(piece));
    }

    /// Octets that a text begins with, too, and whether they come before it in order.
    fn beside(self, text: &[u8]) -> (usize, bool) {
        let mut same = 0;
        for piece in self {
            let of_piece = common(piece, &text[same..]);
            same += of_piece;
            if of_piece < piece.len() {
                return (same, piece.get(of_piece) < text.get(same));
            }
        }
        (same, same < text.len())
    }

    /// Whether they are, taken apart, surely this form; of some that are nobody can tell.
    pub(super) fn reads(self, form: &Form<'_>) -> bool {
        Reader {
            piece: &[],
            behind: self,
        }
        .reads(form)
    }
}

/// A text in pieces, of which is left what was not read.
#[derive(Clone)]
struct Reader<'t> {
    piece: &'t [u8],
    behind: Pieces<'t>,
}

impl Reader<'_> {
    fn read(&mut self, part: &str) -> bool {
        let mut part = part.as_bytes();
        let mut after = self.clone();
        while !part.is_empty() {
            if after.piece.is_empty() {
                let Some(piece) = after.behind.next() else {
                    return false;
                };
                after.piece = piece;
            }
            let at = part.len().min(after.piece.len());
            let ((begin, piece), (one, other)) = (after.piece.split_at(at), part.split_at(at));
            if !is_same(begin, one) {
                return false;
            }
            (after.piece, part) = (piece, other);
        }
        *self = after;
        true
    }

    fn read_pair(&mut self, name: &str, value: &str) -> bool {
        // Without a sign between, what is a value has no name.
        let is_word = || !is_value(name);
        let is_name = self.read(name);
        is_name && (self.read("=") || (value.is_empty() && is_word())) && self.read(value)
    }

    fn reads(mut self, form: &Form<'_>) -> bool {
        let mut is_read = self.read(&form.origin);
        for segment in &form.segments {
            is_read = is_read && self.read("/") && self.read(segment);
        }
        let mut is_query = false;
        for (name, value) in &form.params {
            // That of a parameter in the path is part of its name.
            if !name.starts_with(';') {
                let is_first = !std::mem::replace(&mut is_query, true);
                let is_sign = if is_first {
                    self.read("?")
                } else {
                    self.read("&") || self.read(";")
                };
                is_read &= is_sign;
            }
            is_read = is_read
                && match &**name {
                    NAMELESS => self.read(value),
                    NAMELESS_IN_PATH => self.read(";") && self.read(value),
                    name => self.read_pair(name, value),
                };
        }
        is_read && self.piece.is_empty() && self.behind.next().is_none()
    }
}

/// Octets that two texts begin with.
fn common(a: &[u8], b: &[u8]) -> usize {
    let pairs = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let mut same = 0;
    for (a, b) in pairs {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return same + differ.trailing_zeros() as usize / 8;
        }
        same += 8;
    }
    let rest = a[same..].iter().zip(&b[same..]);
    same + rest.take_while(|(a, b)| a == b).count()
}

/// Where a beginning is remembered.
fn slot(begin: &[u8; BEGIN]) -> usize {
    xxh3_64(begin) as usize % BEGINNINGS
}

/// Where the next segment or parameter begins.
fn next_begin(text: &[u8], from: usize) -> Option<usize> {
    let sign = memchr3(b'/', b'?', b'&', text.get(from..)?)?;
    Some(from + sign + 1)
}

impl Addresses {
    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is no room for the texts of further ones.
    pub(super) const fn is_full(&self) -> bool {
        self.texts.len() > (u32::MAX as usize) / 2
    }

    /// What one shares with no leader.
    fn rest(&self, url: usize) -> &[u8] {
        let from = self.all[url].at as usize;
        let to = (self.all.get(url + 1)).map_or(self.texts.len(), |next| next.at as usize);
        &self.texts[from..to]
    }

    /// The leader at a place of their list.
    fn leader(&self, place: u16) -> Pieces<'_> {
        Pieces {
            texts: &self.texts,
            leader: &[],
            shared: 0,
            rest: self.rest(self.leaders[usize::from(place)] as usize),
        }
    }

    pub(super) fn pieces(&self, url: u32) -> Option<Pieces<'_>> {
        let Address { shared, leader, .. } = *self.all.get(url as usize)?;
        Some(Pieces {
            texts: &self.texts,
            leader: if shared == 0 {
                &[]
            } else {
                self.leader(leader).rest
            },
            shared: usize::from(shared),
            rest: self.rest(url as usize),
        })
    }

    /// The text of one.
    pub(super) fn text(&self, url: u32) -> Option<Cow<'_, str>> {
        let mut pieces = self.pieces(url)?;
        if pieces.shared == 0 && memchr(MARK, pieces.rest).is_none() {
            return std::str::from_utf8(pieces.rest).ok().map(Cow::Borrowed);
        }
        let mut text = Vec::with_capacity(pieces.shared + pieces.rest.len());
        pieces.write(&mut text);
        String::from_utf8(text).ok().map(Cow::Owned)
    }

    /// Adds one.
    pub(super) fn add(&mut self, url: &str) {
        let url = url.as_bytes();
        let number = self.all.len() as u32;
        let place = (self.in_order).partition_point(|leader| self.leader(*leader).beside(url).1);
        let near = place.saturating_sub(1)..(place + 1).min(self.in_order.len());
        let nearest = (self.in_order[near].iter())
            .map(|leader| (self.leader(*leader).beside(url).0, *leader))
            .max_by_key(|(shared, _)| *shared);
        let (mut shared, mut leader) = nearest.unwrap_or_default();
        shared = shared.min(usize::from(u16::MAX));
        let most = (LEAST_LEADERS + self.all.len() / URLS_A_LEADER).min(MOST_LEADERS);
        if shared == 0 || (url.len() - shared >= OWN && self.leaders.len() < most) {
            (shared, leader) = (0, 0);
            // Beyond that nobody shares anything with it.
            if let Ok(new) = u16::try_from(self.leaders.len()) {
                self.leaders.push(number);
                self.in_order.insert(place, new);
            }
        }
        if self.beginnings.is_empty() && self.all.len() >= FROM {
            self.look_back();
        }
        let rest = &url[shared..];
        if self.texts.capacity() - self.texts.len() < rest.len() {
            let reserve = (self.texts.len() / 8).max(4096);
            self.texts.reserve_exact(reserve.max(rest.len()));
        }
        let address = Address {
            at: self.texts.len() as u32,
            shared: shared as u16,
            leader,
        };
        self.write(rest);
        push_tightly(&mut self.all, address);
    }

    /// Remembers the beginnings of all pieces so far.
    fn look_back(&mut self) {
        self.beginnings = vec![u32::MAX; BEGINNINGS];
        let mut next = Some(0);
        while let Some(at) = next {
            if let Some(begin) = self.texts[at..].first_chunk() {
                self.beginnings[slot(begin)] = at as u32;
            }
            next = next_begin(&self.texts, at);
        }
    }

    /// Writes what one shares with no leader behind all others.
    fn write(&mut self, text: &[u8]) {
        let (mut written, mut next) = (0, Some(0));
        while let Some(at) = next {
            let begin = text[at..].first_chunk();
            let Some(slot) = begin.map(slot).filter(|_| !self.beginnings.is_empty()) else {
                break;
            };
            let from = self.beginnings[slot];
            let known = self.texts.get(from as usize..).unwrap_or_default();
            let same = common(known, &text[at..]).min(usize::from(u16::MAX));
            if same < LEAST {
                self.beginnings[slot] = (self.texts.len() + at - written) as u32;
                next = next_begin(text, at);
                continue;
            }
            self.texts.extend_from_slice(&text[written..at]);
            self.texts.push(MARK);
            self.texts.extend_from_slice(&from.to_le_bytes());
            self.texts.extend_from_slice(&(same as u16).to_le_bytes());
            written = at + same;
            next = next_begin(text, written - 1);
        }
        self.texts.extend_from_slice(&text[written..]);
    }

    /// Memory held, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Address>()
            + self.texts.capacity()
            + self.leaders.capacity() * size_of::<u32>()
            + self.in_order.capacity() * size_of::<u16>()
            + self.beginnings.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(urls: &Addresses, url: u32) -> String {
        urls.text(url).unwrap().into_owned()
    }

    /// URLs of a few scripts with long values that come again, whole or in part.
    fn urls() -> impl Strategy<Value = Vec<String>> {
        let value = prop_oneof![
            "[a-d/.]{0,3}",
            "[ab]{15,40}",
            Just("%0A+++%27%3CB%3E%3CA+HREF%3D%22__WebPath__%2F".to_owned()),
            "(ü|ß|ab|c){0,30}",
        ];
        let param = ("[a-c/.]{1,2}=?", value).prop_map(|(name, value)| format!("{name}{value}"));
        let url = ("[ab]{1,2}", prop::collection::vec(param, 0..5));
        let url =
            url.prop_map(|(path, params)| format!("http://e.org/{path}.html?{}", params.join("&")));
        prop::collection::vec(url, 1..900)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn what_is_named_by_its_place_elsewhere_is_read_as_it_was(all in urls()) {
            let mut urls = Addresses::default();
            for url in &all {
                urls.add(url);
            }
            prop_assert_eq!(urls.len(), all.len());
            for (number, url) in (0..).zip(&all) {
                prop_assert_eq!(&whole(&urls, number), url);
                let pieces = urls.pieces(number).unwrap();
                let (longer, mut shorter) = (url.clone() + "x", url.clone());
                shorter.pop();
                let is = |text: &str| pieces.clone().is(text);
                prop_assert!(is(url) && !is(&longer) && !is(&shorter));
                let reads = |text: &str| pieces.clone().reads(&Form::parse(text));
                prop_assert!(reads(url));
                let other = &all[(number as usize * 7 + 1) % all.len()];
                prop_assert_eq!(is(other), url == other);
                let is_one = Form::parse(url) == Form::parse(other);
                prop_assert!(is_one || !reads(other));
                let (same, is_before) = pieces.clone().beside(other.as_bytes());
                prop_assert_eq!(same, common(url.as_bytes(), other.as_bytes()));
                prop_assert_eq!(is_before, url < other);
            }
            prop_assert!(urls.pieces(all.len() as u32).is_none());
        }
    }

    #[test]
    fn a_long_query_behind_many_paths_takes_room_once() {
        let mut urls = Addresses::default();
        let format = "%0A+++%27%3CB%3E%3CA+HREF%3D%22__id__%22%3E__Subject__%3C%2Fa%3E".repeat(4);
        let url = |n: u32| {
            // More beginnings than there are leaders.
            let (folder, ticket) = (n % 1000, n / 1000);
            format!("http://e.org/{folder}.html?Order=ASC&Format={format}&Query=id%3D{ticket}")
        };
        for n in 0..4000 {
            urls.add(&url(n));
        }
        assert!((0..4000).all(|n| whole(&urls, n) == url(n)));
        let least = 4000 * size_of::<Address>();
        assert!(urls.bytes() - least < 4000 * 48, "{}", urls.bytes() - least);
    }
}
