//! Curl lines: quoted for `sh`, with variables for secrets.

use bytes::Bytes;
use moot_harness::client::{BodyPiece, ClientBody, FormPart, curl};
use moot_harness::exchange::masks::Masks;

fn line(method: &str, url: &str, headers: &[(&str, &str)], body: &ClientBody) -> String {
    let headers: Vec<(String, String)> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let secrets = Masks::default();
    secrets.hide("s3cret&more", "MOOT_CLIENT_SECRET");
    secrets.hide("t0ken", "MOOT_TOKEN");
    curl::line(method, url, &headers, body, &secrets)
}

fn bytes(content_type: Option<&str>, text: &str) -> ClientBody {
    ClientBody::Bytes {
        content_type: content_type.map(str::to_owned),
        bytes: Bytes::from(text.to_owned()),
        declared_length: None,
    }
}

#[track_caller]
fn check(body: &ClientBody, expected: &str) {
    assert_eq!(line("POST", "http://a/b", &[], body), expected);
}

#[test]
fn a_get_is_short_and_its_token_a_variable() {
    let headers = [("authorization", "Bearer t0ken"), ("user-agent", "moot/1")];
    assert_eq!(
        line(
            "GET",
            "https://a.example/v1/requests?page=1&status=it's",
            &headers,
            &ClientBody::Empty
        ),
        "curl -sS -i 'https://a.example/v1/requests?page=1&status=it'\\''s' \
         -H 'authorization: Bearer '\"$MOOT_TOKEN\""
    );
}

#[test]
fn a_form_is_encoded_by_curl_so_that_variables_fit() {
    let form = "grant_type=client_credentials&client_secret=s3cret%26more&scope=read+write";
    check(
        &bytes(Some("application/x-www-form-urlencoded"), form),
        "curl -sS -i -X POST http://a/b -H 'content-type: application/x-www-form-urlencoded' \
         --data-urlencode grant_type=client_credentials \
         --data-urlencode client_secret=\"$MOOT_CLIENT_SECRET\" \
         --data-urlencode 'scope=read write'",
    );
}

#[test]
fn bodies_are_exact() {
    let json = r#"{"a":"$HOME `b` 'c'"}"#;
    check(
        &bytes(Some("application/json"), json),
        "curl -sS -i -X POST http://a/b -H 'content-type: application/json' \
         --data-raw '{\"a\":\"$HOME `b` '\\''c'\\''\"}'",
    );
    check(
        &bytes(None, "a\r\n%b\\'"),
        "printf 'a\\015\\012%%b\\\\\\047' | curl -sS -i -X POST http://a/b -H content-type: \
         --data-binary @-",
    );
}

#[test]
fn parts_are_forms() {
    let file = |name: &str, content| FormPart {
        file_name: Some(name.to_owned()),
        content_type: Some("application/pdf".to_owned()),
        content,
        ..FormPart::text("file", "")
    };
    let parts = vec![
        FormPart::text("name", "@me <x>"),
        FormPart::text("token", "t0ken"),
        file("a \"b\".pdf", BodyPiece::Bytes(Bytes::from_static(b"%PDF"))),
        file("big.bin", BodyPiece::Zeros(1_000)),
    ];
    check(
        &ClientBody::Multipart(parts),
        "head -c 1000 /dev/zero | curl -sS -i -X POST http://a/b --form-string 'name=@me <x>' \
         --form-string token=\"$MOOT_TOKEN\" -F 'file=@\"a \\\"b\\\".pdf\";type=application/pdf' \
         -F 'file=@-;filename=\"big.bin\";type=application/pdf'",
    );
}

#[test]
fn a_small_file_is_in_the_line_and_a_large_one_by_its_name() {
    let file = |length: usize| FormPart {
        file_name: Some("a.pdf".to_owned()),
        content_type: Some("application/pdf".to_owned()),
        content: BodyPiece::Bytes(Bytes::from(vec![0xff; length])),
        ..FormPart::text("file", "")
    };
    let one = |length| line("POST", "http://a/b", &[], &ClientBody::Multipart(vec![file(length)]));
    let piped = one(2_048);
    assert!(piped.starts_with("printf '\\377\\377"), "{piped}");
    assert!(piped.ends_with(
        " | curl -sS -i -X POST http://a/b -F 'file=@-;filename=\"a.pdf\";type=application/pdf'"
    ));
    let named = one(2_049);
    assert_eq!(named, "curl -sS -i -X POST http://a/b -F 'file=@\"a.pdf\";type=application/pdf'");
    // There is only one standard input.
    let two = line("POST", "http://a/b", &[], &ClientBody::Multipart(vec![file(1), file(1)]));
    assert_eq!((two.matches("@-").count(), two.matches("@\"a.pdf\"").count()), (1, 1), "{two}");
    // The shell decodes it to exactly these bytes.
    let bytes: Vec<u8> = (b'-'..=255).chain(0..b'-').collect();
    let content = BodyPiece::Bytes(Bytes::from(bytes.clone()));
    let body = ClientBody::Multipart(vec![FormPart { content, ..file(1) }]);
    let command = line("POST", "http://a/b", &[], &body);
    let made = command.split(" | curl").next().expect("there is a pipe");
    let output = std::process::Command::new("sh").args(["-c", made]).output().expect("a shell");
    assert_eq!(output.stdout, bytes);
}

#[test]
fn the_shell_reads_back_the_original_words() {
    let body = bytes(Some("text/plain"), "it's \"$x\" \\ `y` t0ken!\nä");
    let line = line("POST", "http://a/b c", &[("x-a", "*?~")], &body);
    let output = std::process::Command::new("sh")
        .args(["-c", &line.replacen("curl", "printf '<%s>'", 1)])
        .env("MOOT_TOKEN", "t0ken")
        .output()
        .expect("there is a shell");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "<-sS><-i><-X><POST><http://a/b c><-H><x-a: *?~><-H><content-type: text/plain>\
         <--data-raw><it's \"$x\" \\ `y` t0ken!\nä>"
    );
}
