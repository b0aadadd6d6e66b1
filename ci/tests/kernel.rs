//! Traces of a kernel as text: what is read, what is told with its line, and that nothing else happens whatever the file has.

mod runner;

use std::cell::RefCell;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;
use interlock_traces::kernel::event::Event;
use interlock_traces::kernel::line::{Line, Raw};
use interlock_traces::kernel::{self, Notes, Projection, Reading};
use interlock_traces::recording::Trace;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use runner::temp;
use tempfile::TempDir;

const START: &str = "wl-w0-7149    [000] .....  3373.547848: jbd2_handle_start: dev 7,0 tid 19 type 1 line_no 6586 requested_blocks 3";
const STOP: &str = "wl-w0-7149    [000] .....  3373.547850: jbd2_handle_stats: dev 7,0 tid 19 type 1 line_no 6586 interval 0 sync 0 requested_blocks 3 dirtied_blocks 1";

type Record = Rc<RefCell<Vec<(usize, u64, u64)>>>;

/// Notes the line, tid and credits of each handle that starts, and nothing else.
struct Handles(Record);

impl Projection for Handles {
    fn event(&mut self, event: &Event<'_>, _out: &mut Vec<Trace>) -> Result<()> {
        if event.name == "handle_start" {
            let (tid, credits) = (event.number("tid")?, event.number("requested")?);
            self.0.borrow_mut().push((event.line, tid, credits));
        }
        Ok(())
    }

    fn end(&mut self, _out: &mut Vec<Trace>) -> Result<()> {
        Ok(())
    }
}

struct Found {
    handles: Vec<(usize, u64, u64)>,
    notes: Result<Notes>,
}

fn read(path: &Path, kernel: Option<&str>) -> Found {
    let handles = Record::default();
    let projection = Handles(handles.clone());
    let reading = Reading {
        kernel: kernel.map(str::to_owned),
        ..Reading::default()
    };
    let notes = kernel::read(
        path,
        &reading,
        move |_source| Ok(Box::new(projection) as Box<dyn Projection>),
        &mut |_trace| Ok(()),
    );
    Found {
        handles: handles.take(),
        notes,
    }
}

struct Files(TempDir);

impl Files {
    fn text(&self, text: &[u8]) -> PathBuf {
        let path = self.0.path().join("trace.txt");
        fs::write(&path, text).expect("a file");
        path
    }
}

fn of_text(text: &str) -> Found {
    read(&Files(temp()).text(text.as_bytes()), Some("6.18"))
}

#[track_caller]
fn fails(text: &str, tells: &str) {
    let error = of_text(text).notes.expect_err(tells);
    let error = format!("{error:#}");
    assert!(error.contains(tells), "{error}");
}

#[test]
fn ftrace_and_trace_cmd_write_the_same_event() {
    let raw = |line| match Line::parse(line) {
        Some(Line::Event(raw)) => raw,
        other => panic!("{line}: {other:?}"),
    };
    let expected = Raw {
        comm: "kworker/u8:4",
        pid: 24096,
        cpu: 1,
        time: 3_373_547_806_000,
        timed: true,
        name: "jbd2_handle_start",
        body: "dev 7,0 tid 18",
    };
    for line in [
        "    kworker/u8:4-24096   [001] .....  3373.547806: jbd2_handle_start: dev 7,0 tid 18",
        "    kworker/u8:4-24096   [001]  3373.547806: jbd2_handle_start:    dev 7,0 tid 18",
        "    kworker/u8:4-24096   [001] d..2.  3373.547806000: jbd2_handle_start: dev 7,0 tid 18",
        "    kworker/u8:4-24096   (  24096) [001] .....  3373.547806: jbd2_handle_start: dev 7,0 tid 18",
    ] {
        assert_eq!(raw(line), expected, "{line}");
    }
    // The clock `counter`; a name with a bracket, a dash and a colon.
    let odd = raw("a-b [7] c: -12 [003] ..... 42: jbd2_checkpoint: dev 7,0 result 0");
    assert_eq!((odd.comm, odd.pid, odd.time), ("a-b [7] c:", 12, 42));
}

