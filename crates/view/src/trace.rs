//! What transactions did on their way: the call tree and the events.

use alloy_primitives::{Address, B256, Bytes, U256};

/// Bytes of calldata kept of a frame: a selector and eight words.
pub const MAX_FRAME_INPUT: usize = 4 + 8 * 32;

/// How a frame was entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// `CALL`, or the transaction itself.
    Call,
    /// `CALLCODE`.
    CallCode,
    /// `DELEGATECALL`.
    DelegateCall,
    /// `STATICCALL`.
    StaticCall,
    /// `CREATE`, or a creating transaction.
    Create,
    /// `CREATE2`.
    Create2,
    /// `SELFDESTRUCT`: value to the heir.
    SelfDestruct,
}

impl FrameKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Call,
        Self::CallCode,
        Self::DelegateCall,
        Self::StaticCall,
        Self::Create,
        Self::Create2,
        Self::SelfDestruct,
    ];

    /// The kind with this name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The name of its instruction.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "CALL",
            Self::CallCode => "CALLCODE",
            Self::DelegateCall => "DELEGATECALL",
            Self::StaticCall => "STATICCALL",
            Self::Create => "CREATE",
            Self::Create2 => "CREATE2",
            Self::SelfDestruct => "SELFDESTRUCT",
        }
    }
}

/// One frame of the call tree, in order of entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The index of the simulated call it belongs to.
    pub call: usize,
    /// The index of the frame it was entered from.
    pub parent: Option<usize>,
    /// 0 for the call itself.
    pub depth: usize,
    /// How it was entered.
    pub kind: FrameKind,
    /// What the code sees as its caller.
    pub caller: Address,
    /// The account whose storage and balance it has; of a failed creation the zero address.
    pub account: Address,
    /// The account whose code runs.
    pub code: Address,
    /// The value that moves with it, in wei.
    pub value: U256,
    /// Its calldata, the first 260 bytes; empty for a creation.
    pub input: Bytes,
    /// The length of its calldata or creation code.
    pub input_len: usize,
    /// It ended without failing. What it did may still have been undone by a frame around it.
    pub success: bool,
}

impl Frame {
    /// The selector of its calldata.
    pub fn selector(&self) -> Option<[u8; 4]> {
        self.input.first_chunk().copied()
    }
}

/// An event that stands: no frame around it failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// The index of the call that emitted it.
    pub call: usize,
    /// The contract that emitted it.
    pub address: Address,
    /// Its topics.
    pub topics: Vec<B256>,
    /// Its data.
    pub data: Bytes,
}
