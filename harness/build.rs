//! Writes the table of bundled scenarios: a row `(file stem, text)` per file of `scenarios/`.
//!
//! Rows are sorted by file name, so that the same tree gives the same bytes. The paths in
//! `include_str!` start at `CARGO_MANIFEST_DIR` at compile time. The binary contains none of them.

use std::path::Path;
use std::{env, fs, io};

/// The bundled scenarios, relative to this crate.
const FOLDER: &str = "../scenarios";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FOLDER}");
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let mut rows = String::new();
    for name in file_names(&Path::new(&root).join(FOLDER))? {
        if let Some(stem) = name.strip_suffix(".yaml") {
            let path = format!("/{FOLDER}/{name}");
            let text = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))");
            rows.push_str(&format!("    ({stem:?}, {text}),\n"));
        }
    }
    let code = format!("static SCENARIOS: &[(&str, &str)] = &[\n{rows}];\n");
    fs::write(Path::new(&out).join("scenarios.rs"), code)
}

/// The names of the files in a folder, sorted.
fn file_names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
