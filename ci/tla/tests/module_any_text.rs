//! Whatever a file holds, reading it ends, with a module or a message.

use std::fs;
use std::path::{Path, PathBuf};

use interlock_tla::module::Module;
use proptest::prelude::*;
use tempfile::TempDir;

/// Reads this as module `M`; `None` for a message.
fn read(text: &[u8]) -> Option<Module> {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("M.tla"), text).expect("written");
    Module::read(directory.path(), "M").ok()
}

fn specs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs")
}

/// A module of many forms, under the name `M`.
fn module() -> String {
    let text = fs::read_to_string(specs().join("rwsem/RwsemCount.tla")).expect("a module");
    text.replacen("MODULE RwsemCount", "MODULE M", 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes);
    }

    #[test]
    fn any_words(words in prop::collection::vec(prop::sample::select(vec![
        "/\\", "\\/", "(", ")", "[", "]", "]_", "<<", ">>", ">>_v", "==", "LET", "IN", "IF", "THEN", "ELSE", "CASE", "[]", "->", "\\E", "\\A", "x",
        "\\in", ":", "'", "!", "INSTANCE", "WITH", "<-", "MODULE", "----", "====", "LOCAL", "RECURSIVE", "LAMBDA", "THEOREM", "PROOF", "<1>", "QED", "BY",
        "(*", "*)", "\\*", "\"", "\n", "\n  ", "\n      ", "WF_", "CONSTANT", "--algorithm", "begin", ".", "@", "EXCEPT", ",", "_", "é", "\t",
    ]), 0..120)) {
        let text = format!("---- MODULE M ----\nA == {}\n====\n", words.join(" "));
        if let Some(module) = read(text.as_bytes()) {
            module.guards("A", &[]);
            module.ways();
        }
    }

    #[test]
    fn a_module_cut_off(at in 0..9_000_usize) {
        let text = module();
        let end = text.floor_char_boundary(at.min(text.len()));
        read(&text.as_bytes()[..end]);
    }

    #[test]
    fn a_module_with_a_piece_taken_out(at in 0..9_000_usize, length in 1..200_usize) {
        let text = module();
        let start = text.floor_char_boundary(at.min(text.len()));
        let end = text.floor_char_boundary((start + length).min(text.len()));
        let text = format!("{}{}", &text[..start], &text[end..]);
        if let Some(module) = read(text.as_bytes()) {
            for operator in module.operators().map(str::to_owned).collect::<Vec<_>>() {
                module.guards(&operator, &["1".to_owned()]);
            }
        }
    }
}
