//! Loading a manifest, and every way in which it is refused.

mod manifests;

use interlock_checker::manifest::{Engine, Expect, Kind, Lane, Manifest};
use manifests::Copy;

/// The message of a manifest that is refused, from `LINE:COLUMN:` on.
fn refusal(copy: &Copy) -> String {
    let message = format!("{:#}", copy.load().expect_err("a manifest that is refused"));
    let start = "specs/manifest.toml:";
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
fn groups_are_flattened() {
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
        model.size, "RRW",
        "a model's own field wins over its group's"
    );
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
        (Engine::Tlc, Lane::Ci, false)
    );
    assert_eq!((model.budget, model.heap, model.line), (60, 1500, 30));
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
        Some(("A lock", 6))
    );
    assert_eq!(
        manifest.specs_dir(),
        copy.path("specs").canonicalize().expect("it exists")
    );
    assert_eq!(
        (
            manifest.tasks("RW"),
            manifest.tasks("RRW"),
            manifest.tasks("none")
        ),
        (2, 3, 0)
    );
}

#[test]
fn a_models_constants_win() {
    let manifest = Copy::with(
        r#"name = "Fifo-RW-InOrder","#,
        r#"name = "Fifo-RW-InOrder", constants = { Readers = "{}" },"#,
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
fn lanes_include_the_ones_before() {
    let manifest = Copy::clean().manifest();
    let names = |lane| {
        manifest
            .select(lane, &[])
            .expect("no name is unknown")
            .iter()
            .map(|model| model.name.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(Lane::Smoke), ["Fifo-RW-safety"]);
    assert_eq!(names(Lane::Ci).len(), 8);
    assert_eq!(names(Lane::Nightly).len(), 9);
}

#[test]
fn names_select_areas_designs_and_models_of_any_lane() {
    let manifest = Copy::clean().manifest();
    let select = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let models = manifest
            .select(Lane::Smoke, &names)
            .expect("the names are known");
        models
            .iter()
            .map(|model| model.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(select(&["demo"]).len(), 9);
    assert_eq!(select(&["Any"]), ["Any-RRW-Progress", "Any-RW-InOrder"]);
    assert_eq!(
        select(&["Any-RW-InOrder", "Any", "Broken"]),
        ["Any-RRW-Progress", "Any-RW-InOrder", "Broken-RW-Mutex"]
    );
}

#[test]
fn an_unknown_name_suggests_the_nearest() {
    let manifest = Copy::clean().manifest();
    let error = |name: &str| {
        manifest
            .select(Lane::Ci, &[name.to_owned()])
            .expect_err("it is unknown")
            .to_string()
    };
    assert_eq!(
        error("Fifo-RW-safty"),
        "no area, design or model is named `Fifo-RW-safty`; did you mean `Fifo-RW-safety`? (specs/manifest.toml has them all)"
    );
    assert_eq!(
        error("zzz"),
        "no area, design or model is named `zzz` (specs/manifest.toml has them all)"
    );
}

#[test]
fn broken_toml() {
    refused(
        "[[area]]",
        "[[area]",
        "6:8: unclosed array table, expected `]`",
    );
}

#[test]
fn unknown_keys() {
    refused(
        "swimlanes = ",
        "lane = ",
        "10:1: unknown field `lane`, expected one of `name`",
    );
    refused("emit = ", "emits = ", "18:1: unknown field `emits`");
    refused("[[module]]", "[[modules]]", "14:3: unknown field `modules`");
    refused("silent = [", "silence = [", "56:");
    refused(
        r#", kind = "action" }"#,
        r#", kind = "action", at = 1 }"#,
        "45:",
    );
}

#[test]
fn missing_keys() {
    refused("title = \"A lock\"\n", "", "6:1: missing field `title`");
    refused(
        "emit = \"EmitPrint\"\n",
        "",
        "14:1: module `MCLock` has no `actions`, or no `emit`",
    );
    refused(
        "size = \"RW\"\nmodels",
        "models",
        "28:3: model `Fifo-RW-safety` has no `size` (give it in the row or in its group)",
    );
    refused(
        r#"name = "Fifo-RW-safety", "#,
        "",
        "29:3: a model without a `name`",
    );
    refused(
        r#"design = "Never", "#,
        "",
        "56:3: model `Never-RW-deadlock` has no `design`",
    );
    refused(
        "models = [",
        "name = \"x\"\nmodels = [",
        "20:1: a group has a `name`",
    );
    refused(
        r#"name = "Fifo-RW-safety", "#,
        r#"name = "Fifo-RW-safety", models = [], "#,
        "29:3: a model has `models`",
    );
}

#[test]
fn wrong_values() {
    refused(r#"expect = "holds""#, r#"expect = "hold""#, r#"29:"#);
    refused(r#"lane = "smoke""#, r#"lane = "weekly""#, "29:");
    let message = refusal(&Copy::with(r#"expect = "holds""#, r#"expect = "hold""#));
    assert!(
        message.contains(
            r#"expected "holds", "typed" or { violates = "Property", kind = "temporal" }"#
        ),
        "{message}"
    );
}

#[test]
fn duplicate_names() {
    refused(
        "Fifo-RRW-safety",
        "Fifo-RW-safety",
        "30:3: model `Fifo-RW-safety` is already on line 29 (rename one of them)",
    );
    let module = "[[module]]\narea = \"demo\"\nname = \"MCLock\"\nactions = []\nemit = \"\"\n\n";
    refused(
        "[[group]]",
        &format!("{module}[[group]]"),
        "20:1: module `MCLock` is already on line 14",
    );
    let area = "[[area]]\nname = \"demo\"\ntitle = \"\"\nseed = \"\"\nswimlanes = []\n\n";
    refused(
        "[[module]]",
        &format!("{area}[[module]]"),
        "14:1: area `demo` is already on line 6",
    );
}

#[test]
fn unknown_names() {
    refused(
        r#"size = "RRW", inv"#,
        r#"size = "RRWW", inv"#,
        "30:3: model `Fifo-RRW-safety`: no size is named `RRWW`; did you mean `RRW`? (add it to [size])",
    );
    refused(
        "[[group]]\narea = \"demo\"",
        "[[group]]\narea = \"demon\"",
        "29:3: no area is named `demon`; did you mean `demo`? (add an [[area]])",
    );
    refused(
        "[[module]]\narea = \"demo\"",
        "[[module]]\narea = \"demon\"",
        "14:1: no area is named `demon`; did you mean `demo`?",
    );
    refused(
        "module = \"MCLock\"\ndesign",
        "module = \"MCLok\"\ndesign",
        "29:3: area `demo` has no module `MCLok`; did you mean `MCLock`? (add a [[module]])",
    );
}

#[test]
fn bad_names() {
    refused(
        "Fifo-RW-safety",
        "Fifo RW",
        "29:3: `Fifo RW` is not a name for a model (use letters, digits, `_` and `-`)",
    );
    refused(
        r#"design = "Fifo""#,
        r#"design = "a/b""#,
        "29:3: `a/b` is not a name for a design",
    );
    refused(
        r#"name = "demo""#,
        r#"name = """#,
        "6:1: `` is not a name for an area",
    );
    refused(
        r#"name = "MCLock""#,
        r#"name = "../demo/MCLock""#,
        "14:1: `../demo/MCLock` is not a name for a module, and leads outside specs/",
    );
}

#[test]
fn a_module_without_a_file() {
    refused(
        r#"name = "MCLock""#,
        r#"name = "MCLatch""#,
        "14:1: specs/demo/MCLatch.tla: No such file or directory",
    );
}

#[cfg(unix)]
#[test]
fn a_module_that_links_out_of_specs() {
    let copy = Copy::clean();
    let inside = copy.path("specs/demo/MCLock.tla");
    std::fs::rename(&inside, copy.path("MCLock.tla")).expect("renamed");
    std::os::unix::fs::symlink(copy.path("MCLock.tla"), inside).expect("linked");
    assert!(refusal(&copy).starts_with("14:1: specs/demo/MCLock.tla lies outside specs/"));
}

#[test]
fn a_manifest_outside_specs() {
    let copy = Copy::clean();
    copy.write("elsewhere/manifest.toml", "");
    let error = Manifest::load(&copy.path("elsewhere/manifest.toml"))
        .expect_err("refused")
        .to_string();
    assert!(error.ends_with("elsewhere/manifest.toml: the manifest does not lie in a directory named `specs` (move it there)"), "{error}");
    let error = Manifest::load(&copy.path("specs/none.toml"))
        .expect_err("refused")
        .to_string();
    assert!(
        error.ends_with(
            "none.toml: no manifest here (run at the repository's root, or give its path)"
        ),
        "{error}"
    );
}

#[test]
fn an_empty_manifest() {
    let copy = Copy::clean();
    copy.write("specs/manifest.toml", "");
    let error = copy.load().expect_err("refused").to_string();
    assert!(
        error.ends_with(
            "manifest.toml: no model in it, so nothing would be checked (add a [[group]])"
        ),
        "{error}"
    );
}
