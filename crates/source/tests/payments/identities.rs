//! The payee's identity on a real ERC-8004 registry: the wallet pairs and the eight outcomes of payee verification.

use crate::common::{self, DEPLOYER, World};
use crate::{PAYER, empty, finding, pair, pair_value, reason, report, request, value};
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, sol};
use presight_source::Config;
use presight_source::payment::flat_type::signing_hash;
use presight_view::drive::run_recorded;
use presight_view::{Answer, Document, Snapshot, View, Want};
use presight_wire::report::sign::SigningKey;
use presight_wire::{ChainId, Reason};
use serde_json::{Value, json};

sol! {
    contract Registry {
        function register(string uri) external returns (uint256);
        function unsetAgentWallet(uint256 agentId) external;
        function setAgentWallet(uint256 agentId, address wallet, uint256 deadline, bytes signature) external;
        function transferFrom(address from, address to, uint256 agentId) external;
        function setAgentURI(uint256 agentId, string uri) external;
    }
}

const BINDING: &str = "erc.presign.payment.payee-binding";
const RESOURCE: &str = "https://seller.example/v1/check?x=1";

/// A registry with agent 0, whose owner and wallet are [`DEPLOYER`].
struct Registered {
    world: World,
    registry: Address,
}

impl Registered {
    fn new() -> Self {
        let bytes = std::fs::read(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../verify/tests/data/TestAgentRegistry.json"
        ))
        .unwrap();
        let artifact: Value = serde_json::from_slice(&bytes).unwrap();
        let creation: Bytes = artifact["bytecode"].as_str().unwrap().parse().unwrap();
        let mut world = World::new();
        let registry = world.create(&creation, &[]);
        let mut registered = Self { world, registry };
        registered.send(&Registry::registerCall {
            uri: file(&json!([{ "name": "web", "endpoint": "https://seller.example/v1" }])),
        });
        registered
    }

    fn send(&mut self, call: &impl SolCall) {
        self.world.send(self.registry, call.abi_encode().into());
    }

    fn name_file(&mut self, uri: &str) {
        self.send(&Registry::setAgentURICall {
            agentId: U256::ZERO,
            uri: uri.to_owned(),
        });
    }

    /// Makes the account of a key the agent's wallet.
    fn set_wallet(&mut self, key: &SigningKey) {
        use alloy_primitives::keccak256;
        // The little chain runs its transactions at the beginning of time.
        let deadline = U256::from(200);
        let domain = keccak256(
            [
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
                ),
                keccak256("ERC8004IdentityRegistry"),
                keccak256("1"),
                U256::from(common::CHAIN).into(),
                self.registry.into_word(),
            ]
            .concat(),
        );
        let message = keccak256(
            [
                keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)"),
                U256::ZERO.into(),
                key.address().into_word(),
                DEPLOYER.into_word(),
                deadline.into(),
            ]
            .concat(),
        );
        let hash = keccak256([b"\x19\x01".as_slice(), domain.as_slice(), message.as_slice()].concat());
        self.send(&Registry::setAgentWalletCall {
            agentId: U256::ZERO,
            wallet: key.address(),
            deadline,
            signature: key.sign(hash),
        });
    }

    fn payment(&self, pay_to: Address) -> Value {
        json!({
            "requirements": {
                "scheme": "exact", "network": "eip155:31337", "amount": "3", "maxTimeoutSeconds": 60, "extra": {},
                "asset": "native", "payTo": format!("{pay_to:#x}"),
            },
            "payee": { "registry": format!("eip155:31337:{:#x}", self.registry), "agentId": "0" },
        })
    }

    fn outcome(&self, payment: &Value) -> Value {
        value(
            &report(&self.world.complete(), &request(31337, None, payment)),
            BINDING,
        )
        .clone()
    }
}

fn file(services: &Value) -> String {
    let file =
        json!({ "type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1", "services": services });
    format!("data:application/json,{file}")
}

fn key() -> SigningKey {
    SigningKey::from_hex(&[b'7'; 64]).unwrap()
}

const OTHER: Address = Address::repeat_byte(0x77);

#[test]
fn pay_to_is_compared_with_the_wallet_and_with_zero_once_it_is_cleared() {
    let mut registered = Registered::new();
    let payment = registered.payment(OTHER);
    let read = report(&registered.world.complete(), &request(31337, None, &payment));
    let (other, wallet) = (format!("{OTHER:#x}"), format!("{DEPLOYER:#x}"));
    let expected = json!({ "equal": false, "left": other, "right": wallet });
    assert_eq!(*pair_value(&read, "payTo=agentWallet"), expected);
    let found = pair(&read, "payTo=agentWallet").unwrap();
    assert_eq!(found.at.as_ref().unwrap().block, 1_000);
    assert_eq!(found.evidence.len(), 1);
    // A transferred identity has no wallet (ERC-8004).
    registered.send(&Registry::transferFromCall {
        from: DEPLOYER,
        to: OTHER,
        agentId: U256::ZERO,
    });
    let read = report(&registered.world.complete(), &request(31337, None, &payment));
    let zero = format!("{:#x}", Address::ZERO);
    assert_eq!(
        *pair_value(&read, "payTo=agentWallet"),
        json!({ "equal": false, "left": other, "right": zero })
    );
}

