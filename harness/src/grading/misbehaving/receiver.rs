//! A receiver of webhooks: it answers, and tells which events came.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The credential that deliveries carry.
pub(super) const TOKEN: &str = "receiver-credential";
/// The event that the specification names.
pub(super) const EVENT: &str = "execution_complete";

/// A delivery is not longer.
const DELIVERY_BYTES_MAX: usize = 64 * 1024;

/// How it answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceiverHabits {
    /// The status of an answer to a good delivery.
    pub(super) status: u16,
    /// How long an answer takes.
    pub(super) delay: Duration,
    /// Whether it refuses events of unknown kinds.
    pub(super) is_strict: bool,
    /// Whether it looks at the credential.
    pub(super) is_locked: bool,
}

/// Where it listens, and the bodies that it let in.
pub(super) struct EventReceiver {
    pub(super) url: String,
    pub(super) bodies: UnboundedReceiver<String>,
}

impl EventReceiver {
    pub(super) async fn listen(habits: ReceiverHabits) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}/events", listener.local_addr()?);
        let (sender, bodies) = unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A delivery that is cut short is tried again.
                tokio::spawn(answer(stream, habits, sender.clone()));
            }
        });
        Ok(Self { url, bodies })
    }
}

async fn answer(
    mut stream: TcpStream,
    habits: ReceiverHabits,
    sender: UnboundedSender<String>,
) -> std::io::Result<()> {
    let (head, body) = read(&mut stream).await?;
    let is_trusted = head.to_ascii_lowercase().contains(&format!("authorization: bearer {TOKEN}"));
    tokio::time::sleep(habits.delay).await;
    let status = match (is_trusted || !habits.is_locked, body.contains(EVENT)) {
        (false, _) => 401,
        (true, false) if habits.is_strict => 400,
        (true, _) => habits.status,
    };
    let location = if status == 302 { "location: /elsewhere\r\n" } else { "" };
    let answer = format!(
        "HTTP/1.1 {status} Any\r\n{location}content-length: 0\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    if status != 401 {
        // The client may have ended.
        let _ = sender.send(body);
    }
    Ok(())
}

/// The head and the body of one request.
async fn read(stream: &mut TcpStream) -> std::io::Result<(String, String)> {
    let mut bytes = Vec::new();
    while bytes.len() < DELIVERY_BYTES_MAX {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lines = head.lines().filter_map(|line| line.split_once(':'));
            let length = lines
                .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
                .find_map(|(_, value)| value.trim().parse().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return Ok((head.to_owned(), body.to_owned()));
            }
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            break;
        }
    }
    Err(std::io::ErrorKind::UnexpectedEof.into())
}
