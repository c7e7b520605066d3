//! Effects as JSON: the `effects` member of the command line's `simulate` document.

use super::{
    Allowance, ChangedSlot, CodeChange, Control, Effects, ItemApproval, NativeChange, Nonce, Operator,
    Permit2Allowance, Spends, TokenBalance, Transfer,
};
use crate::delegation::AccountCode;
use crate::simulate::Change;
use alloy_primitives::{Address, U256};
use serde_json::{Value, json};

impl Effects {
    /// The `effects` member.
    pub fn to_value(&self) -> Value {
        let mut value = json!({
            "native": list(&self.native, native),
            "transfers": list(&self.transfers, transfer),
            "balances": list(&self.balances, balance),
            "allowances": list(&self.allowances, allowance),
            "permit2": list(&self.permit2, permit2),
            "operators": list(&self.operators, operator),
            "items": list(&self.items, item),
            "nonces": list(&self.nonces, nonce),
            "control": list(&self.control, control),
            "code": list(&self.code, code),
            "unattributed": list(&self.unattributed, slot),
        });
        for part in &self.not_read {
            if let Some(list) = value.get_mut(part.as_str()) {
                *list = Value::Null;
            }
        }
        if !self.not_read.is_empty() {
            value["notRead"] = self.not_read.iter().map(|part| json!(part.as_str())).collect();
        }
        value
    }
}

fn list<T>(items: &[T], value: impl Fn(&T) -> Value) -> Value {
    items.iter().map(value).collect()
}

fn account(address: Address) -> Value {
    json!(format!("{address:#x}"))
}

/// Puts in `before` and `after`, when they are known.
fn put<T>(value: &mut Value, change: Option<&Change<T>>, word: impl Fn(&T) -> Value) {
    if let Some(change) = change {
        value["before"] = word(&change.before);
        value["after"] = word(&change.after);
    }
}

fn decimal(number: &U256) -> Value {
    json!(number.to_string())
}

fn native(change: &NativeChange) -> Value {
    let mut value = json!({ "account": account(change.account) });
    put(&mut value, Some(&change.balance), decimal);
    value
}

fn transfer(transfer: &Transfer) -> Value {
    let mut value = json!({
        "call": transfer.call,
        "standard": transfer.asset.as_str(),
        "token": account(transfer.token),
        "from": account(transfer.from),
        "to": account(transfer.to),
        "amount": transfer.amount.to_string(),
        "standing": transfer.standing.as_str(),
    });
    if let Some(id) = transfer.asset.id() {
        value["id"] = decimal(&id);
    }
    value
}

fn balance(balance: &TokenBalance) -> Value {
    let mut value = json!({
        "token": account(balance.token),
        "account": account(balance.account),
        "told": balance.told,
    });
    if let Some(id) = balance.id {
        value["id"] = decimal(&id);
    }
    put(&mut value, Some(&balance.balance), decimal);
    value
}

fn allowance(allowance: &Allowance) -> Value {
    let mut value = json!({
        "token": account(allowance.token),
        "owner": account(allowance.owner),
        "spender": account(allowance.spender),
        "raised": allowance.is_raised(),
        "standing": allowance.standing.as_str(),
    });
    put(&mut value, allowance.amount.as_ref(), decimal);
    if let Some(told) = &allowance.told {
        value["told"] = decimal(told);
    }
    value
}

fn permit2(allowance: &Permit2Allowance) -> Value {
    let mut value = json!({
        "contract": account(allowance.contract),
        "token": account(allowance.token),
        "owner": account(allowance.owner),
        "spender": account(allowance.spender),
        "standing": allowance.standing.as_str(),
    });
    put(&mut value, allowance.amount.as_ref(), decimal);
    if let Some(expiration) = &allowance.expiration {
        value["expiration"] = json!({
            "before": expiration.before.to_string(),
            "after": expiration.after.to_string(),
        });
    }
    value
}

fn operator(operator: &Operator) -> Value {
    let mut value = json!({
        "token": account(operator.token),
        "owner": account(operator.owner),
        "operator": account(operator.operator),
        "standing": operator.standing.as_str(),
    });
    put(&mut value, operator.approved.as_ref(), |approved| json!(approved));
    if let Some(told) = operator.told {
        value["told"] = json!(told);
    }
    value
}

fn item(item: &ItemApproval) -> Value {
    let mut value = json!({
        "token": account(item.token),
        "id": item.id.to_string(),
        "standing": item.standing.as_str(),
    });
    put(&mut value, item.approved.as_ref(), |approved| account(*approved));
    if let Some(told) = item.told {
        value["told"] = account(told);
    }
    value
}

fn nonce(nonce: &Nonce) -> Value {
    let mut value = json!({
        "contract": account(nonce.contract),
        "owner": account(nonce.owner),
        "spends": nonce.spends.as_str(),
    });
    match nonce.spends {
        Spends::Allowance { token, spender } => {
            value["token"] = account(token);
            value["spender"] = account(spender);
        }
        Spends::Transfers { word } => value["word"] = decimal(&word),
        Spends::Operations { key } => value["key"] = decimal(&key),
        Spends::Permits | Spends::Transactions => {}
    }
    put(&mut value, Some(&nonce.value), decimal);
    value
}

fn control(control: &Control) -> Value {
    let mut value = json!({
        "contract": account(control.contract),
        "what": control.what.as_str(),
        "standing": control.standing.as_str(),
    });
    if let Some(subject) = control.subject {
        value["subject"] = account(subject);
    }
    if let Some(of) = control.of {
        value["of"] = json!(of.to_string());
    }
    put(&mut value, control.value.as_ref(), |word| {
        json!(format!("{word:#x}"))
    });
    value
}

fn code(change: &CodeChange) -> Value {
    let word = |code: &AccountCode| match code {
        AccountCode::None => json!("none"),
        AccountCode::Contract => json!("contract"),
        AccountCode::Delegated(delegate) => json!(format!("delegated to {delegate:#x}")),
    };
    let mut value = json!({ "account": account(change.account), "destroyed": change.destroyed });
    put(&mut value, Some(&change.code), word);
    value
}

fn slot(slot: &ChangedSlot) -> Value {
    let hex = |word: &U256| json!(format!("{word:#066x}"));
    let mut value = json!({
        "contract": account(slot.contract),
        "slot": hex(&slot.slot),
        "keys": slot.keys.iter().map(hex).collect::<Vec<_>>(),
    });
    put(&mut value, Some(&slot.change), hex);
    value
}
