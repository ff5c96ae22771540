//! Addresses to listen on, for commands with `--listen`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use clap::Args;
use tokio::net::TcpListener;

use super::error::CommandError;
use super::number::port;

/// The options of commands that listen, by default on a free port.
#[derive(Debug, Args)]
pub(super) struct ListenArguments {
    /// Where to listen: ADDRESS:PORT, localhost:PORT or PORT; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = listen_address)]
    listen: SocketAddr,
    /// Listen on this port of 127.0.0.1
    #[arg(long, value_name = "PORT", value_parser = port, conflicts_with = "listen")]
    port: Option<u16>,
}

impl ListenArguments {
    /// The address of `--port`, if it is given, else that of `--listen`.
    pub(super) fn address(&self) -> SocketAddr {
        self.port.map_or(self.listen, |port| (Ipv4Addr::LOCALHOST, port).into())
    }
}

/// Reads the value of `--listen`: `127.0.0.1:4010`, `[::1]:4010`, a name such as `localhost:4010`, or a port of
/// 127.0.0.1. A name stands for its first IPv4 address, because most clients try that one.
pub(super) fn listen_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    if let Ok(port) = text.parse() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let wanted =
        "give an address with a port, such as `127.0.0.1:4010` or `localhost:4010`, or a port";
    let found = text.to_socket_addrs().map_err(|error| format!("{error}; {wanted}"))?;
    let all: Vec<SocketAddr> = found.collect();
    let first = all.iter().find(|address| address.is_ipv4()).or(all.first());
    first.copied().ok_or_else(|| format!("the name has no address; {wanted}"))
}

/// Listens on an address. Returns the socket and its address; port 0 takes a free port.
///
/// # Errors
/// The address is in use, or is not one of this machine.
pub(super) async fn listen_on(
    listen: SocketAddr,
) -> Result<(TcpListener, SocketAddr), CommandError> {
    let listener = TcpListener::bind(listen).await.map_err(|error| {
        CommandError::usage(format!("cannot listen on {listen}: {error}"))
            .help("`--listen 127.0.0.1:0` takes a free port")
    })?;
    let bound = listener
        .local_addr()
        .map_err(|error| CommandError::fault(format!("the socket has no address: {error}")))?;
    Ok((listener, bound))
}

/// The address that clients use for a mock that listens on `bound`. `0.0.0.0` and `[::]` can't be called.
pub(super) fn callable(bound: SocketAddr) -> SocketAddr {
    match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, bound.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, bound.port()).into(),
        IpAddr::V4(_) | IpAddr::V6(_) => bound,
    }
}

#[cfg(test)]
mod tests {
    use super::{callable, listen_address};

    #[test]
    fn an_address_to_listen_on_becomes_one_to_call() {
        for (bound, expected) in [
            ("127.0.0.1:4010", "127.0.0.1:4010"),
            ("0.0.0.0:4010", "127.0.0.1:4010"),
            ("[::]:4010", "[::1]:4010"),
            ("192.0.2.7:80", "192.0.2.7:80"),
        ] {
            assert_eq!(callable(bound.parse().expect("an address")).to_string(), expected);
        }
    }

    #[test]
    fn an_address_to_listen_on_may_be_a_name() {
        for (given, expected) in [
            ("localhost:4010", "127.0.0.1:4010"),
            ("4010", "127.0.0.1:4010"),
            ("0", "127.0.0.1:0"),
            ("[::1]:0", "[::1]:0"),
            ("0.0.0.0:80", "0.0.0.0:80"),
        ] {
            assert_eq!(
                listen_address(given).map(|found| found.to_string()),
                Ok(expected.to_owned())
            );
        }
        for wrong in ["localhost", "70000", "-1", "localhost:http", "127.0.0.1:99999"] {
            assert!(listen_address(wrong).is_err(), "{wrong}");
        }
    }
}
