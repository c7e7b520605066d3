//! Code, and where it may be jumped to.

use alloy_primitives::{B256, Bytes, U256, keccak256};

/// `PUSH1`.
const PUSH1: u8 = 0x60;
/// `PUSH32`.
const PUSH32: u8 = 0x7f;
/// `JUMPDEST`.
const JUMPDEST: u8 = 0x5b;

/// Runtime code. Data of PUSH instructions is never taken for code.
#[derive(Debug)]
pub(crate) struct Code {
    bytes: Bytes,
    destinations: Vec<bool>,
    hash: B256,
}

impl Code {
    pub(crate) fn new(bytes: Bytes) -> Self {
        let mut destinations = vec![false; bytes.len()];
        let mut at = 0;
        while let Some(&opcode) = bytes.get(at) {
            destinations[at] = opcode == JUMPDEST;
            at += 1 + pushed(opcode);
        }
        let hash = keccak256(&bytes);
        Self {
            bytes,
            destinations,
            hash,
        }
    }

    /// The opcode at a place; `STOP` beyond the end.
    pub(crate) fn opcode(&self, pc: usize) -> u8 {
        self.bytes.get(pc).copied().unwrap_or(0)
    }

    /// The operand of a PUSH with `count` bytes; zero bytes beyond the end.
    pub(crate) fn operand(&self, pc: usize, count: usize) -> U256 {
        let mut word = [0; 32];
        for (at, byte) in word[32 - count..].iter_mut().enumerate() {
            *byte = self.byte(pc + 1 + at);
        }
        U256::from_be_bytes(word)
    }

    /// The byte at a place; zero beyond the end.
    pub(crate) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The place that a jump to this word reaches.
    pub(crate) fn destination(&self, to: U256) -> Option<usize> {
        let to = usize::try_from(to).ok()?;
        self.destinations.get(to)?.then_some(to)
    }

    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(crate) fn hash(&self) -> B256 {
        self.hash
    }
}

/// How many bytes of data follow an opcode.
pub(crate) fn pushed(opcode: u8) -> usize {
    match opcode {
        PUSH1..=PUSH32 => usize::from(opcode - PUSH1) + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_no_destination() {
        let code = Code::new(vec![0x61, 0x5b, 0x5b, 0x5b, 0x7f, 0x5b].into());
        assert_eq!(code.destination(U256::from(1)), None);
        assert_eq!(code.destination(U256::from(3)), Some(3));
        assert_eq!(code.destination(U256::from(5)), None);
        assert_eq!(code.destination(U256::MAX), None);
        assert_eq!(code.operand(4, 32), U256::from(0x5b) << 248);
    }
}
