//! No two designs of an area are one under two names: a control that is what it controls shows nothing.

use interlock::dio;
use interlock::jbd2;
use interlock::latency;
use interlock::range;
use interlock::range::atomicity;
use interlock::rwsem;
use interlock::writeback::{list_policy, plug_policy};

fn assert_distinct<P: PartialEq>(named: &[(&str, P)]) {
    for (at, (name, policy)) in named.iter().enumerate() {
        for (other, others) in &named[..at] {
            assert!(policy != others, "{name} is {other}");
        }
    }
}

#[test]
fn no_two_are_one() {
    assert_distinct(&rwsem::policy::Policy::NAMED);
    assert_distinct(&dio::policy::Policy::NAMED);
    assert_distinct(&jbd2::policy::Policy::NAMED);
    assert_distinct(&list_policy::Policy::NAMED);
    assert_distinct(&plug_policy::Policy::NAMED);
    assert_distinct(&latency::policy::Policy::NAMED);
    assert_distinct(&latency::policy::Preemption::NAMED);
    assert_distinct(&range::policy::Policy::NAMED);
    assert_distinct(&range::list_policy::Policy::NAMED);
    assert_distinct(&atomicity::policy::Policy::NAMED);
}
