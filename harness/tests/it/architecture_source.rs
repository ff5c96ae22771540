//! The modules of a crate and what they import, read by pattern from the source files.
//!
//! A parent that declares children and re-exports them (`mod`, `pub use`) does not import them.
//! Comments, strings and modules of tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// The path of a module below its crate: `["report", "html"]`. The root of the crate is empty.
pub(crate) type Module = Vec<String>;

/// A crate of the workspace.
pub(crate) struct Sources {
    pub(crate) files: BTreeMap<Module, Source>,
}

/// One source file.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// Without comments, contents of strings and modules of tests.
    pub(crate) code: String,
}

impl Sources {
    /// The crate in this folder of the workspace.
    pub(crate) fn read(folder: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join("src");
        let mut files = BTreeMap::new();
        for path in rust_files(&root) {
            let relative = path.strip_prefix(&root).expect("a file below the root");
            if is_test(relative) {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source file is text");
            let shown = Path::new(folder).join("src").join(relative);
            files.insert(module_of(relative), Source { path: shown, code: code_of(&text) });
        }
        assert!(!files.is_empty(), "{folder} has no source");
        Self { files }
    }

    /// The modules that each module imports, without itself and the root of the crate.
    pub(crate) fn imports(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let imports = |(module, source): (&Module, &Source)| {
            let paths = paths(&source.code);
            let targets = paths.iter().filter_map(|path| self.resolve(path, module));
            let others = targets.filter(|other| !other.is_empty() && other != module);
            (module.clone(), others.collect())
        };
        self.files.iter().map(imports).collect()
    }

    /// The innermost module on a path.
    fn resolve(&self, path: &str, here: &Module) -> Option<Module> {
        let parts: Vec<&str> = path.split("::").collect();
        let (base, rest): (Module, &[&str]) = match parts[0] {
            "crate" => (Module::new(), &parts[1..]),
            "super" | "self" => {
                let steps =
                    parts.iter().take_while(|part| ["super", "self"].contains(part)).count();
                let ups = parts[..steps].iter().filter(|part| **part == "super").count();
                (here[..here.len().saturating_sub(ups)].to_vec(), &parts[steps..])
            }
            _ => return None,
        };
        let prefixes = (0..=rest.len()).rev().map(|length| {
            let tail = rest[..length].iter().map(|part| (*part).to_owned());
            base.iter().cloned().chain(tail).collect::<Module>()
        });
        prefixes.into_iter().find(|module| self.files.contains_key(module))
    }

    /// Groups of modules that import each other, each sorted.
    pub(crate) fn circles(&self) -> Vec<Vec<String>> {
        circles(&self.imports())
            .into_iter()
            .map(|group| {
                group.iter().map(|module| self.files[module].path.display().to_string()).collect()
            })
            .collect()
    }
}

/// Groups of nodes that reach each other.
pub(crate) fn circles<Node: Ord + Clone>(
    edges: &BTreeMap<Node, BTreeSet<Node>>,
) -> Vec<BTreeSet<Node>> {
    let reached: BTreeMap<&Node, BTreeSet<Node>> =
        edges.keys().map(|node| (node, reachable(edges, node))).collect();
    let group = |node: &Node| -> BTreeSet<Node> {
        let back = |other: &&Node| reached.get(other).is_some_and(|set| set.contains(node));
        reached[node].iter().filter(back).cloned().collect()
    };
    let groups: BTreeSet<BTreeSet<Node>> = edges.keys().map(group).collect();
    groups.into_iter().filter(|group| group.len() > 1).collect()
}

fn reachable<Node: Ord + Clone>(
    edges: &BTreeMap<Node, BTreeSet<Node>>,
    from: &Node,
) -> BTreeSet<Node> {
    let mut found = BTreeSet::new();
    let mut open = vec![from.clone()];
    while let Some(node) = open.pop() {
        for other in edges.get(&node).into_iter().flatten() {
            if found.insert(other.clone()) {
                open.push(other.clone());
            }
        }
    }
    found
}

/// Every Rust file below a folder, sorted.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn is_test(relative: &Path) -> bool {
    relative.with_extension("").iter().any(|part| part == "tests" || part == "test")
}

fn module_of(relative: &Path) -> Module {
    let stem = relative.with_extension("");
    let mut parts: Module = stem.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// A text without block comments, line comments, contents of strings and `#[cfg(test)]` items.
fn code_of(text: &str) -> String {
    static BLOCK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s)/\*.*?\*/"));
    static TEXT: LazyLock<Regex> = LazyLock::new(|| pattern(r#""(?:\\.|[^"\\])*""#));
    static FILE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\s*(pub(\([^)]*\))?\s+)?mod\s+\w+\s*;"));
    let text = BLOCK.replace_all(text, "");
    let mut code = String::new();
    let mut of_test = false;
    let mut skipped_depth: Option<i32> = None;
    for line in text.lines() {
        let line = TEXT.replace_all(line, "\"\"");
        let line = line.split("//").next().unwrap_or_default();
        let depth = || {
            let count = |brace| i32::try_from(line.matches(brace).count()).expect("a short line");
            count('{') - count('}')
        };
        if let Some(open) = skipped_depth {
            let open = open + depth();
            let ends = open <= 0 && line.contains('}') || open == 0 && line.contains(';');
            skipped_depth = (!ends).then_some(open);
        } else if line.trim_start().starts_with("#[cfg(test)]") {
            of_test = true;
        } else if of_test && line.trim_start().starts_with("#[") {
            // Another attribute of the same item.
        } else if of_test {
            of_test = false;
            let ends = FILE.is_match(line) || depth() == 0 && line.contains([';', '}']);
            skipped_depth = (!ends).then(depth);
        } else {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

/// The whole paths of private `use` declarations, and of paths that begin with `crate` or `super`.
fn paths(code: &str) -> Vec<String> {
    static USE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?m)^\s*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);"));
    static INLINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:crate|super)(?:::\w+)+"));
    let mut found = Vec::new();
    for declaration in USE.captures_iter(code) {
        if declaration.get(1).is_none() {
            let path = declaration[2].replace(" as ", "@").replace(char::is_whitespace, "");
            expand(&path, &mut found);
        }
    }
    let rest = USE.replace_all(code, "");
    found.extend(INLINE.find_iter(&rest).map(|path| path.as_str().to_owned()));
    found
}

/// Takes the groups of a path apart: `a::{b, c::{d}}` is `a::b` and `a::c::d`.
fn expand(path: &str, found: &mut Vec<String>) {
    let Some((head, body)) = path.split_once('{') else {
        let name = path.split('@').next().unwrap_or_default();
        found.push(name.trim_end_matches("::self").to_owned());
        return;
    };
    let body = body.strip_suffix('}').unwrap_or(body);
    let mut depth = 0;
    let mut start = 0;
    for (at, letter) in body.char_indices().chain([(body.len(), ',')]) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let item = &body[start..at];
                start = at + 1;
                if !item.is_empty() {
                    expand(&format!("{head}{item}"), found);
                }
            }
            _ => {}
        }
    }
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}
