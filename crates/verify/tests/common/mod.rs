//! A world in which every step passes: a request, the report made of it, and the chains the consumer reads.
//! A test breaks one thing and looks at the steps.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

pub mod registry;

use alloy_primitives::{Address, B256, Bytes, U256, address, hex};
use presight_decode::decode;
use presight_source::assemble;
use presight_verify::{Options, Status, Unverified, Verification, verify};
use presight_view::{AccountSnapshot, Answer, Block, ChainSnapshot, HardFork, Snapshot, run_recorded};
use presight_wire::report::sign::{SigningKey, signing_hash};
use presight_wire::report::{Report, Source, hash_of};
use presight_wire::{AccountId, ChainId, Reason, Request, Timestamp};
use registry::Registry;
use serde_json::{Value, json};

pub const TOKEN: Address = address!("a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48");
pub const SPENDER: Address = address!("00000000000000000000000000000000005be4de");
pub const REGISTRY: Address = address!("8004000000000000000000000000000000008004");
pub const STRANGER: Address = address!("5749000000000000000000000000000000005749");
/// The request's chain and the registry's.
pub const CHAIN: u64 = 1;
pub const REGISTRY_CHAIN: u64 = 4663;
pub const HEAD: u64 = 21_000_000;
pub const AGENT: u64 = 42;
pub const NOW: i64 = 1_796_040_000;

/// `approve(SPENDER, 2^256 - 1)`.
pub const APPROVE: &str = "0x095ea7b300000000000000000000000000000000000000000000000000000000005be4deffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";

/// A token that answers every call with 32 zero bytes: no ERC-721, supply and allowances 0, names empty.
const RETURNS_ZERO: [u8; 10] = hex!("600060005260206000f3");

pub struct World {
    pub snapshot: Snapshot,
    pub request: Value,
    pub report: Value,
    pub options: Options,
    pub key: SigningKey,
}

pub fn key(byte: u8) -> SigningKey {
    SigningKey::from_hex(hex::encode([byte; 32]).as_bytes()).unwrap()
}

pub fn approve_request() -> Value {
    json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls",
            "chainId": "eip155:1",
            "from": "eip155:1:0x1111111111111111111111111111111111111111",
            "calls": [{ "to": format!("{TOKEN:#x}"), "value": "0", "data": APPROVE }],
        },
        "context": { "texts": [{ "field": "tool-output", "text": "swap 5 USDC" }] },
    })
}

/// The same call in an ERC-8265 envelope.
pub fn envelope_request() -> Value {
    json!({
        "version": "erc-presign/1",
        "subject": { "type": "erc8265-envelope", "envelope": {
            "$schema": "https://txkit.dev/schemas/v0.1/envelope.json",
            "kind": "evm-tx",
            "issuedAt": "2026-11-30T11:30:00Z",
            "content": {
                "chain": "eip155:1",
                "from": "0x1111111111111111111111111111111111111111",
                "calls": [{ "to": format!("{TOKEN:#x}"), "value": "0x0", "data": APPROVE, "operation": "call" }],
                "validity": { "notAfter": 1_798_000_000 },
                "description": { "short": "Approve", "action": "approve" },
                "metadata": { "protocol": "test", "tokenMovements": [], "counterparties": [] },
            },
        } },
    })
}

impl World {
    /// The key of `source.signer` is the agent's wallet.
    pub fn new() -> Self {
        Self::of(approve_request())
    }

    pub fn of(request: Value) -> Self {
        let key = key(7);
        let mut registry = ChainSnapshot::new(block(REGISTRY_CHAIN), HardFork::Prague);
        registry.accounts.insert(
            REGISTRY,
            Registry::deployed()
                .owner(AGENT, address!("00000000000000000000000000000000000000aa"))
                .wallet(AGENT, Some(key.address()))
                .uri(AGENT, "")
                .into_account(),
        );
        registry.accounts.insert(key.address(), with_code(&[]));
        let mut chain = ChainSnapshot::new(block(CHAIN), HardFork::Prague);
        chain.accounts.insert(TOKEN, with_code(&RETURNS_ZERO));
        chain.accounts.insert(SPENDER, with_code(&hex!("6001")));
        let mut snapshot = Snapshot::new(Timestamp(NOW));
        snapshot.chains.insert(ChainId::evm(CHAIN), chain);
        snapshot.chains.insert(ChainId::evm(REGISTRY_CHAIN), registry);
        snapshot.closed = Some(Reason::Unavailable);
        let mut world = Self {
            snapshot,
            request,
            report: Value::Null,
            options: Options::default(),
            key,
        };
        world.make_report();
        world
    }

