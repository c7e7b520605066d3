// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// ERC-8481 §On-chain anchoring.
interface IPresignReportAnchor {
    event ReportAnchored(
        address indexed source, bytes32 indexed subjectDigest, bytes32 indexed reportHash, string reportURI
    );

    function anchor(bytes32 subjectDigest, bytes32 reportHash, string calldata reportURI) external;

    function anchoredAt(address source, bytes32 reportHash)
        external
        view
        returns (uint64 timestamp, uint64 blockNumber);
}

/// Records when a report existed. Anyone may anchor; nobody owns this contract, and it cannot be changed.
contract PresignReportAnchor is IPresignReportAnchor {
    /// A digest or hash is zero.
    error ZeroHash();
    /// The URI is longer than MAX_URI_BYTES.
    error LongURI();

    uint256 private constant MAX_URI_BYTES = 512;

    struct Anchoring {
        uint64 timestamp;
        uint64 blockNumber;
    }

    mapping(address source => mapping(bytes32 reportHash => Anchoring)) private anchorings;

    /// The caller anchors a report. The first anchoring fixes its time; later ones emit the event alone.
    function anchor(bytes32 subjectDigest, bytes32 reportHash, string calldata reportURI) external {
        if (subjectDigest == 0 || reportHash == 0) revert ZeroHash();
        if (bytes(reportURI).length > MAX_URI_BYTES) revert LongURI();
        Anchoring storage anchoring = anchorings[msg.sender][reportHash];
        if (anchoring.timestamp == 0) {
            anchoring.timestamp = uint64(block.timestamp);
            anchoring.blockNumber = uint64(chainBlockNumber());
        }
        emit ReportAnchored(msg.sender, subjectDigest, reportHash, reportURI);
    }

    /// When this source first anchored this report; zeros when it did not.
    function anchoredAt(address source, bytes32 reportHash)
        external
        view
        returns (uint64 timestamp, uint64 blockNumber)
    {
        Anchoring storage anchoring = anchorings[source][reportHash];
        return (anchoring.timestamp, anchoring.blockNumber);
    }

    /// The chain's own block number.
    function chainBlockNumber() internal view virtual returns (uint256) {
        return block.number;
    }
}
