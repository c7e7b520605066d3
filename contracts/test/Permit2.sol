// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// The allowances of a Permit2, with its events.
contract SpeakingPermit2 {
    struct Allowance {
        uint160 amount;
        uint48 expiration;
        uint48 nonce;
    }

    mapping(address => mapping(address => mapping(address => Allowance))) public allowance;

    mapping(address => mapping(uint256 => uint256)) public nonceBitmap;

    event Approval(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration);

    function approve(address token, address spender, uint160 amount, uint48 expiration) external {
        Allowance storage a = allowance[msg.sender][token][spender];
        a.amount = amount;
        a.expiration = expiration;
        emit Approval(msg.sender, token, spender, amount, expiration);
    }

    function invalidateNonces(address token, address spender, uint48 newNonce) external {
        allowance[msg.sender][token][spender].nonce = newNonce;
    }

    function invalidateUnorderedNonces(uint256 word, uint256 mask) external {
        nonceBitmap[msg.sender][word] |= mask;
    }
}
