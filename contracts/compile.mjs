// Compiles each folder of contracts beside this file into its artifacts.json; with --check, only compares. Imports come
// from node_modules. The same compiler and settings give the same bytes: no metadata hash is appended.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const here = dirname(fileURLToPath(import.meta.url))
const outputs = ['evm.bytecode.object', 'evm.deployedBytecode.object']
// A folder's settings.json says what it has otherwise.
const usual = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
}

function installed(path) {
  const file = join(here, '..', 'node_modules', path)
  return existsSync(file) ? { contents: readFileSync(file, 'utf8') } : { error: `${path} is not installed (npm ci)` }
}

function compile(folder) {
  const own = join(folder, 'settings.json')
  const settings = existsSync(own) ? { ...usual, ...JSON.parse(readFileSync(own, 'utf8')) } : usual
  const names = readdirSync(folder).filter((name) => name.endsWith('.sol')).sort()
  const sources = Object.fromEntries(names.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }]))
  const outputSelection = Object.fromEntries(names.map((name) => [name, { '*': outputs }]))
  const input = { language: 'Solidity', sources, settings: { ...settings, outputSelection } }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: installed }))
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error')
  if (errors.length > 0) {
    for (const error of errors) console.error(error.formattedMessage)
    process.exit(1)
  }
  const contracts = {}
  for (const name of names) {
    for (const [contract, { evm }] of Object.entries(output.contracts[name] ?? {})) {
      if (evm.bytecode.object === '') continue // abstract
      contracts[contract] = { creation: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` }
    }
  }
  const sorted = Object.fromEntries(Object.entries(contracts).sort())
  return `${JSON.stringify({ compiler: solc.version(), settings, contracts: sorted }, null, 1)}\n`
}

for (const entry of readdirSync(here, { withFileTypes: true })) {
  if (!entry.isDirectory()) continue
  const path = join(here, entry.name, 'artifacts.json')
  const text = compile(join(here, entry.name))
  if (!process.argv.includes('--check')) {
    writeFileSync(path, text)
  } else if (readFileSync(path, 'utf8') !== text) {
    console.error(`contracts/${entry.name}/artifacts.json is not what the sources compile to`)
    process.exit(1)
  }
}
