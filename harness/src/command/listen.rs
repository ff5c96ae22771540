//! Addresses to listen on, for every command that has `--listen`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};

use tokio::net::TcpListener;

use super::error::CommandError;

/// The value of `--listen`: `127.0.0.1:4010`, `[::1]:4010`, a name such as `localhost:4010`, or a port of
/// 127.0.0.1. Of the addresses of a name the first IPv4 address counts, since most clients try it.
pub(super) fn listen_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    if let Ok(port) = text.parse() {
        return Ok(of_this_machine(port));
    }
    let wanted =
        "give an address with a port, such as `127.0.0.1:4010` or `localhost:4010`, or a port";
    let found = text.to_socket_addrs().map_err(|error| format!("{error}; {wanted}"))?;
    let all: Vec<SocketAddr> = found.collect();
    let first = all.iter().find(|address| address.is_ipv4()).or(all.first());
    first.copied().ok_or_else(|| format!("the name has no address; {wanted}"))
}

/// The address with the port of `--port`, if it is given.
pub(super) fn at_port(listen: SocketAddr, port: Option<u16>) -> SocketAddr {
    port.map_or(listen, of_this_machine)
}

fn of_this_machine(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

/// Listens on an address; port 0 takes a free one.
///
/// # Errors
/// The address can't be listened on.
pub(super) async fn listen_on(
    listen: SocketAddr,
) -> Result<(TcpListener, SocketAddr), CommandError> {
    let listener = TcpListener::bind(listen).await.map_err(|error| {
        CommandError::usage(format!("can't listen on {listen}: {error}"))
            .help("`--listen 127.0.0.1:0` takes a free port")
    })?;
    let bound = listener
        .local_addr()
        .map_err(|error| CommandError::fault(format!("the socket has no address: {error}")))?;
    Ok((listener, bound))
}

/// The address for callers of a mock that listens on this address. `0.0.0.0` can't be called.
pub(super) fn callable(bound: SocketAddr) -> SocketAddr {
    if !bound.ip().is_unspecified() {
        return bound;
    }
    let host = match bound.ip() {
        IpAddr::V4(_) => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(_) => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
    };
    SocketAddr::new(host, bound.port())
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
