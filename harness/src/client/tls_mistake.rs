//! Messages for failed TLS connections. They name the likely mistake.

use rustls::{CertificateError, Error};

/// The reason, and a remedy.
pub(crate) fn describe(error: &Error) -> String {
    match error {
        Error::InvalidMessage(_) => {
            "the server does not speak TLS; if it speaks HTTP, write http:// instead of https://"
                .to_owned()
        }
        Error::InvalidCertificate(why) => certificate(why),
        Error::NoCertificatesPresented => "it has no certificate".to_owned(),
        Error::AlertReceived(_) | Error::PeerIncompatible(_) => {
            "it refused the connection: it supports none of our TLS versions and ciphers, or does not know the host name"
                .to_owned()
        }
        _ => "the connection could not be made secure".to_owned(),
    }
}

fn certificate(error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer => {
            "its certificate comes from an authority that this machine does not trust; name a private authority as \
             `tls.ca_file` in the target file"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another host name; compare the host of `base_url` with the names of \
             the certificate"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; check the clock of this machine"
        }
        CertificateError::Revoked => "its certificate is revoked",
        CertificateError::BadSignature => {
            "its certificate is not signed by the authority that it names; name the correct one as \
             `tls.ca_file` in the target file"
        }
        CertificateError::Other(other)
            if other.0.downcast_ref() == Some(&webpki::Error::CaUsedAsEndEntity) =>
        {
            "its certificate is that of an authority; a server needs a certificate that the authority signed"
        }
        _ => "its certificate is invalid",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use rustls::{CertificateError, Error, InvalidMessage};

    use super::describe;

    #[test]
    fn the_likely_mistake_is_named() {
        for (error, said) in [
            (Error::InvalidMessage(InvalidMessage::InvalidContentType), "http:// instead"),
            (Error::InvalidCertificate(CertificateError::UnknownIssuer), "`tls.ca_file`"),
            (Error::InvalidCertificate(CertificateError::NotValidForName), "another host name"),
            (Error::InvalidCertificate(CertificateError::Expired), "expired"),
            (Error::InvalidCertificate(CertificateError::BadSignature), "not signed"),
        ] {
            assert!(describe(&error).contains(said), "{}", describe(&error));
        }
    }
}
