//! Steps that the graphs of the corpus do not have, each against what its action in the specification says.

use conformance::foreign::{Foreign, assert_refused};
use interlock::jbd2::machine::{
    Action, Credits, Load, Machine, Pc, Sizes, State, TState, Task, Transaction,
};
use interlock::jbd2::policy::Policy;
use interlock::jbd2::reserve_wait::{
    Action as Waits, Machine as Waiters, Pc as Waiter, State as WaitState, Wake,
};

const PLAIN: Task = Task::Plain(0);
const PAGES: Task = Task::Pages(0);
const WORKER: Task = Task::Worker(0);

/// A task of each kind, no two of which dirty as much.
fn machine(policy: Policy) -> Machine {
    let sizes = Sizes {
        log: 300,
        max: 100,
        overhead: 2,
        slack: 32,
    };
    let load = Load {
        plain: 1,
        pages: 1,
        cost: 11,
        uses: 7,
        extra: 30,
        convert_extra: 0,
        page_cost: 13,
        page_uses: 5,
        reserve: 17,
        convert_uses: 3,
    };
    Machine::new(policy, sizes, load)
}

/// The state of a machine whose tasks do this.
fn with(machine: &Machine, pc: [Pc; 3]) -> State {
    State {
        pc: pc.to_vec(),
        ..machine.init()
    }
}

fn transaction(state: TState, out: Credits, updates: i64, log: Credits) -> Transaction {
    Transaction {
        state,
        out,
        updates,
        log,
        ..Transaction::NONE
    }
}

#[test]
fn each_pc_has_a_name_of_its_own() {
    for (at, (name, pc)) in Pc::NAMED.into_iter().enumerate() {
        assert_eq!(pc.name(), name);
        let before = &Pc::NAMED[..at];
        assert!(before.iter().all(|(other, _)| *other != name), "{name}");
    }
}

/// `Stopped`: the blocks are the task's own, and what it has not used is given back.
#[test]
fn a_handle_leaves_what_it_has_used() {
    let machine = machine(Policy::UPSTREAM);
    let running = transaction(TState::Running, 90, 1, 1);
    let stops = [
        (Action::Stop(PLAIN), Pc::Attached, 0, (90 - 4, 1 + 7)),
        (Action::Stop(PLAIN), Pc::Extended, 0, (90 - 4, 1 + 37)),
        (Action::Restart(PLAIN), Pc::Denied, 0, (90 - 4, 1 + 7)),
        (Action::Submit(PAGES), Pc::Attached, 1, (90 - 8, 1 + 5)),
        (Action::Unreserve(PAGES), Pc::Attached, 1, (90 - 25, 1 + 5)),
        (Action::Convert(WORKER), Pc::Attached, 2, (90 - 14, 1 + 3)),
    ];
    for (action, pc, place, (out, log)) in stops {
        let mut pcs = [Pc::Idle; 3];
        pcs[place] = pc;
        let state = State {
            running: running.clone(),
            writeback: vec![place == 2],
            ..with(&machine, pcs)
        };
        let next = machine.step(&state, action);
        let left = next.map(|next| (next.running.out, next.running.log, next.running.updates));
        assert_eq!(left, Some((out, log, 0)), "{action:?}");
    }
}

/// `CommitWrite`: the last free block is enough to go on, a full log is not.
#[test]
fn a_commit_writes_while_a_block_is_free() {
    let machine = machine(Policy::UPSTREAM);
    for (free, left) in [(9, Some(2)), (1, Some(-6)), (0, None)] {
        let state = State {
            committing: transaction(TState::Flush, 20, 0, 5),
            free,
            ..machine.init()
        };
        let next = machine.step(&state, Action::CommitWrite);
        assert_eq!(next.map(|next| next.free), left, "{free} free");
    }
}

