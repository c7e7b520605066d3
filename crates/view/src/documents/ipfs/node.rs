//! dag-pb blocks and the UnixFS message in them.

use super::cid::{Cid, varint};

/// A block that is no UnixFS node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an IPFS block that is malformed: {0}")]
pub(super) struct MalformedNode(String);

fn malformed(what: impl Into<String>) -> MalformedNode {
    MalformedNode(what.into())
}

/// What a UnixFS node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A file, or a part of one.
    File,
    Directory,
    Symlink,
    /// A directory spread over many blocks.
    Sharded,
    Metadata,
}

impl Kind {
    fn of(number: u64) -> Option<Self> {
        match number {
            0 | 2 => Some(Self::File),
            1 => Some(Self::Directory),
            3 => Some(Self::Metadata),
            4 => Some(Self::Symlink),
            5 => Some(Self::Sharded),
            _ => None,
        }
    }

    /// For people.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Directory => "a directory",
            Self::Symlink => "a symbolic link",
            Self::Sharded => "a sharded directory",
            Self::Metadata => "metadata",
        }
    }
}

/// A link to another block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) cid: Cid,
}

/// A UnixFS node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DagNode {
    pub(super) kind: Kind,
    pub(super) data: Vec<u8>,
    pub(super) links: Vec<Link>,
}

impl DagNode {
    /// Reads a block: links (field 2) and the UnixFS message (field 1).
    pub(super) fn parse(block: &[u8]) -> Result<Self, MalformedNode> {
        let mut links = Vec::new();
        let mut message = None;
        for field in Fields(block) {
            match field? {
                (1, Field::Bytes(bytes)) => once(&mut message, bytes)?,
                (2, Field::Bytes(bytes)) => links.push(link(bytes)?),
                (number, _) => return Err(malformed(format!("field {number} of dag-pb"))),
            }
        }
        let message = message.ok_or_else(|| malformed("no UnixFS message"))?;
        let (kind, data) = unixfs(message)?;
        Ok(Self { kind, data, links })
    }
}

fn link(bytes: &[u8]) -> Result<Link, MalformedNode> {
    let (mut cid, mut name) = (None, None);
    for field in Fields(bytes) {
        match field? {
            (1, Field::Bytes(bytes)) => once(&mut cid, Cid::from_bytes(bytes).map_err(malformed)?)?,
            (2, Field::Bytes(bytes)) => {
                let text = std::str::from_utf8(bytes).map_err(|_| malformed("a name that is not UTF-8"))?;
                once(&mut name, text.to_owned())?;
            }
            (3, Field::Number(_)) => {}
            (number, _) => return Err(malformed(format!("field {number} of a link"))),
        }
    }
    Ok(Link {
        name: name.unwrap_or_default(),
        cid: cid.ok_or_else(|| malformed("a link without an identifier"))?,
    })
}

/// Type (field 1) and data (field 2). Sizes, mode and times (other fields) say nothing of the content.
fn unixfs(message: &[u8]) -> Result<(Kind, Vec<u8>), MalformedNode> {
    let (mut kind, mut data) = (None, None);
    for field in Fields(message) {
        match field? {
            (1, Field::Number(number)) => {
                let known = Kind::of(number).ok_or_else(|| malformed(format!("UnixFS type {number}")))?;
                once(&mut kind, known)?;
            }
            (2, Field::Bytes(bytes)) => once(&mut data, bytes.to_vec())?,
            (1 | 2, _) => return Err(malformed("a UnixFS field of another type")),
            _ => {}
        }
    }
    let kind = kind.ok_or_else(|| malformed("no UnixFS type"))?;
    Ok((kind, data.unwrap_or_default()))
}

fn once<T>(member: &mut Option<T>, value: T) -> Result<(), MalformedNode> {
    match member.replace(value) {
        None => Ok(()),
        Some(_) => Err(malformed("a field that is given twice")),
    }
}

/// A protobuf field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Of fixed width: nothing here has one that matters.
    Fixed,
}

/// The fields of a protobuf message, in their order.
struct Fields<'a>(&'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Field<'a>), MalformedNode>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.take();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or_else(|| malformed("a field that is cut short")))
    }
}

impl<'a> Fields<'a> {
    fn take(&mut self) -> Option<(u64, Field<'a>)> {
        let (key, rest) = varint(self.0)?;
        let (field, rest) = match key & 7 {
            0 => varint(rest).map(|(number, rest)| (Field::Number(number), rest))?,
            1 => (Field::Fixed, rest.get(8..)?),
            2 => {
                let (length, rest) = varint(rest)?;
                let (bytes, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
                (Field::Bytes(bytes), rest)
            }
            5 => (Field::Fixed, rest.get(4..)?),
            _ => return None,
        };
        self.0 = rest;
        Some((key >> 3, field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_file_of_one_block() {
        let node = DagNode::parse(b"\x0a\x12\x08\x02\x12\x0chello world\n\x18\x0c").unwrap();
        assert_eq!(
            (node.kind, node.data.as_slice()),
            (Kind::File, b"hello world\n".as_slice())
        );
        assert_eq!(node.links, []);
        let empty_directory = DagNode::parse(b"\x0a\x02\x08\x01").unwrap();
        assert_eq!(empty_directory.kind, Kind::Directory);
    }

    #[test]
    fn malformed_blocks_are_told() {
        for block in [
            b"".as_slice(),
            b"\x0a",
            b"\x0a\x05\x08\x02",
            b"\x0a\x02\x08\x09",                 // no such type
            b"\x0a\x00",                         // no type
            b"\x0a\x04\x08\x02\x08\x02",         // the type twice
            b"\x0a\x02\x08\x02\x0a\x02\x08\x02", // two messages
            b"\x1a\x02\x08\x02",                 // another field
            b"\x12\x00\x0a\x02\x08\x01",         // a link to nothing
            b"\x0a\x02\x0a\x00",                 // a type that is bytes
            b"\x08\x01",
        ] {
            assert!(DagNode::parse(block).is_err(), "{block:?}");
        }
    }

    proptest! {
        #[test]
        fn any_block_is_read_or_refused(block in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = DagNode::parse(&block);
        }

        #[test]
        fn any_message_is_read_or_refused(message in proptest::collection::vec(0_u8..32, 0..40)) {
            let length = u8::try_from(message.len()).unwrap();
            let _ = DagNode::parse(&[&[0x0a, length], message.as_slice()].concat());
        }
    }
}
