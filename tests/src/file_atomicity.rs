//! What specs/range/models.toml claims of each choice of a file's locks, and how it is judged: of a state of the machine as
//! `FileAtomicity.tla` says it, of a file by its bytes alone.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use interlock::range::atomicity::file::{CELL, Io, RangedFile, Shape};
use interlock::range::atomicity::machine::{Action, Machine, Pc, State};
use interlock::range::atomicity::policy::Kind;
use interlock::range::atomicity::probe::Probe;
use interlock::range::atomicity::rules::Rules;
use interlock::range::atomicity::sys::System;
use interlock_checker::manifest::{Expect, Manifest, Model};
use interlock_rwlock::probe::NoProbe;
use interlock_traces::machines::counterpart::Counterpart as _;
use interlock_traces::machines::file_atomicity::FileAtomicity;

use crate::corpus;

/// The module whose rows these are.
pub const MODULE: &str = "MCFileAtomicity";

/// What is in the file before the first write: nobody's bytes, and no zeroes.
pub const OLD: u8 = 0xee;

/// An invariant of `FileAtomicity.tla`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invariant {
    /// `ReadAtomic`.
    ReadAtomic,
    /// `WriteAtomic`.
    WriteAtomic,
    /// `NeverTogether` of these kinds and those.
    Serialises(&'static [Kind], &'static [Kind]),
}

impl Invariant {
    /// The one of this name; nothing for `TypeOK`.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Option<Invariant>> {
        use Kind::{DirectRead, DirectWrite, Read, Write};
        Ok(Some(match name {
            "TypeOK" => return Ok(None),
            "ReadAtomic" => Invariant::ReadAtomic,
            "WriteAtomic" => Invariant::WriteAtomic,
            "SerialisesWrites" => Invariant::Serialises(&[Write], &[Write]),
            "SerialisesReads" => Invariant::Serialises(&[Read], &[Write]),
            "SerialisesDirect" => Invariant::Serialises(&[DirectWrite], &[DirectWrite]),
            "SerialisesBuffered" => {
                Invariant::Serialises(&[Read, Write], &[DirectRead, DirectWrite])
            }
            other => bail!("there is no invariant {other}"),
        }))
    }

    /// Whether the state has it.
    pub fn holds(self, machine: &Machine, state: &State) -> bool {
        let ops = &machine.ops;
        let tasks =
            |reads: bool| (0..ops.len()).filter(move |&task| ops[task].kind.is_read() == reads);
        match self {
            Invariant::ReadAtomic => tasks(true).all(|read| {
                tasks(false).all(|write| {
                    let copied = ops[read].cells.start..state.at[read];
                    let shared = copied.filter(|cell| ops[write].cells.contains(cell));
                    let mut saw = shared.map(|cell| state.seen[read][cell].contains(&write));
                    let first = saw.next();
                    saw.all(|saw| Some(saw) == first)
                })
            }),
            Invariant::WriteAtomic => {
                let comes = |one: usize, two: usize| {
                    state.content.iter().any(|content| {
                        let place = |of| content.iter().position(|&write| write == of);
                        matches!((place(one), place(two)), (Some(one), Some(two)) if one < two)
                    })
                };
                tasks(false).all(|w| tasks(false).all(|x| w == x || !(comes(w, x) && comes(x, w))))
            }
            Invariant::Serialises(..) => {
                let copies = |task: usize| state.pc[task] == Pc::Copy;
                let pairs = self.pairs(machine).into_iter();
                pairs.filter(|&(t, u)| copies(t) && copies(u)).count() == 0
            }
        }
    }

    /// The pairs of tasks without a common cell that it says are never under way together.
    pub fn pairs(self, machine: &Machine) -> Vec<(usize, usize)> {
        let Invariant::Serialises(these, those) = self else {
            return Vec::new();
        };
        let ops = &machine.ops;
        let are = |t: usize, u: usize| {
            let shares =
                ops[t].cells.start < ops[u].cells.end && ops[u].cells.start < ops[t].cells.end;
            t != u && these.contains(&ops[t].kind) && those.contains(&ops[u].kind) && !shares
        };
        let all = (0..ops.len()).flat_map(|t| (0..ops.len()).map(move |u| (t, u)));
        all.filter(|&(t, u)| are(t, u)).collect()
    }
}

