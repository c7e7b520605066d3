// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.28;

// Delegates that look safer, or more dangerous, than they are. Before each: what may be said of it (`?` is not read),
// the truth first, and the account's storage.

interface IERC20 { function transfer(address, uint256) external returns (bool); function approve(address, uint256) external returns (bool); }
interface IERC721 { function safeTransferFrom(address, address, uint256) external; }
interface IPool { function swap(bytes calldata) external; }
interface IERC1271 { function isValidSignature(bytes32, bytes calldata) external view returns (bytes4); }
address constant K1 = 0x8638bCa8FDc08Dfaa3cFb9914aad6a43e916933D;
address constant K2 = 0x72E133ccd06B50469674d851AA60EbD6C33C8259;
address constant COLD = 0x959541BF34CF2BD82Aef714DA5566cF15519601e;
address constant TOKEN = 0xCEC31e1a299460cFcCAa46722574d18Ba9280ae4;
address constant ENTRY = 0x0000000071727De22E5E9d8BAf0edAc6f37da032;
function send(address to, uint256 amount) { (bool ok,) = to.call{value: amount}(""); require(ok); }

// single: ?, false; outflow: true; storage: 0x0=K1
contract TransientCaller {
    address owner;
    function hand(address next) external { require(msg.sender == owner); owner = next; }
    function note(address who) external { assembly { tstore(0, who) } }
    function pay(address to, uint256 amount) external { require(msg.sender == owner); send(to, amount); }
    function payNoted(address to, uint256 amount) external { address who; assembly { who := tload(0) } require(msg.sender == who); send(to, amount); }
}
// single: ?, false; outflow: ?, false
contract OneNumber { function pay(address to, uint256 amount) external { require(block.number == 1 << 25); send(to, amount); } }
// single: ?, false; outflow: ?, false
contract FreeBlock { function pay(address to, uint256 amount) external { require(block.basefee == 0); send(to, amount); } }
// single: ?, false; outflow: ?, false
contract FreeGas { function pay(address to, uint256 amount) external { require(tx.gasprice == 0); send(to, amount); } }
// single: ?, false; outflow: ?, false
contract NoBuilder { function pay(address to, uint256 amount) external { require(block.coinbase == address(0)); send(to, amount); } }
// single: ?, false; outflow: ?, false
contract NotRandom { function pay(address to, uint256 amount) external { require(block.prevrandao == 0); send(to, amount); } }
// single: ?, false; outflow: ?, false
contract LateBlock { function pay(address to, uint256 amount) external { require(block.number > 30_000_000); send(to, amount); } }
// single: false, ?; outflow: ?, true
contract EveryoneButTwo { function pay(address to, uint256 amount) external {
    require(to != address(uint160(0x001cf3a9d27b65e0841f9d3a6c2b7e58d0413f92a7)) && to != address(uint160(0x006b02d84fe1597ac3084e6f2b91d7c35a0e8b4d19))); send(to, amount); } }
// single: false, ?; outflow: ?, true
contract EvenRecipient { function pay(address to, uint256 amount) external { require(uint160(to) % 2 == 0); send(to, amount); } }
// single: false, ?; outflow: ?, true
contract OtherBalances { function pay(address to) external payable {
    require(msg.value == 0 && address(this).balance != 100 ether && address(this).balance != 1 << 87); send(to, address(this).balance); } }
// single: ?, false; outflow: true
contract StarvedCheck {
    function work(uint256 n) external pure returns (uint256 x) { for (uint256 i; i < n; ++i) x += i * i; }
    function pay(address to, uint256 amount, uint256 n) external { (bool ok,) = address(this).call(abi.encodeCall(this.work, (n))); require(!ok || msg.sender == K1); send(to, amount); }
}
// single: ?, false; outflow: true
contract StarvedRecovery { function pay(address to, uint256 amount) external {
    bool ok; assembly { mstore(0, 0) ok := staticcall(2000, 1, 0, 128, 0, 32) } require(!ok || msg.sender == K1); send(to, amount); } }
