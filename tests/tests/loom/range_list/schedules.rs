//! The models, each with its figures.

use interlock::range::list_policy::Policy;
use rusty_fork::rusty_fork_test;

use super::model::{Op, run};
use super::sys::NONE;
use crate::explored::Figures;

const DESIGNS: [(&str, Policy); 3] = [
    ("ListRW", Policy::LIST_RW),
    ("ListImpatient", Policy::LIST_IMPATIENT),
    ("FreeBsd15", Policy::FREE_BSD_15),
];

/// Of each design iterations, paths, most retreats, and most nodes freed.
fn hold(name: &str, threads: &[&[Op]], preemptions: usize, figures: [[usize; 4]; 3]) {
    let found = DESIGNS.map(|(design, policy)| {
        let name = format!("{name}, {design}");
        let (figures, most) = run::<NONE>(&name, policy, threads, Some(preemptions));
        let Figures { iterations, paths } = figures;
        [iterations, paths, most.retreats, most.freed]
    });
    assert_eq!(found, figures, "{name}");
}

rusty_fork_test! {
    /// Two for one cell, of whom one writes.
    #[test]
    fn pair() {
        hold("pair", &[&[Op::Read(0..1)], &[Op::Write(0..1)]], 3, [[76, 2, 0, 1], [76, 2, 0, 1], [64, 2, 0, 1]]);
    }

    /// A long reader comes before a short one while a writer comes behind that.
    #[test]
    fn behind() {
        let ops: [&[Op]; 3] = [&[Op::Read(0..3)], &[Op::Read(1..2)], &[Op::Write(2..3)]];
        hold("behind", &ops, 3, [[9_918, 13, 1, 3], [18_518, 13, 1, 3], [9_313, 15, 1, 3]]);
    }

    #[test]
    fn a_wide_range_and_two_in_it() {
        let ops: [&[Op]; 3] = [&[Op::Write(0..2)], &[Op::Write(0..1)], &[Op::Write(1..2)]];
        hold("W+a+b", &ops, 2, [[1_076, 8, 0, 2], [1_496, 8, 0, 2], [920, 8, 0, 2]]);
    }

    #[test]
    fn who_comes_again() {
        let ops: [&[Op]; 2] = [&[Op::Write(0..2), Op::Write(0..2)], &[Op::Read(1..3), Op::Write(0..1)]];
        hold("ww+rw", &ops, 3, [[1_122, 6, 0, 3], [2_600, 6, 0, 3], [1_020, 6, 0, 3]]);
    }
}