/// `CommitEnd`: the blocks of an empty transaction are free with those before it.
#[test]
fn an_empty_transaction_goes_with_the_last() {
    let machine = machine(Policy::UPSTREAM);
    let ends = [
        (0, vec![], (102, vec![])),
        (0, vec![9, 4], (100, vec![9, 6])),
        (5, vec![9, 4], (100, vec![9, 4, 7])),
    ];
    for (log, checkpoint, left) in ends {
        let state = State {
            committing: transaction(TState::Tail, 0, 0, log),
            free: 100,
            checkpoint,
            ..machine.init()
        };
        let next = machine.step(&state, Action::CommitEnd);
        assert_eq!(next.map(|next| (next.free, next.checkpoint)), Some(left));
    }
}

/// `CommitFlush` and `CommitEnd`: who waits for the running transaction waits for the commit then, and for no other one's.
#[test]
fn a_wait_for_a_commit_ends_with_that_commit() {
    let machine = machine(Policy::UPSTREAM);
    let in_state = |state| Transaction {
        state,
        asked: true,
        ..Transaction::NONE
    };
    let waits = [Pc::WaitCommit, Pc::WaitRunning, Pc::Idle];
    let ends = State {
        running: in_state(TState::Running),
        committing: in_state(TState::Tail),
        ..with(&machine, waits)
    };
    let next = machine.step(&ends, Action::CommitEnd);
    let pcs = next.map(|next| next.pc);
    assert_eq!(pcs, Some(vec![Pc::Space, Pc::WaitRunning, Pc::Idle]));
    let flushes = State {
        running: in_state(TState::Switch),
        ..with(&machine, waits)
    };
    let next = machine.step(&flushes, Action::CommitFlush);
    let pcs = next.map(|next| next.pc);
    assert_eq!(pcs, Some(vec![Pc::WaitCommit, Pc::WaitCommit, Pc::Idle]));
}

/// `Writable`: nothing commits while somebody is to take back what it has added.
#[test]
fn a_commit_waits_for_what_is_taken_back() {
    let machine = machine(Policy::UPSTREAM);
    for (pc, locks) in [(Pc::Undo, false), (Pc::WaitReserved, true)] {
        let state = State {
            running: Transaction {
                state: TState::Running,
                asked: true,
                ..Transaction::NONE
            },
            ..with(&machine, [Pc::Idle, pc, Pc::Idle])
        };
        let next = machine.step(&state, Action::CommitLock);
        assert_eq!(next.is_some(), locks, "{pc:?}");
    }
}

/// Test 4: all reservations together take half of the largest handle, and no more.
#[test]
fn reservations_take_half() {
    let machine = machine(Policy::UPSTREAM);
    for (reserved, action, pc) in [
        (32, Action::Try(PAGES), Pc::Attached),
        (33, Action::Fail(PAGES), Pc::Undo),
    ] {
        let state = State {
            reserved,
            ..with(&machine, [Pc::Idle, Pc::Try, Pc::Idle])
        };
        let next = machine.step(&state, action);
        assert_eq!(next.map(|next| next.pc[1]), Some(pc), "{reserved} reserved");
    }
}

/// `Refuse`: what was handed over, and is charged as soon as it is, is given back by who finds the journal aborted.
#[test]
fn who_is_refused_gives_back_what_was_handed_over() {
    for (policy, reserved) in [
        (Policy::HAND_OVER, 40),
        (Policy::GRANTED_IS_RESERVED, 40 - 17),
    ] {
        let machine = machine(policy);
        let state = State {
            reserved: 40,
            promised: [0].into(),
            aborted: true,
            ..with(&machine, [Pc::Idle, Pc::Try, Pc::Idle])
        };
        let next = machine.step(&state, Action::Refuse(PAGES)).expect("it is");
        assert_eq!((next.pc[1], next.reserved), (Pc::Refused, reserved));
        assert!(next.promised.is_empty());
    }
}

/// `Extend`: a handle is given no more where there is no transaction, not even what a new one has room for.
#[test]
fn a_handle_of_no_transaction_is_not_extended() {
    let machine = machine(Policy::UPSTREAM);
    for (running, pc) in [
        (transaction(TState::Running, 70, 1, 0), Pc::Extended),
        (transaction(TState::Running, 71, 1, 0), Pc::Denied),
        (Transaction::NONE, Pc::Denied),
    ] {
        let state = State {
            running,
            ..with(&machine, [Pc::Attached, Pc::Idle, Pc::Idle])
        };
        let next = machine.step(&state, Action::Extend(PLAIN));
        assert_eq!(next.map(|next| next.pc[0]), Some(pc));
    }
}

