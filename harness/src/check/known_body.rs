//! What checks found out about the bytes of a body, kept beside them: what is the same in every answer of
//! these bytes is looked at once.

use std::sync::OnceLock;

use super::Judgement;

/// What was found out so far; the same for whoever asks, and never anything but what asking anew would
/// find.
#[derive(Debug, Default)]
pub struct KnownBody {
    is_sound: OnceLock<bool>,
    /// The first schema that it was held to, and what came of it.
    shape: OnceLock<(&'static str, Judgement)>,
}

impl KnownBody {
    /// Whether no member is there twice, which `find` finds out.
    pub(super) fn is_sound(&self, find: impl FnOnce() -> bool) -> bool {
        *self.is_sound.get_or_init(find)
    }

    /// Whether it satisfies the schema of this name, which `find` finds out.
    pub(super) fn shape(&self, schema: &'static str, find: impl Fn() -> Judgement) -> Judgement {
        match self.shape.get_or_init(|| (schema, find())) {
            (known, judgement) if *known == schema => judgement.clone(),
            (_, _) => find(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::KnownBody;
    use crate::check::Judgement;

    #[test]
    fn what_was_found_is_not_looked_for_again_and_another_schema_is_another_question() {
        let (known, asked) = (KnownBody::default(), Cell::new(0));
        let find = || {
            asked.set(asked.get() + 1);
            Judgement::empty(format!("{}", asked.get()))
        };
        assert_eq!(known.shape("a", find), Judgement::empty("1"));
        assert_eq!(known.shape("a", find), Judgement::empty("1"));
        assert_eq!(known.shape("b", find), Judgement::empty("2"));
        assert_eq!(known.shape("a", find), Judgement::empty("1"));
        assert!(known.is_sound(|| true) && known.is_sound(|| false));
    }
}
