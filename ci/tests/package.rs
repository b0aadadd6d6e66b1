//! The lock's crate as it would be published: it has what it needs, and builds and passes its tests alone.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {told}");
    output
}

/// Cargo, as whoever runs this has it, without what it tells the tests about this workspace.
fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        let told = name.to_string_lossy();
        let of_this = told.starts_with("CARGO_PKG_") || told.starts_with("CARGO_MANIFEST_");
        if of_this || told == "CARGO_TARGET_DIR" {
            command.env_remove(&name);
        }
    }
    command
}

/// Makes the unpacked crate a workspace of its own: the folder for temporary files may lie within this one.
fn stands_alone(manifest: &Path) {
    let mut packed = OpenOptions::new()
        .append(true)
        .open(manifest)
        .expect("it was packed");
    writeln!(packed, "\n[workspace]").expect("it is written");
}

#[test]
fn the_lock_is_packed_and_passes_its_tests_alone() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reference/rwlock/Cargo.toml");
    let folder = tempfile::tempdir().expect("a folder");
    // Offline: what it depends on is here, since this workspace needs it. Dirty: a change is tested before it is committed.
    let mut package = cargo();
    package.args(["package", "--offline", "--allow-dirty", "--manifest-path"]);
    package.arg(&manifest);
    package.arg("--target-dir").arg(folder.path());
    run(&mut package);
    let packed: PathBuf = folder.path().join("package/interlock-rwlock-0.1.0");
    for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT", "src/lock.rs"] {
        assert!(packed.join(file).is_file(), "{file} is not in the package");
    }
    let manifest = packed.join("Cargo.toml");
    stands_alone(&manifest);
    for features in [&["--all-features"][..], &["--no-default-features", "--lib"]] {
        let mut test = cargo();
        test.args(["test", "--offline", "--quiet", "--manifest-path"]);
        test.arg(&manifest).args(features);
        let output = run(test.current_dir(&packed));
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.contains("test result: ok"), "{told}");
    }
}
