//! The state of a node, as health and the log show it.

use serde_json::{Value, json};

use crate::shell::postgres::HeadRow;

/// The state of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum NodeState {
    /// It answers calls.
    Active,
    /// Another node is active.
    Standby,
    /// The database does not answer, or the data are being read.
    #[default]
    Unclear,
}

/// A node's state, and its knowledge of the other nodes.
#[derive(Debug, Default)]
pub(super) struct NodeView {
    pub(super) state: NodeState,
    /// The row of `moot_head`, as it was read last.
    pub(super) row: HeadRow,
    /// The number and the digest of the newest commit that this node read or made.
    newest: Option<(u64, Vec<u8>)>,
    /// The numbers of the newest commit before and after commits were lost.
    pub(super) history_lost: Option<(u64, u64)>,
    /// The reason for an unclear state. Only the log shows it: it names the database, and health needs no token.
    pub(super) trouble: Option<String>,
}

impl NodeView {
    /// Notes the newest commit that this node made.
    pub(super) fn note_commit(&mut self, seq: u64, digest: &[u8]) {
        if self.newest.as_ref().is_none_or(|(newest, _)| *newest < seq) {
            self.newest = Some((seq, digest.to_vec()));
        }
    }

    /// Notes a row that was read. If commits are missing from it, returns the newest number before and after.
    pub(super) fn note_row(&mut self, row: HeadRow) -> Option<(u64, u64)> {
        let lost = self.newest.as_ref().and_then(|(newest, digest)| {
            let is_lost = row.seq < *newest || (row.seq == *newest && row.digest != *digest);
            is_lost.then_some((*newest, row.seq))
        });
        self.newest = Some((row.seq, row.digest.clone()));
        self.history_lost = lost.or(self.history_lost);
        self.row = row;
        lost
    }

    /// The name of the active node, if it is known.
    pub(super) fn active(&self) -> Option<&str> {
        self.row.holder.map(|_| self.row.address.as_str())
    }

    /// The members that a node adds to health.
    pub(super) fn members(&self, name: &str) -> [(&'static str, Value); 5] {
        let state: &str = self.state.into();
        let lost = self.history_lost.map(|(from, to)| json!({ "from": from, "to": to }));
        [
            ("state", json!(state)),
            ("node", json!(name)),
            ("active", json!(self.active())),
            ("epoch", json!(self.row.epoch)),
            ("history_lost", json!(lost)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::NodeView;
    use crate::shell::postgres::HeadRow;

    fn row(seq: u64, digest: &[u8]) -> HeadRow {
        HeadRow { seq, digest: digest.to_vec(), ..HeadRow::default() }
    }

    #[test]
    fn missing_commits_are_noticed() {
        let mut view = NodeView::default();
        assert_eq!(view.note_row(row(7, b"seven")), None, "the first row");
        assert_eq!(view.note_row(row(7, b"seven")), None);
        assert_eq!(view.note_row(row(9, b"nine")), None);
        view.note_commit(12, b"twelve");
        view.note_commit(11, b"eleven");
        assert_eq!(view.note_row(row(12, b"twelve")), None);
        assert_eq!(
            view.note_row(row(12, b"other")),
            Some((12, 12)),
            "another commit of this number"
        );
        assert_eq!(view.note_row(row(10, b"ten")), Some((12, 10)));
        assert_eq!(view.note_row(row(10, b"ten")), None, "it is reported once");
        assert_eq!(view.history_lost, Some((12, 10)), "and stays in health");
    }
}
