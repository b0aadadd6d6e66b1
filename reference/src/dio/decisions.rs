//! Requests and blocks, and the eleven decisions in which the designs differ: `Decisions.tla`.
//! The machine and the file ([`super::file`]) both decide by them.

use std::ops::{Range, RangeInclusive};

use super::machine::{
    Bio, Call, Extent, Kind, Machine, Mode, Part, Plan, Progress, Request, State,
};
use super::policy::{
    Alloc, Drain, First, Flag, Free, Grow, Nowait, Overwrite, Policy, Retry, Share, Tail, Wait,
};

/// A request, and the file that it looks at. Each method is the operator of that name.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub policy: &'a Policy,
    pub call: &'a Call,
    pub extent: &'a [Extent],
    pub size: u32,
    pub per_block: u32,
}

impl Look<'_> {
    /// `BlockOf`.
    pub fn block_of(&self, sector: u32) -> u32 {
        sector / self.per_block
    }

    /// `FirstBlock(r) .. LastBlock(r)`.
    pub fn blocks(&self) -> RangeInclusive<u32> {
        self.block_of(self.call.from)..=self.block_of(self.call.to)
    }

    pub fn range(&self) -> RangeInclusive<u32> {
        self.call.from..=self.call.to
    }

    /// The position behind the last sector.
    pub fn end(&self) -> u32 {
        self.call.to + 1
    }

    /// `In`: the sectors of a block.
    pub fn sectors_in(&self, block: u32) -> Range<u32> {
        let first = block * self.per_block;
        first..first + self.per_block
    }

    /// Whether the sector is one of `Puts(r)`; a truncate makes `from` the size, and empties all from there on.
    pub fn puts(&self, sector: u32) -> bool {
        match self.call.kind {
            Kind::Truncate => sector >= self.call.from,
            Kind::Read => false,
            Kind::Write | Kind::Buffered | Kind::Punch => self.range().contains(&sector),
        }
    }

    pub fn grows(&self) -> bool {
        self.end() > self.size
    }

    pub fn reaches_eof(&self) -> bool {
        self.end() >= self.size
    }

    fn begins_behind(&self) -> bool {
        self.call.from > self.size
    }

    pub fn unaligned(&self) -> bool {
        let aligned = |position: u32| position.is_multiple_of(self.per_block);
        let from = self.call.from;
        let as_good = self.policy.eof && from >= self.size;
        (!aligned(from) || !aligned(self.end())) && !as_good
    }

    pub fn extends(&self) -> bool {
        self.grows() || (self.policy.reaching && self.unaligned() && self.reaches_eof())
    }

    /// Whether r covers the block only in part.
    fn partial(&self, block: u32) -> bool {
        let range = self.range();
        !self.sectors_in(block).all(|sector| range.contains(&sector))
    }

    /// The sectors of an I/O of r.
    pub fn covers(&self, bio: Bio) -> Range<u32> {
        covers(self.call, self.per_block, bio)
    }

    pub fn extent(&self, block: u32) -> Extent {
        self.extent[block as usize]
    }

    /// Does a write, direct or not, have the lock alone, and wait for direct I/O in flight, to zero what is behind EOF?
    fn drains_to_zero(&self) -> bool {
        self.policy.grow.drains_to_zero() && self.begins_behind()
    }

    // 0. FALLBACK

    /// Does a buffered write, or a fallback to one, wait for direct I/O in flight?
    pub fn buffered_drains(&self) -> bool {
        self.policy.fallback.drains() || self.drains_to_zero()
    }

    // 1. FIRST

    fn write_first(&self) -> Mode {
        let exclusively = match self.policy.first {
            First::Extending => self.extends(),
            First::ExtendingOrUnaligned => self.extends() || self.unaligned(),
            First::UnalignedReachingEof => self.unaligned() && self.reaches_eof(),
        };
        if exclusively {
            Mode::Exclusive
        } else {
            Mode::Shared
        }
    }

    pub fn first(&self) -> Mode {
        match self.call.kind {
            Kind::Write => self.write_first(),
            Kind::Read => Mode::Shared,
            Kind::Buffered => self.policy.fallback.mode(),
            Kind::Punch | Kind::Truncate if self.policy.free == Free::Shared => Mode::Shared,
            Kind::Punch | Kind::Truncate => Mode::Exclusive,
        }
    }

    // 2. OVERWRITE

    fn overwrite(&self) -> bool {
        let mut blocks = self.blocks();
        let written = |block: u32| self.extent(block) == Extent::Written;
        !self.extends()
            && match self.policy.overwrite {
                Overwrite::Mapped => blocks.all(written),
                Overwrite::Allocated => [Extent::Unwritten, Extent::Written]
                    .iter()
                    .any(|&state| blocks.clone().all(|block| self.extent(block) == state)),
                Overwrite::PartialMapped => {
                    blocks.all(|block| !self.partial(block) || written(block))
                }
            }
    }

    /// A block that the write covers in part will have to be zeroed.
    fn zeroes(&self) -> bool {
        let unwritten = |block| self.extent(block) == Extent::Unwritten;
        self.unaligned() && self.blocks().any(unwritten)
    }

    /// The same where only partial blocks matter, as 7.3 asks it of a write that has the exclusive lock.
    fn needs_zeroing(&self) -> bool {
        self.unaligned() && !self.overwrite()
    }

    // 3. SHARE

    pub fn may_share(&self) -> bool {
        match self.policy.share {
            Share::Always => !self.drains_to_zero(),
            Share::Overwrite => self.overwrite(),
            Share::OverwriteNoZeroing => self.overwrite() && !self.zeroes(),
        }
    }

    // 4. DRAIN

    pub fn drains(&self, mode: Mode) -> bool {
        let exclusively = mode == Mode::Exclusive;
        match self.policy.drain {
            _ if exclusively && self.drains_to_zero() => true,
            Drain::Never => false,
            Drain::Unaligned => exclusively && self.unaligned(),
            Drain::UnalignedEvenShared => self.unaligned(),
            Drain::Zeroing => {
                exclusively && self.unaligned() && (!self.overwrite() || self.zeroes())
            }
            Drain::NeedsZeroing => exclusively && self.needs_zeroing(),
        }
    }

    // 5. WAIT

    pub fn waits(&self, mode: Mode) -> bool {
        mode == Mode::Exclusive
            && match self.policy.wait {
                Wait::UnalignedOrExtending => self.unaligned() || self.extends(),
                Wait::Unaligned => self.unaligned(),
                Wait::Extending => self.extends(),
                Wait::NeedsZeroingOrExtending => self.needs_zeroing() || self.extends(),
            }
    }

    // 6. NOWAIT

    /// Is a call that must not wait refused even though it has the lock?
    fn refuses(&self, mode: Mode) -> bool {
        let by_design = match self.policy.nowait {
            Nowait::All => true,
            Nowait::Exclusive => mode == Mode::Exclusive,
            Nowait::None => false,
        };
        by_design && (self.unaligned() || self.extends())
    }

    // 7. FLAG

    /// The flag stops r, which is to map the block.
    pub fn stops(&self, held: Mode, block: u32) -> bool {
        let mut left = block..=*self.blocks().end();
        self.policy.flag == Flag::Heeded
            && self.call.kind == Kind::Write
            && held == Mode::Shared
            && self.unaligned()
            && (self.extends() || left.any(|block| self.extent(block) != Extent::Written))
    }

    // 8. ALLOC

    /// Whether the block lies at or behind EOF.
    pub fn behind(&self, block: u32) -> bool {
        block * self.per_block >= self.size
    }

    /// What the block is as soon as a write has mapped it.
    fn allocated(&self, block: u32) -> Extent {
        match (self.policy.alloc, self.extent(block)) {
            (Alloc::BySize, _) if self.behind(block) => Extent::Written,
            (Alloc::Written, Extent::Hole) => Extent::Written,
            (_, Extent::Hole) => Extent::Unwritten,
            (_, allocated) => allocated,
        }
    }

    // 9. TAIL

    /// Does r zero the rest of the block that it ends in, though the block is not new?
    fn tail_pad(&self) -> bool {
        match self.policy.tail {
            Tail::AtEof => self.reaches_eof(),
            Tail::BehindEof => self.grows(),
        }
    }

    // 10. GROW

    /// A punch, or a truncate that shrinks.
    pub fn frees(&self) -> bool {
        match self.call.kind {
            Kind::Punch => true,
            Kind::Truncate => self.call.from < self.size,
            Kind::Write | Kind::Buffered | Kind::Read => false,
        }
    }

    fn eof_within(&self) -> bool {
        !self.size.is_multiple_of(self.per_block)
    }

    /// Does a truncate that does not shrink, or a write, zero the rest of EOF's block?
    pub fn zeroes_eof(&self) -> bool {
        let grow = self.policy.grow;
        let behind = match self.call.kind {
            Kind::Read => false,
            Kind::Write => grow.by_direct_writes(),
            Kind::Buffered | Kind::Punch | Kind::Truncate => grow != Grow::Size,
        };
        let grows_past = behind && self.begins_behind();
        let to_the_same = self.call.kind == Kind::Truncate && self.call.from == self.size;
        self.eof_within() && (grows_past || to_the_same)
    }

    /// Do truncate and punch wait for direct I/O in flight?
    pub fn free_drains(&self) -> bool {
        if self.frees() {
            return self.policy.free == Free::ExclusiveDrained;
        }
        match self.policy.grow {
            Grow::Drained | Grow::SeenDrained => true,
            Grow::TruncateDrained => self.eof_within(),
            Grow::Size | Grow::Page | Grow::PageAlways => false,
        }
    }

    /// `SeesBehind`: the sectors that a truncate which has the lock sees behind EOF, and will zero, if it looks so early.
    pub fn sees_behind(&self) -> Range<u32> {
        match (self.call.kind, self.policy.grow) {
            (Kind::Truncate, Grow::SeenDrained) => self.size..self.call.from.max(self.size),
            _ => 0..0,
        }
    }

    // 11. TRIM

    /// Does r, which holds the lock as `held` says and has failed or not, free the blocks behind EOF?
    pub fn trims(&self, held: Mode, failed: bool) -> bool {
        self.policy.trim && failed && held == Mode::Exclusive && self.grows()
    }

    /// What `Check` decides for who holds the lock as `held` says.
    pub fn verdict(&self, held: Mode) -> Verdict {
        let upgrades = held == Mode::Shared && !self.may_share();
        let mode = if upgrades { Mode::Exclusive } else { held };
        if self.call.nowait && (upgrades || self.refuses(mode)) {
            return Verdict::Refused;
        }
        let mut plan = Plan {
            drain: self.drains(mode),
            wait: self.waits(mode),
            ..Plan::of(mode)
        };
        if !upgrades {
            return Verdict::Stays(plan);
        }
        if !self.policy.recheck {
            let seen = self.blocks().map(|block| (block, self.extent(block)));
            plan.saw = seen.collect();
        }
        Verdict::Upgrades(plan)
    }

    /// `MapWrite`: the state of the block from now on, whether it is to be converted, and the I/Os. Head pad, data and tail pad
    /// are submitted; the tail is zeroed also at EOF.
    pub fn map_write(&self, plan: &Plan, block: u32) -> (Extent, bool, Vec<Bio>) {
        let mapping = self.extent(block);
        let saw = plan.saw.get(&block).unwrap_or(&mapping);
        let is_new = *saw != Extent::Written;
        let allocated = self.allocated(block);
        let made = mapping != Extent::Written && allocated == Extent::Written;
        let parts = [
            (Part::Head, is_new),
            (Part::Data, true),
            (Part::Tail, is_new || self.tail_pad()),
        ];
        let submitted = parts.into_iter().filter(|(_, submitted)| *submitted);
        let bios = submitted
            .map(|(part, _)| Bio { part, block })
            .filter(|bio| !self.covers(*bio).is_empty());
        (allocated, is_new && !made, bios.collect())
    }

    /// `MapRead`: the I/O, if there is one. What is not written reads as zero without any, and what lies beyond EOF too.
    pub fn map_read(&self, block: u32) -> Option<Bio> {
        let begins_inside = self.sectors_in(block).start < self.size;
        let part = Part::Read;
        (self.extent(block) == Extent::Written && begins_inside).then_some(Bio { part, block })
    }

    /// The mode in which r, stopped by the flag, tries again; none if it does not.
    pub fn retries(&self) -> Option<Mode> {
        let mode = match self.policy.retry {
            Retry::Never => None,
            Retry::Exclusive => Some(Mode::Exclusive),
            Retry::Shared => Some(Mode::Shared),
        };
        mode.filter(|_| !self.call.nowait)
    }
}

