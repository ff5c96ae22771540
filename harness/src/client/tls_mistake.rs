//! What a TLS connection failed by, in words that name the likely mistake.

use rustls::{CertificateError, Error};

/// How the library names a certificate of an authority that a server uses as its own. It has no type for
/// it: it is the text of an error of the crate below.
const CA_USED_AS_END_ENTITY: &str = "CaUsedAsEndEntity";

/// The reason, and what to do.
pub(crate) fn told(error: &Error) -> String {
    match error {
        Error::InvalidMessage(_) => {
            "what listens there does not speak TLS; if it speaks HTTP, write http:// instead of https://"
                .to_owned()
        }
        Error::InvalidCertificate(why) => certificate(why),
        Error::NoCertificatesPresented => "it has no certificate".to_owned(),
        Error::AlertReceived(_) | Error::PeerIncompatible(_) => {
            "it refused the connection: it has no version of TLS, cipher or host name in common with us"
                .to_owned()
        }
        _ => "the connection could not be made secure".to_owned(),
    }
}

fn certificate(error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer => {
            "its certificate is of an authority that is not known here; name a private authority as \
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
            "its certificate is not valid yet; look at the clock of this machine"
        }
        CertificateError::Revoked => "its certificate is revoked",
        CertificateError::BadSignature => {
            "its certificate is not signed by the authority that it names; name the right one as \
             `tls.ca_file` in the target file"
        }
        CertificateError::Other(other) if other.0.to_string() == CA_USED_AS_END_ENTITY => {
            "its certificate is that of an authority; a server needs a certificate that the authority \
             signed"
        }
        _ => "its certificate is not sound",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use rustls::{CertificateError, Error, InvalidMessage};

    use super::told;

    #[test]
    fn the_likely_mistake_is_named() {
        for (error, said) in [
            (Error::InvalidMessage(InvalidMessage::InvalidContentType), "http:// instead"),
            (Error::InvalidCertificate(CertificateError::UnknownIssuer), "`tls.ca_file`"),
            (Error::InvalidCertificate(CertificateError::NotValidForName), "another host name"),
            (Error::InvalidCertificate(CertificateError::Expired), "expired"),
            (Error::InvalidCertificate(CertificateError::BadSignature), "not signed"),
        ] {
            assert!(told(&error).contains(said), "{}", told(&error));
        }
    }
}
