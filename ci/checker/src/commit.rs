//! The commit that a clone of the project stands at.

use std::path::Path;
use std::process::{Command, Stdio};

/// What was checked out, and whether something has been changed since.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Commit {
    /// Its hash.
    pub id: String,
    /// Whether a file differs from it, or is not in it.
    pub dirty: bool,
}

/// The commit at `root`; `None` where that is no clone of its own, or git cannot tell.
pub fn find(root: &Path) -> Option<Commit> {
    // A copy without git inside of somebody's clone has nothing to do with that clone's commit.
    if !root.join(".git").exists() {
        return None;
    }
    Some(Commit {
        id: git(root, &["rev-parse", "HEAD"])?.trim().to_owned(),
        dirty: !git(root, &["status", "--porcelain"])?.is_empty(),
    })
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("--no-optional-locks").args(arguments);
    // A hook of git's names its own clone.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    let out = git
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    out.status.success().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_tells_its_commit_and_what_was_changed_since() {
        let dir = tempfile::tempdir().expect("a directory");
        let root = dir.path();
        assert_eq!(find(root), None, "no clone");
        let done = |arguments: &[&str]| git(root, arguments).expect("git does it");
        done(&["init", "--quiet"]);
        assert_eq!(find(root), None, "no commit");
        let who = ["-c", "user.name=n", "-c", "user.email=e"];
        let commit = ["commit", "--quiet", "--allow-empty", "--message=m"];
        done(&[&who[..], &commit[..]].concat());
        let clean = find(root).expect("a commit");
        assert_eq!((clean.id.len(), clean.dirty), (40, false));
        std::fs::write(root.join("new"), "").expect("a file");
        assert!(find(root).expect("a commit").dirty);
        let inside = root.join("copy");
        std::fs::create_dir(&inside).expect("a directory");
        assert_eq!(find(&inside), None, "a copy inside of a clone");
    }
}
