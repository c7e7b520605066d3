//! A place in the request document, written out only when it is named.

use presight_wire::error::pointer_push;

/// A JSON pointer as a chain of segments on the stack: deep documents cost nothing until a place is reported.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'a> {
    Root(&'a str),
    Member(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    pub(crate) fn member(&'a self, name: &'a str) -> Self {
        Path::Member(self, name)
    }

    pub(crate) fn index(&'a self, index: usize) -> Self {
        Path::Index(self, index)
    }

    /// The RFC 6901 pointer.
    pub(crate) fn pointer(&self) -> String {
        match self {
            Path::Root(pointer) => (*pointer).to_owned(),
            Path::Member(parent, name) => pointer_push(&parent.pointer(), name),
            Path::Index(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }
}
