//! A dense hash table: at most an eighth of its room is free.
//!
//! A table that doubles its room is between 7/16 and 7/8 full: just after it has grown, it takes twice what it needs. Here,
//! all entries lie in one row in the order of their hashes, each at the place that its hash names or the next free one
//! (linear probing in order: Amble and Knuth, *The Computer Journal* 1974). The order is the same in a larger row, so a row
//! can grow by a sixteenth at a time, in one pass. The entries before a place tell how far to look, so that many entries of
//! one hash, which are neighbours, cost no more steps than few. A row does not shrink.

/// What lies in a row. Those that are found by the same hash may differ.
pub(crate) trait Dense: Copy {
    /// What marks a free place, and is never added. No hash is higher than its own.
    const FREE: Self;

    fn is_free(&self) -> bool;

    /// What it is found by. Its upper bits are as good as drawn by lot.
    fn hash(&self) -> u64;
}

/// Places that are added beside a sixteenth, and behind the last that a hash names.
const FEW: usize = 8;
/// Places behind the one that a hash names that are looked at one by one: most lie no further off.
const NEAR: usize = 8;
/// Places of which one number tells whether they are taken.
const BITS: usize = u64::BITS as usize;

/// Entries in the order of their hashes, some places free between them.
#[derive(Debug)]
pub(crate) struct Row<T> {
    /// The places that hashes name, and those behind the last of them that were needed.
    places: Vec<T>,
    /// A bit for each place that is taken, the lowest for the first.
    taken: Vec<u64>,
    /// Places that hashes name.
    homes: usize,
    len: usize,
}

impl<T> Default for Row<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            taken: Vec::new(),
            homes: 0,
            len: 0,
        }
    }
}

/// The place that a hash names among so many: the higher, the further behind.
const fn home(hash: u64, homes: usize) -> usize {
    ((hash as u128 * homes as u128) >> u64::BITS) as usize
}

impl<T: Dense> Row<T> {
    /// The first place from the one that a hash names on where something of that hash is, or else would have to be.
    fn place(&self, hash: u64) -> usize {
        // Between the place that a hash names and the entry there is no free one: so what holds of one place
        // holds of all from the first to it.
        let home = home(hash, self.homes);
        let near = self.places.get(home..home + NEAR).unwrap_or_default();
        if let Some(behind) = near.iter().position(|entry| entry.hash() >= hash) {
            return home + behind;
        }
        self.place_behind(home + near.len(), hash)
    }

    /// The same from a place on that is not in front of the one that a hash names.
    fn place_behind(&self, mut from: usize, hash: u64) -> usize {
        let is_before = |at: usize| {
            let entry = self.places.get(at);
            entry.is_some_and(|entry| entry.hash() < hash)
        };
        let mut leap = 1;
        while is_before(from + leap - 1) {
            from += leap;
            leap *= 2;
        }
        let mut to = from + leap - 1;
        while from < to {
            let middle = usize::midpoint(from, to);
            if is_before(middle) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// All of a hash, in no order.
    pub(crate) fn of(&self, hash: u64) -> impl Iterator<Item = &T> {
        self.from(self.place(hash), hash)
    }

    /// Those of a hash, the first of which is at a place.
    fn from(&self, place: usize, hash: u64) -> impl Iterator<Item = &T> {
        let entries = self.places.get(place..).unwrap_or_default().iter();
        entries.take_while(move |entry| entry.hash() == hash && !entry.is_free())
    }

    /// Where the one of a hash lies that `is_it`.
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(&T) -> bool) -> Option<usize> {
        let first = self.place(hash);
        let behind = self.from(first, hash).position(is_it)?;
        Some(first + behind)
    }

    /// What lies at a place.
    pub(crate) fn get(&self, place: usize) -> &T {
        &self.places[place]
    }

    /// The same, to be changed into something of the same hash.
    pub(crate) fn get_mut(&mut self, place: usize) -> &mut T {
        &mut self.places[place]
    }

    /// The one of a hash that `is_it`; if there is none, this one, which has that hash. What it is changed into must have it,
    /// too.
    pub(crate) fn get_or_add(&mut self, new: T, is_it: impl Fn(&T) -> bool) -> &mut T {
        let found = self.find(new.hash(), is_it);
        let place = found.unwrap_or_else(|| self.add(new));
        &mut self.places[place]
    }

    /// Adds one: where it lies then.
    pub(crate) fn add(&mut self, new: T) -> usize {
        if (self.len + 1) * 15 > self.homes * 14 {
            self.grow();
        }
        self.len += 1;
        let at = self.place(new.hash());
        let end = self.free_from(at);
        if end == self.places.len() {
            if end == self.places.capacity() {
                self.places.reserve_exact(FEW);
            }
            self.places.push(T::FREE);
        }
        self.take(end);
        self.places.copy_within(at..end, at + 1);
        self.places[at] = new;
        at
    }

    /// The first place from one on that is free, be it behind the last.
    fn free_from(&self, place: usize) -> usize {
        let (word, bit) = (place / BITS, place % BITS);
        // Those in front of it are as good as taken.
        let first = self.taken.get(word).map(|word| word | ((1 << bit) - 1));
        let others = self.taken.get(word + 1..).unwrap_or_default();
        let mut words = (word..).zip(first.into_iter().chain(others.iter().copied()));
        let free = words.find(|(_, taken)| *taken != u64::MAX);
        let free = free.map(|(word, taken)| word * BITS + taken.trailing_ones() as usize);
        free.unwrap_or(self.places.len()).min(self.places.len())
    }

    fn take(&mut self, place: usize) {
        if place / BITS == self.taken.len() {
            self.taken.reserve_exact(1);
            self.taken.push(0);
        }
        self.taken[place / BITS] |= 1 << (place % BITS);
    }

    /// Notes which places are taken, after they were filled anew.
    fn take_all(&mut self) {
        let word = |places: &[T]| {
            let bits = (0..).zip(places).filter(|(_, entry)| !entry.is_free());
            bits.fold(0, |word, (at, _)| word | 1u64 << at)
        };
        self.taken = self.places.chunks(BITS).map(word).collect();
    }

    fn grow(&mut self) {
        self.homes += self.homes / 16 + FEW;
        let mut places = Vec::with_capacity(self.homes + FEW);
        for entry in self.iter() {
            let home = home(entry.hash(), self.homes);
            if home > places.len() {
                places.resize(home, T::FREE);
            }
            if places.len() == places.capacity() {
                places.reserve_exact(FEW);
            }
            places.push(*entry);
        }
        if places.len() < self.homes {
            places.resize(self.homes, T::FREE);
        }
        self.places = places;
        self.take_all();
    }

    /// Takes away what lies at a place.
    pub(crate) fn remove(&mut self, place: usize) {
        // What lies behind it and not where it would like to moves up.
        let is_at_home = |at: usize, entry: &T| home(entry.hash(), self.homes) == at;
        let mut behind = (place + 1..).zip(&self.places[place + 1..]);
        let end = behind.find(|(at, entry)| entry.is_free() || is_at_home(*at, entry));
        let end = end.map_or(self.places.len(), |(at, _)| at);
        self.places.copy_within(place + 1..end, place);
        self.places[end - 1] = T::FREE;
        self.taken[(end - 1) / BITS] &= !(1 << ((end - 1) % BITS));
        self.len -= 1;
    }

    /// Leaves out all but these.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        self.len = 0;
        // None lies further behind than before.
        let mut next = 0;
        for at in 0..self.places.len() {
            let entry = std::mem::replace(&mut self.places[at], T::FREE);
            if !entry.is_free() && is_kept(&entry) {
                let to = home(entry.hash(), self.homes).max(next);
                self.places[to] = entry;
                self.len += 1;
                next = to + 1;
            }
        }
        self.take_all();
    }

