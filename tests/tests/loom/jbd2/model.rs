//! A model: a small journal, a thread for each plain task, one for each page and its worker, and perhaps one that commits.

use std::sync::{Arc, Mutex};

use conformance::jbd2_log::{Log, Logged, replay, task, who};
use conformance::symptom::assert_found;
use conformance::traces;
use interlock::jbd2::admission::Admission;
use interlock::jbd2::machine::{Credits, Load, Machine, Pc, Sizes, State, TState, Task};
use interlock::jbd2::numbers::Numbers;
use interlock::jbd2::probe::{Probe, Step};
use interlock::jbd2::recorder::Recorder;
use interlock::jbd2::rules::Rules;
use interlock::jbd2::space::Nothing;

use crate::dio::sys::{LoomSys, NONE};
use crate::explored::{self, Figures, assert_shown, look};

/// What is run.
#[derive(Clone)]
pub struct Model {
    pub sizes: Sizes,
    pub load: Load,
    /// There is a commit thread.
    pub commits: bool,
    /// A plain thread that has stopped its handle asks for a commit, and waits for it.
    pub asks: bool,
    /// The last plain task has its handle, and asks for a commit, before the other threads run.
    pub one_is_first: bool,
}

/// No tasks.
pub const NOBODY: Load = Load {
    plain: 0,
    pages: 0,
    cost: 0,
    uses: 0,
    extra: 0,
    convert_extra: 0,
    page_cost: 0,
    page_uses: 0,
    reserve: 0,
    convert_uses: 0,
};

/// What some path has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// A start waits for a commit.
    WaitsForCommit,
    /// A start takes the checkpoint's mutex, and gets space by a checkpoint.
    Checkpoints,
    /// A start with the mutex finds that only a commit can bring space.
    WaitsForSpace,
    /// A start waits for j_checkpoint_mutex while another has it.
    TwoWaitForSpace,
    /// A start waits for reserved credits.
    WaitsForReserved,
    /// Two do at once.
    TwoWaitForReserved,
    /// A reserved handle joins a LOCKED transaction.
    JoinsLocked,
}

impl Sight {
    fn is(self, step: Step, now: &Numbers, state: &State) -> bool {
        let count = |which: Pc| state.pc.iter().filter(|pc| **pc == which).count();
        let waiting = count(Pc::WaitReserved) + count(Pc::WaitRoom);
        match self {
            Sight::TwoWaitForSpace => now.mutex.is_some() && count(Pc::Space) > 0,
            Sight::WaitsForCommit => matches!(step, Step::Try(_, Pc::WaitLocked)),
            Sight::Checkpoints => matches!(step, Step::MakeSpace(_, Pc::Space)),
            Sight::WaitsForSpace => matches!(step, Step::MakeSpace(_, Pc::WaitCommit)),
            Sight::WaitsForReserved => waiting > 0,
            Sight::TwoWaitForReserved => waiting > 1,
            Sight::JoinsLocked => {
                matches!(step, Step::TryReserved(_, Pc::Attached))
                    && now.running.state == TState::Locked
            }
        }
    }
}

type Journal<R> = Admission<R, LoomSys<NONE>, Log>;

fn number(credits: Credits) -> u32 {
    u32::try_from(credits).expect("a small number")
}

/// A plain task: one handle.
fn plain<R: Rules>(journal: &Journal<R>, model: &Model, p: usize) {
    let load = &model.load;
    let started = journal.start(who(Task::Plain(p)), number(load.cost), 0, &Nothing);
    let ticket = started.expect("it fits");
    journal.stop(ticket, number(load.uses));
    if model.asks
        && let Some(tid) = journal.ask_commit()
    {
        journal.wait_commit(tid).expect("the journal is good");
    }
}

/// A writepages thread: one handle, and then its worker's.
fn pages<R: Rules>(journal: &Journal<R>, model: &Model, w: usize) {
    let load = &model.load;
    let (cost, reserve) = (number(load.page_cost), number(load.reserve));
    let started = journal.start(who(Task::Pages(w)), cost, reserve, &Nothing);
    let ticket = started.expect("it fits");
    let reservation = journal.stop(ticket, number(load.page_uses));
    let reservation = reservation.expect("it was asked for");
    let started = journal.start_reserved(who(Task::Worker(w)), reservation);
    journal.stop(started.expect("it joins"), number(load.convert_uses));
}

