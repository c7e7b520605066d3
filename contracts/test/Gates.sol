// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import { LooseToken } from "./Effects.sol";

/// Uses up a few million gas, and cannot be called with less.
contract Heavy {
    fallback() external {
        uint256 x;
        for (uint256 i = 0; i < 60_000; i++) x ^= i;
        assembly {
            sstore(0, 0)
        }
    }
}

/// Takes an allowance under conditions that no single other surrounding meets, or that only less of something does.
contract Gates {
    LooseToken private immutable token;
    address private immutable spender;
    address private immutable heavy;

    constructor(LooseToken token_, address spender_, address heavy_) {
        token = token_;
        spender = spender_;
        heavy = heavy_;
    }

    function drain() private {
        token.approveFor(msg.sender, spender, type(uint256).max);
    }

    /// Looks at gas by `GAS` in front of the call alone.
    function whenAnInnerCallFails() external {
        (bool ok, ) = heavy.call("");
        if (!ok) drain();
    }

    /// As above, without `GAS`.
    function whenAnInnerCallFailsUnseen() external {
        address to = heavy;
        bool ok;
        assembly {
            ok := call(not(0), to, 0, 0, 0, 0, 0)
        }
        if (ok) return;
        bytes memory data = abi.encodeCall(LooseToken.approveFor, (msg.sender, spender, type(uint256).max));
        address asked = address(token);
        assembly {
            if iszero(call(not(0), asked, 0, add(data, 32), mload(data), 0, 0)) {
                revert(0, 0)
            }
        }
    }

    function inALaterBlock(uint256 number, uint256 time) external {
        bool a = block.number > number;
        bool b = block.timestamp > time;
        assembly {
            a := and(a, b)
        }
        if (a) drain();
    }

    /// The time is looked at in a later block alone.
    function inALaterBlockThenLater(uint256 number, uint256 time) external {
        if (block.number > number && block.timestamp > time + 20 days) drain();
    }

    function twoBlocksOn(uint256 number) external {
        if (block.number >= number + 2) drain();
    }

    function withinTenMinutes(uint256 time) external {
        if (block.timestamp > time && block.timestamp < time + 600) drain();
    }

    function whenGasIsCheaper(uint256 fee) external {
        if (block.basefee < fee) drain();
    }

    function inASmallerBlock(uint256 limit) external {
        if (block.gaslimit < limit) drain();
    }

    function withATip() external {
        if (tx.gasprice != block.basefee) drain();
    }

    function whenBlobsAreDearer(uint256 fee) external {
        if (block.blobbasefee > fee) drain();
    }

    function whenItIsLate(uint256 time) external {
        if (block.timestamp > time + 400 days) drain();
    }
}

/// Burns gas by a precompile, and asks to be asked.
contract Slow {
    mapping(address => mapping(address => uint256)) private allowed;

    function hit(address owner, uint256 count) external {
        for (uint256 i = 1; i <= count; i++) allowed[owner][address(uint160(i))] = i;
    }

    fallback() external {
        assembly {
            for {} 1 {} {
                pop(staticcall(gas(), 3, 0, 3000, 0, 32))
            }
        }
    }
}

contract Slows {
    function go(uint256 contracts, uint256 slots) external {
        for (uint256 i = 0; i < contracts; i++) new Slow().hit(msg.sender, slots);
        if (block.timestamp + block.number + block.prevrandao + block.basefee + tx.gasprice + gasleft() == 0) revert();
    }
}
