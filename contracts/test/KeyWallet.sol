// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// A wallet that accepts what its key signed (ERC-1271), and whose key can be changed by anyone.
contract KeyWallet {
    address public key;

    constructor(address first) {
        key = first;
    }

    function rotate(address next) external {
        key = next;
    }

    function execute(address to, bytes calldata data) external {
        (bool done, ) = to.call(data);
        require(done);
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        require(signature.length == 65);
        address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer != address(0) && signer == key ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
