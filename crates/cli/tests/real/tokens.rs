//! Tokens of several makers and layouts.

use super::chain::{Case, Chain, FOREVER, FRIEND, MAX, SIGNER, SPENDER, call, list, paying, zero};
use serde_json::{Value, json};

const UNIT: &str = "1 ether";

/// ERC-20, ERC-721 and ERC-1155 tokens.
pub fn cases(chain: &mut Chain) -> Vec<Case> {
    let mut cases = amounts(chain);
    cases.extend(items(chain));
    cases.extend(multis(chain));
    cases.extend(wrapper(chain));
    cases
}

fn amounts(chain: &mut Chain) -> Vec<Case> {
    let logic = chain.deploy("ns logic", "NamespacedToken", "", &[]);
    let initialize = super::chain::calldata("initialize(address)", &[&SIGNER]);
    let tokens = [
        chain.deploy("oz4", "Oz4Token", "", &[]),
        chain.deploy("oz5", "Oz5Token", "", &[]),
        chain.deploy("votes", "Oz5Votes", "", &[]),
        chain.deploy("ns", "Oz5Proxy", "address,bytes", &[&logic, &initialize]),
        chain.deploy("solady", "SoladyToken", "", &[]),
        chain.deploy(
            "vyper",
            "VyperToken",
            "address,uint256",
            &[&SIGNER, &"1000000 ether"],
        ),
        chain.deploy("packed", "PackedToken", "address", &[&SIGNER]),
    ];
    let mut cases = Vec::new();
    for token in &tokens {
        let name = chain.name_of(token);
        let unit = if name == "packed" { "10" } else { UNIT };
        if name != "packed" {
            chain.send(&call(token, "transfer(address,uint256)", &[&FRIEND, &"5 ether"]));
            chain.send_from(
                FRIEND,
                &call(token, "approve(address,uint256)", &[&SIGNER, &"3 ether"]),
            );
        }
        let all = chain.read(token, "balanceOf(address)", &[&SIGNER]);
        let mut case = |what: &str, calls: &[Value]| cases.push(Case::new(format!("{name}: {what}"), calls));
        let approve =
            |amount: &dyn std::fmt::Display| call(token, "approve(address,uint256)", &[&SPENDER, amount]);
        let transfer =
            |amount: &dyn std::fmt::Display| call(token, "transfer(address,uint256)", &[&FRIEND, amount]);
        case("approve without limit", &[approve(&MAX)]);
        case("approve, then less", &[approve(&"500"), approve(&"100")]);
        case("transfer", &[transfer(&unit)]);
        case("transfer everything", &[transfer(&all)]);
        case("transfer more than everything", &[transfer(&"10000000 ether")]);
        case(
            "transfer to oneself",
            &[call(token, "transfer(address,uint256)", &[&SIGNER, &unit])],
        );
        if name == "packed" {
            case("freeze", &[call(token, "freeze(address)", &[&FRIEND])]);
            continue;
        }
        let take = call(
            token,
            "transferFrom(address,address,uint256)",
            &[&FRIEND, &SPENDER, &"2 ether"],
        );
        case("transferFrom", &[take]);
        if name == "votes" {
            case("delegate", &[call(token, "delegate(address)", &[&FRIEND])]);
            let role = "0x65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a";
            case(
                "grant a role",
                &[call(token, "grantRole(bytes32,address)", &[&role, &SPENDER])],
            );
        } else if name != "ns" {
            case("burn", &[call(token, "burn(uint256)", &[&unit])]);
        }
        let permits = [
            ("oz4", "Oz4"),
            ("oz5", "Oz5"),
            ("ns", "Namespaced"),
            ("solady", "Solady"),
        ];
        if let Some((_, title)) = permits.iter().find(|(of, _)| *of == name) {
            case("permit", &[permit(chain, token, title)]);
        }
    }
    let oz4 = &tokens[0];
    cases.push(Case::new("oz4: pause", &[call(oz4, "pause()", &[])]));
    let more = call(oz4, "increaseAllowance(address,uint256)", &[&SPENDER, &"7"]);
    cases.push(Case::new("oz4: increaseAllowance, twice", &[more.clone(), more]));
    cases
}

