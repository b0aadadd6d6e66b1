//! Each rule that compares models, or looks at files, fires on a planted fault.

#[path = "manifests/findings.rs"]
mod findings;
mod manifests;

use findings::{finds, finds_only};
use manifests::Copy;

#[test]
fn modules_that_no_model_uses() {
    let copy = Copy::clean();
    copy.write("specs/demo/MCOther.tla", "---- MODULE MCOther ----\n====\n");
    finds_only(
        &copy,
        &[
            "specs/demo/MCOther.tla:1: unused-module: a root module that no model runs on (add a model, or remove the file)",
        ],
    );
    let module = "[module.Lock]\nactions = []\n\n[[design]]";
    finds_only(
        &Copy::with("[[design]]", module),
        &[
            "specs/demo/models.toml:23: unused-module: no model runs on module `Lock` (add one, or remove the [module.Lock])",
        ],
    );
}

#[test]
fn a_definition_that_no_row_reads() {
    let unread = "Unread == TRUE\nMutex ==";
    let copy = Copy::clean().edit("specs/demo/Lock.tla", "Mutex ==", unread);
    let found = "specs/demo/Lock.tla:42: unread-definition: no row reads Unread, so that nothing is shown of it (remove it, or add a row)";
    finds_only(&copy, &[found]);
    // A module that takes traces may read it, if it names it; one that nothing takes reads nothing.
    let write = |name: &str, reads: &str| {
        let text = format!("---- MODULE {name} ----\nEXTENDS Lock\nReads == {reads}\n====\n");
        copy.write(&format!("specs/demo/{name}.tla"), &text);
    };
    write("TraceLock", "Mutex");
    finds_only(&copy, &[found]);
    write("Beside", "Unread");
    finds_only(
        &copy,
        &[
            "specs/demo/Beside.tla:3: unread-definition: no row reads Reads",
            found,
        ],
    );
    write("TraceLock", "Unread");
    finds_only(
        &copy,
        &["specs/demo/Beside.tla:3: unread-definition: no row reads Reads"],
    );
}

#[test]
fn a_headline_that_is_no_model() {
    let columns = "columns = [";
    finds_only(
        &Copy::with(columns, &format!("headlines = [\"None\"]\n{columns}")),
        &[
            "specs/demo/models.toml:2: unknown-headline: area `demo` has no model `None` for a headline (correct the name)",
        ],
    );
}

#[test]
fn a_module_that_cannot_be_read() {
    let copy = Copy::clean();
    copy.write("specs/demo/MCLock.tla", "nothing");
    finds(&copy, "specs/demo/models.toml:13: unreadable-module:");
}

#[test]
fn the_same_check_twice() {
    let row = "  { size = \"RW\", violates = \"probe\"";
    let again = "  { name = \"Again\", size = \"RW\", holds = [\"Mutex\", \"TypeOK\"], deadlock = true },\n";
    let copy = Copy::with(row, &format!("{again}{row}")).edit(
        "specs/demo/models.lock",
        "Any",
        "Again = { distinct = 9, total = 15 }\nAny",
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:33: duplicate-check: model `Again`: checks the same as `Fifo-RW-safety` on line 29 of specs/demo/models.toml (remove one of them)",
        ],
    );
}

#[test]
fn a_property_that_nothing_violates() {
    let copy = Copy::with(
        r#"{ size = "RW", violates = "Mutex""#,
        r#"{ name = "Broken-RW-Mutex", size = "RW", violates = "NobodyWaits""#,
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:29: never-violated: model `Fifo-RW-safety`: Mutex holds, and no model of module MCLock violates it: a check that cannot fail (add a variant that does)",
        ],
    );
}

#[test]
fn freedom_from_deadlock_that_nothing_violates() {
    let copy = Copy::with("kind = \"deadlock\", ", "invariants = [\"NobodyWaits\"], ").edit(
        "specs/demo/models.toml",
        "violates = \"deadlock\"",
        "name = \"Never-RW-deadlock\", violates = \"NobodyWaits\"",
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:29: never-violated: model `Fifo-RW-safety`: Deadlock holds, and no model of module MCLock violates it: a check that cannot fail (add a variant that does)",
        ],
    );
}

