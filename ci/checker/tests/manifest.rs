//! Loading claims, and every way in which they are refused.

mod manifests;

use interlock_checker::manifest::{BUDGET, Engine, Expect, Kind, Lane, Manifest};
use manifests::{CLAIMS, Copy};

/// The message of claims that are refused, from `LINE:COLUMN:` on.
fn refusal(copy: &Copy) -> String {
    let message = format!("{:#}", copy.load().expect_err("claims that are refused"));
    let start = "specs/demo/models.toml:";
    let at = message
        .find(start)
        .unwrap_or_else(|| panic!("no place in `{message}`"));
    message[at + start.len()..].to_owned()
}

fn refused(from: &str, to: &str, message: &str) {
    let refusal = refusal(&Copy::with(from, to));
    assert!(
        refusal.starts_with(message),
        "`{refusal}` does not start with `{message}`"
    );
}

#[test]
fn levels_are_flattened() {
    let copy = Copy::with("budget = 5, ", "");
    let manifest = copy.manifest();
    assert_eq!(manifest.models.len(), 9);
    let model = manifest.model("Fifo-RRW-safety").expect("it is there");
    assert_eq!(
        (
            model.area.as_str(),
            model.design.as_str(),
            model.spec.as_str()
        ),
        ("demo", "Fifo", "Spec")
    );
    assert_eq!(
        (model.size.as_str(), model.symmetry.as_deref()),
        ("RRW", Some("Symmetry"))
    );
    assert_eq!(model.invariants, ["TypeOK", "Mutex"]);
    assert_eq!((model.distinct, model.total), (Some(17), Some(34)));
    let constants: Vec<_> = model
        .constants
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    assert_eq!(
        constants,
        ["Policy=<- Fifo", "Readers={r1, r2}", "Writers={w1}"]
    );
    assert_eq!(
        (model.engine, model.lane, model.deadlock),
        (Engine::Tlc, Lane::Nightly, false)
    );
    assert_eq!((model.budget, model.heap, model.line), (BUDGET, 1500, 30));
    let deadlock = manifest.model("Never-RW-deadlock").expect("it is there");
    assert_eq!(
        deadlock.expect,
        Expect::Violates {
            property: "Deadlock".into(),
            kind: Kind::Deadlock
        }
    );
    assert_eq!((deadlock.heap, deadlock.silent.len()), (200, 2));
    assert_eq!(manifest.module(model).actions, ["Enter", "Take", "Release"]);
    assert_eq!(
        manifest
            .area("demo")
            .map(|area| (area.title.as_str(), area.line)),
        Some(("A lock", 2))
    );
    assert_eq!(
        manifest.specs,
        copy.path("specs").canonicalize().expect("it exists")
    );
    assert_eq!(
        (
            manifest.tasks("demo", "RW"),
            manifest.tasks("demo", "RRW"),
            manifest.tasks("demo", "none")
        ),
        (2, 3, 0)
    );
}

#[test]
fn each_level_wins_over_the_one_above() {
    let budget = |from: &str, to: &str| {
        let manifest = Copy::with("budget = 5, ", "")
            .edit(CLAIMS, "\n# By the names", "budget = 10\n\n# By the names")
            .edit(CLAIMS, from, to)
            .manifest();
        manifest
            .model("Never-RW-deadlock")
            .expect("it is there")
            .budget
    };
    let design = "name = \"Never\"";
    assert_eq!(budget(design, design), 10);
    assert_eq!(budget(design, "name = \"Never\"\nbudget = 20"), 20);
    assert_eq!(budget("heap", "budget = 30, heap"), 30);

    let model = |from: &str, to: &str| {
        let manifest = Copy::with(from, to).manifest();
        manifest
            .model("Fifo-RW-Progress")
            .expect("it is there")
            .clone()
    };
    let stands_for = "stands_for = \"ticket lock | queue\"";
    let of_design =
        format!("spec = \"OtherSpec\"\ncheck.Progress = {{ kind = \"temporal\" }}\n{stands_for}");
    let model_of = model(stands_for, &of_design);
    assert_eq!(
        (model_of.spec.as_str(), model_of.probe),
        ("OtherSpec", None)
    );
    let model_of = model(
        "Progress = { kind",
        "Progress = { spec = \"CheckSpec\", kind",
    );
    assert_eq!(model_of.spec, "CheckSpec");
    assert_eq!(model_of.probe.as_deref(), Some("Fifo-RW-probe"));
    let model_of = model(stands_for, stands_for);
    assert_eq!(
        (model_of.spec.as_str(), model_of.property.as_deref()),
        ("FairSpec", Some("Progress"))
    );
}

