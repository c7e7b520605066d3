//! What contracts say they did: their events.

use super::slots::to_address;
use crate::answer::word;
use crate::simulate::Log;
use alloy_primitives::map::B256Map;
use alloy_primitives::{Address, U256, keccak256};
use std::sync::LazyLock;

/// Items of one batch event that are looked at.
const MAX_BATCH: usize = 1_000;

/// An event that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    /// The index of the call.
    pub(super) call: usize,
    /// Who says so.
    pub(super) contract: Address,
    /// What is said.
    pub(super) what: What,
}

/// What an event says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// ERC-20 `Transfer`.
    Transfer {
        from: Address,
        to: Address,
        amount: U256,
    },
    /// ERC-721 `Transfer`.
    ItemTransfer { from: Address, to: Address, id: U256 },
    /// ERC-1155 `TransferSingle`, or one item of `TransferBatch`.
    MultiTransfer {
        from: Address,
        to: Address,
        id: U256,
        amount: U256,
    },
    /// `Deposit` of a wrapper of native value.
    Wrapped { account: Address, amount: U256 },
    /// `Withdrawal` of a wrapper of native value.
    Unwrapped { account: Address, amount: U256 },
    /// ERC-20 `Approval`.
    Allowance {
        owner: Address,
        spender: Address,
        amount: U256,
    },
    /// ERC-721 `Approval`.
    ItemApproval { id: U256, approved: Address },
    /// `ApprovalForAll`.
    Operator {
        owner: Address,
        operator: Address,
        approved: bool,
    },
    /// Permit2's `Approval`, `Permit` and `Lockdown`.
    Permit2 {
        owner: Address,
        token: Address,
        spender: Address,
        amount: U256,
    },
    /// `RoleGranted` and `RoleRevoked`.
    Role { role: U256, account: Address, has: bool },
    /// Something about who controls the contract.
    Control(Controlled, U256),
}

/// What an event about control names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Controlled {
    /// `OwnershipTransferred`.
    Owner,
    /// `EnabledModule` and `DisabledModule`.
    Module,
    /// `AddedOwner` and `RemovedOwner`.
    SafeOwner,
    /// `DiamondCut`.
    Facets,
}

type Read = fn(&Log) -> Option<Vec<What>>;

static EVENTS: LazyLock<B256Map<Read>> = LazyLock::new(|| {
    let events: [(&str, Read); 21] = [
        ("Transfer(address,address,uint256)", transfer),
        (
            "TransferSingle(address,address,address,uint256,uint256)",
            transfer_single,
        ),
        (
            "TransferBatch(address,address,address,uint256[],uint256[])",
            transfer_batch,
        ),
        ("Deposit(address,uint256)", deposit),
        ("Withdrawal(address,uint256)", withdrawal),
        ("Approval(address,address,uint256)", approval),
        ("ApprovalForAll(address,address,bool)", approval_for_all),
        ("Approval(address,address,address,uint160,uint48)", permit2),
        ("Permit(address,address,address,uint160,uint48,uint48)", permit2),
        ("Lockdown(address,address,address)", lockdown),
        ("OwnershipTransferred(address,address)", ownership),
        ("RoleGranted(bytes32,address,address)", |log| role(log, true)),
        ("RoleRevoked(bytes32,address,address)", |log| role(log, false)),
        ("EnabledModule(address)", |log| control(log, Controlled::Module)),
        ("DisabledModule(address)", |log| control(log, Controlled::Module)),
        ("AddedOwner(address)", |log| control(log, Controlled::SafeOwner)),
        ("RemovedOwner(address)", |log| control(log, Controlled::SafeOwner)),
        ("DiamondCut((address,uint8,bytes4[])[],address,bytes)", |_| {
            facets()
        }),
        // Names that changed between versions of the Diamond standard and of Safe.
        ("DiamondCut((address,uint8,bytes4[])[])", |_| facets()),
        ("OwnerAdded(address)", |log| control(log, Controlled::SafeOwner)),
        ("OwnerRemoved(address)", |log| control(log, Controlled::SafeOwner)),
    ];
    events
        .into_iter()
        .map(|(signature, read)| (keccak256(signature), read))
        .collect()
});

