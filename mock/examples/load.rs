//! A closed-loop load on loopback for `bench/run`, if wrk is not installed.
//!
//! `load PORT CONNECTIONS SECONDS FILE` sends the bytes of FILE, a whole HTTP/1.1 request, over and over
//! on every connection, and prints one line: `{"calls":…,"calls_per_second":…,"p99_ms":…,"bad":…}`.

use std::error::Error;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Bytes per read: more than any response that is measured.
const READ_BYTES: usize = 64 * 1024;
const HEAD_END: &[u8] = b"\r\n\r\n";
const LENGTH: &str = "content-length:";

type Failure = Box<dyn Error + Send + Sync>;

/// The result of one connection.
#[derive(Default)]
struct Seen {
    latencies: Vec<Duration>,
    bad: usize,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, connections, seconds, file] = arguments.as_slice() else {
        return Err("usage: load PORT CONNECTIONS SECONDS FILE".into());
    };
    let (port, connections): (u16, usize) = (port.parse()?, connections.parse()?);
    let request: Vec<u8> = std::fs::read(file)?;
    let begun = Instant::now();
    let end = begun + Duration::from_secs(seconds.parse()?);
    let mut running = JoinSet::new();
    for _ in 0..connections {
        running.spawn(connection(port, request.clone(), end));
    }
    let mut all = Seen::default();
    while let Some(seen) = running.join_next().await {
        let seen = seen??;
        all.latencies.extend(seen.latencies);
        all.bad += seen.bad;
    }
    let taken = begun.elapsed().as_secs_f64();
    all.latencies.sort_unstable();
    let calls = all.latencies.len();
    let p99 = all.latencies.get(calls * 99 / 100).map_or(0.0, Duration::as_secs_f64) * 1e3;
    let (rate, bad) = (calls as f64 / taken, all.bad);
    println!(r#"{{"calls":{calls},"calls_per_second":{rate:.0},"p99_ms":{p99:.3},"bad":{bad}}}"#);
    Ok(())
}

async fn connection(port: u16, request: Vec<u8>, end: Instant) -> Result<Seen, Failure> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.set_nodelay(true)?;
    let (mut seen, mut buffer) = (Seen::default(), vec![0; READ_BYTES]);
    while Instant::now() < end {
        let sent_at = Instant::now();
        stream.write_all(&request).await?;
        let is_success = read_response(&mut stream, &mut buffer).await?;
        seen.latencies.push(sent_at.elapsed());
        seen.bad += usize::from(!is_success);
    }
    Ok(seen)
}

/// Reads one whole response. Returns whether its status is a success.
async fn read_response(stream: &mut TcpStream, buffer: &mut [u8]) -> Result<bool, Failure> {
    let mut filled = 0;
    loop {
        let read = stream.read(&mut buffer[filled..]).await?;
        if read == 0 {
            return Err("the server closed the connection, or its response is too large".into());
        }
        filled += read;
        let response = &buffer[..filled];
        let Some(head) = response.windows(HEAD_END.len()).position(|at| at == HEAD_END) else {
            continue;
        };
        let text = std::str::from_utf8(&response[..head])?.to_ascii_lowercase();
        let length = text.lines().find_map(|line| line.strip_prefix(LENGTH));
        let length: usize = length.ok_or("a response without content-length")?.trim().parse()?;
        if filled >= head + HEAD_END.len() + length {
            return Ok(text.starts_with("http/1.1 2"));
        }
    }
}
