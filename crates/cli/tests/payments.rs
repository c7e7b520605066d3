//! §Test Cases of ERC-8481 about payments, with their exact values, on real nodes: the registry and the token are deployed, and
//! the payee's registry is on another chain than the payment. Each report is recomputed from its witness.

mod binary;
mod stage;

use alloy_primitives::{B256, U256, keccak256};
use binary::{Folder, arg, presight};
use presight_testnode::{FUNDED, Node};
use presight_wire::report::sign::SigningKey;
use serde_json::{Value, json};
use stage::{KEY, SIGNER, Stage, address, call, payments_contract, uint};

const ZERO: &str = "0x0000000000000000000000000000000000000000";
const PAY_TO: &str = "0x00000000000000000000000000000000000a9e40";
const CHAIN: &str = "eip155:84532";

/// A chain to pay on with a token, and another with the payee's registry.
struct World {
    stage: Stage,
    pays: Node,
    token: String,
}

impl World {
    fn new() -> Option<Self> {
        let stage = Stage::set()?;
        let pays = Node::start(&[
            "--hardfork",
            "prague",
            "--timestamp",
            "1795000000",
            "--chain-id",
            "84532",
        ])?;
        let token = pays
            .deploy(&payments_contract("TestUSD"))
            .expect("the token deploys");
        Some(Self { stage, pays, token })
    }

    fn payment(&self) -> Value {
        json!({
            "requirements": {
                "scheme": "exact", "network": CHAIN, "amount": "10000", "asset": self.token, "payTo": PAY_TO,
                "maxTimeoutSeconds": 300, "extra": { "name": "Test USD", "version": "2" },
            },
            "payee": {
                "registry": format!("eip155:31337:{}", self.stage.registry), "agentId": self.stage.agent_id.to_string(),
            },
        })
    }

    fn authorization(&self, to: &str, value: &str) -> Value {
        let member = |name: &str, ty: &str| json!({ "name": name, "type": ty });
        json!({
            "domain": { "name": "Test USD", "version": "2", "chainId": 84532, "verifyingContract": self.token },
            "types": { "TransferWithAuthorization": [
                member("from", "address"), member("to", "address"), member("value", "uint256"),
                member("validAfter", "uint256"), member("validBefore", "uint256"), member("nonce", "bytes32"),
            ] },
            "primaryType": "TransferWithAuthorization",
            "message": {
                "from": FUNDED[0], "to": to, "value": value, "validAfter": "0", "validBefore": "2000000000",
                "nonce": B256::repeat_byte(7),
            },
        })
    }

    /// The report of a request over both nodes, and its replay.
    fn report(&self, subject: &Value, payment: &Value) -> Value {
        let folder = Folder::new();
        let mut request =
            json!({ "version": "erc-presign/1", "subject": subject, "context": { "payment": payment } });
        request["subject"]["type"] = "calls".into();
        request["subject"]["chainId"] = CHAIN.into();
        request["subject"]["from"] = format!("{CHAIN}:{}", FUNDED[0]).into();
        let request = folder.write("request.json", request.to_string());
        let sources = folder.write(
            "sources.toml",
            "[payment.payee-delegation]\nmember = \"delegation\"\n",
        );
        let (key, witness) = (folder.write("key", KEY), folder.path("witness.json"));
        let mut arguments = vec![
            "report".to_owned(),
            arg(&request),
            "--key-file".to_owned(),
            arg(&key),
        ];
        arguments.extend(self.stage.rpc());
        arguments.extend(["--rpc".to_owned(), format!("{CHAIN}={}", self.pays.url())]);
        arguments.extend(self.stage.identity());
        arguments.extend([
            "--witness".to_owned(),
            arg(&witness),
            "--sources".to_owned(),
            arg(&sources),
        ]);
        let run = presight(&arguments);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let report = folder.write("report.json", &run.stdout);
        let replay = |more: &[&str]| {
            let mut arguments = vec![
                "replay".to_owned(),
                arg(&report),
                "--request".to_owned(),
                arg(&request),
            ];
            arguments.extend(["--witness".to_owned(), arg(&witness), "--json".to_owned()]);
            arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
            presight(&arguments).json()["conclusion"].clone()
        };
        assert_eq!(replay(&["--sources", &arg(&sources)]), "same");
        assert_eq!(
            replay(&[]),
            "not-recomputable",
            "the method names what was configured"
        );
        run.json()
    }
}

