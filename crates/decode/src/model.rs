//! What decoding yields.

use alloy_primitives::{Address, B256, Bytes, U256};
use presight_wire::ChainId;
use presight_wire::report::{Entities, Form};

/// A request, decoded.
#[derive(Debug, Clone)]
pub struct Decoded {
    /// Entities in the order of I-9. `texts` holds `context.texts` only: token names are read from the chain.
    pub entities: Entities,
    /// For each of `entities.approvals`, what it grants.
    pub grants: Vec<Grant>,
    /// The call tree, one node per call of the request, in order.
    pub calls: Vec<CallNode>,
    /// The typed data, decoded by its types.
    pub typed_data: Option<TypedData>,
    /// Token and native transfers the request names, in order.
    pub transfers: Vec<Transfer>,
    /// One-time Permit2 transfers the request allows; they grant no allowance and are no approvals (I-21).
    pub transfer_permits: Vec<TransferPermit>,
    /// Permits submitted as calls whose owner is not the signer; they are no approvals of the signer (I-38).
    pub foreign_permits: Vec<ForeignPermit>,
    /// What Safes pay for gas, in order. The amounts are known when the gas is used.
    pub refunds: Vec<Refund>,
    /// For each tuple of the authorization list, the authority its signature recovers to.
    pub authorities: Vec<Option<Address>>,
    /// Oddities that do not stop decoding, each with its place in the request document.
    pub flags: Vec<Flag>,
}

/// What one approval grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The amount.
    pub amount: Amount,
    /// When the allowance itself ends (not the deadline of the signature).
    pub expiry: Expiry,
    /// How it is granted; equal to the approval entity's.
    pub form: Form,
    /// Whose allowance it is: the account that makes the call or signs the message. Not the request's signer where
    /// a Safe, an ERC-4337 account or a batch contract makes the call (I-20).
    pub owner: Address,
    /// The contract that keeps the allowance: the token, or Permit2.
    pub keeper: Address,
    /// Whether the bytes name the keeper. Universal Routers and bundlers have their Permit2 built in: there
    /// `keeper` is the canonical one, and the contract may be made with another.
    pub keeper_named: bool,
}

/// A grant with its parties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// The token.
    pub token: Address,
    /// Who may spend.
    pub spender: Address,
    /// What it grants.
    pub grant: Grant,
}

/// How much is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Everything, now and later (`setApprovalForAll`).
    All,
    /// Base units, with the maximum of the amount's type.
    Units {
        /// The amount.
        value: U256,
        /// The maximum of its type: 2^256 - 1, or 2^160 - 1 for Permit2.
        max: U256,
    },
}

/// When an allowance ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expiry {
    /// Never.
    Never,
    /// At this Unix time.
    At(u64),
    /// At the timestamp of the block it is used in (Permit2 expiration 0, I-26).
    SameBlock,
}

/// One call, and the calls inside it.
#[derive(Debug, Clone)]
pub struct CallNode {
    /// The account in whose name the call is made.
    pub caller: Address,
    /// The account called.
    pub to: Address,
    /// Wei sent along.
    pub value: U256,
    /// The calldata.
    pub data: Bytes,
    /// The first four bytes of calldata.
    pub selector: Option<[u8; 4]>,
    /// The canonical signature, where the selector is known and the arguments decode under it.
    pub signature: Option<&'static str>,
    /// The arguments, by name.
    pub args: Vec<(&'static str, serde_json::Value)>,
    /// There is calldata and it was not understood, or not all of it: `inner` and `commands` hold what was.
    pub opaque: bool,
    /// How the code of `to` is run.
    pub operation: Operation,
    /// Calls nested in the calldata, in order.
    pub inner: Vec<CallNode>,
    /// The commands of a Universal Router call, in order.
    pub commands: Vec<Command>,
    /// Oddities of this call: `short-arguments`, `dirty-padding`, `trailing-bytes`,
    /// `non-canonical-encoding`, `non-canonical-permit2`, `delegatecall`, `nested-not-understood`,
    /// `nesting-limit`, `zero-address-target`, `short-transactions`, `undecodable-arguments`, `grant-of-another-kind`.
    pub flags: Vec<&'static str>,
}

/// How the code of a called account is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// In its own account.
    Call,
    /// In the caller's account.
    DelegateCall,
}

