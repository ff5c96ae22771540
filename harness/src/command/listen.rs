//! Where a command listens: `127.0.0.1:4010`, `localhost:4010`, `[::1]:4010`, or a port of this machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Reads an address of `--listen` or `--receiver`.
pub(super) fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let of_this_machine = |port: u16| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    if let Ok(port) = port.parse() {
        return Ok(of_this_machine(port));
    }
    text.parse().map_err(|_| {
        format!("`{text}` is no address such as 127.0.0.1:4010, localhost:4010, [::1]:4010 or 4010")
    })
}

/// The address with the port of `--port`, if it is given.
pub(super) fn at_port(listen: SocketAddr, port: Option<u16>) -> SocketAddr {
    port.map_or(listen, |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
}

#[cfg(test)]
mod tests {
    use super::listen_address;

    #[test]
    fn an_address_has_four_forms() {
        for (text, expected) in [
            ("127.0.0.1:4010", Some("127.0.0.1:4010")),
            ("0.0.0.0:80", Some("0.0.0.0:80")),
            ("[::1]:4010", Some("[::1]:4010")),
            ("localhost:4010", Some("127.0.0.1:4010")),
            ("localhost:0", Some("127.0.0.1:0")),
            ("4010", Some("127.0.0.1:4010")),
            ("0", Some("127.0.0.1:0")),
            ("localhost", None),
            ("127.0.0.1", None),
            ("70000", None),
            ("-1", None),
            ("example.com:80", None),
            ("", None),
        ] {
            let expected = expected.map(|text| text.parse().expect("an address"));
            assert_eq!(listen_address(text).ok(), expected, "{text}");
        }
    }
}
