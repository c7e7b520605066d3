//! Accounts that are contracts: ERC-4337, and a delegated one (EIP-7702).

use super::chain::{
    Case, Chain, FRIEND, MAX, SIGNER, SPENDER, call, calldata, installed, list, paying, tuple,
};
use alloy_primitives::{U256, keccak256};
use serde_json::{Value, json};

/// Operations of a SimpleAccount of the friend's, and batches of a delegated account.
pub fn cases(chain: &mut Chain) -> Vec<Case> {
    let token = chain.deploy("coin", "Oz5Token", "", &[]);
    let mut cases = delegated(chain, &token);
    cases.extend(operations(chain, &token));
    cases
}

fn delegated(chain: &mut Chain, token: &str) -> Vec<Case> {
    let delegate = chain.deploy("batch delegate", "BatchAccount", "", &[]);
    let account = presight_testnode::FUNDED[2];
    chain.name(account, "delegated");
    let designator = format!("0xef0100{}", &delegate[2..]);
    chain.node.set_code(account, &designator).expect("code is set");
    chain.send(&call(token, "transfer(address,uint256)", &[&account, &"9 ether"]));
    let approve = calldata("approve(address,uint256)", &[&SPENDER, &MAX]);
    let transfer = calldata("transfer(address,uint256)", &[&FRIEND, &"9 ether"]);
    let batch = list(&[
        tuple(&[&token, &0, &approve]),
        tuple(&[&token, &0, &transfer]),
        tuple(&[&FRIEND, &123, &"0x"]),
    ]);
    let fails = list(&[
        tuple(&[&token, &0, &approve]),
        tuple(&[&token, &0, &calldata("pause()", &[])]),
    ]);
    let execute = |batch: &str| call(account, "execute((address,uint256,bytes)[])", &[&batch]);
    vec![
        Case::new("delegated: a batch", &[execute(&batch)]).from(account),
        Case::new("delegated: a batch of which one call fails", &[execute(&fails)]).from(account),
        Case::new("delegated: value to it", &[paying(account, "77", "", &[])]),
    ]
}

const PACKAGE: &str = "@account-abstraction/contracts";

fn operations(chain: &mut Chain, token: &str) -> Vec<Case> {
    let Some(entry_point) = installed(PACKAGE, "artifacts/EntryPoint.json") else {
        return Vec::new();
    };
    let Some(factory) = installed(PACKAGE, "artifacts/SimpleAccountFactory.json") else {
        return Vec::new();
    };
    let entry_point = chain.create("entry point", &entry_point, "", &[]);
    let factory = chain.create("account factory", &factory, "address", &[&entry_point]);
    let of = |salt: u64| chain.read_address(&factory, "getAddress(address,uint256)", &[&FRIEND, &salt]);
    let (account, unborn) = (of(0), of(1));
    chain.name(&account, "account");
    chain.name(&unborn, "unborn account");
    let create = |salt: u64| call(&factory, "createAccount(address,uint256)", &[&FRIEND, &salt]);
    let mut cases = vec![Case::new("4337: a new account", &[create(7)])];
    chain.send(&create(0));
    for account in [&account, &unborn] {
        chain.send(&paying(account, "1000000000000000000", "", &[]));
        chain.send(&call(token, "transfer(address,uint256)", &[account, &"50 ether"]));
    }
    let approve = calldata("approve(address,uint256)", &[&SPENDER, &MAX]);
    let transfer = calldata("transfer(address,uint256)", &[&FRIEND, &"50 ether"]);
    let one = calldata("execute(address,uint256,bytes)", &[&token, &0, &approve]);
    let many = calldata(
        "executeBatch(address[],uint256[],bytes[])",
        &[
            &list(&[token, token, FRIEND]),
            &list(&[0, 0, 9]),
            &list(&[&approve, &transfer, "0x"]),
        ],
    );
    let fails = calldata(
        "execute(address,uint256,bytes)",
        &[&token, &0, &calldata("pause()", &[])],
    );
    let init = format!(
        "{factory}{}",
        &calldata("createAccount(address,uint256)", &[&FRIEND, &1])[2..]
    );
    let operation = |account: &str, init: &str, data: &str| handle(chain, &entry_point, account, init, data);
    cases.extend([
        Case::new("4337: approve", &[operation(&account, "0x", &one)]),
        Case::new("4337: a batch", &[operation(&account, "0x", &many)]),
        Case::new(
            "4337: an operation that fails",
            &[operation(&account, "0x", &fails)],
        ),
        Case::new(
            "4337: an account made by its first operation",
            &[operation(&unborn, &init, &one)],
        ),
        Case::new(
            "4337: deposit",
            &[paying(&entry_point, "1000", "depositTo(address)", &[&account])],
        ),
        Case::new(
            "4337: stake",
            &[paying(&entry_point, "1000", "addStake(uint32)", &[&60])],
        ),
        Case::new(
            "4337: the owner itself",
            &[call(
                &account,
                "execute(address,uint256,bytes)",
                &[&token, &0, &approve],
            )],
        )
        .from(FRIEND),
    ]);
    let other = chain.deploy("other account logic", "BatchAccount", "", &[]);
    cases.push(
        Case::new(
            "4337: upgrade to what is none",
            &[call(
                &account,
                "upgradeToAndCall(address,bytes)",
                &[&other, &"0x"],
            )],
        )
        .from(FRIEND),
    );
    cases
}

/// `handleOps` of one operation that the friend signed.
fn handle(chain: &Chain, entry_point: &str, account: &str, init: &str, data: &str) -> Value {
    let word = |high: u64, low: u64| format!("0x{high:032x}{low:032x}");
    let nonce = chain.read(entry_point, "getNonce(address,uint192)", &[&account, &0]);
    let (limits, fees) = (word(1_000_000, 500_000), word(1_000_000_000, 1_000_000_000));
    let operation = |signature: &str| {
        tuple(&[
            &account, &nonce, &init, &data, &limits, &100_000, &fees, &"0x", &signature,
        ])
    };
    let form = "(address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)";
    let hash: U256 = chain.read(
        entry_point,
        &format!("getUserOpHash({form})"),
        &[&operation("0x")],
    );
    let signature = chain
        .node
        .request("personal_sign", &json!([format!("{hash:#066x}"), FRIEND]));
    let signature = signature.expect("a signature");
    let signature = signature.as_str().expect("hex");
    let handle = format!("handleOps({form}[],address)");
    debug_assert_eq!(keccak256(&handle)[..4], [0x76, 0x5e, 0x82, 0x7f]);
    call(entry_point, &handle, &[&list(&[operation(signature)]), &SIGNER])
}
