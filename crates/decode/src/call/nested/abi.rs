//! The functions that take calls as arguments, as their contracts define them.
#![allow(missing_docs, unreachable_pub, reason = "generated from the interfaces below")]

use alloy_sol_types::sol;

// Contracts that call themselves with each part: the caller stays the caller.
sol! {
    interface Multicall {
        function multicall(bytes[] data) external payable returns (bytes[]);
        function tryMulticall(bytes[] data) external payable;
        function batch(bytes[] calls, bool revertOnFail) external payable;
        function multicallWithNodeCheck(bytes32 nodehash, bytes[] data) external;
    }

    interface MulticallDeadline {
        function multicall(uint256 deadline, bytes[] data) external payable returns (bytes[]);
    }

    interface MulticallBlockhash {
        function multicall(bytes32 previousBlockhash, bytes[] data) external payable returns (bytes[]);
    }

    interface MulticallTry {
        function multicall(bool requireSuccess, bytes[] data) external payable;
        function tryMulticall(bool requireSuccess, bytes[] data) external payable;
    }
}

// Contracts that make the calls themselves.
sol! {
    struct TargetData { address target; bytes callData; }
    struct Call3 { address target; bool allowFailure; bytes callData; }
    struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }

    interface Multicall3 {
        function aggregate(TargetData[] calls) external payable;
        function tryAggregate(bool requireSuccess, TargetData[] calls) external payable;
        function blockAndAggregate(TargetData[] calls) external payable;
        function tryBlockAndAggregate(bool requireSuccess, TargetData[] calls) external payable;
        function aggregate3(Call3[] calls) external payable;
        function aggregate3Value(Call3Value[] calls) external payable;
    }

    interface MulticallTargets {
        function multicall(address[] targets, bytes[] data) external payable;
    }

    interface MulticallStructs {
        function multicall(TargetData[] calls) external payable;
    }

    interface MultiSend {
        function multiSend(bytes transactions) external payable;
    }
}

// Safe, with the functions of its modules.
sol! {
    interface Safe {
        function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas,
            uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)
            external payable;
        function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation) external;
        function execTransactionFromModuleReturnData(address to, uint256 value, bytes data, uint8 operation)
            external;
        function executeUserOp(address to, uint256 value, bytes data, uint8 operation) external;
        function executeUserOpWithErrorString(address to, uint256 value, bytes data, uint8 operation) external;
    }
}

// Accounts: what they execute, they execute as themselves.
sol! {
    struct Execution { address target; uint256 value; bytes callData; }
    struct DataFirst { bytes data; address to; uint256 value; }
    struct Batch { Execution[] calls; bytes signature; }
    struct SequenceTransaction {
        bool delegateCall; bool revertOnError; uint256 gasLimit; address target; uint256 value; bytes data;
    }
    struct BatchItem { address targetContract; address onBehalfOfAccount; uint256 value; bytes data; }

    interface Account {
        function execute(address target, uint256 value, bytes data) external payable;
        function executeCall(address target, uint256 value, bytes data) external payable;
        function execute_ncC(address target, uint256 value, bytes data) external payable;
        function executeBatch(address[] targets, bytes[] data) external payable;
        function executeWithoutChainIdValidation(bytes[] calls) external payable;
        function executeWithRuntimeValidation(bytes data, bytes authorization) external payable;
    }

    interface AccountOperation {
        function execute(address target, uint256 value, bytes data, uint8 operation) external payable;
    }

    interface AccountArrays {
        function executeBatch(address[] targets, uint256[] values, bytes[] data) external payable;
        function executeBatchCall(address[] targets, uint256[] values, bytes[] data) external payable;
        function executeBatch_y6U(address[] targets, uint256[] values, bytes[] data) external payable;
    }

    interface AccountStructs {
        function executeBatch(Execution[] calls) external payable;
        function execute(Execution[] calls) external payable;
    }

    interface AccountDataFirst {
        function execute(DataFirst[] calls) external payable;
    }

    interface Erc7579 {
        function execute(bytes32 mode, bytes executionCalldata) external payable;
        function executeFromExecutor(bytes32 mode, bytes executionCalldata) external payable;
    }

    interface Ambire {
        function execute(Execution[] calls, bytes signature) external payable;
        function executeBySender(Execution[] calls) external payable;
        function executeMultiple(Batch[] toExec) external payable;
    }

    interface Sequence {
        function execute(SequenceTransaction[] txs, uint256 nonce, bytes signature) external payable;
        function selfExecute(SequenceTransaction[] txs) external payable;
    }

    interface Timelock {
        function execute(address target, uint256 value, bytes payload, bytes32 predecessor, bytes32 salt)
            external payable;
        function executeBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor,
            bytes32 salt) external payable;
    }

    interface DsProxy {
        function execute(address target, bytes data) external payable;
    }

    interface VaultConnector {
        function batch(BatchItem[] items) external payable;
    }
}

// ERC-4337. Version 0.8 keeps the functions of 0.7.
sol! {
    struct UserOperation {
        address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit;
        uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas;
        uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature;
    }
    struct PackedUserOperation {
        address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits;
        uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature;
    }
    struct UserOpsPerAggregator { UserOperation[] userOps; address aggregator; bytes signature; }
    struct PackedOpsPerAggregator { PackedUserOperation[] userOps; address aggregator; bytes signature; }

    interface EntryPointV6 {
        function handleOps(UserOperation[] ops, address beneficiary) external;
        function handleAggregatedOps(UserOpsPerAggregator[] opsPerAggregator, address beneficiary) external;
    }

    interface EntryPointV7 {
        function handleOps(PackedUserOperation[] ops, address beneficiary) external;
        function handleAggregatedOps(PackedOpsPerAggregator[] opsPerAggregator, address beneficiary) external;
    }

    interface AccountExecute {
        function executeUserOp(PackedUserOperation userOp, bytes32 userOpHash) external;
    }
}

// Calls made in the name of the account that signed them.
sol! {
    struct ForwardRequest {
        address from; address to; uint256 value; uint256 gas; uint256 nonce; bytes data;
    }
    struct ForwardRequestData {
        address from; address to; uint256 value; uint256 gas; uint48 deadline; bytes data; bytes signature;
    }

    interface MetaTransactions {
        function executeMetaTransaction(address userAddress, bytes functionSignature, bytes32 sigR, bytes32 sigS,
            uint8 sigV) external payable;
    }

    interface MinimalForwarder {
        function execute(ForwardRequest req, bytes signature) external payable;
    }

    interface Erc2771Forwarder {
        function execute(ForwardRequestData request) external payable;
        function executeBatch(ForwardRequestData[] requests, address refundReceiver) external payable;
    }
}
