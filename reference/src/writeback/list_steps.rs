//! The steps of the tasks: the actions of `WbLists.tla`.

use std::collections::BTreeSet;

use super::list_policy::{First, Fsync, ISync, Stamp};
use super::lists::{Action, Inode, List, Machine, Page, Pc, State, Task, Writer};

/// A step of a machine, from one state to the next, which begins as a copy.
pub(super) struct Steps<'a> {
    pub machine: &'a Machine,
    pub before: &'a State,
    pub next: &'a mut State,
}

/// What the actions ask and do in common.
impl Steps<'_> {
    fn goes(&mut self, task: Task, to: Pc) {
        self.next.pc[task as usize] = to;
    }

    fn is(&self, task: Task, pc: Pc) -> bool {
        self.before.pc(task) == pc
    }

    /// `Syncing`.
    fn is_syncing(&self) -> bool {
        self.is(Task::Caller, Pc::Served)
    }

    /// `Queued`.
    fn is_queued(&self, i: Inode) -> bool {
        self.before.on(List::Io).contains(&i) || self.before.on(List::More).contains(&i)
    }

    /// `Integrity`: WB_SYNC_ALL.
    fn is_integrity(&self, w: Writer) -> bool {
        w == Writer::Fsyncer || self.is_syncing()
    }

    /// `Tagging`.
    fn is_tagging(&self, w: Writer) -> bool {
        self.machine.policy.tags && self.is_integrity(w)
    }

    fn dirty_pages(&self, i: Inode) -> BTreeSet<Page> {
        let pages = self.before.dirty.iter().copied();
        pages.filter(|page| page.0 == i).collect()
    }

    /// `ToWrite`: what w has still to write.
    fn to_write(&self, w: Writer) -> BTreeSet<Page> {
        if self.is_tagging(w) {
            &self.before.towrite[w as usize] & &self.before.dirty
        } else {
            let at = self.before.inode[w as usize];
            at.map_or_else(BTreeSet::new, |i| self.dirty_pages(i))
        }
    }

    /// `Removed`.
    fn take_off(&mut self, i: Inode) {
        for list in &mut self.next.list {
            list.remove(&i);
        }
    }

    /// `Moved`: inode_io_list_move_locked.
    fn move_to(&mut self, i: Inode, list: List) {
        if self.machine.policy.moves {
            self.take_off(i);
        }
        self.next.list[list as usize].insert(i);
    }

    /// `StampNow`: dirtied_when = jiffies.
    fn stamp(&mut self, i: Inode) {
        if self.is_syncing() {
            self.next.fresh.insert(i);
        }
    }

    /// `TailStamps`: redirty_tail.
    fn redirty_tail(&mut self, i: Inode) {
        if !self.before.on(List::Dirty).is_disjoint(&self.next.fresh) {
            self.next.fresh.insert(i);
        }
        self.move_to(i, List::Dirty);
    }

    /// `MarkMoves`, for an inode without I_DIRTY: it gets on `list`.
    fn mark(&mut self, i: Inode, list: List) {
        let stays = if self.machine.policy.queued {
            self.is_queued(i)
        } else {
            self.before.is_written(i)
        };
        if !self.before.i_dirty_pages.contains(&i) && !stays {
            self.move_to(i, list);
            self.stamp(i);
        }
    }

    fn mark_pages(&mut self, i: Inode) {
        self.mark(i, List::Dirty);
        self.next.i_dirty_pages.insert(i);
    }

    fn begin(&mut self, w: Writer, i: Inode) {
        let (task, place) = (task(w), w as usize);
        self.goes(task, Pc::Write);
        self.next.inode[place] = Some(i);
        self.next.towrite[place] = if self.is_tagging(w) {
            self.dirty_pages(i)
        } else {
            BTreeSet::new()
        };
    }

    /// `Expired`, without what was dirtied too late.
    fn expired(&self, late: &BTreeSet<Inode>) -> BTreeSet<Inode> {
        let mut all = self.before.on(List::Dirty).clone();
        if self.is_syncing() {
            all.extend(self.before.on(List::Time));
        }
        &all - late
    }

    /// `Queue`.
    fn queue(&mut self, inodes: &BTreeSet<Inode>) {
        let more = std::mem::take(&mut self.next.list[List::More as usize]);
        for list in [List::Dirty, List::Time] {
            self.next.list[list as usize].retain(|i| !inodes.contains(i));
        }
        let io = &mut self.next.list[List::Io as usize];
        io.extend(more);
        io.extend(inodes);
    }

    /// `MustYield`.
    fn must_yield(&self) -> bool {
        self.is(Task::Caller, Pc::Queued) && self.machine.policy.yields
    }
}

