//! The reference for the mock in `bench/run`: hyper that sends fixed bytes.
//!
//! `bare_hyper PORT FOLDER`: the folder has `list.json`, `one.json`, `token.json`, `create.json`. A body posted
//! to `/upload` is written to a temporary file.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// The path whose bodies are written to a file.
const UPLOAD: &str = "/upload";

/// An error ends the connection, and the load counts it.
type Failure = Box<dyn Error + Send + Sync>;

/// The bodies of the four calls.
#[derive(Clone)]
struct Bodies {
    list: Bytes,
    one: Bytes,
    token: Bytes,
    create: Bytes,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, folder] = arguments.as_slice() else {
        return Err("usage: bare_hyper PORT FOLDER".into());
    };
    let folder = Path::new(folder);
    let read = |name: &str| std::fs::read(folder.join(name)).map(Bytes::from);
    let bodies = Bodies {
        list: read("list.json")?,
        one: read("one.json")?,
        token: read("token.json")?,
        create: read("create.json")?,
    };
    let listener = TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let bodies = bodies.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(bodies.clone(), request));
            // An error of a connection is the client's.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(
    bodies: Bodies,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Failure> {
    let (status, body) = match (request.method() == Method::POST, request.uri().path()) {
        (false, "/v1/requests") => (StatusCode::OK, bodies.list),
        (false, _) => (StatusCode::OK, bodies.one),
        (true, "/oauth/token") => (StatusCode::OK, bodies.token),
        (true, _) => (StatusCode::CREATED, bodies.create),
    };
    if request.uri().path() == UPLOAD {
        written(request.into_body()).await?;
    } else if request.method() == Method::POST {
        // Reads and drops the body of the request, as any server must.
        let _ = request.into_body().collect().await;
    }
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

/// Writes a body to a temporary file as it arrives.
async fn written(mut body: Incoming) -> Result<(), Failure> {
    let mut file = tempfile::tempfile()?;
    while let Some(frame) = body.frame().await {
        if let Ok(piece) = frame?.into_data() {
            file.write_all(&piece)?;
        }
    }
    Ok(file.flush()?)
}
