// Compiles the traps with what may be said of each: node generate.mjs > ../data/traps.json
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(join(here, "../../../../package.json"));
const solc = require("solc");

const source = readFileSync(join(here, "Traps.sol"), "utf8");
const K1 = /address constant K1 = 0x(\w+)/.exec(source)[1];
const ANSWERS = { true: true, false: false, "?": null };
const answers = (text) => text.split(",").map((answer) => {
  if (!(answer.trim() in ANSWERS)) throw new Error(`no answer: ${answer}`);
  return ANSWERS[answer.trim()];
});
const word = (hex) => "0x" + hex.padStart(64, "0").toLowerCase();
function storage(text) {
  const slots = {};
  for (const [, slot, value] of (text ?? "").matchAll(/0x(\w+)=(\S+)/g)) {
    slots[word(slot)] = word(value.replace("K1", K1).replace("+", "").replace("0x", ""));
  }
  return slots;
}

const SETTINGS = [
  { optimizer: { enabled: true, runs: 200 } },
  { optimizer: { enabled: false } },
  { optimizer: { enabled: true, runs: 200 }, viaIR: true },
];
const traps = [...source.matchAll(/\/\/ single: ([^;\n]+); outflow: ([^;\n]+)(?:; storage: (.+))?\ncontract (\w+)/g)];
const out = [];
SETTINGS.forEach((settings, which) => {
  const input = {
    language: "Solidity",
    sources: { "Traps.sol": { content: source } },
    settings: { ...settings, evmVersion: "prague", metadata: { appendCBOR: false, bytecodeHash: "none" }, outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } } },
  };
  const result = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (result.errors ?? []).filter((e) => e.severity === "error");
  if (errors.length) throw new Error(errors[0].formattedMessage);
  for (const [, single, outflow, slots, name] of traps) {
    const code = "0x" + result.contracts["Traps.sol"][name].evm.deployedBytecode.object;
    out.push({ id: `${name}/${which}`, singleCaller: answers(single), unboundedOutflow: answers(outflow), storage: storage(slots), code });
  }
});
console.log("[\n" + out.map((o) => JSON.stringify(o)).join(",\n") + "\n]");
