//! The state machine of a flusher that writes pages while a real-time task and a commit wait for it: `MpageLatency.tla`.
//!
//! States and actions bear the names that they have in the specification. The histories, which decide nothing, are left out.

use super::policy::{Handle, Policy, Preemption, Stop};

/// What the flusher is doing; in `MpageLatency.tla` a string of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flusher {
    /// Has nothing to write.
    Idle,
    /// First pass without a handle, then jbd2__journal_start.
    Start,
    /// Locks pages.
    Collect,
    /// Maps them.
    Map,
    /// Submits them.
    Submit,
    /// In jbd2_journal_stop.
    Stop,
    /// The same, waits for the commit.
    Sync,
    /// In ext4_io_submit.
    Send,
}

/// What the real-time task is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Realtime {
    /// Wants nothing.
    Sleep,
    /// Is awake: need_resched.
    Wants,
    /// Has the processor, the flusher has not.
    Runs,
}

/// What the commit is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Commit {
    /// No commit waits.
    Idle,
    /// It waits for the handle, and for its data.
    Wait,
}

/// A state of the three tasks and the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// What the flusher is doing.
    pub flusher: Flusher,
    /// What the real-time task is doing.
    pub realtime: Realtime,
    /// What the commit is doing.
    pub commit: Commit,
    /// Pages that are submitted.
    pub next: u32,
    /// Pages that are collected, hence locked.
    pub locked: u32,
    /// Pages under writeback in a bio that is not sent.
    pub bio: u32,
    /// The flusher has a handle.
    pub handle: bool,
    /// The flusher is at a preemption point.
    pub point: bool,
}

/// An action of `MpageLatency.tla`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// ext4_writepages is called: there are dirty pages.
    Begin,
    /// A page that has its blocks is submitted without a handle.
    FirstPass,
    /// ext4_journal_start.
    StartHandle,
    /// One page more is locked.
    Collect,
    /// mpage_da_map_blocks, mpage_map_one_extent.
    MapExtent,
    /// A page is unlocked, its I/O sent or put into the bio.
    SubmitPage,
    /// jbd2_journal_stop.
    StopHandle,
    /// jbd2_journal_stop of a synchronous handle: asks for the commit, and sleeps.
    StopSyncHandle,
    /// jbd2_log_wait_commit returns.
    Synced,
    /// ext4_io_submit.
    SendBio,
    /// __cond_resched, or preempt_schedule: off the processor, if it is wanted.
    Resched,
    /// The real-time task wants the processor.
    Wake,
    /// The real-time task sleeps again.
    Resume,
    /// jbd2_journal_commit_transaction finds the handle open.
    CommitWaits,
    /// The handle is stopped, the data are on the disk.
    CommitGoesOn,
}

impl Action {
    /// All of them.
    pub const ALL: [Action; 15] = [
        Action::Begin,
        Action::FirstPass,
        Action::StartHandle,
        Action::Collect,
        Action::MapExtent,
        Action::SubmitPage,
        Action::StopHandle,
        Action::StopSyncHandle,
        Action::Synced,
        Action::SendBio,
        Action::Resched,
        Action::Wake,
        Action::Resume,
        Action::CommitWaits,
        Action::CommitGoesOn,
    ];
}

/// How many pages there are of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// How many pages are dirty.
    pub pages: u32,
    /// How many of them, the first ones, have blocks already.
    pub mapped: u32,
    /// Pages in a pagevec.
    pub batch: u32,
    /// Pages that one handle is for, if it is for an extent.
    pub extent: u32,
}

/// The flusher's pages, its variant and its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// How many pages there are.
    pub sizes: Sizes,
    /// The variant.
    pub policy: Policy,
    /// Where the kernel has preemption points.
    pub preemption: Preemption,
}

impl Machine {
    /// `Init`: all idle.
    pub fn init(&self) -> State {
        State {
            flusher: Flusher::Idle,
            realtime: Realtime::Sleep,
            commit: Commit::Idle,
            next: 0,
            locked: 0,
            bio: 0,
            handle: false,
            point: false,
        }
    }

