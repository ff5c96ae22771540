//! `moot mock` prints its address when it listens, serves requests, and stops on a signal.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::command_support::{Running, call_json, demo_token, folder_of, message, moot, run};

/// The status line of the response to a GET.
fn get(base_url: &str, path: &str) -> String {
    let address = base_url.strip_prefix("http://").expect("plain http");
    let (host, base_path) = address.split_once('/').unwrap_or((address, ""));
    let mut stream = TcpStream::connect(host).expect("it listens");
    let prefix = if base_path.is_empty() { String::new() } else { format!("/{base_path}") };
    write!(stream, "GET {prefix}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
        .expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("it answers");
    response.lines().next().unwrap_or_default().to_owned()
}

#[track_caller]
fn check(signal: &str) {
    let running = Running::start(&["--format", "json", "--seed", "42"]);
    let ready = running.ready();
    assert_eq!((&ready["ready"], &ready["seed"]), (&Value::from(true), &Value::from(42)));
    assert!(ready["applications"].as_array().is_some_and(|list| !list.is_empty()));
    let base_url = &running.base_url();
    assert_eq!(get(base_url, "/v1/workflows"), "HTTP/1.1 401 Unauthorized");
    assert_eq!(get(base_url, "/__admin/health"), "HTTP/1.1 200 OK");
    let (code, rest) = running.stop(signal);
    assert_eq!((code, rest.as_str()), (Some(0), ""), "one line is all");
}

#[test]
fn it_stops_on_sigterm_and_on_sigint() {
    check("-TERM");
    check("-INT");
}

#[test]
fn verbose_prints_a_line_for_each_call() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let said = fs::File::create(dir.path().join("stderr")).expect("writable");
    let mut command =
        moot(&["mock", "--port", "0", "--format", "json", "--seed", "42", "-v"], dir.path());
    command.stderr(said);
    let running = Running::of(command);
    let base_url = &running.base_url();
    assert_eq!(get(base_url, "/v1/workflows?page=1"), "HTTP/1.1 401 Unauthorized");
    assert_eq!(get(base_url, "/nowhere"), "HTTP/1.1 404 Not Found");
    let host = running.host();
    let token = &demo_token(&host, "");
    assert_eq!(call_json(&host, "GET /v1/webhooks", token, "").0, 200);
    running.stop("-TERM");
    let said = fs::read_to_string(dir.path().join("stderr")).expect("it is text");
    let lines: Vec<&str> = said.lines().collect();
    // The control plane is not the service.
    let expected: [&[&str]; 3] = [
        &["GET", "/v1/workflows?page=1", "401", "token", "list_workflows", "ms"],
        &["GET", "/nowhere", "404", "route", "ms"],
        &["GET", "/v1/webhooks", "demo-main", "200", "served", "list_webhooks", "ms"],
    ];
    assert_eq!(lines.len(), expected.len(), "{said}");
    for (line, parts) in lines.iter().zip(expected) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(parts.iter().all(|part| words.contains(part)), "{line}: {parts:?}");
    }
    assert!(!said.contains(token), "no secret: {said}");
}

#[test]
fn a_port_alone_is_one_of_this_machine() {
    for words in [["--listen", "localhost:0"], ["--listen", "0"], ["--port", "0"]] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let running = Running::of(moot(&[&["mock"], &words[..]].concat(), dir.path()));
        let first = message(&running.first_line);
        assert_eq!(first, "moot mock is ready at http://127.0.0.1:PORT\n", "{words:?}");
        running.stop("-TERM");
    }
}

