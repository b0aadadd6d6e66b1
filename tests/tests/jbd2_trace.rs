//! What threads do with a journal, recorded, is a behaviour of `Jbd2Credits`: see `docs/traces.md`.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use anyhow::{Result, ensure};
use conformance::in_time::PATIENCE;
use conformance::jbd2_log::{Log, task, waits_for_reserved, who};
use conformance::traces::{by_both, by_machine, in_order, later, one};
use interlock::jbd2::admission::Admission;
use interlock::jbd2::machine::{Credits, Load, Machine, Pc, Sizes, TState, Task};
use interlock::jbd2::numbers::Numbers;
use interlock::jbd2::policy::Policy;
use interlock::jbd2::probe::{Probe, Step, Who};
use interlock::jbd2::recorder::Recorder;
use interlock::jbd2::rules::{HandOver, Release, Rules, WakeAll};
use interlock::jbd2::space::Nothing;
use interlock::sys::StdSys;
use interlock_traces::recording::{Event, Trace};
use interlock_traces::validate::edits::Edit;

/// A log so small that commits, checkpoints and all waits happen.
const SIZES: Sizes = Sizes {
    log: 56,
    max: 20,
    overhead: 2,
    slack: 4,
};

fn load(threads: usize) -> Load {
    Load {
        plain: threads,
        pages: threads,
        cost: 3,
        uses: 2,
        extra: 1,
        convert_extra: 0,
        page_cost: 1,
        page_uses: 1,
        reserve: 6,
        convert_uses: 1,
    }
}

fn number(credits: Credits) -> u32 {
    u32::try_from(credits).expect("a small number")
}

type Journal<R> = Admission<R, StdSys, Recorder>;

/// One plain handle, one with a reservation, and sometimes a commit that is waited for.
fn play<R: Rules>(journal: &Journal<R>, load: &Load, thread: usize, round: usize) {
    let (cost, uses, extra) = (number(load.cost), number(load.uses), number(load.extra));
    let started = journal.start(who(Task::Plain(thread)), cost, 0, &Nothing);
    let mut ticket = started.expect("it fits");
    thread::yield_now();
    let mut spends = uses;
    if round.is_multiple_of(2) {
        if journal.extend(&mut ticket, extra) {
            spends += extra;
        } else {
            let restarted = journal.restart(ticket, cost, uses, &Nothing);
            ticket = restarted.expect("it fits");
        }
    }
    journal.stop(ticket, spends);

    let (cost, uses) = (number(load.page_cost), number(load.page_uses));
    let reserve = number(load.reserve);
    let started = journal.start(who(Task::Pages(thread)), cost, reserve, &Nothing);
    let ticket = started.expect("it fits");
    thread::yield_now();
    if round.is_multiple_of(3) {
        journal.stop_unreserved(ticket, uses);
    } else {
        let reservation = journal.stop(ticket, uses);
        let reservation = reservation.expect("it was asked for");
        let started = journal.start_reserved(who(Task::Worker(thread)), reservation);
        journal.stop(started.expect("it joins"), number(load.convert_uses));
    }

    if round.is_multiple_of(5)
        && let Some(tid) = journal.ask_commit()
    {
        journal.wait_commit(tid).expect("the journal is good");
    }
}

/// The commit thread; two blocks beside what was dirtied, as in the machine.
fn commit<R: Rules, P: Probe>(journal: &Admission<R, StdSys, P>) {
    while let Some(committing) = journal.next_commit() {
        let blocks = number(committing.log + 2);
        journal.wrote(blocks).expect("there is space");
        journal.ended();
    }
}

/// A stress run of so many threads and a commit thread, recorded, to be judged by this policy.
fn record<R: Rules>(threads: usize, rounds: usize, policy: Policy) -> Result<Trace> {
    let load = load(threads);
    let journal = Arc::new(Journal::<R>::new(SIZES, Recorder::new()));
    thread::scope(|scope| {
        let commits = scope.spawn(|| commit(&journal));
        let threads: Vec<_> = (0..threads)
            .map(|thread| {
                let (journal, load) = (&journal, &load);
                scope
                    .spawn(move || (0..rounds).for_each(|round| play(journal, load, thread, round)))
            })
            .collect();
        for thread in threads {
            thread.join().expect("no thread panics");
        }
        journal.close();
        commits.join().expect("no thread panics");
    });
    let machine = Machine::new(policy, SIZES, load);
    let text = journal.probe().to_text("a stress run", &machine, task);
    one(&text)
}

