//! The client in JavaScript. It needs Node 18 or later, which has `fetch` and `FormData`.

use crate::support::{example, program};

const PROBE: &str = "if (!globalThis.fetch || !globalThis.FormData) process.exit(1)";

#[test]
fn the_javascript_client_behaves_well() {
    let node = program(&[&["node", "-e", PROBE], &["nodejs", "-e", PROBE]], "nodejs");
    example::check(node, "examples/javascript/client.mjs");
}
