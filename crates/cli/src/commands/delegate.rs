//! `presight delegate`

use crate::args::Delegate;
use crate::exit::{Exit, Failure, print};
use crate::{door, input};
use alloy_primitives::{Address, B256, Bytes};
use anyhow::anyhow;
use presight_delegate::{
    Analysis, Caller, Fact, FreshAccount, Function, Limits, ViewAccount, Witness, analyse,
};
use presight_engine::Door as _;
use presight_engine::words::printable;
use presight_exec::delegation::AccountCode;
use presight_view::{Lookup, Unread, View};
use presight_wire::{AccountId, ChainId, NotRead, Reason, Refusal, hex};
use serde_json::{Value, json};
use std::path::Path;

/// The longest code that is taken: more than any chain deploys.
const MAX_CODE_BYTES: usize = 256 * 1024;

/// Analyses a delegate and prints what it lets outsiders do.
pub(crate) fn run(args: &Delegate, as_json: bool) -> Result<Exit, Failure> {
    let analysis = match subject(args)? {
        Subject::Code(code) => {
            let account = FreshAccount::new(FreshAccount::DELEGATE, code.clone(), None);
            analyse(&account, FreshAccount::DELEGATE, &code, Limits::default())
        }
        Subject::Account(account) => {
            args.door
                .run(|view| of_account(view, &account.chain, account.address))?
                .value
        }
    };
    match analysis {
        Ok(analysis) => {
            print(&if as_json {
                to_value(&analysis).to_string()
            } else {
                words(&analysis)
            });
            let read =
                analysis.single_caller.value().is_some() && analysis.unbounded_outflow.value().is_some();
            Ok(if read { Exit::Clean } else { Exit::NotEvaluated })
        }
        Err(Unread::NotRead(why)) => {
            print(&not_read(&why, as_json));
            Ok(Exit::NotEvaluated)
        }
        Err(Unread::Pending) => Err(anyhow!("the view was left with open reads").into()),
    }
}

/// What is analysed.
enum Subject {
    Code(Bytes),
    Account(AccountId),
}

fn subject(args: &Delegate) -> Result<Subject, Failure> {
    let text = args.delegate.trim();
    if text.starts_with("eip155:") {
        return Ok(Subject::Account(AccountId::parse(text, "")?));
    }
    let is_address = text.len() == 42;
    if text.starts_with("0x") && is_address {
        let address = hex::address(text, "")?;
        return Ok(Subject::Account(AccountId::new(
            door::only_chain(&args.door)?,
            address,
        )));
    }
    if text.starts_with("0x") {
        return Ok(Subject::Code(hex::data(text, "")?));
    }
    let bytes = input::read(Path::new(text), 2 * MAX_CODE_BYTES + 16)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Refusal::new("bad-hex", "", "the file holds no text: code in hex is expected"))?;
    let text = text.trim();
    let text = if text.starts_with("0x") {
        text.to_owned()
    } else {
        format!("0x{text}")
    };
    Ok(Subject::Code(hex::data(&text, "")?))
}

/// A delegated account, or a contract as a delegate of an account without storage.
fn of_account(view: &View<'_>, chain: &ChainId, address: Address) -> Lookup<Analysis> {
    let code = view.code(chain, address)?;
    let account = ViewAccount::new(view, chain, address)?.with_whole_storage();
    match AccountCode::of(&code) {
        AccountCode::Delegated(delegate) => {
            let code = view.code(chain, delegate)?;
            analyse(&account, delegate, &code, Limits::default())
        }
        AccountCode::Contract => {
            let fresh = FreshAccount::new(address, code.clone(), Some(account));
            analyse(&fresh, address, &code, Limits::default())
        }
        AccountCode::None => {
            let note = format!("{address:#x} has no code: it delegates to nothing, and is no delegate");
            Err(NotRead::new(Reason::Unsupported).with_note(note).into())
        }
    }
}

