//! Who makes the reports.

use alloy_primitives::{Address, U256, address};
use presight_source::Config;
use presight_wire::report::Source;
use presight_wire::report::sign::SigningKey;
use presight_wire::{AccountId, ChainId, Refusal};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use zeroize::Zeroizing;

/// Where ERC-8004's identity registry is deployed on most chains.
pub const USUAL_REGISTRY: Address = address!("8004A169FB4a3325136EB29fA0ceB6D2e539a432");
/// Bytes of a key file, which is one line of hex.
pub const MAX_KEY_FILE_BYTES: usize = 1024;

/// The source of reports: its ERC-8004 identity and the key it signs with.
#[derive(Debug)]
pub struct Identity {
    /// The identity registry; [`USUAL_REGISTRY`] on the request's chain when none is named.
    pub registry: Option<AccountId>,
    /// The agent's number.
    pub agent_id: U256,
    /// The signing key; without one reports are unsigned, and consumers treat them as absent.
    pub key: Option<SigningKey>,
    /// What it reads from beside chain state.
    pub sources: Config,
}

impl Identity {
    /// The source as reports about a chain name it. Without a key its signer is the zero address.
    pub fn source(&self, chain: &ChainId) -> Source {
        let registry = match &self.registry {
            Some(registry) => registry.clone(),
            None => AccountId::new(chain.clone(), USUAL_REGISTRY),
        };
        let signer = self.key.as_ref().map_or(Address::ZERO, SigningKey::address);
        Source {
            signer: AccountId::new(registry.chain.clone(), signer),
            registry,
            agent_id: self.agent_id,
        }
    }
}

/// Reads a key from its file of at most [`MAX_KEY_FILE_BYTES`] bytes.
///
/// # Errors
/// `unreadable-file`, `too-large`, and the codes of [`SigningKey::from_hex`].
pub fn load_key(path: &Path) -> Result<SigningKey, Refusal> {
    let shown = path.display();
    let unreadable =
        |e: std::io::Error| Refusal::new("unreadable-file", "", format!("`{shown}` cannot be read: {e}"));
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_KEY_FILE_BYTES + 1));
    let file = File::open(path).map_err(unreadable)?;
    let limit = u64::try_from(MAX_KEY_FILE_BYTES).map_or(u64::MAX, |max| max + 1);
    file.take(limit).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MAX_KEY_FILE_BYTES {
        let message = format!("`{shown}` is larger than {MAX_KEY_FILE_BYTES} bytes");
        return Err(Refusal::new("too-large", "", message));
    }
    SigningKey::from_hex(&bytes)
}
