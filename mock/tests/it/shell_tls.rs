//! TLS: a client that trusts the certificate gets a response, and a failed handshake delays no other
//! client.

use std::fs;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use moot_mock::shell::{ServeLimits, Tls, TlsError, serve};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::shell_support::{BASE, client, site_with_token};

/// A folder with a certificate for `localhost` and its key.
struct Proof {
    folder: TempDir,
    pem: String,
}

impl Proof {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]);
        let made = made.expect("a certificate");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pem = made.cert.pem();
        fs::write(folder.path().join("cert.pem"), &pem).expect("a written file");
        let key = made.signing_key.serialize_pem();
        fs::write(folder.path().join("key.pem"), key).expect("a written file");
        Self { folder, pem }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self) -> Result<Tls, TlsError> {
        Tls::read(&self.path("cert.pem"), &self.path("key.pem"))
    }
}

#[tokio::test]
async fn a_client_that_trusts_the_certificate_is_answered() {
    let proof = Proof::new();
    let (site, token) = site_with_token().await;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    let address = listener.local_addr().expect("a bound address");
    let (stop, stopped) = oneshot::channel::<()>();
    let tls = proof.read().unwrap_or_else(|error| panic!("{error}"));
    let (limits, served_tls) = (ServeLimits::default(), Some(tls.clone()));
    let ending = Box::pin(async {
        let _ = stopped.await;
    });
    let server = tokio::spawn(serve(listener, site, limits, served_tls, ending));
    // One client never starts its handshake, and one speaks plain http.
    let _silent = TcpStream::connect(address).await.expect("it listens");
    let mut plain = TcpStream::connect(address).await.expect("it listens");
    plain.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("it is sent");
    let root = reqwest::Certificate::from_pem(proof.pem.as_bytes()).expect("a certificate");
    let client =
        client().resolve("localhost", address).tls_certs_only([root]).build().expect("a client");
    let url = format!("https://localhost:{}{BASE}/v1/workflows", address.port());
    let response = client.get(url).bearer_auth(token).send().await.expect("a response");
    assert_eq!(response.status(), 200);
    let text = response.text().await.expect("a body");
    assert!(text.contains("wfMutualNda1"), "{text}");
    drop((client, plain, _silent));
    stop.send(()).expect("it runs");
    server.await.expect("it ends by itself");
    assert_eq!(tls.connections(), 3, "also the two without a handshake");
}

#[test]
fn files_that_prove_nothing_are_named() {
    let (proof, other) = (Proof::new(), Proof::new());
    let refusal = |cert: PathBuf, key: PathBuf| match Tls::read(&cert, &key) {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.to_string(),
    };
    let (cert, key) = (proof.path("cert.pem"), proof.path("key.pem"));
    assert!(
        refusal(key.clone(), key.clone()).contains("key.pem` cannot be read as PEM certificates")
    );
    assert!(
        refusal(cert.clone(), cert.clone())
            .contains("cert.pem` cannot be read as a PEM private key")
    );
    assert!(
        refusal(proof.path("none.pem"), key.clone()).contains("none.pem` cannot be read as PEM")
    );
    assert!(refusal(cert, other.path("key.pem")).contains("cannot be used"));
}
