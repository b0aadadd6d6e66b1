//! Which models a command is about, and which of them a shard has.

mod manifests;

use std::collections::BTreeSet;
use std::path::Path;

use interlock_checker::manifest::{Engine, Lane, Manifest, Model};
use interlock_checker::select::{self, Selection};
use interlock_checker::shard::Shard;
use manifests::Copy;

fn named(names: &[&str]) -> Selection {
    Selection {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Selection::default()
    }
}

fn of_lane(lane: Lane) -> Selection {
    Selection {
        lane: Some(lane),
        ..Selection::default()
    }
}

fn selected(selection: &Selection) -> Vec<String> {
    let manifest = Copy::clean().manifest();
    let models = selection.of(&manifest).expect("there are some");
    models.iter().map(|model| model.name.clone()).collect()
}

fn refusal(selection: &Selection) -> String {
    let manifest = Copy::clean().manifest();
    let error = selection.of(&manifest).expect_err("it is refused");
    let place = manifest.specs.display().to_string();
    error.to_string().replace(&place, "SPECS")
}

#[test]
fn lanes_include_the_ones_before() {
    assert_eq!(selected(&of_lane(Lane::Smoke)), ["Fifo-RW-safety"]);
    assert_eq!(selected(&of_lane(Lane::Ci)).len(), 8);
    assert_eq!(selected(&of_lane(Lane::Nightly)).len(), 9);
    assert_eq!(selected(&Selection::default()).len(), 9);
}

#[test]
fn names_are_those_of_areas_designs_and_models() {
    assert_eq!(selected(&named(&["demo"])).len(), 9);
    assert_eq!(
        selected(&named(&["Any"])),
        ["Any-RRW-Progress", "Any-RW-InOrder"]
    );
    assert_eq!(
        selected(&named(&["Any-RW-InOrder", "Any", "Broken"])),
        ["Any-RRW-Progress", "Any-RW-InOrder", "Broken-RW-Mutex"]
    );
}

#[test]
fn a_pattern_is_of_the_same_names() {
    assert_eq!(
        selected(&named(&["Fifo-R*-safety"])),
        ["Fifo-RW-safety", "Fifo-RRW-safety"]
    );
    assert_eq!(selected(&named(&["An?"])), selected(&named(&["Any"])));
    assert_eq!(selected(&named(&["d*"])).len(), 9);
    assert_eq!(
        selected(&named(&["[BN]*"])),
        ["Broken-RW-Mutex", "Never-RW-deadlock"]
    );
}

#[test]
fn each_part_narrows_the_others() {
    let selection = Selection {
        lane: Some(Lane::Smoke),
        engine: Some(Engine::Tlc),
        areas: vec!["demo".into()],
        ..named(&["Fifo*"])
    };
    assert_eq!(selected(&selection), ["Fifo-RW-safety"]);
    let none = Selection {
        engine: Some(Engine::Apalache),
        ..selection
    };
    assert_eq!(
        refusal(&none),
        "SPECS has no model named Fifo* of demo for apalache in lane smoke or before (`interlock list` shows them all)"
    );
}

#[test]
fn an_unknown_name_suggests_the_nearest() {
    assert_eq!(
        refusal(&named(&["Fifo-RW-safty"])),
        "no area, design or model of SPECS is named `Fifo-RW-safty`; did you mean `Fifo-RW-safety`? \
         (its areas: demo; `interlock list` shows all)"
    );
    assert_eq!(
        refusal(&named(&["Any", "zzz*"])),
        "no area, design or model of SPECS is named `zzz*` (its areas: demo; `interlock list` shows all)"
    );
    assert_eq!(
        refusal(&named(&["Fifo[-"])),
        "`Fifo[-` is no pattern (quote a bracket as `[[]`)"
    );
    let area = Selection {
        areas: vec!["dmo".into()],
        ..Selection::default()
    };
    assert_eq!(
        refusal(&area),
        "no area of SPECS is named `dmo` (its areas: demo)"
    );
}

#[test]
fn one_model_is_named_in_full() {
    let manifest = Copy::clean().manifest();
    let one = |name| select::one(&manifest, name).map(|model| model.name.as_str());
    assert_eq!(one("Any-RW-InOrder").ok(), Some("Any-RW-InOrder"));
    let several = one("Any").expect_err("it is a design").to_string();
    assert!(
        several.contains("give one of its models' names"),
        "{several}"
    );
    let none = one("Any-RW-Inorder")
        .expect_err("it is nobody's")
        .to_string();
    assert!(none.contains("did you mean `Any-RW-InOrder`?"), "{none}");
}

/// The project's own.
fn real() -> Manifest {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    Manifest::load(&path).expect("the project's claims")
}

fn parts<'a>(models: &[&'a Model], of: usize) -> Vec<Vec<&'a Model>> {
    let shards = (1..=of).map(|index| format!("{index}/{of}").parse::<Shard>());
    shards
        .map(|shard| shard.expect("a shard").part(models))
        .collect()
}

#[test]
fn shards_are_disjoint_and_together_the_lane() {
    let manifest = real();
    for lane in [Lane::Smoke, Lane::Ci, Lane::Nightly] {
        let models = of_lane(lane).of(&manifest).expect("a lane");
        for of in 1..=7 {
            let parts = parts(&models, of);
            let names = parts.iter().flatten().map(|model| &model.name);
            let distinct: BTreeSet<&String> = names.clone().collect();
            assert_eq!(names.count(), models.len(), "{lane:?} in {of}");
            assert_eq!(distinct.len(), models.len(), "{lane:?} in {of}");
            let order = |model: &&Model| models.iter().position(|other| other.name == model.name);
            for part in &parts {
                assert!(part.is_sorted_by_key(order), "in the manifest's order");
            }
        }
    }
}

#[test]
fn shards_are_about_as_large_and_keep_a_graph_s_models_together() {
    let manifest = real();
    let models = of_lane(Lane::Ci).of(&manifest).expect("a lane");
    let parts = parts(&models, 4);
    let states = |part: &Vec<&Model>| -> u64 {
        let tlc = part.iter().filter(|model| model.engine == Engine::Tlc);
        tlc.map(|model| model.distinct.unwrap_or_default()).sum()
    };
    let (all, most) = (
        parts.iter().map(states).sum::<u64>(),
        parts.iter().map(states).max().unwrap_or_default(),
    );
    assert!(most * 2 < all, "one of four has {most} of {all} states");
    for part in &parts {
        assert!(
            part.len() * 2 < models.len(),
            "{} of {}",
            part.len(),
            models.len()
        );
    }
    let graph = |model: &Model| {
        (
            model.engine,
            model.area.clone(),
            model.module.clone(),
            model.spec.clone(),
            model.constants.clone(),
        )
    };
    let graphs = parts.iter().map(|part| {
        let graphs = part.iter().map(|model| graph(model));
        graphs.collect::<BTreeSet<_>>().len()
    });
    let all: BTreeSet<_> = models.iter().map(|model| graph(model)).collect();
    assert_eq!(graphs.sum::<usize>(), all.len());
}
