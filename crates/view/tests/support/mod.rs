//! What the tests of this crate share.
#![allow(dead_code, reason = "every test file uses its own part")]

use alloy_primitives::{Address, Bytes, U256};
use presight_testnode::{FUNDED, Node};
use presight_view::fault::{FaultPlan, Faulty};
use presight_view::rpc::{ChainSettings, Http, RetrySettings, Retrying, Rpc};
use presight_view::{Driven, Unread, View, run};
use presight_wire::{ChainId, Reason, Timestamp};
use serde_json::json;
use std::time::Duration;

pub(crate) const CLOCK: Timestamp = Timestamp(1_796_040_000);
pub(crate) const BUDGET: Duration = Duration::from_secs(20);

/// The chain of a local node.
pub(crate) fn chain() -> ChainId {
    ChainId::evm(31_337)
}

/// A transport to a URL, without retries unless a test asks for them.
pub(crate) fn transport(url: &str, attempts: u32) -> Retrying<Http> {
    let http = Http::new(url, Duration::from_secs(2)).unwrap();
    Retrying::new(
        http,
        RetrySettings {
            attempts,
            ..RetrySettings::default()
        },
    )
}

/// A backend over one node.
pub(crate) fn backend(url: &str, settings: ChainSettings) -> Rpc<Retrying<Http>> {
    Rpc::new().with_chain(chain(), transport(url, 3), settings)
}

/// A backend over one node with one fault.
pub(crate) fn faulty(
    url: &str,
    settings: ChainSettings,
    plan: Option<FaultPlan>,
) -> Rpc<Faulty<Retrying<Http>>> {
    Rpc::new().with_chain(chain(), Faulty::new(transport(url, 1), plan), settings)
}

/// Why a read has no value; none may be pending at the end of a run.
pub(crate) type Seen<T> = Result<T, Reason>;

fn seen<T>(lookup: Result<T, Unread>) -> Seen<T> {
    match lookup {
        Ok(value) => Ok(value),
        Err(Unread::NotRead(not_read)) => Err(not_read.reason),
        Err(Unread::Pending) => Err(Reason::NotRequested),
    }
}

/// What the small core below reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) block: Seen<u64>,
    pub(crate) balance: Seen<U256>,
    pub(crate) nonce: Seen<u64>,
    pub(crate) code: Seen<Bytes>,
    pub(crate) slot: Seen<U256>,
    /// The code of the account that the slot points to.
    pub(crate) behind: Seen<Bytes>,
    pub(crate) absent_balance: Seen<U256>,
    pub(crate) grandparent: Seen<alloy_primitives::B256>,
}

impl Facts {
    /// Every fact of `self` is the one of `other` or not read.
    pub(crate) fn are_those_of_or_not_read(&self, other: &Self) -> bool {
        fn fits<T: PartialEq>(mine: &Seen<T>, theirs: &Seen<T>) -> bool {
            match mine {
                Ok(_) => mine == theirs,
                Err(reason) => matches!(reason, Reason::Unavailable | Reason::Timeout),
            }
        }
        fits(&self.block, &other.block)
            && fits(&self.balance, &other.balance)
            && fits(&self.nonce, &other.nonce)
            && fits(&self.code, &other.code)
            && fits(&self.slot, &other.slot)
            && fits(&self.behind, &other.behind)
            && fits(&self.absent_balance, &other.absent_balance)
            && fits(&self.grandparent, &other.grandparent)
    }

    pub(crate) fn reasons(&self) -> Vec<Reason> {
        [
            self.block.as_ref().err(),
            self.balance.as_ref().err(),
            self.nonce.as_ref().err(),
            self.code.as_ref().err(),
            self.slot.as_ref().err(),
            self.behind.as_ref().err(),
            self.absent_balance.as_ref().err(),
            self.grandparent.as_ref().err(),
        ]
        .into_iter()
        .flatten()
        .copied()
        .collect()
    }
}

/// A core that follows a pointer in storage, as a proxy does, and announces that it will.
pub(crate) fn core(proxy: Address) -> impl Fn(&View<'_>) -> Facts {
    move |view| {
        view.hint_call(&chain(), proxy, &Bytes::new());
        unannounced(proxy)(view)
    }
}

/// The same core without a word beforehand.
pub(crate) fn unannounced(proxy: Address) -> impl Fn(&View<'_>) -> Facts {
    move |view| {
        let chain = chain();
        let slot = view.storage(&chain, proxy, U256::ZERO);
        let behind = slot
            .clone()
            .and_then(|word| view.code(&chain, Address::from_word(word.into())));
        let block = view.block(&chain).map(|block| block.number);
        let grandparent = block
            .clone()
            .and_then(|number| view.block_hash(&chain, number.saturating_sub(2)));
        Facts {
            block: seen(block),
            balance: seen(view.balance(&chain, proxy)),
            nonce: seen(view.nonce(&chain, proxy)),
            code: seen(view.code(&chain, proxy)),
            slot: seen(slot),
            behind: seen(behind),
            absent_balance: seen(view.balance(&chain, Address::repeat_byte(0x77))),
            grandparent: seen(grandparent),
        }
    }
}

/// Delegates every call to the account in slot 0.
const PROXY_CODE: &str = "3660006000376000600036600060005 45af43d600060003e3d6000f3";

/// Deploys, in the newest block, a proxy that holds wei and points to an account with code; gives its address.
pub(crate) fn deploy_proxy(node: &Node) -> Address {
    let behind = Address::repeat_byte(0xbb);
    node.set_code(&behind.to_string(), "0x602a60005260206000f3")
        .unwrap();
    let runtime = PROXY_CODE.replace(' ', "");
    let length = runtime.len() / 2;
    let store_and_return = format!("73{behind:x}60005560{length:02x}602460003960{length:02x}6000f3");
    let creation =
        json!({ "from": FUNDED[0], "data": format!("0x{store_and_return}{runtime}"), "value": "0x1234567" });
    let receipt = node.send(&creation).unwrap();
    assert_eq!(receipt["status"], "0x1");
    receipt["contractAddress"].as_str().unwrap().parse().unwrap()
}

/// A proxy that a small reorganisation leaves where it is.
pub(crate) fn put_proxy(node: &Node) -> Address {
    let proxy = deploy_proxy(node);
    node.mine(4).unwrap();
    proxy
}

/// A run of the small core.
pub(crate) async fn drive<B: presight_view::Backend>(backend: &mut B, proxy: Address) -> Driven<Facts> {
    run(backend, CLOCK, BUDGET, core(proxy)).await
}
