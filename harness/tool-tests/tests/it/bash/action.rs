//! `action.yml`: runs its steps like a workflow, with the files of GitHub.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{Output, binary, program, root, script};

/// A step of the action that runs a script.
struct ActionStep {
    /// Variables, each with its input.
    variables: BTreeMap<String, String>,
    script: String,
}

/// The steps with a script, in order. Reads only the layout of this file, not all of YAML.
fn steps(text: &str) -> Vec<ActionStep> {
    let mut found = Vec::new();
    for step in text.split("\n    - name: ").skip(1) {
        let Some((head, body)) = step.split_once("      run: |\n") else { continue };
        let variables = head.lines().filter_map(|line| {
            let (name, value) = line.trim().split_once(": ${{ inputs.")?;
            Some((name.to_owned(), value.trim_end_matches(" }}").to_owned()))
        });
        let script =
            body.lines().map(|line| format!("{}\n", line.strip_prefix("        ").unwrap_or(line)));
        found.push(ActionStep { variables: variables.collect(), script: script.collect() });
    }
    found
}

/// The default of an input.
fn default<'t>(text: &'t str, input: &str) -> &'t str {
    let after = text.split_once(&format!("\n  {input}:\n")).map_or("", |(_, after)| after);
    let lines = after.lines().take_while(|line| line.starts_with("    "));
    let found = lines.filter_map(|line| line.trim().strip_prefix("default: ")).next();
    found.unwrap_or("").trim_matches('"')
}

/// Runs both steps with these inputs. Returns the outputs of the last one, and the files of GitHub.
fn act(folder: &Path, inputs: &[(&str, &str)]) -> (Output, String, String) {
    let bash = program(&[&["bash", "-c", "true"]], "bash");
    let text = fs::read_to_string(root().join("action.yml")).expect("the action is there");
    let steps = steps(&text);
    assert_eq!(steps.len(), 2);
    let file = |name: &str| folder.join(name).display().to_string();
    let (path, output, summary) = (file("path"), file("output"), file("summary"));
    for name in [&path, &output, &summary] {
        fs::write(name, "").expect("writable");
    }
    let mut last = None;
    for step in steps {
        let mut variables: Vec<(&str, String)> = step
            .variables
            .iter()
            .map(|(name, input)| {
                let given =
                    inputs.iter().find(|(known, _)| known == input).map(|(_, value)| *value);
                (name.as_str(), given.unwrap_or_else(|| default(&text, input)).to_owned())
            })
            .collect();
        variables.extend([
            ("GITHUB_PATH", path.clone()),
            ("GITHUB_OUTPUT", output.clone()),
            ("GITHUB_STEP_SUMMARY", summary.clone()),
            ("RUNNER_TEMP", file("temp")),
        ]);
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        // A later step has the PATH entries of an earlier one.
        let added = "while read -r folder; do PATH=$folder:$PATH; done <\"$GITHUB_PATH\"\n";
        let ran = script(&[bash, "-c", &format!("{added}{}", step.script)], folder, &variables);
        let is_over = ran.code != Some(0);
        last = Some(ran);
        if is_over {
            break;
        }
    }
    let read = |name: &str| fs::read_to_string(name).expect("it is text");
    (last.expect("a step ran"), read(&output), read(&summary))
}

/// Builds an archive in the layout of `release/build` with the binary under test. Returns its path and its checksum.
fn archive(folder: &Path) -> (String, String) {
    let inner = folder.join("moot-0.1.0-x86_64-linux");
    fs::create_dir_all(&inner).expect("writable");
    fs::copy(binary(), inner.join("moot")).expect("copied");
    let words = [
        "tar",
        "--use-compress-program=gzip -1",
        "-cf",
        "moot-0.1.0.tar.gz",
        "moot-0.1.0-x86_64-linux",
    ];
    assert_eq!(script(&words, folder, &[]).code, Some(0));
    let sum = script(&["sha256sum", "moot-0.1.0.tar.gz"], folder, &[]).stdout;
    let sum = sum.split(' ').next().unwrap_or_default().to_owned();
    (folder.join("moot-VERSION.tar.gz").display().to_string(), sum)
}

#[test]
fn a_client_is_run_and_reported() {
    let dir = tempfile::tempdir().expect("a folder");
    let (archive, sum) = archive(dir.path());
    let client = "exec 3<>/dev/tcp/${MOOT_BASE_URL#http://*:}; true";
    let client = client.replace("${MOOT_BASE_URL#http://*:}", "127.0.0.1/${MOOT_BASE_URL##*:}");
    let inputs = [
        ("archive", archive.as_str()),
        ("sha256", sum.as_str()),
        ("command", "exec"),
        ("client", client.as_str()),
        ("arguments", "--seed 1"),
    ];
    let (ran, output, summary) = act(dir.path(), &inputs);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(output, "exit-code=0\n");
    assert!(!summary.is_empty());
    for report in ["moot.json", "moot.html", "moot.xml", "moot.md"] {
        assert!(dir.path().join("moot-reports").join(report).is_file(), "{report}");
    }

    // A run without a target file has exit code 2.
    let inputs = [("archive", archive.as_str()), ("sha256", sum.as_str())];
    let (ran, output, _) = act(dir.path(), &inputs);
    assert_eq!((ran.code, output.as_str()), (Some(2), "exit-code=2\n"), "{}", ran.stderr);

    // Another checksum, and no version.
    let wrong = sum.replace(|c: char| c.is_ascii_digit(), "0");
    for (inputs, said) in [
        ([("archive", archive.as_str()), ("sha256", wrong.as_str())], "another SHA-256"),
        ([("archive", archive.as_str()), ("version", "latest")], "name a version"),
    ] {
        let (ran, output, _) = act(dir.path(), &inputs);
        assert_eq!((ran.code, output.as_str()), (Some(2), ""));
        assert!(ran.stdout.contains(said), "{}", ran.stdout);
    }
}
