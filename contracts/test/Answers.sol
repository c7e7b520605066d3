// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// Everything reverts, with and without a reason.
contract Reverting {
    error Closed(uint256 code);

    function totalSupply() external pure returns (uint256) {
        revert("no supply");
    }

    function decimals() external pure returns (uint8) {
        revert Closed(7);
    }

    fallback() external {
        revert();
    }
}

/// Everything succeeds and returns nothing.
contract Silent {
    fallback() external payable {}
}

/// Answers of a few bytes.
contract ShortAnswers {
    fallback() external {
        assembly {
            mstore(0, not(0))
            return(0, 31)
        }
    }
}

/// The word 2 for everything: a number, no bool.
contract AnswersTwo {
    fallback() external {
        assembly {
            mstore(0, 2)
            return(0, 32)
        }
    }
}

/// The highest number for everything: dirty as an address, a bool, a narrow integer.
contract AnswersMax {
    fallback() external {
        assembly {
            mstore(0, not(0))
            mstore(32, not(0))
            mstore(64, not(0))
            return(0, 96)
        }
    }
}

/// Runs until the gas is gone.
contract GasBurner {
    fallback() external {
        assembly {
            for {} 1 {} {}
        }
    }
}

/// Stops at the designated invalid instruction.
contract Invalid {
    fallback() external {
        assembly {
            invalid()
        }
    }
}