fn pair<'r>(report: &'r Value, name: &str) -> Option<&'r Value> {
    let mut findings = report["findings"].as_array().expect("findings").iter();
    findings.find(|f| f["kind"] == "erc.presign.payment.match" && f["param"] == name)
}

fn value<'r>(report: &'r Value, kind: &str) -> &'r Value {
    let mut findings = report["findings"].as_array().expect("findings").iter();
    let found = findings
        .find(|f| f["kind"] == kind)
        .unwrap_or_else(|| panic!("no {kind}"));
    assert_eq!(found["status"], "read", "{found}");
    &found["value"]
}

#[test]
fn the_payees_wallet_and_what_is_left_after_a_transfer() {
    let Some(world) = World::new() else { return };
    let payment = world.payment();
    let transfer = call(
        "transfer(address,uint256)",
        &[address(PAY_TO), uint(U256::from(10_000))],
    );
    let subject = json!({ "calls": [{ "to": world.token, "value": "0", "data": transfer }] });
    let report = world.report(&subject, &payment);
    let wallet = pair(&report, "payTo=agentWallet").expect("a pair");
    assert_eq!(
        wallet["value"],
        json!({ "equal": false, "left": PAY_TO, "right": FUNDED[0].to_lowercase() })
    );
    assert_eq!(wallet["at"]["chainId"], "eip155:31337");
    let blocks = report["blocks"].as_array().expect("blocks");
    assert!(
        blocks
            .iter()
            .any(|block| block["chainId"] == "eip155:31337" && block["block"] == wallet["at"]["block"])
    );
    assert_eq!(*value(&report, "erc.presign.payment.payee-binding"), "mismatch");
    for name in ["authorization.to=payTo", "authorization.value=amount"] {
        assert_eq!(
            pair(&report, name).expect("a pair")["value"]["equal"],
            true,
            "{name}"
        );
    }
    assert!(
        pair(&report, "quote.signature").is_none(),
        "without a quote, no quote pair"
    );

    let away = call(
        "transferFrom(address,address,uint256)",
        &[
            address(FUNDED[0]),
            address(FUNDED[1]),
            uint(U256::from(world.stage.agent_id)),
        ],
    );
    world
        .stage
        .node
        .call_in_transaction(&world.stage.registry, &away)
        .expect("the identity is transferred");
    let report = world.report(&subject, &payment);
    let wallet = pair(&report, "payTo=agentWallet").expect("a pair");
    assert_eq!(
        wallet["value"],
        json!({ "equal": false, "left": PAY_TO, "right": ZERO })
    );
    assert_eq!(
        *value(&report, "erc.presign.payment.payee-binding"),
        "no-agent-wallet"
    );
}

#[test]
fn a_quote_signed_by_another_account_and_an_authorization() {
    let Some(world) = World::new() else { return };
    let key = SigningKey::from_hex(KEY.as_bytes()).expect("a key");
    let issuer = FUNDED[2].to_lowercase();
    let mut payment = world.payment();
    let quote = json!({
        "issuer": issuer, "payer": ZERO, "recipient": PAY_TO, "asset": world.token, "amount": "10000",
        "requestScheme": "com.example.service/1", "requestHash": B256::repeat_byte(1), "quoteId": B256::repeat_byte(2),
        "validAfter": "1", "validUntil": "4000000000",
    });
    let format = presight_source::Config::default().payment.quote;
    let hash = format
        .message
        .hash_struct(quote.as_object().expect("an object"))
        .expect("it is encoded");
    let domain = keccak256(
        [
            keccak256("EIP712Domain(string name,string version,uint256 chainId)"),
            keccak256("Signed Service Payment Quotes"),
            keccak256("1"),
            U256::from(84532).into(),
        ]
        .concat(),
    );
    let hash = keccak256([b"\x19\x01".as_slice(), domain.as_slice(), hash.as_slice()].concat());
    payment["quote"] = json!({ "chainId": "84532", "quote": quote, "signature": key.sign(hash) });
    let typed = world.authorization(FUNDED[1], "9999");
    let report = world.report(&json!({ "calls": [], "typedData": typed }), &payment);
    let signature = pair(&report, "quote.signature").expect("a pair");
    assert_eq!(
        signature["value"],
        json!({ "equal": false, "left": issuer, "right": SIGNER })
    );
    assert_eq!(signature["at"]["chainId"], CHAIN);
    for (name, equal) in [
        ("payTo=quote.recipient", true),
        ("asset=quote.asset", true),
        ("amount=quote.amount", true),
        ("network=quote.chainId", true),
        ("quote.valid-at-issue", true),
        ("quote.issuer=agentWallet", false),
        ("authorization.to=payTo", false),
        ("authorization.value=amount", false),
    ] {
        assert_eq!(
            pair(&report, name).unwrap_or_else(|| panic!("no {name}"))["value"]["equal"],
            equal,
            "{name}"
        );
    }
    assert_eq!(
        pair(&report, "authorization.value=amount").expect("a pair")["value"]["left"],
        "9999"
    );
    let domain = value(&report, "presight.x402.token-domain");
    assert_eq!(
        (&domain["equal"], &domain["by"]),
        (&json!(true), &json!("DOMAIN_SEPARATOR"))
    );
    assert_eq!(value(&report, "presight.x402.domain")["equal"], true);
    assert_eq!(value(&report, "presight.x402.validity")["withinTimeout"], false);
}

