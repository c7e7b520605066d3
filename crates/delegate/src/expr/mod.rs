//! 256-bit words as terms: hash-consed, rewritten as they are built.
//!
//! Equal terms have equal [`Id`]s. Two different terms may still have equal values.

mod build;
mod logic;

pub(crate) use build::fold;

use alloy_primitives::map::HashMap;
use alloy_primitives::{U256, keccak256};

/// A term of a [`Store`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

impl Id {
    pub(crate) fn index(self) -> u32 {
        self.0
    }
}

/// Marks a period of [`Node::Later`] of transient storage.
pub(crate) const TRANSIENT: u32 = 1 << 31;

/// What a term is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Const(U256),
    /// The account that calls.
    Caller,
    /// The transaction's sender.
    Origin,
    /// Wei that came with the call.
    CallValue,
    /// Bytes of the call's data.
    CallDataSize,
    /// The word of the call's data at an offset, zero bytes beyond its end.
    CallData(Id),
    /// The bytes of the call's data from an offset, that many.
    Slice(Id, Id),
    /// The account's balance; later ones after calls out.
    Balance(u32),
    /// A value of the block or of the machine, by its opcode.
    Env(u8),
    /// The account's storage at the block, at a slot.
    Stored(Id),
    /// What a slot may hold after calls by others, in a period between calls out; of transient storage when the
    /// period is marked.
    Later(Id, u32),
    /// What `ecrecover` gives for hash, v, r, s when it gives something.
    Recovered([Id; 4]),
    /// Whether the n-th call out succeeded.
    Success(u32),
    /// How long the answer of the n-th call out is.
    AnswerSize(u32),
    /// The word at an offset in the answer of the n-th call out.
    Answer(u32, Id),
    /// What code at an address is, by the opcode that asks.
    CodeOf(u8, Id),
    /// Anything.
    Unknown(u32),
    /// Any value that a place of a joined state may hold.
    Joined(u32, u32),
    /// Bytes in memory.
    Bytes(Box<[Piece]>),
    /// The hash of [`Node::Bytes`].
    Keccak(Id),
    Not(Id),
    IsZero(Id),
    Binary(Binary, Id, Id),
    /// `ADDMOD` or `MULMOD`, by opcode.
    Ternary(u8, Id, Id, Id),
}

/// The low `bytes` bytes of a word, or with 0 a whole [`Node::Slice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    pub(crate) value: Id,
    pub(crate) bytes: u8,
}

/// Operations on two words. Others are rewritten into these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    SDiv,
    Mod,
    SMod,
    Exp,
    SignExtend,
    Lt,
    SLt,
    Eq,
    And,
    Or,
    Xor,
    /// By the first, the second.
    Shl,
    /// By the first, the second.
    Shr,
    /// By the first, the second.
    Sar,
}

/// What is known of a term.
#[derive(Debug, Clone, Copy)]
struct Info {
    /// Bits that are zero in every value.
    zeros: U256,
    /// A set that holds the leaves, by their ids modulo 64.
    leaves: u64,
}

/// All terms of an analysis.
#[derive(Debug)]
pub(crate) struct Store {
    nodes: Vec<Node>,
    info: Vec<Info>,
    ids: HashMap<Node, Id>,
    /// What constants were hashed from.
    hashed: HashMap<Id, Id>,
    /// The account's slots at the block, as far as they were read.
    slots: HashMap<U256, U256>,
    /// Slots that are not in `slots` are zero.
    others_are_zero: bool,
    fresh: u32,
    work: std::cell::Cell<u64>,
}

/// Bits of an address.
const ADDRESS_BITS: usize = 160;
/// Bits of a place in memory or of a length: what is longer cannot be paid for.
pub(crate) const SIZE_BITS: usize = 32;

/// The low `bits` bits.
pub(crate) fn low_mask(bits: usize) -> U256 {
    if bits >= 256 {
        U256::MAX
    } else {
        (U256::ONE << bits) - U256::ONE
    }
}

