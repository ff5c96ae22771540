//! docs/reference/conduct.md is generated from the register of conduct.

use std::fmt::Write as _;
use std::path::Path;

use moot_fixtures::conduct;
use moot_fixtures::contract::ConductOccasion;
use moot_harness::grading::misbehaving_client::not_shown;

const HEAD: &str = "\
# The conduct of a client

`moot exec -- CMD` runs a command against a new mock. Then it judges the calls of the command by these rules.
`moot explain RULE` shows one rule.

```
moot exec --fail-on must --report html=conduct.html -- pytest
moot explain impatient-retry
```

- The exit code is that of the command. With `--fail-on must`, `should`, `hint` or the id of a rule, a successful
  command ends with 1 if it broke such a rule. A severity includes the more severe ones. The option is repeatable.
- `--report KIND=FILE` writes text, JSON, JUnit, Markdown or HTML. `moot schema conduct` prints the JSON
  Schema of the JSON report.
- The report lists the open questions that the calls touch, with the answer of the mock and the other allowed answers.
  Another deployment may give one of those. It does not say that the client relies on the answer.
- Pauses are measured in real time, from the last byte of a response to the head of the next call. The clock of the
  mock does not matter. Only a pause that is too short is a finding.
- A call on another connection within 250 ms after a response is excused, if the client has calls at the same time
  somewhere in the run, or several connections that it uses in turn: it may have sent the call before it read the
  response. So is a different call on the same connection within a second: it may have waited for the connection.
- A test that provokes an error once or twice breaks no rule. With the header `X-Moot-Expect: refused` a test marks
  a call that is wrong on purpose.
- `must`: the specification or a standard requires it, and a violation does damage. `should`: a violation causes
  trouble sooner or later. `hint`: an improvement.

`moot selftest --misbehave RULE` is a client that breaks one rule on purpose. With `none` it behaves well.
`examples/clients` has the same client as a separate program.

```
moot exec -- moot selftest --misbehave no-token
moot drill --progression on-read:1 -- moot selftest --misbehave none
```

`moot selftest --conduct` runs this client once for each rule: in a calm run, in a drill or in a special situation.
The broken rule must be found, and no other `must` rule. Then the client that behaves well runs in every drill, and
must have no finding. The command prints a table, and the rules that no run reveals, each with the reason.
Exit code 1: a broken rule was not found, or the client that behaves well has a finding. `--rule RULE` tests only this
rule, and is repeatable.
";

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for (occasion, head) in [
        (ConductOccasion::Traffic, "Judged in any calls"),
        (ConductOccasion::Drill, "Judged only after a disturbance"),
    ] {
        let rules = conduct::all().iter().filter(|rule| rule.seen == occasion);
        let _ = write!(page, "\n## {head}\n\n");
        page.push_str("| rule | severity | clause | a client | excused | instead |\n");
        page.push_str("|---|---|---|---|---|---|\n");
        for rule in rules {
            let excused = rule.excused.as_deref().unwrap_or_default();
            let cells = [&rule.clause(), &rule.sentence, excused, &rule.instead].map(cell);
            let [clause, sentence, excused, instead] = cells;
            let severity = rule.severity.as_str();
            let _ = writeln!(
                page,
                "| `{}` | {severity} | {clause} | {sentence} | {excused} | {instead} |",
                rule.id
            );
        }
    }
    page.push_str(
        "\n## Rules that may stay unseen\n\nA client that breaks one of these rules may have no finding, for the reason that is given here.\n\n",
    );
    for (rule, why) in not_shown() {
        let _ = writeln!(page, "- `{rule}`: {why}");
    }
    page
}

#[test]
fn the_page_of_conduct_is_up_to_date() {
    let page = page();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/conduct.md");
    if std::fs::read_to_string(&path).unwrap_or_default() != page {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conduct.md");
        std::fs::write(&new, page).expect("a written file");
        panic!("cp {} docs/reference/conduct.md", new.display());
    }
}
