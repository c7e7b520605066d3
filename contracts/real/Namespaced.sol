// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {ERC20PermitUpgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PermitUpgradeable.sol";
import {ERC721Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC721/ERC721Upgradeable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// Keeps everything at the slots of ERC-7201 namespaces.
contract NamespacedToken is ERC20PermitUpgradeable, OwnableUpgradeable, UUPSUpgradeable {
    function initialize(address holder) external initializer {
        __ERC20_init("Namespaced", "NS");
        __ERC20Permit_init("Namespaced");
        __Ownable_init(holder);
        _mint(holder, 1e24);
    }

    function _authorizeUpgrade(address) internal view override onlyOwner {}
}

contract NamespacedItem is ERC721Upgradeable {
    function initialize(address holder) external initializer {
        __ERC721_init("Namespaced Item", "NSI");
        for (uint256 id = 0; id < 3; id++) _mint(holder, id);
    }
}

contract Oz5Proxy is ERC1967Proxy {
    constructor(address logic, bytes memory data) ERC1967Proxy(logic, data) {}
}
