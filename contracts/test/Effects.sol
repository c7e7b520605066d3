// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// An ERC-20 that anyone may use in anyone's name, says what it does only when told to, and counts what it does in
/// mappings that look like others.
contract LooseToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => mapping(address => uint256)) public uses;
    mapping(address => uint256) public nonces;
    bool public quiet;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(bool quiet_, address holder, uint256 supply) {
        quiet = quiet_;
        balanceOf[holder] = supply;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        approveFor(msg.sender, spender, value);
        return true;
    }

    function approveFor(address owner, address spender, uint256 value) public {
        allowance[owner][spender] = value;
        if (!quiet) emit Approval(owner, spender, value);
    }

    /// Lowers every allowance, the unlimited one too, and no event tells of it.
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        if (!quiet) emit Transfer(from, to, value);
    }

    /// Looks like an allowance, and is none.
    function use(address with) external {
        uses[msg.sender][with] += type(uint128).max;
        nonces[msg.sender]++;
    }
}

/// Says everything and does nothing.
contract LyingToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function setApprovalForAll(address operator, bool approved) external {
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function flood(uint160 spenders, uint256 logs) external {
        for (uint160 i = 1; i <= spenders; i++) emit Approval(msg.sender, address(i << 80), i);
        for (uint256 i = spenders; i < logs; i++) emit Transfer(msg.sender, address(uint160(i << 90)), i);
    }
}

/// Hides what it does from its calldata.
contract Router {
    function swap(LooseToken token, address spender) external {
        token.approveFor(msg.sender, spender, type(uint256).max);
    }

    /// The same for whatever else it is called with: token and spender in the last words.
    fallback() external {
        (LooseToken token, address spender) = abi.decode(msg.data[msg.data.length - 64:], (LooseToken, address));
        token.approveFor(msg.sender, spender, type(uint256).max);
    }
}

/// Approves while it is created.
contract Approver {
    constructor(LooseToken token, address owner, address spender) {
        token.approveFor(owner, spender, type(uint256).max);
    }
}

contract Maker {
    function make(LooseToken token, address spender) external returns (address) {
        return address(new Approver(token, msg.sender, spender));
    }
}

/// A delegate that lets its account send batches.
contract BatchAccount {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    function execute(Call[] calldata calls) external payable {
        require(msg.sender == address(this), "not the account");
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, ) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            require(ok, "a call failed");
        }
    }

    receive() external payable {}
}

/// Many calls in one.
contract Many {
    function multicall(address[] calldata to, bytes[] calldata data) external {
        for (uint256 i = 0; i < to.length; i++) {
            (bool ok, ) = to[i].call(data[i]);
            require(ok);
        }
    }
}

/// A proxy that anyone may upgrade.
contract UpgradableProxy {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    address public owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function upgradeTo(address implementation) external {
        assembly {
            sstore(SLOT, implementation)
        }
    }

    function transferOwnership(address to) external {
        owner = to;
    }
}

/// The storage of a Safe, and a way to run code in it.
contract SmallSafe {
    address internal singleton;
    mapping(address => address) internal modules;
    mapping(address => address) internal owners;
    uint256 internal ownerCount;
    uint256 internal threshold;

    constructor(address owner) {
        modules[address(1)] = address(1);
        owners[address(1)] = owner;
        owners[owner] = address(1);
        ownerCount = 1;
        threshold = 1;
    }

    function isModuleEnabled(address module) external view returns (bool) {
        return module != address(1) && modules[module] != address(0);
    }

    function isOwner(address owner) external view returns (bool) {
        return owner != address(1) && owners[owner] != address(0);
    }

    function getThreshold() external view returns (uint256) {
        return threshold;
    }

    function run(address code, bytes calldata data) external {
        (bool ok, ) = code.delegatecall(data);
        require(ok);
    }
}

/// Run in a Safe, opens it without a word.
contract Opener is SmallSafe(address(2)) {
    function open(address module, address owner) external {
        modules[module] = modules[address(1)];
        modules[address(1)] = module;
        owners[owner] = owners[address(1)];
        owners[address(1)] = owner;
        ownerCount++;
        assembly {
            sstore(0x4a204f620c8c5ccdca3fd54d003badd85ba500436a431f0cbda4f558c93c34c8, module)
        }
    }
}

