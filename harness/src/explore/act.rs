//! What one act of a case does: which operation, with which input. Values only, so that a case can be
//! drawn, made smaller and written down.

use http::Method;
use moot_fixtures::contract::{LegalRequestStatus, Operation, WorkflowStatus};
use serde_json::Value;

/// A list that can be read page by page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// §4.2.
    Workflows,
    /// §4.6.
    LegalRequests,
    /// §4.10.
    Documents,
    /// §4.12.
    Webhooks,
}

impl List {
    /// Every list.
    pub const ALL: [Self; 4] =
        [Self::Workflows, Self::LegalRequests, Self::Documents, Self::Webhooks];

    /// The operation that reads it.
    pub fn operation(self) -> Operation {
        match self {
            Self::Workflows => Operation::ListWorkflows,
            Self::LegalRequests => Operation::ListLegalRequests,
            Self::Documents => Operation::ListRepositoryDocuments,
            Self::Webhooks => Operation::ListWebhooks,
        }
    }
}

/// Something that is read by the id of a member of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Single {
    /// §4.3.
    Workflow,
    /// §4.4, of a published workflow.
    Schema,
    /// §4.7.
    LegalRequest,
    /// §4.8.
    Activity,
    /// §4.11.
    Document,
}

impl Single {
    /// Every one.
    pub const ALL: [Self; 5] =
        [Self::Workflow, Self::Schema, Self::LegalRequest, Self::Activity, Self::Document];

    /// The operation that reads it.
    pub fn operation(self) -> Operation {
        match self {
            Self::Workflow => Operation::GetWorkflow,
            Self::Schema => Operation::GetWorkflowSchema,
            Self::LegalRequest => Operation::GetLegalRequest,
            Self::Activity => Operation::GetLegalRequestActivity,
            Self::Document => Operation::GetRepositoryDocument,
        }
    }

    /// The list whose members have its ids.
    pub fn list(self) -> List {
        match self {
            Self::Workflow | Self::Schema => List::Workflows,
            Self::LegalRequest | Self::Activity => List::LegalRequests,
            Self::Document => List::Documents,
        }
    }
}

/// The value of the query parameter `status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Of §3, for the list of requests.
    LegalRequest(LegalRequestStatus),
    /// Of §2.3, for the list of workflows.
    Workflow(WorkflowStatus),
    /// Anything.
    Other(String),
}

/// A token that must be refused (§5.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// There is none.
    Missing,
    /// Nobody issued it.
    Unknown(String),
    /// Older than two hours.
    Expired,
    /// Taken back.
    Revoked,
    /// Valid, without the scope `write`; only for what needs it.
    ReadOnly,
}

/// What is wrong with a call that would create a request (§4.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestFlaw {
    /// A field that every request needs is left out.
    Omitted(&'static str),
    /// No workflow has this id.
    UnknownWorkflow(String),
    /// The requester is nobody's e-mail address.
    UnknownRequester(String),
    /// A field of §4.5 has this text instead of its own, or though the workflow does not ask for it.
    Field(&'static str, String),
    /// A field that §4.5 does not name.
    Foreign(String, String),
    /// No multipart body at all.
    Body(String),
}

/// What is wrong with an upload (§4.9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UploadFlaw {
    /// Neither `file` nor `url`.
    Nothing,
    /// `metadata` is no JSON object.
    Metadata(String),
    /// A file of a type that may not be supported.
    Extension(String),
    /// No multipart body at all.
    Body(String),
}

/// What an upload by address names (§4.9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// The public one that the target is bound to.
    Bound,
    /// One whose bytes a moot mock is told before; they hold this text.
    Registered(String),
    /// No absolute https address.
    NotHttps(String),
    /// An internal or private one.
    Inside {
        /// As it stands in the address.
        host: String,
        /// What follows the first slash.
        path: String,
    },
    /// The bound one, with a file beside.
    BesideFile,
}

