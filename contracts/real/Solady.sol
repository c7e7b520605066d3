// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "solady/src/tokens/ERC20.sol";
import {ERC721} from "solady/src/tokens/ERC721.sol";
import {ERC1155} from "solady/src/tokens/ERC1155.sol";
import {WETH} from "solady/src/tokens/WETH.sol";
import {Ownable} from "solady/src/auth/Ownable.sol";

/// Slots are hashes of addresses packed around a seed.
contract SoladyToken is ERC20, Ownable {
    constructor() {
        _initializeOwner(msg.sender);
        _mint(msg.sender, 1e24);
    }

    function name() public pure override returns (string memory) {
        return "Solady";
    }

    function symbol() public pure override returns (string memory) {
        return "SOL";
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }
}

contract SoladyItem is ERC721 {
    constructor() {
        for (uint256 id = 0; id < 3; id++) _mint(msg.sender, id);
        _mint(msg.sender, uint256(keccak256("an item")));
    }

    function name() public pure override returns (string memory) {
        return "Solady Item";
    }

    function symbol() public pure override returns (string memory) {
        return "SOLI";
    }

    function tokenURI(uint256) public pure override returns (string memory) {
        return "";
    }
}

contract SoladyMulti is ERC1155 {
    constructor() {
        for (uint256 id = 0; id < 3; id++) _mint(msg.sender, id, 100, "");
    }

    function uri(uint256) public pure override returns (string memory) {
        return "";
    }
}

contract SoladyWeth is WETH {}
