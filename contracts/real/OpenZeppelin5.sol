// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {TransparentUpgradeableProxy} from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";
import {BeaconProxy} from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import {UpgradeableBeacon} from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";

contract Oz5Token is ERC20Permit, Ownable2Step {
    constructor() ERC20("Oz5", "OZ5") ERC20Permit("Oz5") Ownable(msg.sender) {
        _mint(msg.sender, 1e24);
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }
}

contract Oz5Votes is ERC20Votes, ERC20Permit, AccessControl {
    constructor() ERC20("Votes", "VOTE") ERC20Permit("Votes") {
        _mint(msg.sender, 1e24);
        _grantRole(DEFAULT_ADMIN_ROLE, msg.sender);
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
        super._update(from, to, value);
    }

    function nonces(address owner) public view override(ERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }
}

contract Oz5Item is ERC721 {
    constructor() ERC721("Oz5Item", "OZ5I") {
        for (uint256 id = 0; id < 3; id++) _mint(msg.sender, id);
    }

    function mint(address to, uint256 id) external {
        _safeMint(to, id);
    }

    function burn(uint256 id) external {
        _update(address(0), id, msg.sender);
    }
}

contract Oz5Multi is ERC1155 {
    constructor() ERC1155("") {
        for (uint256 id = 0; id < 3; id++) _mint(msg.sender, id, 100, "");
    }

    function mint(address to, uint256[] calldata ids, uint256[] calldata amounts) external {
        _mintBatch(to, ids, amounts, "");
    }
}

contract Oz5Transparent is TransparentUpgradeableProxy {
    constructor(address logic, address owner, bytes memory data) TransparentUpgradeableProxy(logic, owner, data) {}
}

contract Oz5Beacon is UpgradeableBeacon {
    constructor(address logic, address owner) UpgradeableBeacon(logic, owner) {}
}

contract Oz5BeaconProxy is BeaconProxy {
    constructor(address beacon, bytes memory data) BeaconProxy(beacon, data) {}
}

contract Oz5Cloner {
    function clone(address implementation) external returns (address) {
        return Clones.clone(implementation);
    }
}
