//! `presight register`

use crate::args::Register;
use crate::door::chain_and_url;
use crate::exit::{Exit, Failure, print};
use crate::send::{Node, Sender, Sent, succeeded};
use alloy_primitives::{Address, Bytes, U256, keccak256};
use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use presight_engine::identity::{USUAL_REGISTRY, load_key};
use presight_source::registration::MAX_REGISTRATION_BYTES;
use presight_wire::{AccountId, ChainId, Refusal, hex, jcs};
use serde_json::{Value, json};
use std::time::Duration;

/// What an ERC-8004 registration file says it is.
const FILE_TYPE: &str = "https://eips.ethereum.org/EIPS/eip-8004#registration-v1";
/// `Transfer(address,address,uint256)`: a registry is an ERC-721 contract, and its tokens are the agents.
const TRANSFER: &str = "Transfer(address,address,uint256)";

/// Shows the registration file and the registry call; sends the call only when asked to.
pub(crate) fn run(args: &Register, as_json: bool) -> Result<Exit, Failure> {
    let registry = registry(args)?;
    let agent_id = args
        .agent_id
        .as_deref()
        .map(|id| hex::decimal(id, ""))
        .transpose()?;
    let file = file(args, &registry, agent_id)?;
    let bytes = jcs::canonical(&file);
    if bytes.len() > MAX_REGISTRATION_BYTES {
        let message = format!(
            "the file has {} bytes; MAX_REGISTRATION_BYTES is {MAX_REGISTRATION_BYTES}",
            bytes.len()
        );
        return Err(Refusal::new("too-large", "", message).into());
    }
    let uri = match &args.uri {
        Some(uri) => uri.clone(),
        None => format!("data:application/json;base64,{}", STANDARD.encode(&bytes)),
    };
    let data = call(agent_id, &uri);
    let mut document = json!({
        "registry": registry, "file": file, "fileHash": keccak256(&bytes), "uri": uri,
        "call": { "to": format!("{:#x}", registry.address), "value": "0", "data": data },
        "status": "not-sent",
    });
    let exit = if args.send {
        send(args, &registry, data, &mut document)?
    } else {
        Exit::Clean
    };
    print(&if as_json {
        document.to_string()
    } else {
        serde_json::to_string_pretty(&document).context("JSON is written")?
    });
    Ok(exit)
}

fn registry(args: &Register) -> Result<AccountId, Failure> {
    match (&args.registry, &args.chain) {
        (Some(registry), _) => Ok(AccountId::parse(registry, "")?),
        (None, Some(chain)) => {
            let named = if chain.contains(':') {
                chain.clone()
            } else {
                format!("eip155:{chain}")
            };
            Ok(AccountId::new(ChainId::parse(&named, "")?, USUAL_REGISTRY))
        }
        (None, None) => Err(Refusal::new("no-registry", "", "--registry or --chain is needed").into()),
    }
}

/// The registration file (ERC-8004 §Registration file, ERC-8481 §Signature and source identity).
fn file(args: &Register, registry: &AccountId, agent_id: Option<U256>) -> Result<Value, Failure> {
    let signers: Vec<String> = args
        .signer
        .iter()
        .map(|signer| {
            let account = if signer.contains(':') {
                AccountId::parse(signer, "")?
            } else {
                AccountId::new(registry.chain.clone(), hex::address(signer, "")?)
            };
            if account.chain != registry.chain {
                let message = format!("{account} is not on the registry's chain {}", registry.chain);
                return Err(Refusal::new("mixed-chains", "", message));
            }
            Ok(account.to_string())
        })
        .collect::<Result<_, _>>()?;
    // Agents are numbered from zero; the file gives the number as JSON does.
    let registrations: Vec<Value> = agent_id
        .map(|id| {
            u64::try_from(id)
                .map(|id| json!({ "agentId": id, "agentRegistry": registry }))
                .map_err(|_| Refusal::new("bad-integer", "", "an agent id of a file is below 2^64"))
        })
        .transpose()?
        .into_iter()
        .collect();
    Ok(json!({
        "type": FILE_TYPE,
        "name": args.name,
        "description": args.description,
        "services": [{
            "name": "presign-risk-report", "endpoint": args.endpoint, "version": "erc-presign/1", "signers": signers,
        }],
        "active": true,
        "registrations": registrations,
    }))
}

/// `register(string)`, or `setAgentURI(uint256,string)` of an agent there is.
fn call(agent_id: Option<U256>, uri: &str) -> Bytes {
    let (signature, mut words) = match agent_id {
        None => ("register(string)", Vec::new()),
        Some(id) => ("setAgentURI(uint256,string)", vec![id]),
    };
    words.push(U256::from((words.len() + 1) * 32));
    words.push(U256::from(uri.len()));
    let mut data = keccak256(signature)[..4].to_vec();
    data.extend(words.iter().flat_map(U256::to_be_bytes::<32>));
    data.extend_from_slice(uri.as_bytes());
    data.extend(std::iter::repeat_n(0, uri.len().next_multiple_of(32) - uri.len()));
    data.into()
}

fn send(args: &Register, registry: &AccountId, data: Bytes, document: &mut Value) -> Result<Exit, Failure> {
    let rpc = args.rpc.as_deref().context("clap asks for a node")?;
    let (chain, url) = chain_and_url(rpc)?;
    let key = load_key(args.key_file.as_deref().context("clap asks for a key")?)?;
    let node = Node::new(url)?;
    let chain_id = node.small("eth_chainId", json!([]))?;
    if chain != registry.chain || chain.evm_id() != Some(chain_id) {
        let message = format!(
            "the node is on chain {chain_id}, the registry on {}",
            registry.chain
        );
        return Err(Refusal::new("wrong-chain", "", message).into());
    }
    if node.code(registry.address)?.is_empty() {
        let message = format!("there is no registry at {registry}");
        return Err(Refusal::new("no-registry", "", message).into());
    }
    let sender = Sender {
        node: &node,
        key: &key,
        chain_id,
        wait: Duration::from_secs(args.wait),
        dry_run: false,
    };
    let (status, exit) = match sender.send(registry.address, data)? {
        Sent::Not => ("not-sent", Exit::Clean),
        Sent::Pending(hash) => {
            document["transaction"] = json!(hash);
            ("pending", Exit::NotEvaluated)
        }
        Sent::Mined(receipt) => {
            document["transaction"] = receipt["transactionHash"].clone();
            document["agentId"] =
                agent_of(&receipt, registry.address).map_or(Value::Null, |id| id.to_string().into());
            if succeeded(&receipt) {
                ("registered", Exit::Clean)
            } else {
                ("failed", Exit::Block)
            }
        }
    };
    document["status"] = status.into();
    Ok(exit)
}

/// The agent that a receipt says was made.
fn agent_of(receipt: &Value, registry: Address) -> Option<U256> {
    let event = keccak256(TRANSFER).to_string();
    let mut logs = receipt["logs"].as_array()?.iter();
    logs.find_map(|log| {
        let emitter: Address = log["address"].as_str()?.parse().ok()?;
        let topics = log["topics"].as_array()?;
        let made = emitter == registry && topics.len() == 4 && topics[0] == event.as_str();
        let from_nobody = topics.get(1)?.as_str()?.parse() == Ok(U256::ZERO);
        (made && from_nobody).then(|| topics[3].as_str()?.parse().ok())?
    })
}
