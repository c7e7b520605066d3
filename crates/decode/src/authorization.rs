//! EIP-7702 authorities: who signed each tuple.

use alloy_primitives::{Address, B256, Signature, keccak256};
use alloy_rlp::Encodable;
use presight_wire::request::Authorization;

/// The first byte of the message a tuple's signature covers (EIP-7702).
const MAGIC: u8 = 0x05;

/// The account whose key signed the tuple, high-s signatures included: whether the tuple would be applied is
/// another question (I-40). `None` where the signature recovers to nothing.
pub(crate) fn authority(tuple: &Authorization) -> Option<Address> {
    let odd_y = match tuple.y_parity {
        0 => false,
        1 => true,
        _ => return None,
    };
    Signature::new(tuple.r, tuple.s, odd_y)
        .recover_address_from_prehash(&message(tuple))
        .ok()
}

/// `keccak256(0x05 ‖ rlp([chain_id, address, nonce]))` (EIP-7702).
fn message(tuple: &Authorization) -> B256 {
    let fields: [&dyn Encodable; 3] = [&tuple.chain_id, &tuple.address, &tuple.nonce];
    let mut bytes = vec![MAGIC];
    alloy_rlp::encode_list::<_, dyn Encodable>(&fields, &mut bytes);
    keccak256(bytes)
}
