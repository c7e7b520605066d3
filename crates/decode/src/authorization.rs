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

#[cfg(test)]
mod tests {
    use super::authority;
    use alloy_primitives::{U256, address, uint};
    use presight_wire::request::Authorization;

    /// The order of secp256k1.
    const ORDER: U256 = uint!(0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141_U256);

    /// Signed with a public test key, nonce 1, clearing the delegation on chain 1.
    fn tuple() -> Authorization {
        Authorization {
            chain_id: U256::ONE,
            address: address!("0x0000000000000000000000000000000000000000"),
            nonce: 1,
            y_parity: 1,
            r: uint!(0xf32a78abe6987d8d048b71f7a89ba2d9626fedf2a08081cfaa53b213168d3d82_U256),
            s: uint!(0x0b4845a411db489ba5b03819fbf80e3874994088a10718cf2a67c7e797251b43_U256),
        }
    }

    #[test]
    fn a_tuple_recovers_to_its_signer() {
        let signer = address!("0x4ddad24756816b972899a5eda789e0343e014db9");
        assert_eq!(authority(&tuple()), Some(signer));
        let high_s = Authorization {
            y_parity: 0,
            s: ORDER - tuple().s,
            ..tuple()
        };
        assert_eq!(
            authority(&high_s),
            Some(signer),
            "I-40: high s recovers all the same"
        );
    }

    #[test]
    fn each_signed_member_changes_the_authority() {
        let signer = authority(&tuple());
        let changed = [
            Authorization {
                chain_id: U256::ZERO,
                ..tuple()
            },
            Authorization { nonce: 2, ..tuple() },
            Authorization {
                address: address!("0x0000000000000000000000000000000000000001"),
                ..tuple()
            },
            Authorization {
                y_parity: 0,
                ..tuple()
            },
        ];
        for tuple in changed {
            assert_ne!(authority(&tuple), signer);
        }
    }

    #[test]
    fn what_is_no_signature_recovers_to_nothing() {
        let bad = [
            Authorization {
                y_parity: 2,
                ..tuple()
            },
            Authorization {
                y_parity: 27,
                ..tuple()
            },
            Authorization {
                r: U256::ZERO,
                ..tuple()
            },
            Authorization {
                s: U256::ZERO,
                ..tuple()
            },
            Authorization { r: ORDER, ..tuple() },
            Authorization { s: ORDER, ..tuple() },
            Authorization {
                r: U256::MAX,
                s: U256::MAX,
                ..tuple()
            },
        ];
        for tuple in bad {
            assert_eq!(authority(&tuple), None, "{tuple:?}");
        }
    }
}