fn to_value(analysis: &Analysis) -> Value {
    let mut document = json!({
        "singleCaller": fact(&analysis.single_caller),
        "unboundedOutflow": fact(&analysis.unbounded_outflow),
        "functions": analysis.functions.iter().map(function).collect::<Vec<_>>(),
        "callers": analysis.callers.iter().map(witness).collect::<Vec<_>>(),
        "codes": analysis.code_hashes.iter().map(code).collect::<Vec<_>>(),
        "steps": analysis.steps,
        "note": analysis.note,
    });
    let reasons = reasons(analysis);
    if !reasons.is_empty() {
        document["reason"] = reasons.join("; ").into();
    }
    if let Some(found) = analysis.outflow.as_ref().or(analysis.callers.first()) {
        document["witness"] = witness(found);
    }
    document
}

fn fact(fact: &Fact) -> Value {
    fact.value().map_or("not-read".into(), Value::Bool)
}

fn reasons(analysis: &Analysis) -> Vec<String> {
    let named = [
        ("singleCaller", &analysis.single_caller),
        ("unboundedOutflow", &analysis.unbounded_outflow),
    ];
    named
        .into_iter()
        .filter_map(|(name, fact)| match fact {
            Fact::NotRead(why) => Some(format!("{name}: {why}")),
            Fact::Read(_) => None,
        })
        .collect()
}

fn witness(witness: &Witness) -> Value {
    json!({
        "caller": format!("{:#x}", witness.call.caller),
        "data": witness.call.data,
        "value": witness.call.value.to_string(),
        "result": witness.result,
    })
}

fn code((address, hash): (&Address, &B256)) -> Value {
    json!({ "address": format!("{address:#x}"), "codeHash": hash })
}

fn function(function: &Function) -> Value {
    json!({
        "selector": function.selector.map(|s| format!("{s:#010x}")),
        "name": function.selector.and_then(name),
        "callers": function.callers.iter().map(caller).collect::<Vec<_>>(),
        "does": function.does,
        "now": function.now,
        "sure": function.sure,
    })
}

/// The signature of a selector that is known; another function may have it too.
fn name(selector: u32) -> Option<&'static str> {
    let data = Bytes::copy_from_slice(&selector.to_be_bytes());
    // The arguments are not at hand: the selector alone names it.
    presight_decode::called(&data, usize::MAX).map(|called| called.signature)
}

fn caller(caller: &Caller) -> String {
    match caller {
        Caller::Fixed(address) => format!("{address:#x}"),
        Caller::InSlot(slot) => format!("slot {slot:#x}"),
        Caller::NotEstablished => "anybody, or not established".to_owned(),
    }
}

fn words(analysis: &Analysis) -> String {
    let told = |fact: &Fact| match fact {
        Fact::Read(true) => "yes".to_owned(),
        Fact::Read(false) => "no".to_owned(),
        Fact::NotRead(why) => format!("not read: {}", printable(why)),
    };
    let mut lines = vec![
        format!("one fixed outside caller:  {}", told(&analysis.single_caller)),
        format!("unbounded outflow a call:  {}", told(&analysis.unbounded_outflow)),
    ];
    for function in &analysis.functions {
        let name = function
            .selector
            .map_or("without selector".to_owned(), |s| match name(s) {
                Some(known) => format!("{s:#010x} {known}"),
                None => format!("{s:#010x}"),
            });
        let callers: Vec<String> = function.callers.iter().map(caller).collect();
        let when = if function.now { "" } else { ", after other calls" };
        lines.push(format!(
            "  {name}: {} — by {}{when}",
            function.does.join(", "),
            callers.join(", ")
        ));
    }
    if let Some(found) = analysis.outflow.as_ref().or(analysis.callers.first()) {
        lines.push(format!(
            "executed: {:#x} calls with {} wei and {}",
            found.call.caller, found.call.value, found.call.data
        ));
    }
    lines.push(analysis.note.clone());
    lines.join("\n")
}

fn not_read(why: &NotRead, as_json: bool) -> String {
    let note = why.note.as_deref().unwrap_or("state was not to be had");
    if as_json {
        return json!({
            "singleCaller": "not-read", "unboundedOutflow": "not-read", "reason": note,
            "notRead": why.reason.as_str(), "functions": [],
        })
        .to_string();
    }
    format!("not read ({}): {}", why.reason.as_str(), printable(note))
}