/// The events that were understood, in order.
pub(super) fn of(logs: &[Log]) -> Vec<Claim> {
    logs.iter()
        .flat_map(|log| {
            let read = log.topics.first().and_then(|topic| EVENTS.get(topic));
            let said = read.and_then(|read| read(log)).unwrap_or_default();
            said.into_iter().map(|what| Claim {
                call: log.call,
                contract: log.address,
                what,
            })
        })
        .collect()
}

/// The words of an event in order: indexed ones are in topics, the others in the data. The standards index a fixed
/// number of them, tokens not always the same.
fn parameter(log: &Log, index: usize) -> Option<U256> {
    let indexed = log.topics.len() - 1;
    if index < indexed {
        log.topics.get(index + 1).map(|topic| (*topic).into())
    } else {
        word(&log.data, index - indexed).ok()
    }
}

fn address(log: &Log, index: usize) -> Option<Address> {
    let word = parameter(log, index)?;
    (word.bit_len() <= 160).then(|| to_address(word))
}

fn transfer(log: &Log) -> Option<Vec<What>> {
    let (from, to, third) = (address(log, 0)?, address(log, 1)?, parameter(log, 2)?);
    let is_item = log.topics.len() == 4;
    Some(vec![if is_item {
        What::ItemTransfer { from, to, id: third }
    } else {
        What::Transfer {
            from,
            to,
            amount: third,
        }
    }])
}

fn transfer_single(log: &Log) -> Option<Vec<What>> {
    Some(vec![What::MultiTransfer {
        from: address(log, 1)?,
        to: address(log, 2)?,
        id: parameter(log, 3)?,
        amount: parameter(log, 4)?,
    }])
}

fn transfer_batch(log: &Log) -> Option<Vec<What>> {
    let (from, to) = (address(log, 1)?, address(log, 2)?);
    let (ids, amounts) = (array(log, 0)?, array(log, 1)?);
    if ids.len() != amounts.len() {
        return None;
    }
    let items = ids.into_iter().zip(amounts);
    Some(
        items
            .map(|(id, amount)| What::MultiTransfer { from, to, id, amount })
            .collect(),
    )
}

/// An array of words whose offset is the data's word at this index.
fn array(log: &Log, index: usize) -> Option<Vec<U256>> {
    let offset = usize::try_from(word(&log.data, index).ok()?).ok()?;
    let tail = log.data.get(offset..)?;
    let length = usize::try_from(word(tail, 0).ok()?).ok()?;
    if length > MAX_BATCH {
        return None;
    }
    (1..=length).map(|at| word(tail, at).ok()).collect()
}

fn deposit(log: &Log) -> Option<Vec<What>> {
    Some(vec![What::Wrapped {
        account: address(log, 0)?,
        amount: parameter(log, 1)?,
    }])
}

fn withdrawal(log: &Log) -> Option<Vec<What>> {
    Some(vec![What::Unwrapped {
        account: address(log, 0)?,
        amount: parameter(log, 1)?,
    }])
}

fn approval(log: &Log) -> Option<Vec<What>> {
    let (owner, spender, third) = (address(log, 0)?, address(log, 1)?, parameter(log, 2)?);
    let is_item = log.topics.len() == 4;
    Some(vec![if is_item {
        What::ItemApproval {
            id: third,
            approved: spender,
        }
    } else {
        What::Allowance {
            owner,
            spender,
            amount: third,
        }
    }])
}

fn approval_for_all(log: &Log) -> Option<Vec<What>> {
    Some(vec![What::Operator {
        owner: address(log, 0)?,
        operator: address(log, 1)?,
        approved: !parameter(log, 2)?.is_zero(),
    }])
}

