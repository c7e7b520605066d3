//! Content identifiers: versions 0 and 1, of raw blocks and of dag-pb blocks, by SHA-256 or inline.

use sha2::{Digest, Sha256};

/// Characters of an identifier's text.
const MAX_TEXT: usize = 512;

const CODEC_RAW: u64 = 0x55;
const CODEC_DAG_PB: u64 = 0x70;
const HASH_IDENTITY: u64 = 0x00;
const HASH_SHA2_256: u64 = 0x12;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Raw,
    DagPb,
}

/// How an identifier names its block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hash {
    Sha2_256([u8; 32]),
    /// The block itself.
    Identity(Vec<u8>),
}

/// A content identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cid {
    pub(super) codec: Codec,
    pub(super) hash: Hash,
    /// As a gateway is asked for it.
    pub(super) text: String,
}

impl Cid {
    /// Reads base58btc (`Qm…`, `z…`), base36 (`k…`), base32 (`b…`) or base16 (`f…`).
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_TEXT {
            return Err(format!("an identifier of more than {MAX_TEXT} characters"));
        }
        let malformed = || "it is no content identifier in base58, base36, base32 or base16".to_owned();
        if text.len() == 46 && text.starts_with("Qm") {
            let bytes = bs58::decode(text).into_vec().map_err(|_| malformed())?;
            return Self::from_bytes(&bytes);
        }
        let bytes = match text.split_at_checked(1) {
            Some(("z", rest)) => bs58::decode(rest).into_vec().map_err(|_| malformed())?,
            Some(("k", rest)) => base36(rest).ok_or_else(malformed)?,
            Some(("b", rest)) => base32(rest).ok_or_else(malformed)?,
            Some(("f", rest)) => alloy_primitives::hex::decode(rest).map_err(|_| malformed())?,
            _ => return Err(malformed()),
        };
        // Version 0 has no text but its own.
        if bytes.first() == Some(&0x12) {
            return Err(malformed());
        }
        Self::from_bytes(&bytes)
    }

    /// The binary form, as links carry it.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        if let [0x12, 0x20, digest @ ..] = bytes {
            let digest = digest
                .try_into()
                .map_err(|_| "a digest that is cut short or runs on")?;
            return Ok(Self {
                codec: Codec::DagPb,
                hash: Hash::Sha2_256(digest),
                text: bs58::encode(bytes).into_string(),
            });
        }
        let cut = "an identifier that is cut short";
        let (version, rest) = varint(bytes).ok_or(cut)?;
        let (codec, rest) = varint(rest).ok_or(cut)?;
        let (function, rest) = varint(rest).ok_or(cut)?;
        let (length, digest) = varint(rest).ok_or(cut)?;
        if version != 1 {
            return Err(format!("an identifier of version {version}"));
        }
        let codec = match codec {
            CODEC_RAW => Codec::Raw,
            CODEC_DAG_PB => Codec::DagPb,
            other => return Err(format!("blocks of codec {other:#x} are not read")),
        };
        if usize::try_from(length).ok() != Some(digest.len()) {
            return Err("a digest of another length than it says".into());
        }
        let hash = match function {
            HASH_SHA2_256 => Hash::Sha2_256(digest.try_into().map_err(|_| "a SHA-256 digest has 32 bytes")?),
            HASH_IDENTITY => Hash::Identity(digest.to_vec()),
            other => return Err(format!("hashes of function {other:#x} are not checked")),
        };
        Ok(Self {
            codec,
            hash,
            text: format!("f{}", alloy_primitives::hex::encode(bytes)),
        })
    }

    /// Whether these bytes are the block it names.
    pub(super) fn names(&self, block: &[u8]) -> bool {
        match &self.hash {
            Hash::Sha2_256(digest) => <[u8; 32]>::from(Sha256::digest(block)) == *digest,
            Hash::Identity(bytes) => bytes == block,
        }
    }
}

