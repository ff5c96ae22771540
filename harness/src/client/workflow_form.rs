//! Reads the schema of a workflow (§2.4). It may be bare, or inside `data`.

use serde_json::Value;

/// The schema of a workflow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkflowForm<'a> {
    schema: &'a Value,
}

/// Features of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FormKind {
    /// Whether it has the field `file` for a third-party document.
    pub(crate) takes_file: bool,
    /// The field for internal signers.
    pub(crate) signers: Signers,
    /// Whether it has variables.
    pub(crate) has_variables: bool,
}

/// The field of a form for internal signers (§4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Signers {
    /// No field.
    None,
    /// `internal_signer_email`.
    Single,
    /// `internal_signer_emails[]`.
    Multiple,
}

impl<'a> WorkflowForm<'a> {
    /// Reads a schema. If it has `data` instead of `required_fields`, `data` is read.
    pub(crate) fn new(schema: &'a Value) -> Self {
        let inside = schema.get("data").filter(|_| schema.get("required_fields").is_none());
        // A JSON:API resource has its members in `attributes`.
        let schema = inside.unwrap_or(schema);
        let attributes =
            schema.get("attributes").filter(|_| schema.get("required_fields").is_none());
        Self { schema: attributes.unwrap_or(schema) }
    }

    /// `required_fields`.
    pub(crate) fn required(&self) -> Vec<&'a str> {
        self.names("required_fields")
    }

    /// Whether it has `required_fields`.
    pub(crate) fn is_form(&self) -> bool {
        self.schema.get("required_fields").is_some_and(Value::is_array)
    }

    /// The properties of a field: `fields_properties.FIELD.properties`, or `fields_properties.FIELD`.
    pub(crate) fn field(&self, name: &str) -> Option<&'a Value> {
        let field = self.schema.get("fields_properties")?.get(name)?;
        Some(field.get("properties").unwrap_or(field))
    }

    /// The texts of `options` of a field.
    pub(crate) fn options(&self, name: &str) -> Vec<&'a str> {
        texts(self.field(name).and_then(|field| field.get("options")))
    }

    /// The variables that a request needs, with their properties.
    pub(crate) fn required_variables(&self) -> Vec<(&'a str, Option<&'a Value>)> {
        let listed = self.names("required_variables");
        let known = self.schema.get("variables_properties").and_then(Value::as_object);
        let properties = |name: &str| {
            let variable = known?.get(name)?;
            Some(variable.get("properties").unwrap_or(variable))
        };
        let mut variables: Vec<_> = listed.iter().map(|name| (*name, properties(name))).collect();
        for (name, variable) in known.into_iter().flatten() {
            let is_required = variable.get("required").and_then(Value::as_bool) == Some(true);
            if is_required && !listed.contains(&name.as_str()) {
                variables.push((name, properties(name)));
            }
        }
        variables
    }

    /// Whether it requires variables, but does not describe them in a known way (open in §2.4).
    pub(crate) fn hides_variables(&self) -> bool {
        self.required().contains(&"variables") && !self.describes_variables()
    }

    /// Whether it accepts supporting files.
    pub(crate) fn takes_support_documents(&self) -> bool {
        self.names("optional_fields").contains(&"support_documents[]")
    }

    fn describes_variables(&self) -> bool {
        let described = self.schema.get("variables_properties").and_then(Value::as_object);
        described.is_some_and(|known| !known.is_empty())
            || !self.names("required_variables").is_empty()
    }

    /// The addresses that it offers as internal signers.
    pub(crate) fn signer_options(&self) -> Vec<&'a str> {
        let mut options = self.options("internal_signer_email");
        options.extend(self.options("internal_signer_emails[]"));
        options
    }

    pub(crate) fn kind(&self) -> FormKind {
        let required = self.required();
        let optional = self.names("optional_fields");
        let asks = |name: &str| required.contains(&name) || optional.contains(&name);
        let has_field = |name: &str| asks(name) || self.field(name).is_some();
        let signers = if has_field("internal_signer_emails[]") {
            Signers::Multiple
        } else if has_field("internal_signer_email") {
            Signers::Single
        } else {
            Signers::None
        };
        let has_variables = self.describes_variables() || asks("variables");
        FormKind { takes_file: asks("file"), signers, has_variables }
    }

    fn names(&self, key: &str) -> Vec<&'a str> {
        texts(self.schema.get(key))
    }
}

/// The texts of a list. An object in the list has its text in `value`.
pub(crate) fn texts(list: Option<&Value>) -> Vec<&str> {
    let members = list.and_then(Value::as_array).into_iter().flatten();
    members.filter_map(|member| member.as_str().or_else(|| member.get("value")?.as_str())).collect()
}
