// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// A token whose supply is something that a view may not know.
abstract contract Trap {
    function totalSupply() external virtual returns (uint256);
}

contract BaseFeeTrap is Trap {
    function totalSupply() external view override returns (uint256) {
        return block.basefee;
    }
}

contract CoinbaseTrap is Trap {
    function totalSupply() external view override returns (uint256) {
        return uint160(address(block.coinbase));
    }
}

contract PrevRandaoTrap is Trap {
    function totalSupply() external view override returns (uint256) {
        return block.prevrandao;
    }
}

contract GasLimitTrap is Trap {
    function totalSupply() external view override returns (uint256) {
        return block.gaslimit;
    }
}

contract BlobBaseFeeTrap is Trap {
    function totalSupply() external view override returns (uint256) {
        return block.blobbasefee;
    }
}

/// The hash of the block `depth` before this one.
contract BlockHashTrap is Trap {
    uint256 private immutable depth;

    constructor(uint256 depth_) {
        depth = depth_;
    }

    function totalSupply() external view override returns (uint256) {
        return uint256(blockhash(block.number - depth));
    }
}

contract SelfBalanceTrap is Trap {
    constructor() payable {}

    function totalSupply() external view override returns (uint256) {
        return address(this).balance;
    }
}

/// Something of another account.
contract OtherTrap {
    address private immutable other;

    constructor(address other_) payable {
        other = other_;
    }

    /// Its balance.
    function totalSupply() external view returns (uint256) {
        return other.balance;
    }

    /// Its code hash, which tells an empty account from one with a balance or a nonce.
    function name() external view returns (bytes32) {
        return other.codehash == 0 ? bytes32("empty") : bytes32("not empty");
    }

    function decimals() external view returns (uint8) {
        return uint8(other.code.length);
    }

    /// Its balance after one wei went there.
    function balanceOf(address) external returns (uint256) {
        (bool ok, ) = other.call{value: 1}("");
        return ok ? other.balance : 0;
    }
}

/// Depends on the gas that is left.
contract GasLeftTrap is Trap {
    function totalSupply() external view override returns (uint256) {
        return gasleft();
    }
}

contract Empty {}

/// Where the next contract would be created.
contract CreateTrap is Trap {
    function totalSupply() external override returns (uint256) {
        return uint160(address(new Empty()));
    }

    /// And where it would be with a salt.
    function balanceOf(address) external returns (uint256) {
        return uint160(address(new Empty{salt: bytes32(uint256(1))}()));
    }
}

contract SelfDestructTrap {
    constructor() payable {}

    function destroy(address payable heir) external {
        selfdestruct(heir);
    }

    function balanceOf(address heir) external returns (uint256) {
        this.destroy(payable(heir));
        return heir.balance;
    }
}

/// Who calls, who pays and what gas costs, as `eth_call` has it: all zero.
contract CallerTrap is Trap {
    function totalSupply() external view override returns (uint256) {
        return uint256(uint160(msg.sender)) | uint256(uint160(tx.origin)) | tx.gasprice;
    }
}
