//! The EIP-712 hash and signature of a report (ERC-8481 §Signature and source identity).

use super::Report;
use crate::error::Refusal;
use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use std::fmt;
use zeroize::Zeroizing;

const DOMAIN_TYPE: &[u8] = b"EIP712Domain(string name,string version,uint256 chainId)";
const DOMAIN_NAME: &[u8] = b"Agent Pre-Sign Risk Report";
const DOMAIN_VERSION: &[u8] = b"1";
const REPORT_TYPE: &[u8] = b"PresignReport(bytes32 subjectDigest,bytes32 contextDigest,bytes32 reportHash)";

/// The EIP-712 signing hash of `PresignReport(subjectDigest, contextDigest, reportHash)` in the domain of
/// `registry_chain_id`.
pub fn signing_hash(
    registry_chain_id: u64,
    subject_digest: B256,
    context_digest: B256,
    report_hash: B256,
) -> B256 {
    let domain = hash_words(&[
        keccak256(DOMAIN_TYPE),
        keccak256(DOMAIN_NAME),
        keccak256(DOMAIN_VERSION),
        B256::from(U256::from(registry_chain_id)),
    ]);
    let report = hash_words(&[
        keccak256(REPORT_TYPE),
        subject_digest,
        context_digest,
        report_hash,
    ]);
    keccak256([b"\x19\x01", domain.as_slice(), report.as_slice()].concat())
}

fn hash_words(words: &[B256]) -> B256 {
    keccak256(words.concat())
}

/// The signing hash of `report`, whose `reportHash` is `report_hash`: [`Report::hash`] of a report made here,
/// [`super::ReceivedReport::hash`] of one received.
///
/// # Errors
/// `unsupported-chain` when the registry is not on an EVM chain.
pub fn signing_hash_of(report: &Report, report_hash: B256) -> Result<B256, Refusal> {
    let chain = &report.source.registry.chain;
    let chain_id = chain.evm_id().ok_or_else(|| {
        Refusal::new(
            "unsupported-chain",
            "/source/registry",
            format!("`{chain}` is not an eip155 chain"),
        )
    })?;
    Ok(signing_hash(
        chain_id,
        report.subject_digest,
        report.context_digest,
        report_hash,
    ))
}

/// Signs `report` in place.
///
/// # Errors
/// `wrong-signer` when the key is not that of `source.signer`.
pub fn sign(report: &mut Report, key: &SigningKey) -> Result<(), Refusal> {
    let (named, own) = (report.source.signer.address, key.address());
    if named != own {
        let message = format!("the key is that of {own:#x}, the report names {named:#x}");
        return Err(Refusal::new("wrong-signer", "/source/signer", message));
    }
    report.signature = Some(key.sign(signing_hash_of(report, report.hash())?));
    Ok(())
}

/// A secp256k1 signing key; zeroised when dropped, never printed.
pub struct SigningKey(k256::ecdsa::SigningKey);

impl SigningKey {
    /// Reads a key file's content: 32 bytes of hex, `0x` and surrounding white space optional.
    ///
    /// # Errors
    /// `bad-key`; the message never holds any of the text.
    pub fn from_hex(text: &[u8]) -> Result<Self, Refusal> {
        let text = text.trim_ascii();
        let mut bytes = Zeroizing::new([0; 32]);
        hex::decode_to_slice(text, bytes.as_mut_slice())
            .map_err(|_| Refusal::new("bad-key", "", "a key is 64 hex digits"))?;
        Self::from_bytes(&bytes)
            .ok_or_else(|| Refusal::new("bad-key", "", "the number is zero or beyond the curve's order"))
    }

    /// A new key from the system's random source.
    ///
    /// # Errors
    /// `no-randomness` when the system has none to give.
    pub fn random() -> Result<Self, Refusal> {
        loop {
            let mut bytes = Zeroizing::new([0; 32]);
            getrandom::fill(bytes.as_mut_slice())
                .map_err(|e| Refusal::new("no-randomness", "", e.to_string()))?;
            if let Some(key) = Self::from_bytes(&bytes) {
                return Ok(key);
            }
        }
    }

    fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        k256::ecdsa::SigningKey::from_slice(bytes).ok().map(Self)
    }

    /// The key as a key file holds it: `0x` and 64 hex digits.
    pub fn to_hex(&self) -> Zeroizing<String> {
        let bytes = Zeroizing::new(<[u8; 32]>::from(self.0.to_bytes()));
        Zeroizing::new(hex::encode_prefixed(bytes.as_slice()))
    }

    /// The account of the key.
    pub fn address(&self) -> Address {
        Address::from_private_key(&self.0)
    }

    /// RFC 6979 deterministic, low-s signature: 65 bytes r ‖ s ‖ v, v 27 or 28.
    pub fn sign(&self, hash: B256) -> Bytes {
        let (signature, id) = self
            .0
            .sign_prehash_recoverable(hash.as_slice())
            .expect("a 32-byte hash is signed unless r or s is zero, a chance of one in 2^255");
        let mut bytes = signature.to_vec();
        bytes.push(27 + id.to_byte());
        bytes.into()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({:#x})", self.address())
    }
}

/// The account that signed `hash`, as `ecrecover` finds it: `v` is 27 or 28.
///
/// # Errors
/// `bad-signature` for another length, another `v`, or numbers no key can have signed; `high-s` for the other half
/// of the curve, which `ecrecover` takes but which would let anyone write a second signature of the same report.
pub fn recover(hash: B256, signature: &[u8]) -> Result<Address, Refusal> {
    let bad = |message: &str| Refusal::new("bad-signature", "/signature", message);
    let Some((rs, [v])) = signature.split_at_checked(64).filter(|(_, v)| v.len() == 1) else {
        return Err(bad(&format!("65 bytes expected, {} found", signature.len())));
    };
    let parity = match *v {
        27 => 0,
        28 => 1,
        other => return Err(bad(&format!("v is 27 or 28, not {other}"))),
    };
    let rs = Signature::from_slice(rs).map_err(|_| bad("r or s is zero or beyond the curve's order"))?;
    if rs.normalize_s().is_some() {
        return Err(Refusal::new(
            "high-s",
            "/signature",
            "s is in the upper half of the curve's order",
        ));
    }
    let id = RecoveryId::from_byte(parity).expect("0 and 1 are recovery ids");
    VerifyingKey::recover_from_prehash(hash.as_slice(), &rs, id)
        .map(|key| Address::from_public_key(&key))
        .map_err(|_| bad("no key can have made this signature"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_sol_types::{Eip712Domain, SolStruct, sol};
    use proptest::prelude::*;

    sol! {
        struct PresignReport { bytes32 subjectDigest; bytes32 contextDigest; bytes32 reportHash; }
    }

    fn oracle(chain_id: u64, words: [B256; 3]) -> B256 {
        let domain = Eip712Domain::new(
            Some("Agent Pre-Sign Risk Report".into()),
            Some("1".into()),
            Some(U256::from(chain_id)),
            None,
            None,
        );
        let [subject, context, report] = words;
        PresignReport {
            subjectDigest: subject,
            contextDigest: context,
            reportHash: report,
        }
        .eip712_signing_hash(&domain)
    }

    fn key() -> SigningKey {
        SigningKey::from_hex(b"0x4646464646464646464646464646464646464646464646464646464646464646\n").unwrap()
    }

    /// The key, hash and signature of the worked example in EIP-155, whose signature is v 37: parity 0.
    #[test]
    fn signs_as_the_example_of_eip_155() {
        assert_eq!(
            key().address(),
            alloy_primitives::address!("9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f")
        );
        let hash =
            alloy_primitives::b256!("daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53");
        let expected = alloy_primitives::hex!(
            "28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276"
            "67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
            "1b"
        );
        assert_eq!(key().sign(hash).as_ref(), expected);
        assert_eq!(recover(hash, &expected).unwrap(), key().address());
    }

    /// Computed with an independent Keccak, word by word from the text of the ERC.
    #[test]
    fn hashes_as_the_text_says() {
        let word = |n: u64| B256::from(U256::from(n));
        let expected =
            alloy_primitives::b256!("17e8a6b3690c935baaac122d2e3b0d903dbccb1b436aa547ab8e84ff91444ba4");
        assert_eq!(signing_hash(4663, word(1), B256::ZERO, word(2)), expected);
    }

    #[test]
    fn recovers_by_the_v_of_ecrecover_only() {
        let hash = keccak256(b"report");
        let mut signature = key().sign(hash).to_vec();
        assert_eq!(recover(hash, &signature).unwrap(), key().address());
        signature[64] -= 27;
        assert_eq!(recover(hash, &signature).unwrap_err().code, "bad-signature");
    }

    #[test]
    fn refuses_malformed_signatures() {
        let hash = keccak256(b"report");
        let good = key().sign(hash).to_vec();
        let code = |bytes: &[u8]| recover(hash, bytes).unwrap_err().code;
        assert_eq!(code(&good[..64]), "bad-signature");
        assert_eq!(code(&[]), "bad-signature");
        assert_eq!(code(&[good.as_slice(), &[0]].concat()), "bad-signature");
        assert_eq!(code(&[&good[..64], &[29]].concat()), "bad-signature");
        assert_eq!(code(&[&[0; 32], &good[32..]].concat()), "bad-signature");
        assert_eq!(
            code(&[&good[..32], &[0xff; 32], &good[64..]].concat()),
            "bad-signature"
        );

        let order = U256::from_be_bytes(alloy_primitives::hex!(
            "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
        ));
        let high = order - U256::from_be_slice(&good[32..64]);
        let flipped = [&good[..32], &high.to_be_bytes::<32>(), &[55 - good[64]]].concat();
        assert_eq!(code(&flipped), "high-s");
    }

    #[test]
    fn reads_keys_and_never_shows_them() {
        let digits = "46".repeat(32);
        assert_eq!(
            SigningKey::from_hex(digits.as_bytes()).unwrap().to_hex().as_str(),
            format!("0x{digits}")
        );
        assert!(!format!("{:?}", key()).contains("4646"));
        let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
        for bad in [
            "",
            "0x",
            &digits[2..],
            &format!("{digits}00"),
            &"0".repeat(64),
            order,
            &"zz".repeat(32),
        ] {
            let refusal = SigningKey::from_hex(bad.as_bytes()).unwrap_err();
            assert_eq!(refusal.code, "bad-key");
            assert!(bad.len() < 3 || !refusal.message.contains(bad));
        }
    }

    #[test]
    fn generates_fresh_keys() {
        assert_ne!(
            SigningKey::random().unwrap().address(),
            SigningKey::random().unwrap().address()
        );
    }

    proptest! {
        #[test]
        fn hashes_as_alloy_does(chain_id: u64, words: [[u8; 32]; 3]) {
            let [subject, context, report] = words.map(B256::from);
            prop_assert_eq!(signing_hash(chain_id, subject, context, report), oracle(chain_id, [subject, context, report]));
        }

        #[test]
        fn recovers_what_was_signed(hash: [u8; 32]) {
            let signature = key().sign(hash.into());
            prop_assert_eq!(signature.len(), 65);
            prop_assert_eq!(recover(hash.into(), &signature).unwrap(), key().address());
        }

        #[test]
        fn never_panics(hash: [u8; 32], signature in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = recover(hash.into(), &signature);
        }
    }
}
