//! `interlock`: runs the models of `specs/` and judges them against `specs/manifest.toml`.

fn main() {}
