//! Universal Router: a list of commands, each with its input.

pub(super) mod abi;
mod input;

use super::budget::Budget;
use super::calldata::Oddity;
use super::effects::{Site, built_in_permit2};
use super::function::RouterCall;
use super::loads::{Loads, SELECTOR};
use super::nested::NOT_UNDERSTOOD;
use crate::effect::Effect;
use crate::model::Command;
use alloy_primitives::{Address, Bytes, U256, address};
use input::Input;

/// Stands for the router's caller, as a recipient.
const MSG_SENDER: Address = address!("0x0000000000000000000000000000000000000001");
/// Stands for the router.
const ADDRESS_THIS: Address = address!("0x0000000000000000000000000000000000000002");
/// Stands for the router's whole balance, as an amount: 2^255.
const CONTRACT_BALANCE: U256 = U256::from_limbs([0, 0, 0, 1 << 63]);
/// Bits of a command byte that number the command in every version; the highest allows it to fail.
const NUMBER: u8 = 0x3f;
/// A command of version 2.1, which numbers commands with one bit more. Its other commands with that bit set do not
/// exist, and to earlier versions the bit means nothing.
const ACROSS_DEPOSIT: u8 = 0x40;

/// The router reads an input in assembly, without a check of its length.
const SHORT_INPUT: Oddity = Oddity::of_data(
    "short-input",
    "an input ends before its last argument: the router reads what follows it in the calldata, and zeros beyond the end",
);
/// Bytes after an input that are read as part of it, at most.
const MAX_BEYOND: usize = 512;

/// What a list of commands does.
pub(super) struct Plan<'b> {
    calldata: Loads<'b>,
    site: Site,
    budget: &'b mut Budget,
    /// What the commands do, in their order.
    pub(super) effects: Vec<Effect>,
    /// What is odd about them, each once.
    pub(super) oddities: Vec<Oddity>,
}

impl<'b> Plan<'b> {
    pub(super) fn new(calldata: &'b Bytes, site: Site, budget: &'b mut Budget) -> Self {
        Self {
            calldata: Loads(calldata),
            site,
            budget,
            effects: Vec::new(),
            oddities: Vec::new(),
        }
    }

    /// Reads the commands of a call at `depth`.
    pub(super) fn read(&mut self, call: &RouterCall, depth: usize) -> Vec<Command> {
        let arguments = U256::from(SELECTOR);
        match call {
            RouterCall::Execute(c) => self.commands(&c.commands, &c.inputs, arguments, depth),
            RouterCall::ExecuteDeadline(c) => self.commands(&c.commands, &c.inputs, arguments, depth),
        }
    }

    /// Reads `(bytes commands, bytes[] inputs)`, which begin at `arguments` in the calldata.
    fn commands(&mut self, bytes: &[u8], inputs: &[Bytes], arguments: U256, depth: usize) -> Vec<Command> {
        if bytes.len() != inputs.len() {
            self.odd(NOT_UNDERSTOOD);
        }
        let mut commands = Vec::new();
        for (index, (byte, input)) in bytes.iter().zip(inputs).enumerate() {
            if let Err(limit) = self.budget.enter(depth, input.len()) {
                self.odd(limit);
                break;
            }
            let place = self.calldata.element(arguments, 1, index);
            commands.push(self.command(*byte, input, place, depth));
        }
        commands
    }

    /// Reads a command, whose input begins at `place` in the calldata.
    fn command(&mut self, byte: u8, bytes: &Bytes, place: U256, depth: usize) -> Command {
        let number = byte & NUMBER;
        let unknown = byte & 0x7f == ACROSS_DEPOSIT;
        let name = input::name(number).filter(|_| !unknown);
        let mut command = Command {
            byte,
            name,
            args: Vec::new(),
            opaque: true,
            inner: Vec::new(),
        };
        if unknown {
            return command;
        }
        let read = input::read(number, bytes).or_else(|| {
            let longer = U256::from(bytes.len() + MAX_BEYOND);
            let read = input::read(number, &self.calldata.bytes(place, longer)?)?;
            self.odd(SHORT_INPUT);
            Some(read)
        });
        let Some((input, args)) = read else {
            // The swaps of version 4 are named; their actions are not read here.
            if name.is_some_and(|name| name != "V4_SWAP") {
                self.odd(NOT_UNDERSTOOD);
            }
            return command;
        };
        command.args = args;
        if let Input::SubPlan(plan) = &input {
            command.inner = self.commands(&plan.commands, &plan.inputs, place, depth + 1);
        }
        command.opaque = command.inner.iter().any(|inner| inner.opaque)
            || byte & ACROSS_DEPOSIT != 0
            || matches!(input, Input::V4Swap(_));
        self.effects.extend(effects(&input, self.site));
        command
    }

    fn odd(&mut self, oddity: Oddity) {
        if !self.oddities.contains(&oddity) {
            self.oddities.push(oddity);
        }
    }
}

fn effects(input: &Input, site: Site) -> Vec<Effect> {
    let named = |token: Address| Some(token).filter(|token| !token.is_zero());
    match input {
        Input::V3In(c) | Input::V3Out(c) => pays(site, None, c.recipient),
        Input::V2In(c) | Input::V2Out(c) => pays(site, None, c.recipient),
        Input::Wrap(c) | Input::Unwrap(c) => pays(site, None, c.recipient),
        Input::Sweep(c) | Input::PayPortion(c) => pays(site, named(c.token), c.recipient),
        Input::Transfer(c) if c.amount == CONTRACT_BALANCE => pays(site, named(c.token), c.recipient),
        Input::Transfer(c) => {
            let to = recipient(site, c.recipient);
            vec![moves(named(c.token), site.to, to, c.amount, None)]
        }
        Input::TransferFrom(c) => {
            let to = recipient(site, c.recipient);
            vec![moves(Some(c.token), site.caller, to, U256::from(c.amount), None)]
        }
        Input::TransferFromBatch(c) => {
            let details = c.batchDetails.iter();
            details
                .map(|d| moves(Some(d.token), d.from, d.to, U256::from(d.amount), None))
                .collect()
        }
        Input::SweepErc721(c) => {
            let to = recipient(site, c.recipient);
            vec![moves(Some(c.token), site.to, to, U256::ONE, Some(c.id))]
        }
        // The amount is a minimum.
        Input::SweepErc1155(c) => pays(site, Some(c.token), c.recipient),
        Input::Permit(c) => vec![built_in_permit2(
            site,
            &c.permitSingle.details,
            c.permitSingle.spender,
        )],
        Input::PermitBatch(c) => {
            let details = c.permitBatch.details.iter();
            details
                .map(|d| built_in_permit2(site, d, c.permitBatch.spender))
                .collect()
        }
        Input::BalanceCheck(_) | Input::V4Swap(_) | Input::SubPlan(_) => Vec::new(),
    }
}

fn recipient(site: Site, address: Address) -> Address {
    match address {
        MSG_SENDER => site.caller,
        ADDRESS_THIS => site.to,
        other => other,
    }
}

/// What the router pays back to its caller, or keeps, makes no recipient: the caller gets what it swaps.
fn pays(site: Site, token: Option<Address>, to: Address) -> Vec<Effect> {
    match recipient(site, to) {
        to if to == site.caller || to == site.to => Vec::new(),
        to => vec![Effect::Pays { token, to }],
    }
}

fn moves(token: Option<Address>, from: Address, to: Address, amount: U256, token_id: Option<U256>) -> Effect {
    Effect::Transfers {
        token,
        from,
        to,
        amount,
        token_id,
    }
}
