//! `interlock`: runs the models of `specs/` and judges them against what they claim.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::{Args, Parser, Subcommand};
use interlock_capture as capture;
use interlock_checker::check::{self, Request};
use interlock_checker::manifest::{Engine, Lane, Manifest};
use interlock_checker::{
    cfg, docs, doctor, graph, interrupt, lint, note, report, table, toolchain,
};
use interlock_simulation::{self as scenario, Cure};
use interlock_traces::kernel::Reading;
use interlock_traces::{import, validate};

/// Runs the models of specs/ with TLC, Apalache and tla-checker, and judges each against the verdict it must have.
///
/// Exit status: 0 all as expected; 1 something is not; 2 a tool is missing, or bad input: nothing was judged; 130 Ctrl-C.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs models and judges them
    Check(Check),
    /// Finds claims that check nothing
    Lint(Source),
    /// Runs one model and prints its counterexample as a timeline
    Trace {
        /// The model's name
        model: String,
        #[command(flatten)]
        source: Source,
        #[command(flatten)]
        output: Output,
    },
    /// Prints a model's TLC configuration, to run it by hand
    Cfg {
        /// The model's name
        model: String,
        #[command(flatten)]
        source: Source,
    },
    /// Prints an area's verdicts as a Markdown table
    Table {
        /// The area's name
        area: String,
        #[command(flatten)]
        source: Source,
    },
    /// Writes the generated parts of the documentation anew: tables, cfgs, pictures
    Docs(Output),
    /// Writes what TLC finds down, or compares: a model's whole state graph, or its counterexample
    Graph {
        /// The models [default: those that are there]
        models: Vec<String>,
        /// Write nothing; fail at the first line that differs
        #[arg(long)]
        check: bool,
        /// The folder of the files [default: tests/corpus of this clone]
        #[arg(long, value_name = "DIR")]
        corpus: Option<PathBuf>,
        #[command(flatten)]
        source: Source,
        #[command(flatten)]
        output: Output,
    },
    /// Simulates a kernel's regression report on an area's state machine, in virtual time
    Scenario(Scenario),
    /// Judges recorded behaviours: are they behaviours of the area's specification?
    Validate {
        /// The area's name
        area: String,
        #[command(flatten)]
        traces: Traces,
        /// Ask the machine alone, not TLC
        #[arg(long)]
        machine_only: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Writes the events of a kernel's trace as events of the area's specification, to stdout
    Import {
        /// The area's name
        area: String,
        #[command(flatten)]
        traces: Traces,
    },
    /// Records traces of the running kernel on file systems of its own, and judges them (needs root and tracefs)
    Capture {
        /// Areas; all without
        areas: Vec<String>,
        /// Reproduce what a seed reports, at a small scale: 000, 001, 004
        #[arg(long, value_name = "SEED", conflicts_with = "areas")]
        reproduce: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Shows each tool, its version and what needs it
    Doctor,
}

#[derive(Args)]
struct Check {
    /// Areas, designs or models to run, whatever their lane [default: every model of the lane]
    #[arg(value_name = "AREA|MODEL")]
    names: Vec<String>,
    /// The models to run: this lane's and those of the lanes before it
    #[arg(long, value_enum, default_value_t = LaneName::Ci)]
    lane: LaneName,
    /// Only the models of this engine
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    /// Fail, and run nothing, if this engine is not here (TLC always must be)
    #[arg(long, value_enum, value_name = "ENGINE")]
    require: Vec<EngineName>,
    /// Write what the runs count into models.lock, of models whose verdict is the expected one
    #[arg(long)]
    bless: bool,
    /// How many models run at once [default: the processors]
    #[arg(long, default_value_t = processors(), hide_default_value = true)]
    jobs: NonZero<usize>,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: Output,
}

#[derive(Args)]
struct Scenario {
    /// The area's name: jbd2
    area: String,
    /// Two points and few writes (seconds)
    #[arg(long)]
    quick: bool,
    /// One point: so many threads
    #[arg(long, value_name = "N", requires = "journal", value_parser = clap::value_parser!(u16).range(1..=8192))]
    threads: Option<u16>,
    /// One point: a journal of so many MiB
    #[arg(long, value_name = "MiB", requires = "threads", value_parser = clap::value_parser!(u32).range(4..=16384))]
    journal: Option<u32>,
    /// Who is woken up when reserved credits are given back [default: each of the two]
    #[arg(long, value_enum)]
    policy: Option<WakeName>,
    /// The largest transaction is a third of the log, or a quarter as up to Linux 6.10
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(3..=4))]
    fraction: u32,
    /// Print Markdown
    #[arg(long)]
    markdown: bool,
    /// Draw docs/img/jbd2-stall.svg anew, rather than target/interlock/scenario/jbd2-stall.svg
    #[arg(long, conflicts_with_all = ["quick", "threads", "policy"])]
    keep_plot: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum WakeName {
    /// Today: all who wait
    WakeAll,
    /// The cure: those for whom there are credits
    HandOver,
}

