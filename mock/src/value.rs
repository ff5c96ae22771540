//! Plain values. They use no other module of the crate.

pub(crate) mod address;
pub mod clock;
pub(crate) mod delivery_policy;
pub(crate) mod document_type;
pub(crate) mod email;
pub(crate) mod identifier;
pub(crate) mod key;
pub(crate) mod limits;
pub(crate) mod message;
pub(crate) mod pdf;
pub(crate) mod sent_json;
pub(crate) mod setting_text;
pub(crate) mod settings;
pub(crate) mod timestamp;
pub(crate) mod token;
