//! An instance of the kernel's tracer of one's own: other tracing goes on beside it.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use interlock_traces::kernel::family::Kind;

/// Where the kernel takes kprobes, if it does.
const KPROBES: &str = "kprobe_events";

/// What every instance's name begins with; the process that has made it follows.
const NAME: &str = "interlock-";

/// KiB of buffer a processor.
const BUFFER: u32 = 16 << 10;

/// The instance; it is removed when this is dropped.
#[derive(Debug)]
pub struct Instance {
    dir: PathBuf,
    /// Where kprobes are made, which all instances share; their groups are the instance's own, and begin with this.
    kprobes: PathBuf,
    group: String,
}

impl Instance {
    /// Makes one below this tracefs, and removes those whose process was killed.
    ///
    /// # Errors
    /// If the kernel does not let it.
    pub fn new(tracefs: &Path) -> Result<Instance> {
        let instances = tracefs.join("instances");
        for entry in fs::read_dir(&instances)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(process) = name.strip_prefix(NAME)
                && !Path::new("/proc").join(process).exists()
            {
                fs::remove_dir(entry.path())
                    .with_context(|| format!("the old instance {name} cannot be removed"))?;
                remove_probes(&tracefs.join(KPROBES), &group(process))?;
            }
        }
        let process = std::process::id().to_string();
        let dir = instances.join(format!("{NAME}{process}"));
        fs::create_dir(&dir).with_context(|| format!("{} cannot be made", dir.display()))?;
        let instance = Instance {
            dir,
            kprobes: tracefs.join(KPROBES),
            group: group(&process),
        };
        instance.write("tracing_on", "0")?;
        instance.write("trace_clock", "global")?;
        instance.write("buffer_size_kb", &BUFFER.to_string())?;
        Ok(instance)
    }

    fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.dir.join(file);
        fs::write(&path, text).with_context(|| format!("{} does not take {text}", path.display()))
    }

    /// Begins to record these events, those that name a device of this one alone; with `own`, of this process's threads alone.
    ///
    /// # Errors
    /// If the kernel has not one of them.
    pub fn start(&self, events: &[&Kind], device: (u32, u32), own: bool) -> Result<()> {
        for kind in events {
            let dirs = match kind.probes.is_empty() {
                true => vec![self.event(&kind.event)?],
                false => self.probe(kind)?,
            };
            for dir in dirs {
                let format = fs::read_to_string(self.dir.join(&dir).join("format"))?;
                if let Some(filter) = filter(&format, device) {
                    self.write(&format!("{dir}/filter"), &filter)?;
                }
                self.write(&format!("{dir}/enable"), "1")?;
            }
        }
        if own {
            self.write("options/event-fork", "1")?;
            self.write("set_event_pid", &std::process::id().to_string())?;
        }
        self.write("tracing_on", "1")
    }

    /// Whether the kernel lets kprobes be made here.
    pub fn has_kprobes(&self) -> bool {
        self.kprobes.exists()
    }

    /// Makes the kprobes that write an event: their folders. Each is in a group of its own, since before 5.4 a kprobe replaces
    /// another one of its name.
    fn probe(&self, kind: &Kind) -> Result<Vec<String>> {
        let made = kind.probes.iter().enumerate().map(|(number, probe)| {
            let (how, what) = probe.split_once(' ').context("a probe of a table")?;
            let name = format!("{}_{number}/{}", self.group, kind.event);
            append(&self.kprobes, &format!("{how}:{name} {what}\n"))?;
            Ok(format!("events/{name}"))
        });
        made.collect()
    }

    /// The folder of an event: those of a subsystem are in a folder together.
    fn event(&self, name: &str) -> Result<String> {
        for subsystem in fs::read_dir(self.dir.join("events"))? {
            let subsystem = subsystem?;
            if subsystem.path().join(name).is_dir() {
                let subsystem = subsystem.file_name();
                return Ok(format!("events/{}/{name}", subsystem.to_string_lossy()));
            }
        }
        bail!("the kernel has no event {name}: is its file system's module loaded?")
    }

    /// Where threads write a line of their own.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn marker(&self) -> Result<fs::File> {
        let path = self.dir.join("trace_marker");
        let file = fs::OpenOptions::new().write(true).open(&path);
        file.with_context(|| format!("{} cannot be opened", path.display()))
    }

    /// Ends the record, and copies it to `file` behind these comments and the ring buffer's counters. How many lines it has.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn finish(&self, file: &Path, comments: &[String]) -> Result<usize> {
        self.write("tracing_on", "0")?;
        let mut text = String::new();
        for comment in comments {
            writeln!(text, "# {comment}")?;
        }
        writeln!(text, "# ring buffer: {}", self.counters()?)?;
        text += &fs::read_to_string(self.dir.join("trace")).context("the trace cannot be read")?;
        fs::write(file, &text).with_context(|| format!("{} cannot be written", file.display()))?;
        Ok(text.lines().filter(|line| !line.starts_with('#')).count())
    }

    /// What each processor's buffer has lost.
    fn counters(&self) -> Result<String> {
        let mut counters = String::new();
        for entry in fs::read_dir(self.dir.join("per_cpu"))? {
            let stats = fs::read_to_string(entry?.path().join("stats"))?;
            let lost = stats.lines().filter(|line| {
                ["overrun:", "commit overrun:", "dropped events:"]
                    .iter()
                    .any(|counter| line.starts_with(counter))
            });
            lost.for_each(|line| counters += &format!("{line};"));
        }
        Ok(counters)
    }
}

