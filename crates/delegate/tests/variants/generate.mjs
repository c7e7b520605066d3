// Delegates put together from guards, amounts, recipients, movers and wrappers, with what must be said of each by
// construction: node generate.mjs > ../data/variants.json
//
// `null` is not read. The first answer is the truth; further ones are right too.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const require = createRequire(join(dirname(fileURLToPath(import.meta.url)), "../../../../package.json"));
const solc = require("solc");

const K1 = "0x8638bCa8FDc08Dfaa3cFb9914aad6a43e916933D";
const K2 = "0x72E133ccd06B50469674d851AA60EbD6C33C8259";
const COLD = "0x959541BF34CF2BD82Aef714DA5566cF15519601e";
const word = (hex) => "0x" + hex.replace("0x", "").toLowerCase().padStart(64, "0");
const NR = null;

// Who passes: `none`, `one`, `many`, or `?` (not to be said), and code that lets nobody else pass.
const GUARDS = {
  open: { who: "many", code: "" },
  key: { who: "one", code: `require(msg.sender == K1);` },
  keyRevert: { who: "one", code: `if (msg.sender != K1) revert();` },
  keyXor: { who: "one", code: `require(uint160(msg.sender) ^ 0x1234 == uint160(K1) ^ 0x1234);` },
  keyAdd: { who: "one", code: `unchecked { require(uint256(uint160(msg.sender)) + 77 == uint256(uint160(K1)) + 77); }` },
  keyMul: { who: "one", code: `unchecked { require(uint256(uint160(msg.sender)) * 3 == uint256(uint160(K1)) * 3); }` },
  keyShift: { who: "one", code: `require(bytes20(msg.sender) == bytes20(K1));` },
  keyRange: { who: "one", code: `require(uint160(msg.sender) >= uint160(K1) && uint160(msg.sender) <= uint160(K1));` },
  keyAssembly: { who: "one", code: `assembly { if sub(caller(), ${K1}) { revert(0, 0) } }` },
  keyImmutable: { who: "one", code: `require(msg.sender == fixedKey);` },
  keyHash: { who: "one", opaque: true, code: `require(keccak256(abi.encode(msg.sender)) == keccak256(abi.encode(K1)));` },
  keyOrigin: { who: "one", code: `require(msg.sender == K1 && tx.origin == K1);` },
  keyTwice: { who: "none", code: `require(msg.sender == K1); require(msg.sender == K2);` },
  two: { who: "many", code: `require(msg.sender == K1 || msg.sender == K2);` },
  self: { who: "none", code: `require(msg.sender == address(this));` },
  keyOrSelf: { who: "one", code: `require(msg.sender == K1 || msg.sender == address(this));` },
  origin: { who: "?", outflow: true, code: `require(tx.origin == K1);` },
  notK1: { who: "many", code: `require(msg.sender != K1);` },
  low32: { who: "many", opaque: true, code: `require(uint32(uint160(msg.sender)) == uint32(uint160(K1)));` },
  onlyEoa: { who: "many", code: `require(msg.sender == tx.origin);` },
  noCode: { who: "many", code: `require(msg.sender.code.length == 0);` },
  coinbase: { who: "?", code: `require(msg.sender == block.coinbase);` },
  ownerSlot: { who: "one", storage: { "0x0": K1 }, code: `require(msg.sender == owner);` },
  ownerEmpty: { who: "none", code: `require(msg.sender == owner);` },
  ownerPacked: { who: "one", storage: { "0x1": K1 }, code: `require(msg.sender == packedOwner);` },
  ownerOrOpen: { who: "many", storage: { "0x0": K1 }, code: `require(msg.sender == owner || owner != address(0));` },
  ownerIfSet: { who: "many", code: `require(owner == address(0) || msg.sender == owner);` },
  mapping: { who: "none", code: `require(allowed[msg.sender]);` },
  signed: { who: "none", code: `require(recovered(keccak256(abi.encode(block.chainid, address(this), to, amount, nonce, token, keccak256(data)))) == address(this)); require(!used[nonce]); used[nonce] = true;` },
  signedPacked: { who: "none", code: `require(recovered(keccak256(abi.encodePacked("\\x19Ethereum Signed Message:\\n32", keccak256(abi.encode(address(this), to, amount, token, keccak256(data)))))) == address(this));` },
  signedNotAmount: { who: "?", code: `require(recovered(keccak256(abi.encode(address(this), to, token, keccak256(data)))) == address(this));` },
  signedNotTo: { who: "?", code: `require(recovered(keccak256(abi.encode(address(this), amount, token, keccak256(data)))) == address(this));` },
  signedHalfAmount: { who: "?", code: `require(recovered(keccak256(abi.encode(address(this), to, uint64(amount), token, keccak256(data)))) == address(this));` },
  signedRaw: { who: "?", code: `require(recovered(bytes32(nonce)) == address(this));` },
  signedByOther: { who: "many", opaque: true, code: `require(recovered(keccak256(abi.encode(address(this), to, amount, token, keccak256(data)))) == K1);` },
  signedByNobody: { who: "many", opaque: true, code: `require(recovered(keccak256(abi.encode(address(this), to, amount, token, keccak256(data)))) == owner);` },
  signedNotZero: { who: "none", code: `{ address a = recovered(keccak256(abi.encode(to, amount, token, keccak256(data)))); require(a != address(0) && a == address(this)); }` },
};

