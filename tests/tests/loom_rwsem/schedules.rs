//! The models and their figures.

use crate::model::{Figures, Op::*, holds};

#[test]
fn two_readers_one_writer() {
    let f = holds("2R+1W", &[&[Read], &[Read], &[Write]], None);
    let _: Figures = f;
}

#[test]
fn one_reader_two_writers() {
    holds("1R+2W", &[&[Read], &[Write], &[Write]], None);
}

#[test]
fn three_writers() {
    holds("3W", &[&[Write], &[Write], &[Write]], None);
}

#[test]
fn three_bounded() {
    holds("2R+1W/3", &[&[Read], &[Read], &[Write]], Some(3));
    holds("1R+2W/3", &[&[Read], &[Write], &[Write]], Some(3));
    holds("3W/3", &[&[Write], &[Write], &[Write]], Some(3));
}

#[test]
fn four_tasks() {
    holds("2R+2W", &[&[Read], &[Read], &[Write], &[Write]], Some(3));
    holds("1R+3W", &[&[Read], &[Write], &[Write], &[Write]], Some(3));
}

#[test]
fn two_operations() {
    holds(
        "(rr)+(r)+(ww)",
        &[&[Read, Read], &[Read], &[Write, Write]],
        Some(3),
    );
    holds(
        "(rw)+(w)+(r)",
        &[&[Read, Write], &[Write], &[Read]],
        Some(3),
    );
    holds(
        "(rw)+(w)+(w)+(r)",
        &[&[Read, Write], &[Write], &[Write], &[Read]],
        Some(3),
    );
}

#[test]
fn downgrade() {
    holds(
        "d+r+r+w",
        &[&[Downgrade], &[Read], &[Read], &[Write]],
        Some(3),
    );
    holds("d+r+d", &[&[Downgrade], &[Read], &[Downgrade]], Some(3));
}

#[test]
fn try_under_contention() {
    holds(
        "(tr tw)+(w)+(tw)+(r)",
        &[&[TryRead, TryWrite], &[Write], &[TryWrite], &[Read]],
        Some(3),
    );
}
