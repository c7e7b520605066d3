//! Who controls contracts: owners, implementations, beacons, facets; and code that comes and goes.

use super::chain::{Case, Chain, FRIEND, SIGNER, SPENDER, call, calldata, list, paying, tuple, zero};
use std::fmt::Display;

/// Changes of control, creations and self-destructions.
pub fn cases(chain: &mut Chain) -> Vec<Case> {
    let mut cases = proxies(chain);
    cases.extend(owned(chain));
    cases.extend(diamond(chain));
    cases.extend(code(chain));
    cases
}

fn proxies(chain: &mut Chain) -> Vec<Case> {
    let one = chain.deploy("logic 1", "NamespacedToken", "", &[]);
    let other = chain.deploy("logic 2", "NamespacedToken", "", &[]);
    let initialize = calldata("initialize(address)", &[&SIGNER]);
    let uups = chain.deploy("uups", "Oz5Proxy", "address,bytes", &[&one, &initialize]);
    let transparent = chain.deploy(
        "transparent",
        "Oz5Transparent",
        "address,address,bytes",
        &[&one, &SIGNER, &initialize],
    );
    // It made its admin itself.
    let admin = chain.node.request(
        "eth_getStorageAt",
        &serde_json::json!([transparent, ADMIN, "latest"]),
    );
    let admin = format!("0x{}", &admin.expect("a slot").as_str().expect("a word")[26..]);
    chain.name(&admin, "proxy admin");
    let beacon = chain.deploy("beacon", "Oz5Beacon", "address,address", &[&one, &SIGNER]);
    let behind = chain.deploy(
        "beacon proxy",
        "Oz5BeaconProxy",
        "address,bytes",
        &[&beacon, &initialize],
    );
    let zeppelin = chain.deploy("zeppelin", "ZeppelinProxy", "", &[]);
    let upgrade = "upgradeAndCall(address,address,bytes)";
    let transfer = |to: &str| call(to, "transferOwnership(address)", &[&SPENDER]);
    vec![
        Case::new(
            "uups: upgrade",
            &[call(&uups, "upgradeToAndCall(address,bytes)", &[&other, &"0x"])],
        ),
        Case::new("uups: another owner", &[transfer(&uups)]),
        Case::new(
            "transparent: upgrade",
            &[call(&admin, upgrade, &[&transparent, &other, &"0x"])],
        ),
        Case::new("transparent: another owner of its admin", &[transfer(&admin)]),
        Case::new(
            "transparent: a transfer through it",
            &[call(
                &transparent,
                "transfer(address,uint256)",
                &[&FRIEND, &"1 ether"],
            )],
        ),
        Case::new(
            "beacon: upgrade",
            &[call(&beacon, "upgradeTo(address)", &[&other])],
        ),
        Case::new(
            "beacon: upgrade, and use it",
            &[
                call(&beacon, "upgradeTo(address)", &[&other]),
                call(&behind, "transfer(address,uint256)", &[&FRIEND, &"1 ether"]),
            ],
        ),
        Case::new("beacon: another owner", &[transfer(&beacon)]),
        Case::new(
            "zeppelin: upgrade",
            &[call(&zeppelin, "upgradeTo(address)", &[&other])],
        ),
        Case::new(
            "zeppelin: another admin",
            &[call(&zeppelin, "changeAdmin(address)", &[&SPENDER])],
        ),
    ]
}

const ADMIN: &str = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103";

fn owned(chain: &mut Chain) -> Vec<Case> {
    let one = chain.deploy("owned", "Oz4Token", "", &[]);
    let two = chain.deploy("owned in two steps", "Oz5Token", "", &[]);
    let packed = chain.deploy("owned by solady", "SoladyToken", "", &[]);
    let offer = |to: &str, whom: &str| call(to, "transferOwnership(address)", &[&whom]);
    let mut cases = vec![
        Case::new("owner: another", &[offer(&one, SPENDER)]),
        Case::new("owner: none", &[call(&one, "renounceOwnership()", &[])]),
        Case::new("owner: offered", &[offer(&two, SPENDER)]),
        Case::new("owner: of a Solady contract", &[offer(&packed, SPENDER)]),
    ];
    chain.send(&offer(&two, FRIEND));
    cases.push(Case::new("owner: accepted", &[call(&two, "acceptOwnership()", &[])]).from(FRIEND));
    cases
}

fn diamond(chain: &mut Chain) -> Vec<Case> {
    let facet = chain.deploy("facet", "Beacon", "address", &[&SIGNER]);
    let diamond = chain.deploy("diamond", "Diamond", "address", &[&SIGNER]);
    let form = "diamondCut((address,uint8,bytes4[])[],address,bytes)";
    let part = |facet: &str, action: u8, selectors: &[&str]| {
        format!("[{}]", tuple(&[&facet, &action, &list(selectors)]))
    };
    let nothing = zero();
    let cut = |parts: &dyn Display| call(&diamond, form, &[parts, &nothing, &"0x"]);
    let add = |selector: &str| cut(&part(&facet, 0, &[selector, "0x33333333"]));
    let quiet = "quietCut((address,uint8,bytes4[])[])";
    let mut cases = vec![Case::new("diamond: add functions", &[add("0x22222222")])];
    chain.send(&add("0x11111111"));
    cases.extend([
        Case::new(
            "diamond: replace a function",
            &[cut(&part(SPENDER, 1, &["0x11111111"]))],
        ),
        Case::new(
            "diamond: remove a function",
            &[cut(&part(&zero(), 2, &["0x11111111"]))],
        ),
        Case::new(
            "diamond: replace without a word",
            &[call(&diamond, quiet, &[&part(SPENDER, 1, &["0x11111111"])])],
        ),
        Case::new(
            "diamond: another owner",
            &[call(&diamond, "transferOwnership(address)", &[&SPENDER])],
        ),
    ]);
    cases
}

fn code(chain: &mut Chain) -> Vec<Case> {
    let token = chain.deploy(
        "loose",
        "LooseToken",
        "bool,address,uint256",
        &[&true, &SIGNER, &1_000],
    );
    let maker = chain.deploy("maker", "Maker", "", &[]);
    let cloner = chain.deploy("cloner", "Oz5Cloner", "", &[]);
    let doomed = chain.deploy("doomed", "Doomed", "address", &[&zero()]);
    let doom = chain.deploy("doom maker", "DoomMaker", "", &[]);
    chain
        .node
        .request("anvil_setBalance", &serde_json::json!([doomed, "0x64"]))
        .expect("a balance");
    vec![
        Case::new(
            "code: a constructor that approves",
            &[call(&maker, "make(address,address)", &[&token, &SPENDER])],
        ),
        Case::new("code: a clone", &[call(&cloner, "clone(address)", &[&token])]),
        Case::new(
            "code: destroyed, which only moves its value",
            &[call(&doomed, "destroy(address)", &[&SPENDER])],
        ),
        Case::new(
            "code: made and destroyed at once",
            &[paying(&doom, "55", "make(address)", &[&SPENDER])],
        ),
    ]
}