/// A row of the manifest.
pub struct Row {
    /// The row.
    pub model: Model,
    /// The machine of its constants.
    pub counterpart: FileAtomicity,
    /// What it says of each invariant that it is about: whether it holds.
    pub verdicts: Vec<(Invariant, bool)>,
}

/// Every row of the module.
///
/// # Errors
/// If the manifest cannot be read, or has a row that this does not understand.
pub fn rows() -> Result<Vec<Row>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    let models = manifest.models.into_iter();
    let rows = models.filter(|model| model.module == MODULE).map(|model| {
        let row = || -> Result<Row> {
            let asked = model.invariants.iter().map(|name| Invariant::named(name));
            let asked = asked.collect::<Result<Vec<_>>>()?.into_iter().flatten();
            let holds = match model.expect {
                Expect::Holds => true,
                Expect::Violates { .. } => false,
                Expect::Typed => bail!("it is not TLC's"),
            };
            Ok(Row {
                counterpart: FileAtomicity::new(&corpus::constants(&model))?,
                verdicts: asked.map(|invariant| (invariant, holds)).collect(),
                model: model.clone(),
            })
        };
        row().with_context(|| model.name.clone())
    });
    rows.collect()
}

/// A choice of locks at a size, and what the rows say of it.
pub struct Case {
    /// Design and size.
    pub name: String,
    /// The machine of its constants.
    pub counterpart: FileAtomicity,
    /// By invariant, of atomicity alone: whether it holds.
    pub verdicts: BTreeMap<Invariant, bool>,
}

/// The rows of a design about atomicity, a case a size.
///
/// # Errors
/// Those of [`rows`]; if two rows contradict each other.
pub fn cases(design: &str) -> Result<Vec<Case>> {
    let mut cases = BTreeMap::new();
    for row in rows()?.into_iter().filter(|row| row.model.design == design) {
        let name = format!("{design}-{}", row.model.size);
        let case = cases.entry(name.clone()).or_insert(Case {
            name,
            counterpart: row.counterpart,
            verdicts: BTreeMap::new(),
        });
        for (invariant, holds) in row.verdicts {
            let said = case.verdicts.insert(invariant, holds);
            if said.is_some_and(|said| said != holds) {
                bail!("{}: {invariant:?} holds, and does not", case.name);
            }
        }
    }
    let is_about = |case: &Case| {
        let mut about = case.verdicts.keys();
        about.any(|invariant| !matches!(invariant, Invariant::Serialises(..)))
    };
    Ok(cases.into_values().filter(is_about).collect())
}

/// A file as large as the machine's, full of [`OLD`] bytes.
pub fn file<S: System, R: Rules>(machine: &Machine) -> RangedFile<S, R> {
    let shape = Shape {
        cells: machine.cells(),
        folio_cells: machine.folio_cells,
        segment_cells: machine.segment_cells,
    };
    let file = RangedFile::on(shape, machine.policy);
    let old = vec![OLD; shape.cells * CELL];
    let written = file.perform(Io::Write(&old), 0, &NoProbe);
    written.expect("it is as long as the file");
    file
}

/// What a task writes.
fn byte_of(machine: &Machine, task: usize) -> u8 {
    match machine.ops[task].kind {
        Kind::Space => 0,
        _ => u8::try_from(task + 1).expect("there are few tasks"),
    }
}

