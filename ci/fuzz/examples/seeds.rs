//! Writes each target's corpus into a folder of its name below the one that is given, and prints the names.

use std::fs;
use std::io;
use std::path::Path;

use interlock_fuzz::TARGETS;

fn main() -> io::Result<()> {
    let into = std::env::args_os().nth(1);
    let into = into.ok_or_else(|| io::Error::other("usage: seeds FOLDER"))?;
    for target in TARGETS {
        let folder = Path::new(&into).join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in target.corpus().iter().enumerate() {
            fs::write(folder.join(format!("seed-{number}")), seed)?;
        }
        println!("{}", target.name);
    }
    Ok(())
}
