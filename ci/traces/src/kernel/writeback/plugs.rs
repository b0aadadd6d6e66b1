//! The plugs of the tasks that submit to a device.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use super::older::{Begun, Older};
use super::{Recording, extent, small, task};
use crate::kernel::Source;
use crate::kernel::event::Event;
use crate::recording::Trace;
use interlock_tla::value::Value;

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Plugs {
    devices: BTreeMap<String, Device>,
    hands: BTreeMap<u32, Hands>,
    /// What is known of the beginning, if the file may begin in the middle.
    begun: Option<Begun>,
    /// The last bio of each task before its plug is known: it may wait for a request while the plug is handed over.
    waiting: BTreeMap<u32, Waiting>,
    /// Devices of which nothing is judged.
    pub(super) unknown: BTreeSet<String>,
}

#[derive(Debug)]
struct Waiting {
    device: String,
    bio: (i64, i64),
}

#[derive(Debug, Default)]
struct Device {
    recording: Recording,
    tasks: BTreeSet<Value>,
    older: Older,
}

/// What a task has submitted to a device and not handed over. Plug and unplug do not say of which device they are: they are of this
/// one if anything is in these hands.
#[derive(Debug, Default)]
struct Hands {
    device: String,
    /// A bio that is not merged, and was no request when it was last seen.
    bio: bool,
    /// The bio that was submitted last.
    last: (i64, i64),
    /// So many requests.
    requests: u64,
    plugged: bool,
}

impl Hands {
    fn are_empty(&self) -> bool {
        !self.bio && self.requests == 0
    }
}

impl Plugs {
    pub(super) fn events(&self) -> usize {
        let devices = self.devices.values();
        devices.map(|device| device.recording.events.len()).sum()
    }

    /// The first reading of a file that may begin in the middle.
    pub(super) fn survey(&mut self, event: &Event<'_>) -> Result<()> {
        self.begun.get_or_insert_default().survey(event)
    }

    /// Of a task whose plug is not known yet, only what it issues is seen.
    fn is_seen(&self, event: &Event<'_>) -> bool {
        event.name == "request_issue" || self.begun.as_ref().is_none_or(|begun| begun.knows(event))
    }

    /// What a task does before its plug is known.
    fn before(&mut self, event: &Event<'_>) -> Result<()> {
        match event.name {
            "bio_queue" => {
                if let Some(bio) = extent(event)? {
                    let device = event.text("dev")?.to_owned();
                    self.waiting.insert(event.raw.pid, Waiting { device, bio });
                }
            }
            "bio_backmerge" | "bio_frontmerge" => {
                self.waiting.remove(&event.raw.pid);
            }
            _ => {}
        }
        Ok(())
    }

    /// Behind that, the first one in the plug is the bio that has waited.
    fn take_over(&mut self, event: &Event<'_>) {
        if !["bio_queue", "plug"].contains(&event.name) {
            return;
        }
        if let Some(Waiting { device, bio }) = self.waiting.remove(&event.raw.pid)
            && event.name == "plug"
        {
            let hands = self.hands.entry(event.raw.pid).or_default();
            (hands.bio, hands.last) = (true, bio);
            hands.device.clone_from(&device);
            self.device(&device).older.submit(bio);
            let bio = vec![Value::Int(bio.0), Value::Int(bio.1)];
            self.push(&device, event, "Bio", bio);
        }
    }

    fn may_be_older(&self, event: &Event<'_>) -> bool {
        let begun = self.begun.as_ref();
        begun.is_some_and(|begun| begun.may_be_older(event))
    }

