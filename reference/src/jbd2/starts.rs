//! The start of a handle: start_this_handle and add_transaction_credits, 6.18.

use super::admission::{Admission, Shared};
use super::decisions::{Ask, Test};
use super::machine::{Credits, Pc, TState};
use super::numbers::{Numbers, Tid};
use super::policy::Wake;
use super::probe::{Probe, Step, Who};
use super::refused::Refused;
use super::rules::{Queue, Release, Rules};
use super::space::Store;
use super::ticket::{Kind, Ticket};
use super::waiting::{Cell, Woken};
use crate::sys::System;

/// Where a start goes from a step.
enum Next<S: System> {
    Attached(Tid),
    Refused(Refused),
    Sleeps(Cell<S>),
    /// The same, in wait_event(j_wait_reserved).
    Looks(Cell<S>, Test),
    Space,
}

impl<R: Rules, S: System, P: Probe> Admission<R, S, P> {
    /// What no transaction could give is refused at once.
    pub(super) fn fits(
        &self,
        shared: &Shared<S>,
        credits: Credits,
        reserve: Credits,
    ) -> Result<(), Refused> {
        let look = shared.numbers.look(&self.policy, &self.sizes);
        let asked = credits + reserve;
        if asked > look.user_max() {
            let largest = look.user_max();
            return Err(Refused::TooLarge { asked, largest });
        }
        if reserve > look.half() {
            let (asked, largest) = (reserve, look.half());
            return Err(Refused::ReservesTooMuch { asked, largest });
        }
        Ok(())
    }

    /// start_this_handle.
    pub(super) fn admit(
        &self,
        who: Who,
        credits: Credits,
        kind: Kind,
        store: &impl Store,
    ) -> Result<Ticket, Refused> {
        let reserves = match kind {
            Kind::Reserves(reserves) => reserves,
            Kind::Plain | Kind::Reserved => 0,
        };
        let mut ask = Ask {
            total: credits + reserves,
            reserves,
            is_promised: false,
        };
        loop {
            self.probe.about(Some(who));
            match self.step(|shared| self.try_ordinary(shared, who, ask)) {
                Next::Attached(tid) => {
                    return Ok(Ticket {
                        who,
                        tid,
                        credits,
                        kind,
                    });
                }
                Next::Refused(refused) => return Err(refused),
                Next::Sleeps(cell) => ask.is_promised |= cell.wait() == Woken::Served,
                Next::Looks(cell, test) => self.wait_reserved(who, ask, test, cell),
                Next::Space => self.wait_for_space(who, ask.total, store),
            }
        }
    }

    /// `Refuse`; a reserved handle's credits are given back.
    fn refuse(&self, shared: &mut Shared<S>, who: Who, had: Credits, refused: Refused) -> Next<S> {
        shared.numbers.forget(who);
        shared.numbers.unreserve(had);
        self.release(shared);
        self.told(shared, Step::Refuse(who));
        Next::Refused(refused)
    }

    /// `Try`: add_transaction_credits.
    fn try_ordinary(&self, shared: &mut Shared<S>, who: Who, ask: Ask) -> Next<S> {
        if let Some(refused) = shared.numbers.over() {
            return self.refuse(shared, who, 0, refused);
        }
        let hands_over = self.policy.wake == Wake::HandOver;
        shared.numbers.begin(self.sizes.overhead);
        let look = shared.numbers.look(&self.policy, &self.sizes);
        let would_pass = hands_over && ask.reserves > 0 && !ask.is_promised;
        let in_turn = !would_pass || shared.numbers.queue.is_empty();
        let test = look.fails(ask).or((!in_turn).then_some(Test::Half));
        let too_much_reserved = look.too_much_reserved(ask);
        let numbers = &mut shared.numbers;
        let (next, to) = match test {
            None => {
                Self::add(numbers, ask);
                numbers.running.updates += 1;
                numbers.forget(who);
                (Next::Attached(numbers.running.tid), Pc::Attached)
            }
            Some(Test::Space) => (Next::Space, Pc::Space),
            Some(Test::Half) if hands_over => {
                numbers.queue.push_back((who, ask.reserves));
                let cell = shared.queues.sleep(Queue::InTurn);
                (Next::Sleeps(cell), Pc::WaitReserved)
            }
            Some(Test::Room) if !too_much_reserved => {
                Self::add(numbers, ask);
                R::undo(numbers, ask.total, ask.reserves);
                (self.wait_locked(shared), Pc::WaitLocked)
            }
            Some(Test::Running) => (self.wait_locked(shared), Pc::WaitLocked),
            Some(Test::Half) => return self.fail(shared, who, ask),
            Some(Test::Room) => {
                let cell = Self::sleep_reserved(shared, ask);
                (Next::Looks(cell, Test::Room), Pc::WaitRoom)
            }
        };
        self.told(shared, Step::Try(who, to));
        next
    }