// single: ?, false; outflow: true
contract StarvedCopy { function pay(address to, uint256 amount, bytes calldata data) external {
    bool ok; assembly { let at := mload(0x40) calldatacopy(at, data.offset, data.length) ok := staticcall(100, 4, at, data.length, at, 0) } require(!ok || msg.sender == K1); send(to, amount); } }
// single: ?; outflow: ?
contract VouchesForOne { function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) { return msg.sender == TOKEN ? bytes4(0x1626ba7e) : bytes4(0); } }
// single: ?; outflow: ?
contract AsksOwner { address owner; function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) { return IERC1271(COLD).isValidSignature(hash, signature); } }
// single: true, ?; outflow: true
contract RevokedByAll {
    function revoke(address token, address spender) external { IERC20(token).approve(spender, 0); }
    function pay(address to, uint256 amount) external { require(msg.sender == K1); send(to, amount); }
}
// single: false, ?; outflow: false, ?
contract TokenThatIsNone { function pay(address to, uint256 amount) external { (bool ok,) = COLD.call(abi.encodeCall(IERC20.transfer, (to, amount))); require(ok); } }
// single: ?, false; outflow: ?, false
contract WhileOtherIsEmpty { function pay(address to, uint256 amount) external { require(K2.balance == 0); send(to, amount); } }
// single: ?, false; outflow: ?, false
contract ForPrecompile { function pay(address to, uint256 amount) external { require(msg.sender == address(2)); send(to, amount); } }
// single: false, ?; outflow: ?, false
contract PassesItemsOn { function onERC721Received(address, address, uint256 id, bytes calldata) external returns (bytes4) { IERC721(msg.sender).safeTransferFrom(address(this), COLD, id); return this.onERC721Received.selector; } }
// single: false, ?; outflow: true, ?
contract SwapCallback { function uniswapV3SwapCallback(int256 amount0, int256, bytes calldata data) external { IERC20(abi.decode(data, (address))).transfer(msg.sender, uint256(amount0)); } }
// single: ?, false; outflow: ?, true
contract SwapCallbackOfPool {
    function swap(address pool, bytes calldata data) external { assembly { tstore(0, pool) } IPool(pool).swap(data); assembly { tstore(0, 0) } }
    function uniswapV3SwapCallback(int256 amount0, int256, bytes calldata data) external { address pool; assembly { pool := tload(0) } require(msg.sender == pool); IERC20(abi.decode(data, (address))).transfer(msg.sender, uint256(amount0)); }
}
// single: false, ?; outflow: true, ?
contract CallsItself {
    function multicall(bytes[] calldata calls) external { for (uint256 i; i < calls.length; ++i) { (bool ok,) = address(this).call(calls[i]); require(ok); } }
    function pay(address to, uint256 amount) external { require(msg.sender == address(this) || msg.sender == K1); send(to, amount); }
}
// single: true, ?; outflow: true; storage: 0x0=K1+01
contract InitialisedOnce {
    bool done; address owner;
    function init(address first) external { require(!done); done = true; owner = first; }
    function pay(address to, uint256 amount) external { require(msg.sender == owner); send(to, amount); }
}
// single: ?, false; outflow: true; storage: 0x0=K1+01
contract InitialisedAgain {
    bool done; address owner;
    function init(address first) external { require(!done); done = true; owner = first; }
    function reset() external { done = false; }
    function pay(address to, uint256 amount) external { require(msg.sender == owner); send(to, amount); }
}
// single: true, ?; outflow: false, ?; storage: 0x0=0x0
contract CappedListedAndSlow {
    uint256 last;
    function pay(address to, uint256 amount) external { require(msg.sender == K1 && (to == COLD || to == K2) && amount <= 1 ether && block.timestamp > last + 1 days); last = block.timestamp; send(to, amount); }
}
// single: ?, true, false; outflow: false, ?
contract HandlerOfKey {
    address handler;
    function setHandler(address next) external { require(msg.sender == K1); handler = next; }
    fallback() external payable { (bool ok,) = handler.delegatecall(msg.data); require(ok); }
}
// single: ?, false; outflow: false, ?
contract HandlerOfAnybody {
    address handler;
    function setHandler(address next) external { handler = next; }
    fallback() external payable { (bool ok,) = handler.delegatecall(msg.data); require(ok); }
}
// single: false, ?; outflow: true, ?
contract CreatesWithValue { function make(bytes memory code, uint256 amount) external { address made; assembly { made := create(amount, add(code, 32), mload(code)) } require(made != address(0)); } }
// single: true, ?; outflow: true, ?
contract CreatesWithValueForKey { function make(bytes memory code, uint256 amount) external { require(msg.sender == K1); address made; assembly { made := create2(amount, add(code, 32), mload(code), 0) } require(made != address(0)); } }
// single: true, ?; outflow: false, ?
contract DestroyedForKey { function end() external { require(msg.sender == K1); assembly { selfdestruct(caller()) } } }
// single: false, ?; outflow: false, ?
contract LockedCap { function pay(address to, uint256 amount) external { assembly { if tload(0) { revert(0, 0) } tstore(0, 1) } require(amount <= 1 ether); send(to, amount); assembly { tstore(0, 0) } } }
// single: false, ?; outflow: ?, true
contract LockOpenedEarly { function pay(address to, uint256 amount) external { assembly { if tload(0) { revert(0, 0) } tstore(0, 1) } require(amount <= 60 ether); assembly { tstore(0, 0) } send(to, amount); } }
// single: true, ?; outflow: true, ?
contract CappedBatch { function pay(address[] calldata to, uint256[] calldata amounts) external { require(msg.sender == K1); for (uint256 i; i < to.length; ++i) { require(amounts[i] <= 1 ether); send(to[i], amounts[i]); } } }
// single: true, ?; outflow: false, ?
contract CappedTotal { function pay(address[] calldata to, uint256[] calldata amounts) external { require(msg.sender == K1); uint256 total; for (uint256 i; i < to.length; ++i) { total += amounts[i]; require(total <= 1 ether); send(to[i], amounts[i]); } } }
// single: false, ?; outflow: true, ?
contract EvenSeconds { function pay(address to, uint256 amount) external { require(block.timestamp % 2 == 0 || block.timestamp % 2 == 1); send(to, amount); } }
// single: ?, false; outflow: true; storage: 0x0=K1
contract ListWithoutEnd {
    address owner; uint256[] list;
    function set(uint256 i, uint256 x) external { assembly { mstore(0, 1) sstore(add(keccak256(0, 32), i), x) } }
    function pay(address to, uint256 amount) external { require(msg.sender == owner); send(to, amount); }
}
// single: true, ?; outflow: true; storage: 0x0=K1
contract HashedPlaces {
    address owner;
    function set(bytes calldata name, uint256 x) external { bytes32 place = keccak256(name); assembly { sstore(place, x) } }
    function pay(address to, uint256 amount) external { require(msg.sender == owner); send(to, amount); }
}
// single: ?, false; outflow: true; storage: 0x0=K1
contract AnyPlace {
    address owner;
    function set(uint256 slot, uint256 x) external { assembly { sstore(slot, x) } }
    function pay(address to, uint256 amount) external { require(msg.sender == owner); send(to, amount); }
}
// single: ?, true; outflow: true; storage: 0x0=K1
contract TwoStepOwner {
    address owner; address next;
    function offer(address to) external { require(msg.sender == owner); next = to; }
    function accept() external { require(msg.sender == next); owner = next; next = address(0); }
    function pay(address to, uint256 amount) external { require(msg.sender == owner); send(to, amount); }
}
// single: ?, false; outflow: ?, true
contract KeptAnswer { function pay(address to, uint256 amount, bytes32 h, uint8 v, bytes32 r, bytes32 s) external {
    bool same; assembly { let at := mload(0x40) mstore(at, h) mstore(add(at, 32), v) mstore(add(at, 64), r) mstore(add(at, 96), s) mstore(0, address()) pop(staticcall(gas(), 1, at, 128, 0, 32)) same := eq(mload(0), address()) } require(same); send(to, amount); } }
