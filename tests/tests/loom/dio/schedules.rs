//! The models, each with its bound and its figures: see the table in the head of the test.

use conformance::traces;
use interlock::dio::machine::Extent::{Hole, Unwritten, Written};
use interlock::dio::policy::Policy;

use rusty_fork::rusty_fork_test;

use super::model::{A, B, C, Model, Write, aio, holds};

fn final65(first: interlock::dio::machine::Extent, writes: &[Write]) -> Model {
    Model::new(Policy::FINAL65, first, writes)
}

rusty_fork_test! {
    #[test]
    #[ignore = "nightly: half a minute"]
    fn two_unaligned_writers_on_a_written_block() {
        let model = final65(Written, &[A, B]);
        holds("Final65, a+b, written", &model, 2);
    }

    #[test]
    fn two_unaligned_writers_on_an_unwritten_block() {
        let model = final65(Unwritten, &[A, B]);
        holds("Final65, a+b, unwritten", &model, 2);
    }

    #[test]
    fn small_ones() {
        let model = final65(Written, &[A, B]);
        holds("Final65, a+b, written", &model, 1);
        let model = final65(Hole, &[A, B]);
        holds("Final65, a+b, hole", &model, 1);
        let model = final65(Unwritten, &[aio(A), aio(B)]);
        holds("Final65, a'+b', unwritten", &model, 1);
        let model = final65(Unwritten, &[aio(A), aio(C)]);
        let recorded = holds("Final65, a'+C', unwritten", &model, 1);
        traces::accepted_by_tlc("loom-dio", "dio", &recorded);
        let model = Model {
            length: 1,
            ..Model::new(Policy::FINAL65_EOF, Written, &[aio(A), aio(C)])
        };
        holds("Final65Eof, a'+C', EOF", &model, 1);
        let model = Model::new(Policy::ZEROING73, Unwritten, &[A, B]);
        holds("Zeroing73, a+b, unwritten", &model, 1);
        let model = Model::new(Policy::XFS_OPTIMISTIC, Unwritten, &[A, B]);
        holds("XfsOptimistic, a+b, unwritten", &model, 1);
    }

    #[test]
    #[ignore = "nightly: half a minute"]
    fn an_asynchronous_writer_of_the_block() {
        let model = final65(Unwritten, &[aio(A), aio(C)]);
        holds("Final65, a'+C', unwritten", &model, 2);
    }
}