#[test]
fn each_of_the_eight_outcomes() {
    let mut registered = Registered::new();
    let mut own = registered.payment(DEPLOYER);
    assert_eq!(registered.outcome(&own), "verified-wallet");
    own["resource"] = RESOURCE.into();
    assert_eq!(registered.outcome(&own), "verified-wallet");
    own["resource"] = "https://seller.example/v2".into();
    assert_eq!(registered.outcome(&own), "endpoint-unlisted");
    assert_eq!(registered.outcome(&registered.payment(OTHER)), "mismatch");
    let mut nobody = own.clone();
    nobody["payee"]["agentId"] = "5".into();
    assert_eq!(registered.outcome(&nobody), "no-identity");
    nobody["payee"] = json!({ "registry": format!("eip155:31337:{OTHER:#x}"), "agentId": "0" });
    assert_eq!(registered.outcome(&nobody), "no-identity");

    registered.set_wallet(&key());
    assert_eq!(
        registered.outcome(&registered.payment(key().address())),
        "verified-wallet"
    );
    assert_eq!(registered.outcome(&registered.payment(DEPLOYER)), "owner-only");
    let delegated = delegation(&registered, OTHER, 1_800_000_000);
    let mut payment = registered.payment(OTHER);
    payment["requirements"]["extra"]["payeeDelegation"] = delegated.clone();
    assert_eq!(registered.outcome(&payment), "verified-delegation");
    payment["resource"] = "https://elsewhere.example/".into();
    assert_eq!(registered.outcome(&payment), "endpoint-unlisted");
    payment.as_object_mut().unwrap().remove("resource");
    for (member, other) in [
        ("delegate", json!(PAYER)),
        ("agentId", json!("1")),
        ("agentRegistry", json!(PAYER)),
        ("validUntil", json!("1700000011")),
        ("signature", json!("0x00")),
        ("signature", json!(null)),
    ] {
        let mut broken = payment.clone();
        broken["requirements"]["extra"]["payeeDelegation"][member] = other;
        assert_eq!(registered.outcome(&broken), "invalid-delegation", "{member}");
    }
    payment["requirements"]["extra"]["payeeDelegation"] = "yes".into();
    assert_eq!(registered.outcome(&payment), "invalid-delegation");

    // A delegation in the service of the resource counts as well.
    registered.name_file(&file(
        &json!([{ "name": "web", "endpoint": "https://seller.example/v1", "payeeDelegation": delegated }]),
    ));
    let mut payment = registered.payment(OTHER);
    payment["resource"] = RESOURCE.into();
    assert_eq!(registered.outcome(&payment), "verified-delegation");

    registered.send(&Registry::unsetAgentWalletCall { agentId: U256::ZERO });
    assert_eq!(registered.outcome(&registered.payment(OTHER)), "no-agent-wallet");
    assert_eq!(registered.outcome(&registered.payment(DEPLOYER)), "owner-only");
}

fn delegation(registered: &Registered, delegate: Address, until: u64) -> Value {
    let format = Config::default().payment.payee_delegation;
    let mut message = json!({
        "agentRegistry": format!("{:#x}", registered.registry), "agentId": "0",
        "delegate": format!("{delegate:#x}"), "validUntil": until.to_string(),
    });
    let hash = format.message.hash_struct(message.as_object().unwrap()).unwrap();
    let hash = signing_hash(&format.domain_name, &format.domain_version, common::CHAIN, hash);
    message["signature"] = key().sign(hash).to_string().into();
    message
}

#[test]
fn registration_files_are_read_from_documents() {
    let mut registered = Registered::new();
    let mut payment = registered.payment(DEPLOYER);
    payment["resource"] = RESOURCE.into();
    let body = json!({ "endpoints": [{ "endpoint": "https://seller.example/v1/check" }] }).to_string();
    for uri in [
        "https://seller.example/agent.json",
        "ipfs://bafkreigh2akiscaildc/agent.json",
    ] {
        registered.name_file(uri);
        let mut snapshot = registered.world.complete();
        let document = Document {
            content_type: None,
            bytes: body.clone().into_bytes().into(),
        };
        snapshot.documents.insert(uri.to_owned(), Answer::Known(document));
        let read = report(&snapshot, &request(31337, None, &payment));
        assert_eq!(*value(&read, BINDING), "verified-wallet");
        let evidence = serde_json::to_string(&finding(&read, BINDING).unwrap().evidence).unwrap();
        assert!(evidence.contains(uri) && evidence.contains(&alloy_primitives::keccak256(&body).to_string()));
        for reason_given in [Reason::Unavailable, Reason::Timeout] {
            snapshot
                .documents
                .insert(uri.to_owned(), Answer::Failed(reason_given));
            let read = report(&snapshot, &request(31337, None, &payment));
            assert_eq!(reason(finding(&read, BINDING)), reason_given);
        }
    }
    for (uri, expected) in [
        ("ftp://seller.example/agent.json", Reason::Unsupported),
        ("http://seller.example/agent.json", Reason::Unsupported),
        ("data:application/json;base64,bm90IGpzb24=", Reason::Unavailable),
    ] {
        registered.name_file(uri);
        let read = report(&registered.world.complete(), &request(31337, None, &payment));
        assert_eq!(reason(finding(&read, BINDING)), expected, "{uri}");
    }
    registered.name_file("");
    assert_eq!(registered.outcome(&payment), "endpoint-unlisted");
}

