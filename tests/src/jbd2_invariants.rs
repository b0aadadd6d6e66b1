//! The invariants I1 to I7 of `Integrity.tla`, on a state of the machine.

use interlock::jbd2::machine::{Credits, Machine, Pc, State, TState, Task};
use interlock::jbd2::policy::Conversion;

/// An invariant; in the specification an operator of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invariant {
    /// I1: a transaction that is about to commit keeps to its largest size.
    CreditsInBounds,
    /// I2: no more blocks are logged than there are credits.
    LoggedWithinCredits,
    /// The same of a commit, which has taken off what is reserved.
    CommitWithinCredits,
    /// I3: the log never runs full under a commit.
    CommitNeverNeedsSpace,
    /// I4: reservations are counted, and take half of a transaction at most.
    ReservedIsReserved,
    /// I5: no credit is lost or made.
    CreditsConserved,
    /// I6: the log's space is conserved.
    SpaceConserved,
    /// I7: a handle's transaction takes updates.
    HandlesAreInTime,
}

impl Invariant {
    /// All of them, I1 first.
    pub const ALL: [Invariant; 8] = [
        Invariant::CreditsInBounds,
        Invariant::LoggedWithinCredits,
        Invariant::CommitWithinCredits,
        Invariant::CommitNeverNeedsSpace,
        Invariant::ReservedIsReserved,
        Invariant::CreditsConserved,
        Invariant::SpaceConserved,
        Invariant::HandlesAreInTime,
    ];

    /// Whether it holds in the state.
    pub fn holds(self, machine: &Machine, state: &State) -> bool {
        let running = &state.running;
        match self {
            Invariant::CreditsInBounds => {
                running.state != TState::Switch || running.out <= machine.sizes.max
            }
            Invariant::LoggedWithinCredits => running.log <= running.out,
            Invariant::CommitWithinCredits => {
                let commit = &state.committing;
                commit.state != TState::Flush || commit.log <= commit.out
            }
            Invariant::CommitNeverNeedsSpace => state.free >= 1,
            Invariant::ReservedIsReserved => {
                let promised = machine.load.reserve * state.promised.len() as Credits;
                let reserved = reservations(machine, state);
                state.reserved == reserved + undoing(state) * machine.load.reserve
                    && reserved + promised <= user_max(machine).div_euclid(2)
            }
            Invariant::CreditsConserved => {
                let handles: Credits = attached(machine, state).map(|(_, has)| has).sum();
                running.state == TState::None
                    || running.out
                        == machine.sizes.overhead
                            + state.reserved
                            + running.log
                            + handles
                            + undoing(state) * machine.load.page_cost
            }
            Invariant::SpaceConserved => {
                let committing = match state.committing.state {
                    TState::Tail => state.committing.log + 2,
                    _ => 0,
                };
                let waiting: Credits = state.checkpoint.iter().sum();
                state.free == machine.sizes.log - waiting - committing
            }
            Invariant::HandlesAreInTime => {
                let mut attached = attached(machine, state);
                matches!(running.state, TState::Running | TState::Locked)
                    || attached.next().is_none()
            }
        }
    }
}

/// `UserMax`.
fn user_max(machine: &Machine) -> Credits {
    let sizes = &machine.sizes;
    if machine.policy.usermax {
        sizes.max - sizes.overhead
    } else {
        sizes.max
    }
}

/// Who has a handle, and the credits of it (`Attached`, `Has`).
fn attached<'a>(
    machine: &'a Machine,
    state: &'a State,
) -> impl Iterator<Item = (Task, Credits)> + 'a {
    let tasks = machine.tasks().into_iter().zip(&state.pc);
    tasks.filter_map(|(task, pc)| {
        let credits = match task {
            Task::Plain(_) => machine.load.cost,
            Task::Pages(_) => machine.load.page_cost,
            Task::Worker(_) => machine.load.reserve,
        };
        match pc {
            Pc::Attached | Pc::Denied => Some((task, credits)),
            Pc::Extended => Some((task, credits + extras(machine, task))),
            _ => None,
        }
    })
}

/// `Extras`.
fn extras(machine: &Machine, task: Task) -> Credits {
    match task {
        Task::Plain(_) => machine.load.extra,
        Task::Pages(_) => 0,
        Task::Worker(_) => machine.load.convert_extra,
    }
}

/// How many have reserved too much, and are to take it back (`Undoing`).
fn undoing(state: &State) -> Credits {
    state.pc.iter().filter(|pc| **pc == Pc::Undo).count() as Credits
}

/// `Reservations`: of writepages threads in their handles, and of pages whose worker has no handle yet.
fn reservations(machine: &Machine, state: &State) -> Credits {
    if machine.policy.conversion == Conversion::Ordinary {
        return 0;
    }
    let has_handle = |task: Task| attached(machine, state).any(|(other, _)| other == task);
    let reserves = |page: usize| {
        let in_handle = has_handle(Task::Pages(page));
        let worker = machine.place(Task::Worker(page));
        let is_refused = worker.is_some_and(|place| state.pc[place] == Pc::Refused);
        let to_convert = state.writeback[page] && !has_handle(Task::Worker(page)) && !is_refused;
        Credits::from(in_handle) + Credits::from(to_convert)
    };
    let count: Credits = (0..machine.load.pages).map(reserves).sum();
    machine.load.reserve * count
}