/// Records, and lets the test see what is recorded.
#[derive(Default)]
struct Seen(Recorder, Log);

impl Probe for Seen {
    fn about(&self, who: Option<Who>) {
        self.0.about(who);
        self.1.about(who);
    }

    fn step(&self, step: Step, now: &Numbers) {
        self.0.step(step, now);
        self.1.step(step, now);
    }
}

/// Waits until it is so.
fn until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "it hangs");
        thread::yield_now();
    }
}

/// A run in which somebody waits for reserved credits, for a locked transaction and for space, whoever runs when.
fn all_waits<R: Rules>(policy: Policy) -> Result<Trace> {
    let load = load(2);
    let journal = Admission::<R, StdSys, Seen>::new(SIZES, Seen::default());
    let start = |task| {
        let (credits, reserve) = match task {
            Task::Pages(_) => (load.page_cost, load.reserve),
            _ => (load.cost, 0),
        };
        let started = journal.start(who(task), number(credits), number(reserve), &Nothing);
        started.expect("it fits")
    };
    let takes = |is_meant: &dyn Fn(Step) -> bool| {
        until(|| {
            journal
                .probe()
                .1
                .taken()
                .iter()
                .any(|(taken, _)| is_meant(*taken))
        })
    };
    let (uses, page_uses) = (number(load.uses), number(load.page_uses));
    thread::scope(|scope| {
        let commits = scope.spawn(|| commit(&journal));
        // Two reservations are more than there may be.
        let ticket = start(Task::Pages(0));
        let waiter = scope.spawn(|| journal.stop_unreserved(start(Task::Pages(1)), page_uses));
        takes(&|step| waits_for_reserved(step) == Some(who(Task::Pages(1))));
        journal.stop_unreserved(ticket, page_uses);
        waiter.join().expect("it gets its credits");
        // A commit locks the transaction, and waits for its handle.
        let ticket = start(Task::Plain(0));
        journal.ask_commit();
        until(|| journal.numbers().running.state == TState::Locked);
        let waiter = scope.spawn(|| journal.stop(start(Task::Plain(1)), uses));
        takes(&|step| step == Step::Try(who(Task::Plain(1)), Pc::WaitLocked));
        journal.stop(ticket, uses);
        waiter.join().expect("it gets the next one");
        // More than the log has blocks are written.
        for _ in 0..SIZES.log / load.uses {
            journal.stop(start(Task::Plain(0)), uses);
            if let Some(tid) = journal.ask_commit() {
                journal.wait_commit(tid).expect("the journal is good");
            }
        }
        journal.close();
        commits.join().expect("no thread panics");
    });
    let machine = Machine::new(policy, SIZES, load);
    let text = journal.probe().0.to_text("all waits", &machine, task);
    one(&text)
}

/// The short runs are for TLC too.
#[test]
fn stress_runs_are_behaviours() -> Result<()> {
    let short = [
        all_waits::<WakeAll>(Policy::UPSTREAM)?,
        all_waits::<HandOver>(Policy::HAND_OVER)?,
        record::<WakeAll>(2, 8, Policy::UPSTREAM)?,
        record::<HandOver>(3, 8, Policy::HAND_OVER)?,
    ];
    let long = [
        record::<WakeAll>(4, 60, Policy::UPSTREAM)?,
        record::<HandOver>(4, 60, Policy::HAND_OVER)?,
    ];
    for (place, run) in short.iter().chain(&long).enumerate() {
        let does = |pc: &str| {
            let is = |event: &&Event| event.sees.values().any(|seen| *seen == format!("{pc:?}"));
            run.events.iter().filter(is).count()
        };
        let waits = ["wait-locked", "wait-reserved", "space"];
        let waits = waits.map(|pc| (pc, does(pc)));
        println!("{} events; waits: {waits:?}", run.events.len());
        let all_happen = waits.iter().all(|(_, count)| *count > 0);
        ensure!(all_happen || place > 1, "some wait does not happen");
    }
    let accepted = by_both("jbd2-stress", "jbd2", &short)?;
    ensure!(accepted.len() == 4, "of the short ones only {accepted:?}");
    let accepted = by_machine("jbd2", &long)?;
    ensure!(accepted.len() == 2, "of the long ones only {accepted:?}");
    Ok(())
}