fn commit<R: Rules>(journal: &Journal<R>) {
    while let Some(committing) = journal.next_commit() {
        journal
            .wrote(number(committing.log + 2))
            .expect("there is space");
        journal.ended();
    }
}

fn run<R: Rules>(journal: &Arc<Journal<R>>, model: &Model) {
    let spawn = |body: fn(&Journal<R>, &Model, usize), number: usize| {
        let (journal, model) = (journal.clone(), model.clone());
        loom::thread::spawn(move || body(&journal, &model, number))
    };
    let first = usize::from(model.one_is_first);
    if model.one_is_first {
        plain(journal, model, model.load.plain - 1);
        journal.ask_commit();
    }
    let committer = model
        .commits
        .then(|| spawn(|journal, _, _| commit(journal), 0));
    let others: Vec<_> = (1..model.load.pages)
        .map(|w| spawn(pages, w))
        .chain(
            (usize::from(model.load.pages == 0)..model.load.plain - first).map(|p| spawn(plain, p)),
        )
        .collect();
    match model.load.pages {
        0 => plain(journal, model, 0),
        _ => pages(journal, model, 0),
    }
    for other in others {
        other.join().expect("no thread panics");
    }
    journal.close();
    if let Some(committer) = committer {
        committer.join().expect("no thread panics");
    }
}

/// Runs every schedule with at most `preemptions` preemptions, and checks each; some path must show each of `sights`. `each` gets
/// every distinct log.
pub fn explore<R: Rules>(
    name: &str,
    model: &Model,
    preemptions: usize,
    sights: &[Sight],
    each: impl Fn(&[Logged]) + Send + Sync + 'static,
) -> Figures {
    let (of_run, of_judge) = (model.clone(), model.clone());
    let looked_for = sights.to_vec();
    let run = move || {
        let journal = Arc::new(Journal::<R>::new(of_run.sizes, Log::default()));
        run(&journal, &of_run);
        let steps = journal.probe().taken();
        let path: Vec<Step> = steps.iter().map(|(step, _)| *step).collect();
        (path, steps)
    };
    let judge = move |_: Vec<Step>, steps: &Vec<Logged>, shown: &mut Vec<Sight>| {
        each(steps);
        let machine = Machine::new(R::POLICY, of_judge.sizes, of_judge.load);
        let states = replay(&machine, steps).unwrap_or_else(|error| panic!("{error}"));
        let ends = &states[steps.len()].pc;
        assert!(ends.iter().all(|pc| *pc == Pc::Idle), "a task is at it");
        for ((step, now), state) in steps.iter().zip(&states[1..]) {
            look(&looked_for, |sight| sight.is(*step, now, state), shown);
        }
    };
    let (figures, shown) = explored::explore(name, Some(preemptions), run, judge);
    assert_shown(name, sights, &shown);
    figures
}

/// Explores; the figures must be these, so that a model that explores less is noticed.
pub fn holds<R: Rules>(
    name: &str,
    model: &Model,
    preemptions: usize,
    sights: &[Sight],
    [iterations, paths]: [usize; 2],
) {
    let figures = explore::<R>(name, model, preemptions, sights, |_| {});
    assert_eq!(figures, Figures { iterations, paths }, "{name}");
}

/// The same; and each log, as a trace, is one that the machine accepts; returns them.
pub fn holds_as_traces<R: Rules>(
    name: &str,
    model: &Model,
    preemptions: usize,
    sights: &[Sight],
    [iterations, paths]: [usize; 2],
) -> Vec<String> {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let machine = Machine::new(R::POLICY, model.sizes, model.load);
    let keeps = kept.clone();
    let figures = explore::<R>(name, model, preemptions, sights, move |steps| {
        let recorder = Recorder::new();
        for (step, now) in steps {
            recorder.step(*step, now);
        }
        let text = recorder.to_text("a loom execution", &machine, task);
        keeps.lock().expect("no check has failed before").push(text);
    });
    assert_eq!(figures, Figures { iterations, paths }, "{name}");
    let texts = std::mem::take(&mut *kept.lock().expect("no check has failed"));
    assert_eq!(texts.len(), paths, "{name}: a path is a trace");
    traces::accepted(name, "jbd2", &texts);
    texts
}

/// Explores with rules at fault, which must be found by a panic that says `symptom`.
pub fn finds<R: Rules>(name: &str, model: &Model, preemptions: usize, symptom: &str) {
    assert_found(name, &[symptom], || {
        explore::<R>(name, model, preemptions, &[], |_| {})
    });
}
