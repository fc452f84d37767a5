//! The evaluator of a store: lent to it, or shared with others.

use std::{ops::Deref, sync::Arc};

/// An evaluator.
pub(super) enum Network<'e, E> {
    /// Someone else keeps it.
    Borrowed(&'e E),
    /// It lives as long as anyone uses it.
    Shared(Arc<E>),
}

impl<E> Clone for Network<'_, E> {
    fn clone(&self) -> Self {
        match self {
            Self::Borrowed(evaluator) => Self::Borrowed(evaluator),
            Self::Shared(evaluator) => Self::Shared(Arc::clone(evaluator)),
        }
    }
}

impl<E> Deref for Network<'_, E> {
    type Target = E;

    fn deref(&self) -> &E {
        match self {
            Self::Borrowed(evaluator) => evaluator,
            Self::Shared(evaluator) => evaluator,
        }
    }
}