// How much may go: `all` of it, `part` of it in a call, or `came`, what came with the call.
const AMOUNTS = {
  free: { much: "all", code: "" },
  all: { much: "all", code: `amount = address(this).balance;`, tokens: `amount = IERC20(token).balanceOf(address(this));` },
  cap: { much: "part", code: `require(amount <= 1 ether);` },
  capStrict: { much: "part", code: `require(amount < 1 ether);` },
  capScaled: { much: "part", code: `require(amount / 4 <= 1 ether);` },
  capClamp: { much: "part", code: `if (amount > 1 ether) amount = 1 ether;` },
  capConstant: { much: "part", code: `amount = 3 ether;` },
  capSlot: { much: "part", storage: { "0x2": "0xde0b6b3a7640000" }, code: `require(amount <= cap);` },
  capWraps: { much: "all", opaque: true, code: `unchecked { require(amount * 2 <= 2 ether); }` },
  capCast: { much: "all", opaque: true, code: `require(uint64(amount) <= 1 ether);` },
  half: { much: "part", native: true, code: `require(amount * 2 <= address(this).balance);` },
  keepOne: { much: "part", native: true, code: `require(address(this).balance - amount >= 1 ether);` },
  notZero: { much: "all", code: `require(amount != 0);` },
  came: { much: "came", native: true, code: `amount = msg.value;` },
};

// Who may get it.
const RECIPIENTS = {
  free: { choice: true, code: "" },
  fixed: { choice: false, code: `require(to == COLD);` },
  forced: { choice: false, code: `to = COLD;` },
  two: { choice: false, code: `require(to == COLD || to == K2);` },
  caller: { choice: "caller", code: `to = msg.sender;` },
  mapping: { choice: false, storage: { ["mapping:" + COLD]: "0x1" }, code: `require(recipients[to]);` },
  slot: { choice: false, storage: { "0x3": COLD + "00" }, code: `to = sink;` },
  notCold: { choice: true, code: `require(to != COLD);` },
};

