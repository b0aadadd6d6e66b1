//! The threads of a machine's tasks, and the strings that they hang on.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread::JoinHandle;

use conformance::cast::{Cast, Puppets};
use conformance::file_atomicity::{Left, file, perform, writers};
use conformance::strings::Strings;
use interlock::range::atomicity::file::RangedFile;
use interlock::range::atomicity::machine::{Action, Machine, State, Step};
use interlock::range::atomicity::probe::Probe;
use interlock::range::atomicity::rules::Specified;

/// What the threads are about to do, and what they have done.
#[derive(Default)]
struct Seen {
    /// The steps that threads are about to take, and may not yet.
    held: BTreeSet<Action>,
    /// Steps taken, not yet looked at.
    steps: Vec<Action>,
    /// The play is over: all may go on.
    over: bool,
}

/// The strings of one task's operation.
struct Held(Arc<Strings<Seen>>, usize);

impl Probe for Held {
    fn about(&self, step: Step) {
        let Held(strings, task) = self;
        let action = Action { task: *task, step };
        strings.hang(
            |seen| !seen.over && seen.held.insert(action),
            |seen| !seen.held.contains(&action),
        );
    }

    fn step(&self, step: Step) {
        let task = self.1;
        self.0.with(|seen| seen.steps.push(Action { task, step }));
    }
}

struct Stage<'a> {
    machine: &'a Machine,
    file: Arc<RangedFile<Puppets, Specified>>,
    strings: Arc<Strings<Seen>>,
    threads: Vec<Option<JoinHandle<Vec<u8>>>>,
    /// What each that has ended has read.
    bytes: Vec<Vec<u8>>,
    state: State,
}

/// Drives threads of a file along a path of the machine, and says what they have left at its end.
///
/// # Errors
///
/// What a thread does that the path does not say, or does not do that it says, or where the file and the machine differ.
pub fn drive(machine: &Machine, path: &[Action]) -> Result<Left, String> {
    let mut stage = Stage::new(machine);
    let mut follow = || path.iter().try_for_each(|&action| stage.take(action));
    let result = follow();
    let file = writers(machine, &stage.file.snapshot());
    let mut read = stage.clear();
    result?;
    for (read, (op, at)) in read.iter_mut().zip(machine.ops.iter().zip(&stage.state.at)) {
        // What it has read since, as it was let go, is not of the path.
        read.truncate(at - op.cells.start);
    }
    Ok(Left { read, file })
}

/// Has one task begin, and another ask for its locks: whether that waits until the first has ended.
///
/// # Errors
///
/// If either does anything else.
pub fn waits(machine: &Machine, first: usize, second: usize) -> Result<bool, String> {
    let mut stage = Stage::new(machine);
    let result = stage.waits(first, second);
    stage.clear();
    result
}

impl<'a> Stage<'a> {
    /// Lets a thread take the step that it is about to take.
    fn let_go(&self, action: Action) -> Result<(), String> {
        self.strings.wait(&format!("about to {action:?}"), |seen| {
            let held = seen.held.remove(&action);
            held.then(|| self.strings.cast.goes_on())
        })
    }

    /// Waits until a thread has taken a step, which must be this.
    fn told(&self, action: Action) -> Result<(), String> {
        let told = self
            .strings
            .wait(&format!("{action:?}"), |seen| seen.steps.pop())?;
        match told == action {
            true => Ok(()),
            false => Err(format!("told {told:?}, expected {action:?}")),
        }
    }

    fn new(machine: &'a Machine) -> Self {
        let strings = Arc::new(Strings::<Seen>::new(Cast::directed()));
        Stage {
            machine,
            file: Arc::new(file(machine)),
            strings,
            threads: machine.ops.iter().map(|_| None).collect(),
            bytes: vec![Vec::new(); machine.ops.len()],
            state: machine.init(),
        }
    }

    /// Starts the thread of a task, which goes as far as its first step.
    fn call(&mut self, task: usize) {
        let (file, machine) = (self.file.clone(), self.machine.clone());
        let held = Held(self.strings.clone(), task);
        let body = move || perform(&file, &machine, task, &held);
        self.threads[task] = Some(self.strings.cast.spawn(body));
    }

    /// Has one step taken, waits until its thread has come to rest, and compares.
    fn take(&mut self, action: Action) -> Result<(), String> {
        if action.step == Step::Begin {
            self.call(action.task);
        }
        self.let_go(action)?;
        self.is_taken(action)
    }

    /// A step that its thread was let go for is taken.
    fn is_taken(&mut self, action: Action) -> Result<(), String> {
        let next = self.machine.step(&self.state, action);
        self.told(action)?;
        self.state = next.ok_or_else(|| format!("{action:?} is not enabled"))?;
        let Action { task, .. } = action;
        match self.machine.next(&self.state, task) {
            Some(step) => {
                let next = Action { task, step };
                let is_about = |seen: &mut Seen| seen.held.contains(&next).then_some(());
                self.strings.wait(&format!("about to {next:?}"), is_about)?;
            }
            None => self.join(task),
        }
        let last = self
            .state
            .content
            .iter()
            .map(|writes| writes.last().copied());
        let (is, expected) = (
            writers(self.machine, &self.file.snapshot()),
            last.collect::<Vec<_>>(),
        );
        match is == expected {
            true => Ok(()),
            false => Err(format!(
                "{action:?}: the cells are {is:?}, expected {expected:?}"
            )),
        }
    }

    fn waits(&mut self, first: usize, second: usize) -> Result<bool, String> {
        let begin = |task| Action {
            task,
            step: Step::Begin,
        };
        self.take(begin(first))?;
        self.call(second);
        self.let_go(begin(second))?;
        if self.told(begin(second)).is_ok() {
            return Ok(false);
        }
        while let Some(step) = self.machine.next(&self.state, first) {
            if step == Step::End {
                break;
            }
            self.take(Action { task: first, step })?;
        }
        let end = Action {
            task: first,
            step: Step::End,
        };
        self.let_go(end)?;
        // Both are told, in this order: the second has its locks after the first has told that it gives them back.
        self.strings.wait("the second begins", |seen| {
            (seen.steps.len() == 2).then_some(())
        })?;
        let told = self.strings.with(|seen| std::mem::take(&mut seen.steps));
        match told == [end, begin(second)] {
            true => Ok(true),
            false => Err(format!("told {told:?}")),
        }
    }

    /// Lets everybody go to the end, and says who wrote what each has read.
    fn clear(&mut self) -> Vec<Vec<Option<usize>>> {
        self.strings.with(|seen| {
            seen.over = true;
            let held = std::mem::take(&mut seen.held);
            held.iter().for_each(|_| self.strings.cast.goes_on());
        });
        (0..self.threads.len()).for_each(|task| self.join(task));
        let bytes = self.bytes.iter();
        bytes.map(|bytes| writers(self.machine, bytes)).collect()
    }

    /// Waits for the thread of a task to end, if there is one.
    fn join(&mut self, task: usize) {
        if let Some(thread) = self.threads[task].take() {
            self.bytes[task] = thread.join().expect("no thread panics");
        }
    }
}
