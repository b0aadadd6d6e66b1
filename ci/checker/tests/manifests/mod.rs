//! A copy of the clean claims and their specs, in which a test plants a fault.

use std::fs;
use std::path::{Path, PathBuf};

use interlock_checker::manifest::Manifest;
use tempfile::TempDir;

/// Its one area's claims.
#[allow(dead_code, reason = "one test binary edits nothing")]
pub const CLAIMS: &str = "specs/demo/models.toml";

/// The copy; removed when dropped.
pub struct Copy(TempDir);

impl Copy {
    /// An unchanged copy.
    pub fn clean() -> Self {
        let copy =
            Self(TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory"));
        let clean = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manifests");
        for file in [
            "specs/demo/models.toml",
            "specs/demo/models.lock",
            "specs/demo/Lock.tla",
            "specs/demo/MCLock.tla",
        ] {
            copy.write(
                file,
                &fs::read_to_string(clean.join(file)).expect("the fixture is there"),
            );
        }
        copy
    }

    /// A copy in which the claims' first `from` is `to`.
    #[allow(dead_code, reason = "one test binary has a copy of its own")]
    pub fn with(from: &str, to: &str) -> Self {
        Self::clean().edit(CLAIMS, from, to)
    }

    /// Replaces the first `from` of a file; it must be there, or the test would test nothing.
    pub fn edit(self, file: &str, from: &str, to: &str) -> Self {
        let text = fs::read_to_string(self.path(file)).expect("the file is there");
        assert!(text.contains(from), "{file} has no `{from}`");
        self.write(file, &text.replacen(from, to, 1));
        self
    }

    /// Writes a file, and the directories above it.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().expect("it is in the copy")).expect("a directory");
        fs::write(path, text).expect("a written file");
    }

    /// A path in the copy.
    pub fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    /// The loaded manifest.
    pub fn manifest(&self) -> Manifest {
        self.load().expect("a manifest that loads")
    }

    /// The manifest or why it does not load.
    pub fn load(&self) -> anyhow::Result<Manifest> {
        Manifest::load(&self.path("specs"))
    }
}
