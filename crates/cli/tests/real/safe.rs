//! A Safe: its transactions, and who controls it.

use super::chain::{
    Case, Chain, FRIEND, MAX, SIGNER, SPENDER, call, calldata, installed, list, paying, zero,
};
use alloy_primitives::hex;
use serde_json::Value;
use std::fmt::Display;

const PACKAGE: &str = "@safe-global/safe-contracts";
const SENTINEL: &str = "0x0000000000000000000000000000000000000001";

/// A Safe of the signer; none without the package.
pub fn cases(chain: &mut Chain) -> Vec<Case> {
    let artifact = |path: &str| installed(PACKAGE, &format!("build/artifacts/contracts/{path}.json"));
    let Some(singleton) = artifact("SafeL2.sol/SafeL2") else {
        return Vec::new();
    };
    let Some(factory) = artifact("proxies/SafeProxyFactory.sol/SafeProxyFactory") else {
        return Vec::new();
    };
    let Some(multisend) = artifact("libraries/MultiSend.sol/MultiSend") else {
        return Vec::new();
    };
    let handler = "handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler";
    let Some(handler) = artifact(handler) else {
        return Vec::new();
    };
    let singleton = chain.create("safe singleton", &singleton, "", &[]);
    let factory = chain.create("safe factory", &factory, "", &[]);
    let multisend = chain.create("multisend", &multisend, "", &[]);
    let handler = chain.create("safe handler", &handler, "", &[]);
    let setup = "setup(address[],uint256,address,bytes,address,address,uint256,address)";
    let owners = list(&[SIGNER, FRIEND]);
    let setup = calldata(
        setup,
        &[&owners, &1, &zero(), &"0x", &handler, &zero(), &0, &zero()],
    );
    let create = |salt: u64| {
        let form = "createProxyWithNonce(address,bytes,uint256)";
        call(&factory, form, &[&singleton, &setup, &salt])
    };
    let mut cases = vec![Case::new("safe: a new one", &[create(0)])];
    let receipt = chain.send(&create(1));
    let created = receipt["logs"]
        .as_array()
        .expect("logs")
        .last()
        .expect("ProxyCreation");
    let safe = format!("0x{}", &created["topics"][1].as_str().expect("the proxy")[26..]);
    chain.name(&safe, "safe");
    let token = chain.deploy("safe token", "Oz5Token", "", &[]);
    chain.send(&call(&token, "transfer(address,uint256)", &[&safe, &"100 ether"]));
    chain.send(&paying(&safe, "5000", "", &[]));

    let run = |to: &str, value: u64, data: &str, operation: u8| execute(&safe, to, value, data, operation);
    let own = |signature: &str, arguments: &[&dyn Display]| run(&safe, 0, &calldata(signature, arguments), 0);
    let approve = calldata("approve(address,uint256)", &[&SPENDER, &MAX]);
    let transfer = calldata("transfer(address,uint256)", &[&FRIEND, &"3 ether"]);
    let guard = chain.deploy("safe guard", "YesGuard", "", &[]);
    let enable = calldata("enableModule(address)", &[&SPENDER]);
    let many = |parts: &[(&str, u64, &str)]| {
        let packed: String = parts
            .iter()
            .map(|(to, value, data)| packed(to, *value, data))
            .collect();
        run(
            &multisend,
            0,
            &calldata("multiSend(bytes)", &[&format!("0x{packed}")]),
            1,
        )
    };
    let opener = chain.deploy("opener", "Opener", "", &[]);
    let open = calldata("open(address,address)", &[&SPENDER, &SPENDER]);
    cases.extend([
        Case::new("safe: ether", &[run(FRIEND, 1_000, "0x", 0)]),
        Case::new("safe: approve", &[run(&token, 0, &approve, 0)]),
        Case::new(
            "safe: a call that fails",
            &[run(
                &token,
                0,
                &calldata("transfer(address,uint256)", &[&FRIEND, &MAX]),
                0,
            )],
        ),
        Case::new(
            "safe: multisend",
            &[many(&[
                (&token, 0, &approve),
                (&token, 0, &transfer),
                (FRIEND, 12, "0x"),
            ])],
        ),
        Case::new(
            "safe: multisend that enables a module",
            &[many(&[(&token, 0, &transfer), (&safe, 0, &enable)])],
        ),
        Case::new("safe: code run in it opens it", &[run(&opener, 0, &open, 1)]),
        Case::new(
            "safe: enable a module",
            &[own("enableModule(address)", &[&SPENDER])],
        ),
        Case::new("safe: set a guard", &[own("setGuard(address)", &[&guard])]),
        Case::new(
            "safe: another fallback handler",
            &[own("setFallbackHandler(address)", &[&SPENDER])],
        ),
        Case::new(
            "safe: one more owner, two to sign",
            &[own("addOwnerWithThreshold(address,uint256)", &[&SPENDER, &2])],
        ),
        Case::new(
            "safe: swap an owner",
            &[own(
                "swapOwner(address,address,address)",
                &[&SIGNER, &FRIEND, &SPENDER],
            )],
        ),
        Case::new(
            "safe: remove an owner",
            &[own(
                "removeOwner(address,address,uint256)",
                &[&SIGNER, &FRIEND, &1],
            )],
        ),
        Case::new("safe: two to sign", &[own("changeThreshold(uint256)", &[&2])]),
        Case::new(
            "safe: approve a hash",
            &[call(
                &safe,
                "approveHash(bytes32)",
                &[&format!("0x{}", "5e".repeat(32))],
            )],
        ),
    ]);
    // The signer's own account as a module of a second Safe.
    let receipt = chain.send(&create(2));
    let created = receipt["logs"]
        .as_array()
        .expect("logs")
        .last()
        .expect("ProxyCreation");
    let other = format!("0x{}", &created["topics"][1].as_str().expect("the proxy")[26..]);
    chain.name(&other, "module safe");
    chain.send(&execute(
        &other,
        &other,
        0,
        &calldata("enableModule(address)", &[&SIGNER]),
        0,
    ));
    chain.send(&call(
        &token,
        "transfer(address,uint256)",
        &[&other, &"100 ether"],
    ));
    let by_module = "execTransactionFromModule(address,uint256,bytes,uint8)";
    let disable = calldata("disableModule(address,address)", &[&SENTINEL, &SIGNER]);
    cases.extend([
        Case::new(
            "module safe: approve by the module",
            &[call(&other, by_module, &[&token, &0, &approve, &0])],
        ),
        Case::new(
            "module safe: disable it",
            &[execute(&other, &other, 0, &disable, 0)],
        ),
    ]);
    cases
}

/// `execTransaction` by the signer, who is an owner: its signature is that it sends the call.
fn execute(safe: &str, to: &str, value: u64, data: &str, operation: u8) -> Value {
    let form = "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)";
    let signature = format!("0x{:0>64}{:064}01", &SIGNER[2..], 0);
    call(
        safe,
        form,
        &[
            &to,
            &value,
            &data,
            &operation,
            &0,
            &0,
            &0,
            &zero(),
            &zero(),
            &signature,
        ],
    )
}

/// One transaction as MultiSend takes it.
fn packed(to: &str, value: u64, data: &str) -> String {
    let data = hex::decode(data).expect("hex");
    format!(
        "00{}{value:064x}{:064x}{}",
        &to[2..],
        data.len(),
        hex::encode(&data)
    )
}