#[test]
fn edited_runs_are_refused() -> Result<()> {
    let mut run = record::<WakeAll>(2, 8, Policy::UPSTREAM)?;
    in_order(&mut run);
    for edit in [Edit::Other, Edit::More, Edit::Repeat] {
        let edited: Vec<Trace> = edit.all(&run).into_iter().step_by(9).collect();
        let accepted = by_machine("jbd2", &edited)?;
        println!("{edit:?}: {} runs", edited.len());
        ensure!(accepted.is_empty(), "{edit:?} at {accepted:?}");
    }
    Ok(())
}

/// Reservations take more than half of a transaction.
struct ReservesAll;

impl Rules for ReservesAll {
    const POLICY: Policy = Policy::NO_TEST4;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        (0..release.waiting()).collect()
    }
}

/// Who stops a handle gives all of its credits back.
struct GivesAllBack;

impl Rules for GivesAllBack {
    const POLICY: Policy = Policy::STOP_GIVES_ALL_BACK;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        (0..release.waiting()).collect()
    }
}

/// Two pages' handles, in one thread, to be judged by this policy.
fn two_pages<R: Rules>(policy: Policy) -> Result<Trace> {
    let load = load(2);
    let journal = Journal::<R>::new(SIZES, Recorder::new());
    let start = |page| {
        let (cost, reserve) = (number(load.page_cost), number(load.reserve));
        journal.start(who(Task::Pages(page)), cost, reserve, &Nothing)
    };
    let uses = number(load.page_uses);
    let first = start(0)?;
    if R::POLICY == Policy::NO_TEST4 {
        journal.stop_unreserved(start(1)?, uses);
    }
    journal.stop_unreserved(first, uses);
    let machine = Machine::new(policy, SIZES, load);
    let text = journal.probe().to_text("a faulty run", &machine, task);
    one(&text)
}

#[test]
fn who_comes_later_is_recorded_so() -> Result<()> {
    let load = load(2);
    let journal = Journal::<WakeAll>::new(SIZES, Recorder::new());
    let handle = |thread| {
        let (cost, uses) = (number(load.cost), number(load.uses));
        let started = journal.start(who(Task::Plain(thread)), cost, 0, &Nothing);
        journal.stop(started.expect("it fits"), uses);
        let machine = Machine::new(Policy::UPSTREAM, SIZES, load);
        let text = journal.probe().to_text("two handles", &machine, task);
        one(&text)
    };
    let first = handle(0)?;
    let second =
        thread::scope(|scope| scope.spawn(|| handle(1)).join().expect("it does not panic"))?;
    later(&first, &second);
    Ok(())
}

/// A fault's record is refused, and is a behaviour of the variant that has the fault.
#[test]
fn faulty_runs_are_refused() -> Result<()> {
    let today = [
        two_pages::<ReservesAll>(Policy::UPSTREAM)?,
        two_pages::<GivesAllBack>(Policy::UPSTREAM)?,
        two_pages::<WakeAll>(Policy::UPSTREAM)?,
    ];
    let accepted = by_both("jbd2-faults", "jbd2", &today)?;
    ensure!(accepted.into_iter().eq([2]), "all but the faults");
    let variants = [
        two_pages::<ReservesAll>(Policy::NO_TEST4)?,
        two_pages::<GivesAllBack>(Policy::STOP_GIVES_ALL_BACK)?,
    ];
    let accepted = by_machine("jbd2", &variants)?;
    ensure!(accepted.len() == 2, "of the variants only {accepted:?}");
    Ok(())
}