#[test]
fn what_is_not_an_event() {
    assert_eq!(
        Line::parse("# tracer: nop"),
        Some(Line::Comment("tracer: nop"))
    );
    assert_eq!(
        Line::parse("CPU:1 [LOST 17 EVENTS]"),
        Some(Line::Lost(Some(17)))
    );
    assert_eq!(
        Line::parse("CPU:0 [EVENTS DROPPED]"),
        Some(Line::Lost(None))
    );
    let overwritten = "# entries-in-buffer/entries-written: 90/100   #P:2";
    assert_eq!(Line::parse(overwritten), Some(Line::Lost(Some(10))));
    let counters = "# ring buffer: overrun: 0;commit overrun: 2;dropped events: 1;";
    assert_eq!(Line::parse(counters), Some(Line::Lost(Some(3))));
    assert_eq!(Line::parse(" => schedule"), Some(Line::Stack));
    let stack = "   wl-w3-9683    [001] d..2.  3613.271560: <stack trace>";
    assert_eq!(Line::parse(stack), Some(Line::Stack));
    assert_eq!(Line::parse("cpus=2"), Some(Line::Empty));
    assert_eq!(Line::parse("what is this"), None);
}

#[test]
fn plain_and_gzipped_are_read_alike() {
    let text = format!("# kernel: 6.18.44 ; something\n{START}\n{STOP}\n");
    let files = Files(temp());
    let plain = read(&files.text(text.as_bytes()), None);
    assert_eq!(plain.handles, [(2, 19, 3)]);
    assert_eq!(plain.notes.expect("it is read"), Notes::default());
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text.as_bytes()).expect("memory");
    let gzip = gzip.finish().expect("memory");
    let path = files.text(&gzip);
    assert!(kernel::is_kernels(&path).expect("it is read"));
    assert_eq!(read(&path, None).handles, [(2, 19, 3)]);
    // Cut short.
    let path = files.text(&gzip[..gzip.len() - 10]);
    let error = format!("{:#}", read(&path, None).notes.expect_err("no whole file"));
    assert!(
        error.contains("cannot be read: is the file whole?"),
        "{error}"
    );
}

#[test]
fn what_a_trace_may_not_have_is_told_with_its_line() {
    fails(
        &format!("{START}\nCPU:1 [LOST 17 EVENTS]\n{STOP}\n"),
        "trace.txt:2: 17 events were lost",
    );
    fails(
        &format!("# entries-in-buffer/entries-written: 1/2   #P:2\n{START}\n"),
        "trace.txt:1: 1 events were lost",
    );
    fails(
        &format!("{STOP}\n{START}\n"),
        "trace.txt:2: the time goes back",
    );
    fails(
        &START.replace(" tid 19", ""),
        "trace.txt:1: jbd2_handle_start has no field `tid`",
    );
    fails(
        &START.replace("tid 19", "tid x"),
        "trace.txt:1: the field `tid` of jbd2_handle_start is `x`, which is no number",
    );
    fails("# nothing else\n", "trace.txt: no event of a kernel in it");
    fails(
        &format!("{START}\n{}", "x".repeat(1 << 17)),
        "line 2 has more than 65536 bytes",
    );
    let files = Files(temp());
    let path = files.text(START.as_bytes());
    for (kernel, tells) in [
        (None, "name the kernel with --kernel"),
        (
            Some("5.4"),
            "there is no table of the events of kernel 5.4 (there are: 4.19, 5.10, ",
        ),
    ] {
        let error = format!("{:#}", read(&path, kernel).notes.expect_err(tells));
        assert!(error.contains(tells), "{error}");
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let other = START.replace("jbd2_handle_start", "jbd2_handle_stert");
    let found = of_text(&format!("{other}\n{START}\n{other}\nnoise\nnoise\n"));
    let sentences = found.notes.expect("it is read").sentences("f".as_ref());
    assert_eq!(
        sentences,
        [
            "f:1: `jbd2_handle_stert` is no event that the table knows: left out, 2 of them",
            "f:4: no line of a trace: left out, 2 of them",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, rng_seed: RngSeed::Fixed(0), ..ProptestConfig::default() })]

    /// Whatever the bytes are, they are read or refused.
    #[test]
    fn bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..4000)) {
        let files = Files(temp());
        let path = files.text(&bytes);
        let _ = kernel::is_kernels(&path);
        let _ = read(&path, Some("6.18"));
    }

    /// The same of lines that are almost a trace's.
    #[test]
    fn damaged_lines_do_no_harm(at in 0..START.len(), with in "\\PC{0,3}", cut in 0..4_usize) {
        let end = (at + cut).min(START.len());
        prop_assume!(START.is_char_boundary(at) && START.is_char_boundary(end));
        let line = format!("{}{with}{}", &START[..at], &START[end..]);
        let found = of_text(&line);
        // What is read is what the line says.
        for (_, tid, credits) in found.handles {
            for number in [tid, credits] {
                let is_there = line.contains(&number.to_string()) || line.contains(&format!("{number:x}"));
                prop_assert!(is_there, "{} in {}", number, line);
            }
        }
    }
}