/// What is wrong with the registration of a webhook (§4.14).
#[derive(Debug, Clone, PartialEq)]
pub enum WebhookFlaw {
    /// A member of the payload has this value.
    Member(&'static str, Value),
    /// No JSON at all.
    Body(String),
}

/// What is wrong with a call of the token endpoint (§4.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenFlaw {
    /// A field is left out: `grant_type`, `client_id` or `client_secret`.
    Omitted(&'static str),
    /// Another grant type.
    GrantType(String),
    /// Another secret.
    Secret(String),
    /// An unknown client.
    Client(String),
    /// A scope that does not exist.
    Scope(String),
}

/// One act: it finds what it needs itself, so that any subsequence of a case is a case.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Reads a page of a list.
    Page {
        /// Which.
        list: List,
        /// The query parameter `page`, as it is sent.
        page: Option<String>,
        /// The query parameter `status`.
        filter: Option<Filter>,
    },
    /// Reads the `row`th member (from 0) of the first page of its list.
    Read {
        /// What.
        single: Single,
        /// Which.
        row: u8,
    },
    /// Another company reads it (§5.6).
    Spy {
        /// What.
        single: Single,
        /// Which row of the list of the company it belongs to.
        row: u8,
    },
    /// Reads what nobody has.
    Unknown {
        /// What.
        single: Single,
        /// The id.
        id: String,
        /// Whether the id is made of letters and digits, so that it must be answered 404.
        is_plain: bool,
    },
    /// Creates a request for a workflow, from its schema; a sound one is then read, listed and logged.
    Request {
        /// Which of the workflows that are known.
        workflow: u8,
        /// What is wrong with it.
        flaw: Option<RequestFlaw>,
    },
    /// Uploads a document; a sound one is then read and listed.
    Upload {
        /// Part of its file name.
        name: String,
        /// A JSON object.
        metadata: Option<Value>,
        /// What is wrong with it.
        flaw: Option<UploadFlaw>,
    },
    /// Uploads by address; by a sound one the document is then read and listed.
    Address {
        /// Which.
        address: Address,
    },
    /// Registers a webhook below `.invalid`; a sound one is then listed, deleted, and gone.
    Webhook {
        /// Its name.
        name: String,
        /// What is wrong with it.
        flaw: Option<WebhookFlaw>,
    },
    /// Deletes a webhook that nobody has.
    DeleteUnknown {
        /// The id, letters and digits.
        id: String,
    },
    /// Asks for a token.
    Token {
        /// What is wrong with the call.
        flaw: Option<TokenFlaw>,
    },
    /// Calls an operation with a token that must be refused.
    Denied {
        /// Which.
        operation: Operation,
        /// With what.
        token: Unusable,
    },
    /// Calls something that is not there, or not by this method.
    Stray {
        /// Upper case.
        method: &'static str,
        /// Below the base address.
        path: String,
    },
}

/// What the target lets an act do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Means {
    /// Consent to write, with a token that may.
    pub write: bool,
    /// Consent to delete.
    pub delete: bool,
    /// Consent to let the service fetch, with an address that it may.
    pub fetch: bool,
    /// It is a moot mock, with its control plane.
    pub admin: bool,
    /// There is another company.
    pub second_company: bool,
    /// There is an expired token.
    pub expired_token: bool,
    /// There is a revoked token.
    pub revoked_token: bool,
}

impl Act {
    /// The needs (DESIGN §6) of a scenario with this act.
    pub fn needs(&self) -> Vec<&'static str> {
        match self {
            Self::Page { .. } | Self::Read { .. } | Self::Unknown { .. } | Self::Token { .. } => {
                vec!["read"]
            }
            Self::Spy { .. } => vec!["read", "second_company"],
            Self::Request { .. } | Self::Upload { .. } => vec!["read", "write"],
            Self::Address { address: Address::Registered(_) } => {
                vec!["read", "write", "fetch", "admin"]
            }
            Self::Address { .. } => vec!["read", "write", "fetch"],
            Self::Webhook { .. } | Self::DeleteUnknown { .. } => vec!["read", "write", "delete"],
            Self::Denied { operation, token } => {
                let mut needs = vec!["read"];
                needs.extend(consents(operation.method().as_str()));
                match token {
                    Unusable::Expired => needs.push("expired_token"),
                    Unusable::Revoked => needs.push("revoked_token"),
                    Unusable::Missing | Unusable::Unknown(_) | Unusable::ReadOnly => {}
                }
                needs
            }
            Self::Stray { method, .. } => {
                let mut needs = vec!["read"];
                needs.extend(consents(method));
                needs
            }
        }
    }

    /// Calls of it that may create something.
    pub fn creations(&self) -> u32 {
        match self {
            Self::Request { .. }
            | Self::Upload { .. }
            | Self::Address { .. }
            | Self::Webhook { .. } => 1,
            // What is refused creates nothing, where the target is sound.
            Self::Denied { operation, .. } => u32::from(operation.method() == Method::POST),
            Self::Page { .. }
            | Self::Read { .. }
            | Self::Spy { .. }
            | Self::Unknown { .. }
            | Self::DeleteUnknown { .. }
            | Self::Token { .. }
            | Self::Stray { .. } => 0,
        }
    }
}

/// What a call by this method needs beside a token that reads.
fn consents(method: &str) -> &'static [&'static str] {
    match method {
        "GET" => &[],
        "DELETE" => &["write", "delete"],
        _ => &["write"],
    }
}

impl Means {
    /// Whether an act with these needs may be drawn.
    pub fn meet(&self, needs: &[&str]) -> bool {
        needs.iter().all(|need| match *need {
            "write" => self.write,
            "delete" => self.delete,
            "fetch" => self.fetch,
            "admin" => self.admin,
            "second_company" => self.second_company,
            "expired_token" => self.expired_token,
            "revoked_token" => self.revoked_token,
            _ => true,
        })
    }
}