#[test]
fn sizes_and_designs_leave_out_what_is_said_already() {
    let manifest = Copy::with(
        "\n# By the names",
        "silent = [\"Enter\"]\nconstants = { Writers = \"{w9}\", More = \"1\" }\n\n# By the names",
    )
    .edit(CLAIMS, "RRW = {", "RRW = { silent = [],")
    .manifest();
    let silent = |name: &str| manifest.model(name).expect("it is there").silent.clone();
    assert_eq!(silent("Never-RW-deadlock"), ["Enter", "Take", "Release"]);
    assert_eq!(silent("Fifo-RRW-safety"), [""; 0]);
    let constants = &manifest
        .model("Fifo-RRW-safety")
        .expect("it is there")
        .constants;
    assert_eq!(
        (constants["Writers"].as_str(), constants["More"].as_str()),
        ("{w1}", "1")
    );

    let again = "[[design]]\nname = \"Fifo\"\nmodule = \"MCLock\"\nmodels = [{ name = \"again\", size = \"RW\", holds = \"Other\" }]\n\n[[design]]\nname = \"Never\"";
    let manifest = Copy::with("[[design]]\nname = \"Never\"", again).manifest();
    assert_eq!(
        manifest.model("again").expect("it is there").stands_for,
        "ticket lock | queue"
    );
}

#[test]
fn a_models_constants_win() {
    let manifest = Copy::with(
        r#"holds = "InOrder""#,
        r#"holds = "InOrder", constants = { Readers = "{}" }"#,
    )
    .manifest();
    let constants = &manifest
        .model("Fifo-RW-InOrder")
        .expect("it is there")
        .constants;
    assert_eq!(
        (constants["Readers"].as_str(), constants["Policy"].as_str()),
        ("{}", "<- Fifo")
    );
}

#[test]
fn broken_toml() {
    refused(
        "[[design]]",
        "[[design]",
        "23:10: unclosed array table, expected `]`",
    );
}

#[test]
fn unknown_keys() {
    refused(
        "swimlanes = ",
        "lane = ",
        "5:1: unknown field `lane`, expected one of `title`",
    );
    refused("actions = [", "action = [", "14:1: unknown field `action`");
    refused("[[design]]", "[[designs]]", "23:3: unknown field `designs`");
    refused("silent = [", "silence = [", "61:");
    refused(
        "{ kind = \"action\" }",
        "{ kind = \"action\", at = 1 }",
        "20:",
    );
}

#[test]
fn missing_keys() {
    refused("title = \"A lock\"\n", "", "2:1: missing field `title`");
    refused(
        "actions = [\"Enter\", \"Take\", \"Release\"]\n",
        "",
        "13:1: module `MCLock` has no `actions`",
    );
    refused(
        "stands_for = \"ticket lock | queue\"\n",
        "",
        "23:1: design `Fifo` has no `stands_for` (say",
    );
    refused(
        "{ size = \"RW\", holds = \"InOrder\" }",
        "{ holds = \"InOrder\" }",
        "31:3: a row without a `name`, and with no size and check that name it (add one that no other model has)",
    );
    refused(
        "holds = \"InOrder\"",
        "holds = [\"InOrder\"]",
        "31:3: a row without a `name`",
    );
    refused(
        "{ size = \"RW\", holds = \"InOrder\" }",
        "{ name = \"x\", holds = \"InOrder\" }",
        "31:3: model `x`: no size is named ``",
    );
}

