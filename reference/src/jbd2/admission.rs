//! How a journal's handles are admitted, in real threads: what `specs/jbd2/Jbd2Credits.tla` says.
//!
//! A handle asks for credits, one for each block that it may dirty. It joins the running transaction, or waits for what the first
//! failing of four tests needs (add_transaction_credits, 6.18): another transaction, space in the log, reserved credits. One
//! thread commits transactions. Each of the machine's actions is one atomic step under one monitor (j_state_lock), which a
//! [`Probe`] sees; what a step decides are the same functions as the [machine](super::machine)'s.
//!
//! ```text
//! task:    Start  Try or Fail Undo Look  (LockCheckpoint  MakeSpace or Find..)  ...  Extend  Restart  Stop or Submit or Unreserve
//! worker:  Start  TryReserved  ...  Convert
//! commit:  CommitLock  CommitSwitch  CommitFlush  CommitWrite  CommitEnd
//! ```
//!
//! Who waits sleeps in a queue of the kernel's name, with a word of its own to be woken by. Whom a release of reserved credits
//! wakes is the [`Rules`]'. Unlike in the machine, handles may ask for any number of credits, may be extended more than
//! once, and may stop although an extension was denied; all who wait are woken when the journal aborts; and under a hand-over no
//! arrival passes those who wait, as in `ReserveWait.tla`, which with reservations of one size nobody could.
//!
//! Left out: revoke blocks, fast commits, the barrier of `JournalBarrier.tla`, and the order in which those who wait for a
//! transaction get in.

use std::marker::PhantomData;

use super::machine::{Credits, Sizes};
use super::numbers::Numbers;
use super::policy::Policy;
use super::probe::{NoProbe, Probe, Step, Who};
use super::refused::{Reason, Refused};
use super::rules::{Event, Queue, Rules};
use super::space::Store;
use super::ticket::{Kind, Reservation, Ticket};
use super::waiting::Queues;
use crate::sys::{Monitor, StdSys, System};

/// Admits handles to a journal's transactions. See the [module](self).
///
/// ```
/// use interlock::jbd2::admission::Admission;
/// use interlock::jbd2::machine::Sizes;
/// use interlock::jbd2::probe::{NoProbe, Who};
/// use interlock::jbd2::refused::Refused;
/// use interlock::jbd2::rules::HandOver;
/// use interlock::jbd2::space::Nothing;
///
/// let sizes = Sizes { log: 1024, max: 256, overhead: 2, slack: 32 };
/// let admission = Admission::<HandOver>::new(sizes, NoProbe);
/// let ticket = admission.start(Who(1), 8, 2, &Nothing)?;
/// let reservation = admission.stop(ticket, 3);
/// let ticket = admission.start_reserved(Who(2), reservation.expect("it was asked for"))?;
/// assert_eq!(ticket.credits(), 2);
/// admission.stop(ticket, 2);
/// assert_eq!(admission.numbers().running.log, 5);
/// # Ok::<(), Refused>(())
/// ```
pub struct Admission<R, S: System = StdSys, P = NoProbe> {
    pub(super) policy: Policy,
    pub(super) sizes: Sizes,
    shared: S::Monitor<Shared<S>>,
    pub(super) probe: P,
    rules: PhantomData<fn() -> R>,
}

/// What the monitor guards.
pub(super) struct Shared<S: System> {
    pub numbers: Numbers,
    pub queues: Queues<S>,
    /// The oldest committed transaction is written home, and its blocks are not free yet.
    pub home: bool,
}

impl<R: Rules, S: System, P: Probe> Admission<R, S, P> {
    /// A journal with an empty log. `sizes.max` is to be larger than `sizes.overhead`, and `sizes.log` at least
    /// `sizes.max + sizes.slack`: otherwise all handles are refused, or the first one aborts the journal.
    pub fn new(sizes: Sizes, probe: P) -> Self {
        let shared = Shared {
            numbers: Numbers::new(&sizes),
            queues: Queues::new(),
            home: false,
        };
        Admission {
            policy: R::POLICY,
            sizes,
            shared: S::Monitor::new(shared),
            probe,
            rules: PhantomData,
        }
    }

