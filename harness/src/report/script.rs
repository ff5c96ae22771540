//! A shell script that sends the exchanges of a finding again, in order. It gets tokens by `moot token`, and the ids of
//! objects that it creates from their responses.

use std::collections::BTreeSet;

use serde_json::Value;

use super::exchange::ExchangeRow;
use crate::client::curl::shell_word;
use crate::client::token_label::TokenLabel;

/// The script, with the lines of `heading` as comments; `None` without an exchange. `target` is the target file or
/// address of the run, `decisive` the number of the exchange that was judged.
pub(super) fn render(
    heading: [&str; 2],
    target: &str,
    exchanges: &[&ExchangeRow],
    decisive: Option<u64>,
) -> Option<String> {
    if exchanges.is_empty() {
        return None;
    }
    let [scenario, message] = heading.map(comment);
    let mut out = format!(
        "#!/bin/sh\n# {scenario}\n# {message}\n# Sends its requests again, in order. Tokens come from `moot token`.\n"
    );
    out.push_str(&format!("TARGET=${{TARGET:-{}}}\n", shell_word(target)));
    let all: BTreeSet<String> = exchanges.iter().flat_map(|it| variables(&it.curl)).collect();
    for name in &all {
        match TokenLabel::parse(name) {
            Some(label) => out.push_str(&format!("{name}=$({}) || exit\n", token_command(&label))),
            None => {
                out.push_str(&format!(": \"${{{name}:?set it, it is a secret of the target}}\"\n"))
            }
        }
    }
    let mut made: Vec<(String, String)> = Vec::new();
    for (number, exchange) in exchanges.iter().enumerate().map(|(at, it)| (at + 1, it)) {
        let mark = if decisive == Some(exchange.number) { "  <- this one is judged" } else { "" };
        let response =
            exchange.status.map_or("no response".to_owned(), |status| status.to_string());
        let line = made
            .iter()
            .fold(exchange.curl.clone(), |line, (id, name)| with_variable(&line, id, name));
        let title =
            format!("{number}. {} {} (was {response}){mark}", exchange.method, exchange.url);
        out.push_str(&format!("\nprintf '\\n%s\\n' {}\n", shell_word(&title)));
        out.push_str(&format!("RESPONSE=$({line})\nprintf '%s\\n' \"$RESPONSE\"\n"));
        if let Some(id) = created_id(exchange) {
            let name = format!("ID{number}");
            out.push_str(&format!(
                "{name}=$(printf '%s' \"$RESPONSE\" | grep -o '\"id\" *: *\"[^\"]*\"' | head -n 1 | sed \
                 's/.*\"\\([^\"]*\\)\"$/\\1/')\n"
            ));
            made.push((id, name));
        }
    }
    Some(out)
}

/// `moot token --target "$TARGET" --as main --scope read` for `MOOT_TOKEN_MAIN_READ`.
fn token_command(label: &TokenLabel) -> String {
    let scopes = label.scopes.as_str().split_whitespace();
    let scopes: String = scopes.map(|scope| format!(" --scope {scope}")).collect();
    format!("moot token --target \"$TARGET\" --as {}{scopes}", label.role)
}

/// The shell variables in a curl line: `"$NAME"` outside single quotes.
fn variables(line: &str) -> Vec<String> {
    // An apostrophe inside single quotes is written as `'\''`, and does not end them.
    let line = line.replace(r"'\''", "");
    let unquoted = line.split('\'').step_by(2);
    let named = unquoted.flat_map(|part| part.split("\"$").skip(1));
    let named = named.filter_map(|rest| rest.split_once('"'));
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    named.map(|(name, _)| name.to_owned()).filter(|name| is_name(name)).collect()
}

/// The id of the object that the exchange created.
fn created_id(exchange: &ExchangeRow) -> Option<String> {
    let is_made = exchange.method == "POST" && matches!(exchange.status, Some(200..=299));
    let body: Value = serde_json::from_str(&exchange.response_body).ok().filter(|_| is_made)?;
    let id = body.pointer("/data/id").or_else(|| body.get("id"))?.as_str()?;
    let is_plain = id.len() >= 4
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    is_plain.then(|| id.to_owned())
}

/// Replaces an id in a line by a variable, inside single quotes and outside.
fn with_variable(line: &str, id: &str, name: &str) -> String {
    let (mut out, mut rest, mut is_quoted) = (String::new(), line, false);
    while let Some(at) = rest.find(id) {
        let before = &rest[..at];
        // An apostrophe inside single quotes is written as `'\''`, and does not end them.
        is_quoted ^= before.replace(r"'\''", "").matches('\'').count() % 2 == 1;
        out.push_str(before);
        out.push_str(&if is_quoted { format!("'\"${name}\"'") } else { format!("\"${name}\"") });
        rest = &rest[at + id.len()..];
    }
    out + rest
}

