//! The address of a database: `postgres://USER@HOST:PORT/DATABASE?OPTION=VALUE`.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use url::Url;

use super::error::PostgresError;
use super::lease::LeaseTimes;

/// A connection attempt fails after this time.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Unacknowledged data end a connection after this time.
const TCP_TIMEOUT: Duration = Duration::from_secs(5);
/// Default length of the lease.
const LEASE: Duration = Duration::from_secs(10);
/// Default time between renewals.
const RENEW: Duration = Duration::from_secs(3);
/// Bounds of the lease and of the time between renewals, in seconds.
const LEASE_SECONDS: std::ops::RangeInclusive<f64> = 0.05..=600.0;
/// The options of an address.
const OPTIONS: &str = "host, port, user, dbname, sslmode, sslrootcert, lease, renew, node";

/// The address of a database, with the options of its use.
#[derive(Clone)]
pub struct PostgresAddress {
    pub(super) config: Config,
    /// `None` without TLS, which is allowed on this machine only.
    pub(super) tls: Option<Arc<ClientConfig>>,
    /// The address without its password and options.
    pub(super) shown: String,
    pub(crate) lease: LeaseTimes,
    /// The name of this node for other nodes and for clients.
    pub(crate) node: Option<String>,
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresAddress").field(&self.shown).finish()
    }
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl PostgresAddress {
    /// Whether a text has the scheme of PostgreSQL.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Reads an address.
    ///
    /// # Errors
    /// [`PostgresError::Address`], which also refuses an address with a password.
    pub fn read(text: &str, password: Option<&str>) -> Result<Self, PostgresError> {
        let wrong = |why: String| PostgresError::Address(why);
        let url = Url::parse(text).map_err(|error| wrong(format!("it cannot be read: {error}")))?;
        if url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password") {
            return Err(wrong(
                "it has a password, which every user of this machine can see: leave it out, and set \
                 PGPASSWORD or MOOT_STATE_PASSWORD_FILE"
                    .to_owned(),
            ));
        }
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let mut user = decoded(url.username());
        let mut database = decoded(url.path().trim_start_matches('/'));
        let mut host = decoded(url.host_str().unwrap_or_default());
        let mut port = url.port().unwrap_or(5432);
        let (mut ssl_mode, mut root) = (None, None);
        let (mut length, mut renew, mut node) = (LEASE, None, None);
        for (name, value) in url.query_pairs() {
            let number = || wrong(format!("`{name}={value}` is not a valid number"));
            match &*name {
                "host" => host = value.into_owned(),
                "port" => port = value.parse().map_err(|_| number())?,
                "user" => user = value.into_owned(),
                "dbname" => database = value.into_owned(),
                "sslmode" => ssl_mode = Some(value.into_owned()),
                "sslrootcert" => root = Some(value.into_owned()),
                "lease" => length = seconds(&value).ok_or_else(number)?,
                "renew" => renew = Some(seconds(&value).ok_or_else(number)?),
                "node" => node = Some(value.into_owned()),
                _ => {
                    return Err(wrong(format!("the option `{name}` is unknown: use {OPTIONS}")));
                }
            }
        }
        let renew = renew.unwrap_or_else(|| RENEW.min(length * 3 / 10));
        if user.is_empty() || database.is_empty() {
            return Err(wrong(
                "it needs a user and a database: postgres://USER@HOST/DATABASE".to_owned(),
            ));
        }
        if renew > length / 2 {
            return Err(wrong("`renew` must be at most half of `lease`".to_owned()));
        }
        let host = if host.is_empty() { "localhost".to_owned() } else { host };
        let is_local = is_local(&host);
        let tls = match ssl_mode.as_deref() {
            Some("disable") | None if is_local => None,
            Some("verify-full") | None => Some(Arc::new(tls(root.as_deref())?)),
            Some(other) => {
                return Err(wrong(format!(
                    "`sslmode={other}` is not supported: use `verify-full`, the default beyond this machine; \
                     `disable` is for loopback and unix sockets only"
                )));
            }
        };
        let mut config = Config::new();
        config
            .user(&user)
            .dbname(&database)
            .host(&host)
            .port(port)
            .ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable })
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_user_timeout(TCP_TIMEOUT)
            .keepalives_idle(TCP_TIMEOUT);
        if let Some(password) = password {
            config.password(password);
        }
        let shown = format!("postgres://{user}@{host}:{port}/{database}");
        Ok(Self { config, tls, shown, lease: LeaseTimes::new(length, renew), node })
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    LEASE_SECONDS.contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

