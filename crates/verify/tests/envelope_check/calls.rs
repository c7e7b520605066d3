//! Calldata.
#![allow(
    unreachable_pub,
    missing_docs,
    clippy::too_many_arguments,
    reason = "generated from the interfaces below"
)]

use alloy_sol_types::sol;

sol! {
    interface Token {
        function transfer(address to, uint256 amount);
        function transferFrom(address from, address to, uint256 amount);
        function safeTransferFrom(address from, address to, uint256 tokenId);
        function approve(address spender, uint256 amount);
        function increaseAllowance(address spender, uint256 amount);
        function decreaseAllowance(address spender, uint256 amount);
        function setApprovalForAll(address operator, bool approved);
        function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s);
        function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter,
            uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s);
    }

    interface Items {
        function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data);
    }

    interface Dai {
        function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v,
            bytes32 r, bytes32 s);
    }

    struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }
    struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }
    struct TokenPermissions { address token; uint256 amount; }
    struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }
    struct SignatureTransferDetails { address to; uint256 requestedAmount; }

    interface Permit2 {
        function approve(address token, address spender, uint160 amount, uint48 expiration);
        function permit(address owner, PermitSingle permitSingle, bytes signature);
        function permitTransferFrom(PermitTransferFrom permit, SignatureTransferDetails transferDetails, address owner,
            bytes signature);
    }

    interface V2 {
        function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to,
            uint256 deadline);
        function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline);
        function addLiquidity(address tokenA, address tokenB, uint256 a, uint256 b, uint256 minA, uint256 minB,
            address to, uint256 deadline);
    }

    struct Single {
        address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn;
        uint256 amountOutMinimum; uint160 sqrtPriceLimitX96;
    }
    struct Path { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }

    interface V3 {
        function exactInputSingle(Single params);
        function exactInput(Path params);
        function decreaseLiquidity(uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min,
            uint256 deadline);
    }

    interface Positions {
        function permit(address spender, uint256 tokenId, uint256 deadline, uint8 v, bytes32 r, bytes32 s);
    }

    interface Multicall {
        function multicall(bytes[] data);
    }

    interface MulticallDeadline {
        function multicall(uint256 deadline, bytes[] data);
    }

    interface Universal {
        function execute(bytes commands, bytes[] inputs, uint256 deadline);
    }

    interface UniversalForever {
        function execute(bytes commands, bytes[] inputs);
    }

    interface V4 {
        function modifyLiquidities(bytes unlockData, uint256 deadline);
    }

    interface Safe {
        function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas,
            uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures);
        function executeUserOp(address to, uint256 value, bytes data, uint8 operation);
    }

    interface MultiSend {
        function multiSend(bytes transactions);
    }

    struct PackedUserOperation {
        address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits;
        uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature;
    }

    interface EntryPoint {
        function handleOps(PackedUserOperation[] ops, address beneficiary);
    }
}