/// A number that the machine cannot add to is not its own, wherever it is: nothing is enabled.
#[test]
fn a_number_out_of_bounds_is_foreign() {
    let machine = machine(Policy::UPSTREAM);
    let places: [fn(&mut State) -> &mut i64; 9] = [
        |state| &mut state.running.out,
        |state| &mut state.running.updates,
        |state| &mut state.running.log,
        |state| &mut state.committing.out,
        |state| &mut state.committing.updates,
        |state| &mut state.committing.log,
        |state| &mut state.free,
        |state| &mut state.reserved,
        |state| &mut state.checkpoint[0],
    ];
    for (place, of) in places.into_iter().enumerate() {
        let mut state = State {
            checkpoint: vec![3],
            ..machine.init()
        };
        assert!(!machine.actions(&state).is_empty());
        for number in [Credits::MAX, Credits::MIN] {
            *of(&mut state) = number;
            assert_eq!(machine.actions(&state), [], "place {place}: {number}");
        }
    }
}

/// In a state of another journal nothing is enabled, wherever it is another; nor for sizes or a load that no sum of them could have.
#[test]
fn what_is_not_the_machines_is_refused() {
    let machine = machine(Policy::UPSTREAM);
    let own = machine.init();
    let start = Action::Start(PLAIN);
    assert!(machine.step(&own, start).is_some());
    assert_eq!(machine.step(&own, Action::Start(Task::Plain(1))), None);
    let places: &[Foreign<State>] = &[
        ("fewer tasks", |state| {
            state.pc.pop();
        }),
        ("more tasks", |state| state.pc.push(Pc::Idle)),
        ("no page", |state| {
            state.writeback.pop();
        }),
        ("more pages", |state| {
            let more = state.writeback.clone();
            state.writeback.extend(more);
        }),
        ("a page that waits", |state| state.queue.push(1)),
        ("a page that waits twice", |state| state.queue = vec![0, 0]),
        ("a page that is promised", |state| {
            state.promised.insert(1);
        }),
        ("who has the mutex", |state| {
            state.mutex = Some(Task::Worker(1));
        }),
        ("data of the running one", |state| {
            state.running.data.insert(1);
        }),
        ("data of the committing one", |state| {
            state.committing.data.insert(1);
        }),
    ];
    assert_refused(&own, places, |state| machine.actions(state));
    let constants: [fn(&mut Machine) -> &mut Credits; 12] = [
        |machine| &mut machine.sizes.log,
        |machine| &mut machine.sizes.max,
        |machine| &mut machine.sizes.overhead,
        |machine| &mut machine.sizes.slack,
        |machine| &mut machine.load.cost,
        |machine| &mut machine.load.uses,
        |machine| &mut machine.load.extra,
        |machine| &mut machine.load.convert_extra,
        |machine| &mut machine.load.page_cost,
        |machine| &mut machine.load.page_uses,
        |machine| &mut machine.load.reserve,
        |machine| &mut machine.load.convert_uses,
    ];
    for (place, of) in constants.into_iter().enumerate() {
        for number in [Credits::MAX, Credits::MIN] {
            let mut machine = machine.clone();
            *of(&mut machine) = number;
            assert_eq!(machine.actions(&own), [], "constant {place}: {number}");
        }
    }
}

/// `ChainedBy`: a thread wakes the next if it was woken itself and the next fits too.
#[test]
fn a_chain_begins_with_a_release() {
    for (woken, half, next_does) in [
        (true, 3, Waiter::Look),
        (false, 3, Waiter::Sleep),
        (true, 2, Waiter::Sleep),
    ] {
        let machine = Waiters::new(vec![1, 2], half, Wake::Chain);
        let state = WaitState {
            pc: vec![Waiter::Test, Waiter::Sleep],
            queue: vec![1],
            reserved: 0,
            woken: vec![woken, false],
        };
        let next = machine.step(&state, Waits::Take(0));
        assert_eq!(next.map(|next| next.pc[1]), Some(next_does));
    }
}
