//! Which kinds are strange to a belief, and what becomes of exceptions.

use super::*;

#[test]
fn a_new_kind_is_strange_where_kinds_are_few_and_not_where_they_are_many() {
    let mut all = KindsOfBeliefs::default();
    for trial in 0..100 {
        all.note(1, [10 + trial % 4, 0, 0, 0], true);
        all.note(2, [10 + trial, 0, 0, 0], true);
        all.note(3, [10 + trial % 20, 0, 0, 0], true);
    }
    assert!(all.is_strange(1, || [99, 0, 0, 0]) && !all.is_strange(1, || [11, 0, 0, 0]));
    assert!(!all.is_strange(2, || [999, 0, 0, 0]));
    assert!(all.is_strange(3, || [99, 0, 0, 0]));
    assert!(!all.is_strange(4, || [99, 0, 0, 0]), "never tried");
    assert_eq!(all.note(1, [99, 0, 0, 0], true), Some(true));
    assert!(!all.is_strange(1, || [99, 0, 0, 0]));
    assert_eq!(all.note(1, [98, 0, 0, 0], false), Some(false));
    assert_eq!(all.note(1, [98, 0, 0, 0], true), None);
    assert!(all.is_strange(1, || [98, 0, 0, 0]), "excepted");
    assert_eq!(all.note(1, [11, 0, 0, 0], false), None);
    assert!(
        !all.is_strange(1, || [11, 0, 0, 0]),
        "that counts elsewhere"
    );
    for times in 1..=3 {
        assert!(all.is_strange(1, || [97, 0, 0, 0]));
        assert_eq!(all.note_undecided(1, [97, 0, 0, 0]), times == 3);
    }
    assert!(!all.is_strange(1, || [97, 0, 0, 0]));
    all.note_undecided(1, [96, 0, 0, 0]);
    assert_eq!(all.note(1, [96, 0, 0, 0], false), Some(false));
    assert!(
        all.is_strange(1, || [96, 0, 0, 0]),
        "the first that could be told failed"
    );
    for kind in (20..23).chain([10; 40]) {
        all.note(5, [kind, 0, 0, 0], true);
    }
    assert!(
        !all.is_strange(5, || [50, 0, 0, 0]),
        "new kinds are not rare"
    );
    assert_eq!(all.note(5, [50, 0, 0, 0], false), None, "it may be chance");
    assert!(!all.is_strange(5, || [50, 0, 0, 0]));
    assert_eq!(all.except(5, [51, 0, 0, 0]), None, "it never failed");
    assert_eq!(all.except(5, [20, 0, 0, 0]), None, "it held");
    assert_eq!(all.except(5, [50, 0, 0, 0]), Some(true));
    assert!(all.is_strange(5, || [50, 0, 0, 0]), "it never held");
    for kind in 200..260 {
        all.note(1, [kind, 0, 0, 0], true);
    }
    assert!(
        !all.is_strange(1, || [999, 0, 0, 0]),
        "they are too many now"
    );
    assert!(
        all.is_strange(1, || [98, 0, 0, 0]),
        "what was excepted stays so"
    );
    assert_eq!(all.exceptions(1), 2);
    let mut out = Out::default();
    let mut again = KindsOfBeliefs::default();
    for belief in 0..6 {
        all.write(belief, &mut out);
    }
    let mut from = In(&out.0);
    for belief in 0..6 {
        again.read(belief, &mut from).unwrap();
    }
    assert_eq!(again.0, all.0);
}

#[test]
fn exceptions_do_not_make_kinds_many_and_are_remembered_in_bounds() {
    let mut all = KindsOfBeliefs::default();
    for trial in 0..100 {
        all.note(1, [0, 10 + trial % 3, 0, 0], true);
    }
    for kind in 1000..1100 {
        assert_eq!(all.note(1, [0, kind, 0, 0], false), Some(false));
        assert!(all.is_strange(1, || [0, kind, 0, 0]));
    }
    assert!(all.is_strange(1, || [0, 5000, 0, 0]));
    let before = all.bytes();
    for kind in 2000..9000 {
        all.note_undecided(1, [0, kind, 0, 0]);
    }
    assert_eq!(all.bytes(), before);
}

#[test]
fn a_failure_is_put_down_to_one_way() {
    let mut all = KindsOfBeliefs::default();
    for trial in 0..100 {
        all.note(1, [0, 10 + trial % 3, 20 + trial % 2, 0], true);
    }
    all.note(1, [0, 99, 88, 0], false);
    assert!(all.is_strange(1, || [0, 99, 20, 0]));
    assert_eq!(all.note(1, [0, 10, 88, 0], true), Some(true));
    assert!(!all.is_strange(1, || [0, 10, 88, 0]));
}