impl Store {
    pub(crate) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            info: Vec::new(),
            ids: HashMap::default(),
            hashed: HashMap::default(),
            slots: HashMap::default(),
            others_are_zero: false,
            fresh: 0,
            work: std::cell::Cell::new(0),
        }
    }

    /// Counts work that no instruction is counted for.
    pub(crate) fn spend(&self, work: u64) {
        self.work.set(self.work.get().saturating_add(work));
    }

    /// The work so far: terms that were built or looked at.
    pub(crate) fn work(&self) -> u64 {
        self.work.get()
    }

    /// How many terms there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Bits that are zero in every value of the term.
    pub(crate) fn zeros(&self, id: Id) -> U256 {
        self.info[id.0 as usize].zeros
    }

    /// A set in which the leaves of the term are, by their ids modulo 64.
    pub(crate) fn leaves(&self, id: Id) -> u64 {
        self.info[id.0 as usize].leaves
    }

    pub(crate) fn value(&self, id: Id) -> Option<U256> {
        match self.node(id) {
            Node::Const(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn is(&self, id: Id, value: u64) -> bool {
        self.value(id) == Some(U256::from(value))
    }

    /// Whether the term is 0 or 1.
    pub(crate) fn is_bool(&self, id: Id) -> bool {
        self.zeros(id) | U256::ONE == U256::MAX
    }

    pub(crate) fn word(&mut self, value: U256) -> Id {
        self.intern(Node::Const(value))
    }

    pub(crate) fn small(&mut self, value: u64) -> Id {
        self.word(U256::from(value))
    }

    /// A number that no other unknown, call or join has.
    pub(crate) fn number(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    /// A word that may be anything.
    pub(crate) fn unknown(&mut self) -> Id {
        let number = self.number();
        self.intern(Node::Unknown(number))
    }

    /// Takes in a slot of the account at the block.
    pub(crate) fn learn_slot(&mut self, slot: U256, value: U256) {
        self.slots.insert(slot, value);
    }

    /// A slot of the account at the block, when it is known.
    pub(crate) fn slot_value(&self, slot: U256) -> Option<U256> {
        self.slots
            .get(&slot)
            .copied()
            .or(self.others_are_zero.then_some(U256::ZERO))
    }

    /// Takes in that every slot that was not taken in is zero.
    pub(crate) fn learn_others_are_zero(&mut self) {
        self.others_are_zero = true;
    }

    /// The account's storage at the block.
    pub(crate) fn stored(&mut self, slot: Id) -> Id {
        let known = match self.value(slot) {
            Some(slot) => match self.slots.get(&slot) {
                Some(value) => Some(*value),
                None => self.others_are_zero.then_some(U256::ZERO),
            },
            // A hash is none of the slots that are not hashes.
            None if self.others_are_zero && self.is_hash_like(slot) => {
                let hashes = self
                    .slots
                    .iter()
                    .any(|(slot, value)| !value.is_zero() && *slot >> 64 != U256::ZERO);
                (!hashes).then_some(U256::ZERO)
            }
            None => None,
        };
        match known {
            Some(value) => self.word(value),
            None => self.intern(Node::Stored(slot)),
        }
    }

    /// Whether a slot is a hash of what is not all known, with at most a small offset.
    pub(crate) fn is_hash_like(&self, slot: Id) -> bool {
        let (base, offset) = self.split(slot);
        base.is_some_and(|base| matches!(self.node(base), Node::Keccak(_))) && offset >> 64 == U256::ZERO
    }

    /// A term that needs no rewriting.
    pub(crate) fn intern(&mut self, node: Node) -> Id {
        self.spend(1);
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        // Terms are bounded by the budget of the analysis, far below 2^32.
        let id = Id(u32::try_from(self.nodes.len()).expect("the budget bounds the terms"));
        let info = self.inform(&node, id);
        self.nodes.push(node.clone());
        self.info.push(info);
        self.ids.insert(node, id);
        id
    }

    /// The terms a term is made of.
    pub(crate) fn children(&self, id: Id) -> Vec<Id> {
        self.node(id).children()
    }
}

impl Node {
    fn children(&self) -> Vec<Id> {
        match self {
            Node::CallData(a)
            | Node::Stored(a)
            | Node::Later(a, _)
            | Node::Answer(_, a)
            | Node::CodeOf(_, a)
            | Node::Keccak(a)
            | Node::Not(a)
            | Node::IsZero(a) => vec![*a],
            Node::Slice(a, b) | Node::Binary(_, a, b) => vec![*a, *b],
            Node::Ternary(_, a, b, c) => vec![*a, *b, *c],
            Node::Recovered(inputs) => inputs.to_vec(),
            Node::Bytes(pieces) => pieces.iter().map(|p| p.value).collect(),
            Node::Const(_)
            | Node::Caller
            | Node::Origin
            | Node::CallValue
            | Node::CallDataSize
            | Node::Balance(_)
            | Node::Env(_)
            | Node::Success(_)
            | Node::AnswerSize(_)
            | Node::Unknown(_)
            | Node::Joined(..) => Vec::new(),
        }
    }
}

impl Store {
    /// The hash of bytes; computed when all are known. A constant keeps what it was hashed from.
    pub(crate) fn keccak(&mut self, bytes: Id) -> Id {
        let known: Option<Vec<u8>> = match self.node(bytes) {
            Node::Bytes(pieces) => pieces.iter().try_fold(Vec::new(), |mut all, piece| {
                let word = self.value(piece.value)?.to_be_bytes::<32>();
                let bytes = usize::from(piece.bytes);
                if bytes == 0 {
                    return None;
                }
                all.extend_from_slice(&word[32 - bytes..]);
                Some(all)
            }),
            _ => None,
        };
        match known {
            Some(bytes_known) => {
                let hash = self.word(keccak256(bytes_known).into());
                self.hashed.insert(hash, bytes);
                hash
            }
            None => self.intern(Node::Keccak(bytes)),
        }
    }

    /// What a term is the hash of.
    pub(crate) fn preimage(&self, id: Id) -> Option<Id> {
        match self.node(id) {
            Node::Keccak(bytes) => Some(*bytes),
            _ => self.hashed.get(&id).copied(),
        }
    }

    /// The pieces of bytes.
    pub(crate) fn pieces(&self, id: Id) -> &[Piece] {
        match self.node(id) {
            Node::Bytes(pieces) => pieces,
            _ => &[],
        }
    }

    /// A term as a term and a constant that are added.
    pub(crate) fn split(&self, id: Id) -> (Option<Id>, U256) {
        match self.node(id) {
            Node::Const(value) => (None, *value),
            Node::Binary(Binary::Add, base, offset) => match self.value(*offset) {
                Some(value) => (Some(*base), value),
                None => (Some(id), U256::ZERO),
            },
            _ => (Some(id), U256::ZERO),
        }
    }

    fn inform(&self, node: &Node, id: Id) -> Info {
        let leaf = 1_u64 << (id.0 % 64);
        let narrow = |bits: usize| Info {
            zeros: !low_mask(bits),
            leaves: leaf,
        };
        let wide = Info {
            zeros: U256::ZERO,
            leaves: leaf,
        };
        let inner = node
            .children()
            .into_iter()
            .fold(0, |all, child| all | self.leaves(child));
        match node {
            Node::Const(value) => Info {
                zeros: !*value,
                leaves: 0,
            },
            Node::Caller | Node::Origin | Node::Recovered(_) => Info {
                leaves: leaf | inner,
                ..narrow(ADDRESS_BITS)
            },
            Node::CallDataSize | Node::AnswerSize(_) => narrow(SIZE_BITS),
            Node::Success(_) => narrow(1),
            // More than any supply there is.
            Node::CallValue | Node::Balance(_) => narrow(128),
            Node::CodeOf(0x3b, _) => Info {
                leaves: leaf | inner,
                ..narrow(SIZE_BITS)
            },
            Node::Env(opcode) => match opcode {
                0x41 => narrow(ADDRESS_BITS),
                0x42 | 0x43 | 0x45 | 0x5a => narrow(64),
                _ => wide,
            },
            Node::Unknown(_) | Node::Joined(..) => wide,
            Node::CallData(_)
            | Node::Slice(..)
            | Node::Stored(_)
            | Node::Later(..)
            | Node::Answer(..)
            | Node::CodeOf(..) => Info {
                zeros: U256::ZERO,
                leaves: leaf | inner,
            },
            Node::Bytes(_) | Node::Keccak(_) | Node::Ternary(..) => Info {
                zeros: U256::ZERO,
                leaves: inner,
            },
            Node::Not(a) => Info {
                zeros: self.value(*a).unwrap_or(U256::ZERO),
                leaves: inner,
            },
            Node::IsZero(_) => Info {
                zeros: !U256::ONE,
                leaves: inner,
            },
            Node::Binary(op, a, b) => Info {
                zeros: self.binary_zeros(*op, *a, *b),
                leaves: inner,
            },
        }
    }

    fn binary_zeros(&self, op: Binary, a: Id, b: Id) -> U256 {
        let (za, zb) = (self.zeros(a), self.zeros(b));
        let above = |bits: usize| !low_mask(bits);
        let width = |zeros: U256| 256 - zeros.leading_ones();
        match op {
            Binary::Lt | Binary::SLt | Binary::Eq => !U256::ONE,
            Binary::And => za | zb,
            Binary::Or | Binary::Xor => za & zb,
            Binary::Add => {
                above(width(za).max(width(zb)) + 1) | low_mask(za.trailing_ones().min(zb.trailing_ones()))
            }
            Binary::Mul => {
                above(width(za) + width(zb)) | low_mask((za.trailing_ones() + zb.trailing_ones()).min(256))
            }
            Binary::Div => above(width(za)),
            Binary::Mod => above(width(za).min(width(zb))),
            Binary::Shl => match self.value(a).and_then(|n| usize::try_from(n).ok()) {
                Some(n) if n < 256 => (zb << n) | low_mask(n),
                _ => U256::ZERO,
            },
            Binary::Shr => match self.value(a).and_then(|n| usize::try_from(n).ok()) {
                Some(n) if n < 256 => (zb >> n) | !(U256::MAX >> n),
                _ => above(width(zb)),
            },
            Binary::Sub | Binary::SDiv | Binary::SMod | Binary::Exp | Binary::SignExtend | Binary::Sar => {
                U256::ZERO
            }
        }
    }
}
