//! What one act of a case does: which operation, with which input. Values only, so that a case can be
//! drawn, made smaller and written down; what each needs is in `means`.

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
    /// The header is no bearer token at all; this is its value.
    Malformed(&'static str),
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
    /// One of the fields that its schema requires is left out: which of them, from 0.
    Lacking(u8),
    /// An e-mail address of the counterparty is this word.
    NoAddress(&'static str, String),
    /// `variables` hold this text, which is no JSON object.
    Variables(String),
    /// The single signer is nobody's e-mail address.
    UnknownSigner(String),
    /// Its workflow is not published.
    Unpublished,
    /// It is sound, and sent with a token that may only read.
    ReadToken,
    /// A field of §4.5 stands there once more, with this text.
    Twice(&'static str, String),
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
    /// A field stands there twice.
    Twice,
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

/// What another company must neither see nor touch, right after it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// An uploaded document.
    Document,
    /// A registered webhook.
    Webhook,
}

/// A call that nobody would think of; only that it is no server error is stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Odd {
    /// A method that reads nothing of §4: `HEAD` or `OPTIONS`, of a path of it.
    Method(&'static str, &'static str),
    /// A list with these query parameters, in order; a name may repeat.
    Query(List, Vec<(String, Vec<String>)>),
    /// A path of §4 with something behind it.
    Path(String),
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
    /// Reads a list from its first page to its last, which partition it.
    Whole {
        /// Which.
        list: List,
    },
    /// Reads all requests, and those in a status: the filter neither leaks nor misses.
    Filtered {
        /// Of §3.
        status: LegalRequestStatus,
    },
    /// Reads the logs of requests in a status that is not the first: each is its own, and tells it.
    Log {
        /// Of §3.
        status: LegalRequestStatus,
    },
    /// Makes something, which another company must neither see nor touch (§5.6).
    Hide {
        /// What.
        hidden: Hidden,
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
    /// Asks for a token, and uses it altered; as it is it must do.
    Altered,
    /// Calls something oddly.
    Odd {
        /// How.
        odd: Odd,
    },
    /// Calls something that is not there, or not by this method.
    Stray {
        /// Upper case.
        method: &'static str,
        /// Below the base address.
        path: String,
    },
}
