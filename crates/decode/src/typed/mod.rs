//! EIP-712 typed data: checked in full by its types, hashed, and read as what it grants or moves.
//!
//! One walk checks and reads the message; what was checked is what is hashed.

mod domain;
mod effects;
mod form;
mod integer;
mod item;
mod order;
mod path;
mod run;
mod type_name;
mod types;

#[cfg(test)]
mod tests;

pub use types::{MAX_NAME_BYTES, MAX_TYPE_MEMBERS, MAX_TYPES};

use crate::call::{Outer, PERMIT2};
use crate::collector::Collector;
use crate::model::{CallNode, Flag, TypedData};
use alloy_primitives::{Address, B256, U256, keccak256};
use domain::Domain;
use effects::Meaning;
use form::Form;
use item::Reader;
use path::Path;
use presight_wire::{ChainId, Refusal};
use run::Run;
use serde_json::{Map, Value};
use types::{DOMAIN, Types};

/// The members of a typed-data document.
pub(crate) const MEMBERS: [&str; 4] = ["types", "primaryType", "domain", "message"];

/// Where a message is signed.
pub(crate) struct Signing<'a> {
    pub(crate) chain: &'a ChainId,
    pub(crate) signer: Address,
    /// Pointer to the typed data in the request document.
    pub(crate) pointer: &'a str,
}

impl Signing<'_> {
    /// Checks the document, lists what the message touches and returns its facts.
    pub(crate) fn decode(
        &self,
        document: &Map<String, Value>,
        collector: &mut Collector,
    ) -> Result<TypedData, Refusal> {
        let path = Path::Root(self.pointer);
        let types_path = path.member("types");
        let mut types = Types::read(object(document, "types", &path)?, &types_path, collector)?;
        let primary = primary_type(document, &types, &path)?;
        types.hash_reachable(primary);
        types.hash_reachable(DOMAIN);

        let domain_value = required(document, "domain", &path)?;
        let inferred = domain::inferred_type(domain_value);
        let mut reader = Reader {
            types: &types,
            collector,
        };
        let domain = Domain::read(
            domain_value,
            &inferred,
            &mut reader,
            &types_path,
            &path.member("domain"),
        )?;
        let message_path = path.member("message");
        let message = reader.structure(primary, required(document, "message", &path)?, &message_path)?;

        let struct_hash = message.word(&types);
        let mut typed_data = TypedData {
            primary_type: primary.to_owned(),
            chain_id: domain.chain_id,
            verifying_contract: domain.verifying_contract,
            domain_name: text(domain_value, "name"),
            domain_version: text(domain_value, "version"),
            separators: domain.separators.clone(),
            digests: domain
                .separators
                .iter()
                .map(|separator| signing_hash(*separator, struct_hash))
                .collect(),
            recognised: None,
            signature_deadline: None,
            payment_limits: None,
            inner: Vec::new(),
            orders: order::of(&types, primary, &message),
            addresses: message.addresses(),
        };
        self.check_chain(&domain, &path, collector)?;
        let Some(form) = Form::of(&types, primary) else {
            if form::resembles_grant(&types, primary) {
                let message = "looks like a permit and is not of a known type: what it grants is not read";
                let pointer = path.member("primaryType").pointer();
                collector.flag(Flag::new("unrecognised-permit", pointer, message))?;
            }
            return Ok(typed_data);
        };
        let contract = domain.verifying_contract.ok_or_else(|| no_contract(&path))?;
        let meaning = effects::of(form, &message, contract, self.signer, &types).ok_or_else(|| {
            let message = format!("the members are not those of `{}`", form.name());
            Refusal::new("bad-struct", message_path.pointer(), message)
        })?;
        typed_data.recognised = Some(form.name());
        typed_data.signature_deadline = meaning.deadline;
        typed_data.payment_limits.clone_from(&meaning.limits);
        typed_data.inner = self.list(form, contract, meaning, &domain, &path, collector)?;
        Ok(typed_data)
    }

    /// Lists the effects, on the chain the domain names: that is where the signature counts. Returns the calls that
    /// the message lets happen.
    fn list(
        &self,
        form: Form,
        contract: Address,
        meaning: Meaning,
        domain: &Domain,
        path: &Path<'_>,
        collector: &mut Collector,
    ) -> Result<Vec<CallNode>, Refusal> {
        if form.is_permit2() && contract != PERMIT2 {
            let message = "a Permit2 message for a contract that is not the canonical Permit2";
            let pointer = path.member("domain").member("verifyingContract").pointer();
            collector.flag(Flag::new("non-canonical-permit2", pointer, message))?;
        }
        if let Some((member, owner)) = meaning.owner
            && owner != self.signer
        {
            let message = "not the account that would sign";
            let pointer = path.member("message").member(member).pointer();
            collector.flag(Flag::new("owner-not-signer", pointer, message))?;
        }
        let chain = match domain.chain_id {
            None => self.chain.clone(),
            Some(chain_id) => evm_chain(chain_id, path)?,
        };
        for effect in meaning.effects {
            collector.effect(effect, &chain, None);
        }
        match meaning.run {
            Run::Nothing => Ok(Vec::new()),
            Run::Unknown => {
                let message = "what the message lets be executed is of an unknown kind";
                let pointer = path.member("message").pointer();
                collector.flag(Flag::new("nested-not-understood", pointer, message))?;
                Ok(Vec::new())
            }
            Run::Call(call, data_member) => {
                let outer = Outer {
                    chain: &chain,
                    signer: self.signer,
                    index: None,
                    pointer: path.member("message").pointer(),
                    data_member,
                };
                Ok(vec![outer.decode(&call, collector)?])
            }
        }
    }

    fn check_chain(
        &self,
        domain: &Domain,
        path: &Path<'_>,
        collector: &mut Collector,
    ) -> Result<(), Refusal> {
        let own = self.chain.evm_id().map(U256::from);
        match domain.chain_id {
            Some(chain_id) if Some(chain_id) != own => {
                let message = format!("the domain is of chain {chain_id}, the request of {}", self.chain);
                let pointer = path.member("domain").member("chainId").pointer();
                collector.flag(Flag::new("domain-chain-mismatch", pointer, message))
            }
            _ => Ok(()),
        }
    }
}

