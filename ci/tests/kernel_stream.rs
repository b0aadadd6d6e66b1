//! A trace of a kernel is read as a stream. The one test of its file: no other takes memory of the same process.

mod runner;

use std::fs::{self, File};
use std::io::Write as _;

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;
use interlock_traces::kernel::event::Event;
use interlock_traces::kernel::{self, Projection, Reading};
use interlock_traces::recording::Trace;
use runner::temp;

const LINE: &str = "wl-w0-7149    [000] .....  3373.547848: jbd2_write_superblock: dev 7,0\n";

/// Looks at no event.
struct Nothing;

impl Projection for Nothing {
    fn event(&mut self, _event: &Event<'_>, _out: &mut Vec<Trace>) -> Result<()> {
        Ok(())
    }

    fn end(&mut self, _out: &mut Vec<Trace>) -> Result<()> {
        Ok(())
    }
}

/// 128 MiB that unpack from a few hundred KiB: one line is in memory at a time.
#[test]
fn a_long_trace_is_a_stream() {
    let files = temp();
    let path = files.path().join("long.gz");
    let mut gzip = GzEncoder::new(File::create(&path).expect("a file"), Compression::fast());
    let many = LINE.repeat((1 << 20) / LINE.len());
    for _ in 0..128 {
        gzip.write_all(many.as_bytes()).expect("a file");
    }
    gzip.finish().expect("a file");
    let reading = Reading {
        kernel: Some("6.18".to_owned()),
        ..Reading::default()
    };
    let before = most_resident();
    kernel::read(
        &path,
        &reading,
        |_source| Ok(Box::new(Nothing) as Box<dyn Projection>),
        &mut |_trace| Ok(()),
    )
    .expect("it is read");
    let grown = most_resident().saturating_sub(before);
    assert!(grown < 64 << 10, "{grown} KiB more are resident");
}

/// The most KiB that were resident.
fn most_resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .and_then(|number| number.parse().ok())
        .expect("VmHWM")
}
