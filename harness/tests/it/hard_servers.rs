//! Servers that each break one rule of HTTP or JSON, as a table of the bytes that they send.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The most bytes that a thread of a server sends, so that every thread ends.
const SENT_BYTES_MAX: usize = 1_000_000_000;
/// Slightly less than the client keeps of a body.
const KEPT_BYTES: usize = 4_000_000;
/// The bytes of the gzip bomb after decompression: more than the client reads.
const BOMB_BYTES: usize = 65 * 1024 * 1024;

/// A list without pages.
const EMPTY_LIST: &[u8] = b"{\"data\":[]}";
/// The bomb, which takes a while to compress.
static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| gzip(&vec![b'['; BOMB_BYTES]));

/// Writes the response to the request for the list.
type RespondFn = fn(&mut TcpStream) -> std::io::Result<()>;

/// A hostile or broken server, and the expected result of a run.
pub(crate) struct Hard {
    pub(crate) name: &'static str,
    /// The exit code of the run.
    pub(crate) code: i32,
    /// The verdict of a check of the run.
    pub(crate) verdict: &'static str,
    /// A part of the message of that check.
    pub(crate) says: &'static str,
    respond: RespondFn,
}

const fn row(
    name: &'static str,
    (code, verdict, says): (i32, &'static str, &'static str),
    respond: RespondFn,
) -> Hard {
    Hard { name, code, verdict, says, respond }
}

/// All of them. One scenario reads the list of requests from each.
pub(crate) const ROWS: [Hard; 29] = [
    row("a body that never ends", (4, "not_run", "goes on beyond 64 MB"), |stream| {
        head(stream, "content-type: application/json\r\ntransfer-encoding: chunked\r\n")?;
        let chunk = [b"100000\r\n".as_slice(), &[b'['; 0x10_0000], b"\r\n"].concat();
        pour(stream, &chunk)
    }),
    row("a body of 1 GB", (4, "not_run", "goes on beyond 64 MB"), |stream| {
        let length = format!("content-length: {SENT_BYTES_MAX}\r\n");
        head(stream, &format!("content-type: application/json\r\n{length}"))?;
        pour(stream, &[b' '; 1_000_000])
    }),
    row("more than is kept", (3, "not_run", "too large to be kept"), |stream| {
        json(stream, &[b' '; 5_000_000])
    }),
    row("a gzip bomb", (4, "not_run", "goes on beyond 64 MB"), |stream| zipped(stream, &BOMB)),
    row("compressed JSON", (1, "fail", "the body has no `pagination`"), |stream| {
        zipped(stream, &gzip(EMPTY_LIST))
    }),
    row("a body that is not compressed", (1, "fail", "not JSON"), |stream| {
        zipped(stream, EMPTY_LIST)
    }),
    row("a compressed body that ends early", (1, "fail", "ends inside its JSON"), |stream| {
        zipped(stream, &gzip(EMPTY_LIST)[..20])
    }),
    row("a redirect loop", (1, "fail", "a status that is not documented"), |stream| {
        let location = "location: /api/v1/requests\r\ncontent-length: 0\r\nconnection: close\r\n";
        write!(stream, "HTTP/1.1 302 Found\r\n{location}\r\n")
    }),
    row("deep JSON", (1, "fail", "not JSON"), |stream| json(stream, &[b'['; 90_000])),
    row("deep JSON that ends", (1, "fail", "not JSON"), |stream| {
        json(stream, &[[b'['; 90_000], [b']'; 90_000]].concat())
    }),
    row("very many small objects", (3, "not_run", "too large to be kept"), |stream| {
        json(stream, &many(b"{}"))
    }),
    row("very many members", (3, "not_run", "too large to be kept"), |stream| {
        let members: Vec<String> = (0..400_000).map(|n| format!("\"{n}\":0")).collect();
        json(stream, format!("{{{}}}", members.join(",")).as_bytes())
    }),
    row("very many rows", (3, "not_run", "too large to be kept"), |stream| {
        json(stream, &[b"{\"data\":".as_slice(), &many(b"0"), b"}"].concat())
    }),
    row(
        "as many rows as are kept, all wrong",
        (1, "fail", "the body has no `pagination`"),
        |stream| {
            let rows = ["0"; 99_000].join(",");
            json(stream, format!("{{\"data\":[{rows}]}}").as_bytes())
        },
    ),
    row("one long text", (1, "fail", "the body has no `pagination`"), |stream| {
        json(stream, &[b"{\"data\":\"".as_slice(), &[b'x'; KEPT_BYTES], b"\"}"].concat())
    }),
    row("invalid UTF-8", (1, "fail", "not JSON: byte 19 is not UTF-8"), |stream| {
        json(stream, b"{\"data\":[],\"note\":\"\xff\xfe\"}")
    }),
    row("duplicate keys", (1, "fail", "the member `data` twice"), |stream| {
        let pages = "{\"current_page\":1,\"per_page\":25,\"total_pages\":0,\"total_count\":0}";
        let body = format!("{{\"data\":7,\"pagination\":{pages},\"data\":[]}}");
        json(stream, body.as_bytes())
    }),
    row("another content type", (1, "warn", "sent with another media type"), |stream| {
        head(stream, "content-type: text/html\r\ncontent-length: 2\r\n")?;
        stream.write_all(b"{}")
    }),
    row("a body shorter than declared", (3, "not_run", "cut short after 2 of 9 bytes"), |stream| {
        head(stream, "content-type: application/json\r\ncontent-length: 9\r\n")?;
        stream.write_all(b"{}")
    }),
    row("a length that is not a number", (4, "not_run", "the connection broke"), |stream| {
        head(stream, "content-type: application/json\r\ncontent-length: many\r\n")?;
        stream.write_all(b"{}")
    }),
    row("a head that breaks off", (4, "not_run", "the connection broke"), |stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-le")
    }),
    row("no HTTP", (4, "not_run", "the connection broke"), |stream| {
        stream.write_all(b"SSH-2.0-x\r\n\r\n")
    }),
    row("no byte at all", (4, "not_run", "the connection broke"), |_| Ok(())),
    row("a reset before the response", (4, "not_run", "the connection broke"), |stream| {
        reset(stream)
    }),
    row(
        "a reset in the middle of the body",
        (3, "not_run", "cut short after 9 of 900"),
        |stream| {
            head(stream, "content-type: application/json\r\ncontent-length: 900\r\n")?;
            stream.write_all(b"{\"data\":[")?;
            stream.flush()?;
            // The reset must come after the head was received.
            thread::sleep(Duration::from_millis(200));
            reset(stream)
        },
    ),
    row("a flood of headers", (4, "not_run", "the connection broke"), |stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        pour(stream, &b"x-flood: y\r\n".repeat(1_000))
    }),
    row("a header that never ends", (4, "not_run", "the connection broke"), |stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nx-long: ")?;
        pour(stream, &[b'y'; 100_000])
    }),
    row("slow headers", (4, "not_run", "timeout `limits.silence_seconds`"), |stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nx-slow: ")?;
        drip(stream)
    }),
    row("a slow body", (4, "not_run", "timeout `limits.exchange_seconds`"), |stream| {
        head(stream, "content-type: application/json\r\n")?;
        drip(stream)
    }),
];