/// What picks the events of a device, by the fields that they have; `None`: they name none.
fn filter(format: &str, (major, minor): (u32, u32)) -> Option<String> {
    // A kprobe has it as a number.
    if ["dev_t", "u32"]
        .iter()
        .any(|of| format.contains(&format!("field:{of} dev;")))
    {
        let device = (major << 20) | minor;
        // The device's own inode, which is on the same lists, is of another superblock, 0:N, and is called after the device.
        let own = format!(" || (dev < {} && ino == {device})", 1 << 20);
        let is_listed = format.contains(" dirtied_when;");
        Some(format!(
            "dev == {device}{}",
            if is_listed { own.as_str() } else { "" }
        ))
    } else if format.contains("field:char name[32];") {
        Some(format!("name == \"{major}:{minor}\""))
    } else {
        None
    }
}

/// Adds a line to what the kernel reads one write at a time.
fn append(file: &Path, line: &str) -> Result<()> {
    let opened = fs::OpenOptions::new().append(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    written.with_context(|| format!("{} does not take {}", file.display(), line.trim()))
}

fn group(process: &str) -> String {
    format!("interlock_{process}")
}

/// Removes the probes of an instance's groups, if there are any.
fn remove_probes(kprobes: &Path, group: &str) -> Result<()> {
    let probes = fs::read_to_string(kprobes).unwrap_or_default();
    let of_group = format!(":{group}_");
    let mut events: Vec<&str> = probes
        .split_whitespace()
        .filter(|word| word.contains(&of_group))
        .filter_map(|word| word.split_once(':').map(|(_, event)| event))
        .collect();
    events.dedup();
    let mut events = events.into_iter();
    events.try_for_each(|event| append(kprobes, &format!("-:{event}\n")))
}

impl Drop for Instance {
    fn drop(&mut self) {
        let off = self
            .write("tracing_on", "0")
            .and_then(|()| self.write("events/enable", "0"))
            .and_then(|()| remove_probes(&self.kprobes, &self.group));
        let removed = fs::remove_dir(&self.dir).context("it is not removed");
        if let Err(error) = off.and(removed) {
            eprintln!("{}: {error:#}", self.dir.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_of_the_fields_that_an_event_has() {
        let of = |fields: &str| filter(fields, (7, 1));
        let dev = "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;";
        assert_eq!(of(dev).as_deref(), Some("dev == 7340033"));
        let listed = format!("{dev}\n\tfield:unsigned long dirtied_when;");
        let with_own = "dev == 7340033 || (dev < 1048576 && ino == 7340033)";
        assert_eq!(of(&listed).as_deref(), Some(with_own));
        let name = "\tfield:char name[32];\toffset:8;\tsize:32;\tsigned:0;";
        assert_eq!(of(name).as_deref(), Some("name == \"7:1\""));
        let neither = "\tfield:long pages;\toffset:8;\tsize:8;\tsigned:1;";
        assert_eq!(of(neither), None);
    }
}
