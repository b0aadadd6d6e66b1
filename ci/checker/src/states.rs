//! The state diagrams of the chapters: drawn from the state graphs that the corpus keeps, so that nothing has to run.
//!
//! `interlock check` compares the graphs with what TLC finds, `interlock lint` the pictures with the graphs.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use interlock_tla::diagram::Diagram;

use crate::corpus;
use crate::explain::PICTURES;
use crate::manifest::{Area, Manifest};

/// Where an area's state diagram is, relative to the repository's root.
pub fn file(area: &str) -> String {
    format!("{PICTURES}/states-{area}.svg")
}

/// An area's state diagram; `None` if the area declares none.
///
/// # Errors
///
/// When the corpus has no graph of the model, or the graph no such task.
pub fn draw(manifest: &Manifest, area: &Area) -> Result<Option<String>> {
    let Some(states) = &area.states else {
        return Ok(None);
    };
    let model = manifest.model(&states.model);
    let model = model.with_context(|| format!("there is no model `{}`", states.model))?;
    let shown = Path::new(corpus::FOLDER).join(corpus::file(model));
    let graph = fs::read_to_string(manifest.base().join(&shown))
        .with_context(|| format!("{} cannot be read", shown.display()))?;
    let diagram = Diagram::project(&graph, &area.swimlanes, &states.task)
        .with_context(|| shown.display().to_string())?;
    let title = format!("{}: the states of {}", model.name, states.task);
    let subtitle = format!("{}. {}: {}", area.title, model.design, model.stands_for);
    Ok(Some(diagram.render(&title, &subtitle)))
}
