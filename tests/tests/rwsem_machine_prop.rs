//! Random programs of up to eight tasks on the machine: BatchQueue keeps its promises, and a walk like it finds what each other
//! design breaks. The bounds on overtaking are counted here, not by the machine.

use conformance::random::runner;
use interlock::rwsem::machine::{Action, Kind, Machine, Pc, State};
use interlock::rwsem::policy::Policy;
use proptest::prelude::*;
use proptest::test_runner::TestError;

/// A machine on its way, with the history that a bound on overtaking is about.
struct Walk {
    machine: Machine,
    state: State,
    /// For each waiter, who was queued before it and still is.
    older: Vec<Vec<usize>>,
    /// For each waiter, how many readers and how many writers got the lock past it.
    overtaken: Vec<(usize, usize)>,
}

impl Walk {
    fn new(machine: Machine) -> Walk {
        Walk {
            state: machine.init(),
            older: vec![Vec::new(); machine.kinds.len()],
            overtaken: vec![(0, 0); machine.kinds.len()],
            machine,
        }
    }

    fn reads(&self, task: usize) -> bool {
        self.machine.kinds[task] == Kind::Reader
    }

    /// Takes one of the enabled actions.
    fn step(&mut self, choice: prop::sample::Index) {
        let actions = self.machine.actions(&self.state);
        let action = *choice.get(&actions);
        let next = self.machine.step(&self.state, action);
        let next = next.expect("an action that is offered is enabled");
        let tasks = 0..self.machine.kinds.len();
        let granted = |task: &usize| !holds(self.state.pc[*task]) && next.pc[*task] == Pc::Hold;
        let granted: Vec<usize> = tasks.clone().filter(granted).collect();
        for task in tasks {
            let waits = next.queue.contains(&task);
            let waited = self.state.queue.contains(&task);
            if waits && waited {
                for thief in granted
                    .iter()
                    .filter(|thief| !self.older[task].contains(thief))
                {
                    let (readers, writers) = &mut self.overtaken[task];
                    *(if self.machine.kinds[*thief] == Kind::Reader {
                        readers
                    } else {
                        writers
                    }) += 1;
                }
                self.older[task].retain(|other| !granted.contains(other));
            } else {
                self.overtaken[task] = (0, 0);
                self.older[task] = if waits {
                    self.state.queue.clone()
                } else {
                    Vec::new()
                };
            }
        }
        self.state = next;
    }

    /// What BatchQueue promises of every state; the first that is broken.
    fn broken(&self) -> Option<&'static str> {
        let State { pc, queue, .. } = &self.state;
        let tasks = 0..pc.len();
        let holders = pc.iter().filter(|pc| holds(**pc)).count();
        let write_held = tasks
            .clone()
            .any(|task| !self.reads(task) && pc[task] == Pc::Hold);
        if write_held && holders > 1 {
            return Some("exclusion");
        }
        let enabled = |action: Action| self.machine.step(&self.state, action).is_some();
        let mut acting = tasks.clone().flat_map(|task| {
            [Action::Wake, Action::Take, Action::Steal].map(|action| action(task))
        });
        if holders == 0 && !queue.is_empty() && !acting.any(enabled) {
            return Some("an idle lock with waiters");
        }
        if queue
            .chunk_by(|a, b| self.reads(*a) == self.reads(*b))
            .count()
            > 3
        {
            return Some("more than three batches");
        }
        let readers = tasks.clone().filter(|task| self.reads(*task)).count();
        for task in tasks {
            let (by_readers, by_writers) = self.overtaken[task];
            if by_writers > 0 {
                return Some(if self.reads(task) {
                    "a writer overtakes a reader"
                } else {
                    "a writer overtakes a writer"
                });
            }
            if self.reads(task) && by_readers > 0 {
                return Some("a reader overtakes a reader");
            }
            if !self.reads(task) && by_readers > readers.saturating_sub(1) {
                return Some("too many readers overtake a writer");
            }
        }
        None
    }
}

fn holds(pc: Pc) -> bool {
    matches!(pc, Pc::Hold | Pc::Shared | Pc::Dwake)
}

