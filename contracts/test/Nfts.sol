// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// An ERC-721 with one item, 1.
contract Nft {
    mapping(uint256 => address) public ownerOf;
    mapping(uint256 => address) public getApproved;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    constructor() {
        ownerOf[1] = msg.sender;
        emit Transfer(address(0), msg.sender, 1);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }

    function approve(address to, uint256 tokenId) external {
        require(ownerOf[tokenId] == msg.sender, "not the owner");
        getApproved[tokenId] = to;
        emit Approval(msg.sender, to, tokenId);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function tokenURI(uint256) external pure returns (string memory) {
        return "data:application/json,{}";
    }
}

/// Says yes to every interface, the one that must not be among them.
contract YesToAll {
    function supportsInterface(bytes4) external pure returns (bool) {
        return true;
    }
}

/// Implements ERC-165, and nothing else.
contract OnlyErc165 {
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7;
    }
}

/// Says yes to ERC-721 but reverts when asked for the interface that must not be supported.
contract RevertsOnInvalidId {
    function supportsInterface(bytes4 id) external pure returns (bool) {
        require(id != 0xffffffff);
        return true;
    }
}