fn task(w: Writer) -> Task {
    match w {
        Writer::Flusher => Task::Flusher,
        Writer::Fsyncer => Task::Fsyncer,
    }
}

/// The actions; each says whether it is enabled, and leaves in `next` nothing of use if it is not.
impl Steps<'_> {
    pub fn take(&mut self, action: Action) -> bool {
        match action {
            Action::Dirty(page) => self.dirty(page),
            Action::Mark(page) => self.mark_page(page),
            Action::DirtyTime(i) => self.dirty_time(i),
            Action::Sync => self.sync(),
            Action::Return => self.returns(),
            Action::Fsync(i) => self.fsync(i),
            Action::FsyncEnd(i) => self.fsync_end(i),
            Action::WritePage(w, page) => self.write_page(w, page),
            Action::WriteInode(w) => self.write_inode(w),
            Action::StartBackground => self.start_background(),
            Action::StartSync => self.start_sync(),
            Action::QueueIo => self.queue_io(),
            Action::Pick(i) => self.pick(i),
            Action::PickBusy(i) => self.pick_busy(i),
            Action::Requeue(i) => self.requeue(i),
            Action::Yield => self.yields(),
            Action::FinishWork => self.finish_work(),
        }
    }

    fn dirty(&mut self, page: Page) -> bool {
        let kind = self.machine.inodes.get(page.0);
        let known = kind.is_some_and(|kind| (1..=kind.pages).contains(&page.1));
        if self.machine.at_once {
            self.mark_pages(page.0);
        } else {
            self.next.marking = Some(page);
        }
        known && self.before.marking.is_none() && self.next.dirty.insert(page)
    }

    fn mark_page(&mut self, page: Page) -> bool {
        self.mark_pages(page.0);
        self.next.marking.take() == Some(page)
    }

    fn dirty_time(&mut self, i: Inode) -> bool {
        let may = self.machine.inodes.get(i).is_some_and(|kind| kind.stamped);
        self.mark(i, List::Time);
        may && self.next.i_dirty_time.insert(i)
    }

    fn sync(&mut self) -> bool {
        self.goes(Task::Caller, Pc::Queued);
        self.next.promised_pages.clone_from(&self.before.dirty);
        if let Some(page) = self.before.marking {
            self.next.promised_pages.remove(&page);
        }
        self.next
            .promised_times
            .clone_from(&self.before.i_dirty_time);
        self.is(Task::Caller, Pc::Idle)
    }

    fn returns(&mut self) -> bool {
        self.goes(Task::Caller, Pc::Idle);
        self.next.promised_pages.clear();
        self.next.promised_times.clear();
        self.is(Task::Caller, Pc::Returned)
    }

    fn fsync(&mut self, i: Inode) -> bool {
        let may = self.machine.inodes.get(i).is_some_and(|kind| kind.synced);
        let is_dirty =
            self.before.i_dirty_pages.contains(&i) || self.before.i_dirty_time.contains(&i);
        let is_barred = self.machine.policy.isync == ISync::First
            && self.is_syncing()
            && self.before.on(List::Io).contains(&i);
        self.begin(Writer::Fsyncer, i);
        may && is_dirty
            && !is_barred
            && self.is(Task::Fsyncer, Pc::Idle)
            && !self.before.is_written(i)
    }

    fn fsync_end(&mut self, i: Inode) -> bool {
        let [pages, time] =
            [&self.before.i_dirty_pages, &self.before.i_dirty_time].map(|of| of.contains(&i));
        if !pages && !time {
            self.take_off(i);
        } else if self.is_queued(i) || self.machine.policy.fsync == Fsync::Leaves {
            // the flusher's, or left where it is
        } else if pages {
            self.redirty_tail(i);
        } else {
            self.move_to(i, List::Time);
            self.stamp(i);
        }
        let then = if self.machine.again {
            Pc::Idle
        } else {
            Pc::Done
        };
        self.goes(Task::Fsyncer, then);
        self.next.inode[Writer::Fsyncer as usize] = None;
        if self.is(Task::Flusher, Pc::Wait) && self.before.inode[0] == Some(i) {
            self.goes(Task::Flusher, Pc::Pick);
            self.next.inode[Writer::Flusher as usize] = None;
        }
        self.is(Task::Fsyncer, Pc::Requeue) && self.before.inode[1] == Some(i)
    }

    fn write_page(&mut self, w: Writer, page: Page) -> bool {
        self.next.dirty.remove(&page);
        self.next.towrite[w as usize].remove(&page);
        self.next.promised_pages.remove(&page);
        if !self.is_integrity(w) && self.machine.policy.slice {
            self.goes(task(w), Pc::Spent);
        }
        self.is(task(w), Pc::Write) && self.to_write(w).contains(&page)
    }

    fn write_inode(&mut self, w: Writer) -> bool {
        let Some(i) = self.before.inode[w as usize] else {
            return false;
        };
        if self.dirty_pages(i).is_empty() {
            self.next.i_dirty_pages.remove(&i);
        } else {
            self.next.i_dirty_pages.insert(i);
        }
        if self.is_integrity(w) {
            let was_time_alone =
                self.next.i_dirty_time.remove(&i) && !self.before.i_dirty_pages.contains(&i);
            self.next.promised_times.remove(&i);
            let moves = self.machine.policy.fsync == Fsync::Requeues && !self.is_queued(i);
            if was_time_alone && moves {
                self.move_to(i, List::Dirty);
                self.stamp(i);
            }
        }
        self.next.towrite[w as usize].clear();
        self.goes(task(w), Pc::Requeue);
        let has_written = self.is(task(w), Pc::Write) && self.to_write(w).is_empty();
        has_written || self.is(task(w), Pc::Spent)
    }

    fn start_background(&mut self) -> bool {
        self.goes(Task::Flusher, Pc::Pick);
        let mut lists = [List::Dirty, List::Io, List::More].into_iter();
        let has_work = lists.any(|list| !self.before.on(list).is_empty());
        self.is(Task::Flusher, Pc::Idle) && !self.is(Task::Caller, Pc::Queued) && has_work
    }

    fn start_sync(&mut self) -> bool {
        self.goes(Task::Flusher, Pc::Pick);
        self.goes(Task::Caller, Pc::Served);
        let at_once = self.machine.policy.first == First::AtOnce;
        if at_once || self.before.on(List::Io).is_empty() {
            let all = self.before.on(List::Dirty) | self.before.on(List::Time);
            self.queue(&all);
        }
        self.is(Task::Flusher, Pc::Idle) && self.is(Task::Caller, Pc::Queued)
    }

    fn queue_io(&mut self) -> bool {
        let expired = self.expired(&self.before.fresh);
        self.queue(&expired);
        let any = !expired.is_empty() || !self.before.on(List::More).is_empty();
        let is_empty = self.before.on(List::Io).is_empty();
        self.is(Task::Flusher, Pc::Pick) && is_empty && any && !self.must_yield()
    }

    fn pick(&mut self, i: Inode) -> bool {
        self.begin(Writer::Flusher, i);
        let is_next = self.before.on(List::Io).contains(&i) && !self.before.is_written(i);
        self.is(Task::Flusher, Pc::Pick) && is_next
    }

    fn pick_busy(&mut self, i: Inode) -> bool {
        let is_syncing = self.is_syncing();
        if is_syncing && self.machine.policy.isync != ISync::Skips {
            self.goes(Task::Flusher, Pc::Wait);
            self.next.inode[Writer::Flusher as usize] = Some(i);
        } else {
            self.move_to(i, if is_syncing { List::Dirty } else { List::More });
            self.stamp(i);
        }
        let is_next = self.before.on(List::Io).contains(&i) && self.before.is_written(i);
        self.is(Task::Flusher, Pc::Pick) && is_next
    }

    fn requeue(&mut self, i: Inode) -> bool {
        let policy = &self.machine.policy;
        let has_flag = self.before.i_dirty_pages.contains(&i);
        let has_pages = !self.dirty_pages(i).is_empty();
        let is_again = match policy.stamp {
            Stamp::Never => false,
            Stamp::Marked => has_flag,
            Stamp::Tagged => has_flag || has_pages,
        };
        if is_again {
            self.stamp(i);
        }
        if has_pages && !policy.requeue {
            self.take_off(i);
        } else if has_pages && !self.is_syncing() {
            self.move_to(i, List::More);
        } else if has_pages || has_flag {
            self.redirty_tail(i);
        } else if self.before.i_dirty_time.contains(&i) {
            self.move_to(i, List::Time);
            self.stamp(i);
        } else {
            self.take_off(i);
        }
        self.goes(Task::Flusher, Pc::Pick);
        self.next.inode[Writer::Flusher as usize] = None;
        self.is(Task::Flusher, Pc::Requeue) && self.before.inode[0] == Some(i)
    }

    fn yields(&mut self) -> bool {
        self.goes(Task::Flusher, Pc::Idle);
        self.is(Task::Flusher, Pc::Pick) && self.must_yield()
    }

    fn finish_work(&mut self) -> bool {
        let mut lists = [List::Io, List::More].into_iter();
        let is_done = lists.all(|list| self.before.on(list).is_empty());
        let is_done = is_done && self.expired(&self.before.fresh).is_empty();
        self.goes(Task::Flusher, Pc::Idle);
        if self.is_syncing() {
            self.goes(Task::Caller, Pc::Returned);
        }
        self.next.fresh.clear();
        self.is(Task::Flusher, Pc::Pick) && is_done
    }
}