    pub(super) fn event(&mut self, event: &Event<'_>) -> Result<()> {
        if !self.is_seen(event) {
            return self.before(event);
        }
        self.take_over(event);
        let may_be_older = self.may_be_older(event);
        let hands = self.hands.entry(event.raw.pid);
        match event.name {
            "bio_queue" => {
                let bio = extent(event)?;
                if bio.is_none() {
                    return Ok(());
                }
                let hands = hands.or_default();
                let device = event.text("dev")?;
                ensure!(
                    hands.are_empty() || hands.device == device,
                    "{}: {} has I/O of {} and of {device} in its hands: record the bios of one device (event filter dev)",
                    event.place(),
                    task(event),
                    hands.device
                );
                device.clone_into(&mut hands.device);
                hands.requests += u64::from(hands.bio);
                hands.bio = true;
                hands.last = bio.unwrap_or_default();
                let older = &mut self.device(device).older;
                bio.into_iter().for_each(|bio| older.submit(bio));
                self.submit(event, "Bio", bio)
            }
            "bio_backmerge" | "bio_frontmerge" => {
                let hands = hands.or_default();
                let is_new = !hands.device.is_empty();
                hands.bio = false;
                let bio = extent(event)?;
                let is_behind = event.name == "bio_backmerge";
                let end = if is_behind { "BackMerge" } else { "FrontMerge" };
                if let Some((first, size)) = bio
                    && may_be_older
                {
                    let older = &mut self.device(event.text("dev")?).older;
                    if !is_new {
                        // The task had the bio before the file began.
                        older.shown = event.line;
                        return Ok(());
                    }
                    let beside = if is_behind { first - 1 } else { first + size };
                    older.merge(beside, event.line);
                }
                self.submit(event, end, bio)
            }
            "plug" => {
                let hands = hands.or_default();
                if hands.bio {
                    (hands.bio, hands.requests, hands.plugged) = (false, 1, true);
                    let device = hands.device.clone();
                    self.push(&device, event, "Plug", vec![]);
                }
                Ok(())
            }
            "unplug" => {
                let depth = event.number("depth")?;
                let hands = hands.or_default();
                if !hands.are_empty() {
                    // The last bio waits for a request if the others alone are so many.
                    hands.bio &= depth == hands.requests;
                    (hands.requests, hands.plugged) = (0, false);
                    let device = hands.device.clone();
                    let depth = Value::Int(small(event, "depth")?);
                    self.push(&device, event, "Unplug", vec![depth]);
                }
                Ok(())
            }
            "request_issue" => {
                let hands = hands.or_default();
                if !hands.plugged {
                    (hands.bio, hands.requests) = (false, 0);
                }
                let request = extent(event)?;
                request
                    .into_iter()
                    .for_each(|request| self.is_gone(request));
                self.issue(event, request)
            }
            "single_inode" | "pages_written" => {
                let device = hands.or_default().device.clone();
                let ends = if event.name == "single_inode" {
                    "EndInode"
                } else {
                    "FinishWork"
                };
                if !device.is_empty() {
                    self.push(&device, event, ends, vec![]);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A bio that is issued is in nobody's hands: a plug of its task that follows is of another device.
    fn is_gone(&mut self, (first, size): (i64, i64)) {
        let is_of = |hands: &&mut Hands| {
            let (bio, sectors) = hands.last;
            !hands.plugged && first <= bio && bio + sectors <= first + size
        };
        for hands in self.hands.values_mut().filter(is_of) {
            hands.bio = false;
        }
    }

    fn device(&mut self, name: &str) -> &mut Device {
        self.devices.entry(name.to_owned()).or_default()
    }

    fn submit(&mut self, event: &Event<'_>, action: &str, bio: Option<(i64, i64)>) -> Result<()> {
        let device = event.text("dev")?;
        let bio = bio.map(|(first, size)| [Value::Int(first), Value::Int(size)]);
        self.push(device, event, action, bio.into_iter().flatten().collect());
        Ok(())
    }

    fn issue(&mut self, event: &Event<'_>, request: Option<(i64, i64)>) -> Result<()> {
        let Some(request) = request else {
            return Ok(());
        };
        let sectors = event.number("sectors")?;
        let bytes = event.number("bytes")?;
        ensure!(
            sectors.checked_mul(512) == Some(bytes),
            "{}: a request of {sectors} sectors has {bytes} bytes",
            event.place()
        );
        let may_be_older = self.may_be_older(event);
        let device = self.device(event.text("dev")?);
        if may_be_older {
            device.older.issue(request, event.line);
        }
        let at = (event.line, event.line);
        let request = vec![Value::Int(request.0), Value::Int(request.1)];
        device.recording.push(&task(event), at, "Issue", request);
        Ok(())
    }

    /// Adds an event of the task: each has its place in the order of the file.
    fn push(&mut self, device: &str, event: &Event<'_>, action: &str, rest: Vec<Value>) {
        let device = self.device(device);
        let name = task(event);
        let task = Value::Str(name.clone());
        device.tasks.insert(task.clone());
        let args = std::iter::once(task).chain(rest).collect();
        let at = (event.line, event.line);
        device.recording.push(&name, at, action, args);
    }

    /// The trace of each device.
    pub(super) fn end(
        &mut self,
        source: &Source,
        synced: Option<usize>,
        out: &mut Vec<Trace>,
    ) -> Result<()> {
        let constant = |name: &str| source.judged.constant(name).map(str::to_owned);
        for (name, mut device) in std::mem::take(&mut self.devices) {
            let begun = self.begun.as_ref();
            let known = begun.map(|begun| begun.plugs().max(device.older.shown));
            let is_known = |known| device.recording.lines.iter().any(|line| *line > known);
            if !known.is_none_or(is_known) {
                self.unknown.insert(name);
                continue;
            }
            if let Some(line) = synced {
                let at = (line, line);
                device.recording.push("all", at, "Synced", Vec::new());
            }
            let older = device.older.requests();
            let older =
                older.map(|(first, size)| Value::Seq(vec![Value::Int(first), Value::Int(size)]));
            let constants = [
                ("Old", Value::Set(older.collect()).to_string()),
                ("Policy", format!("<- {}", constant("plug")?)),
                ("Tasks", Value::Set(device.tasks).to_string()),
                ("Most", constant("plug_requests")?),
                ("Large", constant("plug_sectors")?),
                ("Args", "<- TraceArguments".to_owned()),
            ];
            let of = format!("the plugs of device {name}");
            let recording = device.recording;
            let trace = recording.trace(source, "ObservedPlug", &of, &constants);
            let known = known.map(|line| trace.line.max(line + 1));
            out.push(Trace { known, ..trace });
        }
        Ok(())
    }
}
