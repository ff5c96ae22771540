//! The arguments of commands that look at the suite itself.

use std::path::PathBuf;

use clap::Args;

use super::request::{SelftestReport, selftest_report};

#[derive(Debug, Args)]
pub(in crate::command) struct CheckArguments {
    /// Scenario files, or folders of them
    #[arg(value_name = "FILE", required = true)]
    pub(in crate::command) files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct ExplainArguments {
    /// Ids of requirements, questions or defects; each is a page, or a JSON document, of its own
    #[arg(value_name = "ID", required = true)]
    pub(in crate::command) ids: Vec<String>,
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(in crate::command) scenarios: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct CoverageArguments {
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(in crate::command) scenarios: Vec<PathBuf>,
    /// A deployment (a target file, or a base address), to be told what would not run there, and the
    /// setting that would enable it; nothing is sent to it
    #[arg(long, value_name = "FILE|URL")]
    pub(in crate::command) target: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct SelftestArguments {
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(in crate::command) scenarios: Vec<PathBuf>,
    /// A deployment (a target file, or a base address): it is asked once under its consents, and the
    /// defects that rewrite a response are laid over its answers; says which checks are alive there
    #[arg(long, value_name = "FILE|URL", conflicts_with_all = ["seeds", "thorough"])]
    pub(in crate::command) target: Option<String>,
    /// Services with drawn answers that the suite must bear
    #[arg(long, value_name = "N", default_value_t = SEEDS)]
    pub(in crate::command) seeds: u64,
    /// Only these defects; all where absent, repeatable
    #[arg(long = "defect", value_name = "ID")]
    pub(in crate::command) defects: Vec<String>,
    /// Try each defect on every scenario, not on its own and a sample of the others
    #[arg(long)]
    pub(in crate::command) thorough: bool,
    /// Write the kill matrix too: json, html or markdown (a page that has the markers of an earlier
    /// one keeps the rest); repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = selftest_report)]
    pub(in crate::command) reports: Vec<SelftestReport>,
}

impl SelftestArguments {
    /// Whether this defect is tried.
    pub(in crate::command) fn is_chosen(&self, id: &str) -> bool {
        self.defects.is_empty() || self.defects.iter().any(|chosen| chosen == id)
    }
}

/// Services with drawn answers, unless said otherwise.
const SEEDS: u64 = 40;