/// An unsigned varint of at most 63 bits, in its shortest form, and what follows.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (nth, byte) in bytes.iter().enumerate().take(9) {
        value |= u64::from(byte & 0x7f) << (7 * nth);
        if byte & 0x80 == 0 {
            let shortest = nth == 0 || *byte != 0;
            return shortest.then_some((value, &bytes[nth + 1..]));
        }
    }
    None
}

/// Multibase base36, lower case: one number, each leading `0` a byte of zero.
fn base36(text: &str) -> Option<Vec<u8>> {
    // Least significant first.
    let mut number: Vec<u8> = Vec::new();
    for c in text.chars().skip_while(|c| *c == '0') {
        let mut carry = c.to_digit(36).filter(|_| !c.is_ascii_uppercase())?;
        for byte in &mut number {
            carry += u32::from(*byte) * 36;
            let [.., low] = carry.to_be_bytes();
            *byte = low;
            carry >>= 8;
        }
        if carry > 0 {
            let [.., low] = carry.to_be_bytes();
            number.push(low);
        }
    }
    number.extend(text.chars().take_while(|c| *c == '0').map(|_| 0));
    number.reverse();
    Some(number)
}

/// RFC 4648 base32, lower case, without padding; the bits beyond the last byte are zero.
fn base32(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 5 / 8);
    let (mut buffer, mut bits) = (0_u32, 0_u32);
    for c in text.bytes() {
        let digit = match c {
            b'a'..=b'z' => c - b'a',
            b'2'..=b'7' => c - b'2' + 26,
            _ => return None,
        };
        buffer = (buffer << 5) | u32::from(digit);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            let [.., byte] = (buffer >> bits).to_be_bytes();
            bytes.push(byte);
            buffer &= (1 << bits) - 1;
        }
    }
    (bits < 5 && buffer == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_versions_and_their_bases_are_read() {
        let hello = b"hello world";
        let raw = Cid::parse("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e").unwrap();
        assert_eq!(raw.codec, Codec::Raw);
        assert!(raw.names(hello));
        assert!(!raw.names(b"hello worle"));
        let base16 = Cid::parse("f01551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9");
        assert_eq!(base16, Ok(raw.clone()));
        let base36 = Cid::parse("k2cwued9o1pvrt3q271rrqbo49x30tbxwpoeaq75z14e5ui2rzygpbe1");
        assert_eq!(base36, Ok(raw.clone()));
        assert_eq!(Cid::parse(&raw.text), Ok(raw));

        // A file of one block, as `ipfs add` makes it.
        let v0 = Cid::parse("QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o").unwrap();
        let block = b"\x0a\x12\x08\x02\x12\x0chello world\n\x18\x0c";
        assert_eq!(v0.codec, Codec::DagPb);
        assert!(v0.names(block));
        assert_eq!(v0.text, "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o");
    }

    #[test]
    fn an_inline_block_is_its_own_name() {
        let cid = Cid::parse("f01550002abcd").unwrap();
        assert_eq!(cid.hash, Hash::Identity(vec![0xab, 0xcd]));
        assert!(cid.names(&[0xab, 0xcd]));
        assert!(!cid.names(&[0xab]));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "b",
            "Qm",
            "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff50",
            "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5",
            "BAFKREIFZJUT3TE2NHYEKKLSS27NH3K72YSCO7Y32KOAO5EEI66WOF36N5E",
            "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5",
            "kAB-",
            "K2JVSSY3",
            // A key of IPNS, whose content changes.
            "k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8",
            "f0171122000", // another codec
            "f01551b2000", // another hash
            "f02551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
            "f01551220b94d",
            "f01550003abcd",
            "f0155000180ab",      // runs on
            "f8180001550002abcd", // not the shortest varint
            "é",
        ] {
            assert!(Cid::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[bzfkQ]?[a-z2-7m]{0,70}") {
            let _ = Cid::parse(&text);
        }

        #[test]
        fn what_is_read_is_written_the_same(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(cid) = Cid::from_bytes(&bytes) {
                prop_assert_eq!(Cid::parse(&cid.text), Ok(cid));
            }
        }
    }
}