/// An ERC-1155.
contract Multi {
    mapping(uint256 => mapping(address => uint256)) private balances;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    constructor(address holder) {
        for (uint256 id = 0; id < 3; id++) balances[id][holder] = 100;
    }

    function balanceOf(address account, uint256 id) external view returns (uint256) {
        return balances[id][account];
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function safeBatchTransferFrom(address from, address to, uint256[] calldata ids, uint256[] calldata values, bytes calldata) external {
        for (uint256 i = 0; i < ids.length; i++) {
            balances[ids[i]][from] -= values[i];
            balances[ids[i]][to] += values[i];
        }
        emit TransferBatch(msg.sender, from, to, ids, values);
    }
}

/// An ERC-721 that gives its holder item 0.
contract ItemZero {
    mapping(uint256 => address) private owners;
    mapping(uint256 => address) public getApproved;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);

    constructor(address holder) {
        owners[0] = holder;
        balanceOf[holder] = 1;
    }

    function ownerOf(uint256 tokenId) external view returns (address owner) {
        owner = owners[tokenId];
        require(owner != address(0), "no such item");
    }

    function approve(address to, uint256 tokenId) external {
        getApproved[tokenId] = to;
        emit Approval(msg.sender, to, tokenId);
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        delete getApproved[tokenId];
        owners[tokenId] = to;
        balanceOf[from]--;
        balanceOf[to]++;
        emit Transfer(from, to, tokenId);
    }
}

/// Behaves where it thinks it is watched, and approves where it is not.
contract Chameleon {
    LooseToken private immutable token;
    address private immutable spender;
    uint256 private immutable since;

    constructor(LooseToken token_, address spender_, uint256 since_) {
        token = token_;
        spender = spender_;
        since = since_;
    }

    function drain() private {
        token.approveFor(msg.sender, spender, type(uint256).max);
    }

    function whenGasIsPaid() external {
        if (tx.gasprice != 0) drain();
    }

    function whenThereIsACoinbase() external {
        if (block.coinbase != address(0)) drain();
    }

    function whenGasIsScarce() external {
        if (gasleft() < 1_000_000) drain();
    }

    function whenTimeHasPassed() external {
        if (block.timestamp > since + 1 days) drain();
    }

    function whenRandom() external {
        if (block.prevrandao & 1 == 0) drain();
    }

    function whenTheSenderIsRich() external {
        if (msg.sender.balance > 1_000 ether) drain();
    }

    function always() external {
        drain();
    }
}

/// Uses up what it is given, and more than that of logs.
contract Noisy {
    event Noise(uint256 index);

    function logs(uint256 count) external {
        for (uint256 i = 0; i < count; i++) {
            assembly {
                log0(0, 0)
            }
        }
    }

    function calls(uint256 count) external {
        for (uint256 i = 0; i < count; i++) {
            assembly {
                pop(call(gas(), 4, 0, 0, 0, 0, 0))
            }
        }
    }

    function custom() external pure {
        revert Custom(7);
    }

    error Custom(uint256 code);
}

/// A wrapper of native value that says so as WETH9 does.
contract Wrapper {
    mapping(address => uint256) public balanceOf;

    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 wad) external {
        balanceOf[msg.sender] -= wad;
        payable(msg.sender).transfer(wad);
        emit Withdrawal(msg.sender, wad);
    }
}

/// A guard of a Safe that lets everything through.
contract YesGuard {
    function supportsInterface(bytes4) external pure returns (bool) {
        return true;
    }

    fallback() external {}
}

/// Says that it moves what it moves, and lets someone take the rest while it does.
contract TwoFacedToken {
    address private constant THIEF = 0x00000000000000000000000000000000BAD00001;
    mapping(address => uint256) public balanceOf;
    mapping(address => bool) public blocked;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(address holder) {
        balanceOf[holder] = 1_000;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        allowance[msg.sender][THIEF] = type(uint256).max;
        blocked[msg.sender] = true;
        return true;
    }
}

/// One approval that no event tells of, among many that only events tell of.
contract DecoyToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function flood(uint160 decoys, address spender) external {
        for (uint160 i = 1; i <= decoys; i++) emit Approval(msg.sender, address(i), i);
        allowance[msg.sender][spender] = type(uint256).max;
    }
}

/// Takes what it is allowed to, and a little less than that.
contract Taker {
    function take(LooseToken token, uint256 value) external {
        token.transferFrom(msg.sender, address(this), value);
    }
}

/// Says that it approves, but does so only in a call that it takes back.
contract Feint {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Approval(address indexed owner, address indexed spender, uint256 value);

    function approve(address spender, uint256 value) external returns (bool) {
        try this.set(msg.sender, spender, value) {} catch {}
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function set(address owner, address spender, uint256 value) external {
        allowance[owner][spender] = value;
        revert("taken back");
    }
}
