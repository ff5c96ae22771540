//! The client in JavaScript. It needs Node 18 or later for `fetch` and `FormData`.

use crate::support::{example, moot, program, root};

const PROBE: &str = "if (!globalThis.fetch || !globalThis.FormData) process.exit(1)";

#[track_caller]
fn node() -> &'static str {
    program(&[&["node", "-e", PROBE], &["nodejs", "-e", PROBE]], "nodejs")
}

#[test]
fn a_client_with_fetch_is_ready() {
    example::check_ready(&[node(), "examples/clients/honest.mjs"]);
}

#[test]
fn the_javascript_client_behaves_well() {
    example::check(node(), "examples/javascript/client.mjs");
}

#[test]
fn each_test_has_a_sandbox() {
    let node = program(&[&["node", "-e", PROBE], &["nodejs", "-e", PROBE]], "nodejs");
    let file = "examples/node/sandbox.test.mjs";
    let output = moot(&["exec", "--", node, "--test", file], root());
    assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
    assert!(output.stderr.contains("in 2 sandboxes"), "{}", output.stderr);
}
