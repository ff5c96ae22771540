//! A proxy between one node and the database. It delays bytes or closes connections.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// The delay of a slow link.
const DELAY: Duration = Duration::from_millis(200);

/// The behaviour of the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    Open,
    /// Bytes arrive only after the link is open again.
    Held,
    /// Requests arrive only after the link is open again.
    RequestsHeld,
    /// Requests arrive immediately, responses only after the link is open again.
    ResponsesHeld,
    /// All bytes arrive with a delay of [`DELAY`].
    Slow,
    /// Connections are closed, also new ones.
    Cut,
}

pub(super) struct Proxy {
    port: u16,
    shared: Arc<ProxyShared>,
}

struct ProxyShared {
    link: Mutex<Link>,
    changed: Condvar,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// Forwards to a port on this machine. Its threads end with the connections.
    pub(super) fn start(upstream: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(ProxyShared {
            link: Mutex::new(Link::Open),
            changed: Condvar::new(),
            open: Mutex::default(),
        });
        let used = shared.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                used.connect(client, upstream);
            }
        });
        Self { port, shared }
    }

    /// The address of a database through this proxy.
    pub(super) fn through(&self, url: &str, upstream: u16) -> String {
        url.replace(&format!(":{upstream}/"), &format!(":{}/", self.port))
    }

    pub(super) fn set(&self, link: Link) {
        *self.shared.link.lock().expect("no panic") = link;
        self.shared.changed.notify_all();
        if link == Link::Cut {
            for stream in self.shared.open.lock().expect("no panic").drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}

impl ProxyShared {
    fn connect(self: &Arc<Self>, client: TcpStream, upstream: u16) {
        if *self.link.lock().expect("no panic") == Link::Cut {
            return;
        }
        let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, upstream)) else { return };
        let pairs =
            [(&client, &server, Link::RequestsHeld), (&server, &client, Link::ResponsesHeld)];
        for (from, to, held) in pairs {
            let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) else { return };
            let shared = self.clone();
            std::thread::spawn(move || shared.pump(from, to, held));
        }
        self.open.lock().expect("no panic").extend([client, server]);
    }

    fn pump(&self, mut from: TcpStream, mut to: TcpStream, held: Link) {
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            let mut link = self.link.lock().expect("no panic");
            while *link == Link::Held || *link == held {
                link = self.changed.wait(link).expect("no panic");
            }
            let is_slow = *link == Link::Slow;
            drop(link);
            if is_slow {
                std::thread::sleep(DELAY);
            }
            if to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    }
}
