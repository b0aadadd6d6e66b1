//! `interlock capture`: traces of the running kernel, on file systems of one's own, judged by the specifications.

pub mod aligned;
pub mod attach;
mod cited;
pub mod instance;
pub mod kinds;
pub mod place;
pub mod reproduce;
pub mod threads;
pub mod torn;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use instance::Instance;
use interlock_checker::interrupt;
use interlock_checker::near::did_you_mean;
use interlock_traces::kernel::Reading;
use interlock_traces::kernel::family::{Family, Kind};
use interlock_traces::validate;
use kinds::{CAPTURES, Capture};
use place::Image;

/// What to capture.
#[derive(Debug, Clone)]
pub struct Request {
    /// The areas; none: all.
    pub areas: Vec<String>,
    /// Where the traces go.
    pub out: PathBuf,
}

/// A trace that was recorded.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The area whose specification it is judged by.
    pub area: &'static str,
    /// The trace.
    pub file: PathBuf,
}

/// Captures, and judges what was captured. The exit status: 0 if all are behaviours, 1 if one is not, 130 after a signal.
///
/// # Errors
///
/// Where nothing can be captured: without root or tracefs, with a kernel of which there is no table, without a program; and what
/// [`validate::validate`] fails with. Nothing is left behind.
pub fn capture(root: &Path, request: &Request) -> Result<u8> {
    place::enter()?;
    let recorded = record(request)?;
    if interrupt::requested() {
        return Ok(interrupt::EXIT);
    }
    let mut status = 0;
    for Recorded { area, file } in recorded {
        status = status.max(judge(root, request, area, &file, &Reading::default())?);
    }
    Ok(status)
}

fn judge(root: &Path, request: &Request, area: &str, file: &Path, reading: &Reading) -> Result<u8> {
    let request = validate::Request {
        area: area.to_owned(),
        files: vec![file.to_owned()],
        reading: reading.clone(),
        machine_only: false,
        out: request.out.clone(),
    };
    validate::validate(root, &request)
}

/// Records, and judges nothing: that is `interlock validate`'s, on any machine. The place is the caller's: behind [`place::enter`],
/// or, in a guest that is thrown away, [`place::cover`]. After a signal the traces until then.
///
/// # Errors
///
/// As [`capture`], and if the kernel has recorded nothing of one.
pub fn record(request: &Request) -> Result<Vec<Recorded>> {
    let known = || CAPTURES.iter().map(|capture| capture.area);
    for area in &request.areas {
        if !known().any(|known| known == area) {
            bail!(
                "nothing is captured of an area `{area}`{}",
                did_you_mean(area, known())
            );
        }
    }
    let kernel = release();
    let family = Family::of(&kernel)?;
    let tracefs = place::tracefs()?;
    let wanted = |capture: &&Capture| {
        request.areas.is_empty() || request.areas.iter().any(|area| area == capture.area)
    };
    let dir = std::path::absolute(&request.out)?.join("capture");
    std::fs::create_dir_all(&dir)?;
    let mut recorded = Vec::new();
    for capture in CAPTURES.iter().filter(wanted) {
        let file = dir.join(format!("{}.txt", capture.name));
        let lines = record_one(capture, &tracefs, &kernel, &family, &file)
            .with_context(|| format!("{}, on kernel {kernel}", capture.name))?;
        if interrupt::requested() {
            break;
        }
        ensure!(lines > 0, "{}: the kernel recorded no event", capture.name);
        println!("{}: {} lines in {}", capture.name, lines, file.display());
        recorded.push(Recorded {
            area: capture.area,
            file,
        });
    }
    Ok(recorded)
}

/// Records one workload: how many lines the trace has.
fn record_one(
    capture: &Capture,
    tracefs: &Path,
    kernel: &str,
    family: &Family,
    file: &Path,
) -> Result<usize> {
    let mut image = Image::new(capture.name, capture.size, capture.format, capture.options)?;
    (capture.prepare)(&image.dir)?;
    image.remount()?;
    (capture.warm)(&image.dir)?;
    let instance = Instance::new(tracefs)?;
    let names = [capture.events, capture.probes].concat();
    let (events, probes) = recordable(family, &names, &instance)?;
    instance.start(&events, image.device()?, capture.own)?;
    (capture.work)(&image.dir, &instance.marker()?)?;
    let mut comments = vec![
        format!("kernel: {kernel} ; {}", image.made),
        format!("workload: {}", capture.says),
    ];
    comments.extend(probed(&probes));
    comments.extend(journal_info(image.device()?)?);
    instance.finish(file, &comments)
}

/// Those of the events that the release has and that can be recorded here; and the names of those that are by kprobes.
fn recordable<'a>(
    family: &'a Family,
    names: &[&'static str],
    instance: &Instance,
) -> Result<(Vec<&'a Kind>, Vec<&'static str>)> {
    let (mut events, mut probes) = (Vec::new(), Vec::new());
    for name in names {
        let Some(kind) = family.named(name)? else {
            continue;
        };
        if kind.probes.is_empty() {
            events.push(kind);
        } else if instance.has_kprobes() {
            events.push(kind);
            probes.push(*name);
        }
    }
    Ok((events, probes))
}

/// What a trace says of its kprobes.
fn probed(probes: &[&str]) -> Option<String> {
    (!probes.is_empty()).then(|| format!("probes: {}", probes.join(" ")))
}

/// What the kernel says of the journal on a device, if there is one.
fn journal_info((major, minor): (u32, u32)) -> Result<Vec<String>> {
    let device = std::fs::read_link(format!("/sys/dev/block/{major}:{minor}"))?;
    let name = device
        .file_name()
        .context("a device has a name")?
        .to_string_lossy()
        .into_owned();
    let entries = match std::fs::read_dir("/proc/fs/jbd2") {
        Ok(entries) => entries,
        Err(_) => return Ok(Vec::new()),
    };
    let mut lines = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry
            .file_name()
            .to_string_lossy()
            .starts_with(&format!("{name}-"))
        {
            let info = std::fs::read_to_string(entry.path().join("info"))?;
            lines.extend(info.lines().map(|line| format!("jbd2 info: {line}")));
        }
    }
    Ok(lines)
}

/// The running kernel's release: `6.18.44`.
pub fn release() -> String {
    rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned()
}
