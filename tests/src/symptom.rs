//! A fault must be found, and by what it does.

use std::any::Any;
use std::panic::{UnwindSafe, catch_unwind};

/// The exploration of `name`, which has a fault, panics and says one of its `symptoms`.
///
/// # Panics
/// If it does not.
pub fn assert_found<R>(name: &str, symptoms: &[&str], explore: impl FnOnce() -> R + UnwindSafe) {
    let Err(panic) = catch_unwind(explore) else {
        panic!("{name}: the fault was not found")
    };
    let text = text(&*panic);
    assert!(
        symptoms.iter().any(|symptom| text.contains(symptom)),
        "{name}: found something else: {text}"
    );
    let first = text.lines().next().unwrap_or_default();
    println!("{name}: {}", first.chars().take(100).collect::<String>());
}

/// What a panic says.
pub fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
    text.unwrap_or_default()
}