    /// How many there are.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.places.iter().filter(|entry| !entry.is_free())
    }

    /// Memory held, in bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<T>() + self.taken.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::sign::spread;

    /// A key, and what is known of it.
    type Pair = (u32, u32);

    impl Dense for Pair {
        const FREE: Self = (64, u32::MAX);

        fn is_free(&self) -> bool {
            *self == Self::FREE
        }

        fn hash(&self) -> u64 {
            // Few: many share one. The last hash there is is one of them, which leads behind the places that hashes name.
            match self.0 % 64 {
                0 => u64::MAX,
                one => spread(one),
            }
        }
    }

    fn put(row: &mut Row<Pair>, key: u32, value: u32) {
        row.get_or_add((key, value), |pair| pair.0 == key).1 = value;
    }

    #[derive(Clone, Debug)]
    enum Step {
        Put(u32, u32),
        Remove(u32),
        Retain(u32),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            60 => (0..500u32, 0..1000u32).prop_map(|(key, value)| Step::Put(key, value)),
            20 => (0..500u32).prop_map(Step::Remove),
            1 => (1..5u32).prop_map(Step::Retain),
        ];
        prop::collection::vec(step, 0..600)
    }

    proptest! {
        #[test]
        fn what_was_put_last_by_a_key_is_found_whatever_was_left_out_between(steps in steps()) {
            let (mut row, mut model) = (Row::default(), BTreeMap::<u32, u32>::new());
            for step in steps {
                match step {
                    Step::Put(key, value) => {
                        put(&mut row, key, value);
                        model.insert(key, value);
                    }
                    Step::Remove(key) => {
                        let place = row.find((key, 0).hash(), |pair| pair.0 == key);
                        prop_assert_eq!(place.map(|place| row.get(place).1), model.remove(&key));
                        if let Some(place) = place {
                            row.remove(place);
                        }
                    }
                    Step::Retain(of) => {
                        row.retain(|pair| pair.1 % of == 0);
                        model.retain(|_, value| *value % of == 0);
                    }
                }
            }
            let mut all: Vec<Pair> = row.iter().copied().collect();
            all.sort_unstable();
            prop_assert_eq!(row.len(), model.len());
            prop_assert_eq!(all, model.clone().into_iter().collect::<Vec<_>>());
            for key in 0..500 {
                let mut found: Vec<Pair> = row.of((key, 0).hash()).copied().collect();
                found.sort_unstable();
                let is_like = |(other, _): &Pair| (*other, 0).hash() == (key, 0).hash();
                let expected: Vec<_> = model.clone().into_iter().filter(is_like).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn at_most_an_eighth_of_the_room_is_free_whatever_the_size() {
        #[derive(Clone, Copy)]
        struct Number(u32);

        impl Dense for Number {
            const FREE: Self = Self(u32::MAX);

            fn is_free(&self) -> bool {
                self.0 == u32::MAX
            }

            fn hash(&self) -> u64 {
                if self.is_free() {
                    u64::MAX
                } else {
                    spread(self.0)
                }
            }
        }

        let mut row = Row::default();
        assert_eq!((row.bytes(), row.of(7).count()), (0, 0));
        for number in 0..20_000 {
            row.get_or_add(Number(number), |other| other.0 == number);
            let room = row.bytes() / 4;
            let needed = number as usize + 1;
            assert!(room <= needed * 6 / 5 + 64, "{room} for {needed}");
        }
        assert!((0..20_000u32).all(|number| row.of(spread(number)).count() == 1));
        assert!((20_000..40_000u32).all(|number| row.of(spread(number)).next().is_none()));
    }
}
