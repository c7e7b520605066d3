//! The consumer's own bounds and choices.

use alloy_primitives::U256;
use presight_wire::report::Source;
use presight_wire::{AccountId, ChainId, Refusal, hex};
use std::collections::BTreeMap;

/// How many blocks old a report may be when the consumer names no bound: 20 minutes on Ethereum.
pub const DEFAULT_MAX_AGE_BLOCKS: u64 = 100;
/// Seconds a report's `issuedAt` may lie ahead of the consumer's clock.
pub const MAX_CLOCK_SKEW_SECONDS: i64 = 60;
/// Entries of a report's `blocks` that are checked; a report with more is not verifiable.
pub const MAX_REPORT_BLOCKS: usize = 64;

/// What the consumer asks of a report beyond the text's own rules.
#[derive(Debug, Clone)]
pub struct Options {
    /// The sources the consumer chose (ERC-8481 §Consuming a report, 1). Empty: no choice was made, and the step
    /// `trust` is not required.
    pub trusted: Vec<TrustedSource>,
    /// No trust list is no pass: for reports the consumer did not ask for itself (ERC-8481 §Use in a Prepared
    /// Transaction Envelope).
    pub trust_required: bool,
    /// The oldest block a finding may hold at, in blocks before the view's own.
    pub max_age_blocks: u64,
    /// The oldest `issuedAt`, and the oldest block a finding may hold at, in seconds before the clock.
    pub max_age_seconds: Option<u64>,
    /// Other bounds on the blocks of some chains.
    pub max_age_of: BTreeMap<ChainId, MaxAge>,
    /// Conclude verified although the report leaves out entities or core kinds. Whoever sets it treats a core
    /// kind missing for a listed entity (ERC-8481 §Report) as not read, and so everything in
    /// [`crate::VerifiedReport::unlisted`] (ERC-8481 §Entities).
    pub accept_gaps: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            trusted: Vec::new(),
            trust_required: false,
            max_age_blocks: DEFAULT_MAX_AGE_BLOCKS,
            max_age_seconds: None,
            max_age_of: BTreeMap::new(),
            accept_gaps: false,
        }
    }
}

impl Options {
    /// How old a block of this chain may be.
    pub(crate) fn max_age(&self, chain: &ChainId) -> (u64, Option<u64>) {
        let of_chain = self.max_age_of.get(chain).copied().unwrap_or_default();
        (
            of_chain.blocks.unwrap_or(self.max_age_blocks),
            of_chain.seconds.or(self.max_age_seconds),
        )
    }
}

/// How old the blocks of one chain may be; what is not given here is as for every chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MaxAge {
    /// In blocks before the view's own.
    pub blocks: Option<u64>,
    /// In seconds before the clock.
    pub seconds: Option<u64>,
}

/// A source the consumer chose, by its ERC-8004 identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedSource {
    /// The identity registry.
    pub registry: AccountId,
    /// The identity's number.
    pub agent_id: U256,
    /// The only account accepted as its signer; `None` accepts whatever the registry binds.
    pub signer: Option<AccountId>,
}

impl TrustedSource {
    /// Reads `registry/agentId`, such as `eip155:1:0x8004…/42`, or `registry/agentId=signer`, which pins the signer.
    ///
    /// # Errors
    /// `bad-source` when there is no `/`; the codes of CAIP-10 accounts and decimals otherwise.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let (identity, signer) = match text.split_once('=') {
            Some((identity, signer)) => (identity, Some(AccountId::parse(signer, "")?)),
            None => (text, None),
        };
        let (registry, agent_id) = identity
            .rsplit_once('/')
            .ok_or_else(|| Refusal::new("bad-source", "", "a trusted source is written registry/agentId"))?;
        Ok(Self {
            registry: AccountId::parse(registry, "")?,
            agent_id: hex::decimal(agent_id, "")?,
            signer,
        })
    }

    /// Only this account may sign for it.
    #[must_use]
    pub fn with_signer(mut self, signer: AccountId) -> Self {
        self.signer = Some(signer);
        self
    }

    pub(crate) fn is_identity_of(&self, source: &Source) -> bool {
        self.registry == source.registry && self.agent_id == source.agent_id
    }

    pub(crate) fn accepts_signer(&self, source: &Source) -> bool {
        self.signer.as_ref().is_none_or(|pinned| *pinned == source.signer)
    }
}