/// Does what a task of the machine does, and returns the bytes that it has read.
pub fn perform<S: System, R: Rules>(
    file: &RangedFile<S, R>,
    machine: &Machine,
    task: usize,
    probe: &impl Probe,
) -> Vec<u8> {
    let op = &machine.ops[task];
    let length = op.cells.len() * CELL;
    let mut bytes = vec![byte_of(machine, task); length];
    let io = match op.kind {
        Kind::Read => Io::Read(&mut bytes),
        Kind::Write => Io::Write(&bytes),
        Kind::DirectRead => Io::DirectRead(&mut bytes),
        Kind::DirectWrite => Io::DirectWrite(&bytes),
        Kind::Space => Io::PunchHole(length),
    };
    let done = file.perform(io, (op.cells.start * CELL) as u64, probe);
    done.expect("the file has the range");
    if op.kind.is_read() { bytes } else { Vec::new() }
}

/// What the bytes of cells say: which task wrote each; nobody in the place of `OLD` ones.
///
/// # Panics
/// If the bytes of a cell are not one writer's.
pub fn writers(machine: &Machine, bytes: &[u8]) -> Vec<Option<usize>> {
    let writer = |cell: &[u8]| {
        assert!(
            cell.iter().all(|byte| *byte == cell[0]),
            "a cell is torn: {cell:?}"
        );
        if cell[0] == OLD {
            return None;
        }
        let writes =
            |task: &usize| !machine.ops[*task].kind.is_read() && byte_of(machine, *task) == cell[0];
        let task = (0..machine.ops.len()).find(writes);
        Some(task.unwrap_or_else(|| panic!("nobody wrote {}", cell[0])))
    };
    bytes.chunks(CELL).map(writer).collect()
}

/// What the tasks have left: of each that reads, who wrote the cells that it has read, and of the file who wrote each cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Left {
    /// By task; none of one that has not read.
    pub read: Vec<Vec<Option<usize>>>,
    /// By cell.
    pub file: Vec<Option<usize>>,
}

impl Left {
    /// Whether it shows that the invariant does not hold. It shows a torn read where each write of a cell that is read is one of them
    /// all, as at the manifest's sizes: then cells with the bytes of two writers differ in a write that they have seen, unless
    /// these are mixed.
    ///
    /// # Panics
    /// If there are other writes; if it is asked what costs.
    pub fn shows(&self, machine: &Machine, breaks: Invariant) -> bool {
        let ops = &machine.ops;
        let writes = || (0..ops.len()).filter(|&task| !ops[task].kind.is_read());
        match breaks {
            Invariant::ReadAtomic => self.read.iter().zip(ops).any(|(read, op)| {
                assert!(
                    read.is_empty()
                        || writes().all(|write| op
                            .cells
                            .clone()
                            .all(|cell| ops[write].cells.contains(&cell))),
                    "a write of a part of {op:?}"
                );
                read.iter().any(|writer| *writer != read[0])
            }),
            Invariant::WriteAtomic => writes().any(|w| {
                writes().any(|x| {
                    let both =
                        |cell: &usize| ops[w].cells.contains(cell) && ops[x].cells.contains(cell);
                    let shared: Vec<_> = (0..self.file.len()).filter(both).collect();
                    let shows = |task| shared.iter().any(|&cell| self.file[cell] == Some(task));
                    w != x && shows(w) && shows(x)
                })
            }),
            Invariant::Serialises(..) => panic!("bytes do not show what costs"),
        }
    }
}

/// What a path of the machine leaves, if it is one.
///
/// # Errors
/// The first action that is not enabled, and where.
pub fn leaves(counterpart: &FileAtomicity, path: &[Action]) -> Result<Left> {
    let machine = &counterpart.machine;
    let mut state = machine.init();
    let mut read = vec![Vec::new(); machine.ops.len()];
    for &action in path {
        let next = machine.step(&state, action).with_context(|| {
            let label = counterpart.label(action);
            format!("{label} is not enabled in {}", counterpart.show(&state))
        })?;
        let at = state.at[action.task];
        if next.at[action.task] > at && machine.ops[action.task].kind.is_read() {
            read[action.task].push(state.content[at].last().copied());
        }
        state = next;
    }
    let file = state.content.iter().map(|writes| writes.last().copied());
    Ok(Left {
        read,
        file: file.collect(),
    })
}
