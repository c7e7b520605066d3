//! The functions that are understood, by selector.

use super::abi::{
    ApproveAndCall, BundlerPermit, BundlerPermit2, CreditDelegation, Dai, EarlyAllowance, Erc20, Erc721,
    Erc721Data, Erc777, Erc1155, Erc2612, Erc3009, Erc6909, Erc7597, Erc7598, Permit2, Permit2Batch,
    Permit2Single, SelfPermit,
};
use super::calldata::{self, Oddity};
use super::json::Json;
use super::nested::abi::{
    Account, AccountArrays, AccountDataFirst, AccountExecute, AccountOperation, AccountStructs, Ambire,
    DsProxy, EntryPointV6, EntryPointV7, Erc2771Forwarder, Erc7579, MetaTransactions, MinimalForwarder,
    MultiSend, Multicall, Multicall3, MulticallBlockhash, MulticallDeadline, MulticallStructs,
    MulticallTargets, MulticallTry, Safe, Sequence, Timelock, VaultConnector,
};
use super::nested::wrapped_user_op;
use super::router::abi::{Router, RouterDeadline};
use alloy_primitives::Bytes;
use alloy_sol_types::SolCall;
use serde_json::Value;

/// A call whose selector is known and whose arguments decode under it.
pub(crate) struct Reading {
    pub(crate) function: Function,
    pub(crate) signature: &'static str,
    pub(crate) args: Vec<(&'static str, Value)>,
    pub(crate) oddities: Vec<Oddity>,
}

/// Reads calldata. `None` where no function that is understood takes it.
pub(crate) fn of_calldata(data: &Bytes) -> Option<Reading> {
    let (selector, arguments) = data.split_first_chunk::<4>()?;
    read(*selector, arguments).or_else(|| wrapped_user_op(data))
}

macro_rules! functions {
    ($(
        $(#[$meta:meta])*
        enum $set:ident { $($variant:ident = $call:ty { $($arg:ident),* })+ }
    )+
    others { $($other:ty { $($other_arg:ident),* })+ }) => {
        $(
            $(#[$meta])*
            #[allow(clippy::large_enum_variant, reason = "one value at a time, on the stack")]
            pub(crate) enum $set {
                $($variant($call)),+
            }
        )+

        /// A function with its arguments.
        pub(crate) enum Function {
            $($set($set),)+
            /// A token's function that grants and moves nothing the ERC lists.
            TokenOnly,
            /// The call that an account runs of an operation handed to it as a whole (ERC-4337).
            WrappedCall(Bytes),
        }

        /// The signature of the known function that has this selector.
        pub(crate) fn signature_of(selector: [u8; 4]) -> Option<&'static str> {
            match selector {
                $($(<$call as SolCall>::SELECTOR => Some(<$call as SolCall>::SIGNATURE),)+)+
                $(<$other as SolCall>::SELECTOR => Some(<$other as SolCall>::SIGNATURE),)+
                _ => None,
            }
        }

        /// Reads the arguments of a known function. A selector alone decides nothing: where the arguments
        /// do not decode under it, it belongs to another function or the call reverts.
        fn read(selector: [u8; 4], arguments: &[u8]) -> Option<Reading> {
            match selector {
                $($(<$call as SolCall>::SELECTOR => calldata::read::<$call>(arguments).map(|read| Reading {
                    signature: <$call as SolCall>::SIGNATURE,
                    args: vec![$((stringify!($arg), read.call.$arg.json())),*],
                    function: Function::$set($set::$variant(read.call)),
                    oddities: read.oddities,
                }),)+)+
                $(<$other as SolCall>::SELECTOR => calldata::read::<$other>(arguments).map(|read| Reading {
                    signature: <$other as SolCall>::SIGNATURE,
                    args: vec![$((stringify!($other_arg), read.call.$other_arg.json())),*],
                    function: Function::TokenOnly,
                    oddities: read.oddities,
                }),)+
                _ => None,
            }
        }
    };
}

functions! {
    /// The functions of ERC-20, 721, 1155, 2612, 3009 and DAI that grant or move.
    enum TokenCall {
        Transfer = Erc20::transferCall { to, amount }
        TransferFrom = Erc20::transferFromCall { from, to, amount }
        Approve = Erc20::approveCall { spender, amount }
        IncreaseAllowance = Erc20::increaseAllowanceCall { spender, addedValue }
        SafeTransferFrom = Erc721::safeTransferFromCall { from, to, tokenId }
        SafeTransferFromData = Erc721Data::safeTransferFromCall { from, to, tokenId, data }
        SetApprovalForAll = Erc721::setApprovalForAllCall { operator, approved }
        Erc1155Transfer = Erc1155::safeTransferFromCall { from, to, id, amount, data }
        Erc1155BatchTransfer = Erc1155::safeBatchTransferFromCall { from, to, ids, amounts, data }
        Permit = Erc2612::permitCall { owner, spender, value, deadline, v, r, s }
        PermitPacked = Erc7597::permitCall { owner, spender, value, deadline, signature }
        DaiPermit = Dai::permitCall { holder, spender, nonce, expiry, allowed, v, r, s }
        TransferWithAuthorization = Erc3009::transferWithAuthorizationCall {
            from, to, value, validAfter, validBefore, nonce, v, r, s
        }
        ReceiveWithAuthorization = Erc3009::receiveWithAuthorizationCall {
            from, to, value, validAfter, validBefore, nonce, v, r, s
        }
        TransferWithAuthorizationPacked = Erc7598::transferWithAuthorizationCall {
            from, to, value, validAfter, validBefore, nonce, signature
        }
        ReceiveWithAuthorizationPacked = Erc7598::receiveWithAuthorizationCall {
            from, to, value, validAfter, validBefore, nonce, signature
        }
    }
    /// The functions of Permit2, recognised at any address (I-38).
    #[allow(dead_code, reason = "the nonces of invalidateUnorderedNonces touch no account")]
    enum Permit2Call {
        Approve = Permit2::approveCall { token, spender, amount, expiration }
        Transfer = Permit2::transferFromCall { from, to, amount, token }
        BatchTransfer = Permit2Batch::transferFromCall { transferDetails }
        InvalidateNonces = Permit2::invalidateNoncesCall { token, spender, newNonce }
        InvalidateUnorderedNonces = Permit2::invalidateUnorderedNoncesCall { wordPos, mask }
        Lockdown = Permit2::lockdownCall { approvals }
        Permit = Permit2Single::permitCall { owner, permitSingle, signature }
        PermitBatch = Permit2Batch::permitCall { owner, permitBatch, signature }
        SignatureTransfer = Permit2Single::permitTransferFromCall {
            permit, transferDetails, owner, signature
        }
        SignatureBatchTransfer = Permit2Batch::permitTransferFromCall {
            permit, transferDetails, owner, signature
        }
        WitnessTransfer = Permit2Single::permitWitnessTransferFromCall {
            permit, transferDetails, owner, witness, witnessTypeString, signature
        }
        WitnessBatchTransfer = Permit2Batch::permitWitnessTransferFromCall {
            permit, transferDetails, owner, witness, witnessTypeString, signature
        }
    }
    /// Functions of other contracts that grant what a token's `approve` or `permit` does.
    #[allow(dead_code, reason = "not every argument matters")]
    enum HelperCall {
        ApproveAndCall = ApproveAndCall::approveAndCallCall { spender, amount, extraData }
        SelfPermit = SelfPermit::selfPermitCall { token, value, deadline, v, r, s }
        SelfPermitIfNecessary = SelfPermit::selfPermitIfNecessaryCall { token, value, deadline, v, r, s }
        SelfPermitAllowed = SelfPermit::selfPermitAllowedCall { token, nonce, expiry, v, r, s }
        SelfPermitAllowedIfNecessary = SelfPermit::selfPermitAllowedIfNecessaryCall { token, nonce, expiry, v, r, s }
        BundlerPermit = BundlerPermit::permitCall { asset, amount, deadline, v, r, s, skipRevert }
        BundlerPermit2 = BundlerPermit2::approve2Call { permitSingle, signature, skipRevert }
    }
    /// Functions that let another account act for the caller, or no longer, in a form that ERC-8481 has no approval for.
    #[allow(dead_code, reason = "not every argument matters")]
    enum OtherGrant {
        SetOperator = Erc6909::setOperatorCall { spender, approved }
        ApproveItem = Erc6909::approveCall { spender, id, amount }
        AuthorizeOperator = Erc777::authorizeOperatorCall { operator }
        ApproveDelegation = CreditDelegation::approveDelegationCall { delegatee, amount }
        IncreaseApproval = EarlyAllowance::increaseApprovalCall { spender, addedValue }
        RevokeOperator = Erc777::revokeOperatorCall { operator }
        DecreaseApproval = EarlyAllowance::decreaseApprovalCall { spender, subtractedValue }
    }
    /// Contracts that run each part on themselves.
    enum MulticallCall {
        Plain = Multicall::multicallCall { data }
        Try = Multicall::tryMulticallCall { data }
        Boring = Multicall::batchCall { calls, revertOnFail }
        NodeCheck = Multicall::multicallWithNodeCheckCall { nodehash, data }
        Deadline = MulticallDeadline::multicallCall { deadline, data }
        Blockhash = MulticallBlockhash::multicallCall { previousBlockhash, data }
        RequireSuccess = MulticallTry::multicallCall { requireSuccess, data }
        TryRequireSuccess = MulticallTry::tryMulticallCall { requireSuccess, data }
    }
    /// Contracts that make a list of calls.
    enum BatchCall {
        Aggregate = Multicall3::aggregateCall { calls }
        TryAggregate = Multicall3::tryAggregateCall { requireSuccess, calls }
        BlockAndAggregate = Multicall3::blockAndAggregateCall { calls }
        TryBlockAndAggregate = Multicall3::tryBlockAndAggregateCall { requireSuccess, calls }
        Aggregate3 = Multicall3::aggregate3Call { calls }
        Aggregate3Value = Multicall3::aggregate3ValueCall { calls }
        Targets = MulticallTargets::multicallCall { targets, data }
        Structs = MulticallStructs::multicallCall { calls }
        MultiSend = MultiSend::multiSendCall { transactions }
    }
    /// Safe and its modules.
    enum SafeCall {
        Transaction = Safe::execTransactionCall {
            to, value, data, operation, safeTxGas, baseGas, gasPrice, gasToken, refundReceiver, signatures
        }
        Module = Safe::execTransactionFromModuleCall { to, value, data, operation }
        ModuleReturnData = Safe::execTransactionFromModuleReturnDataCall { to, value, data, operation }
        UserOp = Safe::executeUserOpCall { to, value, data, operation }
        UserOpErrorString = Safe::executeUserOpWithErrorStringCall { to, value, data, operation }
    }
    /// Accounts that execute calls.
    enum AccountCall {
        Execute = Account::executeCall { target, value, data }
        ExecuteCall = Account::executeCallCall { target, value, data }
        ExecuteNcC = Account::execute_ncCCall { target, value, data }
        ExecuteOperation = AccountOperation::executeCall { target, value, data, operation }
        Batch = Account::executeBatchCall { targets, data }
        BatchValues = AccountArrays::executeBatchCall { targets, values, data }
        BatchCall = AccountArrays::executeBatchCallCall { targets, values, data }
        BatchY6U = AccountArrays::executeBatch_y6UCall { targets, values, data }
        BatchStructs = AccountStructs::executeBatchCall { calls }
        ExecuteStructs = AccountStructs::executeCall { calls }
        ExecuteDataFirst = AccountDataFirst::executeCall { calls }
        WithoutChainId = Account::executeWithoutChainIdValidationCall { calls }
        RuntimeValidation = Account::executeWithRuntimeValidationCall { data, authorization }
        Mode = Erc7579::executeCall { mode, executionCalldata }
        ModeFromExecutor = Erc7579::executeFromExecutorCall { mode, executionCalldata }
        Ambire = Ambire::executeCall { calls, signature }
        AmbireBySender = Ambire::executeBySenderCall { calls }
        AmbireMultiple = Ambire::executeMultipleCall { toExec }
        Sequence = Sequence::executeCall { txs, nonce, signature }
        SequenceSelf = Sequence::selfExecuteCall { txs }
        Timelock = Timelock::executeCall { target, value, payload, predecessor, salt }
        TimelockBatch = Timelock::executeBatchCall { targets, values, payloads, predecessor, salt }
        DsProxy = DsProxy::executeCall { target, data }
        VaultConnector = VaultConnector::batchCall { items }
    }
    /// ERC-4337.
    enum EntryPointCall {
        HandleOps = EntryPointV6::handleOpsCall { ops, beneficiary }
        HandlePackedOps = EntryPointV7::handleOpsCall { ops, beneficiary }
        HandleAggregatedOps = EntryPointV6::handleAggregatedOpsCall { opsPerAggregator, beneficiary }
        HandlePackedAggregatedOps = EntryPointV7::handleAggregatedOpsCall { opsPerAggregator, beneficiary }
        ExecuteUserOp = AccountExecute::executeUserOpCall { userOp, userOpHash }
    }
    /// Contracts that make a call in the name of the account that signed it.
    enum ForwarderCall {
        MetaTransaction = MetaTransactions::executeMetaTransactionCall {
            userAddress, functionSignature, sigR, sigS, sigV
        }
        Minimal = MinimalForwarder::executeCall { req, signature }
        Forward = Erc2771Forwarder::executeCall { request }
        ForwardBatch = Erc2771Forwarder::executeBatchCall { requests, refundReceiver }
    }
    /// Universal Router.
    enum RouterCall {
        Execute = Router::executeCall { commands, inputs }
        ExecuteDeadline = RouterDeadline::executeCall { commands, inputs, deadline }
    }
    others {
        Erc20::decreaseAllowanceCall { spender, subtractedValue }
        Erc20::nameCall {}
        Erc20::symbolCall {}
        Erc20::decimalsCall {}
        Erc20::totalSupplyCall {}
        Erc20::balanceOfCall { account }
        Erc20::allowanceCall { owner, spender }
        Erc721::ownerOfCall { tokenId }
        Erc721::getApprovedCall { tokenId }
        Erc721::isApprovedForAllCall { owner, operator }
        Erc721::tokenURICall { tokenId }
        Erc721::tokenByIndexCall { index }
        Erc721::tokenOfOwnerByIndexCall { owner, index }
        Erc1155::balanceOfCall { account, id }
        Erc1155::balanceOfBatchCall { accounts, ids }
        Erc1155::uriCall { id }
        Erc2612::noncesCall { owner }
        Erc2612::DOMAIN_SEPARATORCall {}
        Erc3009::authorizationStateCall { authorizer, nonce }
    }
}
