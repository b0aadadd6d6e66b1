//! A kernel module's own list of the modules that it needs.

use interlock_rack::modules::needs;

use crate::Target;

/// The bytes are a module.
pub const TARGET: Target = Target {
    name: "modules",
    read,
    seeds,
};

/// Names are whole: a list of the same ones is read as the same.
fn read(bytes: &[u8]) {
    let names = needs(bytes);
    assert!(names.iter().all(|name| !name.is_empty()), "{names:?}");
    let again = format!("depends={}\0", names.join(","));
    assert_eq!(needs(again.as_bytes()), names);
}

fn seeds() -> Vec<Vec<u8>> {
    let modules = [
        "ELF\0license=GPL\0depends=libcrc32c,nls-utf8\0name=xfs\0",
        "depends=\0depends=mbcache,,jbd2\0",
    ];
    modules.map(|module| module.as_bytes().to_vec()).to_vec()
}
