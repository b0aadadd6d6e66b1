//! What Apalache writes to its output: the line with the outcome, and what it complains of.

use std::sync::LazyLock;

use interlock_checker::apalache::verdict;
use interlock_checker::manifest::{Engine, Expect, Kind, Manifest, Model};
use interlock_checker::verdict::Outcome;

use super::printed::{Printed, STDERR};
use crate::{Target, root};

/// Of a [`Printed`].
pub const TARGET: Target = Target {
    name: "apalache",
    read,
    seeds,
};

/// A model whose types are asked for, and two of invariants: one to hold, one to be violated.
static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let manifest = Manifest::load(&root().join("specs")).expect("the project's own");
    let models = manifest.models.into_iter();
    let mut models: Vec<Model> = models
        .filter(|model| model.engine == Engine::Apalache)
        .collect();
    let kind = |model: &Model| std::mem::discriminant(&model.expect);
    models.sort_by_key(|model| model.expect == Expect::Typed);
    models.dedup_by_key(|model| kind(model));
    assert!(models.len() > 1, "typed, and checked");
    models
});

fn read(bytes: &[u8]) {
    let printed = Printed::of(bytes);
    let (status, (stdout, stderr)) = (printed.status, printed.outputs());
    let says = |outcome: &str| stdout.contains(&format!("The outcome is: {outcome}"));
    for model in &*MODELS {
        let typed = model.expect == Expect::Typed;
        // Neither the exit status nor the line is a verdict without the other.
        match verdict::outcome(model, Kind::Invariant, printed.end(), stdout, stderr) {
            Outcome::Typed => {
                assert!(typed && status == 0 && stdout.contains("Type checker [OK]"));
            }
            Outcome::Holds => assert!(!typed && status == 0 && says("NoError")),
            Outcome::Violates { property, kind } => {
                assert!(!typed && status == 12);
                match kind {
                    Kind::Deadlock => assert!(says("Deadlock")),
                    _ => assert!(says("Error") && property == model.invariants.join(" or ")),
                }
            }
            Outcome::Inconclusive { why } | Outcome::Error { why } => {
                assert!(!why.is_empty() && !why.contains('\n'), "{why}");
            }
        }
    }
}

/// What 0.62 prints around what is read.
const HEAD: &str = "\
# APALACHE version: 0.62.2 | build: 3c1b5a0
Output directory: out/APCounter.tla/2026-01-01T10-00-00_1
PASS #0: SanyParser                                               I@10:00:00.100
Parsing file APCounter.tla
";

fn seeds() -> Vec<Vec<u8>> {
    let checks =
        "Checker options: check --init=Init --inv=IndInv --length=1         I@10:00:00.090\n";
    let seeds: [(u8, &str, &str); 8] = [
        (
            0,
            "State 1: state invariant 0 holds.                                 I@10:00:02.000\n\
             The outcome is: NoError                                           I@10:00:02.100\n\
             Checker reports no error up to computation length 1               I@10:00:02.101\n\
             Total time: 2.1 sec                                               I@10:00:02.102\n\
             EXITCODE: OK\n",
            "",
        ),
        (
            12,
            "State 4: state invariant 0 violated.                              E@10:00:02.000\n\
             Found 1 error(s)                                                  I@10:00:02.050\n\
             The outcome is: Error                                             I@10:00:02.100\n\
             Checker has found an error                                        I@10:00:02.101\n\
             EXITCODE: ERROR (12)\n",
            "",
        ),
        (
            12,
            "Found a deadlock.                                                 E@10:00:02.000\n\
             The outcome is: Deadlock                                          I@10:00:02.100\n\
             EXITCODE: ERROR (12)\n",
            "",
        ),
        (
            0,
            "The outcome is: ExecutionsTooShort                                I@10:00:02.100\nEXITCODE: OK\n",
            "",
        ),
        (
            0,
            "Type checker [OK]                                                 I@10:00:01.000\nEXITCODE: OK\n",
            "",
        ),
        (
            120,
            "[APWrong.tla:9:24-9:33]: Arguments to + should have the same type. E@10:00:01.000\n\
             EXITCODE: ERROR (120)\n",
            "",
        ),
        (
            255,
            "PASS #5: ConfigurationPass                                        I@10:00:01.000\n\
             Configuration error: Operator NoSuch not found                    E@10:00:01.100\n\
             EXITCODE: ERROR (255)\n",
            "",
        ),
        (
            1,
            "",
            "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n",
        ),
    ];
    let seed = |(status, stdout, stderr): (u8, &str, &str)| {
        let output = [HEAD, checks, stdout, STDERR, stderr].concat();
        [&[status], output.as_bytes()].concat()
    };
    seeds.map(seed).into()
}
