//! The functions of the token standards and of Permit2, as their interfaces define them.
#![allow(missing_docs, unreachable_pub, reason = "generated from the interfaces below")]

use alloy_sol_types::sol;

sol! {
    interface Erc20 {
        function transfer(address to, uint256 amount) external returns (bool);
        function transferFrom(address from, address to, uint256 amount) external returns (bool);
        function approve(address spender, uint256 amount) external returns (bool);
        function increaseAllowance(address spender, uint256 addedValue) external returns (bool);
        function decreaseAllowance(address spender, uint256 subtractedValue) external returns (bool);
        function name() external view returns (string);
        function symbol() external view returns (string);
        function decimals() external view returns (uint8);
        function totalSupply() external view returns (uint256);
        function balanceOf(address account) external view returns (uint256);
        function allowance(address owner, address spender) external view returns (uint256);
    }

    interface Erc721 {
        function safeTransferFrom(address from, address to, uint256 tokenId) external;
        function setApprovalForAll(address operator, bool approved) external;
        function ownerOf(uint256 tokenId) external view returns (address);
        function getApproved(uint256 tokenId) external view returns (address);
        function isApprovedForAll(address owner, address operator) external view returns (bool);
        function tokenURI(uint256 tokenId) external view returns (string);
        function tokenByIndex(uint256 index) external view returns (uint256);
        function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);
    }

    interface Erc721Data {
        function safeTransferFrom(address from, address to, uint256 tokenId, bytes data) external;
    }

    interface Erc1155 {
        function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data) external;
        function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)
            external;
        function balanceOf(address account, uint256 id) external view returns (uint256);
        function balanceOfBatch(address[] accounts, uint256[] ids) external view returns (uint256[]);
        function uri(uint256 id) external view returns (string);
    }

    interface Erc2612 {
        function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r,
            bytes32 s) external;
        function nonces(address owner) external view returns (uint256);
        function DOMAIN_SEPARATOR() external view returns (bytes32);
    }

    // ERC-7597, as USDC 2.2 has it.
    interface Erc7597 {
        function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature) external;
    }

    interface Dai {
        function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v,
            bytes32 r, bytes32 s) external;
    }

    interface Erc3009 {
        function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter,
            uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external;
        function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter,
            uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external;
        function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external;
        function authorizationState(address authorizer, bytes32 nonce) external view returns (bool);
    }

    // The same with a packed signature (ERC-7598).
    interface Erc7598 {
        function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter,
            uint256 validBefore, bytes32 nonce, bytes signature) external;
        function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter,
            uint256 validBefore, bytes32 nonce, bytes signature) external;
        function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature) external;
    }

    interface Erc6909 {
        function setOperator(address spender, bool approved) external returns (bool);
        function approve(address spender, uint256 id, uint256 amount) external returns (bool);
    }

    interface Erc777 {
        function authorizeOperator(address operator) external;
        function revokeOperator(address operator) external;
    }

    // The debt tokens of Aave: who may borrow in the caller's name.
    interface CreditDelegation {
        function approveDelegation(address delegatee, uint256 amount) external;
    }

    // Tokens of before `increaseAllowance`.
    interface EarlyAllowance {
        function increaseApproval(address spender, uint256 addedValue) external returns (bool);
        function decreaseApproval(address spender, uint256 subtractedValue) external returns (bool);
    }

    // ERC-1363's forerunner.
    interface ApproveAndCall {
        function approveAndCall(address spender, uint256 amount, bytes extraData) external returns (bool);
    }

    // The periphery of Uniswap V3: the contract submits the caller's permit for itself.
    interface SelfPermit {
        function selfPermit(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
            external payable;
        function selfPermitIfNecessary(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r,
            bytes32 s) external payable;
        function selfPermitAllowed(address token, uint256 nonce, uint256 expiry, uint8 v, bytes32 r, bytes32 s)
            external payable;
        function selfPermitAllowedIfNecessary(address token, uint256 nonce, uint256 expiry, uint8 v, bytes32 r,
            bytes32 s) external payable;
    }

    // The bundlers of Morpho: the contract submits its caller's permit for itself.
    interface BundlerPermit {
        function permit(address asset, uint256 amount, uint256 deadline, uint8 v, bytes32 r, bytes32 s,
            bool skipRevert) external payable;
    }

    struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }
    struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }
    struct PermitBatch { PermitDetails[] details; address spender; uint256 sigDeadline; }
    struct AllowanceTransferDetails { address from; address to; uint160 amount; address token; }
    struct TokenSpenderPair { address token; address spender; }
    struct TokenPermissions { address token; uint256 amount; }
    struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }
    struct PermitBatchTransferFrom { TokenPermissions[] permitted; uint256 nonce; uint256 deadline; }
    struct SignatureTransferDetails { address to; uint256 requestedAmount; }

    interface Permit2 {
        function approve(address token, address spender, uint160 amount, uint48 expiration) external;
        function transferFrom(address from, address to, uint160 amount, address token) external;
        function invalidateNonces(address token, address spender, uint48 newNonce) external;
        function invalidateUnorderedNonces(uint256 wordPos, uint256 mask) external;
        function lockdown(TokenSpenderPair[] approvals) external;
    }

    interface Permit2Single {
        function permit(address owner, PermitSingle permitSingle, bytes signature) external;
        function permitTransferFrom(PermitTransferFrom permit, SignatureTransferDetails transferDetails,
            address owner, bytes signature) external;
        function permitWitnessTransferFrom(PermitTransferFrom permit, SignatureTransferDetails transferDetails,
            address owner, bytes32 witness, string witnessTypeString, bytes signature) external;
    }

    interface Permit2Batch {
        function permit(address owner, PermitBatch permitBatch, bytes signature) external;
        function transferFrom(AllowanceTransferDetails[] transferDetails) external;
        function permitTransferFrom(PermitBatchTransferFrom permit, SignatureTransferDetails[] transferDetails,
            address owner, bytes signature) external;
        function permitWitnessTransferFrom(PermitBatchTransferFrom permit,
            SignatureTransferDetails[] transferDetails, address owner, bytes32 witness, string witnessTypeString,
            bytes signature) external;
    }

    // The bundlers of Morpho: the contract submits its caller's permit.
    interface BundlerPermit2 {
        function approve2(PermitSingle permitSingle, bytes signature, bool skipRevert) external payable;
    }

    // Inputs of Universal Router commands, as functions.
    interface RouterPermit2 {
        function permit2Permit(PermitSingle permitSingle, bytes signature) external;
        function permit2PermitBatch(PermitBatch permitBatch, bytes signature) external;
        function permit2TransferFromBatch(AllowanceTransferDetails[] batchDetails) external;
    }
}