fn is_local(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.starts_with('/') || host == "localhost" || address.is_ok_and(|it| it.is_loopback())
}

/// TLS that verifies the certificate and the name of the server.
fn tls(root: Option<&str>) -> Result<ClientConfig, PostgresError> {
    let wrong = |why: String| PostgresError::Address(why);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(format!("TLS cannot be set up: {error}")))?;
    let Some(path) = root else {
        let verified = builder
            .with_platform_verifier()
            .map_err(|error| wrong(format!("the certificates of this machine: {error}")))?;
        return Ok(verified.with_no_client_auth());
    };
    let unread = |error: &dyn fmt::Display| wrong(format!("sslrootcert={path}: {error}"));
    let mut roots = RootCertStore::empty();
    let certificates =
        CertificateDer::pem_file_iter(Path::new(path)).map_err(|error| unread(&error))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| unread(&error))?;
        roots.add(certificate).map_err(|error| unread(&error))?;
    }
    if roots.is_empty() {
        return Err(unread(&"it has no certificate"));
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::PostgresAddress;

    fn read(text: &str) -> Result<PostgresAddress, String> {
        PostgresAddress::read(text, Some("secret")).map_err(|error| error.to_string())
    }

    #[test]
    fn an_address_is_shown_without_its_secret() {
        let address =
            read("postgres://moot@127.0.0.1:5433/mocks?lease=2&renew=0.5").expect("valid");
        assert_eq!(address.to_string(), "postgres://moot@127.0.0.1:5433/mocks");
        assert!(!format!("{address:?} {:?}", address.config).contains("secret"));
        assert_eq!(address.lease.renew.as_millis(), 500);
        let socket = read("postgres:///mocks?host=/run/postgresql&user=moot").expect("valid");
        assert_eq!(socket.to_string(), "postgres://moot@/run/postgresql:5432/mocks");
    }

    #[test]
    fn a_password_in_the_address_is_refused() {
        for text in ["postgres://moot:pw@localhost/mocks", "postgres://moot@h/mocks?password=pw"] {
            let refused = read(text).expect_err("it is visible");
            assert!(refused.contains("PGPASSWORD"), "{refused}");
            assert!(!refused.contains("pw@") && !refused.contains("=pw"), "{refused}");
        }
    }

    #[test]
    fn tls_is_verified_beyond_this_machine() {
        for (text, has_tls) in [
            ("postgres://moot@localhost/mocks", false),
            ("postgres://moot@[::1]/mocks", false),
            ("postgres://moot@127.0.0.1/mocks?sslmode=disable", false),
            ("postgres://moot@localhost/mocks?sslmode=verify-full", true),
            ("postgres://moot@db.example/mocks", true),
        ] {
            assert_eq!(read(text).expect(text).tls.is_some(), has_tls, "{text}");
        }
        for mode in ["disable", "prefer", "require", "allow"] {
            let refused = read(&format!("postgres://moot@db.example/mocks?sslmode={mode}"));
            assert!(refused.expect_err(mode).contains("verify-full"), "{mode}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, word) in [
            ("postgres://localhost/mocks", "needs a user"),
            ("postgres://moot@localhost", "needs a user and a database"),
            ("postgres://moot@localhost/mocks?pool=3", "`pool` is unknown"),
            ("postgres://moot@localhost/mocks?lease=0", "`lease=0`"),
            ("postgres://moot@localhost/mocks?lease=2&renew=1.5", "half of `lease`"),
            ("postgres://moot@db.example/mocks?sslrootcert=/nowhere", "/nowhere"),
        ] {
            let refused = read(text).expect_err(text);
            assert!(refused.contains(word), "{refused}");
        }
    }
}