    /// The actions that are enabled.
    pub fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = Action::ALL.to_vec();
        actions.retain(|&action| self.step(state, action).is_some());
        actions
    }

    /// The state after `action`, or `None` if it is not enabled: also in a state with more pages than the machine has.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        let known = state.next.checked_add(state.locked)? <= self.sizes.pages;
        if !known || state.bio > self.sizes.pages {
            return None;
        }
        match action {
            Action::Begin => self.begin(state),
            Action::FirstPass => self.first_pass(state),
            Action::StartHandle => self.start_handle(state),
            Action::Collect => self.collect(state),
            Action::MapExtent => self.goes(state, Flusher::Map, Flusher::Submit, false),
            Action::SubmitPage => self.submit_page(state),
            Action::StopHandle => self.stop_handle(state),
            Action::StopSyncHandle => self.stop_sync_handle(state),
            Action::Synced => self.synced(state),
            Action::SendBio => self.send_bio(state),
            Action::Resched => resched(state),
            Action::Wake => wake(state),
            Action::Resume => resume(state),
            Action::CommitWaits => commit_waits(state),
            Action::CommitGoesOn => commit_goes_on(state),
        }
    }

    fn is_per_extent(&self) -> bool {
        self.policy.handle == Handle::Extent
    }

    /// Whether so many pages end a batch.
    fn ends_batch(&self, pages: u32) -> bool {
        pages.checked_rem(self.sizes.batch) == Some(0)
    }

    /// `Again`: when all is done for a handle, with so many pages submitted.
    fn again(&self, next: u32) -> Flusher {
        match next == self.sizes.pages {
            true => Flusher::Idle,
            false => Flusher::Start,
        }
    }

    /// `AfterStop`.
    fn after_stop(&self, next: u32) -> Flusher {
        match self.is_per_extent() && self.policy.stop == Stop::Early {
            true => Flusher::Send,
            false => self.again(next),
        }
    }

    /// `AfterSend`.
    fn after_send(&self, next: u32) -> Flusher {
        match self.policy.stop {
            Stop::Late => Flusher::Stop,
            Stop::Early => self.again(next),
        }
    }

    /// `AfterSubmit`.
    fn after_submit(&self) -> Flusher {
        match self.is_per_extent() && self.policy.stop == Stop::Late {
            true => Flusher::Send,
            false => Flusher::Stop,
        }
    }

    /// `IsBetween`: a step ends at a cond_resched after which the flusher is to do `then`.
    fn is_between(&self, then: Flusher) -> bool {
        then == Flusher::Idle || (then == Flusher::Start && self.policy.points.stop)
    }

    /// `MightSleep`: what the flusher does next begins with a might_sleep.
    fn might_sleep(&self, from: Flusher, then: Flusher) -> bool {
        match then {
            Flusher::Start | Flusher::Collect | Flusher::Map | Flusher::Send => true,
            Flusher::Submit => !self.is_per_extent() || from == Flusher::Map,
            Flusher::Idle | Flusher::Stop | Flusher::Sync => false,
        }
    }

    /// `IsPoint`: there is a preemption point between the two.
    fn is_point(&self, from: Flusher, then: Flusher, resched: bool) -> bool {
        match self.preemption {
            Preemption::None => resched,
            Preemption::Voluntary => resched || self.might_sleep(from, then),
            Preemption::Full => true,
        }
    }

    /// `Goes`: one step of the flusher, with a cond_resched at its end or without.
    fn goes(&self, state: &State, from: Flusher, then: Flusher, resched: bool) -> Option<State> {
        is_running(state, from).then_some(State {
            flusher: then,
            point: self.is_point(from, then, resched),
            ..*state
        })
    }

    fn begin(&self, state: &State) -> Option<State> {
        is_running(state, Flusher::Idle).then_some(State {
            flusher: Flusher::Start,
            next: 0,
            ..*state
        })
    }

    fn first_pass(&self, state: &State) -> Option<State> {
        let page =
            (self.is_per_extent() && state.next < self.sizes.mapped).then_some(state.next)?;
        let resched = self.policy.points.collect && self.ends_batch(page + 1);
        let next = self.goes(state, Flusher::Start, Flusher::Start, resched)?;
        Some(State {
            next: page + 1,
            ..next
        })
    }

    fn start_handle(&self, state: &State) -> Option<State> {
        let passed = !self.is_per_extent() || state.next >= self.sizes.mapped;
        let next = self.goes(state, Flusher::Start, Flusher::Collect, false)?;
        (passed && state.commit == Commit::Idle).then_some(State {
            handle: true,
            ..next
        })
    }

    fn collect(&self, state: &State) -> Option<State> {
        let locked = state.locked.checked_add(1)?;
        let all = state.next.checked_add(locked)? == self.sizes.pages;
        let full = all || (self.is_per_extent() && locked == self.sizes.extent);
        let then = if full { Flusher::Map } else { Flusher::Collect };
        let resched = self.policy.points.collect && (all || self.ends_batch(locked));
        let next = self.goes(state, Flusher::Collect, then, resched)?;
        Some(State { locked, ..next })
    }

    fn submit_page(&self, state: &State) -> Option<State> {
        let locked = state.locked.checked_sub(1)?;
        let then = match locked {
            0 => self.after_submit(),
            _ => Flusher::Submit,
        };
        let bio = state.bio.checked_add(self.is_per_extent().into())?;
        let done = if self.is_per_extent() {
            bio
        } else {
            state.next + 1
        };
        let resched = self.policy.points.submit && (locked == 0 || self.ends_batch(done));
        let next = self.goes(state, Flusher::Submit, then, resched)?;
        Some(State {
            next: state.next + 1,
            locked,
            bio,
            ..next
        })
    }

    fn stop_handle(&self, state: &State) -> Option<State> {
        let then = self.after_stop(state.next);
        let next = self.goes(state, Flusher::Stop, then, self.is_between(then))?;
        (!self.policy.sync).then_some(State {
            handle: false,
            ..next
        })
    }

    fn stop_sync_handle(&self, state: &State) -> Option<State> {
        let stops = self.policy.sync && is_running(state, Flusher::Stop);
        stops.then_some(State {
            flusher: Flusher::Sync,
            realtime: given_way(state.realtime),
            commit: Commit::Wait,
            handle: false,
            ..*state
        })
    }

    fn synced(&self, state: &State) -> Option<State> {
        let then = self.after_stop(state.next);
        let next = self.goes(state, Flusher::Sync, then, self.is_between(then))?;
        (state.commit == Commit::Idle).then_some(next)
    }

    fn send_bio(&self, state: &State) -> Option<State> {
        let then = self.after_send(state.next);
        let next = self.goes(state, Flusher::Send, then, self.is_between(then))?;
        Some(State { bio: 0, ..next })
    }
}

