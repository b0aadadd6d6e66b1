//! What `UnalignedDio.tla` and `Decisions.tla` say and no graph of the corpus shows.

use interlock::dio::machine::{Call, Content, Extent, Kind, Machine, Pc, State};
use interlock::dio::policy::Policy;

/// The only call there is, until it is at `pc`.
fn until(machine: &Machine, mut state: State, pc: Pc) -> State {
    while state.requests[0].pc != pc {
        let actions = machine.actions(&state);
        state = machine.step(&state, actions[0]).expect("it is offered");
    }
    state
}

/// `EofPage`, where mmap has left something behind EOF: a buffered write that begins behind it leaves zeroes there, from EOF on.
#[test]
fn what_lies_behind_eof_is_zeroed_in_its_page() {
    let calls = vec![Call::new(Kind::Buffered, 3, 5)];
    let extents = vec![Extent::Written, Extent::Hole];
    let machine = Machine::new(Policy::FINAL612, calls, extents, 1, 3);
    let mut state = machine.init();
    state.disk[1] = Content::Stale;
    state.disk[2] = Content::Stale;
    let filled = until(&machine, state, Pc::Unlock);
    let page = [0, 1, 2].map(|sector| filled.cache.get(&sector).copied());
    let expected = [Content::Old, Content::Zero, Content::Zero];
    assert_eq!(page, expected.map(Some));
}
