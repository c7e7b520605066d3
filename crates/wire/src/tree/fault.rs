//! Why a text is no strict JSON document, and where.

use crate::error::push_segment;

/// Why a text is no strict JSON document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultCode {
    /// Not the grammar of RFC 8259; a byte order mark included.
    Syntax,
    /// Not UTF-8.
    InvalidUtf8,
    /// A name twice in one object, compared after unescaping.
    DuplicateKey,
    /// Half of a surrogate pair in an escape.
    LoneSurrogate,
    /// A number beyond the largest IEEE double.
    NumberRange,
    /// A number that a double does not hold exactly (I-2). Only [`crate::json`] refuses it, when asked to.
    InexactNumber,
    /// Too many nested arrays and objects.
    TooDeep,
}

/// The first error of a text in document order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub code: FaultCode,
    /// RFC 6901 pointer. [`super::read`] leaves it empty for [`FaultCode::Syntax`], [`FaultCode::InvalidUtf8`] and
    /// [`FaultCode::TooDeep`].
    pub pointer: String,
    /// For people.
    pub message: String,
    /// The byte of the text where reading stopped.
    pub offset: usize,
}

impl Fault {
    /// A fault of the value that is being read.
    pub(super) fn here(code: FaultCode, offset: usize, message: impl Into<String>) -> Self {
        Self {
            code,
            pointer: String::new(),
            message: message.into(),
            offset,
        }
    }

    /// Puts the container's segment in front, on the way out of it.
    pub(super) fn inside(mut self, segment: &str) -> Self {
        let mut pointer = String::new();
        push_segment(&mut pointer, segment);
        pointer.push_str(&self.pointer);
        self.pointer = pointer;
        self
    }

    /// The fault as README D-1 of the envelope vectors places it: what keeps a text from being a document at all is
    /// a fault of the whole.
    pub(super) fn of_envelope(mut self) -> Self {
        if matches!(
            self.code,
            FaultCode::Syntax | FaultCode::InvalidUtf8 | FaultCode::TooDeep
        ) {
            self.pointer.clear();
        }
        self
    }
}
