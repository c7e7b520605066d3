// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.20;

/// Stands for any token in a replay: an ERC-20 with balances, and a record of who moved an item or gave a grant.
contract Probe {
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) public touched;
    mapping(address => mapping(address => uint256)) public allowance;

    function transfer(address to, uint256 value) public returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        if (from == msg.sender) touched[from] = 1;
        uint256 allowed = allowance[from][msg.sender];
        if (allowed >= value) {
            if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
            move(from, to, value);
        } else {
            require(from == msg.sender, "allowance");
        }
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        if (value != 0) touched[msg.sender] = 1;
        allowance[msg.sender][spender] = value;
        return true;
    }

    function setApprovalForAll(address, bool approved) external {
        if (approved) touched[msg.sender] = 1;
    }

    function safeTransferFrom(address from, address, uint256) external {
        item(from);
    }

    function safeTransferFrom(address from, address, uint256, bytes calldata) external {
        item(from);
    }

    function safeTransferFrom(address from, address, uint256, uint256, bytes calldata) external {
        item(from);
    }

    function safeBatchTransferFrom(address from, address, uint256[] calldata, uint256[] calldata, bytes calldata) external {
        item(from);
    }

    function ownerOf(uint256) external view returns (address) {
        return msg.sender;
    }

    function item(address from) internal {
        require(from == msg.sender, "owner");
        touched[from] = 1;
    }

    function move(address from, address to, uint256 value) internal {
        require(balanceOf[from] >= value, "balance");
        unchecked {
            balanceOf[from] -= value;
            balanceOf[to] += value;
        }
    }
}