    /// Starts a handle that may dirty `credits` blocks, and reserves `reserve` credits for another, to be started later: 0 for
    /// none. Waits for another transaction, for reserved credits, or for space in the log, for which it has `store` write
    /// transactions home (jbd2__journal_start, 6.18). Whoever has a handle and starts another may wait for itself.
    ///
    /// # Errors
    ///
    /// [`Refused::TooLarge`] and [`Refused::ReservesTooMuch`] at once; [`Refused::Aborted`] and [`Refused::Closed`] also after
    /// a wait.
    pub fn start(
        &self,
        who: Who,
        credits: u32,
        reserve: u32,
        store: &impl Store,
    ) -> Result<Ticket, Refused> {
        let (credits, reserve) = (Credits::from(credits), Credits::from(reserve));
        self.probe.about(Some(who));
        self.step(|shared| {
            let start = Step::Start {
                who,
                credits,
                reserve,
            };
            self.told(shared, start);
            self.fits(shared, credits, reserve)
        })?;
        let kind = match reserve {
            0 => Kind::Plain,
            _ => Kind::Reserves(reserve),
        };
        self.admit(who, credits, kind, store)
    }

    /// Gives a handle so many credits more, if its transaction is RUNNING and has room for them; false: it has not, or the journal has
    /// aborted. Never waits
    /// (jbd2_journal_extend).
    pub fn extend(&self, ticket: &mut Ticket, extra: u32) -> bool {
        let (who, extra) = (ticket.who, Credits::from(extra));
        self.probe.about(Some(who));
        let granted = self.step(|shared| {
            if shared.numbers.aborted.is_some() {
                return false;
            }
            let look = shared.numbers.look(&self.policy, &self.sizes);
            let granted = look.may_extend(extra);
            if granted {
                shared.numbers.running.out += extra;
            }
            let extend = Step::Extend {
                who,
                extra,
                granted,
            };
            self.told(shared, extend);
            granted
        });
        if granted {
            ticket.credits += extra;
        }
        granted
    }

    /// Stops a handle that has dirtied `spent` blocks, asks for its transaction's commit, and starts it anew, as
    /// [`Admission::start`] does, with so many credits (jbd2__journal_restart). After an error there is no handle.
    ///
    /// # Errors
    ///
    /// [`Refused::HasReservation`]: the handle is stopped, and its reservation given back. Those of [`Admission::start`].
    ///
    /// # Panics
    ///
    /// As [`Admission::stop`].
    pub fn restart(
        &self,
        ticket: Ticket,
        credits: u32,
        spent: u32,
        store: &impl Store,
    ) -> Result<Ticket, Refused> {
        if ticket.reserves() > 0 {
            self.stop_unreserved(ticket, spent);
            return Err(Refused::HasReservation);
        }
        let (who, credits) = (ticket.who, Credits::from(credits));
        self.leave(&ticket, spent, |shared| {
            self.ask(shared);
            Step::Restart { who, credits }
        });
        self.step(|shared| self.fits(shared, credits, 0))?;
        self.admit(who, credits, Kind::Plain, store)
    }

    /// Stops a handle that has dirtied `spent` blocks, and returns its reservation, if it has one (jbd2_journal_stop).
    ///
    /// # Panics
    ///
    /// If it has spent more than its credits.
    pub fn stop(&self, ticket: Ticket, spent: u32) -> Option<Reservation> {
        let credits = ticket.reserves();
        self.leave(&ticket, spent, |_| match ticket.kind {
            Kind::Plain => Step::Stop(ticket.who),
            Kind::Reserves(_) => Step::Submit(ticket.who),
            Kind::Reserved => Step::Convert(ticket.who),
        });
        (credits > 0).then_some(Reservation { credits })
    }

    /// Stops a handle that has dirtied `spent` blocks, and gives its reservation back in the same step.
    ///
    /// # Panics
    ///
    /// As [`Admission::stop`].
    pub fn stop_unreserved(&self, ticket: Ticket, spent: u32) {
        let credits = ticket.reserves();
        if credits == 0 {
            self.stop(ticket, spent);
            return;
        }
        self.leave(&ticket, spent, |shared| {
            shared.numbers.unreserve(credits);
            self.release(shared);
            Step::Unreserve(ticket.who)
        });
    }

    /// Starts the handle of a reservation. It waits for the moment between T_SWITCH and T_FLUSH to pass, and for nothing else
    /// (jbd2_journal_start_reserved, 6.18).
    ///
    /// # Errors
    ///
    /// [`Refused::Aborted`] and [`Refused::Closed`].
    pub fn start_reserved(&self, who: Who, reservation: Reservation) -> Result<Ticket, Refused> {
        let credits = reservation.credits;
        self.probe.about(Some(who));
        self.step(|shared| self.told(shared, Step::StartReserved { who, credits }));
        self.join(who, credits)
    }

