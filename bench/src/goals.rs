//! What the lock is to reach, beside what it did. A goal is printed as missed, never asserted: a shared machine may miss it.

use comfy_table::Table;

use crate::report::{self, Form, Results};

/// Every goal, as a table.
pub fn table(_results: &Results, form: Form) -> Table {
    report::table(form, 1, ["goal", "wanted", "measured", ""])
}
