//! The anchor contracts: their code, where they are, and how they are called.

use alloy_primitives::{Address, B256, Bytes, U256, address, hex, keccak256};
use anyhow::Context as _;
use presight_wire::Refusal;
use serde_json::Value;

/// Bytes of a report's URI (ERC-8481 §On-chain anchoring).
pub(crate) const MAX_URI_BYTES: usize = 512;
/// The deterministic deployment proxy: it creates what it is sent by `CREATE2`, the salt first.
pub(crate) const DEPLOYER: Address = address!("0x4e59b44847b379578588920ca78fbf26c0b4956c");
/// The salt of the anchors.
pub(crate) const SALT: B256 = B256::ZERO;

/// The compiled contracts, checked against their sources by `make contracts`.
const ARTIFACTS: &str = include_str!("../../../../../contracts/anchor/artifacts.json");

/// Which of the two anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// For chains whose contracts see the chain's own block number.
    Plain,
    /// For Arbitrum's chains.
    Arbitrum,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "PresignReportAnchor",
            Self::Arbitrum => "PresignReportAnchorArbitrum",
        }
    }

    fn code(self, part: &str) -> anyhow::Result<Bytes> {
        let artifacts: Value = serde_json::from_str(ARTIFACTS).context("the artifacts are JSON")?;
        let code = artifacts["contracts"][self.name()][part]
            .as_str()
            .context("the artifacts have the anchors")?;
        Ok(hex::decode(code).context("code is hex")?.into())
    }

    /// What creates it.
    pub(crate) fn creation(self) -> anyhow::Result<Bytes> {
        self.code("creation")
    }

    /// What runs.
    pub(crate) fn runtime(self) -> anyhow::Result<Bytes> {
        self.code("runtime")
    }

    /// Where the deployer puts it, on every chain.
    pub(crate) fn address(self) -> anyhow::Result<Address> {
        Ok(DEPLOYER.create2_from_code(SALT, self.creation()?))
    }
}

/// Calldata of `anchor(bytes32,bytes32,string)`.
///
/// # Errors
/// A digest of zero, or a URI beyond [`MAX_URI_BYTES`]: the contract would revert.
pub(crate) fn anchor_call(subject: B256, report: B256, uri: &str) -> Result<Bytes, Refusal> {
    if subject.is_zero() || report.is_zero() {
        return Err(Refusal::new(
            "zero-hash",
            "",
            "a digest of zero cannot be anchored",
        ));
    }
    if uri.len() > MAX_URI_BYTES {
        let message = format!("the URI has {} bytes, more than {MAX_URI_BYTES}", uri.len());
        return Err(Refusal::new("long-uri", "", message));
    }
    let length = U256::from(uri.len());
    let offset = U256::from(3 * 32);
    let mut data = keccak256("anchor(bytes32,bytes32,string)")[..4].to_vec();
    data.extend_from_slice(subject.as_slice());
    data.extend_from_slice(report.as_slice());
    data.extend(offset.to_be_bytes::<32>());
    data.extend(length.to_be_bytes::<32>());
    data.extend_from_slice(uri.as_bytes());
    data.extend(std::iter::repeat_n(0, uri.len().next_multiple_of(32) - uri.len()));
    Ok(data.into())
}

/// Whether a receipt's log is the event of this anchoring.
pub(crate) fn is_event(log: &Value, contract: Address, source: Address, subject: B256, report: B256) -> bool {
    let parties = [source.into_word(), subject].map(|topic| topic.to_string());
    emitter(log, report) == Some(contract)
        && (1..)
            .zip(&parties)
            .all(|(at, topic)| log["topics"][at] == topic.as_str())
}

/// The contract that says in this log that somebody anchored this report.
pub(crate) fn emitter(log: &Value, report: B256) -> Option<Address> {
    let topics = log["topics"].as_array().filter(|topics| topics.len() == 4)?;
    let event = keccak256("ReportAnchored(address,bytes32,bytes32,string)");
    let is = |at: usize, topic: B256| topics[at] == topic.to_string().as_str();
    let address = log["address"].as_str()?;
    address.parse().ok().filter(|_| is(0, event) && is(3, report))
}

/// Calldata of `anchoredAt(address,bytes32)`.
pub(crate) fn anchored_at_call(source: Address, report: B256) -> Bytes {
    let words = [source.into_word(), report].concat();
    [&keccak256("anchoredAt(address,bytes32)")[..4], words.as_slice()]
        .concat()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses_are_those_of_the_documentation() {
        let plain = address!("0x6626016eEEFE36E4b2eA2A3408b007a4eF7F9Bd3");
        let arbitrum = address!("0x379392159d45d57415FE1b67e1134d1c9c08dFd1");
        assert_eq!(Anchor::Plain.address().unwrap(), plain);
        assert_eq!(Anchor::Arbitrum.address().unwrap(), arbitrum);
        let readme = include_str!("../../../../../contracts/anchor/README.md");
        assert!(readme.contains(&plain.to_string()) && readme.contains(&arbitrum.to_string()));
    }

    #[test]
    fn calldata_is_what_the_contract_decodes() {
        let (subject, report) = (B256::repeat_byte(1), B256::repeat_byte(2));
        let uri = "u".repeat(33);
        let data = anchor_call(subject, report, &uri).unwrap();
        assert_eq!(data.len(), 4 + 4 * 32 + 64);
        assert_eq!(data[4..36], subject[..]);
        assert_eq!(data[4 + 4 * 32..4 + 4 * 32 + 33], *uri.as_bytes());
        assert_eq!(anchor_call(subject, report, "").unwrap().len(), 4 + 4 * 32);
        assert_eq!(anchor_call(B256::ZERO, report, "").unwrap_err().code, "zero-hash");
        assert!(anchor_call(subject, report, &"u".repeat(512)).is_ok());
        assert_eq!(
            anchor_call(subject, report, &"u".repeat(513)).unwrap_err().code,
            "long-uri"
        );
    }
}