#[test]
fn one_verdict_a_row() {
    let told = "31:3: a row says one of `holds`, `violates` and `typed`";
    refused("holds = \"InOrder\"", "kind = \"action\"", told);
    refused(
        "holds = \"InOrder\"",
        "holds = \"InOrder\", violates = \"InOrder\"",
        told,
    );
    refused(
        "holds = \"InOrder\"",
        "holds = \"InOrder\", typed = true",
        told,
    );
    refused(
        "size = \"RW\", violates = \"probe\"",
        "size = \"RW\", violates = \"safety\"",
        "33:3: model `Fifo-RW-safety`: its check has several formulas (say which",
    );
}

#[test]
fn wrong_values() {
    refused("lane = \"smoke\"", "lane = \"weekly\"", "29:");
    for (from, to, told) in [
        (
            "holds = \"InOrder\"",
            "holds = 1",
            "the name of a check, or a list of invariants",
        ),
        (
            "holds = \"InOrder\"",
            "typed = false",
            "`typed` can only be true: leave it out",
        ),
    ] {
        let message = refusal(&Copy::with(from, to));
        assert!(message.starts_with("31:"), "{message}");
        assert!(message.contains(told), "{message}");
    }
}

#[test]
fn duplicate_names() {
    refused(
        "{ size = \"RRW\", holds = \"safety\"",
        "{ size = \"RW\", holds = \"safety\"",
        "30:3: model `Fifo-RW-safety` is already on line 29 of specs/demo/models.toml (rename one of them)",
    );
    let copy = Copy::clean();
    for file in ["models.toml", "MCLock.tla", "Lock.tla"] {
        let text =
            std::fs::read_to_string(copy.path("specs/demo").join(file)).expect("it is there");
        copy.write(&format!("specs/other/{file}"), &text);
    }
    let error = format!("{:#}", copy.load().expect_err("names of another area"));
    assert!(
        error.ends_with("specs/other/models.toml:29:3: model `Fifo-RW-safety` is already on line 29 of specs/demo/models.toml (rename one of them)"),
        "{error}"
    );
}

#[test]
fn unknown_names() {
    refused(
        "{ size = \"RRW\", holds",
        "{ size = \"RRWW\", holds",
        "30:3: model `Fifo-RRWW-safety`: no size is named `RRWW`; did you mean `RRW`? (add it to [size])",
    );
    refused(
        "module = \"MCLock\"\nstands_for = \"ticket",
        "module = \"MCLok\"\nstands_for = \"ticket",
        "23:1: area `demo` has no module `MCLok`; did you mean `MCLock`? (add a [module.MCLok])",
    );
}

#[test]
fn bad_names() {
    refused(
        "{ size = \"RW\", holds = \"InOrder\"",
        "{ name = \"Fifo RW\", size = \"RW\", holds = \"InOrder\"",
        "31:3: `Fifo RW` is not a name for a model (use letters, digits, `_` and `-`)",
    );
    refused(
        "name = \"Fifo\"",
        "name = \"a/b\"",
        "23:1: `a/b` is not a name for a design",
    );
    refused(
        "[module.MCLock]",
        "[module.\"../demo/MCLock\"]",
        "13:1: `../demo/MCLock` is not a name for a module, and leads outside specs/",
    );
    let copy = Copy::clean();
    std::fs::rename(copy.path("specs/demo"), copy.path("specs/de mo")).expect("renamed");
    let error = format!("{:#}", copy.load().expect_err("a bad name"));
    assert!(
        error.ends_with("specs/de mo/models.toml:2:1: `de mo` is not a name for an area (use letters, digits, `_` and `-`)"),
        "{error}"
    );
}

