// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "openzeppelin-contracts-4/token/ERC20/ERC20.sol";
import {ERC20Permit} from "openzeppelin-contracts-4/token/ERC20/extensions/ERC20Permit.sol";
import {ERC721Enumerable, ERC721} from "openzeppelin-contracts-4/token/ERC721/extensions/ERC721Enumerable.sol";
import {ERC1155Supply, ERC1155} from "openzeppelin-contracts-4/token/ERC1155/extensions/ERC1155Supply.sol";
import {Ownable} from "openzeppelin-contracts-4/access/Ownable.sol";
import {Pausable} from "openzeppelin-contracts-4/security/Pausable.sol";

contract Oz4Token is ERC20Permit, Pausable, Ownable {
    constructor() ERC20("Oz4", "OZ4") ERC20Permit("Oz4") {
        _mint(msg.sender, 1e24);
    }

    function pause() external onlyOwner {
        _pause();
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }
}

contract Oz4Item is ERC721Enumerable {
    constructor() ERC721("Oz4Item", "OZ4I") {
        for (uint256 id = 0; id < 3; id++) _mint(msg.sender, id);
    }

    function mint(address to, uint256 id) external {
        _safeMint(to, id);
    }
}

contract Oz4Multi is ERC1155Supply {
    constructor() ERC1155("") {
        for (uint256 id = 0; id < 3; id++) _mint(msg.sender, id, 100, "");
    }

    function burn(uint256 id, uint256 amount) external {
        _burn(msg.sender, id, amount);
    }
}
