//! The steps of a request's caller and of its I/O: the actions of `UnalignedDio.tla`.

use std::collections::{BTreeMap, BTreeSet};

use super::decisions::{Verdict, View};
use super::machine::{
    Action, Bio, Content, Extent, Io, Kind, Mode, Outcome, Part, Pc, Plan, Request, State,
};

/// Each step is `None` unless it is enabled.
impl View<'_> {
    pub fn step(&self, action: Action) -> Option<State> {
        match action {
            Action::Call(r) => self.call_in(r),
            Action::Lock(r) => self.lock(r),
            Action::LockFails(r) => self.lock_fails(r),
            Action::Check(r) => self.check(r),
            Action::Drain(r) => self.drain(r),
            Action::Begin(r) => self.begin(r),
            Action::FallBack(r) => self.fall_back(r),
            Action::Map(r) => self.map(r),
            Action::Retry(r) => self.retry(r),
            Action::Unlock(r) => self.unlock(r),
            Action::Fill(r) => self.fill(r),
            Action::Flush(r) => self.flush(r),
            Action::Free(r) => self.free(r),
            Action::Complete(r, part, block) => self.complete(r, Bio { part, block }),
            Action::Fail(r, part, block) => self.fail(r, Bio { part, block }),
            Action::EndIo(r) => self.end_io(r),
            Action::DioEnd(r) => self.dio_end(r),
        }
    }

    /// The state, to be changed, if r's caller is there.
    fn at(&self, r: Request, pc: Pc) -> Option<State> {
        (self.of(r).pc == pc).then(|| self.state.clone())
    }

    fn call_in(&self, r: Request) -> Option<State> {
        let again = self.machine.repeats.contains(&r);
        let mut next = self
            .at(r, Pc::Idle)
            .or_else(|| self.at(r, Pc::Done).filter(|_| again))?;
        let request = &mut next.requests[r];
        request.pc = Pc::Lock;
        request.plan.mode = self.look(r).first();
        request.plan.buffered = self.kind(r) == Kind::Buffered;
        request.ahead = self.asks(r);
        request.io = Io::None;
        request.failed = false;
        request.buffer.clear();
        request.retries = 0;
        request.result = Outcome::None;
        Some(next)
    }

    /// `Waiting`: who waits for the lock. A trylock does not.
    fn waiting(&self) -> impl Iterator<Item = Request> {
        let waits = |&q: &Request| self.of(q).pc == Pc::Lock && !self.look(q).call.nowait;
        (0..self.state.requests.len()).filter(waits)
    }

    /// `Asks`: who is ahead of r when it asks for the lock.
    fn asks(&self, r: Request) -> BTreeSet<Request> {
        let queues = self.machine.fifo && !self.look(r).call.nowait;
        self.waiting().filter(|_| queues).collect()
    }

    /// `IsNext`: nobody is ahead of r, or all want to share.
    fn is_next(&self, r: Request) -> bool {
        let shares = |q: Request| self.of(q).plan.mode == Mode::Shared;
        let passes = |q: Request| shares(q) && shares(r);
        match self.look(r).call.nowait {
            _ if !self.machine.fifo => true,
            true => self.waiting().all(passes),
            false => self.of(r).ahead.iter().all(|&q| passes(q)),
        }
    }

    /// `MayTake`: r can have the lock now.
    fn may_take(&self, r: Request) -> bool {
        self.lock_is_free(self.of(r).plan.mode) && self.is_next(r)
    }

    fn lock_is_free(&self, mode: Mode) -> bool {
        self.state.requests.iter().all(|other| match mode {
            Mode::Exclusive => other.held.is_none(),
            Mode::Shared => other.held != Some(Mode::Exclusive),
        })
    }

    /// Where a request that holds the lock goes, once it knows what to do (`Then`).
    fn after_lock(&self, r: Request, drains: bool) -> Pc {
        match self.kind(r) {
            _ if drains => Pc::Drain,
            _ if self.of(r).plan.buffered => Pc::Fill,
            Kind::Buffered => Pc::Fill,
            Kind::Write | Kind::Read => Pc::Begin,
            Kind::Punch | Kind::Truncate => Pc::Free,
        }
    }

    fn lock(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Lock)?;
        let plan = &self.of(r).plan;
        if !self.may_take(r) {
            return None;
        }
        for other in &mut next.requests {
            other.ahead.remove(&r);
        }
        let request = &mut next.requests[r];
        request.ahead.clear();
        let seen = self.look(r).sees_behind();
        request
            .plan
            .saw
            .extend(seen.map(|sector| (sector, Extent::Hole)));
        request.held = Some(plan.mode);
        request.pc = match self.kind(r) {
            _ if plan.buffered => self.after_lock(r, self.look(r).buffered_drains()),
            Kind::Punch | Kind::Truncate => self.after_lock(r, self.look(r).free_drains()),
            Kind::Buffered => self.after_lock(r, self.look(r).buffered_drains()),
            Kind::Read => self.after_lock(r, false),
            Kind::Write if !plan.saw.is_empty() => self.after_lock(r, plan.drain),
            Kind::Write => Pc::Check,
        };
        Some(next)
    }

    fn lock_fails(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Lock)?;
        if !self.look(r).call.nowait || self.may_take(r) {
            return None;
        }
        let request = &mut next.requests[r];
        request.pc = Pc::Done;
        request.plan = Plan::of(Mode::Shared);
        request.result = Outcome::Eagain;
        Some(next)
    }

    fn check(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Check)?;
        let request = &mut next.requests[r];
        let held = request.held?;
        match self.look(r).verdict(held) {
            Verdict::Refused => {
                request.plan = Plan::of(Mode::Shared);
                request.pc = Pc::Unlock;
                request.result = Outcome::Eagain;
            }
            Verdict::Upgrades(plan) => {
                request.plan = plan;
                request.held = None;
                request.ahead = self.asks(r);
                request.pc = Pc::Lock;
            }
            Verdict::Stays(plan) => {
                request.pc = self.after_lock(r, plan.drain);
                request.plan = plan;
            }
        }
        Some(next)
    }

    fn drain(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Drain)?;
        next.requests[r].pc = self.after_lock(r, false);
        (self.state.dio == 0).then_some(next)
    }

    fn begin(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Begin)?;
        next.cache.extend(self.eof_pages(r));
        self.write_back(r, &mut next);
        next.dio = self.state.dio.checked_add(1)?;
        let request = &mut next.requests[r];
        request.io = Io::Flying;
        request.next = *self.look(r).blocks().start();
        request.pc = Pc::Map;
        (!self.look(r).call.cached).then_some(next)
    }

    fn fall_back(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Begin)?;
        let request = &mut next.requests[r];
        request.held = None;
        request.plan = Plan {
            buffered: true,
            ..Plan::of(self.policy().fallback.mode())
        };
        request.ahead = self.asks(r);
        request.pc = Pc::Lock;
        self.look(r).call.cached.then_some(next)
    }

    fn map(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Map)?;
        let block = self.of(r).next;
        if !self.look(r).blocks().contains(&block) {
            return None;
        }
        let held = self.of(r).held?;
        if self.look(r).stops(held, block) {
            next.requests[r].pc = Pc::Again;
            return Some(next);
        }
        if self.kind(r) == Kind::Write {
            self.map_write(r, block, &mut next);
        } else {
            self.map_read(r, block, &mut next);
        }
        let request = &mut next.requests[r];
        request.next = block + 1;
        if block == *self.look(r).blocks().end() {
            let queues = self.look(r).call.is_async && !request.plan.wait;
            request.pc = if queues { Pc::Unlock } else { Pc::Io };
        }
        Some(next)
    }

    fn map_write(&self, r: Request, block: u32, next: &mut State) {
        let (extent, converts, bios) = self.look(r).map_write(&self.of(r).plan, block);
        next.extent[block as usize] = extent;
        let request = &mut next.requests[r];
        request.bios.extend(bios);
        if converts {
            request.convert.insert(block);
        }
    }

    fn map_read(&self, r: Request, block: u32, next: &mut State) {
        let request = &mut next.requests[r];
        let part = Part::Read;
        if let Some(bio) = self.look(r).map_read(block) {
            request.bios.insert(bio);
        } else {
            for sector in self.look(r).covers(Bio { part, block }) {
                request.buffer.entry(sector).or_insert(Content::Zero);
            }
        }
    }

    fn retry(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Again)?;
        next.dio = self.state.dio.checked_sub(1)?;
        let request = &mut next.requests[r];
        request.held = None;
        request.io = Io::None;
        request.next = 0;
        request.convert = BTreeSet::new();
        request.failed = false;
        if let Some(mode) = self.look(r).retries() {
            request.pc = Pc::Lock;
            request.plan = Plan::of(mode);
            request.ahead = self.asks(r);
            request.retries = request.retries.saturating_add(1).min(2);
        } else {
            request.pc = Pc::Done;
            request.plan = Plan::of(Mode::Shared);
            request.result = Outcome::Eagain;
        }
        self.of(r).bios.is_empty().then_some(next)
    }

    /// `Outcome`.
    fn outcome(&self, r: Request) -> Outcome {
        if self.of(r).failed {
            Outcome::Eio
        } else {
            Outcome::Ok
        }
    }

    fn unlock(&self, r: Request) -> Option<State> {
        let now = self.of(r);
        if now.pc != Pc::Unlock && (now.pc, now.io) != (Pc::Io, Io::Ended) {
            return None;
        }
        let mut next = self.state.clone();
        if self.look(r).trims(now.held?, now.failed) {
            for block in (0..).take(next.extent.len()) {
                if self.look(r).behind(block) {
                    next.extent[block as usize] = Extent::Hole;
                    for sector in self.look(r).sectors_in(block) {
                        next.disk[sector as usize] = Content::Stale;
                    }
                }
            }
        }
        let request = &mut next.requests[r];
        request.held = None;
        request.plan = Plan::of(Mode::Shared);
        if now.plan.buffered {
            request.pc = Pc::Flush;
        } else if matches!(now.io, Io::Flying | Io::Converted) {
            request.pc = Pc::Queued;
        } else {
            request.pc = Pc::Done;
            if now.result == Outcome::None {
                request.result = self.outcome(r);
            }
        }
        Some(next)
    }

    /// `WriteBack`: the dirty pages of r's blocks go to the disk, and the blocks are written from then on.
    fn write_back(&self, r: Request, next: &mut State) {
        for block in self.look(r).blocks() {
            for sector in self.look(r).sectors_in(block) {
                if let Some(content) = next.cache.remove(&sector) {
                    next.disk[sector as usize] = content;
                    next.extent[block as usize] = Extent::Written;
                }
            }
        }
    }

    /// `Page`: what the page of a block has.
    fn page(&self, r: Request, sector: u32) -> Content {
        match self.state.cache.get(&sector) {
            Some(content) => *content,
            None if self.is_written(r, sector) => self.state.disk[sector as usize],
            None => Content::Zero,
        }
    }

    fn is_written(&self, r: Request, sector: u32) -> bool {
        self.look(r).extent(self.look(r).block_of(sector)) == Extent::Written
    }

    /// `Seen`: what a truncate has seen behind EOF.
    fn seen(&self, r: Request) -> BTreeSet<u32> {
        match self.kind(r) {
            Kind::Truncate => self.of(r).plan.saw.keys().copied().collect(),
            _ => BTreeSet::new(),
        }
    }

    /// `EofPage`, `SeenPages`: the rest of the block that EOF lies in is zeroed in its page, if r does that, and what it has seen.
    fn eof_pages(&self, r: Request) -> BTreeMap<u32, Content> {
        let look = self.look(r);
        let mut zeroed = self.seen(r);
        if look.zeroes_eof() {
            let size = self.state.size;
            let rest = look.sectors_in(look.block_of(size));
            zeroed.extend(rest.filter(|sector| *sector >= size));
        }
        let has_page =
            |sector: &&u32| self.state.cache.contains_key(sector) || self.is_written(r, **sector);
        let blocks = zeroed.iter().filter(has_page);
        let blocks: BTreeSet<u32> = blocks.map(|sector| look.block_of(*sector)).collect();
        let sectors = blocks.into_iter().flat_map(|block| look.sectors_in(block));
        let content = |sector: u32| match zeroed.contains(&sector) {
            true => Content::Zero,
            false => self.page(r, sector),
        };
        sectors.map(|sector| (sector, content(sector))).collect()
    }

    /// Pages of its blocks, with its data, become dirty, and that of EOF's block, if it begins behind EOF.
    fn fill(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Fill)?;
        for block in self.look(r).blocks() {
            for sector in self.look(r).sectors_in(block) {
                next.cache.insert(sector, self.page(r, sector));
            }
        }
        next.cache.extend(self.eof_pages(r));
        for sector in self.look(r).range() {
            next.cache.insert(sector, Content::Of(r));
        }
        next.size = self.state.size.max(self.look(r).end());
        next.requests[r].pc = Pc::Unlock;
        Some(next)
    }

    fn flush(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Flush)?;
        self.write_back(r, &mut next);
        let request = &mut next.requests[r];
        request.pc = Pc::Done;
        request.result = Outcome::Ok;
        Some(next)
    }

    fn free(&self, r: Request) -> Option<State> {
        let mut next = self.at(r, Pc::Free)?;
        next.cache.extend(self.eof_pages(r));
        if self.look(r).frees() {
            self.free_blocks(r, &mut next);
        }
        if self.kind(r) == Kind::Truncate {
            next.size = self.look(r).call.from;
        }
        next.requests[r].pc = Pc::Unlock;
        Some(next)
    }

    /// `FreeBlocks`: what is dirty is written back; then whole blocks become holes, the rest of a block in part is zeroed.
    fn free_blocks(&self, r: Request, next: &mut State) {
        for (sector, content) in std::mem::take(&mut next.cache) {
            next.disk[sector as usize] = content;
            next.extent[self.look(r).block_of(sector) as usize] = Extent::Written;
        }
        for block in (0..).take(self.state.extent.len()) {
            let put = |sector: &u32| self.look(r).puts(*sector);
            let whole = self.look(r).sectors_in(block).all(|sector| put(&sector));
            for sector in self.look(r).sectors_in(block).filter(put) {
                if whole {
                    next.disk[sector as usize] = Content::Stale;
                } else if next.extent[block as usize] == Extent::Written {
                    next.disk[sector as usize] = Content::Zero;
                }
            }
            if whole {
                next.extent[block as usize] = Extent::Hole;
            }
        }
    }

    /// The device has done one I/O. Where the block has been freed meanwhile, it hits whatever that block is now.
    fn complete(&self, r: Request, bio: Bio) -> Option<State> {
        let mut next = self.state.clone();
        if !next.requests[r].bios.remove(&bio) {
            return None;
        }
        for sector in self.look(r).covers(bio) {
            let disk = &mut next.disk[sector as usize];
            if self.kind(r) == Kind::Read {
                next.requests[r].buffer.insert(sector, *disk);
            } else if self.look(r).extent(bio.block) != Extent::Hole {
                let is_pad = matches!(bio.part, Part::Head | Part::Tail);
                *disk = if is_pad {
                    Content::Zero
                } else {
                    Content::Of(r)
                };
            }
        }
        Some(next)
    }

    /// The device has failed to do it, and has changed nothing.
    fn fail(&self, r: Request, bio: Bio) -> Option<State> {
        let mut next = self.state.clone();
        let request = &mut next.requests[r];
        let in_flight = request.bios.remove(&bio);
        request.failed = true;
        (self.look(r).call.fails && in_flight).then_some(next)
    }

    /// Unwritten blocks become written, i_size grows. Nothing of that after an error.
    fn end_io(&self, r: Request) -> Option<State> {
        let now = self.of(r);
        let submitted = matches!(now.pc, Pc::Io | Pc::Unlock | Pc::Queued);
        if now.io != Io::Flying || !submitted || !now.bios.is_empty() {
            return None;
        }
        let mut next = self.state.clone();
        if !now.failed {
            for &block in &now.convert {
                next.extent[block as usize] = Extent::Written;
            }
            if self.kind(r) == Kind::Write {
                next.size = self.state.size.max(self.look(r).end());
            }
        }
        let request = &mut next.requests[r];
        request.io = Io::Converted;
        request.convert = BTreeSet::new();
        request.next = 0;
        Some(next)
    }

    /// inode_dio_end, and after it ki_complete.
    fn dio_end(&self, r: Request) -> Option<State> {
        let now = self.of(r);
        if now.io != Io::Converted {
            return None;
        }
        let mut next = self.state.clone();
        next.dio = self.state.dio.checked_sub(1)?;
        let request = &mut next.requests[r];
        request.io = Io::Ended;
        if now.pc != Pc::Io {
            request.result = self.outcome(r);
        }
        if now.pc == Pc::Queued {
            request.pc = Pc::Done;
        }
        Some(next)
    }
}