fn primary_type<'d>(
    document: &'d Map<String, Value>,
    types: &Types,
    path: &Path<'_>,
) -> Result<&'d str, Refusal> {
    let place = path.member("primaryType");
    let value = document.get("primaryType").ok_or_else(|| {
        Refusal::new(
            "primary-type-missing",
            path.pointer(),
            "member `primaryType` is missing",
        )
    })?;
    let name = value
        .as_str()
        .ok_or_else(|| Refusal::new("wrong-type", place.pointer(), "a string expected"))?;
    if name == DOMAIN {
        let message = "a domain as the message: wallets hash it differently; not supported";
        return Err(Refusal::new("primary-type-unsupported", place.pointer(), message));
    }
    if types.get(name).is_none() {
        let message = "`types` does not define the primary type";
        return Err(Refusal::new("primary-type-undefined", place.pointer(), message));
    }
    Ok(name)
}

/// A member of the domain that is a text.
fn text(domain: &Value, name: &str) -> Option<String> {
    domain.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn required<'d>(document: &'d Map<String, Value>, name: &str, path: &Path<'_>) -> Result<&'d Value, Refusal> {
    document.get(name).ok_or_else(|| {
        Refusal::new(
            "missing-member",
            path.pointer(),
            format!("member `{name}` is missing"),
        )
    })
}

fn object<'d>(
    document: &'d Map<String, Value>,
    name: &str,
    path: &Path<'_>,
) -> Result<&'d Map<String, Value>, Refusal> {
    let value = required(document, name, path)?;
    value
        .as_object()
        .ok_or_else(|| Refusal::new("wrong-type", path.member(name).pointer(), "an object expected"))
}

/// A message that grants or moves at a contract the domain does not name cannot be reported: neither the token
/// nor the keeper of the allowance is known.
fn no_contract(path: &Path<'_>) -> Refusal {
    let message = "the domain names no verifying contract: what the message grants cannot be named";
    Refusal::new("no-verifying-contract", path.member("domain").pointer(), message)
}

fn evm_chain(chain_id: U256, path: &Path<'_>) -> Result<ChainId, Refusal> {
    u64::try_from(chain_id).map(ChainId::evm).map_err(|_| {
        let pointer = path.member("domain").member("chainId").pointer();
        Refusal::new("unsupported-chain", pointer, "a chain id is below 2^64")
    })
}

/// `keccak256(0x1901 ‖ domainSeparator ‖ hashStruct(message))` (EIP-712).
fn signing_hash(separator: B256, struct_hash: B256) -> B256 {
    keccak256(
        [
            b"\x19\x01".as_slice(),
            separator.as_slice(),
            struct_hash.as_slice(),
        ]
        .concat(),
    )
}
