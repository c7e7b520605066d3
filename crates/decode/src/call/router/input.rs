//! The commands that are understood, by number.

use super::abi::Commands;
use crate::call::abi::RouterPermit2;
use crate::call::calldata;
use crate::call::json::Json;
use serde_json::Value;

macro_rules! commands {
    ($($number:literal $name:literal = $variant:ident($call:ty) { $($arg:ident),+ })+) => {
        /// A command with its input.
        #[allow(dead_code, reason = "not every argument matters")]
        pub(super) enum Input {
            $($variant($call)),+
        }

        /// The name of a command.
        pub(super) fn name(number: u8) -> Option<&'static str> {
            match number {
                $($number => Some($name),)+
                _ => None,
            }
        }

        /// Reads the input of a command, with its arguments by name.
        pub(super) fn read(number: u8, input: &[u8]) -> Option<(Input, Vec<(&'static str, Value)>)> {
            match number {
                $($number => {
                    let call = calldata::decode_arguments::<$call>(input)?;
                    let args = vec![$((stringify!($arg), call.$arg.json())),+];
                    Some((Input::$variant(call), args))
                })+
                _ => None,
            }
        }
    };
}

commands! {
    0x00 "V3_SWAP_EXACT_IN" = V3In(Commands::swapPathCall) { recipient, amount, limit, path, payerIsUser }
    0x01 "V3_SWAP_EXACT_OUT" = V3Out(Commands::swapPathCall) { recipient, amount, limit, path, payerIsUser }
    0x02 "PERMIT2_TRANSFER_FROM" = TransferFrom(Commands::permit2TransferFromCall) { token, recipient, amount }
    0x03 "PERMIT2_PERMIT_BATCH" = PermitBatch(RouterPermit2::permit2PermitBatchCall) { permitBatch, signature }
    0x04 "SWEEP" = Sweep(Commands::payCall) { token, recipient, amount }
    0x05 "TRANSFER" = Transfer(Commands::payCall) { token, recipient, amount }
    0x06 "PAY_PORTION" = PayPortion(Commands::payCall) { token, recipient, amount }
    0x08 "V2_SWAP_EXACT_IN" = V2In(Commands::swapTokensCall) { recipient, amount, limit, path, payerIsUser }
    0x09 "V2_SWAP_EXACT_OUT" = V2Out(Commands::swapTokensCall) { recipient, amount, limit, path, payerIsUser }
    0x0a "PERMIT2_PERMIT" = Permit(RouterPermit2::permit2PermitCall) { permitSingle, signature }
    0x0b "WRAP_ETH" = Wrap(Commands::wrapCall) { recipient, amount }
    0x0c "UNWRAP_WETH" = Unwrap(Commands::wrapCall) { recipient, amount }
    0x0d "PERMIT2_TRANSFER_FROM_BATCH" = TransferFromBatch(RouterPermit2::permit2TransferFromBatchCall) { batchDetails }
    0x0e "BALANCE_CHECK_ERC20" = BalanceCheck(Commands::balanceCheckCall) { owner, token, minBalance }
    0x10 "V4_SWAP" = V4Swap(Commands::v4SwapCall) { actions, params }
    0x17 "SWEEP_ERC721" = SweepErc721(Commands::sweepErc721Call) { token, recipient, id }
    0x1d "SWEEP_ERC1155" = SweepErc1155(Commands::sweepErc1155Call) { token, recipient, id, amount }
    0x21 "EXECUTE_SUB_PLAN" = SubPlan(Commands::executeSubPlanCall) { commands, inputs }
}
