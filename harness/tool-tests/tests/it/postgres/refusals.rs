//! The messages of `moot mock` about a database that it can't use, and about a standby.

use std::process::Command;

use moot_test_postgres::{CAREFUL_USER, Cluster, PASSWORD};
use serde_json::json;

use super::call::{call, documents};
use super::nodes::{Node, active, health_when};
use crate::support;

/// Exit code and message of a mock that does not start.
fn refused(url: &str, variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = Command::new(support::binary());
    command.args(["mock", "--listen", "127.0.0.1:0", "--state", url]);
    command.env_remove("PGPASSWORD").env_remove("MOOT_STATE_PASSWORD_FILE");
    let output = command.envs(variables.iter().copied()).output().expect("moot runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn an_unusable_database_is_named_with_a_remedy() {
    let cluster = Cluster::start();
    let (good, port) = (cluster.url("mocks"), cluster.port());
    cluster.sql("postgres", "create user crowded connection limit 0; create user guest");
    cluster.sql("mocks", "revoke create on schema public from public");
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let closed = free.local_addr().expect("an address").port();
    drop(free);
    let careful = format!("postgres://{CAREFUL_USER}@127.0.0.1:{port}/mocks");
    let crowded = format!("postgres://crowded@127.0.0.1:{port}/mocks");
    let guest = format!("postgres://guest@127.0.0.1:{port}/mocks");
    let nowhere = format!("postgres://moot@127.0.0.1:{port}/nowhere");
    let refusing = format!("postgres://moot@127.0.0.1:{closed}/mocks");
    let plain = format!("postgres://moot@localhost:{port}/mocks?sslmode=verify-full");
    for (url, variables, words) in [
        (careful.as_str(), &[("PGPASSWORD", "wrong")][..], ["password", "PGPASSWORD"]),
        (&careful, &[], ["password", "PGPASSWORD"]),
        (&crowded, &[], ["too many connections", "max_connections"]),
        (&guest, &[], ["permission denied", "grant create on schema public"]),
        (&nowhere, &[], ["\"nowhere\" does not exist", "createdb"]),
        (&refusing, &[], ["refused", "check host, port"]),
        (&plain, &[], ["TLS", "sslrootcert"]),
        ("postgres://moot:pw@127.0.0.1/mocks", &[], ["it has a password", "PGPASSWORD"]),
        (
            "postgres://moot@db.example/mocks?sslmode=disable",
            &[],
            ["sslmode=disable", "verify-full"],
        ),
    ] {
        let (code, said) = refused(url, variables);
        assert_eq!(code, Some(2), "{url}: {said}");
        for word in words {
            assert!(said.contains(word), "{url}: `{word}` is not in: {said}");
        }
        assert!(!said.contains("wrong\"") && !said.contains("pw@"), "{said}");
    }
    // The tables of a newer version.
    drop(Node::start(&good));
    cluster.sql("mocks", "update moot_schema set version = 99");
    let (code, said) = refused(&good, &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("version 99") && said.contains("newer"), "{said}");
}

#[test]
fn the_certificate_and_the_name_of_a_database_with_tls_are_verified() {
    let cluster = Cluster::start();
    let url = cluster.url("mocks").replace("127.0.0.1", "localhost");
    let made = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a key");
    let (own, other) = (made(), made());
    cluster.secure(&own.cert.pem(), &own.signing_key.serialize_pem());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = |name: &str, pem: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, pem).expect("it can be written");
        format!("?sslmode=verify-full&sslrootcert={}", path.display())
    };
    let (right, wrong) = (root("right.pem", own.cert.pem()), root("wrong.pem", other.cert.pem()));
    let (code, said) = refused(&format!("{url}{wrong}"), &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("certificate") && said.contains("sslrootcert"), "{said}");
    let (code, said) = refused(&format!("{url}{right}").replace("localhost", "127.0.0.1"), &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("certificate"), "{said}");

    // `Node::start` adds options of its own.
    let node = Node::start_with(&format!("{url}{right}&"), "127.0.0.1:0");
    active(std::slice::from_ref(&node), |_| true);
    let query = "select count(*), count(*) filter (where ssl) from pg_stat_ssl \
                 join pg_stat_activity using (pid) where application_name like 'moot/%'";
    let counted = cluster.sql("mocks", query);
    let (all, encrypted) = counted.trim().split_once('|').expect("two numbers");
    assert_eq!(all, encrypted, "connections without TLS");
    assert_ne!(all, "0");
}

#[test]
fn a_password_may_come_from_a_file() {
    let cluster = Cluster::start();
    cluster.url("mocks");
    cluster.sql("mocks", &format!("grant all on schema public to {CAREFUL_USER}"));
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), format!("{PASSWORD}\n")).expect("it can be written");
    let url = format!("postgres://{CAREFUL_USER}@127.0.0.1:{}/mocks?lease=2", cluster.port());
    let mut command = Command::new(support::binary());
    command.args(["mock", "--listen", "127.0.0.1:0", "--format", "json", "--state", &url]);
    command.env("MOOT_STATE_PASSWORD_FILE", file.path());
    let mut process = command.stdout(std::process::Stdio::piped()).spawn().expect("moot runs");
    let mut line = String::new();
    let out = process.stdout.take().expect("a pipe");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("a line");
    process.kill().expect("it runs");
    process.wait().expect("it ends");
    assert!(line.contains("\"ready\":true"), "{line}");
    assert!(!line.contains(PASSWORD));
}

#[test]
fn a_standby_names_the_active_node_and_has_the_same_credentials() {
    let cluster = Cluster::start();
    let url = cluster.url("mocks");
    let nodes = [Node::start(&url), Node::start(&url)];
    assert_eq!(nodes[0].ready["applications"], nodes[1].ready["applications"]);
    assert_eq!(nodes[0].ready["seed"], nodes[1].ready["seed"]);
    let at = active(&nodes, |_| true);
    let (active, standby) = (&nodes[at], &nodes[1 - at]);
    let (status, health) = active.health();
    assert_eq!((status, &health["state"], &health["moot"]), (200, &json!("active"), &json!(true)));
    let health = health_when(standby, |status, health| {
        status == 503 && health["state"] == "standby" && health["active"] == active.host
    });
    assert_eq!(health["history_lost"], json!(null));
    let refused = documents(&standby.host, "any", 1).expect("a response");
    assert_eq!(refused.status, 503);
    assert!(refused.head.to_ascii_lowercase().contains("retry-after: 1"), "{}", refused.head);
    let problem = refused.json();
    assert_eq!((&problem["type"], &problem["active"]), (&json!("not_active"), &json!(active.host)));
    assert_eq!(problem["instance"], "/v1/repository_documents");
    let alive = call(&standby.host, "GET /health", "", "").expect("a response");
    assert_eq!((alive.status, alive.body.as_str()), (200, "ok"), "a standby is healthy");
}
