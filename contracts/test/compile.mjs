// Compiles the contracts of this folder into artifacts.json; with --check, only compares.
// The same compiler and settings give the same bytes: no metadata hash is appended.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const folder = dirname(fileURLToPath(import.meta.url))
const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
}
const names = readdirSync(folder).filter((name) => name.endsWith('.sol')).sort()
const sources = Object.fromEntries(names.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }]))
const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })))

const errors = (output.errors ?? []).filter((error) => error.severity === 'error')
if (errors.length > 0) {
  for (const error of errors) console.error(error.formattedMessage)
  process.exit(1)
}

const contracts = {}
for (const file of Object.values(output.contracts)) {
  for (const [name, { evm }] of Object.entries(file)) {
    if (evm.bytecode.object === '') continue // abstract
    contracts[name] = { creation: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` }
  }
}
const { outputSelection, ...kept } = settings
const artifacts = { compiler: solc.version(), settings: kept, contracts: Object.fromEntries(Object.entries(contracts).sort()) }
const text = `${JSON.stringify(artifacts, null, 1)}\n`
const path = join(folder, 'artifacts.json')
if (process.argv.includes('--check')) {
  if (readFileSync(path, 'utf8') !== text) {
    console.error('artifacts.json is not what the sources compile to')
    process.exit(1)
  }
} else {
  writeFileSync(path, text)
}
