//! An EIP-1559 transaction, signed.

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_rlp::{Encodable, Header};
use presight_wire::report::sign::SigningKey;

/// EIP-2718's type of an EIP-1559 transaction.
const TYPE: u8 = 2;

/// A call to be sent, all amounts in wei.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Transaction {
    pub(crate) chain_id: u64,
    pub(crate) nonce: u64,
    pub(crate) max_priority_fee: u128,
    pub(crate) max_fee: u128,
    pub(crate) gas: u64,
    pub(crate) to: Address,
    pub(crate) data: Bytes,
}

/// A transaction as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signed {
    pub(crate) raw: Bytes,
    pub(crate) hash: B256,
}

impl Transaction {
    /// The most it can cost for gas; `None` beyond what 256 bits hold.
    pub(crate) fn most(&self) -> Option<U256> {
        U256::from(self.max_fee).checked_mul(U256::from(self.gas))
    }

    /// Signs it (EIP-1559 §Specification).
    pub(crate) fn sign(&self, key: &SigningKey) -> Signed {
        let signature = key.sign(keccak256(self.encoded(None)));
        let (r, s) = (
            U256::from_be_slice(&signature[..32]),
            U256::from_be_slice(&signature[32..64]),
        );
        let is_odd = signature[64] == 28;
        let raw: Bytes = self.encoded(Some((is_odd, r, s))).into();
        let hash = keccak256(&raw);
        Signed { raw, hash }
    }

    fn encoded(&self, signature: Option<(bool, U256, U256)>) -> Vec<u8> {
        let mut members = Vec::new();
        self.chain_id.encode(&mut members);
        self.nonce.encode(&mut members);
        self.max_priority_fee.encode(&mut members);
        self.max_fee.encode(&mut members);
        self.gas.encode(&mut members);
        self.to.encode(&mut members);
        U256::ZERO.encode(&mut members);
        self.data.encode(&mut members);
        // No access list.
        members.push(alloy_rlp::EMPTY_LIST_CODE);
        if let Some((is_odd, r, s)) = signature {
            is_odd.encode(&mut members);
            r.encode(&mut members);
            s.encode(&mut members);
        }
        let mut encoded = vec![TYPE];
        let header = Header {
            list: true,
            payload_length: members.len(),
        };
        header.encode(&mut encoded);
        encoded.extend(members);
        encoded
    }
}