/// One command of a Universal Router call.
#[derive(Debug, Clone)]
pub struct Command {
    /// The command byte as given, with its flag and unused bits.
    pub byte: u8,
    /// Its name, where the number is known.
    pub name: Option<&'static str>,
    /// Its arguments, by name, where they decode.
    pub args: Vec<(&'static str, serde_json::Value)>,
    /// Its input was not understood, or not all of it.
    pub opaque: bool,
    /// The commands of a sub-plan.
    pub inner: Vec<Command>,
}

/// Typed data, decoded.
#[derive(Debug, Clone)]
pub struct TypedData {
    /// The primary type.
    pub primary_type: String,
    /// `domain.chainId`, when given.
    pub chain_id: Option<U256>,
    /// `domain.verifyingContract`, when given.
    pub verifying_contract: Option<Address>,
    /// `domain.name`, when given.
    pub domain_name: Option<String>,
    /// `domain.version`, when given.
    pub domain_version: Option<String>,
    /// The EIP-712 domain separator, one for each of `digests`.
    pub separators: Vec<B256>,
    /// The EIP-712 signing hash; two where wallets disagree on what is signed (the declared domain type's
    /// reading first; for an undeclared one the domain inferred from its members, then the empty domain).
    pub digests: Vec<B256>,
    /// The recognised form: `erc2612-permit`, `dai-permit`, `permit2-permit-single`, `permit2-permit-batch`,
    /// `permit2-permit-transfer-from`, `permit2-permit-batch-transfer-from`,
    /// `permit2-permit-witness-transfer-from`, `permit2-permit-batch-witness-transfer-from`,
    /// `erc3009-transfer`, `erc3009-receive`, `erc3009-cancel`, `safe-transaction`, `safe-user-operation`,
    /// `user-operation`, `meta-transaction`, `forward-request`.
    pub recognised: Option<&'static str>,
    /// Unix time after which the signature itself is not accepted, when the form has one.
    pub signature_deadline: Option<U256>,
    /// What limits the payment that an ERC-3009 or a Permit2 transfer message authorizes.
    pub payment_limits: Option<PaymentLimits>,
    /// The calls that the message lets an account or a forwarder make.
    pub inner: Vec<CallNode>,
    /// The orders that the message signs, where it is a Seaport order or a tree of them (`BulkOrder`). The form is
    /// none that is recognised: what its items are depends on the zone, the conduit and who fulfils it.
    pub orders: Vec<Order>,
    /// Every address in the message, by its declared types, whatever its form: in order, as often as they occur.
    pub addresses: Vec<Address>,
}

/// A marketplace order of Seaport (`OrderComponents`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Whose items are offered.
    pub offerer: Address,
    /// How many items it offers.
    pub offered: usize,
    /// How many of the items that have to be given for them go to the offerer.
    pub received: usize,
    /// Unix time at which it ends.
    pub ends: U256,
}

/// When an authorized payment may be taken, and what keeps it from being taken twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentLimits {
    /// Unix time after which it may be taken, where the message says one.
    pub valid_after: Option<U256>,
    /// Unix time from which on it may not be taken (ERC-3009), or after which (Permit2).
    pub valid_before: U256,
    /// The nonce: 32 bytes (ERC-3009), or a number (Permit2).
    pub nonce: U256,
}

/// One transfer named by the request's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// The token; `None` is the native asset.
    pub token: Option<Address>,
    /// Who is debited.
    pub from: Address,
    /// Who is credited.
    pub to: Address,
    /// Base units, or the item count of an ERC-1155 transfer; 1 for ERC-721. The argument of
    /// `transferFrom`, which is an amount or an item depending on the contract.
    pub amount: U256,
    /// The item, where the bytes say that it is one (ERC-721 `safeTransferFrom`, ERC-1155).
    pub token_id: Option<U256>,
    /// Index of the outer call; `None` for typed data.
    pub call_index: Option<usize>,
}

/// A one-time Permit2 transfer that a signature allows (`PermitTransferFrom` family, I-21).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferPermit {
    /// The chain of the EIP-712 domain; the request's where the domain names none.
    pub chain: ChainId,
    /// Permit2.
    pub keeper: Address,
    /// The token.
    pub token: Address,
    /// Base units that may be taken at most.
    pub amount: U256,
    /// Who may take it. It chooses the receiver, unless a witness binds it.
    pub spender: Address,
    /// Unix time after which the signature is not accepted.
    pub deadline: U256,
    /// The witness member named `to`, when it is an address of a witness struct.
    pub witness_to: Option<Address>,
}

/// What a Safe pays for the gas of a transaction that names a gas price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// The token; `None` is the native asset.
    pub token: Option<Address>,
    /// The Safe.
    pub from: Address,
    /// Who is paid; `None` is whoever sends the transaction.
    pub to: Option<Address>,
    /// Index of the outer call; `None` for typed data.
    pub call_index: Option<usize>,
}

/// A permit of another owner, submitted as a call (I-38).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignPermit {
    /// Whose allowance it sets.
    pub owner: Address,
    /// The token.
    pub token: Address,
    /// Who may spend.
    pub spender: Address,
    /// What it grants.
    pub grant: Grant,
    /// Index of the outer call; `None` for typed data.
    pub call_index: Option<usize>,
}

/// An oddity, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// Stable code, such as `bad-checksum`, `extra-member`, `domain-type-missing`.
    pub code: &'static str,
    /// RFC 6901 pointer into the request document.
    pub pointer: String,
    /// One line for people.
    pub message: String,
}

impl Flag {
    /// A flag at a place.
    pub fn new(code: &'static str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            pointer: pointer.into(),
            message: message.into(),
        }
    }
}