/// A permit of the friend's, put in by the signer.
fn permit(chain: &Chain, token: &str, title: &str) -> Value {
    let nonce = chain.read(token, "nonces(address)", &[&FRIEND]);
    let typed = json!({
        "types": {
            "EIP712Domain": [
                { "name": "name", "type": "string" }, { "name": "version", "type": "string" },
                { "name": "chainId", "type": "uint256" }, { "name": "verifyingContract", "type": "address" },
            ],
            "Permit": [
                { "name": "owner", "type": "address" }, { "name": "spender", "type": "address" },
                { "name": "value", "type": "uint256" }, { "name": "nonce", "type": "uint256" },
                { "name": "deadline", "type": "uint256" },
            ],
        },
        "primaryType": "Permit",
        "domain": { "name": title, "version": "1", "chainId": 31337, "verifyingContract": token },
        "message": {
            "owner": FRIEND, "spender": SPENDER, "value": MAX.to_string(), "nonce": nonce.to_string(),
            "deadline": FOREVER.to_string(),
        },
    });
    let signature = chain.sign(FRIEND, &typed);
    let (r, s, v) = (
        &signature[2..66],
        &signature[66..130],
        format!("0x{}", &signature[130..]),
    );
    let form = "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)";
    call(token, form, &[&FRIEND, &SPENDER, &MAX, &FOREVER, &v, &r, &s])
}

fn items(chain: &mut Chain) -> Vec<Case> {
    let logic = chain.deploy("ns item logic", "NamespacedItem", "", &[]);
    let initialize = super::chain::calldata("initialize(address)", &[&SIGNER]);
    let tokens = [
        chain.deploy("oz4 item", "Oz4Item", "", &[]),
        chain.deploy("oz5 item", "Oz5Item", "", &[]),
        chain.deploy("ns item", "Oz5Proxy", "address,bytes", &[&logic, &initialize]),
        chain.deploy("solady item", "SoladyItem", "", &[]),
    ];
    let mut cases = Vec::new();
    for token in &tokens {
        let name = chain.name_of(token);
        let mut case = |what: &str, calls: &[Value]| cases.push(Case::new(format!("{name}: {what}"), calls));
        let approve = |id: &str| call(token, "approve(address,uint256)", &[&SPENDER, &id]);
        let transfer = |id: &str| {
            call(
                token,
                "safeTransferFrom(address,address,uint256)",
                &[&SIGNER, &FRIEND, &id],
            )
        };
        case("approve 0", &[approve("0")]);
        case("approve 0, then move it", &[approve("0"), transfer("0")]);
        case("move 2", &[transfer("2")]);
        case(
            "approve for all",
            &[call(token, "setApprovalForAll(address,bool)", &[&SPENDER, &true])],
        );
        if name == "solady item" {
            let far =
                alloy_primitives::U256::from_be_bytes(alloy_primitives::keccak256("an item").0).to_string();
            case("approve a far one", &[approve(&far)]);
            case("move a far one", &[transfer(&far)]);
        } else if name != "ns item" {
            case(
                "make one",
                &[call(token, "mint(address,uint256)", &[&FRIEND, &"77"])],
            );
        }
    }
    cases.push(Case::new(
        "oz5 item: unmake one",
        &[call(&tokens[1], "burn(uint256)", &[&"1"])],
    ));
    cases
}

fn multis(chain: &mut Chain) -> Vec<Case> {
    let tokens = [
        chain.deploy("oz4 multi", "Oz4Multi", "", &[]),
        chain.deploy("oz5 multi", "Oz5Multi", "", &[]),
        chain.deploy("solady multi", "SoladyMulti", "", &[]),
    ];
    let mut cases = Vec::new();
    for token in &tokens {
        let name = chain.name_of(token);
        let mut case = |what: &str, calls: &[Value]| cases.push(Case::new(format!("{name}: {what}"), calls));
        let one = "safeTransferFrom(address,address,uint256,uint256,bytes)";
        case(
            "move",
            &[call(token, one, &[&SIGNER, &FRIEND, &"0", &"7", &"0x"])],
        );
        let many = "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)";
        let (ids, amounts) = (list(&[0, 1, 2]), list(&[100, 5, 0]));
        case(
            "move a batch",
            &[call(token, many, &[&SIGNER, &FRIEND, &ids, &amounts, &"0x"])],
        );
        case(
            "approve for all",
            &[call(token, "setApprovalForAll(address,bool)", &[&SPENDER, &true])],
        );
    }
    cases.push(Case::new(
        "oz4 multi: unmake",
        &[call(&tokens[0], "burn(uint256,uint256)", &[&"1", &"50"])],
    ));
    let make = "mint(address,uint256[],uint256[])";
    let made = call(&tokens[1], make, &[&FRIEND, &list(&[4, 5]), &list(&[1, 2])]);
    cases.push(Case::new("oz5 multi: make a batch", &[made]));
    cases
}

fn wrapper(chain: &mut Chain) -> Vec<Case> {
    let weth = chain.deploy("solady weth", "SoladyWeth", "", &[]);
    let deposit = paying(&weth, "1000", "deposit()", &[]);
    let withdraw = call(&weth, "withdraw(uint256)", &[&"400"]);
    vec![
        Case::new("solady weth: wrap", std::slice::from_ref(&deposit)),
        Case::new("solady weth: wrap and unwrap", &[deposit, withdraw]),
        Case::new("native value to nobody", &[paying(&zero(), "5", "", &[])]),
    ]
}
