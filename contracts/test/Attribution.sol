// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// Delegates without a word, and tells of it by a name of its own.
contract SilentVault {
    mapping(address => uint256) public delegateOf;

    function delegate(address user, uint256 to) external {
        delegateOf[user] = to;
    }
}

/// Answers as the slot of somebody else changes, from storage of its own or by asking that contract.
contract Mimic {
    mapping(address => uint256) private before;
    mapping(address => uint256) private afterwards;
    bool private moved;
    SilentVault private peek;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function set(address account, uint256 first, uint256 second) external {
        before[account] = first;
        afterwards[account] = second;
    }

    function watch(SilentVault vault) external {
        peek = vault;
    }

    function balanceOf(address account) external view returns (uint256) {
        if (address(peek) != address(0)) return peek.delegateOf(account);
        return moved ? afterwards[account] : before[account];
    }

    function go(address[] calldata accounts) external {
        moved = true;
        for (uint256 i = 0; i < accounts.length; i++) emit Transfer(address(0xdead), accounts[i], 1);
    }
}

/// Balances that another contract keeps for a token.
contract Ledger {
    mapping(address => uint256) public held;

    function put(address account, uint256 value) external {
        held[account] = value;
    }
}

contract LedgerToken {
    Ledger private ledger;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(Ledger ledger_, address holder, uint256 supply) {
        ledger = ledger_;
        ledger_.put(holder, supply);
    }

    function balanceOf(address account) public view returns (uint256) {
        return ledger.held(account);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        ledger.put(msg.sender, balanceOf(msg.sender) - value);
        ledger.put(to, balanceOf(to) + value);
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