#[test]
fn the_output_has_the_credentials_and_a_line_to_paste() {
    let running = Running::start(&["--seed", "42", "--clock", "frozen:2026-01-01T00:00:00Z"]);
    let first = running.first_line.clone();
    let (code, rest) = running.stop("-TERM");
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(message(&(first + &rest)), @r"
    moot mock is ready at http://127.0.0.1:PORT

      token          http://127.0.0.1:PORT/oauth/token
      control plane  http://127.0.0.1:PORT/__admin
      console        http://127.0.0.1:PORT/__admin/console/
      world          demo, answers default
      clock          frozen at 2026-01-01T00:00:00Z, progression manual
      rate limit     enforce
      seed           42

      client_id     client_secret                         scopes      company
      demo-main     demo-main-secret-Vr8Kq3Zt6Wm1Xc5B     read write  Northwind Example Ltd
      demo-reader   demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T   read        Northwind Example Ltd
      demo-writer   demo-writer-secret-Cb6Rx1Qe8Ma3Vk5N   write       Northwind Example Ltd
      other-main    other-main-secret-Ws4Jn7Ub2Ty9Ep6D    read write  Harbour Sample GmbH
      other-reader  other-reader-secret-Zk1Mf5Ox8Gv3Ri0A  read        Harbour Sample GmbH

      users, for requester_email                                       company
      einkauf@harbour.example, recht@harbour.example                   Harbour Sample GmbH
      requester@northwind.example, legal@northwind.example and 2 more  Northwind Example Ltd

      published workflow  type         name                      company
      wfMutualNda1        generated    Mutual NDA                Northwind Example Ltd
      wfConsulting2       generated    Consulting agreement      Northwind Example Ltd
      wfThirdParty3       third_party  Third-party paper         Northwind Example Ltd
      wfSupplier4         third_party  Supplier contract review  Northwind Example Ltd
      wfLieferant6        generated    Lieferantenvertrag        Harbour Sample GmbH
      wfFremd7            third_party  Fremdvertrag              Harbour Sample GmbH

    A token, to paste:
      curl -s http://127.0.0.1:PORT/oauth/token -d grant_type=client_credentials -d client_id=demo-main \
        -d client_secret=demo-main-secret-Vr8Kq3Zt6Wm1Xc5B -d 'scope=read write'

    Ctrl-C stops it
    ");
}

#[test]
fn the_public_address_is_served_below_its_path() {
    let running = Running::start(&["--format", "json", "--public-url", "http://lrs.example/api/"]);
    let ready = running.ready();
    assert_eq!(ready["base_url"], "http://lrs.example/api");
    assert_eq!(ready["token_url"], "http://lrs.example/api/oauth/token");
    running.stop("-TERM");
}

#[test]
fn tls_needs_two_valid_files() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let messages = ["cert.pem", "cert.pem,key.pem"].map(|files| {
        let ran = run(&["mock", "--listen", "127.0.0.1:0", "--tls", files], dir.path());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        message(&ran.stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: --tls takes two files: CERT,KEY
    error: --tls: `cert.pem` cannot be read as PEM certificates: I/O error: No such file or directory (os error N)
    ");
}

#[test]
fn with_a_public_address_the_real_one_is_printed_too() {
    let words = ["--public-url", "http://lrs.example/api"];
    let running = Running::start(&[&words[..], &["--format", "json"]].concat());
    let ready = running.ready();
    let listen = ready["listen"].as_str().expect("an address").to_owned();
    assert_eq!(get(&format!("http://{listen}/api"), "/v1/workflows"), "HTTP/1.1 401 Unauthorized");
    running.stop("-TERM");
    let running = Running::start(&words);
    assert_eq!(running.first_line, "moot mock is ready at http://lrs.example/api\n");
    let (_, rest) = running.stop("-TERM");
    let listens: Vec<&str> = rest.lines().filter(|line| line.contains("127.0.0.1:")).collect();
    insta::assert_snapshot!(message(&listens.join("\n")), @"  listens on     127.0.0.1:PORT");
}

#[test]
fn it_listens_on_a_name_too() {
    let running = Running::start_at("localhost:0", "mock", &["--format", "json"]);
    let base_url = &running.base_url();
    assert_eq!(get(base_url, "/v1/workflows"), "HTTP/1.1 401 Unauthorized");
    running.stop("-TERM");
}

/// The body of the response to a call of the control plane. It has the token that is needed outside loopback.
fn admin(host: &str, line: &str, body: &str) -> Value {
    call_json(host, line, "t0p-of-a-test", body).1
}

#[test]
fn it_says_whether_it_fetches() {
    for (words, fetches) in [(vec![], false), (vec!["--fetch"], true)] {
        let words = [vec!["--format", "json"], words].concat();
        let running = Running::start(&words);
        let health = admin(&running.host(), "GET /__admin/health", "");
        assert_eq!(health["fetches"], Value::from(fetches), "{health}");
        running.stop("-TERM");
    }
}

/// The mock listens on every address of this machine, and its receiver only on loopback.
#[test]
fn beyond_loopback_a_receiver_on_loopback_is_reached_only_if_that_is_allowed() {
    let receiver = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/", receiver.local_addr().expect("a bound address"));
    drop(receiver);
    let dir = folder_of(&[("token", "t0p-of-a-test")]);
    let token = dir.path().join("token");
    let token = token.to_str().expect("a path that is text");
    let results = [vec![], vec!["--private-receivers"]].map(|words| {
        let common = vec!["--format", "json", "--admin-token-file", token, "--clock", "frozen"];
        let running = Running::start_at("0.0.0.0:0", "mock", &[common, words].concat());
        let host = &running.host();
        let id = webhook_and_request(host, &url);
        let line = format!("POST /__admin/legal_requests/{id}/status");
        admin(host, &line, r#"{"status":"signed","force":true}"#);
        admin(host, "POST /__admin/deliveries/settle", "");
        let outbox = admin(host, "GET /__admin/deliveries", "");
        running.stop("-TERM");
        let last = outbox["deliveries"].as_array().and_then(|all| all.last()).cloned();
        message(&last.unwrap_or_default()["attempts"][0]["error"].to_string())
    });
    insta::assert_snapshot!(results.join("\n"), @r#"
    "127.0.0.1 is not a public address"
    "Connection refused (os error N)"
    "#);
}

/// Registers a webhook, and returns the id of an open legal request.
fn webhook_and_request(host: &str, url: &str) -> String {
    let minted = admin(host, "POST /__admin/tokens", r#"{"client_id":"demo-main"}"#);
    let token = minted["access_token"].as_str().expect("a token");
    let hook = format!(r#"{{"name":"Test","url":"{url}"}}"#);
    call_json(host, "POST /v1/webhooks", token, &hook);
    let (_, list) = call_json(host, "GET /v1/requests?status=draft", token, "");
    list["data"][0]["id"].as_str().expect("a draft").to_owned()
}

#[test]
fn the_answers_of_a_receiver_count_after_its_webhook_was_deleted() {
    let receiver = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/", receiver.local_addr().expect("a bound address"));
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = receiver.accept().expect("a delivery");
        let mut head = [0; 4096];
        std::io::Read::read(&mut stream, &mut head).expect("its head");
        let response =
            b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        std::io::Write::write_all(&mut stream, response).expect("an answer");
    });
    let running = Running::start(&["--format", "json", "--clock", "frozen"]);
    let host = &running.host();
    let id = webhook_and_request(host, &url);
    let line = format!("POST /__admin/legal_requests/{id}/status");
    admin(host, &line, r#"{"status":"signed","force":true}"#);
    admin(host, "POST /__admin/deliveries/settle", "");
    answering.join().expect("it answered");
    let token = &demo_token(host, "");
    let (_, hooks) = call_json(host, "GET /v1/webhooks", token, "");
    let hook = hooks["data"][0]["id"].as_str().expect("the newest webhook").to_owned();
    let rules = || {
        let found = admin(host, "GET /__admin/findings", "");
        let found = found["findings"].as_array().cloned().unwrap_or_default();
        found
            .iter()
            .map(|it| it["rule"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let redirects = "hook-redirects".to_owned();
    assert!(rules().contains(&redirects), "{:?}", rules());
    assert_eq!(call_json(host, &format!("DELETE /v1/webhooks/{hook}"), token, "").0, 204);
    assert!(rules().contains(&redirects), "{:?}", rules());
    running.stop("-TERM");
}

#[test]
fn a_container_asks_whether_a_mock_is_healthy() {
    let running = Running::start(&["--format", "json", "--seed", "42"]);
    let base_url = running.base_url();
    let dir = tempfile::tempdir().expect("a temporary folder");
    for url in [base_url.clone(), format!("{base_url}/health")] {
        let ran = run(&["mock", "--healthcheck", &url], dir.path());
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    }
    run(&["mock", "--healthcheck", &base_url, "--format", "json", "-q"], dir.path()).ended(0);
    for other in [["--port", "0"], ["--seed", "1"], ["--progression", "manual"]] {
        let words = [&["mock", "--healthcheck", &base_url], &other[..]].concat();
        run(&words, dir.path()).ended(2);
    }
    running.stop("-TERM");
    let messages = [base_url.as_str(), "nowhere"].map(|url| {
        let ran = run(&["mock", "--healthcheck", url], dir.path()).ended(1);
        message(&ran.stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: http://127.0.0.1:PORT is not healthy: Connection refused (os error N)
    help: is a mock running there?
    error: --healthcheck: `nowhere` is not a base address; write it like `http://127.0.0.1:PORT`
    ");
}