    /// Makes the report of the request anew, and signs it.
    pub fn make_report(&mut self) {
        let request = self.parsed_request();
        let decoded = decode(&request).unwrap();
        let source = self.source();
        let report: Report = run_recorded(&self.snapshot, |view| {
            assemble(
                view,
                &request,
                &decoded,
                &source,
                &presight_source::Config::default(),
            )
        })
        .value
        .unwrap();
        self.report = report.to_value();
        self.sign();
    }

    pub fn source(&self) -> Source {
        Source {
            registry: AccountId::new(ChainId::evm(REGISTRY_CHAIN), REGISTRY),
            agent_id: U256::from(AGENT),
            signer: AccountId::new(ChainId::evm(REGISTRY_CHAIN), self.key.address()),
        }
    }

    /// What `source.signer` signs.
    pub fn signing_hash(&self) -> B256 {
        let digest = |name: &str| self.report[name].as_str().unwrap().parse::<B256>().unwrap();
        signing_hash(
            REGISTRY_CHAIN,
            digest("subjectDigest"),
            digest("contextDigest"),
            hash_of(&self.report),
        )
    }

    /// Signs the report as it stands, after a test has changed it.
    pub fn sign(&mut self) {
        self.report["signature"] = json!(self.key.sign(self.signing_hash()));
    }

    pub fn parsed_request(&self) -> Request {
        Request::from_value(self.request.clone()).unwrap()
    }

    pub fn unverified(&self) -> Unverified {
        Unverified::parse(self.report.to_string().as_bytes()).unwrap()
    }

    pub fn verify(&self) -> Verification {
        let request = self.parsed_request();
        let report = self.unverified();
        run_recorded(&self.snapshot, |view| {
            verify(&report, &request, view, &self.options)
        })
        .value
        .unwrap()
    }

    /// Asserts that exactly these steps do not pass, with these statuses. `trust` is left aside unless a trust
    /// list is given.
    #[track_caller]
    pub fn assert_steps(&self, expected: &[(&str, Status)]) -> Verification {
        let verification = self.verify();
        let found: Vec<_> = verification
            .steps()
            .iter()
            .filter(|step| step.status != Status::Pass && step.required)
            .map(|step| (step.name, step.status))
            .collect();
        assert_eq!(found, expected, "{:#?}", verification.steps());
        verification
    }

    pub fn chain(&mut self) -> &mut ChainSnapshot {
        self.snapshot.chains.get_mut(&ChainId::evm(CHAIN)).unwrap()
    }

    pub fn registry_chain(&mut self) -> &mut ChainSnapshot {
        self.snapshot
            .chains
            .get_mut(&ChainId::evm(REGISTRY_CHAIN))
            .unwrap()
    }

    pub fn set_registry(&mut self, registry: Registry) {
        self.registry_chain()
            .accounts
            .insert(REGISTRY, registry.into_account());
    }

    /// The account of `source.signer`.
    pub fn signer_account(&mut self) -> &mut AccountSnapshot {
        let signer = self.key.address();
        self.registry_chain().accounts.entry(signer).or_default()
    }
}

pub fn with_code(code: &[u8]) -> AccountSnapshot {
    AccountSnapshot {
        code: Some(Answer::Known(Bytes::copy_from_slice(code))),
        ..AccountSnapshot::default()
    }
}

/// The pinned block of a chain: hash and time follow from the chain id.
pub fn block(chain: u64) -> Answer<Block> {
    Answer::Known(Block {
        number: HEAD,
        hash: B256::from(U256::from(chain)),
        timestamp: u64::try_from(NOW - 12).unwrap(),
        ..Block::default()
    })
}
