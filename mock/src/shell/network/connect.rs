//! Outbound connections: the addresses that they may reach, and the resolution of names.
//!
//! Each connection resolves its name once, checks every address, and uses one of the checked addresses. A
//! later change of the name has no effect (DNS rebinding). If the host is an address, it is checked in the
//! form that the connection uses. Proxies are not used.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Certificate, Client, Url};
use url::Host;

use crate::value::address;

/// The lookup of a name: its addresses, in the order of the connection attempts.
pub type Lookup = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Resolves names and connects to addresses. A clone is another handle to the same network.
#[derive(Clone)]
pub struct Network {
    lookup: Arc<dyn Fn(String) -> Lookup + Send + Sync>,
    dial: Arc<dyn Fn(IpAddr) -> IpAddr + Send + Sync>,
    /// PEM; empty for the certificates that the system trusts.
    roots: Vec<u8>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").finish_non_exhaustive()
    }
}

/// The addresses that connections may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AllowedAddresses {
    /// Public addresses only.
    Public,
    /// All addresses but those of the metadata services of clouds.
    Anywhere,
}

impl Network {
    /// The network of the system.
    pub fn system() -> Self {
        let lookup = |name: String| -> Lookup {
            Box::pin(async move {
                // The connection sets the port later.
                let found = tokio::net::lookup_host((name, 0)).await?;
                Ok(found.map(|address| address.ip()).collect())
            })
        };
        Self { lookup: Arc::new(lookup), dial: Arc::new(|address| address), roots: Vec::new() }
    }

    /// A network for tests. `lookup` resolves names. `dial` maps a checked address to the address to connect to.
    /// Only the certificates in the PEM text `roots` are trusted.
    pub fn simulated(
        lookup: impl Fn(String) -> Lookup + Send + Sync + 'static,
        dial: impl Fn(IpAddr) -> IpAddr + Send + Sync + 'static,
        roots: &str,
    ) -> Self {
        Self { lookup: Arc::new(lookup), dial: Arc::new(dial), roots: roots.as_bytes().to_vec() }
    }

    /// An HTTP client that is limited to `reach`. It follows no redirects, retries no request, and waits at most
    /// `response_max` for a response.
    ///
    /// # Errors
    /// The reason as text.
    pub(crate) fn client(
        &self,
        reach: AllowedAddresses,
        response_max: Duration,
    ) -> Result<Client, String> {
        // This fails only if a provider is already installed, which works as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .timeout(response_max)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .dns_resolver(CheckedResolver { network: self.clone(), reach });
        let builder = if self.roots.is_empty() {
            builder
        } else {
            let roots = Certificate::from_pem_bundle(&self.roots);
            builder.tls_certs_only(roots.map_err(|error| reason(&error, response_max))?)
        };
        builder.build().map_err(|error| reason(&error, response_max))
    }
}

impl AllowedAddresses {
    /// Refuses a URL whose host is an address outside of `reach`. A name is checked when it is resolved.
    ///
    /// # Errors
    /// The reason as text.
    pub(crate) fn check(self, url: &Url) -> Result<(), String> {
        let address = match url.host() {
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            Some(Host::Domain(_)) | None => return Ok(()),
        };
        match self.allows(address) {
            true => Ok(()),
            false => Err(format!("{address} is not a public address")),
        }
    }

    fn allows(self, address: IpAddr) -> bool {
        match self {
            Self::Public => address::is_public(address),
            Self::Anywhere => !address::is_metadata_address(address),
        }
    }
}

/// Resolves names for a client, and returns only checked addresses.
struct CheckedResolver {
    network: Network,
    reach: AllowedAddresses,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (network, reach) = (self.network.clone(), self.reach);
        Box::pin(async move {
            let name = name.as_str().to_owned();
            let found = (network.lookup)(name.clone()).await?;
            if found.is_empty() {
                return Err(format!("`{name}` has no address").into());
            }
            if let Some(address) = found.iter().copied().find(|address| !reach.allows(*address)) {
                let refusal = format!("`{name}` is at {address}, which is not a public address");
                return Err(refusal.into());
            }
            let dialled = found.into_iter().map(move |address| (network.dial)(address));
            // Port 0 stands for the port of the connection.
            let addresses: Addrs = Box::new(dialled.map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

/// The innermost cause of an error, which is the most specific one. It does not name the address.
pub(crate) fn reason(error: &reqwest::Error, response_max: Duration) -> String {
    if error.is_timeout() {
        return format!("no response within {} s", response_max.as_secs_f64());
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    // The library's text for this error is advice for programmers.
    let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
    if kind == Some(io::ErrorKind::UnexpectedEof) {
        return "the connection ended before the response did".to_owned();
    }
    cause.to_string()
}