/// A silent server. It is not in the table because its timeout differs.
pub(crate) const SILENT: Hard =
    row("silence in the body", (4, "not_run", "timeout `limits.silence_seconds`"), |stream| {
        head(stream, "content-type: application/json\r\n")?;
        stream.write_all(b"{")?;
        thread::sleep(Duration::from_secs(20));
        Ok(())
    });

/// Node answers an incomplete request like this.
pub(crate) const BARE_REFUSAL: Hard =
    row("a bare refusal", (3, "not_applicable", "before the service sees it"), |stream| {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
    });

fn head(stream: &mut TcpStream, more: &str) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n{more}\r\n")
}

fn json(stream: &mut TcpStream, body: &[u8]) -> std::io::Result<()> {
    let more = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    head(stream, &more)?;
    stream.write_all(body)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory does not fail")
}

fn zipped(stream: &mut TcpStream, body: &[u8]) -> std::io::Result<()> {
    let more = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
    head(stream, &format!("{more}content-length: {}\r\n", body.len()))?;
    stream.write_all(body)
}

/// A list of this value with about [`KEPT_BYTES`].
fn many(value: &[u8]) -> Vec<u8> {
    let pieces = vec![value; KEPT_BYTES / (value.len() + 1)];
    [b"[", pieces.join(&b","[..]).as_slice(), b"]"].concat()
}

/// Sends 1 GB, or until the client closes.
fn pour(stream: &mut TcpStream, piece: &[u8]) -> std::io::Result<()> {
    for _ in 0..SENT_BYTES_MAX / piece.len() {
        stream.write_all(piece)?;
    }
    Ok(())
}

/// Sends one byte after another, slowly, until the client closes or a minute has passed.
fn drip(stream: &mut TcpStream) -> std::io::Result<()> {
    for _ in 0..600 {
        stream.write_all(b"x")?;
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// Closes the connection by a reset (`SO_LINGER` 0).
fn reset(stream: &TcpStream) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let twin = stream.try_clone()?;
    twin.set_nonblocking(true)?;
    runtime.block_on(async { tokio::net::TcpStream::from_std(twin)?.set_zero_linger() })
}

impl Hard {
    /// A service that issues tokens and has no workflows. It sends the hostile response to everything else.
    pub(crate) fn serve(&self) -> String {
        let respond = self.respond;
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                thread::spawn(move || {
                    let line = read_request(&stream).unwrap_or_default();
                    // The client may close the connection.
                    let _ = if line.starts_with("POST /api/oauth/token") {
                        json(&mut stream, b"{\"access_token\":\"token-1\",\"expires_in\":7200}")
                    } else if line.starts_with("GET /api/v1/workflows") {
                        json(&mut stream, b"{\"data\":[]}")
                    } else {
                        respond(&mut stream)
                    };
                });
            }
        });
        format!("http://{address}/api")
    }
}

/// Reads a whole request, and returns its first line.
fn read_request(stream: &TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.is_empty() {
            break;
        }
    }
    reader.take(length).read_to_end(&mut Vec::new())?;
    Ok(first)
}
