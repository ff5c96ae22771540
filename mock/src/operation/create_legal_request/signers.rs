//! Internal signers of §4.5: one, or several in signing order. Each is one of the schema's options.

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SignerStyle;

use super::invalid;
use crate::value::message::fields::MultipartFields;
use crate::value::message::problem::{Problem, shown};
use crate::value::message::rule::Rule;
use crate::world::state::resource::workflow::Workflow;
use crate::world::state::resource::workflow_fields::{SIGNER, SIGNERS};

/// The signers in signing order. If only one is configured, it is assigned automatically.
///
/// # Errors
/// By the answer `request_field_invalid`.
pub(super) fn read(
    answers: &Answers,
    fields: &MultipartFields<'_>,
    workflow: &Workflow,
) -> Result<Vec<String>, Problem> {
    let (field, named) = match workflow.seed.signers {
        SignerStyle::Single if workflow.lists(SIGNER) => {
            (SIGNER, fields.text(SIGNER)?.into_iter().collect())
        }
        SignerStyle::Multiple if workflow.lists(SIGNERS) => (SIGNERS, fields.texts(SIGNERS)?),
        SignerStyle::Single | SignerStyle::Multiple => (SIGNER, Vec::new()),
    };
    let mut signers: Vec<String> = Vec::with_capacity(named.len());
    for email in named {
        let option =
            workflow.seed.signer_options.iter().find(|known| known.eq_ignore_ascii_case(email));
        let Some(option) = option else {
            let options = workflow.seed.signer_options.join(", ");
            let detail = format!("`{field}`: `{}` is none of {options}.", shown(email));
            return Err(invalid(answers, Rule::Field(field.to_owned()), detail));
        };
        if signers.contains(option) {
            let detail = format!("`{field}`: `{option}` is named twice.");
            return Err(invalid(answers, Rule::Field(field.to_owned()), detail));
        }
        signers.push(option.clone());
    }
    match (signers.is_empty(), workflow.seed.signer_options.as_slice()) {
        (true, [only]) => Ok(vec![only.clone()]),
        _ => Ok(signers),
    }
}