#[test]
fn another_ledgers_payee_and_a_missing_one_are_not_read() {
    let registered = Registered::new();
    let mut payment = registered.payment(OTHER);
    payment["requirements"]["network"] = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp".into();
    payment["requirements"]["payTo"] = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin".into();
    let snapshot = registered.world.complete();
    let read = report(&snapshot, &request(31337, None, &payment));
    assert_eq!(reason(finding(&read, BINDING)), Reason::Unsupported);
    assert_eq!(reason(pair(&read, "payTo=agentWallet")), Reason::Unsupported);
    payment["requirements"].as_object_mut().unwrap().remove("payTo");
    let read = report(&snapshot, &request(31337, None, &payment));
    assert_eq!(reason(finding(&read, BINDING)), Reason::Unavailable);
    assert!(
        pair(&read, "payTo=agentWallet").is_none(),
        "a pair that cannot be formed"
    );
}

#[test]
fn a_registry_on_another_chain_has_its_own_block() {
    let registered = Registered::new();
    let mut snapshot = empty(8453, 1_700_000_012);
    let registry_chain = ChainId::evm(common::CHAIN);
    let held = registered
        .world
        .complete()
        .chains
        .remove(&registry_chain)
        .unwrap();
    snapshot.chains.insert(registry_chain, held);
    let mut payment = registered.payment(DEPLOYER);
    payment["requirements"]["network"] = "eip155:8453".into();
    let read = report(&snapshot, &request(8453, None, &payment));
    assert_eq!(*value(&read, BINDING), "verified-wallet");
    let blocks: Vec<_> = read
        .blocks
        .iter()
        .map(|b| (b.chain.to_string(), b.block))
        .collect();
    assert!(blocks.contains(&("eip155:31337".to_owned(), 1_000)), "{blocks:?}");
    // Without that chain nothing of it is read, and nothing else is lost.
    snapshot.chains.remove(&ChainId::evm(common::CHAIN));
    let read = report(&snapshot, &request(8453, None, &payment));
    assert_eq!(reason(finding(&read, BINDING)), Reason::Unavailable);
    assert_eq!(reason(pair(&read, "payTo=agentWallet")), Reason::Unavailable);
}

/// Takes each read away, one at a time, with each reason: what is then read is what was read before.
#[test]
fn a_single_missing_read_never_changes_a_value() {
    let mut registered = Registered::new();
    registered.set_wallet(&key());
    let mut payment = registered.payment(OTHER);
    payment["requirements"]["extra"]["payeeDelegation"] = delegation(&registered, OTHER, 1_800_000_000);
    payment["resource"] = RESOURCE.into();
    let whole = registered.world.complete();
    let request = request(31337, None, &payment);
    let decoded = presight_decode::decode(&request).unwrap();
    let registry = presight_wire::AccountId::new(ChainId::evm(31337), Address::ZERO);
    let source = presight_wire::report::Source {
        registry: registry.clone(),
        agent_id: U256::ZERO,
        signer: registry,
    };
    let config = Config::default();
    let core = |view: &View<'_>| presight_source::assemble(view, &request, &decoded, &source, &config);
    let faultless = run_recorded(&whole, core);
    let report = faultless.value.unwrap();
    let reads: Vec<Want> = faultless
        .used
        .into_iter()
        .filter(|want| matches!(want, Want::Code(..) | Want::Storage(..)))
        .collect();
    assert!(reads.len() > 5, "{}", reads.len());
    let mut lost = 0;
    for want in &reads {
        for closed in [Reason::Unavailable, Reason::Timeout] {
            let mut snapshot: Snapshot = registered.world.bare(Some(closed));
            for other in reads.iter().filter(|other| *other != want) {
                common::fill(&mut snapshot, &whole, other);
            }
            let faulty = run_recorded(&snapshot, core).value.unwrap();
            for found in faulty.findings.iter().filter(|f| f.kind.contains(".payment.")) {
                let before = report
                    .findings
                    .iter()
                    .find(|f| (&f.kind, &f.param) == (&found.kind, &found.param));
                match &found.outcome {
                    presight_wire::report::Outcome::Read(_) => assert_eq!(Some(found), before),
                    presight_wire::report::Outcome::NotRead(reason) => {
                        assert_eq!(*reason, closed);
                        lost += 1;
                    }
                }
            }
        }
    }
    assert!(lost > 0, "no read mattered");
}