#[test]
fn a_property_that_is_violated_in_a_later_lane() {
    let row = r#"{ size = "RW", violates = "InOrder""#;
    let copy = Copy::with(row, &format!("{row}, lane = \"nightly\""));
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:31: never-violated: model `Fifo-RW-InOrder`: InOrder holds in lane ci, and is violated only in lane nightly, so that nothing shows here that it can fail (move a model that violates it)",
        ],
    );
}

#[test]
fn a_file_of_the_corpus_that_is_gone_or_nobodys() {
    let row = r#"{ size = "RW", holds = "InOrder""#;
    let copy = Copy::with(row, &format!("{row}, kept = true"));
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:31: corpus: model `Fifo-RW-InOrder`: is `kept`, but tests/corpus/Fifo-RW-InOrder.graph is not there (write it with `interlock graph Fifo-RW-InOrder`, or say it is not kept)",
        ],
    );
    copy.write("tests/corpus/Fifo-RW-InOrder.graph", "");
    finds_only(&copy, &[]);
    copy.write("tests/corpus/Broken-RW-Mutex.itf.json", "");
    finds_only(
        &copy,
        &[
            "tests/corpus/Broken-RW-Mutex.itf.json:1: corpus: no model that is `kept` has this file (say `kept = true` in its row, or remove the file)",
        ],
    );
}

#[test]
fn debris_in_specs() {
    let copy = Copy::clean();
    copy.write("specs/demo/MCLock_TTrace_1.tla", "");
    copy.write("specs/demo/Own.cfg", "SPECIFICATION Spec\n");
    finds_only(
        &copy,
        &[
            "specs/demo/MCLock_TTrace_1.tla:1: debris: a trace that TLC left (remove it)",
            "specs/demo/Own.cfg:1: debris: names no model in its first line (remove it, or write it with `interlock cfg MODEL`)",
        ],
    );
}

#[test]
fn a_cfg_that_is_not_its_rows() {
    let copy = Copy::clean();
    let text = interlock_checker::cfg::text(
        copy.manifest()
            .model("Fifo-RW-safety")
            .expect("it is there"),
        false,
    );
    copy.write("specs/demo/MCLock.cfg", &text);
    finds_only(&copy, &[]);
    copy.write(
        "specs/demo/MCLock.cfg",
        &text.replace("TypeOK Mutex", "TypeOK"),
    );
    finds_only(
        &copy,
        &[
            "specs/demo/MCLock.cfg:7: stale-cfg: is not the cfg of model `Fifo-RW-safety` (run `make docs`)",
        ],
    );
    copy.write(
        "specs/demo/MCLock.cfg",
        &text.replace("Fifo-RW-safety", "gone"),
    );
    finds_only(
        &copy,
        &["specs/demo/MCLock.cfg:1: stale-cfg: its model `gone` is not there"],
    );
}

#[test]
fn a_table_that_is_not_what_the_claims_give() {
    let copy = Copy::clean();
    let marked = "# Lock\n\n<!-- table:rows demo -->\n<!-- /table -->\n";
    let written = interlock_checker::table::update(&copy.manifest(), marked).expect("good markers");
    copy.write("README.md", &written);
    copy.write("specs/demo/README.md", &written);
    copy.write("docs/lock.md", &written);
    finds_only(&copy, &[]);
    copy.write("README.md", &written.replace("| 17 |", "| 18 |"));
    copy.write("docs/lock.md", &written.replace("| 17 |", "| 18 |"));
    copy.write("specs/demo/README.md", "<!-- table:rows lock -->\n");
    finds_only(
        &copy,
        &[
            "README.md:7: stale-table: its table is not what the claims give (run `make docs`)",
            "docs/lock.md:7: stale-table: its table is not what the claims give (run `make docs`)",
            "specs/demo/README.md:1: stale-table: no area is named `lock` (correct the marker)",
        ],
    );
}
