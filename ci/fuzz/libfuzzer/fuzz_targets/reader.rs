//! The target that INTERLOCK_FUZZ_TARGET names.

#![no_main]

use std::sync::LazyLock;

use interlock_fuzz::Target;
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("INTERLOCK_FUZZ_TARGET").unwrap_or_default();
    Target::named(&name).unwrap_or_else(|| panic!("INTERLOCK_FUZZ_TARGET is `{name}`, no target"))
});

fuzz_target!(|bytes: &[u8]| (TARGET.read)(bytes));
