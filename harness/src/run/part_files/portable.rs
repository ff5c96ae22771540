//! Paths in parts: they mean the same on every machine.

use std::path::Path;

/// A path as every machine can show it: relative to the working folder, or the name of the file alone.
pub(super) fn portable(path: &str) -> String {
    let path = Path::new(path);
    if path.is_relative() {
        return path.to_string_lossy().into_owned();
    }
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let name = || path.file_name().map(Into::into).unwrap_or_default();
    below.unwrap_or_else(name).to_string_lossy().into_owned()
}

/// The paths of a command line, too.
pub(super) fn portable_line(line: &str) -> String {
    let word = |word: &str| if word.starts_with('/') { portable(word) } else { word.to_owned() };
    line.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{portable, portable_line};

    #[test]
    fn no_path_is_absolute() {
        let here = std::env::current_dir().expect("a folder");
        let below = here.join("targets/staging.yaml");
        for (path, expected) in [
            ("staging.yaml", "staging.yaml"),
            ("../a/staging.yaml", "../a/staging.yaml"),
            ("/etc/moot/staging.yaml", "staging.yaml"),
            (below.to_str().expect("UTF-8"), "targets/staging.yaml"),
            ("", ""),
        ] {
            assert_eq!(portable(path), expected, "{path}");
        }
        let line = "moot run --target /etc/moot/staging.yaml 'a b' --seed 7";
        assert_eq!(portable_line(line), "moot run --target staging.yaml 'a b' --seed 7");
    }
}