/// The text on one line. It may quote a server, and a line end would begin a command.
fn comment(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::{render, token_command, variables, with_variable};
    use crate::client::token_label::TokenLabel;
    use crate::report::exchange::ExchangeRow;

    fn row(number: u64, method: &str, url: &str, body: &str, curl: &str) -> ExchangeRow {
        ExchangeRow {
            number,
            method: method.to_owned(),
            url: url.to_owned(),
            request_headers: Vec::new(),
            request_body: String::new(),
            status: Some(200),
            trouble: None,
            response_headers: Vec::new(),
            response_body: body.to_owned(),
            duration_ms: 1.0,
            curl: curl.to_owned(),
        }
    }

    #[test]
    fn a_token_is_asked_for_as_its_label_says() {
        for (label, expected) in [
            ("MOOT_TOKEN_OTHER_COMPANY", "--as other_company"),
            ("MOOT_TOKEN_MAIN_READ_WRITE", "--as main --scope read --scope write"),
        ] {
            let label = TokenLabel::parse(label).expect("a label");
            assert_eq!(
                token_command(&label),
                format!("moot token --target \"$TARGET\" {expected}")
            );
        }
    }

    #[test]
    fn a_variable_in_a_quoted_body_is_text() {
        let token = r#"-H 'authorization: Bearer '"$MOOT_TOKEN_MAIN""#;
        let body = r#"--data-raw '{"name": "$PRICE", "by": "O'\''Neil", "of": "$COST"}'"#;
        assert_eq!(variables(&format!("curl {token} {body}")), ["MOOT_TOKEN_MAIN"]);
    }

    #[test]
    fn an_id_becomes_a_variable_whether_quoted_or_not() {
        assert_eq!(
            with_variable("curl http://a/Ab12/x", "Ab12", "ID1"),
            "curl http://a/\"$ID1\"/x"
        );
        assert_eq!(
            with_variable("curl 'http://a/Ab12?x' Ab12", "Ab12", "ID1"),
            "curl 'http://a/'\"$ID1\"'?x' \"$ID1\""
        );
    }

    #[test]
    fn an_apostrophe_in_quotes_does_not_end_them() {
        let line = r"curl -d 'O'\''Brien Ab12'";
        assert_eq!(with_variable(line, "Ab12", "ID1"), r#"curl -d 'O'\''Brien '"$ID1"''"#);
    }

    #[test]
    fn a_text_of_a_server_begins_no_command() {
        let heading = ["04_14/x[a\ntouch owned]", "It is\r\ntouch owned"];
        let read = row(1, "GET", "http://a/\ntouch owned", "{}", "curl http://a");
        let script = render(heading, "staging.yaml", &[&read], None).expect("it has an exchange");
        let commands: Vec<&str> = script.lines().filter(|it| it.starts_with("touch")).collect();
        assert_eq!(commands, ["touch owned (was 200)'"], "only inside of the quotes of a printf");
    }

    #[test]
    fn a_script_sends_in_order_and_follows_what_it_creates() {
        let token = "-H 'authorization: Bearer '\"$MOOT_TOKEN_MAIN\"";
        let made = row(
            7,
            "POST",
            "http://a/v1/webhooks",
            "{\"data\": {\"id\": \"Ab12Cd34\"}}",
            &format!("curl -sS -i -X POST http://a/v1/webhooks {token}"),
        );
        let read = row(
            9,
            "GET",
            "http://a/v1/webhooks/Ab12Cd34",
            "{}",
            &format!("curl -sS -i http://a/v1/webhooks/Ab12Cd34 {token}"),
        );
        let heading = ["04_14/x", "It's lost"];
        let script =
            render(heading, "staging.yaml", &[&made, &read], Some(9)).expect("it has exchanges");
        let lines: Vec<&str> = script.lines().collect();
        assert_eq!(lines[0], "#!/bin/sh");
        assert_eq!(lines[4], "TARGET=${TARGET:-staging.yaml}");
        let token = "MOOT_TOKEN_MAIN=$(moot token --target \"$TARGET\" --as main) || exit";
        assert_eq!(lines[5], token);
        let sent: Vec<&&str> = lines.iter().filter(|line| line.starts_with("RESPONSE=")).collect();
        assert_eq!(sent.len(), 2);
        assert!(sent[1].contains("http://a/v1/webhooks/\"$ID1\""), "{}", sent[1]);
        let judged: Vec<&&str> = lines.iter().filter(|line| line.contains("<- this one")).collect();
        assert!(judged.len() == 1 && judged[0].contains("2. GET"), "{judged:?}");
        assert_eq!(render(heading, "staging.yaml", &[], Some(9)), None);
    }
}