    /// `Fail` and `Undo`, in one step here: the fourth test has added what is too much, and takes it back, which wakes.
    fn fail(&self, shared: &mut Shared<S>, who: Who, ask: Ask) -> Next<S> {
        Self::add(&mut shared.numbers, ask);
        self.told(shared, Step::Fail(who));
        R::undo(&mut shared.numbers, ask.total, ask.reserves);
        self.release(shared);
        let cell = Self::sleep_reserved(shared, ask);
        self.told(shared, Step::Undo(who));
        Next::Looks(cell, Test::Half)
    }

    /// What the second and the fourth test add to the running transaction before they know that it fits.
    fn add(numbers: &mut Numbers, ask: Ask) {
        numbers.running.out += ask.total;
        numbers.reserved += ask.reserves;
    }

    fn sleep_reserved(shared: &mut Shared<S>, ask: Ask) -> Cell<S> {
        shared.queues.reserved_asks.push(ask.reserves);
        shared.queues.sleep(Queue::Reserved)
    }

    /// wait_event(j_wait_reserved): who is woken looks whether what it waits for in this test fits, and else sleeps on.
    fn wait_reserved(&self, who: Who, ask: Ask, test: Test, mut cell: Cell<S>) {
        loop {
            cell.wait();
            self.probe.about(Some(who));
            let sleeps_on = self.step(|shared| {
                let look = shared.numbers.look(&self.policy, &self.sizes);
                let fits = match test {
                    Test::Half => look.reservation_fits(ask.reserves),
                    Test::Running | Test::Room | Test::Space => look.room_fits(ask.total),
                };
                if shared.numbers.over().is_some() {
                    return None;
                }
                if !fits {
                    return Some(Self::sleep_reserved(shared, ask));
                }
                self.told(shared, Step::Look(who));
                None
            });
            match sleeps_on {
                Some(again) => cell = again,
                None => return,
            }
        }
    }

    /// wait_transaction_locked, with the commit asked for.
    fn wait_locked(&self, shared: &mut Shared<S>) -> Next<S> {
        self.ask(shared);
        Next::Sleeps(shared.queues.sleep(Queue::Locked))
    }

    /// start_this_handle of a reserved handle.
    pub(super) fn join(&self, who: Who, credits: Credits) -> Result<Ticket, Refused> {
        loop {
            self.probe.about(Some(who));
            let tid = match self.step(|shared| self.try_reserved(shared, who, credits)) {
                Next::Attached(tid) => tid,
                Next::Refused(refused) => return Err(refused),
                Next::Sleeps(cell) => {
                    cell.wait();
                    continue;
                }
                Next::Looks(..) | Next::Space => continue,
            };
            return Ok(Ticket {
                who,
                tid,
                credits,
                kind: Kind::Reserved,
            });
        }
    }

    /// `TryReserved`.
    fn try_reserved(&self, shared: &mut Shared<S>, who: Who, credits: Credits) -> Next<S> {
        if let Some(refused) = shared.numbers.over() {
            return self.refuse(shared, who, credits, refused);
        }
        shared.numbers.begin(self.sizes.overhead);
        let look = shared.numbers.look(&self.policy, &self.sizes);
        if !look.reserved_joins() {
            let to = match shared.numbers.running.state {
                TState::Switch => Pc::WaitSwitch,
                _ => Pc::WaitLocked,
            };
            let cell = shared.queues.sleep(Queue::Locked);
            self.told(shared, Step::TryReserved(who, to));
            return Next::Sleeps(cell);
        }
        shared.numbers.running.updates += 1;
        shared.numbers.reserved -= credits;
        self.release(shared);
        self.told(shared, Step::TryReserved(who, Pc::Attached));
        Next::Attached(shared.numbers.running.tid)
    }

    /// sub_reserved_credits: reserved credits have been given back, or a promise of some.
    pub(super) fn release(&self, shared: &mut Shared<S>) {
        let Shared {
            numbers, queues, ..
        } = shared;
        let look = numbers.look(&self.policy, &self.sizes);
        let asks: Vec<Credits> = match self.policy.wake {
            Wake::All | Wake::Unseen => queues.reserved_asks.clone(),
            Wake::HandOver => numbers.queue.iter().map(|(_, asks)| *asks).collect(),
        };
        let asks = &asks[..];
        let places = R::wakes(&Release { look, asks });
        match self.policy.wake {
            Wake::All | Wake::Unseen => {
                for place in places.into_iter().rev() {
                    queues.wake_reserved(place);
                }
            }
            Wake::HandOver => {
                // Who waits in the second test is in no queue, and looks again.
                queues.wake_all(Queue::Reserved);
                for (before, place) in places.into_iter().enumerate() {
                    numbers
                        .promised
                        .extend(numbers.queue.remove(place - before));
                    queues.serve(place - before);
                }
            }
        }
    }
}
