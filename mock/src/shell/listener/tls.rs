//! TLS for clients that refuse plain http: a certificate and its key from two PEM files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// Certificate and key of the server, and the number of connections that were offered them. Clones share the number.
#[derive(Clone)]
pub struct Tls {
    pub(super) acceptor: TlsAcceptor,
    accepted: Arc<AtomicUsize>,
}

/// Why certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be used.
    #[error("`{}` cannot be read as {content}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The content that it should have.
        content: &'static str,
        /// The reason.
        cause: pem::Error,
    },
    /// The key does not fit the certificate.
    #[error("the certificate and the key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

impl Tls {
    /// Reads a chain of certificates, the server's own first, and its key.
    ///
    /// # Errors
    /// [`TlsError`].
    pub fn read(certificates: &Path, key: &Path) -> Result<Self, TlsError> {
        let refused = |cause| unread(certificates, "PEM certificates", cause);
        let chain = CertificateDer::pem_file_iter(certificates)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(refused)?;
        if chain.is_empty() {
            return Err(refused(pem::Error::NoItemsFound));
        }
        let key = PrivateKeyDer::from_pem_file(key)
            .map_err(|cause| unread(key, "a PEM private key", cause))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), accepted: Arc::default() })
    }

    /// The number of connections so far. A client that refuses the certificate makes no call, so that only this shows
    /// that it tried.
    pub fn connections(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }

    pub(super) fn count(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }
}

fn unread(path: &Path, content: &'static str, cause: pem::Error) -> TlsError {
    TlsError::File { path: path.to_owned(), content, cause }
}
