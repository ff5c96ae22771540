//! A mock whose control plane needs a token, as it does on addresses other than loopback.

use std::fs;
use std::path::Path;

use crate::command_support::{Ran, Running, message, run};

const TOKEN: &str = "admin-token-Kx83hZq1Vw7Lt5Rb";

fn judged(dir: &Path, base_url: &str, token: &str) -> Ran {
    let text = format!(
        "base_url: {base_url}
admin: {{ token: {token} }}
applications: {{ main: {{ client_id: demo-main, client_secret: demo-main-secret-Vr8Kq3Zt6Wm1Xc5B }} }}
"
    );
    fs::write(dir.join("target.yaml"), text).expect("writable");
    run(&["run", "--target", "target.yaml", "section:4.3", "--report", "json=-"], dir)
}

#[cfg(unix)]
#[test]
fn the_token_opens_the_control_plane_and_is_shown_nowhere() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("admin");
    fs::write(&file, TOKEN).expect("writable");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("it is ours");
    let path = file.display().to_string();
    let mock = Running::start(&["--format", "json", "--admin-token-file", &path]);
    let base_url = &mock.base_url();

    let ran = judged(dir.path(), base_url, TOKEN).ended(0);
    let report = ran.json();
    assert_eq!(report["target"]["class"], "moot mock");
    assert!(!ran.stdout.contains(TOKEN) && !ran.stderr.contains(TOKEN));

    let refused = judged(dir.path(), base_url, "admin-token-of-somebody-else").ended(4);
    let report = refused.json();
    let trouble = report["trouble"].as_str().expect("a text");
    insta::assert_snapshot!(message(trouble), @"`admin.token` of the target file cannot be used: the control plane responded to GET /health with 401: the control plane wants its token: `Authorization: Bearer …`");
    let said = refused.stdout + &refused.stderr;
    assert!(!said.contains("of-somebody-else"), "{said}");
}
