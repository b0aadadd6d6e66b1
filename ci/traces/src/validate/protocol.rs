//! The specifications that traces are checked against.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::search::{self, Found};
use crate::machines::dio::Dio;
use crate::machines::handles::Handles;
use crate::machines::jbd2::Jbd2;
use crate::machines::kernel_dio::KernelDio;
use crate::machines::log_tail::LogTail;
use crate::machines::observed_lists::ObservedLists;
use crate::machines::observed_plug::ObservedPlug;
use crate::machines::range::RangeTree;
use crate::machines::reserve_wait::ReserveWait;
use crate::machines::rwsem::Rwsem;
use crate::machines::traced::{Seen, Traced as _};
use crate::machines::wb_plug::WbPlug;
use crate::recording::{self, Trace};
use interlock_checker::near::did_you_mean;

/// Is handed what searches a trace that differs in a few events from one that is accepted.
pub type Again<'a> = dyn FnMut(&dyn Fn(&Trace) -> Result<Found>) -> Result<()> + 'a;

/// What records: of the reference, or of a kernel that is built for it.
#[derive(Debug, Clone, Copy)]
pub struct Recorder {
    /// Its module.
    pub module: &'static str,
    /// What it is the probe of.
    pub probe_of: &'static str,
}

/// One of them.
#[derive(Debug)]
pub struct Protocol {
    /// The folder of `specs/`.
    pub area: &'static str,
    /// The module that a trace names.
    pub module: &'static str,
    /// The operator of `Trace<module>.tla` that says what an event may have seen.
    pub shows: &'static str,
    /// The module with the actions.
    pub actions: &'static str,
    /// What an event may have seen.
    pub sees: &'static [Seen],
    /// Actions that leave no event.
    pub silent: &'static [&'static str],
    /// What records it, if it is not a kernel's tracer.
    pub recorder: Option<Recorder>,
    /// The events of a kernel's traces are made its own.
    pub of_kernels: bool,
    /// What must hold in every state that a trace may be in.
    pub invariants: &'static [&'static str],
    /// A legal trace, with which the validator tests itself.
    pub legal: &'static str,
    search: fn(&Trace, Option<&mut Again<'_>>) -> Result<Found>,
}

/// All of them.
pub const PROTOCOLS: &[Protocol] = &[
    Protocol {
        area: "rwsem",
        module: "Rwsem",
        shows: "RwsemShows",
        actions: "Rwsem",
        sees: Rwsem::SEES,
        silent: &[],
        recorder: Some(Recorder {
            module: "interlock::rwsem::recorder",
            probe_of: "an `interlock_rwlock::RawBarrierRwLock`",
        }),
        of_kernels: true,
        invariants: &["TypeOK"],
        legal: include_str!("legal/rwsem.ndjson"),
        search: |trace, again| search::search(&Rwsem::new(&trace.constants())?, trace, again),
    },
    Protocol {
        area: "dio",
        module: "UnalignedDio",
        shows: "UnalignedDioShows",
        actions: "UnalignedDio",
        sees: Dio::SEES,
        silent: &[],
        recorder: Some(Recorder {
            module: "interlock::dio::recorder",
            probe_of: "a `DirectFile`",
        }),
        of_kernels: false,
        invariants: &["TypeOK"],
        legal: include_str!("legal/dio.ndjson"),
        search: |trace, again| search::search(&Dio::new(&trace.constants())?, trace, again),
    },
    Protocol {
        area: "dio",
        module: "KernelDio",
        shows: "KernelDioShows",
        actions: "UnalignedDio",
        sees: KernelDio::SEES,
        silent: &["Drain"],
        recorder: None,
        of_kernels: true,
        invariants: &["TypeOK"],
        legal: include_str!("legal/kernel_dio.ndjson"),
        search: |trace, again| {
            search::search(&KernelDio(Dio::new(&trace.constants())?), trace, again)
        },
    },
    Protocol {
        area: "jbd2",
        module: "Jbd2Credits",
        shows: "Jbd2CreditsShows",
        actions: "Jbd2Credits",
        sees: Jbd2::SEES,
        silent: &[],
        recorder: Some(Recorder {
            module: "interlock::jbd2::recorder",
            probe_of: "an `Admission`",
        }),
        of_kernels: false,
        invariants: &["TypeOK"],
        legal: include_str!("legal/jbd2.ndjson"),
        search: |trace, again| search::search(&Jbd2::new(&trace.constants())?, trace, again),
    },
    Protocol {
        area: "writeback",
        module: "WbPlug",
        shows: "WbPlugShows",
        actions: "WbPlug",
        sees: WbPlug::SEES,
        silent: &[],
        recorder: Some(Recorder {
            module: "interlock::writeback::flusher_recorder",
            probe_of: "a `Flusher`; a trace is one pass",
        }),
        of_kernels: false,
        invariants: &["TypeOK"],
        legal: include_str!("legal/writeback.ndjson"),
        search: |trace, again| search::search(&WbPlug::new(&trace.constants())?, trace, again),
    },
    Protocol {
        area: "range",
        module: "RangeTree",
        shows: "RangeTreeShows",
        actions: "RangeTree",
        sees: RangeTree::SEES,
        silent: &[],
        recorder: Some(Recorder {
            module: "interlock::range::recorder",
            probe_of: "a `RangeLock` that is not biased",
        }),
        of_kernels: false,
        invariants: &["TypeOK", "Exclusion", "CountsRight", "NobodyWaitsInVain"],
        legal: include_str!("legal/range.ndjson"),
        search: |trace, again| search::search(&RangeTree::new(&trace.constants())?, trace, again),
    },
    Protocol {
        area: "jbd2",
        module: "Handles",
        shows: "HandlesShows",
        actions: "Handles",
        sees: Handles::SEES,
        silent: &["FreeReserved"],
        recorder: None,
        of_kernels: true,
        invariants: &["TypeOK"],
        legal: include_str!("legal/handles.ndjson"),
        search: |trace, again| search::search(&Handles::new(&trace.constants())?, trace, again),
    },
    Protocol {
        area: "jbd2",
        module: "LogTail",
        shows: "LogTailShows",
        actions: "LogTail",
        sees: LogTail::SEES,
        silent: &[],
        recorder: None,
        of_kernels: true,
        invariants: &["TypeOK"],
        legal: include_str!("legal/log_tail.ndjson"),
        search: |trace, again| search::search(&LogTail::new(&trace.constants())?, trace, again),
    },
    Protocol {
        area: "jbd2",
        module: "ReserveWait",
        shows: "ReserveWaitShows",
        actions: "ReserveWait",
        sees: ReserveWait::SEES,
        silent: &[],
        recorder: Some(Recorder {
            module: "interlock_rack::cures::spoken",
            probe_of: "a kernel that `interlock cures` has built to tell",
        }),
        of_kernels: false,
        invariants: &["TypeOK", "ReservedIsHeld", "NoLostWakeup"],
        legal: include_str!("legal/reserve_wait.ndjson"),
        search: |trace, again| search::search(&ReserveWait::new(&trace.constants())?, trace, again),
    },
    Protocol {
        area: "writeback",
        module: "ObservedLists",
        shows: "ListsShow",
        actions: "ObservedLists",
        sees: ObservedLists::SEES,
        silent: &["Skip"],
        recorder: None,
        of_kernels: true,
        invariants: &["TypeOK", "OneList", "InOrder"],
        legal: include_str!("legal/observed_lists.ndjson"),
        search: |trace, again| {
            search::search(&ObservedLists::new(&trace.constants())?, trace, again)
        },
    },
    Protocol {
        area: "writeback",
        module: "ObservedPlug",
        shows: "PlugShows",
        actions: "ObservedPlug",
        sees: ObservedPlug::SEES,
        silent: &["Add", "Insert"],
        recorder: None,
        of_kernels: true,
        invariants: &["TypeOK"],
        legal: include_str!("legal/observed_plug.ndjson"),
        search: |trace, again| {
            search::search(&ObservedPlug::new(&trace.constants())?, trace, again)
        },
    },
];

