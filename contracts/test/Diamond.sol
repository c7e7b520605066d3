// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// A diamond (ERC-2535) with the storage its reference implementations keep it in.
contract Diamond {
    enum Action {
        Add,
        Replace,
        Remove
    }

    struct Cut {
        address facet;
        Action action;
        bytes4[] selectors;
    }

    struct Place {
        address facet;
        uint96 position;
    }

    struct Layout {
        mapping(bytes4 => Place) places;
        bytes4[] selectors;
        address owner;
    }

    bytes32 private constant SLOT = keccak256("diamond.standard.diamond.storage");

    event DiamondCut(Cut[] cuts, address init, bytes data);
    event OwnershipTransferred(address indexed from, address indexed to);

    constructor(address owner_) {
        layout().owner = owner_;
    }

    function layout() private pure returns (Layout storage held) {
        bytes32 slot = SLOT;
        assembly {
            held.slot := slot
        }
    }

    function diamondCut(Cut[] calldata cuts, address init, bytes calldata data) external {
        Layout storage held = layout();
        require(msg.sender == held.owner, "not the owner");
        cut(held, cuts, init, data);
        emit DiamondCut(cuts, init, data);
    }

    /// What a backdoor would do: the same, without a word.
    function quietCut(Cut[] calldata cuts) external {
        cut(layout(), cuts, address(0), msg.data[:0]);
    }

    function cut(Layout storage held, Cut[] calldata cuts, address init, bytes calldata data) private {
        for (uint256 i = 0; i < cuts.length; i++) {
            for (uint256 j = 0; j < cuts[i].selectors.length; j++) {
                bytes4 selector = cuts[i].selectors[j];
                if (cuts[i].action == Action.Remove) {
                    delete held.places[selector];
                    continue;
                }
                if (cuts[i].action == Action.Add) {
                    held.places[selector].position = uint96(held.selectors.length);
                    held.selectors.push(selector);
                }
                held.places[selector].facet = cuts[i].facet;
            }
        }
        if (init != address(0)) {
            (bool ok, ) = init.delegatecall(data);
            require(ok, "init failed");
        }
    }

    function facetAddress(bytes4 selector) external view returns (address) {
        return layout().places[selector].facet;
    }

    function owner() external view returns (address) {
        return layout().owner;
    }

    function transferOwnership(address to) external {
        Layout storage held = layout();
        require(msg.sender == held.owner, "not the owner");
        emit OwnershipTransferred(held.owner, to);
        held.owner = to;
    }

    fallback() external payable {
        address facet = layout().places[msg.sig].facet;
        require(facet != address(0), "no such function");
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), facet, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// A proxy with its implementation and admin at the slots of ZeppelinOS.
contract ZeppelinProxy {
    bytes32 private constant IMPLEMENTATION = keccak256("org.zeppelinos.proxy.implementation");
    bytes32 private constant ADMIN = keccak256("org.zeppelinos.proxy.admin");

    function upgradeTo(address to) external {
        set(IMPLEMENTATION, to);
    }

    function changeAdmin(address to) external {
        set(ADMIN, to);
    }

    function set(bytes32 slot, address value) private {
        assembly {
            sstore(slot, value)
        }
    }
}

/// Destroys itself, or makes something that does so at once.
contract Doomed {
    constructor(address payable heir) payable {
        if (heir != address(0)) selfdestruct(heir);
    }

    function destroy(address payable heir) external {
        selfdestruct(heir);
    }
}

contract DoomMaker {
    function make(address payable heir) external payable {
        new Doomed{value: msg.value}(heir);
    }
}
