//! The disk: what was asked of it, what it holds back, and what it has done.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::store::Store;
use crate::wire::{self, Command, Request};

/// A write that arrives.
#[derive(Debug)]
pub struct Write<'a> {
    /// Its number among the requests, from 0.
    pub number: u64,
    /// Its first byte's place on the disk.
    pub from: u64,
    /// What it writes.
    pub bytes: &'a [u8],
    /// The numbers and places of the writes that are held back.
    pub held: &'a [(u64, u64)],
}

/// When a write is applied and answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// At once.
    Now,
    /// When it is released.
    Hold,
    /// After this time, unless it is released before.
    After(Duration),
}

/// Says of each write when it completes, and of each read.
pub trait Order: Send {
    /// Of this write.
    fn arrives(&mut self, write: &Write<'_>) -> Then;

    /// Of a read of these bytes, which it will return as they are when it completes.
    fn reads(&mut self, _number: u64, _bytes: &[u8]) -> Then {
        Then::Now
    }
}

impl<F: FnMut(&Write<'_>) -> Then + Send> Order for F {
    fn arrives(&mut self, write: &Write<'_>) -> Then {
        self(write)
    }
}

/// What happened at the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// A write arrived.
    Arrived,
    /// It was applied and answered.
    Done,
    /// It was answered with an error, and not applied.
    Failed,
    /// A flush arrived, and was answered.
    Flushed,
}

/// An entry of the disk's log.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// What.
    pub happened: Happened,
    /// The number of the request.
    pub number: u64,
    /// Its first byte's place.
    pub from: u64,
    /// Bytes.
    pub length: u32,
    /// When.
    pub at: Instant,
}

/// A disk. Its clones are the same disk.
#[derive(Clone)]
pub struct Disk {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Something is due, or the client is gone.
    changed: Condvar,
}

struct State {
    store: Store,
    order: Box<dyn Order>,
    held: BTreeMap<u64, Held>,
    log: Vec<Event>,
    requests: u64,
    most: usize,
    client: Option<UnixStream>,
}

struct Held {
    cookie: u64,
    from: u64,
    length: u32,
    /// What a write writes.
    bytes: Option<Vec<u8>>,
    due: Option<Instant>,
}

impl Default for Disk {
    fn default() -> Disk {
        Disk::new()
    }
}

impl Disk {
    /// An empty disk, which completes everything at once.
    pub fn new() -> Disk {
        Disk::holding(Store::default())
    }

    /// Another disk, which holds what this one holds now: what is left when power is lost. What is held back is not there.
    pub fn snapshot(&self) -> Disk {
        Disk::holding(self.state().store.clone())
    }