const MOVERS = {
  call: { kind: "native", code: `(bool ok,) = to.call{value: amount}(""); require(ok);` },
  transfer: { kind: "native", code: `payable(to).transfer(amount);` },
  send: { kind: "native", code: `require(payable(to).send(amount));` },
  token: { kind: "token", code: `require(IERC20(token).transfer(to, amount));` },
  fixedToken: { kind: "token", code: `require(IERC20(TOKEN).transfer(to, amount));` },
  approve: { kind: "grant", code: `require(IERC20(token).approve(to, amount));` },
  item: { kind: "grant", code: `IERC721(token).safeTransferFrom(address(this), to, amount);` },
  destroy: { kind: "everything", code: `assembly { selfdestruct(to) }` },
  delegate: { kind: "anything", code: `(bool ok,) = to.delegatecall(data); require(ok);` },
  execute: { kind: "anything", code: `(bool ok,) = to.call{value: amount}(data); require(ok);` },
  assembly: { kind: "native", code: `assembly { if iszero(call(gas(), to, amount, 0, 0, 0, 0)) { revert(0, 0) } }` },
  twice: { kind: "native", twice: true, code: `(bool ok,) = to.call{value: amount}(""); require(ok); (ok,) = to.call{value: amount}(""); require(ok);` },
};

const WRAPPERS = {
  plain: { code: "" },
  multicall: {
    repeats: true,
    code: `function multicall(bytes[] calldata calls) external payable { for (uint i; i < calls.length; ++i) { (bool ok,) = address(this).delegatecall(calls[i]); require(ok); } }`,
  },
  relay: {
    relays: true,
    code: `function relay(bytes calldata data) external payable { (bool ok,) = address(this).call(data); require(ok); }`,
  },
  relayKey: {
    relaysKey: true,
    code: `function relay(bytes calldata data) external payable { require(msg.sender == K1); (bool ok,) = address(this).call(data); require(ok); }`,
  },
  views: { code: `function peek(uint i) external view returns (uint, address) { return (address(this).balance + i, msg.sender); } function note(uint x) external { emit Noted(msg.sender, x); } event Noted(address, uint);` },
};

// A flag besides the guard. `now`: lets calls pass.
const STATES = {
  none: { now: true, code: "" },
  notPaused: { now: true, code: `require(!paused);`, more: `function pause(bool p) external { require(msg.sender == K1); paused = p; }` },
  openPause: { now: true, code: `require(!paused);`, more: `function pause(bool p) external { paused = p; }` },
  guarded: { now: true, code: `require(entered == 0); entered = 1;`, after: `entered = 0;` },
  past: { now: true, code: `require(block.timestamp > 1700000000);` },
  future: { now: false, code: `require(block.timestamp > 4000000000);` },
};

