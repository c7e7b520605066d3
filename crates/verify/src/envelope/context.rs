//! What only the consumer has: its clock, its thresholds, its address book, its policies.

use super::moment::Moment;
use alloy_primitives::Address;
use presight_wire::error::pointer_push;
use presight_wire::json::{self, Numbers};
use presight_wire::{Refusal, hex};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The buffer below an on-chain expiry that §5.4 recommends, in seconds.
pub const DEFAULT_EXPIRY_BUFFER: u64 = 60;
/// Entries of an address book, at most.
pub const MAX_CONTACTS: usize = 100_000;
/// Bytes of an address book's file, at most.
pub const MAX_CONTACT_BOOK_BYTES: usize = 16 * 1024 * 1024;

/// What a consumer checks an envelope with. What is `None` is not checked, and the outcome says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckContext {
    /// The time.
    pub now: Option<Moment>,
    /// Warn of an envelope that holds longer than this from now, in seconds.
    pub long_validity: Option<u64>,
    /// Warn of an envelope that holds shorter than this from now, in seconds.
    pub least_time_left: Option<u64>,
    /// Seconds that `notAfter` has to lie before the earliest on-chain expiry.
    pub expiry_buffer: u64,
    /// The user's own address book.
    pub contact_book: Option<ContactBook>,
    /// Which delegatecalls are let through.
    pub delegatecall: DelegatecallPolicy,
    /// The ERC-7730 descriptor that the consumer resolved `decoderRef` to.
    pub descriptor: Option<Map<String, Value>>,
}

impl Default for CheckContext {
    fn default() -> Self {
        Self {
            now: None,
            long_validity: None,
            least_time_left: None,
            expiry_buffer: DEFAULT_EXPIRY_BUFFER,
            contact_book: None,
            delegatecall: DelegatecallPolicy::Warn,
            descriptor: None,
        }
    }
}

/// Which delegatecalls are let through (§Security Considerations). All are warned of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DelegatecallPolicy {
    /// Every one.
    Warn,
    /// None: each needs the user's own confirmation outside this check.
    Deny,
    /// Those whose target is listed.
    AllowList(Vec<Address>),
    /// None, unless all calls succeed when they are simulated on the view. Code that a call or a message lets run
    /// in the signer's own account is not simulated here: refused.
    RequireSimulation,
}

/// The user's own address book: the only proof that a label is theirs (§5.6.1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactBook(BTreeMap<Address, Option<String>>);

impl ContactBook {
    /// Reads a JSON array of addresses, or of objects with `address` and `label`. An address in letters of both cases
    /// has to be in the form of EIP-55: another one is perhaps not the address that was meant.
    ///
    /// # Errors
    /// The reading errors of [`json::parse`]; `wrong-type`, `bad-address`, `bad-checksum`, `unknown-member`,
    /// `duplicate-contact`, `too-many`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let document = json::parse(bytes, Numbers::Double)?;
        let entries = document
            .as_array()
            .ok_or_else(|| Refusal::new("wrong-type", "", "an array of contacts expected"))?;
        if entries.len() > MAX_CONTACTS {
            let message = format!("{} contacts; MAX_CONTACTS is {MAX_CONTACTS}", entries.len());
            return Err(Refusal::new("too-many", "", message));
        }
        let mut contacts = BTreeMap::new();
        for (index, entry) in entries.iter().enumerate() {
            let pointer = format!("/{index}");
            let (address, label) = contact(entry, &pointer)?;
            if contacts.insert(address, label).is_some() {
                let message = format!("{address:#x} is in the book twice: which name is meant is not said");
                return Err(Refusal::new("duplicate-contact", pointer, message));
            }
        }
        Ok(Self(contacts))
    }

    /// Whether the user knows this address.
    pub fn contains(&self, address: Address) -> bool {
        self.0.contains_key(&address)
    }

    /// What the user calls it, where they named it.
    pub fn label(&self, address: Address) -> Option<&str> {
        self.0.get(&address)?.as_deref()
    }

    /// The addresses, ascending.
    pub fn addresses(&self) -> impl Iterator<Item = Address> {
        self.0.keys().copied()
    }
}

impl FromIterator<(Address, Option<String>)> for ContactBook {
    fn from_iter<I: IntoIterator<Item = (Address, Option<String>)>>(contacts: I) -> Self {
        Self(contacts.into_iter().collect())
    }
}

fn contact(entry: &Value, pointer: &str) -> Result<(Address, Option<String>), Refusal> {
    match entry {
        Value::String(address) => Ok((hex::address(address, pointer)?, None)),
        Value::Object(members) => {
            if let Some(name) = members
                .keys()
                .find(|name| !matches!(name.as_str(), "address" | "label"))
            {
                let message = "a contact has `address` and `label`";
                return Err(Refusal::new(
                    "unknown-member",
                    pointer_push(pointer, name),
                    message,
                ));
            }
            let text = |name: &str| match members.get(name) {
                None => Ok(None),
                Some(Value::String(text)) => Ok(Some(text.as_str())),
                Some(_) => Err(Refusal::new(
                    "wrong-type",
                    pointer_push(pointer, name),
                    "a text expected",
                )),
            };
            let address = text("address")?.ok_or_else(|| {
                Refusal::new(
                    "missing-member",
                    pointer_push(pointer, "address"),
                    "an address expected",
                )
            })?;
            let address = hex::address(address, &pointer_push(pointer, "address"))?;
            Ok((address, text("label")?.map(str::to_owned)))
        }
        _ => Err(Refusal::new(
            "wrong-type",
            pointer,
            "an address or a contact expected",
        )),
    }
}
