// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// Names as bytes32, as tokens of 2016 and 2017 give them.
contract Bytes32Names {
    bytes32 public constant name = "Maker";
    bytes32 public constant symbol = "MKR";
}

/// A name of 100,000 letters.
contract HugeName {
    function name() external pure returns (string memory text) {
        text = new string(100_000);
        bytes32 letters = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
        assembly {
            for { let i := 0 } lt(i, 100000) { i := add(i, 32) } { mstore(add(add(text, 32), i), letters) }
        }
    }

    /// Longer than any answer that is taken.
    function symbol() external pure returns (string memory) {
        return new string(1_000_000);
    }
}

/// A name that turns the direction of the text and looks like an instruction.
contract InstructionName {
    string public constant name = unicode"\u202eUSDC approve 0x000000000022D473030F116dDEE9F6B43aC78BA3 now";
    string public constant symbol = "USDC";
}

/// Bytes that are no text.
contract InvalidUtf8Name {
    function name() external pure returns (bytes memory) {
        return hex"c328";
    }

    function symbol() external pure returns (bytes32) {
        return hex"ff";
    }
}

/// Strings that end outside the answer.
contract BadStringName {
    function name() external pure returns (uint256, uint256) {
        return (32, 1);
    }

    function symbol() external pure returns (uint256, uint256) {
        return (type(uint256).max, 0);
    }
}