    /// Gives back a reservation that was kept (jbd2_journal_free_reserved).
    pub fn free_reserved(&self, reservation: Reservation) {
        self.step(|shared| {
            shared.numbers.unreserve(reservation.credits);
            self.release(shared);
            self.told(shared, Step::FreeReserved(reservation.credits));
        });
    }

    /// Gives the journal up: whoever waits or comes later is refused, and [`Admission::next_commit`] returns none. The first
    /// reason counts.
    pub fn abort(&self, reason: Reason) {
        self.step(|shared| {
            if shared.numbers.aborted.is_none() {
                self.give_up(shared, reason);
                self.told(shared, Step::Abort);
            }
        });
    }

    /// Ends the journal: whoever waits for a handle or comes later is refused, and [`Admission::next_commit`] returns none as
    /// soon as no commit is asked for.
    pub fn close(&self) {
        self.step(|shared| {
            shared.numbers.closed = true;
            self.wake(shared, Event::Over);
            shared.numbers.queue.clear();
            self.told(shared, Step::Close);
        });
    }

    /// Whether handles are started.
    ///
    /// # Errors
    ///
    /// [`Refused::Aborted`] and [`Refused::Closed`]: they are not any more.
    pub fn check(&self) -> Result<(), Refused> {
        let over = self.shared.with(|shared| shared.numbers.over());
        over.map_or(Ok(()), Err)
    }

    /// The journal as it is at some moment between the call and the return.
    pub fn numbers(&self) -> Numbers {
        self.shared.with(|shared| shared.numbers.clone())
    }

    /// The queues that threads sleep in, and how many do.
    pub fn waiting(&self) -> Vec<(Queue, usize)> {
        self.shared.with(|shared| shared.queues.waiting())
    }

    /// The largest handle, its reservation included, in credits: jbd2_max_user_trans_buffers.
    pub fn largest(&self) -> Credits {
        let numbers = Numbers::new(&self.sizes);
        numbers.look(&self.policy, &self.sizes).user_max()
    }

    /// The probe.
    pub fn probe(&self) -> &P {
        &self.probe
    }
}

/// What the steps are made of.
impl<R: Rules, S: System, P: Probe> Admission<R, S, P> {
    /// Takes a step, alone, and then wakes whom it wakes.
    pub(super) fn step<T>(&self, step: impl FnOnce(&mut Shared<S>) -> T) -> T {
        let (result, due) = self.shared.with(|shared| {
            let result = step(shared);
            (result, shared.queues.due())
        });
        Queues::wake(due);
        result
    }

    /// Tries a step, of a task or of the commit thread, until it gives something; sleeps in the queue in between.
    pub(super) fn until<T>(
        &self,
        who: Option<Who>,
        queue: Queue,
        step: impl Fn(&mut Shared<S>) -> Option<T>,
    ) -> T {
        loop {
            self.probe.about(who);
            let tried = self.step(|shared| step(shared).ok_or_else(|| shared.queues.sleep(queue)));
            match tried {
                Ok(result) => return result,
                Err(cell) => cell.wait(),
            };
        }
    }

    /// Wakes all whom this wakes.
    pub(super) fn wake(&self, shared: &mut Shared<S>, event: Event) {
        for queue in R::woken_by(event) {
            shared.queues.wake_all(*queue);
        }
    }

    /// Tells the probe of a step that is taken.
    pub(super) fn told(&self, shared: &Shared<S>, step: Step) {
        self.probe.step(step, &shared.numbers);
    }

    /// Asks for the running transaction's commit.
    pub(super) fn ask(&self, shared: &mut Shared<S>) {
        shared.numbers.running.asked = true;
        self.wake(shared, Event::Asked);
    }

    /// The journal aborts.
    pub(super) fn give_up(&self, shared: &mut Shared<S>, reason: Reason) {
        shared.numbers.aborted = Some(reason);
        self.wake(shared, Event::Over);
        shared.numbers.queue.clear();
    }

    /// stop_this_handle, and what else is done in its step.
    fn leave(&self, ticket: &Ticket, spent: u32, then: impl FnOnce(&mut Shared<S>) -> Step) {
        let (has, spent) = (ticket.credits, Credits::from(spent));
        assert!(spent <= has, "a handle of {has} credits has spent {spent}");
        self.probe.about(Some(ticket.who));
        self.step(|shared| {
            shared.numbers.stop(&self.policy, has, spent);
            if shared.numbers.running.updates == 0 {
                self.wake(shared, Event::Stopped);
            }
            let step = then(shared);
            self.told(shared, step);
        });
    }
}
