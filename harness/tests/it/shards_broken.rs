//! Sets of parts that must not be merged. Each is refused, and the message names the cause.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use moot_harness::run::RunOptions;
use moot_harness::run::environment::{Shard, TargetChoice};
use moot_harness::run::part::PartScope;
use moot_harness::run::part_files::{PartError, PartFact, PartSet, read_run};
use moot_harness::scenario::model::ScenarioFile;
use moot_harness::verdict::result::RunOutcome;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::command_support::run;
use crate::shards_support::{copied, options, plan_of, suite, written};

/// A suite of four scenarios that pass.
fn scenarios(title: &str) -> String {
    let mut text = "section: \"4.6\"\ntitle: A sample\nscenarios:\n".to_owned();
    for id in ["one", "two", "three", "four"] {
        text.push_str(&format!(
            "  - id: {id}\n    title: {title}\n    needs: [read]\n    steps:\n      \
             - request: GET /v1/requests\n        token: read\n        expect:\n          \
             list-legal-requests.status-200: {{ status: 200 }}\n"
        ));
    }
    text
}

fn files(dir: &Path, title: &str) -> Arc<Vec<ScenarioFile>> {
    let folder = dir.join(title);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("sample.yaml"), scenarios(title)).expect("a file");
    suite(&folder)
}

/// The parts of a run of three shards.
struct SoundSet {
    dir: tempfile::TempDir,
    files: Arc<Vec<ScenarioFile>>,
}

impl SoundSet {
    async fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let files = files(dir.path(), "sound");
        let set = Self { dir, files };
        for number in 1..=3 {
            set.write(number, 3, &format!("part{number}"), options(&set.files)).await;
        }
        set
    }

    async fn write(&self, number: u16, count: u16, name: &str, options: RunOptions) {
        let plan = plan_of(&options, count);
        written(options, Shard { number, count }, &plan, &self.path(name)).await;
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A copy of the second part with another text.
    fn changed(&self, name: &str, change: impl FnOnce(String) -> String) {
        copied(&self.path("part2"), &self.path(name));
        let file = self.path(name).join("part.jsonl");
        let text = fs::read_to_string(&file).expect("a part");
        fs::write(&file, change(text)).expect("writable");
    }

    /// As [`SoundSet::changed`], with a correct digest.
    fn forged(&self, name: &str, change: impl FnOnce(&mut Vec<Value>)) {
        self.changed(name, |text| {
            let parsed = |line| serde_json::from_str(line).expect("JSON");
            let mut lines: Vec<Value> = text.lines().map(parsed).collect();
            lines.pop();
            change(&mut lines);
            let content: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let digest = Sha256::digest(&content);
            let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{content}{}\n", json!({ "complete": true, "sha256": sha256 }))
        });
    }

    fn forged_fact(&self, name: &str, fact: &str) {
        self.forged(name, |lines| lines[0]["facts"][fact] = "another".into());
    }
}

/// The reason why a set is refused.
#[derive(Debug, PartialEq)]
enum Cause {
    NotAPart,
    Unfinished,
    Damaged,
    Version,
    OtherMoot,
    OtherRegister,
    Foreign(PartFact),
    Doubled,
    Missing,
}

fn cause(error: &PartError) -> Cause {
    match error {
        PartError::NotAPart { .. } => Cause::NotAPart,
        PartError::Unfinished { .. } => Cause::Unfinished,
        PartError::Damaged { .. } => Cause::Damaged,
        PartError::Version { .. } => Cause::Version,
        PartError::OtherMoot { .. } => Cause::OtherMoot,
        PartError::OtherRegister { .. } => Cause::OtherRegister,
        PartError::Foreign { fact, .. } => Cause::Foreign(*fact),
        PartError::Doubled { .. } => Cause::Doubled,
        PartError::Missing { .. } => Cause::Missing,
        PartError::Unfit { .. } | PartError::File { .. } | PartError::Secret { .. } => {
            panic!("{error}")
        }
    }
}

