//! What is written down while transactions run: the call tree, the pre-images of hashes, and what of its
//! surroundings the code looked at.

use super::trace::{Frame, FrameKind, MAX_FRAMES};
use crate::state::CallContext;
use alloy_primitives::{Address, Bytes, U256};
use presight_view::MAX_FRAME_INPUT;
use revm::Inspector;
use revm::bytecode::opcode;
use revm::context::CreateScheme;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_types::{InputsTr, Jumps, LoopControl, MemoryTr};
use revm::interpreter::{CallInputs, CallOutcome, CallScheme, CreateInputs, CreateOutcome, Interpreter};
use std::collections::{BTreeMap, BTreeSet};

/// Pre-images kept in one simulation.
pub const MAX_PREIMAGES: usize = 1 << 16;
/// Writes to storage kept in one simulation.
pub const MAX_WRITES: usize = 1 << 16;
/// The longest pre-image that is kept, in bytes: keys and slots are words, and string keys are rarely longer.
const MAX_PREIMAGE: usize = 128;

/// What code may look at that differs between a simulation and a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Surrounding {
    /// `TIMESTAMP`.
    Timestamp,
    /// `NUMBER`.
    Number,
    /// `COINBASE`.
    Coinbase,
    /// `PREVRANDAO`, or `DIFFICULTY` before the merge.
    PrevRandao,
    /// `GASLIMIT`, the block's.
    GasLimit,
    /// `BASEFEE`.
    BaseFee,
    /// `BLOBBASEFEE`.
    BlobBaseFee,
    /// `BLOCKHASH`.
    BlockHash,
    /// `GASPRICE`.
    GasPrice,
    /// What is left: `GAS`, or a call or creation, which gets no more than a part of it and may run out alone
    /// (EIP-150).
    GasLeft,
    /// `BALANCE` or `SELFBALANCE`.
    Balance,
}

impl Surrounding {
    /// A stable word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Timestamp => "timestamp",
            Self::Number => "number",
            Self::Coinbase => "coinbase",
            Self::PrevRandao => "prevrandao",
            Self::GasLimit => "gas-limit",
            Self::BaseFee => "base-fee",
            Self::BlobBaseFee => "blob-base-fee",
            Self::BlockHash => "block-hash",
            Self::GasPrice => "gas-price",
            Self::GasLeft => "gas-left",
            Self::Balance => "balance",
        }
    }

    fn looked_at_by(code: u8) -> Option<Self> {
        Some(match code {
            opcode::TIMESTAMP => Self::Timestamp,
            opcode::NUMBER => Self::Number,
            opcode::COINBASE => Self::Coinbase,
            opcode::DIFFICULTY => Self::PrevRandao,
            opcode::GASLIMIT => Self::GasLimit,
            opcode::BASEFEE => Self::BaseFee,
            opcode::BLOBBASEFEE => Self::BlobBaseFee,
            opcode::BLOCKHASH => Self::BlockHash,
            opcode::GASPRICE => Self::GasPrice,
            opcode::GAS
            | opcode::CALL
            | opcode::CALLCODE
            | opcode::DELEGATECALL
            | opcode::STATICCALL
            | opcode::CREATE
            | opcode::CREATE2 => Self::GasLeft,
            opcode::BALANCE | opcode::SELFBALANCE => Self::Balance,
            _ => return None,
        })
    }
}

/// A write to storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Write {
    /// The index of the frame that writes.
    pub(super) frame: usize,
    /// Whose storage.
    pub(super) account: Address,
    pub(super) slot: U256,
    pub(super) value: U256,
}

/// The record of a simulation.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// The index of the call that runs.
    pub(super) call: usize,
    /// The call tree in order of entry.
    pub(super) frames: Vec<Frame>,
    /// Frames that are open, `None` for one that is not recorded.
    open: Vec<Option<usize>>,
    /// Frames were left out.
    pub(super) frames_left_out: bool,
    /// Pre-images by their hash.
    pub(super) preimages: BTreeMap<U256, Bytes>,
    /// Pre-images were left out.
    pub(super) preimages_left_out: bool,
    /// Writes to storage, in order.
    pub(super) writes: Vec<Write>,
    /// Writes were left out.
    pub(super) writes_left_out: bool,
    /// A pre-image whose hash is being computed.
    hashing: Option<Bytes>,
    /// What the code looked at.
    pub(super) looked_at: BTreeSet<Surrounding>,
}

impl Recorder {
    fn enter(&mut self, frame: impl FnOnce(usize, Option<usize>, usize) -> Frame) {
        let index = if self.frames.len() < MAX_FRAMES {
            let parent = self.open.last().copied().flatten();
            let frame = frame(self.call, parent, self.open.len());
            self.frames.push(frame);
            Some(self.frames.len() - 1)
        } else {
            self.frames_left_out = true;
            None
        };
        self.open.push(index);
    }