/// The area's folder of `specs/`, if traces of it can be judged.
///
/// # Errors
/// If none can.
pub fn area(name: &str) -> Result<&'static str> {
    let areas: BTreeSet<&str> = PROTOCOLS.iter().map(|protocol| protocol.area).collect();
    areas.get(name).copied().with_context(|| {
        format!(
            "no traces are known of an area `{name}`{} (there are: {})",
            did_you_mean(name, areas.iter().copied()),
            areas.iter().copied().collect::<Vec<_>>().join(", ")
        )
    })
}

impl Protocol {
    /// What a trace of this area is judged against.
    ///
    /// # Errors
    /// With the trace's place: if the area has no such module.
    pub fn of(area: &str, trace: &Trace) -> Result<&'static Protocol> {
        let module = &trace.head.module;
        let modules = || Protocol::of_area(area).map(|protocol| protocol.module);
        let found = Protocol::of_area(area).find(|protocol| protocol.module == module);
        found.with_context(|| {
            format!(
                "{}: a trace of {module}, which is no module of {area}{} (there are: {})",
                trace.name(),
                did_you_mean(module, modules()),
                modules().collect::<Vec<_>>().join(", ")
            )
        })
    }

    /// Those of an area.
    pub fn of_area(area: &str) -> impl Iterator<Item = &'static Protocol> {
        PROTOCOLS
            .iter()
            .filter(move |protocol| protocol.area == area)
    }

    /// Asks the machine.
    ///
    /// # Errors
    /// If the trace's head or an event has something that the specification has not: with its place.
    pub fn search(&self, trace: &Trace) -> Result<Found> {
        (self.search)(trace, None).with_context(|| trace.name())
    }

    /// Asks the machine, and then, if the trace is accepted, lets `again` ask it of others that differ in a few events.
    ///
    /// # Errors
    /// As [`Protocol::search`], and what `again` returns.
    pub fn search_again(&self, trace: &Trace, again: &mut Again<'_>) -> Result<Found> {
        (self.search)(trace, Some(again)).with_context(|| trace.name())
    }

    /// Whether a trace may say that this action leaves no event in it.
    pub fn may_leave_out(&self, action: &str) -> bool {
        let legal = recording::read("legal".as_ref(), self.legal.as_bytes());
        legal.is_ok_and(|mut traces| {
            traces.iter_mut().all(|trace| {
                trace.head.silent = vec![action.to_owned()];
                self.search(trace).is_ok()
            })
        })
    }

    /// Where its modules are, and those of traces.
    pub fn library(&self, root: &Path) -> [PathBuf; 2] {
        [root.join("specs").join(self.area), root.join("specs/trace")]
    }
}