const HEAD = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
interface IERC20 { function transfer(address, uint256) external returns (bool); function approve(address, uint256) external returns (bool); function balanceOf(address) external view returns (uint256); }
interface IERC721 { function safeTransferFrom(address, address, uint256) external; }
address constant K1 = ${K1}; address constant K2 = ${K2}; address constant COLD = ${COLD};
address constant TOKEN = 0xCEC31e1a299460cFcCAa46722574d18Ba9280ae4;
`;

function contract(name, v) {
  const [g, a, r, m, w, s] = [GUARDS[v.g], AMOUNTS[v.a], RECIPIENTS[v.r], MOVERS[v.m], WRAPPERS[v.w], STATES[v.s]];
  const amount = m.kind === "token" && a.tokens ? a.tokens : a.code;
  const body = [g.code, s.code, r.code, amount, m.code, s.after ?? ""];
  const code = v.late ? [s.code, r.code, amount, m.code, s.after ?? "", g.code] : body;
  return `contract ${name} {
  address owner; bool flag; address packedOwner; uint256 cap; bool paused; address sink; uint256 entered;
  mapping(address => bool) allowed; mapping(address => bool) recipients; mapping(uint256 => bool) used;
  address immutable fixedKey = K1;
  struct Signature { uint8 v; bytes32 r; bytes32 s; }
  function recovered(bytes32 h) internal pure returns (address) { (uint8 v, bytes32 r, bytes32 s) = abi.decode(msg.data[msg.data.length - 96:], (uint8, bytes32, bytes32)); return ecrecover(h, v, r, s); }
  function pay(address to, uint256 amount, address token, uint256 nonce, bytes calldata data) external payable { token; nonce; data; ${code.join(" ")} }
  ${w.code} ${s.more ?? ""}
  receive() external payable {}
}`;
}

// Slots by the layout above: owner and flag share 0, packedOwner is 1, cap 2, paused and sink 3, entered 4.
function truth(v) {
  const [g, a, r, m, w, s] = [GUARDS[v.g], AMOUNTS[v.a], RECIPIENTS[v.r], MOVERS[v.m], WRAPPERS[v.w], STATES[v.s]];
  let who = g.who;
  // The relay makes outsiders the account.
  const selfPasses = ["open", "self", "keyOrSelf", "notK1", "ownerIfSet", "ownerOrOpen"].includes(v.g);
  if (w.relays && selfPasses) who = "many";
  if (w.relaysKey && v.g === "self") who = "one";
  const nothing = a.much === "came" && (m.kind === "native" || v.m === "execute") && !m.twice && !w.repeats;
  const open = (who === "many" && v.g !== "two") || who === "?";
  const signedBy = v.g.startsWith("signed") && g.who === "none";
  let single, outflow;
  if (who === "?") single = [NR, false];
  else if (!s.now) single = who === "one" ? [true, NR, false] : [false, NR];
  else if (who === "one") single = g.opaque ? [true, NR] : [true];
  else single = [false];
  if (g.opaque) single.push(NR);
  if (w.relays && !selfPasses && g.who !== "none") single.push(NR);
  if (nothing && v.m !== "execute") single = [false, NR];
  if (v.m === "execute" && a.much === "came") single.push(NR);
  const capped = a.much === "part";
  const chooses = r.choice === true || (r.choice === "caller" && who === "many");
  const everything = m.kind === "anything" || m.kind === "everything";
  if (who === "none" || !s.now) outflow = [false];
  else if (m.kind === "grant") outflow = [NR];
  else if (m.kind === "anything") outflow = r.choice === true ? [true, NR] : [NR, false];
  else if (nothing) outflow = [false];
  else if (!chooses) outflow = [false];
  else if (capped && !everything) {
    outflow = [false];
    if (w.repeats || w.relays || m.twice || open) outflow = [NR, true, false];
    if ((w.repeats || open) && ["cap", "capStrict", "capScaled", "capClamp", "capConstant", "capSlot"].includes(v.a)) outflow = [true, NR];
  } else outflow = [true];
  if (who === "?" && outflow[0] !== NR) outflow = g.outflow ? [...outflow, NR] : [NR, false, true].filter((x) => x !== false || outflow[0] === false);
  if (g.opaque || a.opaque || a.much === "came" || m.twice) outflow = [...new Set([...outflow, NR])];
  if (signedBy && w.repeats) outflow.push(NR), single.push(NR);
  if (!s.now) single.push(NR), outflow.push(NR);
  // With value of its own a caller changes the balance that a share is of.
  if (a.native) outflow.push(NR);
  if (v.late || w.relays || w.relaysKey) single.push(NR), outflow.push(NR);
  if (v.s === "openPause") outflow.push(NR);
  // The one recipient is known by a hash only; the one caller could give itself any owner.
  if (v.r === "mapping" || (v.g === "ownerSlot" && v.m === "delegate") || (w.repeats && a.much === "came")) single.push(NR);
  return { singleCaller: [...new Set(single)], unboundedOutflow: [...new Set(outflow)] };
}

const all = [];
const add = (v) => all.push({ g: "key", a: "free", r: "free", m: "call", w: "plain", s: "none", ...v });
for (const g of Object.keys(GUARDS)) { add({ g }); add({ g, m: "token" }); }
for (const g of ["open", "key", "self", "signed", "two", "ownerSlot"]) for (const m of Object.keys(MOVERS)) add({ g, m });
for (const g of ["open", "key", "keyOrSelf", "signedPacked"]) for (const a of Object.keys(AMOUNTS)) add({ g, a });
for (const g of ["key", "open"]) for (const a of Object.keys(AMOUNTS).filter((a) => !AMOUNTS[a].native)) add({ g, a, m: "token" });
for (const g of ["open", "key", "ownerSlot"]) for (const r of Object.keys(RECIPIENTS)) { add({ g, r }); add({ g, r, m: "token", a: "all" }); }
for (const w of Object.keys(WRAPPERS)) for (const g of ["open", "key", "self", "signed", "keyOrSelf", "ownerSlot", "two"]) { add({ w, g }); add({ w, g, a: "cap" }); add({ w, g, r: "fixed" }); }
for (const w of ["multicall", "relay"]) for (const a of ["came", "half", "all"]) add({ w, a, g: "open" });
for (const s of Object.keys(STATES)) for (const g of ["open", "key", "ownerSlot", "signed"]) { add({ s, g }); add({ s, g, a: "cap" }); }
for (const g of ["key", "two", "self", "ownerSlot", "signed"]) { add({ g, late: true }); add({ g, late: true, m: "token" }); }

const seen = new Set();
const variants = all.filter((v) => { const id = JSON.stringify(v); return !seen.has(id) && seen.add(id); });
const SETTINGS = [
  { optimizer: { enabled: true, runs: 200 } },
  { optimizer: { enabled: false } },
  { optimizer: { enabled: true, runs: 200 }, viaIR: true },
];
const { keccak256 } = (() => { const k = require("js-sha3"); return { keccak256: (hex) => k.keccak256(Buffer.from(hex, "hex")) }; })();
function storage(v) {
  const slots = {};
  for (const part of [GUARDS[v.g], AMOUNTS[v.a], RECIPIENTS[v.r]]) {
    for (const [slot, value] of Object.entries(part.storage ?? {})) {
      if (slot.startsWith("mapping:")) {
        const key = word(slot.slice(8)).slice(2) + word("0x6").slice(2);
        slots["0x" + keccak256(key)] = word(value);
      } else {
        slots[word(slot)] = word(value);
      }
    }
  }
  return slots;
}
const out = [];
SETTINGS.forEach((settings, which) => {
  const mine = variants.map((v, i) => [v, i]).filter(([, i]) => i % SETTINGS.length === which);
  const source = HEAD + mine.map(([v, i]) => contract(`D${i}`, v)).join("\n");
  const input = {
    language: "Solidity",
    sources: { "D.sol": { content: source } },
    settings: { ...settings, evmVersion: "prague", metadata: { appendCBOR: false, bytecodeHash: "none" }, outputSelection: { "*": { "*": ["evm.deployedBytecode.object", "evm.deployedBytecode.immutableReferences", "storageLayout"] } } },
  };
  const result = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (result.errors ?? []).filter((e) => e.severity === "error");
  if (errors.length) throw new Error(errors[0].formattedMessage);
  for (const [v, i] of mine) {
    const compiled = result.contracts["D.sol"][`D${i}`];
    let code = compiled.evm.deployedBytecode.object;
    for (const places of Object.values(compiled.evm.deployedBytecode.immutableReferences ?? {})) {
      for (const { start, length } of places) code = code.slice(0, 2 * start) + word(K1).slice(2).slice(64 - 2 * length) + code.slice(2 * (start + length));
    }
    const layout = Object.fromEntries(compiled.storageLayout.storage.map((s) => [s.label, [s.slot, s.offset]]));
    const want = { owner: ["0", 0], packedOwner: ["1", 0], cap: ["2", 0], sink: ["3", 1], recipients: ["6", 0] };
    for (const [label, place] of Object.entries(want)) if (String(layout[label]) !== String(place)) throw new Error(`${label} is at ${layout[label]}`);
    const { g, a, r, m, w, s, late } = v;
    out.push({ id: [g, a, r, m, w, s].join("-") + (late ? "-late" : "") + "/" + which, ...truth(v), storage: storage(v), code: "0x" + code });
  }
});
console.log("[\n" + out.map((o) => JSON.stringify(o)).join(",\n") + "\n]");
