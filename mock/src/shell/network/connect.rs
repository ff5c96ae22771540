//! The way out: which addresses a connection may go to, and how names become addresses.
//!
//! A name is resolved once for a connection, every address of it is checked, and the connection goes
//! to one of those that were checked: what the name means a moment later changes nothing. A host
//! that is an address is read by the parse that the connection is made from. No proxy is asked.

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

/// The addresses of a name, in the order they are tried.
pub type Looked = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
type Lookup = dyn Fn(String) -> Looked + Send + Sync;
type Dial = dyn Fn(IpAddr) -> IpAddr + Send + Sync;

/// How names are resolved and addresses reached. A clone is another handle on the same.
#[derive(Clone)]
pub struct Network {
    lookup: Arc<Lookup>,
    dial: Arc<Dial>,
    /// PEM; empty is what the system trusts.
    roots: Vec<u8>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").finish_non_exhaustive()
    }
}

/// Where connections may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To public addresses alone.
    Public,
    /// Anywhere.
    Anywhere,
}

/// An address that may not be connected to.
#[derive(Debug, thiserror::Error)]
enum AddressRefusal {
    #[error("{0} is no public address")]
    Address(IpAddr),
    #[error("`{name}` is at {address}, which is no public address")]
    Name { name: String, address: IpAddr },
    #[error("`{0}` has no address")]
    Nowhere(String),
}

impl Network {
    /// That of the system.
    pub fn system() -> Self {
        let lookup = |name: String| -> Looked {
            Box::pin(async move {
                // The port is the connection's, and not looked at here.
                let found = tokio::net::lookup_host((name, 0)).await?;
                Ok(found.map(|address| address.ip()).collect())
            })
        };
        Self { lookup: Arc::new(lookup), dial: Arc::new(|address| address), roots: Vec::new() }
    }

    /// One for tests: names are what `lookup` says, a connection to a checked address goes to what
    /// `dial` makes of it, and only certificates of the PEM text `roots` are trusted.
    pub fn simulated(
        lookup: impl Fn(String) -> Looked + Send + Sync + 'static,
        dial: impl Fn(IpAddr) -> IpAddr + Send + Sync + 'static,
        roots: &str,
    ) -> Self {
        Self { lookup: Arc::new(lookup), dial: Arc::new(dial), roots: roots.as_bytes().to_vec() }
    }

    /// A client that goes no further than `reach`, follows no redirect, sends nothing twice, and
    /// gives an answer up after `answer_max`.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub(crate) fn client(&self, reach: Reach, answer_max: Duration) -> Result<Client, String> {
        // Fails only where a provider is installed already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder()
            .timeout(answer_max)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .dns_resolver(CheckedResolver { network: self.clone(), reach });
        let builder = if self.roots.is_empty() {
            builder
        } else {
            let roots = Certificate::from_pem_bundle(&self.roots);
            builder.tls_certs_only(roots.map_err(|error| reason(&error, answer_max))?)
        };
        builder.build().map_err(|error| reason(&error, answer_max))
    }
}

impl Reach {
    /// Refuses an address whose host is an address beyond reach; of a name that is seen when it is
    /// resolved.
    ///
    /// # Errors
    /// Why, in words.
    pub(crate) fn check(self, url: &Url) -> Result<(), String> {
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            Some(Host::Domain(_)) | None => return Ok(()),
        };
        if self.allows(literal) {
            Ok(())
        } else {
            Err(AddressRefusal::Address(literal).to_string())
        }
    }

    fn allows(self, address: IpAddr) -> bool {
        match self {
            Self::Public => address::is_public(address),
            Self::Anywhere => true,
        }
    }
}

/// Resolves names for a client, and gives only what was checked.
struct CheckedResolver {
    network: Network,
    reach: Reach,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (network, reach) = (self.network.clone(), self.reach);
        Box::pin(async move {
            let name = name.as_str().to_owned();
            let found = (network.lookup)(name.clone()).await?;
            if found.is_empty() {
                return Err(AddressRefusal::Nowhere(name).into());
            }
            if let Some(address) = found.iter().copied().find(|address| !reach.allows(*address)) {
                return Err(AddressRefusal::Name { name, address }.into());
            }
            let dialled = found.into_iter().map(move |address| (network.dial)(address));
            // Port 0 stands for that of the connection.
            let addresses: Addrs = Box::new(dialled.map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

/// The innermost cause, which says most, without the address.
pub(crate) fn reason(error: &reqwest::Error, answer_max: Duration) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", answer_max.as_secs_f64());
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
