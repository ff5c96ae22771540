//! The loss of a node during deliveries and uploads.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use moot_test_postgres::Cluster;
use serde_json::{Value, json};

use super::call::{NodeResponse, call};
use super::nodes::{Node, active, token};

/// The time limit for a delivery.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends a call with a JSON body, and returns the response.
#[track_caller]
fn json_call(host: &str, line: &str, token: &str, body: &Value) -> NodeResponse {
    let headers = format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let response = call(host, line, &headers, &body).expect("a response");
    assert!(response.status < 300, "{line}: {} {}", response.status, response.body);
    response
}

/// Accepts the next delivery. Returns its connection, which waits for a response, and its text.
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
fn an_interrupted_delivery_is_sent_again_by_the_next_node() {
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

    // The node is lost after the receiver has read the delivery and before it responds.
    let (unanswered, lost) = next_delivery(&receiver);
    assert!(lost.contains(&id), "{lost}");
    nodes[first].process.kill().expect("it runs");
    nodes[first].process.wait().expect("it ends");
    let next = active(&nodes, |at| at != first);
    let (mut stream, again) = next_delivery(&receiver);
    drop(unanswered);
    let body = |text: &str| text.rsplit("\r\n\r\n").next().map(str::to_owned);
    assert_eq!(body(&again), body(&lost), "the same delivery");
    let response = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    stream.write_all(response).expect("it waits");
    drop(stream);

    let host = &nodes[next].host;
    let query = json!({"state": "delivered", "legal_request_id": id, "timeout_seconds": 30});
    let told = json_call(host, "POST /__admin/deliveries/wait", &token, &query).json();
    let attempts = told["deliveries"][0]["attempts"].as_array().expect("attempts").clone();
    let [interrupted, delivered] = attempts.as_slice() else { panic!("two attempts: {told}") };
    assert!(interrupted["error"].is_string(), "{told}");
    assert_eq!(delivered["status"], 204, "{told}");

    // After the webhook was deleted through the new node, no delivery arrives.
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

/// The size of the interrupted upload in megabytes.
const UPLOAD_MEGABYTES: usize = 100;

#[test]
fn half_an_upload_is_not_stored_when_its_node_is_lost() {
    let cluster = Cluster::start();
    let url = cluster.url("uploads");
    let mut nodes: Vec<Node> = (0..2).map(|_| Node::start(&url)).collect();
    let first = active(&nodes, |_| true);
    let host = nodes[first].host.clone();
    let token = token(&host);
    let total = |host: &str| {
        let read = json_call(host, "GET /v1/repository_documents", &token, &Value::Null).json();
        read["pagination"]["total_count"].as_u64().expect("a number")
    };
    let before = total(&host);
    let begin = "--b0\r\nContent-Disposition: form-data; name=file; filename=half.pdf\r\n\r\n";
    let end = "\r\n--b0--\r\n";
    let megabyte = vec![b'x'; 1024 * 1024];
    let head = |host: &str| {
        let length = begin.len() + UPLOAD_MEGABYTES * megabyte.len() + end.len();
        format!(
            "POST /v1/repository_documents HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\nContent-Type: multipart/form-data; boundary=b0\r\n\
             Content-Length: {length}\r\n\r\n{begin}"
        )
    };
    let mut stream = TcpStream::connect(&host).expect("it listens");
    stream.write_all(head(&host).as_bytes()).expect("it reads");
    for _ in 0..UPLOAD_MEGABYTES / 2 {
        stream.write_all(&megabyte).expect("it reads");
    }
    nodes[first].process.kill().expect("it runs");
    nodes[first].process.wait().expect("it ends");
    let mut response = String::new();
    assert!(stream.read_to_string(&mut response).is_err() || response.is_empty(), "{response}");

    let next = active(&nodes, |at| at != first);
    let host = &nodes[next].host;
    assert_eq!(total(host), before, "half a document is stored");
    let mut stream = TcpStream::connect(host).expect("it listens");
    stream.write_all(head(host).as_bytes()).expect("it reads");
    for _ in 0..UPLOAD_MEGABYTES {
        stream.write_all(&megabyte).expect("it reads");
    }
    stream.write_all(end.as_bytes()).expect("it reads");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.read_to_string(&mut response).expect("a response");
    assert!(response.starts_with("HTTP/1.1 201"), "{response}");
    assert_eq!(total(host), before + 1);
}