// single: ?, false; outflow: ?, false
contract RichOnly { function pay(address to, uint256 amount) external { require(address(this).balance >= 1000 ether); send(to, amount); } }
// single: true, ?; outflow: true, ?
contract KeyRepeatsCap {
    function multicall(bytes[] calldata calls) external { for (uint256 i; i < calls.length; ++i) { (bool ok,) = address(this).delegatecall(calls[i]); require(ok); } }
    function pay(address to, uint256 amount) external { require(msg.sender == K1 && amount <= 1 ether); send(to, amount); }
}
// single: ?, false; outflow: ?, true
contract EntryWithoutCheck {
    function validateUserOp(bytes calldata, bytes32, uint256) external pure returns (uint256) { return 0; }
    function execute(address to, uint256 amount) external { require(msg.sender == ENTRY); send(to, amount); }
}
// single: false, ?; outflow: false, ?
contract EntryWithCheck {
    struct Op { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 limits; uint256 gas; bytes32 fees; bytes paymaster; bytes signature; }
    function validateUserOp(Op calldata op, bytes32 hash, uint256) external view returns (uint256) {
        require(msg.sender == ENTRY); (uint8 v, bytes32 r, bytes32 s) = abi.decode(op.signature, (uint8, bytes32, bytes32));
        return ecrecover(hash, v, r, s) == address(this) ? 0 : 1; }
    function execute(address to, uint256 amount) external { require(msg.sender == ENTRY || msg.sender == address(this)); send(to, amount); }
}
// single: ?, false; outflow: ?, true
contract EntryWithLooseCheck {
    struct Op { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 limits; uint256 gas; bytes32 fees; bytes paymaster; bytes signature; }
    function validateUserOp(Op calldata op, bytes32 hash, uint256) external view returns (uint256) {
        require(msg.sender == ENTRY); if (op.signature.length == 0) return 0; (uint8 v, bytes32 r, bytes32 s) = abi.decode(op.signature, (uint8, bytes32, bytes32));
        return ecrecover(hash, v, r, s) == address(this) ? 0 : 1; }
    function execute(address to, uint256 amount) external { require(msg.sender == ENTRY || msg.sender == address(this)); send(to, amount); }
}
// single: false, ?; outflow: false, ?
contract ForwardsWhatCame { receive() external payable { send(COLD, msg.value); } }
// single: false, ?; outflow: false, ?
contract ForwardsAll { receive() external payable { send(COLD, address(this).balance); } }
// single: false, ?; outflow: false, ?
contract Share { function pay(address to) external { send(to, address(this).balance / 100); } }
// single: false, ?; outflow: true, ?
contract SignedByKey {
    function pay(address to, uint256 amount, uint256 nonce, uint8 v, bytes32 r, bytes32 s) external { require(ecrecover(keccak256(abi.encode(to, amount, nonce)), v, r, s) == K1); send(to, amount); }
}
// single: false, ?; outflow: true, ?; storage: 0x0=K1
contract SignedByOwner {
    address owner; mapping(uint256 => bool) used;
    function pay(address to, uint256 amount, uint256 nonce, uint8 v, bytes32 r, bytes32 s) external { require(!used[nonce]); used[nonce] = true; address by = ecrecover(keccak256(abi.encode(to, amount, nonce)), v, r, s); require(by != address(0) && by == owner); send(to, amount); }
}
// single: ?, false; outflow: false, ?
contract SignedByOwnerNone {
    address owner;
    function pay(address to, uint256 amount, uint8 v, bytes32 r, bytes32 s) external { address by = ecrecover(keccak256(abi.encode(to, amount)), v, r, s); require(by != address(0) && by == owner); send(to, amount); }
}
// single: false, ?; outflow: true, ?
contract SignedByOwnerOrNobody {
    address owner;
    function pay(address to, uint256 amount, uint8 v, bytes32 r, bytes32 s) external { require(ecrecover(keccak256(abi.encode(to, amount)), v, r, s) == owner); send(to, amount); }
}
// single: ?, false; outflow: ?, true
contract SignedByNobodyMuch { function pay(address to, uint256 amount, uint8 v, bytes32 r, bytes32 s) external { require(ecrecover(keccak256(abi.encode(to, amount)), v, r, s) != K1); send(to, amount); } }