fn merged(dirs: &[PathBuf], is_partial: bool) -> Result<RunOutcome, PartError> {
    let set = PartSet::read(dirs, is_partial)?;
    let scope = if set.missing().is_empty() { PartScope::Whole } else { PartScope::Share };
    let least =
        if set.missing().is_empty() { RunOutcome::Conformant } else { RunOutcome::Incomplete };
    Ok(read_run(&set)?.concluded(scope).outcome.max(least))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_broken_set_is_refused_and_the_cause_is_named() {
    let set = SoundSet::new().await;
    let own = || options(&set.files);
    // Parts of other runs.
    let mut other = own();
    other.target.seed = 8;
    set.write(2, 3, "seed", other).await;
    set.write(2, 4, "count", own()).await;
    let other = files(set.dir.path(), "another");
    set.write(2, 3, "suite", options(&other)).await;
    set.write(2, 3, "strict", RunOptions { strict: true, ..own() }).await;
    set.write(
        2,
        3,
        "selected",
        RunOptions { selectors: vec!["one".into(), "two".into()], ..own() },
    )
    .await;
    set.write(2, 3, "excluded", RunOptions { excluded: vec!["four".into()], ..own() }).await;
    set.write(2, 3, "smoke", RunOptions { tolerates_unmet_needs: true, ..own() }).await;
    let mut other = own();
    other.target.answers = Some(moot_fixtures::answers::documented().clone());
    set.write(2, 3, "answers", other).await;
    let mut other = own();
    let mut world = moot_fixtures::world::named("demo").expect("the demo world").clone();
    world.companies[0].users.push("another@northwind.example".to_owned());
    other.target.world = Some(Arc::new(world));
    set.write(2, 3, "world", other).await;
    let known = set.path("known.yaml");
    fs::write(&known, "- { id: list-legal-requests.status-200, outcome: fail, reason: a }\n")
        .expect("a file");
    let mut other = own();
    other.target.expected = Some(known);
    set.write(2, 3, "expected", other).await;
    let other = RunOptions { choice: TargetChoice::InProcessDeployment, ..own() };
    set.write(2, 3, "target", other).await;
    // Broken files.
    copied(&set.path("part2"), &set.path("copy"));
    fs::create_dir(set.path("empty")).expect("a folder");
    fs::write(set.path("a-file"), "").expect("a file");
    fs::create_dir(set.path("recording")).expect("a folder");
    fs::write(set.path("recording").join("index.json"), "{}").expect("a file");
    set.changed("no-text", |_| String::new());
    set.changed("other-json", |_| "{\"version\": 1}\n{\"complete\": true}\n".to_owned());
    set.changed("no-end", |text| text[..=text.trim_end().rfind('\n').expect("lines")].to_owned());
    set.changed("half-end", |text| text[..text.len() - 20].to_owned());
    set.changed("half", |text| text[..text.len() / 2].to_owned());
    set.changed("head-alone", |text| format!("{}\n", text.lines().next().expect("a head")));
    set.changed("not-complete", |text| text.replace("\"complete\":true", "\"complete\":false"));
    set.changed("verdict", |text| text.replacen("\"verdict\":\"pass\"", "\"verdict\":\"fail\"", 1));
    set.changed("line-lost", |text| {
        let lines: Vec<&str> = text.lines().collect();
        let kept: String =
            lines.iter().filter(|line| **line != lines[2]).map(|it| format!("{it}\n")).collect();
        kept
    });
    set.changed("format", |text| text.replacen("\"format_version\":2", "\"format_version\":1", 1));
    set.forged("moot", |lines| lines[0]["moot_version"] = "0.0.9".into());
    set.forged("shard-9", |lines| lines[0]["shard"] = 9.into());
    set.forged("shard-0", |lines| lines[0]["shard"] = 0.into());
    set.forged("kind", |lines| lines[0]["kind"] = "drill".into());
    set.forged("scenario-lost", |lines| drop(lines.pop()));
    set.forged("no-result", |lines| lines.truncate(1));
    set.forged("renamed", |lines| lines[2]["scenario"]["name"] = "sample/nobody".into());
    set.forged("plan", |lines| lines[0]["plan"][0][0] = "sample/nobody".into());
    set.forged("no-exchange", |lines| {
        lines[2]["links"][0][0] = json!([99]);
    });
    set.forged("unknown-code", |lines| lines[1]["result"]["outcome"] = 42.into());
    set.forged("unknown-member", |lines| lines[2]["surprise"] = 1.into());
    for fact in ["tolerate", "target", "register"] {
        set.forged_fact(&format!("fact-{fact}"), fact);
    }
    // One wrong shard of an otherwise valid set, and then sets with other numbers of folders.
    let foreign = Cause::Foreign;
    let instead_of_part2 = [
        ("seed", foreign(PartFact::Seed)),
        ("count", foreign(PartFact::Shards)),
        ("suite", foreign(PartFact::Plan)),
        ("strict", foreign(PartFact::Options)),
        ("selected", foreign(PartFact::Options)),
        ("excluded", foreign(PartFact::Options)),
        ("smoke", foreign(PartFact::Options)),
        ("answers", foreign(PartFact::Answers)),
        ("world", foreign(PartFact::World)),
        ("expected", foreign(PartFact::Expected)),
        ("target", foreign(PartFact::Target)),
        ("fact-target", foreign(PartFact::Target)),
        ("fact-tolerate", foreign(PartFact::Tolerate)),
        ("fact-register", foreign(PartFact::Register)),
        ("kind", foreign(PartFact::Kind)),
        ("plan", foreign(PartFact::Plan)),
        ("nothing-there", Cause::NotAPart),
        ("empty", Cause::NotAPart),
        ("a-file", Cause::NotAPart),
        ("recording", Cause::NotAPart),
        ("no-text", Cause::NotAPart),
        ("other-json", Cause::NotAPart),
        ("no-end", Cause::Unfinished),
        ("half-end", Cause::Unfinished),
        ("half", Cause::Unfinished),
        ("head-alone", Cause::Unfinished),
        ("not-complete", Cause::Unfinished),
        ("verdict", Cause::Damaged),
        ("line-lost", Cause::Damaged),
        ("format", Cause::Version),
        ("moot", Cause::OtherMoot),
        ("shard-9", Cause::Damaged),
        ("shard-0", Cause::Damaged),
        ("scenario-lost", Cause::Damaged),
        ("no-result", Cause::Damaged),
        ("renamed", Cause::Damaged),
        ("no-exchange", Cause::Damaged),
        ("unknown-code", Cause::Damaged),
        ("unknown-member", Cause::Damaged),
        ("part1", Cause::Doubled),
    ];
    let sets =
        instead_of_part2.into_iter().map(|(name, cause)| (vec!["part1", name, "part3"], cause));
    let others = [
        (vec!["part1", "part3"], Cause::Missing),
        (vec!["part2"], Cause::Missing),
        (vec!["part1", "part2", "part3", "copy"], Cause::Doubled),
        (vec!["part1", "part2", "part3", "part3"], Cause::Doubled),
        (vec!["no-end"], Cause::Unfinished),
        (vec!["fact-register", "fact-register"], Cause::OtherRegister),
    ];
    let sets: Vec<(Vec<&str>, Cause)> = sets.chain(others).collect();
    assert!(sets.len() >= 20);
    for (names, expected) in sets {
        let dirs: Vec<PathBuf> = names.iter().map(|name| set.path(name)).collect();
        let error = merged(&dirs, false).expect_err("it must not be merged");
        assert_eq!(cause(&error), expected, "{names:?}: {error}");
        match merged(&dirs, true) {
            Ok(outcome) => {
                assert!(matches!(expected, Cause::Missing | Cause::Unfinished), "{names:?}");
                assert!(outcome >= RunOutcome::Incomplete, "{names:?}: {outcome:?}");
            }
            Err(error) => assert_eq!(cause(&error), expected, "{names:?}: {error}"),
        }
        let words: Vec<&str> = ["merge"].into_iter().chain(names.iter().copied()).collect();
        let ran = run(&words, set.dir.path());
        assert_eq!(ran.code, Some(2), "{names:?}: {}{}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.is_empty() && ran.stdout.is_empty(), "{names:?}: {}", ran.stdout);
    }
    let sound: Vec<PathBuf> = ["part3", "part1", "part2"].map(|name| set.path(name)).into();
    assert_eq!(merged(&sound, false).expect("a sound set"), RunOutcome::Conformant);
    let ran = run(&["merge", "part3", "part1", "part2"], set.dir.path());
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let ran = run(&["merge", "--partial", "part3", "part1"], set.dir.path());
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
}