/// `IsRunning`, with that to do.
fn is_running(state: &State, from: Flusher) -> bool {
    state.flusher == from && state.realtime != Realtime::Runs && !state.point
}

/// `GivenWay`: the real-time task, when the flusher leaves the processor.
fn given_way(realtime: Realtime) -> Realtime {
    match realtime {
        Realtime::Wants => Realtime::Runs,
        other => other,
    }
}

fn resched(state: &State) -> Option<State> {
    (state.point && state.realtime != Realtime::Runs).then_some(State {
        point: false,
        realtime: given_way(state.realtime),
        ..*state
    })
}

fn wake(state: &State) -> Option<State> {
    let busy = !matches!(state.flusher, Flusher::Idle | Flusher::Sync) || state.point;
    (state.realtime == Realtime::Sleep && busy).then_some(State {
        realtime: Realtime::Wants,
        ..*state
    })
}

fn resume(state: &State) -> Option<State> {
    (state.realtime == Realtime::Runs).then_some(State {
        realtime: Realtime::Sleep,
        ..*state
    })
}

fn commit_waits(state: &State) -> Option<State> {
    (state.commit == Commit::Idle && state.handle).then_some(State {
        commit: Commit::Wait,
        ..*state
    })
}

fn commit_goes_on(state: &State) -> Option<State> {
    let done = !state.handle && state.bio == 0;
    (state.commit == Commit::Wait && done).then_some(State {
        commit: Commit::Idle,
        ..*state
    })
}