    fn leave(&mut self, success: bool, created: Option<Address>) {
        let left = self.open.pop().flatten();
        if let Some(frame) = left.and_then(|index| self.frames.get_mut(index)) {
            frame.success = success;
            if let Some(address) = created {
                frame.account = address;
                frame.code = address;
            }
        }
    }

    fn write(&mut self, interpreter: &Interpreter<EthInterpreter>) {
        let (Ok(slot), Ok(value)) = (interpreter.stack.peek(0), interpreter.stack.peek(1)) else {
            return; // it fails
        };
        match self.open.last().copied().flatten() {
            Some(frame) if self.writes.len() < MAX_WRITES => self.writes.push(Write {
                frame,
                account: interpreter.input.target_address(),
                slot,
                value,
            }),
            _ => self.writes_left_out = true,
        }
    }

    fn keep(&mut self, hash: U256, preimage: Bytes) {
        if self.preimages.len() < MAX_PREIMAGES {
            self.preimages.insert(hash, preimage);
        } else {
            self.preimages_left_out = true;
        }
    }
}

impl<'v> Inspector<CallContext<'v>, EthInterpreter> for Recorder {
    #[inline]
    fn step(&mut self, interpreter: &mut Interpreter<EthInterpreter>, _context: &mut CallContext<'v>) {
        let code = interpreter.bytecode.opcode();
        if code == opcode::KECCAK256 {
            self.hashing = preimage(interpreter);
        } else if code == opcode::SSTORE {
            self.write(interpreter);
        } else if let Some(surrounding) = Surrounding::looked_at_by(code) {
            self.looked_at.insert(surrounding);
        }
    }

    #[inline]
    fn step_end(&mut self, interpreter: &mut Interpreter<EthInterpreter>, _context: &mut CallContext<'v>) {
        if let Some(preimage) = self.hashing.take()
            && interpreter.bytecode.is_not_end()
            && let Ok(hash) = interpreter.stack.peek(0)
        {
            self.keep(hash, preimage);
        }
    }

    fn call(&mut self, context: &mut CallContext<'v>, inputs: &mut CallInputs) -> Option<CallOutcome> {
        let input = inputs.input.as_bytes(context);
        let kept = Bytes::copy_from_slice(input.get(..MAX_FRAME_INPUT).unwrap_or(&input));
        let input_len = input.len();
        drop(input);
        let kind = match inputs.scheme {
            CallScheme::Call => FrameKind::Call,
            CallScheme::CallCode => FrameKind::CallCode,
            CallScheme::DelegateCall => FrameKind::DelegateCall,
            CallScheme::StaticCall => FrameKind::StaticCall,
        };
        self.enter(|call, parent, depth| Frame {
            call,
            parent,
            depth,
            kind,
            caller: inputs.caller,
            account: inputs.target_address,
            code: inputs.bytecode_address,
            value: inputs.transfer_value().unwrap_or(U256::ZERO),
            input: kept,
            input_len,
            success: false,
        });
        None
    }

    fn call_end(&mut self, _: &mut CallContext<'v>, _: &CallInputs, outcome: &mut CallOutcome) {
        self.leave(outcome.result.is_ok(), None);
    }

    fn create(&mut self, _: &mut CallContext<'v>, inputs: &mut CreateInputs) -> Option<CreateOutcome> {
        let kind = match inputs.scheme() {
            CreateScheme::Create2 { .. } => FrameKind::Create2,
            _ => FrameKind::Create,
        };
        self.enter(|call, parent, depth| Frame {
            call,
            parent,
            depth,
            kind,
            caller: inputs.caller(),
            account: Address::ZERO,
            code: Address::ZERO,
            value: inputs.value(),
            input: Bytes::new(),
            input_len: inputs.init_code().len(),
            success: false,
        });
        None
    }

    fn create_end(&mut self, _: &mut CallContext<'v>, _: &CreateInputs, outcome: &mut CreateOutcome) {
        self.leave(outcome.result.is_ok(), outcome.address);
    }

    fn selfdestruct(&mut self, contract: Address, heir: Address, value: U256) {
        self.enter(|call, parent, depth| Frame {
            call,
            parent,
            depth,
            kind: FrameKind::SelfDestruct,
            caller: contract,
            account: heir,
            code: heir,
            value,
            input: Bytes::new(),
            input_len: 0,
            success: true,
        });
        self.open.pop();
    }
}

/// The bytes that `KECCAK256` is about to hash, when there are few.
fn preimage(interpreter: &Interpreter<EthInterpreter>) -> Option<Bytes> {
    let offset = usize::try_from(interpreter.stack.peek(0).ok()?).ok()?;
    let length = usize::try_from(interpreter.stack.peek(1).ok()?).ok()?;
    if length == 0 || length > MAX_PREIMAGE {
        return None;
    }
    // Memory beyond its size is zero.
    let held = interpreter.memory.size();
    let start = offset.min(held);
    let end = offset.checked_add(length)?.min(held);
    let mut bytes = interpreter.memory.slice(start..end.max(start)).to_vec();
    bytes.resize(length, 0);
    Some(bytes.into())
}