/// The sectors of a request's I/O: a pad is the rest of its block, before the first or behind the last sector of the request.
pub(super) fn covers(call: &Call, per_block: u32, bio: Bio) -> Range<u32> {
    let (first, end) = (bio.block * per_block, (bio.block + 1) * per_block);
    match bio.part {
        Part::Head => first..call.from.min(end),
        Part::Tail => first.max(call.to + 1)..end,
        Part::Data | Part::Read => first.max(call.from)..end.min(call.to + 1),
    }
}

/// What a write does after it has looked at the mapping under the lock.
pub(super) enum Verdict {
    /// NOWAIT: it would have to wait.
    Refused,
    /// It asks for the exclusive lock instead.
    Upgrades(Plan),
    /// It goes on.
    Stays(Plan),
}

/// A state seen under a machine's policy.
pub(super) struct View<'a> {
    pub machine: &'a Machine,
    pub state: &'a State,
}

impl View<'_> {
    pub fn policy(&self) -> &Policy {
        &self.machine.policy
    }

    pub fn of(&self, r: Request) -> &Progress {
        &self.state.requests[r]
    }

    pub fn kind(&self, r: Request) -> Kind {
        self.machine.calls[r].kind
    }

    /// What r sees.
    pub fn look(&self, r: Request) -> Look<'_> {
        Look {
            policy: &self.machine.policy,
            call: &self.machine.calls[r],
            extent: &self.state.extent,
            size: self.state.size,
            per_block: self.machine.per_block,
        }
    }
}
