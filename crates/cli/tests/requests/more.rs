//! Requests over contracts that hide, lie, create, move and fail.

use super::SPENDER;
use crate::stage::{Stage, address, approve, call, request, request_call, uint};
use alloy_dyn_abi::DynSolValue;
use alloy_primitives::U256;
use presight_testnode::FUNDED;
use serde_json::{Value, json};

const FRIEND: &str = "0x0000000000000000000000000000000000f41e4d";

/// Named requests over contracts deployed on the stage.
pub fn all(stage: &Stage) -> Vec<(&'static str, Value)> {
    let signer = address(FUNDED[0]);
    let loose = |quiet| {
        let arguments = [DynSolValue::Bool(quiet), signer.clone(), uint(U256::from(1_000))];
        stage.deploy("LooseToken", &arguments)
    };
    let (loud, quiet) = (loose(false), loose(true));
    let router = stage.deploy("Router", &[]);
    let maker = stage.deploy("Maker", &[]);
    let many = stage.deploy("Many", &[]);
    let proxy = stage.deploy("UpgradableProxy", std::slice::from_ref(&signer));
    let safe = stage.deploy("SmallSafe", std::slice::from_ref(&signer));
    let opener = stage.deploy("Opener", &[]);
    let multi = stage.deploy("Multi", std::slice::from_ref(&signer));
    let item = stage.deploy("ItemZero", std::slice::from_ref(&signer));
    let wrapper = stage.deploy("Wrapper", &[]);
    let noisy = stage.deploy("Noisy", &[]);
    let liar = stage.deploy("LyingToken", &[]);
    let permit2 = stage.deploy("SpeakingPermit2", &[]);
    let one = |to: &str, data: &str| request(&[request_call(to, data)]);
    let list = |numbers: &[u64]| DynSolValue::Array(numbers.iter().map(|n| uint(U256::from(*n))).collect());
    let bytes = |data: &str| DynSolValue::Bytes(alloy_primitives::hex::decode(data).expect("hex"));
    let pair = |one: &str, other: &str| [address(one), address(other)];
    let send = |to: &str, amount: u64| {
        call(
            "transfer(address,uint256)",
            &[address(to), uint(U256::from(amount))],
        )
    };
    let upgrade = call("upgradeTo(address)", &[address(SPENDER)]);
    let own = call("transferOwnership(address)", &[address(SPENDER)]);
    let open = call("open(address,address)", &pair(SPENDER, FRIEND));
    let wrap = json!({ "to": wrapper, "value": "1000", "data": call("deposit()", &[]) });
    let unwrap = request_call(&wrapper, &call("withdraw(uint256)", &[uint(U256::from(400))]));
    let batch = [
        signer.clone(),
        address(FRIEND),
        list(&[0, 2]),
        list(&[100, 30]),
        DynSolValue::Bytes(Vec::new()),
    ];
    vec![
        (
            "native value",
            request(&[json!({ "to": FRIEND, "value": "7", "data": "0x" })]),
        ),
        ("full balance, told", one(&loud, &send(FRIEND, 1_000))),
        ("full balance, untold", one(&quiet, &send(FRIEND, 1_000))),
        ("too much", one(&loud, &send(FRIEND, 1_001))),
        ("approve, untold", one(&quiet, &approve(SPENDER, U256::MAX))),
        (
            "looks like an allowance",
            one(&loud, &call("use(address)", &[address(SPENDER)])),
        ),
        (
            "hidden in a router",
            one(&router, &call("swap(address,address)", &pair(&loud, SPENDER))),
        ),
        (
            "hidden in a fallback",
            one(&router, &call("other(address,address)", &pair(&quiet, SPENDER))),
        ),
        (
            "hidden in a constructor",
            one(&maker, &call("make(address,address)", &pair(&loud, SPENDER))),
        ),
        ("upgrade", one(&proxy, &upgrade)),
        ("ownership", one(&proxy, &own)),
        (
            "many in one",
            one(
                &many,
                &call(
                    "multicall(address[],bytes[])",
                    &[
                        DynSolValue::Array(pair(&proxy, &proxy).to_vec()),
                        DynSolValue::Array(vec![bytes(&upgrade), bytes(&own)]),
                    ],
                ),
            ),
        ),
        (
            "a Safe opened",
            one(
                &safe,
                &call("run(address,bytes)", &[address(&opener), bytes(&open)]),
            ),
        ),
        (
            "ERC-1155 batch",
            one(
                &multi,
                &call(
                    "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
                    &batch,
                ),
            ),
        ),
        ("approve item 0", one(&item, &approve(SPENDER, U256::ZERO))),
        (
            "move item 0",
            one(
                &item,
                &call(
                    "transferFrom(address,address,uint256)",
                    &[signer.clone(), address(FRIEND), uint(U256::ZERO)],
                ),
            ),
        ),
        ("wrap", request(std::slice::from_ref(&wrap))),
        ("wrap and unwrap", request(&[wrap, unwrap])),
        ("custom error", one(&noisy, &call("custom()", &[]))),
        (
            "noise",
            one(&noisy, &call("logs(uint256)", &[uint(U256::from(300))])),
        ),
        (
            "many calls",
            one(&noisy, &call("calls(uint256)", &[uint(U256::from(300))])),
        ),
        (
            "lies",
            one(
                &liar,
                &call(
                    "flood(uint160,uint256)",
                    &[DynSolValue::Uint(U256::from(30), 160), uint(U256::from(60))],
                ),
            ),
        ),
        (
            "Permit2 with events",
            one(
                &permit2,
                &call(
                    "approve(address,address,uint160,uint48)",
                    &[
                        address(&loud),
                        address(SPENDER),
                        DynSolValue::Uint(U256::from(5), 160),
                        DynSolValue::Uint(U256::from(9), 48),
                    ],
                ),
            ),
        ),
        (
            "a batch of which one fails",
            request(&[
                request_call(&loud, &send(FRIEND, 400)),
                request_call(&loud, &send(FRIEND, 700)),
                request_call(&loud, &send(FRIEND, 600)),
            ]),
        ),
    ]
}
