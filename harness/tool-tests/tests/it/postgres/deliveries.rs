//! Deliveries when the node that sends them is lost.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use moot_test_postgres::Cluster;
use serde_json::{Value, json};

use super::call::{Answer, call};
use super::nodes::{Node, active, token};

/// Time until a delivery must arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// A call with a JSON body, and its answer.
#[track_caller]
fn json_call(host: &str, line: &str, token: &str, body: &Value) -> Answer {
    let headers = format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let answer = call(host, line, &headers, &body).expect("an answer");
    assert!(answer.status < 300, "{line}: {} {}", answer.status, answer.body);
    answer
}

/// Takes the next delivery: its connection, which waits for an answer, and its text.
fn next_delivery(receiver: &TcpListener) -> (TcpStream, String) {
    let (mut stream, _) = receiver.accept().expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let mut text = String::new();
    let mut buffer = [0; 4096];
    // The payload ends with the brackets of `data` and of the whole.
    while !text.ends_with("}}") {
        let count = stream.read(&mut buffer).expect("the delivery");
        assert!(count > 0, "the delivery broke off: {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
    (stream, text)
}

#[test]
fn a_delivery_under_way_is_sent_again_by_the_next_node_and_says_so() {
    let cluster = Cluster::start();
    let url = cluster.url("deliveries");
    let mut nodes: Vec<Node> = (0..2).map(|_| Node::start(&url)).collect();
    let first = active(&nodes, |_| true);
    let host = nodes[first].host.clone();
    let token = token(&host);
    let receiver = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/hook", receiver.local_addr().expect("an address"));
    let webhook = json!({ "name": "Takeover", "url": address });
    json_call(&host, "POST /v1/webhooks", &token, &webhook);
    let requests = json_call(&host, "GET /v1/requests?status=draft", &token, &Value::Null).json();
    let id = requests["data"][0]["id"].as_str().expect("a draft").to_owned();
    let line = format!("POST /__admin/legal_requests/{id}/status");
    json_call(&host, &line, &token, &json!({"status": "signed", "force": true}));

    // The receiver has it and has not answered when the node is lost.
    let (unanswered, lost) = next_delivery(&receiver);
    assert!(lost.contains(&id), "{lost}");
    nodes[first].process.kill().expect("it runs");
    nodes[first].process.wait().expect("it ends");
    let next = active(&nodes, |at| at != first);
    let (mut stream, again) = next_delivery(&receiver);
    drop(unanswered);
    let body = |text: &str| text.rsplit("\r\n\r\n").next().map(str::to_owned);
    assert_eq!(body(&again), body(&lost), "the same delivery");
    let answer = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    stream.write_all(answer).expect("it waits");
    drop(stream);

    let host = &nodes[next].host;
    let query = json!({"state": "delivered", "legal_request_id": id, "timeout_seconds": 30});
    let told = json_call(host, "POST /__admin/deliveries/wait", &token, &query).json();
    let attempts = told["deliveries"][0]["attempts"].as_array().expect("attempts").clone();
    let [interrupted, delivered] = attempts.as_slice() else { panic!("two attempts: {told}") };
    assert!(interrupted["error"].is_string(), "{told}");
    assert_eq!(delivered["status"], 204, "{told}");

    // Nothing comes after the webhook was deleted, through the new node.
    let webhooks = json_call(host, "GET /v1/webhooks", &token, &Value::Null).json();
    let own = webhooks["data"].as_array().expect("a list").iter();
    let own = own.filter(|it| it["attributes"]["url"] == address.as_str());
    for webhook in own {
        let id = webhook["id"].as_str().expect("an id");
        json_call(host, &format!("DELETE /v1/webhooks/{id}"), &token, &Value::Null);
    }
    let line = format!("POST /__admin/legal_requests/{id}/status");
    json_call(host, &line, &token, &json!({"status": "changes_proposed", "force": true}));
    json_call(host, &line, &token, &json!({"status": "signed", "force": true}));
    json_call(host, "POST /__admin/deliveries/settle", &token, &Value::Null);
    receiver.set_nonblocking(true).expect("a setting");
    assert!(receiver.accept().is_err(), "a delivery to a deleted webhook");
}
