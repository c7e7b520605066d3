// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IPresignReportAnchor, PresignReportAnchor} from "../PresignReportAnchor.sol";
import {PresignReportAnchorArbitrum} from "../PresignReportAnchorArbitrum.sol";

/// The cheat codes of forge that these tests use.
interface Vm {
    function warp(uint256 timestamp) external;
    function roll(uint256 number) external;
    function prank(address caller) external;
    function mockCall(address callee, bytes calldata data, bytes calldata answer) external;
    function expectEmit(bool one, bool two, bool three, bool data, address emitter) external;
    function expectRevert(bytes4 selector) external;
    function expectRevert() external;
    function assume(bool condition) external;
}

/// What both anchors do.
abstract contract AnchorTest {
    event ReportAnchored(
        address indexed source, bytes32 indexed subjectDigest, bytes32 indexed reportHash, string reportURI
    );

    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    bytes32 internal constant SUBJECT = keccak256("subject");
    bytes32 internal constant REPORT = keccak256("report");
    address internal constant OTHER = address(0xbeef);

    IPresignReportAnchor internal anchor;

    function setUp() public virtual;
    /// The chain gets to a block with this number of its own.
    function advance(uint64 timestamp, uint64 number) internal virtual;

    function expectAnchored(address source, bytes32 report, uint64 timestamp, uint64 number) internal view {
        (uint64 gotTimestamp, uint64 gotNumber) = anchor.anchoredAt(source, report);
        require(gotTimestamp == timestamp && gotNumber == number, "another time");
    }

    function uri(uint256 length) internal pure returns (string memory) {
        bytes memory text = new bytes(length);
        for (uint256 i = 0; i < length; i++) text[i] = "u";
        return string(text);
    }

    function test_the_first_anchoring_fixes_the_time() public {
        expectAnchored(address(this), REPORT, 0, 0);
        advance(1_000, 70);
        vm.expectEmit(true, true, true, true, address(anchor));
        emit ReportAnchored(address(this), SUBJECT, REPORT, "ipfs://one");
        anchor.anchor(SUBJECT, REPORT, "ipfs://one");
        expectAnchored(address(this), REPORT, 1_000, 70);

        advance(2_000, 71);
        vm.expectEmit(true, true, true, true, address(anchor));
        emit ReportAnchored(address(this), SUBJECT, REPORT, "ipfs://two");
        anchor.anchor(SUBJECT, REPORT, "ipfs://two");
        expectAnchored(address(this), REPORT, 1_000, 70);
    }

    function test_another_caller_has_its_own_record() public {
        advance(1_000, 70);
        anchor.anchor(SUBJECT, REPORT, "");
        advance(2_000, 71);
        expectAnchored(OTHER, REPORT, 0, 0);
        vm.prank(OTHER);
        anchor.anchor(SUBJECT, REPORT, "");
        expectAnchored(OTHER, REPORT, 2_000, 71);
        expectAnchored(address(this), REPORT, 1_000, 70);
    }

    function test_zero_hashes_are_refused() public {
        vm.expectRevert(PresignReportAnchor.ZeroHash.selector);
        anchor.anchor(0, REPORT, "");
        vm.expectRevert(PresignReportAnchor.ZeroHash.selector);
        anchor.anchor(SUBJECT, 0, "");
        expectAnchored(address(this), REPORT, 0, 0);
        expectAnchored(address(this), 0, 0, 0);
    }

    function test_a_uri_has_at_most_512_bytes() public {
        advance(1_000, 70);
        vm.expectRevert(PresignReportAnchor.LongURI.selector);
        anchor.anchor(SUBJECT, REPORT, uri(513));
        expectAnchored(address(this), REPORT, 0, 0);
        anchor.anchor(SUBJECT, REPORT, uri(512));
        expectAnchored(address(this), REPORT, 1_000, 70);
    }

    function test_any_caller_any_report(address caller, bytes32 subject, bytes32 report, string calldata text) public {
        vm.assume(subject != 0 && report != 0 && bytes(text).length <= 512);
        advance(1_000, 70);
        vm.expectEmit(true, true, true, true, address(anchor));
        emit ReportAnchored(caller, subject, report, text);
        vm.prank(caller);
        anchor.anchor(subject, report, text);
        expectAnchored(caller, report, 1_000, 70);
    }
}

contract PresignReportAnchorTest is AnchorTest {
    function setUp() public override {
        anchor = new PresignReportAnchor();
    }

    function advance(uint64 timestamp, uint64 number) internal override {
        vm.warp(timestamp);
        vm.roll(number);
    }
}

contract PresignReportAnchorArbitrumTest is AnchorTest {
    function setUp() public override {
        anchor = new PresignReportAnchorArbitrum();
    }

    function advance(uint64 timestamp, uint64 number) internal override {
        vm.warp(timestamp);
        // A block of the parent chain.
        vm.roll(uint256(number) + 1_000_000);
        vm.mockCall(address(100), abi.encodeWithSignature("arbBlockNumber()"), abi.encode(uint256(number)));
    }

    function test_without_the_precompile_nothing_is_anchored() public {
        vm.expectRevert();
        anchor.anchor(SUBJECT, REPORT, "");
    }
}
