// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// An ERC-20 with the storage of one that Vyper compiled: a mapping's slot comes before its key.
contract VyperToken {
    uint256 private constant BALANCES = 3;
    uint256 private constant ALLOWANCES = 4;
    uint256 private constant SUPPLY = 5;

    event Transfer(address indexed sender, address indexed receiver, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(address holder, uint256 supply) {
        write(at(BALANCES, holder), supply);
        write(SUPPLY, supply);
    }

    function totalSupply() external view returns (uint256) {
        return read(SUPPLY);
    }

    function balanceOf(address owner) external view returns (uint256) {
        return read(at(BALANCES, owner));
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return read(at(at(ALLOWANCES, owner), spender));
    }

    function approve(address spender, uint256 value) external returns (bool) {
        write(at(at(ALLOWANCES, msg.sender), spender), value);
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 slot = at(at(ALLOWANCES, from), msg.sender);
        write(slot, read(slot) - value);
        move(from, to, value);
        return true;
    }

    function burn(uint256 value) external {
        uint256 slot = at(BALANCES, msg.sender);
        write(slot, read(slot) - value);
        write(SUPPLY, read(SUPPLY) - value);
        emit Transfer(msg.sender, address(0), value);
    }

    function move(address from, address to, uint256 value) private {
        uint256 slot = at(BALANCES, from);
        write(slot, read(slot) - value);
        slot = at(BALANCES, to);
        write(slot, read(slot) + value);
        emit Transfer(from, to, value);
    }

    function at(uint256 slot, address key) private pure returns (uint256 hash) {
        assembly {
            mstore(0, slot)
            mstore(32, key)
            hash := keccak256(0, 64)
        }
    }

    function read(uint256 slot) private view returns (uint256 value) {
        assembly {
            value := sload(slot)
        }
    }

    function write(uint256 slot, uint256 value) private {
        assembly {
            sstore(slot, value)
        }
    }
}

/// An ERC-20 whose balance shares its slot with a flag, as a token that can freeze accounts keeps it, and that emits
/// no event of an approval.
contract PackedToken {
    uint256 private constant FROZEN = 1 << 255;
    mapping(address => uint256) private accounts;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(address holder) {
        accounts[holder] = 1_000;
    }

    function balanceOf(address account) public view returns (uint256) {
        return accounts[account] & ~FROZEN;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        require(accounts[msg.sender] & FROZEN == 0 && balanceOf(msg.sender) >= value, "frozen or short");
        accounts[msg.sender] -= value;
        accounts[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function freeze(address account) external {
        accounts[account] |= FROZEN;
    }
}
