//! A file server with TLS on loopback. The path of a request selects its behaviour.

use std::net::Ipv4Addr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::server::TlsStream;

/// The names in its certificate.
const NAMES: [&str; 2] = ["files.moot", "rebinds.moot"];
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// A file server, which ends when it is dropped.
pub(crate) struct FileServer {
    pub(crate) port: u16,
    /// Its certificate.
    pub(crate) pem: String,
    paths: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl FileServer {
    pub(crate) async fn start() -> Self {
        let made = rcgen::generate_simple_self_signed(NAMES.map(str::to_owned).to_vec());
        let made = made.expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        // Fails only if another test has installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("a sound certificate");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let port = listener.local_addr().expect("a bound address").port();
        let paths: Arc<Mutex<Vec<String>>> = Arc::default();
        let requested = paths.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, acceptor.clone(), requested.clone(), port));
            }
        });
        Self { port, pem: made.cert.pem(), paths, task }
    }

    /// The requested paths, in order.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.paths.lock().clone()
    }

    pub(crate) fn calls(&self) -> usize {
        self.paths.lock().len()
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    requested: Arc<Mutex<Vec<String>>>,
    port: u16,
) {
    // A client that does not trust the certificate disconnects.
    let Ok(mut stream) = acceptor.accept(stream).await else { return };
    let Some(path) = path(&mut stream).await else { return };
    requested.lock().push(path.clone());
    // A client may disconnect before it has read the whole response.
    let _ = stream.write_all(&answer(&path, port)).await;
    if path == "/silent.pdf" || path == "/stalls.pdf" {
        std::future::pending::<()>().await;
    }
    if path == "/dropped.pdf" {
        // Ends the connection without the closing message of TLS.
        return;
    }
    let _ = stream.shutdown().await;
}

async fn path(stream: &mut TlsStream<TcpStream>) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < HEAD_BYTES_MAX {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()?.split(' ').nth(1).map(str::to_owned)
}

fn answer(path: &str, port: u16) -> Vec<u8> {
    const PDF: &str = "Content-Type: application/pdf\r\n";
    let with_length = |headers: &str, body: &str| {
        let length = body.len();
        format!(
            "HTTP/1.1 200 OK\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        )
    };
    let unmeasured =
        |body: &str| format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{PDF}\r\n{body}");
    let redirect = |location: &str| {
        format!("HTTP/1.1 302 Found\r\nConnection: close\r\n{location}Content-Length: 0\r\n\r\n")
    };
    let to = |url: &str| redirect(&format!("Location: {url}\r\n"));
    let text = match path {
        "/a.pdf" | "/paper" => with_length(PDF, "fetched bytes"),
        "/full.pdf" => {
            with_length("Content-Type: application/octet-stream\r\n", &"x".repeat(1_000))
        }
        "/untold" => with_length("", "fetched bytes"),
        "/page.pdf" => with_length("Content-Type: text/html; charset=utf-8\r\n", "<p>sign in</p>"),
        "/large.pdf" => with_length(PDF, &"x".repeat(1_001)),
        "/endless.pdf" => unmeasured(&"x".repeat(1_000_000)),
        "/silent.pdf" => String::new(),
        "/dropped.pdf" => unmeasured("begun"),
        "/stalls.pdf" => unmeasured("begun"),
        "/moved.pdf" => to("/a.pdf"),
        "/loop.pdf" => to("/loop.pdf"),
        "/to-private.pdf" => to("https://10.0.0.1/a.pdf"),
        "/to-decimal.pdf" => to("https://2130706433/a.pdf"),
        "/to-http.pdf" => to("http://files.moot/a.pdf"),
        "/to-user.pdf" => to("https://me@files.moot/a.pdf"),
        "/to-example.pdf" => to("https://files.example/a.pdf"),
        "/to-inside.pdf" => to(&format!("https://inside.moot:{port}/a.pdf")),
        "/to-nothing.pdf" => redirect(""),
        _ => "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_owned(),
    };
    text.into_bytes()
}
