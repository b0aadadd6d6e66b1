//! The plugs of the tasks that submit to a device.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use super::{Recording, small, task};
use crate::kernel::Source;
use crate::kernel::event::Event;
use crate::recording::Trace;
use interlock_tla::value::Value;

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Plugs {
    devices: BTreeMap<String, Device>,
    hands: BTreeMap<u32, Hands>,
}

#[derive(Debug, Default)]
struct Device {
    recording: Recording,
    tasks: BTreeSet<Value>,
}

/// What a task has submitted to a device and not handed over. Plug and unplug do not say of which device they are: they are of this
/// one if anything is in these hands.
#[derive(Debug, Default)]
struct Hands {
    device: String,
    /// A bio that is not merged, and was no request when it was last seen.
    bio: bool,
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

    pub(super) fn event(&mut self, event: &Event<'_>) -> Result<()> {
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
                self.submit(event, "Bio", bio)
            }
            "bio_backmerge" | "bio_frontmerge" => {
                hands.or_default().bio = false;
                let end = if event.name == "bio_backmerge" {
                    "BackMerge"
                } else {
                    "FrontMerge"
                };
                let bio = extent(event)?;
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

    fn submit(&mut self, event: &Event<'_>, action: &str, bio: Option<[Value; 2]>) -> Result<()> {
        let device = event.text("dev")?;
        self.push(device, event, action, bio.into_iter().flatten().collect());
        Ok(())
    }

    fn issue(&mut self, event: &Event<'_>, request: Option<[Value; 2]>) -> Result<()> {
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
        let device = self.devices.entry(event.text("dev")?.to_owned());
        let at = (event.line, event.line);
        let recording = &mut device.or_default().recording;
        recording.push(&task(event), at, "Issue", request.to_vec());
        Ok(())
    }

    /// Adds an event of the task: each has its place in the order of the file.
    fn push(&mut self, device: &str, event: &Event<'_>, action: &str, rest: Vec<Value>) {
        let device = self.devices.entry(device.to_owned()).or_default();
        let name = task(event);
        let task = Value::Str(name.clone());
        device.tasks.insert(task.clone());
        let args = std::iter::once(task).chain(rest).collect();
        let at = (event.line, event.line);
        device.recording.push(&name, at, action, args);
    }

    /// The trace of each device.
    pub(super) fn end(
        self,
        source: &Source,
        synced: Option<usize>,
        out: &mut Vec<Trace>,
    ) -> Result<()> {
        let constant = |name: &str| source.judged.constant(name).map(str::to_owned);
        for (name, mut device) in self.devices {
            if let Some(line) = synced {
                let at = (line, line);
                device.recording.push("all", at, "Synced", Vec::new());
            }
            let constants = [
                ("Policy", format!("<- {}", constant("plug")?)),
                ("Tasks", Value::Set(device.tasks).to_string()),
                ("Most", constant("plug_requests")?),
                ("Large", constant("plug_sectors")?),
                ("Args", "<- TraceArguments".to_owned()),
            ];
            let of = format!("the plugs of device {name}");
            let recording = device.recording;
            out.push(recording.trace(source, "ObservedPlug", &of, &constants));
        }
        Ok(())
    }
}

/// First sector and sectors; `None`: a flush has none.
fn extent(event: &Event<'_>) -> Result<Option<[Value; 2]>> {
    let sectors = small(event, "sectors")?;
    if sectors == 0 {
        return Ok(None);
    }
    let first = small(event, "sector")?;
    Ok(Some([Value::Int(first), Value::Int(sectors)]))
}