fn permit2(log: &Log) -> Option<Vec<What>> {
    Some(vec![What::Permit2 {
        owner: address(log, 0)?,
        token: address(log, 1)?,
        spender: address(log, 2)?,
        amount: parameter(log, 3)?,
    }])
}

fn lockdown(log: &Log) -> Option<Vec<What>> {
    Some(vec![What::Permit2 {
        owner: address(log, 0)?,
        token: address(log, 1)?,
        spender: address(log, 2)?,
        amount: U256::ZERO,
    }])
}

fn ownership(log: &Log) -> Option<Vec<What>> {
    Some(vec![What::Control(Controlled::Owner, parameter(log, 1)?)])
}

fn role(log: &Log, has: bool) -> Option<Vec<What>> {
    Some(vec![What::Role {
        role: parameter(log, 0)?,
        account: address(log, 1)?,
        has,
    }])
}

fn control(log: &Log, what: Controlled) -> Option<Vec<What>> {
    Some(vec![What::Control(what, parameter(log, 0)?)])
}

fn facets() -> Option<Vec<What>> {
    Some(vec![What::Control(Controlled::Facets, U256::ZERO)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::B256;
    use proptest::prelude::*;

    fn log(signature: &str, topics: &[u64], data: &[u64]) -> Log {
        let first = keccak256(signature);
        let topics = topics.iter().map(|word| B256::from(U256::from(*word)));
        Log {
            call: 0,
            address: Address::ZERO,
            topics: std::iter::once(first).chain(topics).collect(),
            data: data
                .iter()
                .flat_map(|word| U256::from(*word).to_be_bytes::<32>())
                .collect(),
        }
    }

    fn said(log: &Log) -> Vec<What> {
        of(std::slice::from_ref(log))
            .into_iter()
            .map(|claim| claim.what)
            .collect()
    }

    #[test]
    fn an_item_is_told_from_an_amount_by_its_topics() {
        let (from, to) = (Address::with_last_byte(1), Address::with_last_byte(2));
        let signature = "Transfer(address,address,uint256)";
        let amount = What::Transfer {
            from,
            to,
            amount: U256::from(3),
        };
        assert_eq!(
            said(&log(signature, &[1, 2], &[3])),
            std::slice::from_ref(&amount)
        );
        assert_eq!(said(&log(signature, &[], &[1, 2, 3])), [amount]);
        let id = U256::ZERO;
        assert_eq!(
            said(&log(signature, &[1, 2, 0], &[])),
            [What::ItemTransfer { from, to, id }]
        );
    }

    #[test]
    fn batches_are_taken_apart() {
        let signature = "TransferBatch(address,address,address,uint256[],uint256[])";
        let batch = log(signature, &[9, 1, 2], &[64, 160, 2, 7, 8, 2, 70, 80]);
        let (from, to) = (Address::with_last_byte(1), Address::with_last_byte(2));
        let item = |id, amount| What::MultiTransfer {
            from,
            to,
            id: U256::from(id),
            amount: U256::from(amount),
        };
        assert_eq!(said(&batch), [item(7, 70), item(8, 80)]);
        assert_eq!(said(&log(signature, &[9, 1, 2], &[64, 160, 2, 7, 8, 1, 70])), []);
        assert_eq!(said(&log(signature, &[9, 1, 2], &[64, 1 << 40, 2, 7, 8])), []);
    }

    proptest! {
        #[test]
        fn any_log_is_understood_or_not(
            event in 0..EVENTS.len(),
            topics in proptest::collection::vec(any::<[u8; 32]>(), 0..4),
            data in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            let mut events: Vec<_> = EVENTS.keys().copied().collect();
            events.sort();
            let topics = std::iter::once(events[event]).chain(topics.into_iter().map(B256::from));
            let log = Log { call: 3, address: Address::ZERO, topics: topics.collect(), data: data.into() };
            prop_assert!(of(&[log]).iter().all(|claim| claim.call == 3));
        }
    }
}
