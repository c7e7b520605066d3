// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// The allowances of a Permit2.
contract Permit2Allowances {
    struct Allowance {
        uint160 amount;
        uint48 expiration;
        uint48 nonce;
    }

    mapping(address => mapping(address => mapping(address => Allowance))) public allowance;

    function approve(address token, address spender, uint160 amount, uint48 expiration) external {
        Allowance storage a = allowance[msg.sender][token][spender];
        a.amount = amount;
        a.expiration = expiration;
    }
}

/// An account that accepts one hash with one signature (ERC-1271).
contract Wallet {
    bytes32 private immutable accepted;
    bytes32 private immutable signatureHash;

    constructor(bytes32 accepted_, bytes32 signatureHash_) {
        accepted = accepted_;
        signatureHash = signatureHash_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        require(signature.length < 1000, "too long");
        return hash == accepted && keccak256(signature) == signatureHash ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// The reads of an ERC-8004 identity registry, with one agent, 7.
contract Registry {
    address private immutable wallet;

    constructor(address wallet_) {
        wallet = wallet_;
    }

    function getAgentWallet(uint256 agentId) external view returns (address) {
        return agentId == 7 ? wallet : address(0);
    }

    function ownerOf(uint256 agentId) external view returns (address) {
        require(agentId == 7, "no such agent");
        return wallet;
    }

    function tokenURI(uint256 agentId) external pure returns (string memory) {
        require(agentId == 7, "no such agent");
        return "https://agent.example/registration.json";
    }
}