#[derive(Args)]
struct Source {
    /// The directory of the specifications, a folder an area with its models.toml [default: specs of this clone]
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
}

#[derive(Args)]
struct Output {
    /// Where reports and traces go [default: target/interlock of this clone]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Args)]
struct Traces {
    /// Traces as docs/traces.md describes them, or a kernel's: the text of tracefs or of trace-cmd report, plain or gzipped
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The kernel that has written a trace which does not say so: 6.18
    #[arg(long, value_name = "VERSION")]
    kernel: Option<String>,
    /// Judge a kernel's trace by the constants of another one
    #[arg(long = "as", value_name = "VERSION")]
    judged_as: Option<String>,
}

impl Traces {
    fn reading(&self) -> Reading {
        Reading {
            kernel: self.kernel.clone(),
            judged_as: self.judged_as.clone(),
        }
    }
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum EngineName {
    Tlc,
    Apalache,
    TlaChecker,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Engine {
        match name {
            EngineName::Tlc => Engine::Tlc,
            EngineName::Apalache => Engine::Apalache,
            EngineName::TlaChecker => Engine::TlaChecker,
        }
    }
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum LaneName {
    Smoke,
    Ci,
    Nightly,
}

impl Source {
    fn dir(self) -> Result<PathBuf> {
        self.specs
            .map_or_else(|| Ok(toolchain::root()?.join("specs")), Ok)
    }
}

impl Output {
    fn dir(self) -> Result<PathBuf> {
        self.out
            .map_or_else(|| Ok(toolchain::root()?.join("target/interlock")), Ok)
    }
}

impl Scenario {
    fn request(self) -> Result<scenario::Request> {
        ensure!(
            !self.keep_plot || self.fraction == scenario::setup::FRACTION,
            "the picture that is kept is of a third of the log: leave --fraction out"
        );
        let dir = if self.keep_plot {
            "docs/img"
        } else {
            "target/interlock/scenario"
        };
        Ok(scenario::Request {
            area: self.area,
            quick: self.quick,
            point: self.threads.map(usize::from).zip(self.journal),
            cure: self.policy.map(|policy| match policy {
                WakeName::WakeAll => Cure::WakeAll,
                WakeName::HandOver => Cure::HandOver,
            }),
            fraction: self.fraction,
            form: if self.markdown {
                scenario::report::Form::Markdown
            } else {
                scenario::report::Form::Text
            },
            plot: toolchain::root()?.join(dir).join("jbd2-stall.svg"),
        })
    }
}

fn processors() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(status) => ExitCode::from(status),
        Err(_) if interrupt::requested() => ExitCode::from(interrupt::EXIT),
        Err(error) => {
            note!("interlock: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(task: Task) -> Result<u8> {
    if !matches!(task, Task::Check(_)) {
        // `interlock trace MODEL | head` ends like any other command. A check goes on to the end of its models and reports.
        sigpipe::reset();
    }
    match task {
        Task::Check(Check {
            names,
            lane,
            engine,
            require,
            bless,
            jobs,
            source,
            output,
        }) => {
            interrupt::install()?;
            let lane = match lane {
                LaneName::Smoke => Lane::Smoke,
                LaneName::Ci => Lane::Ci,
                LaneName::Nightly => Lane::Nightly,
            };
            let request = Request {
                lane,
                names,
                engine: engine.map(Engine::from),
                required: require.into_iter().map(Engine::from).collect(),
                specs: source.dir()?,
                bless,
                jobs,
                out: output.dir()?,
            };
            check::check(&toolchain::root()?, &request)
        }
        Task::Trace {
            model,
            source,
            output,
        } => {
            interrupt::install()?;
            match check::trace(&toolchain::root()?, &source.dir()?, &model, &output.dir()?)? {
                Some((timeline, dir)) => {
                    println!("{timeline}\n{}", dir.display());
                    Ok(0)
                }
                None => {
                    println!("{model} has no counterexample: it holds");
                    Ok(1)
                }
            }
        }
        Task::Cfg { model, source } => {
            let manifest = Manifest::load(&source.dir()?)?;
            manifest.select(Lane::Nightly, std::slice::from_ref(&model))?;
            let model = manifest
                .model(&model)
                .with_context(|| format!("{model} is not one model: give a model's name"))?;
            ensure!(
                model.engine != Engine::Apalache,
                "{} is Apalache's, which takes no cfg: its row has its arguments",
                model.name
            );
            print!("{}", cfg::text(model, None));
            Ok(0)
        }
        Task::Lint(source) => lint(&Manifest::load(&source.dir()?)?),
        Task::Table { area, source } => table(&Manifest::load(&source.dir()?)?, &area),
        Task::Docs(output) => {
            interrupt::install()?;
            let root = toolchain::root()?;
            let manifest = Manifest::load(&root.join("specs"))?;
            for path in docs::update(&root, &manifest, &output.dir()?)? {
                println!("{}", path.strip_prefix(&root).unwrap_or(&path).display());
            }
            Ok(0)
        }
        Task::Graph {
            models,
            check,
            corpus,
            source,
            output,
        } => {
            interrupt::install()?;
            let root = toolchain::root()?;
            let request = graph::Request {
                models,
                check,
                corpus: corpus.unwrap_or_else(|| root.join("tests/corpus")),
                specs: source.dir()?,
                out: output.dir()?,
            };
            graph::graph(&root, &request)
        }
        Task::Scenario(asked) => scenario::scenario(&asked.request()?),
        Task::Import { area, traces } => {
            let (files, reading) = (traces.files.clone(), traces.reading());
            import::import(&import::Request {
                area,
                files,
                reading,
            })
        }
        Task::Validate {
            area,
            traces,
            machine_only,
            output,
        } => {
            interrupt::install()?;
            let request = validate::Request {
                area,
                files: traces.files.clone(),
                reading: traces.reading(),
                machine_only,
                out: output.dir()?,
            };
            validate::validate(&toolchain::root()?, &request)
        }
        Task::Capture {
            areas,
            reproduce,
            output,
        } => {
            interrupt::install()?;
            let (root, out) = (toolchain::root()?, output.dir()?);
            match reproduce {
                Some(seed) => capture::reproduce::reproduce(&root, &seed, &out),
                None => capture::capture(&root, &capture::Request { areas, out }),
            }
        }
        Task::Doctor => doctor::doctor(&toolchain::root()?),
    }
}

fn lint(manifest: &Manifest) -> Result<u8> {
    let findings = lint::lint(manifest);
    for finding in &findings {
        println!("{finding}");
        let (file, line) = (&finding.file, finding.line);
        if let Some(mark) = report::annotation(file, line, finding.rule, &finding.message) {
            println!("{mark}");
        }
    }
    Ok(u8::from(!findings.is_empty()))
}

fn table(manifest: &Manifest, area: &str) -> Result<u8> {
    ensure!(
        manifest.area(area).is_some(),
        "no area of {} is named {area} (its areas: {})",
        manifest.specs.display(),
        manifest.area_names()
    );
    print!(
        "{}\n{}",
        table::designs(manifest, area, None),
        table::rows(manifest, area)
    );
    Ok(0)
}
