//! A row of the table: what a defect breaks, and at which seam.

use std::fmt;

use super::seam::Seam;

/// One way to err.
#[derive(Clone, Copy)]
pub struct Defect {
    /// A slug that never changes: `token.lifetime-3600`.
    pub id: &'static str,
    /// The clause of the specification that it breaks: `2.8`.
    pub section: &'static str,
    /// Ids of the register: checks of one of these rows have to report it.
    pub breaks: &'static [&'static str],
    /// Ids of rows that it breaks too, unavoidably.
    pub also: &'static [&'static str],
    /// What the service does wrong, in one sentence.
    pub what: &'static str,
    /// Whether only scenarios tagged `heavy` notice it.
    pub heavy: bool,
    pub(crate) seam: Seam,
}

impl fmt::Debug for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Defect").field(&self.id).finish()
    }
}

impl PartialEq for Defect {
    /// By id, which is unique.
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Defect {}

/// A row.
pub(super) const fn row(
    id: &'static str,
    section: &'static str,
    breaks: &'static [&'static str],
    what: &'static str,
    seam: Seam,
) -> Defect {
    Defect { id, section, breaks, also: &[], what, heavy: false, seam }
}

impl Defect {
    /// The same row with what it breaks beside.
    pub(super) const fn also(mut self, also: &'static [&'static str]) -> Self {
        self.also = also;
        self
    }

    /// The same row, noticed by heavy scenarios alone.
    pub(super) const fn heavy(mut self) -> Self {
        self.heavy = true;
        self
    }
}