    fn holding(store: Store) -> Disk {
        let now = |_: &Write<'_>| Then::Now;
        let state = State {
            store,
            order: Box::new(now),
            held: BTreeMap::new(),
            log: Vec::new(),
            requests: 0,
            most: 0,
            client: None,
        };
        Disk {
            shared: Arc::new(Shared {
                state: Mutex::new(state),
                changed: Condvar::new(),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.shared.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on this says when writes complete. The log begins anew.
    pub fn obey(&self, order: impl Order + 'static) {
        let mut state = self.state();
        state.order = Box::new(order);
        state.log.clear();
        state.most = state.held.len();
    }

    /// The numbers of what is held back.
    pub fn held(&self) -> Vec<u64> {
        self.state().held.keys().copied().collect()
    }

    /// How much was held back at one time, at most, since [`Disk::obey`].
    pub fn most_held(&self) -> usize {
        self.state().most
    }

    /// What has happened since [`Disk::obey`].
    pub fn log(&self) -> Vec<Event> {
        self.state().log.clone()
    }

    /// Applies a write that is held back, or reads, and answers. Whether it was held back.
    pub fn release(&self, number: u64) -> bool {
        let mut state = self.state();
        let held = state.held.remove(&number);
        let was = held.is_some();
        held.into_iter().for_each(|held| state.done(number, held));
        was
    }

    /// Answers what is held back with EIO. Whether it was.
    pub fn fail(&self, number: u64) -> bool {
        let mut state = self.state();
        let Some(held) = state.held.remove(&number) else {
            return false;
        };
        state.note(Happened::Failed, number, held.from, held.length);
        state.answer(held.cookie, wire::EIO, &[]);
        true
    }

    /// Releases all that is held back, in the order in which it arrived.
    pub fn release_all(&self) {
        for number in self.held() {
            self.release(number);
        }
    }

    /// What the disk holds there.
    pub fn read(&self, from: u64, length: usize) -> Vec<u8> {
        self.state().store.read(from, length)
    }

    /// Serves a client until it is gone.
    pub(crate) fn serve(&self, client: UnixStream) -> io::Result<()> {
        let mut requests = client.try_clone()?;
        self.state().client = Some(client);
        let clock = {
            let disk = self.clone();
            thread::Builder::new()
                .name("disk-clock".to_owned())
                .spawn(move || disk.keep_time())?
        };
        let served = self.answer_all(&mut requests);
        self.state().client = None;
        self.shared.changed.notify_all();
        let joined = clock.join();
        joined.map_err(|_| io::Error::other("the disk's clock has panicked"))?;
        served
    }

    fn answer_all(&self, requests: &mut UnixStream) -> io::Result<()> {
        while let Some(request) = Request::read(requests)? {
            let mut bytes = Vec::new();
            if request.command == Command::Write {
                bytes.resize(request.length as usize, 0);
                io::Read::read_exact(requests, &mut bytes)?;
            }
            let mut state = self.state();
            match request.command {
                Command::Flush => {
                    let number = state.next();
                    state.note(Happened::Flushed, number, 0, 0);
                    state.answer(request.cookie, 0, &[]);
                }
                Command::Read | Command::Write => {
                    state.arrives(request, bytes);
                    self.shared.changed.notify_all();
                }
                Command::Disconnect => return Ok(()),
            }
        }
        Ok(())
    }

    /// Completes what is due, until the client is gone.
    fn keep_time(&self) {
        let mut state = self.state();
        while state.client.is_some() {
            let now = Instant::now();
            let held = state.held.iter();
            let mut due: Vec<(Instant, u64)> = held
                .filter_map(|(number, held)| Some((held.due?, *number)))
                .filter(|(due, _)| *due <= now)
                .collect();
            due.sort_unstable();
            for (_, number) in due {
                if let Some(held) = state.held.remove(&number) {
                    state.done(number, held);
                }
            }
            let next = state.held.values().filter_map(|held| held.due).min();
            let changed = &self.shared.changed;
            state = match next {
                Some(due) => {
                    let wait = due.saturating_duration_since(now);
                    let waited = changed.wait_timeout(state, wait);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl State {
    fn next(&mut self) -> u64 {
        self.requests += 1;
        self.requests - 1
    }

    fn arrives(&mut self, request: Request, bytes: Vec<u8>) {
        let Request {
            cookie,
            from,
            length,
            ..
        } = request;
        let number = self.next();
        let writes = request.command == Command::Write;
        let then = if writes {
            self.note(Happened::Arrived, number, from, length);
            let held = self.held.iter();
            let held: Vec<_> = held.map(|(number, held)| (*number, held.from)).collect();
            self.order.arrives(&Write {
                number,
                from,
                bytes: &bytes,
                held: &held,
            })
        } else {
            let data = self.store.read(from, length as usize);
            self.order.reads(number, &data)
        };
        let mut held = Held {
            cookie,
            from,
            length,
            bytes: writes.then_some(bytes),
            due: None,
        };
        match then {
            Then::Now => return self.done(number, held),
            Then::Hold => {}
            Then::After(time) => held.due = Some(Instant::now() + time),
        }
        self.held.insert(number, held);
        self.most = self.most.max(self.held.len());
    }

    fn done(&mut self, number: u64, held: Held) {
        let Held {
            cookie,
            from,
            length,
            bytes,
            ..
        } = held;
        match bytes {
            Some(bytes) => {
                self.store.write(from, &bytes);
                self.note(Happened::Done, number, from, length);
                self.answer(cookie, 0, &[]);
            }
            None => {
                let data = self.store.read(from, length as usize);
                self.answer(cookie, 0, &data);
            }
        }
    }

    fn note(&mut self, happened: Happened, number: u64, from: u64, length: u32) {
        self.log.push(Event {
            happened,
            number,
            from,
            length,
            at: Instant::now(),
        });
    }

    /// A client that is gone needs no answer; its requests end when it is seen to be.
    fn answer(&mut self, cookie: u64, error: u32, data: &[u8]) {
        if let Some(client) = &mut self.client
            && wire::reply(client, cookie, error, data).is_err()
        {
            self.client = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    /// A client that writes `byte` at `from`, and knows the request by it.
    fn write(client: &mut UnixStream, byte: u8, from: u64) {
        let mut bytes = 0x2560_9513_u32.to_be_bytes().to_vec();
        bytes.extend([0, 0, 0, 1]);
        bytes.extend(u64::from(byte).to_be_bytes());
        bytes.extend(from.to_be_bytes());
        bytes.extend(512_u32.to_be_bytes());
        bytes.extend([byte; 512]);
        client.write_all(&bytes).expect("a disk that reads");
    }

    /// What the next answer is to, and its error.
    fn answered(client: &mut UnixStream) -> (u8, u32) {
        let mut bytes = [0; 16];
        client.read_exact(&mut bytes).expect("an answer");
        let error = u32::from_be_bytes(bytes[4..8].try_into().expect("4 bytes"));
        (bytes[15], error)
    }

    fn served(test: impl FnOnce(&Disk, &mut UnixStream)) {
        let disk = Disk::new();
        let (mut client, server) = UnixStream::pair().expect("a socket");
        thread::scope(|scope| {
            let serving = scope.spawn(|| disk.serve(server));
            test(&disk, &mut client);
            drop(client);
            serving.join().expect("it ends").expect("it serves");
        });
    }

    #[test]
    fn what_is_held_back_is_applied_when_it_is_released() {
        served(|disk, client| {
            disk.obey(|write: &Write<'_>| match write.bytes[0] {
                1 => Then::Hold,
                _ => Then::Now,
            });
            write(client, 1, 0);
            write(client, 2, 0);
            assert_eq!(answered(client), (2, 0));
            assert_eq!(disk.read(0, 1), [2]);
            assert_eq!(disk.held(), [0]);
            assert!(disk.release(0) && !disk.release(0));
            assert_eq!(answered(client), (1, 0));
            assert_eq!(disk.read(0, 1), [1]);
        });
    }

    #[test]
    fn what_fails_is_not_applied() {
        served(|disk, client| {
            disk.obey(|_: &Write<'_>| Then::Hold);
            write(client, 1, 0);
            while disk.held().is_empty() {
                thread::yield_now();
            }
            assert!(disk.fail(0));
            assert_eq!(answered(client), (1, 5));
            assert_eq!(disk.read(0, 1), [0]);
        });
    }

    #[test]
    fn what_is_put_off_completes_by_itself() {
        served(|disk, client| {
            disk.obey(|write: &Write<'_>| match write.bytes[0] {
                1 => Then::After(Duration::from_hours(1)),
                _ => Then::After(Duration::from_millis(1)),
            });
            write(client, 1, 0);
            write(client, 2, 512);
            assert_eq!(answered(client), (2, 0));
            assert_eq!(disk.held(), [0]);
            assert_eq!(disk.most_held(), 2);
        });
    }
}