/// A line more in the cfg is a check more, or one less, of which no rule of lint knows.
#[test]
fn what_goes_into_the_cfg_is_one_thing() {
    refused(
        r#"RW = { Readers = "{r1}""#,
        r#"RW = { Readers = "{r1}\nCONSTRAINT Small""#,
        r"29:3: model `Fifo-RW-safety`: the constant `Readers` cannot be `{r1}\nCONSTRAINT Small` (TLC's configuration takes a number, a string, TRUE, FALSE, ",
    );
    refused(
        r#"Policy = "<- Fifo""#,
        r#"Policy = "<- Fifo\nVIEW V""#,
        r"29:3: model `Fifo-RW-safety`: the constant `Policy` cannot be `<- Fifo\nVIEW V` (",
    );
    refused(
        r#"Policy = "<- Fifo""#,
        r#"Policy = "1 .. 3""#,
        "29:3: model `Fifo-RW-safety`: the constant `Policy` cannot be `1 .. 3` (",
    );
    refused(
        r#"Policy = "<- Fifo""#,
        r#""Policy\n" = "<- Fifo""#,
        r"29:3: model `Fifo-RW-safety`: `Policy\n` is no constant's name",
    );
    let row = r#"holds = "safety", "#;
    for more in [
        r#"spec = "Spec\nVIEW V""#,
        r#"invariants = ["TypeOK\nVIEW V"]"#,
        r#"invariants = ["TypeOK Mutex"]"#,
        r#"symmetry = "S\nVIEW V""#,
        r#"view = "V\nVIEW V""#,
        r#"constraint = """#,
    ] {
        let to = format!("{row}{more}, ");
        let refusal = refusal(&Copy::with(row, &to));
        let told = "29:3: model `Fifo-RW-safety`: `";
        assert!(refusal.starts_with(told), "{to}: {refusal}");
        assert!(
            refusal.ends_with("` is no operator's name"),
            "{to}: {refusal}"
        );
    }
}

#[test]
fn a_module_without_a_file() {
    refused(
        "[module.MCLock]",
        "[module.MCLatch]",
        "13:1: specs/demo/MCLatch.tla: No such file or directory",
    );
}

#[cfg(unix)]
#[test]
fn a_module_that_links_out_of_specs() {
    let copy = Copy::clean();
    let inside = copy.path("specs/demo/MCLock.tla");
    std::fs::rename(&inside, copy.path("MCLock.tla")).expect("renamed");
    std::os::unix::fs::symlink(copy.path("MCLock.tla"), inside).expect("linked");
    assert!(refusal(&copy).starts_with("13:1: specs/demo/MCLock.tla lies outside specs/"));
}

#[test]
fn a_directory_that_is_not_specs() {
    let copy = Copy::clean();
    let error = |path: &str| {
        let error = Manifest::load(&copy.path(path)).expect_err("refused");
        error.to_string()
    };
    for path in ["specs/demo", "specs/demo/models.toml"] {
        let error = error(path);
        let told = format!(
            "{path}: not a directory named `specs` (give the one that has a folder an area)"
        );
        assert!(error.ends_with(&told), "{error}");
    }
    let error = error("none");
    assert!(
        error.ends_with(
            "none: no specifications here (run at the repository's root, or give their directory)"
        ),
        "{error}"
    );
}

#[test]
fn claims_of_nothing() {
    let copy = Copy::clean();
    let rows = std::fs::read_to_string(copy.path(CLAIMS)).expect("the claims");
    let (head, _) = rows.split_once("[[design]]").expect("a design");
    copy.write(CLAIMS, head);
    assert!(refusal(&copy).starts_with(
        "2:1: no model in it, so nothing would be checked (add a [[design]] with `models`)"
    ));
    std::fs::remove_file(copy.path(CLAIMS)).expect("removed");
    let error = copy.load().expect_err("refused").to_string();
    assert!(
        error.ends_with(
            "specs: no area in it, so nothing would be checked (add a folder with a models.toml)"
        ),
        "{error}"
    );
}

#[test]
fn a_lock_that_is_no_lock() {
    let lock = "specs/demo/models.lock";
    for (from, to, told) in [
        (
            "witness = 5",
            "witnes = 5",
            "models.lock:3:21: unknown field `witnes`",
        ),
        (
            "witness = 5",
            "witness = \"5\"",
            "models.lock:3:31: invalid type",
        ),
        (
            "witness = 5 }",
            "witness = 5",
            "models.lock:4:1: missing comma",
        ),
        (
            "Any-RW-InOrder",
            "Broken-RW-Mutex",
            "models.lock:3:1: duplicate key",
        ),
    ] {
        let error = Copy::clean().edit(lock, from, to).load().expect_err(told);
        let error = format!("{error:#}");
        assert!(error.contains(told), "{error}");
        assert!(
            error.contains("remove it and run `interlock check --bless`"),
            "{error}"
        );
    }
}
