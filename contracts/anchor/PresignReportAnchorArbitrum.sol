// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {PresignReportAnchor} from "./PresignReportAnchor.sol";

/// The precompile of Arbitrum's chains that knows their own block number: `block.number` is a block of the parent
/// chain there.
interface ArbSys {
    function arbBlockNumber() external view returns (uint256);
}

/// The anchor for Arbitrum's chains.
contract PresignReportAnchorArbitrum is PresignReportAnchor {
    function chainBlockNumber() internal view override returns (uint256) {
        return ArbSys(address(100)).arbBlockNumber();
    }
}
