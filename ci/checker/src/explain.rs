//! The files about a counterexample: text to read, a picture to show, and ITF for other programs.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::manifest::{Manifest, Model};
use crate::whole::write_whole;
use interlock_tla::counterexample::Counterexample;
use interlock_tla::edges::Edges;
use interlock_tla::{itf, svg, timeline};

/// The folder of pictures: `<model>.svg` shows the model's counterexample.
pub(crate) const PICTURES: &str = "docs/img";

/// The picture of a model that the documentation of the clone at `root` shows, if it shows one.
pub fn picture(root: &Path, model: &Model) -> Option<PathBuf> {
    let path = root.join(PICTURES).join(format!("{}.svg", model.name));
    path.is_file().then_some(path)
}

/// Writes `trace.txt`, `trace.itf.json` and `trace.svg` into `dir`, which must exist. `edges` is TLC's `-userFile`, if the run made one:
/// it gives the actions their arguments. Each file appears whole or not at all.
///
/// # Errors
/// If the model's area is not in the manifest, the area's lanes cannot be drawn, `edges` is malformed, or a file cannot be written.
pub fn write_all(
    dir: &Path,
    manifest: &Manifest,
    model: &Model,
    cex: &Counterexample,
    edges: Option<&Path>,
) -> anyhow::Result<()> {
    let area = manifest.areas.iter().find(|area| area.name == model.area);
    let area = area.with_context(|| {
        format!(
            "{}: model `{}` has the unknown area `{}`",
            manifest.specs.display(),
            model.name,
            model.area
        )
    })?;
    let mut cex = cex.clone();
    if let Some(path) = edges {
        Edges::read(path)?.fill_args(&mut cex);
    }
    let title = format!("{}: {}", model.name, verdict(model, &cex));
    let subtitle = format!("{}. {}: {}", area.title, model.design, model.stands_for);
    let drawn = || format!("cannot draw `{}`", model.name);

    let text = timeline::render(&cex, &area.swimlanes, None).with_context(drawn)?;
    write_whole(dir, "trace.txt", format!("{title}\n{subtitle}\n\n{text}"))?;
    let description = format!(
        "{} of module {}: {}",
        model.name,
        model.module,
        verdict(model, &cex)
    );
    let itf = itf::to_json(&cex, &description).with_context(drawn)?;
    write_whole(dir, "trace.itf.json", format!("{itf:#}\n"))?;
    write_whole(
        dir,
        "trace.svg",
        &svg::render(&cex, &area.swimlanes, &title, &subtitle).with_context(drawn)?,
    )
}

/// What the counterexample shows; its own words go before what the model checks.
fn verdict(model: &Model, cex: &Counterexample) -> String {
    match cex
        .violated
        .as_ref()
        .or(model.property.as_ref())
        .map(String::as_str)
    {
        Some("Deadlock") => "deadlock".to_owned(),
        Some(property) => format!("{property} is violated"),
        None => "a property is violated".to_owned(),
    }
}
