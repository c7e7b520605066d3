//! Permit2, with the code it has on chains.

use super::chain::{Case, Chain, FOREVER, FRIEND, MAX, SIGNER, SPENDER, call, list, on_chain, tuple};
use serde_json::{Value, json};

const ADDRESS: &str = "0x000000000022d473030f116ddee9f6b43ac78ba3";

/// Allowances, permits and nonces; none without the code.
pub fn cases(chain: &mut Chain) -> Vec<Case> {
    let Some(artifact) = on_chain("permit2.json") else {
        return Vec::new();
    };
    let code = artifact["runtime"].as_str().expect("code").to_owned();
    chain.node.set_code(ADDRESS, &code).expect("code is set");
    chain.name(ADDRESS, "permit2");
    let token = chain.deploy("permitted", "Oz5Token", "", &[]);
    chain.send(&call(&token, "approve(address,uint256)", &[&ADDRESS, &MAX]));
    chain.send(&call(
        &token,
        "transfer(address,uint256)",
        &[&FRIEND, &"10 ether"],
    ));
    chain.send_from(
        FRIEND,
        &call(&token, "approve(address,uint256)", &[&ADDRESS, &MAX]),
    );
    let most = "1461501637330902918203684832716283019655932542975"; // the largest uint160: without limit
    let approve = |to: &str, amount: &str, until: u64| {
        let form = "approve(address,address,uint160,uint48)";
        call(ADDRESS, form, &[&token, &to, &amount, &until])
    };
    chain.send_from(FRIEND, &approve(SIGNER, "4 ether", FOREVER));
    let take = |from: &str, amount: &str| {
        call(
            ADDRESS,
            "transferFrom(address,address,uint160,address)",
            &[&from, &SPENDER, &amount, &token],
        )
    };
    let pair = tuple(&[&token, &SIGNER]);
    let lockdown = call(ADDRESS, "lockdown((address,address)[])", &[&format!("[{pair}]")]);
    let invalidate = call(
        ADDRESS,
        "invalidateNonces(address,address,uint48)",
        &[&token, &SPENDER, &9],
    );
    let unordered = call(
        ADDRESS,
        "invalidateUnorderedNonces(uint256,uint256)",
        &[&3, &"0xff"],
    );
    vec![
        Case::new(
            "permit2: approve without limit",
            &[approve(SPENDER, most, FOREVER)],
        ),
        Case::new(
            "permit2: approve without expiry",
            &[approve(SPENDER, "5", (1 << 48) - 1)],
        ),
        Case::new(
            "permit2: approve and revoke",
            &[approve(SPENDER, "5", FOREVER), approve(SPENDER, "0", FOREVER)],
        ),
        Case::new("permit2: transferFrom", &[take(FRIEND, "1 ether")]),
        Case::new("permit2: transferFrom of too much", &[take(FRIEND, "5 ether")]),
        Case::new("permit2: lockdown", &[lockdown]).from(FRIEND),
        Case::new("permit2: invalidate nonces", &[invalidate]),
        Case::new("permit2: invalidate unordered nonces", &[unordered]),
        Case::new("permit2: permit", &[permit(chain, &token)]),
        Case::new("permit2: permit a batch", &[permit_batch(chain, &token)]),
        Case::new(
            "permit2: transfer by signature",
            &[permit_transfer(chain, &token)],
        ),
    ]
}

fn typed(primary: &str, types: &Value, message: &Value) -> Value {
    let mut all = types.clone();
    all["EIP712Domain"] = json!([
        { "name": "name", "type": "string" }, { "name": "chainId", "type": "uint256" },
        { "name": "verifyingContract", "type": "address" },
    ]);
    json!({
        "types": all, "primaryType": primary, "message": message,
        "domain": { "name": "Permit2", "chainId": 31337, "verifyingContract": ADDRESS },
    })
}

fn details() -> Value {
    json!([
        { "name": "token", "type": "address" }, { "name": "amount", "type": "uint160" },
        { "name": "expiration", "type": "uint48" }, { "name": "nonce", "type": "uint48" },
    ])
}

/// A permit of the friend's, put in by the signer.
fn permit(chain: &Chain, token: &str) -> Value {
    let types = json!({
        "PermitDetails": details(),
        "PermitSingle": [
            { "name": "details", "type": "PermitDetails" }, { "name": "spender", "type": "address" },
            { "name": "sigDeadline", "type": "uint256" },
        ],
    });
    let message = json!({
        "details": { "token": token, "amount": "77", "expiration": FOREVER.to_string(), "nonce": "0" },
        "spender": SPENDER, "sigDeadline": FOREVER.to_string(),
    });
    let signature = chain.sign(FRIEND, &typed("PermitSingle", &types, &message));
    let form = "permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)";
    let details = tuple(&[&token, &77, &FOREVER, &0]);
    call(
        ADDRESS,
        form,
        &[&FRIEND, &tuple(&[&details, &SPENDER, &FOREVER]), &signature],
    )
}

fn permit_batch(chain: &Chain, token: &str) -> Value {
    let other = "0x00000000000000000000000000000000000070c3";
    let types = json!({
        "PermitDetails": details(),
        "PermitBatch": [
            { "name": "details", "type": "PermitDetails[]" }, { "name": "spender", "type": "address" },
            { "name": "sigDeadline", "type": "uint256" },
        ],
    });
    let detail = |token: &str, amount: &str| json!({ "token": token, "amount": amount, "expiration": FOREVER.to_string(), "nonce": "0" });
    let message = json!({
        "details": [detail(token, "77"), detail(other, "88")],
        "spender": SPENDER, "sigDeadline": FOREVER.to_string(),
    });
    let signature = chain.sign(FRIEND, &typed("PermitBatch", &types, &message));
    let form = "permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)";
    let details = list(&[
        tuple(&[&token, &77, &FOREVER, &0]),
        tuple(&[&other, &88, &FOREVER, &0]),
    ]);
    call(
        ADDRESS,
        form,
        &[&FRIEND, &tuple(&[&details, &SPENDER, &FOREVER]), &signature],
    )
}

/// A transfer that the friend signed for the signer to carry out.
fn permit_transfer(chain: &Chain, token: &str) -> Value {
    let types = json!({
        "TokenPermissions": [{ "name": "token", "type": "address" }, { "name": "amount", "type": "uint256" }],
        "PermitTransferFrom": [
            { "name": "permitted", "type": "TokenPermissions" }, { "name": "spender", "type": "address" },
            { "name": "nonce", "type": "uint256" }, { "name": "deadline", "type": "uint256" },
        ],
    });
    let message = json!({
        "permitted": { "token": token, "amount": "500" }, "spender": SIGNER, "nonce": "258",
        "deadline": FOREVER.to_string(),
    });
    let signature = chain.sign(FRIEND, &typed("PermitTransferFrom", &types, &message));
    let form = "permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)";
    let permit = tuple(&[&tuple(&[&token, &500]), &258, &FOREVER]);
    call(
        ADDRESS,
        form,
        &[&permit, &tuple(&[&SPENDER, &400]), &FRIEND, &signature],
    )
}
