//! What a node says about itself.

use serde_json::{Value, json};

use crate::shell::postgres::HeadRow;

/// What a node is, as others see it.
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

/// What is known of the nodes.
#[derive(Debug, Default)]
pub(super) struct NodeView {
    pub(super) state: NodeState,
    /// The row as it was seen last.
    pub(super) row: HeadRow,
    /// The newest commit that this node knows: seen in the row, or made by itself.
    newest: Option<(u64, Vec<u8>)>,
    /// The numbers of the newest commit before and after commits were lost.
    pub(super) history_lost: Option<(u64, u64)>,
    /// Why the state is unclear. The log says it, but health does not: it names the database, and anybody
    /// may ask for health.
    pub(super) trouble: Option<String>,
}

impl NodeView {
    /// Takes note of the newest commit that this node made.
    pub(super) fn committed(&mut self, seq: u64, digest: &[u8]) {
        if self.newest.as_ref().is_none_or(|(newest, _)| *newest < seq) {
            self.newest = Some((seq, digest.to_vec()));
        }
    }

    /// Takes note of the row. Gives the numbers of commits if commits that this node knew are missing.
    pub(super) fn saw(&mut self, row: HeadRow) -> Option<(u64, u64)> {
        let lost = self.newest.as_ref().and_then(|(newest, digest)| {
            let is_lost = row.seq < *newest || (row.seq == *newest && row.digest != *digest);
            is_lost.then_some((*newest, row.seq))
        });
        self.newest = Some((row.seq, row.digest.clone()));
        self.history_lost = lost.or(self.history_lost);
        self.row = row;
        lost
    }

    /// The address of the active node, as far as it is known.
    pub(super) fn active(&self) -> Option<&str> {
        self.row.holder.map(|_| self.row.address.as_str())
    }

    /// The members that health shows beside those of any mock.
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
    fn commits_that_are_missing_are_noticed() {
        let mut view = NodeView::default();
        assert_eq!(view.saw(row(7, b"seven")), None, "the first look");
        assert_eq!(view.saw(row(7, b"seven")), None);
        assert_eq!(view.saw(row(9, b"nine")), None);
        view.committed(12, b"twelve");
        view.committed(11, b"eleven");
        assert_eq!(view.saw(row(12, b"twelve")), None);
        assert_eq!(view.saw(row(12, b"other")), Some((12, 12)), "another commit of this number");
        assert_eq!(view.saw(row(10, b"ten")), Some((12, 10)));
        assert_eq!(view.saw(row(10, b"ten")), None, "it is said once");
        assert_eq!(view.history_lost, Some((12, 10)), "and stays in health");
    }
}