#[test]
fn a_configuration_with_an_unknown_key_is_refused_at_its_place() {
    let folder = Folder::new();
    let sources = folder.write("sources.toml", "[payment]\nqoute = 1\n");
    let request = folder.write(
        "request.json",
        stage::request(&[stage::request_call(SIGNER, "0x")]).to_string(),
    );
    let run = presight([
        "report",
        &arg(&request),
        "--unsigned",
        "--sources",
        &arg(&sources),
        "--json",
    ]);
    assert_eq!(run.code, 2, "{}", run.text());
    let error = &run.json()["error"];
    assert_eq!(error["code"], "bad-sources");
    assert!(
        error["message"].as_str().expect("a message").contains("line 2"),
        "{error}"
    );
}

#[test]
fn a_source_registers_itself_and_its_reports_verify() {
    let Some(stage) = Stage::set() else { return };
    let folder = Folder::new();
    let owner = folder.write("owner", KEY);
    let reporter = folder.path("reporter");
    assert_eq!(presight(["keys", "new", &arg(&reporter)]).code, 0);
    let signer = presight(["keys", "address", &arg(&reporter)])
        .text()
        .trim()
        .to_owned();
    let registry = format!("eip155:31337:{}", stage.registry);
    let register = |more: &[String]| {
        let mut arguments = vec![
            "register".to_owned(),
            "--json".to_owned(),
            "--registry".to_owned(),
            registry.clone(),
        ];
        arguments.extend(
            [
                "--endpoint",
                "https://source.example/api/presign",
                "--signer",
                &signer,
            ]
            .map(str::to_owned),
        );
        arguments.extend(more.iter().cloned());
        let run = presight(&arguments);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.json()
    };
    let prepared = register(&[]);
    assert_eq!(prepared["status"], "not-sent");
    assert_eq!(
        prepared["file"]["services"][0]["signers"],
        json!([format!("eip155:31337:{signer}")])
    );
    assert_eq!(prepared["call"]["to"], stage.registry.to_lowercase());

    let rpc = stage.rpc();
    let send = [
        rpc[0].clone(),
        rpc[1].clone(),
        "--key-file".into(),
        arg(&owner),
        "--send".into(),
    ];
    let sent = register(&send);
    assert_eq!(
        (&sent["status"], &sent["agentId"]),
        (&json!("registered"), &json!("1"))
    );
    let changed = register(&[&send[..], &["--agent-id".to_owned(), "1".to_owned()]].concat());
    assert_eq!(changed["status"], "registered");
    assert_eq!(
        changed["file"]["registrations"],
        json!([{ "agentId": 1, "agentRegistry": registry }])
    );

    let request = folder.write(
        "request.json",
        stage::request(&[stage::request_call(SIGNER, "0x")]).to_string(),
    );
    let report = presight([
        "report",
        &arg(&request),
        "--key-file",
        &arg(&reporter),
        &rpc[0],
        &rpc[1],
        "--registry",
        &registry,
        "--agent-id",
        "1",
    ]);
    assert_eq!(report.code, 0, "{}", report.stderr);
    let report = folder.write("report.json", &report.stdout);
    let trust = format!("{registry}/1");
    let verified = presight([
        "verify",
        &arg(&report),
        "--request",
        &arg(&request),
        &rpc[0],
        &rpc[1],
        "--trust",
        &trust,
        "--json",
    ]);
    assert_eq!(verified.json()["conclusion"], "verified", "{}", verified.text());
}