/// Up to eight tasks, readers and writers, some of which may downgrade; and which of the enabled actions is taken each time.
fn programs() -> impl Strategy<Value = (usize, usize, u8, Vec<prop::sample::Index>)> {
    let sizes = (1..=8usize).prop_flat_map(|tasks| (0..=tasks, Just(tasks)));
    let choices = prop::collection::vec(any::<prop::sample::Index>(), 1..300);
    (sizes, any::<u8>(), choices)
        .prop_map(|((readers, tasks), mask, choices)| (readers, tasks - readers, mask, choices))
}

fn walk(
    policy: Policy,
    (readers, writers, mask, choices): (usize, usize, u8, Vec<prop::sample::Index>),
) -> Result<(), TestCaseError> {
    let mut machine = Machine::new(readers, writers, policy);
    let may_downgrade = |task| task >= readers && mask >> task & 1 == 1;
    machine.downgraders = (0..readers + writers).map(may_downgrade).collect();
    let mut walk = Walk::new(machine);
    for choice in choices {
        walk.step(choice);
        if let Some(broken) = walk.broken() {
            return Err(TestCaseError::fail(broken));
        }
    }
    Ok(())
}

#[test]
fn batch_queue_keeps_its_promises() {
    let found =
        runner(3000, u32::MAX).run(&programs(), |program| walk(Policy::BATCH_QUEUE, program));
    assert!(found.is_ok(), "{found:#?}");
}

/// The control: each promise is broken by a design that does not make it.
#[test]
fn the_walk_finds_what_other_designs_break() {
    let designs = [
        ("WilcoxV0", Policy::WILCOX_V0, "exclusion"),
        (
            "HandoffWakeSkip",
            Policy::HANDOFF_WAKE_SKIP,
            "an idle lock with waiters",
        ),
        ("StrictFifo", Policy::STRICT_FIFO, "more than three batches"),
        (
            "Rule3NoGuard",
            Policy::RULE3_NO_GUARD,
            "a writer overtakes a reader",
        ),
        ("Xadd420", Policy::XADD420, "a writer overtakes a writer"),
        (
            "ReaderPref",
            Policy::READER_PREF,
            "a reader overtakes a reader",
        ),
        (
            "ReaderPref",
            Policy::READER_PREF,
            "too many readers overtake a writer",
        ),
    ];
    for (name, policy, promise) in designs {
        let of_promise = |program| match walk(policy, program) {
            Err(TestCaseError::Fail(broken)) if broken.message() != promise => Ok(()),
            other => other,
        };
        let found = runner(3000, u32::MAX).run(&programs(), of_promise);
        assert!(
            matches!(found, Err(TestError::Fail(..))),
            "{name}: {promise} is not broken"
        );
    }
}

fn any_pc() -> impl Strategy<Value = Pc> {
    prop::sample::select(vec![
        Pc::Idle,
        Pc::Spin,
        Pc::Wait,
        Pc::Try,
        Pc::Hold,
        Pc::Shared,
        Pc::Dwake,
        Pc::Wake,
    ])
}

/// The machine is total: any state, reachable or not, even of another size, and any task.
#[test]
fn no_state_and_no_action_makes_it_panic() {
    let pc = prop::collection::vec(any_pc(), 0..5);
    let queue = prop::collection::vec(0..5usize, 0..5);
    let policy = prop::sample::select(Policy::NAMED.to_vec());
    let states = (policy, pc, queue, any::<bool>(), any::<bool>(), 0..6usize);
    let found = runner(20_000, u32::MAX).run(
        &states,
        |((_, policy), pc, queue, expired, handoff, task)| {
            let machine = Machine::new(2, 2, policy);
            let state = State {
                pc,
                queue,
                expired,
                handoff,
            };
            let ours = state.pc.len() == 4 && state.queue.iter().all(|task| *task < 4);
            let offered = machine.actions(&state);
            prop_assert!(ours || offered.is_empty());
            for action in [
                Action::Enter(task),
                Action::Queue(task),
                Action::Wake(task),
                Action::DowngradeWake(task),
                Action::Sleep(task),
            ] {
                let next = machine.step(&state, action);
                prop_assert_eq!(next.is_some(), offered.contains(&action));
            }
            Ok(())
        },
    );
    assert!(found.is_ok(), "{found:#?}");
}
