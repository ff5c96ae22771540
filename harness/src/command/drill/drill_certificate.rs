//! A wrong certificate for the mock of a drill, and a relay that counts the connections to it.

use std::fmt::Display;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use moot_mock::shell::Tls;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::command::error::CommandError;
use crate::command::listen::listen_on;

/// Makes a self-signed certificate, which a client must refuse.
pub(super) fn wrong_certificate() -> Result<Tls, CommandError> {
    fn fault(error: impl Display) -> CommandError {
        CommandError::fault(format!("no certificate can be made: {error}"))
    }
    let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).map_err(fault)?;
    let folder = tempfile::tempdir().map_err(fault)?;
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem())
        .and_then(|()| std::fs::write(&key, made.signing_key.serialize_pem()))
        .map_err(fault)?;
    Tls::read(&certificate, &key).map_err(fault)
}

/// Passes connections on, and counts them. A client that refuses the certificate makes no call, so that only its
/// connections show that it tried.
pub(super) struct CountingRelay {
    connections: Arc<AtomicUsize>,
    running: JoinHandle<()>,
}

impl CountingRelay {
    /// Starts a relay to this address. Returns it with its own address.
    pub(super) async fn start(to: SocketAddr) -> Result<(Self, SocketAddr), CommandError> {
        let (listener, bound) = listen_on(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let connections = Arc::new(AtomicUsize::new(0));
        let running = tokio::spawn(pass_on(listener, to, connections.clone()));
        Ok((Self { connections, running }, bound))
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for CountingRelay {
    fn drop(&mut self) {
        self.running.abort();
    }
}

async fn pass_on(listener: TcpListener, to: SocketAddr, connections: Arc<AtomicUsize>) {
    while let Ok((mut from, _)) = listener.accept().await {
        connections.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            if let Ok(mut to) = TcpStream::connect(to).await {
                // A client refuses by closing its connection.
                let _ = copy_bidirectional(&mut from, &mut to).await;
            }
        });
    }
}
