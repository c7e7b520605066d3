// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

abstract contract Forwarder {
    function target() internal view virtual returns (address);

    fallback() external payable {
        address implementation = target();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// A proxy with its implementation at the slot of EIP-1967.
contract Eip1967Proxy is Forwarder {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) {
        assembly {
            sstore(SLOT, implementation)
        }
    }

    function target() internal view override returns (address implementation) {
        assembly {
            implementation := sload(SLOT)
        }
    }
}

/// Names one implementation for many proxies.
contract Beacon {
    address public implementation;

    constructor(address implementation_) {
        implementation = implementation_;
    }
}

/// A proxy with its beacon at the slot of EIP-1967.
contract BeaconProxy is Forwarder {
    bytes32 private constant SLOT = 0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50;

    constructor(address beacon) {
        assembly {
            sstore(SLOT, beacon)
        }
    }

    function target() internal view override returns (address) {
        address beacon;
        assembly {
            beacon := sload(SLOT)
        }
        return Beacon(beacon).implementation();
    }
}
