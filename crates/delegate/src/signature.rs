//! What the account's own code says to contracts that ask it whether something is signed.

use crate::call::MAGIC;
use crate::class::{Class, Signed, callers};
use crate::explore::{Engine, Exploration, Path};
use crate::expr::{Id, Node};
use alloy_primitives::{Address, U256, address, keccak256};

/// The entry points of ERC-4337, v0.6 to v0.9. Their addresses commit to their code (CREATE2).
const ENTRY_POINTS: [Address; 4] = [
    address!("0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789"),
    address!("0x0000000071727De22E5E9d8BAf0edAc6f37da032"),
    address!("0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108"),
    address!("0x433709009B8330FDa32311DF1C2AFA402eD8D009"),
];
/// `validateUserOp`, the same in all versions but v0.6, which has another form of the operation.
const VALIDATE: [u32; 2] = [0x1982_2f7c, 0x3a87_1cdd];
/// Functions that an entry point calls for other reasons than a validated operation.
const ASKED_BY_ENTRY_POINT: [&str; 8] = [
    "validateSignatures((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],bytes)",
    "validateSignatures((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],bytes)",
    "validatePaymasterUserOp((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes),bytes32,uint256)",
    "validatePaymasterUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32,uint256)",
    "postOp(uint8,bytes,uint256)",
    "postOp(uint8,bytes,uint256,uint256)",
    "executeUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32)",
    "createSender(bytes)",
];

/// Whether an address is an entry point.
pub(crate) fn is_entry_point(key: U256) -> bool {
    ENTRY_POINTS
        .iter()
        .any(|entry| U256::from_be_slice(entry.as_slice()) == key)
}

/// Whether `isValidSignature` (ERC-1271) may say yes without the account having signed what it is asked about.
pub(crate) fn vouches_for_others(engine: &mut Engine<'_>, exploration: &Exploration) -> bool {
    exploration.paths.iter().any(|path| {
        let Some(answer) = path.answer else {
            return false;
        };
        let asked = selector(engine, path);
        if asked.is_some_and(|asked| !MAGIC.iter().any(|magic| U256::from(*magic) == asked)) {
            return false;
        }
        let head = engine.store.value(answer).map(|word| word >> 224);
        if head.is_some_and(|head| !MAGIC.iter().any(|magic| U256::from(*magic) == head)) {
            return false;
        }
        if signs_word(engine, path, 4) {
            return false;
        }
        // A caller without code asks for itself only; one with code may be what moves tokens on such an answer.
        let Class::Key(key) = callers(engine, path).of_effects else {
            return true;
        };
        !matches!(engine.world.has_code(Address::from_word(key.into())), Ok(false))
    })
}

/// Whether an entry point calls the account only with what the account has signed.
pub(crate) fn entry_point_is_signed(engine: &mut Engine<'_>, exploration: &Exploration) -> bool {
    let validations: Vec<&Path> = exploration
        .paths
        .iter()
        .filter(|path| path.answer.is_some())
        .collect();
    let mut some = false;
    for path in validations {
        let asked = selector(engine, path);
        if asked.is_some_and(|asked| !VALIDATE.iter().any(|s| U256::from(*s) == asked)) {
            continue;
        }
        if let Class::Key(key) = callers(engine, path).of_effects
            && !is_entry_point(key)
        {
            continue;
        }
        if !signs_word(engine, path, 36) {
            return false;
        }
        some = true;
    }
    some
}

/// Whether an entry point can only take this path for a validated operation.
pub(crate) fn is_for_operations(engine: &mut Engine<'_>, path: &Path) -> bool {
    selector(engine, path).is_some_and(|asked| {
        !ASKED_BY_ENTRY_POINT.iter().any(|signature| {
            let hash = keccak256(signature.as_bytes());
            U256::from_be_slice(&hash[..4]) == asked
        })
    })
}

/// The function that a path was called with.
pub(crate) fn selector(engine: &mut Engine<'_>, path: &Path) -> Option<U256> {
    let store = &mut engine.store;
    let (zero, by) = (store.small(0), store.small(224));
    let word = store.intern(Node::CallData(zero));
    let asked = store.shr(by, word);
    path.facts.value(store, asked)
}

/// Whether the account signed the word of the call's data at an offset.
fn signs_word(engine: &mut Engine<'_>, path: &Path, at: u64) -> bool {
    let account = U256::from_be_slice(engine.account.as_slice());
    let at = engine.store.small(at);
    let word = engine.store.intern(Node::CallData(at));
    let digests: Vec<Id> = path
        .facts
        .known()
        .filter(|(_, value)| *value == account)
        .filter_map(|(id, _)| match *engine.store.node(id) {
            Node::Recovered([digest, ..]) => Some(digest),
            _ => None,
        })
        .collect();
    digests
        .into_iter()
        .any(|digest| digest == word || Signed::new(&engine.store, digest).has(word))
}
