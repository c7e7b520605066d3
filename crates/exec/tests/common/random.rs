//! Random contracts that observe all there is, and a world with three of them.

use super::World;
use alloy_primitives::{Address, Bytes, U256};
use presight_view::Block;
use proptest::prelude::*;
use revm::bytecode::opcode::*;
use revm::state::AccountInfo;

pub const CONTRACTS: [Address; 3] = [
    Address::repeat_byte(0xa1),
    Address::repeat_byte(0xa2),
    Address::repeat_byte(0xa3),
];
pub const FUNDED: Address = Address::repeat_byte(0xf1);
pub const USED: Address = Address::repeat_byte(0xf2);
pub const EMPTY: Address = Address::repeat_byte(0xee);

/// Code that leaves a word on the stack.
fn word() -> impl Strategy<Value = Vec<u8>> {
    let field = [
        COINBASE,
        DIFFICULTY,
        GASLIMIT,
        BASEFEE,
        BLOBBASEFEE,
        SELFBALANCE,
        NUMBER,
        TIMESTAMP,
        CALLER,
        CALLVALUE,
        GASPRICE,
        ORIGIN,
    ];
    let field = prop::sample::select(field.to_vec()).prop_map(|op| vec![op]);
    let of_account = (
        account(),
        prop::sample::select(vec![BALANCE, EXTCODEHASH, EXTCODESIZE]),
    )
        .prop_map(|(account, op)| [push(account), vec![op]].concat());
    let slot = (0..3u8).prop_map(|slot| vec![PUSH1, slot, SLOAD]);
    let block_hash = (0..5u8).prop_map(|back| vec![PUSH1, back, NUMBER, SUB, BLOCKHASH]);
    let store =
        (0..3u8, any::<u8>()).prop_map(|(slot, value)| vec![PUSH1, value, PUSH1, slot, SSTORE, PUSH0]);
    let log = (0..3u8).prop_map(|topic| vec![PUSH1, topic, PUSH1, 32, PUSH0, LOG1, PUSH0]);
    let create = (0..3u8, any::<bool>()).prop_map(|(value, salted)| match salted {
        // Of no code, with a value.
        true => vec![PUSH1, 1, PUSH0, PUSH0, PUSH1, value, CREATE2],
        false => vec![PUSH0, PUSH0, PUSH1, value, CREATE],
    });
    let message = (
        account(),
        0..3u8,
        prop::sample::select(vec![CALL, CALLCODE, DELEGATECALL, STATICCALL]),
    );
    let message = message.prop_map(|(to, value, op)| {
        let value = if matches!(op, CALL | CALLCODE) {
            vec![PUSH1, value]
        } else {
            vec![]
        };
        let head = [vec![PUSH1, 32, PUSH1, 64, PUSH0, PUSH0], value].concat();
        // What it leaves behind, and whether it succeeded.
        let tail = vec![PUSH3, 1, 0, 0, op, PUSH1, 64, MLOAD, ADD];
        [head, push(to), tail].concat()
    });
    prop_oneof![3 => field, 4 => of_account, 2 => slot, 1 => block_hash, 1 => store, 1 => log, 1 => create, 4 => message]
}

pub fn account() -> impl Strategy<Value = Address> {
    let known = [
        FUNDED,
        USED,
        EMPTY,
        Address::ZERO,
        Address::with_last_byte(2),
        Address::with_last_byte(0x99),
    ];
    prop::sample::select([&CONTRACTS[..], &known[..]].concat())
}

fn push(address: Address) -> Vec<u8> {
    [&[PUSH20], address.as_slice()].concat()
}

/// Words, mixed into one answer; now and then the contract destroys itself instead.
pub fn contract() -> impl Strategy<Value = Bytes> {
    (
        prop::collection::vec(word(), 1..8),
        prop::option::weighted(0.2, account()),
    )
        .prop_map(|(words, heir)| {
            let mix = [PUSH0, MLOAD, PUSH1, 31, MUL, ADD, PUSH0, MSTORE];
            let mut code: Vec<u8> = words
                .into_iter()
                .flat_map(|word| [word, mix.to_vec()].concat())
                .collect();
            match heir {
                Some(heir) => code.extend([push(heir), vec![SELFDESTRUCT]].concat()),
                None => code.extend([PUSH1, 32, PUSH0, RETURN]),
            }
            code.into()
        })
}

pub fn world(codes: [Bytes; 3], balance: u64) -> World {
    let mut world = World::new();
    for (address, code) in CONTRACTS.into_iter().zip(codes) {
        let info = AccountInfo {
            balance: U256::from(balance),
            nonce: 1,
            ..super::with_code(code)
        };
        world.db.insert_account_info(address, info);
        world
            .db
            .insert_account_storage(address, U256::ONE, U256::from(77))
            .unwrap();
    }
    world
        .db
        .insert_account_info(FUNDED, AccountInfo::from_balance(U256::from(1_000)));
    world.db.insert_account_info(
        USED,
        AccountInfo {
            nonce: 3,
            ..AccountInfo::default()
        },
    );
    world
}

pub const FIELDS: [fn(&mut Block); 6] = [
    |block| block.miner = None,
    |block| block.mix_hash = None,
    |block| block.gas_limit = None,
    |block| block.base_fee_per_gas = None,
    |block| block.excess_blob_gas = None,
    |block| block.parent_hash = None,
];
