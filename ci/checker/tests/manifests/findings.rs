//! What lint finds in a copy of the manifest.

use interlock_checker::lint::lint;

use crate::manifests::Copy;

/// Every finding, as it is printed.
pub fn findings(copy: &Copy) -> Vec<String> {
    lint(&copy.manifest())
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// One finding, or more, starts like this.
#[allow(dead_code, reason = "one test binary knows them all")]
pub fn finds(copy: &Copy, expected: &str) {
    let findings = findings(copy);
    assert!(
        findings.iter().any(|finding| finding.starts_with(expected)),
        "no `{expected}` in {findings:#?}"
    );
}

/// Exactly this is found; each finding starts like this.
pub fn finds_only(copy: &Copy, expected: &[&str]) {
    let findings = findings(copy);
    let fits = findings.len() == expected.len()
        && findings
            .iter()
            .zip(expected)
            .all(|(is, start)| is.starts_with(start));
    assert!(fits, "{findings:#?} is not {expected:#?}");
}
