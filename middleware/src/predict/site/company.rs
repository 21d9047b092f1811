//! Parameters that always occur together.
//!
//! An example is `?C=N;O=D` in a server's folder listing: no URL has one without the other. A claim about the values of both at once is
//! one claim about one choice, not one about an arbitrary set of parts.

use rustc_hash::FxHashMap;

use crate::{
    heap::{BLOCK, of_map},
    predict::form::{Edit, Form, Kind, Param, hash_of},
};

/// Parameters that are watched.
const MOST_NAMES: usize = 256;
/// Others that are remembered of each: more make no claim, and would take room by their square.
const MOST_OTHERS: usize = 8;

/// Of each parameter of a site those that were with it on every page's URL. They follow from the URLs of its pages.
#[derive(Debug, Default)]
pub(super) struct Company(FxHashMap<u64, Box<[u64]>>);

impl Company {
    /// Notes the parameters of a page's URL.
    pub(super) fn note(&mut self, form: &Form<'_>) {
        for (name, _) in &form.params {
            let is_there = |other: &u64| form.params.iter().any(|(it, _)| it.hash() == *other);
            if let Some(others) = self.0.get_mut(&name.hash()) {
                if !others.iter().all(is_there) {
                    *others = others.iter().copied().filter(is_there).collect();
                }
            } else if self.0.len() < MOST_NAMES {
                let others = form.params.iter().map(|(it, _)| it.hash());
                let others = others.filter(|it| *it != name.hash());
                let others = others.take(MOST_OTHERS).collect();
                self.0.insert(name.hash(), others);
            }
        }
    }

    /// Whether an edit is of values of several parameters each of which never came without the others.
    pub(super) fn is_one_choice(&self, edit: &Edit) -> bool {
        let Edit::Params(all) = edit else {
            return false;
        };
        let are_values = all.iter().all(|it| matches!(it, Param::Value(..)));
        if all.len() < 2 || !are_values {
            return false;
        }
        let names: Vec<u64> = (all.iter())
            .map(|it| hash_of(Kind::Name as u64, it.name()))
            .collect();
        names.iter().all(|name| {
            let others = self.0.get(name);
            let is_always_with =
                |it: &u64| it == name || others.is_some_and(|all| all.contains(it));
            names.iter().all(is_always_with)
        })
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let others = |all: &[u64]| match all {
            [] => 0,
            all => size_of_val(all) + BLOCK,
        };
        of_map(&self.0) + self.0.values().map(|all| others(all)).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(of: &[&str]) -> Edit {
        let value = |name: &&str| Param::Value((*name).into(), "1".into());
        Edit::Params(of.iter().map(value).collect())
    }

    #[test]
    fn parameters_that_never_come_alone_are_one_choice() {
        let mut company = Company::default();
        let mut meet = |query: &str| company.note(&Form::parse(&format!("http://e.org/?{query}")));
        meet("C=N;O=A");
        meet("O=D&C=M&all=1");
        meet("id=7&page=2");
        meet("id=8");
        assert!(company.is_one_choice(&values(&["C", "O"])));
        assert!(
            !company.is_one_choice(&values(&["C", "O", "all"])),
            "C came without"
        );
        assert!(!company.is_one_choice(&values(&["id", "page"])));
        assert!(!company.is_one_choice(&values(&["C"])), "it is one anyway");
        assert!(!company.is_one_choice(&values(&["C", "new"])));
        let any = ["C", "O"].map(|name| Param::Any(name.into()));
        assert!(!company.is_one_choice(&Edit::Params(any.to_vec())));
    }

    #[test]
    fn no_more_parameters_are_watched_than_there_is_room_for() {
        let mut company = Company::default();
        for n in 0..2 * MOST_NAMES {
            company.note(&Form::parse(&format!("http://e.org/?a{n}=1&b{n}=1")));
        }
        assert_eq!(company.0.len(), MOST_NAMES);
    }
}
