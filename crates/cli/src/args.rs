//! The command line's grammar.

use crate::commands::envelope::args::Envelope;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Says what a transaction, a batch or a typed-data signature touches, before it is signed.
///
/// Every fact is read at a named block with its evidence, or it is said not to be read.
#[derive(Debug, Parser)]
#[command(name = "presight", version, max_term_width = 110, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// One JSON document on stdout and nothing else
    #[arg(long, global = true)]
    pub json: bool,

    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 clean or valid, 10 warn, 20 block or invalid, 30 not evaluated, \
                          2 bad input or usage, 1 internal error.\n\
                          Try `presight demo` first: it needs no node, no key and no file.";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The main job on the shipped example: report, verify and replay, in words, without a node
    Demo {
        /// A request of your own instead of the shipped one, against the shipped state
        #[arg(long, value_name = "FILE")]
        request: Option<PathBuf>,
    },
    /// Read what a request touches and print the signed ERC-8481 report
    #[command(after_help = REPORT_EXAMPLES)]
    Report(Report),
    /// Check a report as its consumer: binding, structure, signature, identity, freshness
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(Verify),
    /// Recompute every finding of a report from its witness, offline, and list the differences
    Replay(Replay),
    /// Say whether to sign: the report, and a policy's verdict over it with its reasons
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Policies: the presets, and tests of your own
    #[command(subcommand)]
    Policy(Policy),
    /// Published lists of addresses: make one from what others publish, check one
    #[command(subcommand)]
    List(List),
    /// Anchor a signed report on chain (ERC-8481): show what is sent, send it with the report's own key, wait for it
    #[command(after_help = ANCHOR_EXAMPLES)]
    Anchor(Anchor),
    /// Prepare this source's ERC-8004 registration: the file that lists its endpoint and signers, and the registry call
    #[command(after_help = REGISTER_EXAMPLES)]
    Register(Register),
    /// The digests that bind a report to a request
    Digest {
        /// A request file, or - for standard input
        request: PathBuf,
    },
    /// Entities and the call tree of a request, from its bytes alone
    Decode {
        /// A request file, or - for standard input
        request: PathBuf,
    },
    /// The RFC 8785 canonical bytes of a JSON document
    Jcs {
        /// A JSON file; standard input without it
        file: Option<PathBuf>,
    },
    /// The text findings of files: control characters, mixed scripts, addresses
    Text {
        /// Text files, or - for standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Run what a request would send on the pinned state: balances, transfers, allowances, operators, code, logs
    #[command(after_help = "Exits 0 when the calls were run, also when they revert: the status says which.")]
    Simulate(Simulate),
    /// What an EIP-7702 delegate lets outsiders do with an account
    #[command(after_help = DELEGATE_EXAMPLES)]
    Delegate(Delegate),
    /// Prepared transaction envelopes (ERC-8265)
    #[command(subcommand)]
    Envelope(Envelope),
    /// Run the service: HTTP and MCP (docs/http.md, docs/mcp.md, docs/operating.md)
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Configured),
    /// Run the service's tools over MCP on standard input and output
    Mcp(Configured),
    /// The service's configuration
    #[command(subcommand)]
    Config(Config),
    /// Signing keys
    #[command(subcommand)]
    Keys(Keys),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

const SERVE_EXAMPLES: &str = "Examples:\n  \
    presight serve --config examples/approve/presight.toml\n  \
    PRESIGHT_UNSIGNED=true PRESIGHT_CHAIN_EIP155_1_NODES=http://localhost:8545 presight serve";

const REPORT_EXAMPLES: &str = "Examples:\n  \
    presight keys new key.txt\n  \
    presight report request.json --rpc eip155:1=http://localhost:8545 --key-file key.txt --witness w.json > report.json\n  \
    presight report request.json --view w.json --unsigned";

const CHECK_EXAMPLES: &str = "Examples:\n  \
    presight check request.json --rpc eip155:1=http://localhost:8545\n  \
    presight check request.json --view w.json --policy tiers --json\n  \
    presight check request.json --view w.json --policy mine.toml --param max_spend=1000000\n  \
    presight check request.json --from-report report.json --trust eip155:1:0x…/42 --rpc eip155:1=http://localhost:8545\n  \
    presight check --explain unlimited-approval";

const LIST_EXAMPLES: &str = "Example:\n  \
    presight list build sanctioned_addresses_ETH.json --name \"OFAC SDN, digital currency addresses\" --version 2026-11-30 \\\n    \
    --published 2026-11-30T00:00:00Z --criteria \"Named on the SDN list\" --origin https://… --output ofac.json";

const ANCHOR_EXAMPLES: &str = "Examples:\n  \
    presight anchor report.json --rpc 1=http://localhost:8545 --key-file key.txt --uri ipfs://… --dry-run\n  \
    presight anchor report.json --rpc 1=http://localhost:8545 --key-file key.txt --uri ipfs://… --deploy";

const REGISTER_EXAMPLES: &str = "Examples:\n  \
    presight register --chain 1 --endpoint https://source.example/api/presign --signer 0x…\n  \
    presight register --chain 1 --agent-id 42 --endpoint https://… --signer 0x… --uri ipfs://… \\\n    \
    --rpc 1=http://localhost:8545 --key-file owner.txt --send";

const VERIFY_EXAMPLES: &str = "Examples:\n  \
    presight verify report.json --request request.json --rpc eip155:1=http://localhost:8545\n  \
    presight verify report.json --request request.json --offline\n  \
    presight verify --envelope envelope.json --trust eip155:1:0x…/42 --rpc eip155:1=http://localhost:8545\n  \
    presight verify report.json --request request.json --anchored eip155:1:0x… --rpc eip155:1=http://localhost:8545";

const DELEGATE_EXAMPLES: &str = "Examples:\n  \
    presight delegate 0x6080…  (runtime code; for an account whose storage is empty)\n  \
    presight delegate eip155:1:0x… --rpc eip155:1=http://localhost:8545\n  \
    presight delegate 0x… --view w.json";

/// `presight report`
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// A request file, or - for standard input
    pub request: PathBuf,
    #[command(flatten)]
    pub door: Door,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub sources: SourcesFile,
    /// Kinds to report, separated by commas, instead of the request's own
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub kinds: Option<Vec<String>>,
    /// Write everything the report rests on to a view file, so that anyone can recompute it
    #[arg(long, value_name = "OUT")]
    pub witness: Option<PathBuf>,
}

/// `presight replay`
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The report
    pub report: PathBuf,
    /// The request it is about
    #[arg(long, value_name = "FILE")]
    pub request: PathBuf,
    /// The view file that `report --witness` wrote
    #[arg(long, value_name = "FILE")]
    pub witness: PathBuf,
    #[command(flatten)]
    pub sources: SourcesFile,
}

/// `presight check`
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// A request file, or - for standard input
    #[arg(required_unless_present = "explain")]
    pub request: Option<PathBuf>,
    #[command(flatten)]
    pub door: Door,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub sources: SourcesFile,
    /// The policy: a preset's name (see `presight policy list`), or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "traffic-light")]
    pub policy: String,
    /// A parameter of the policy, such as max_spend=1000000; items of lists are separated by commas
    #[arg(long, value_name = "NAME=VALUE")]
    pub param: Vec<String>,
    /// Keep the report the verdict rests on; unsigned without a key
    #[arg(long, value_name = "OUT")]
    pub report: Option<PathBuf>,
    /// Write everything the report rests on to a view file
    #[arg(long, value_name = "OUT")]
    pub witness: Option<PathBuf>,
    /// Judge this report of another source instead of making one: verified as by `verify`, and absent when it is not
    #[arg(long, value_name = "FILE", conflicts_with_all = ["report", "witness", "key_file", "unsigned", "explain"])]
    pub from_report: Option<PathBuf>,
    #[command(flatten)]
    pub consumer: Consumer,
    /// Print the rules with this code, their parameters and why they matter
    #[arg(long, value_name = "CODE")]
    pub explain: Option<String>,
}

/// `presight policy`
#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// The presets
    List,
    /// Print a policy's file
    Show {
        /// A preset's name, or a file
        policy: String,
    },
    /// Run the cases that policies carry
    Test {
        /// Files, folders of .toml and .json files, or presets' names
        #[arg(required = true, value_name = "POLICY")]
        policies: Vec<String>,
    },
}

/// `presight list`
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one, of the command line")]
pub(crate) enum List {
    /// Make a list (presight-list/1) from JSON files of addresses, such as those of sanctions, phishing and scams
    #[command(after_help = LIST_EXAMPLES)]
    Build(Box<BuildList>),
    /// Check a list and print the hash by which it is configured
    Check {
        /// The list
        list: PathBuf,
    },
}

/// `presight list build`
#[derive(Debug, Args)]
pub(crate) struct BuildList {
    /// JSON files: arrays of addresses, addresses under labels, objects with an address, or objects by address
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where the list is written
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// What the list is called
    #[arg(long)]
    pub name: String,
    /// The list's version: letters, digits and . _ : + -
    #[arg(long)]
    pub version: String,
    /// When it is published, such as 2026-11-30T00:00:00Z
    #[arg(long, value_name = "TIME")]
    pub published: String,
    /// When it ends to hold
    #[arg(long, value_name = "TIME")]
    pub expires: Option<String>,
    /// What an address is listed for
    #[arg(long, value_name = "TEXT")]
    pub criteria: String,
    /// Where the addresses are from; evidence of each entry, with the labels and words the files have for it
    #[arg(long, value_name = "TEXT")]
    pub origin: String,
    /// The chain on which the addresses are listed, such as eip155:1, where the files name none; by default every EVM chain
    #[arg(long)]
    pub chain: Option<String>,
    /// The JSON pointer of the part of the files to take, such as /data
    #[arg(long, value_name = "POINTER")]
    pub at: Option<String>,
}

/// Where chain state comes from.
#[derive(Debug, Args)]
pub(crate) struct Door {
    /// A recorded view file, plain or .zst
    #[arg(long, value_name = "FILE", conflicts_with = "rpc")]
    pub view: Option<PathBuf>,
    /// A node of a chain, such as eip155:1=http://localhost:8545; may be given for several chains
    #[arg(long, value_name = "CHAIN=URL")]
    pub rpc: Vec<String>,
    /// The block to pin: latest, safe, finalized or a number
    #[arg(
        long,
        value_name = "TAG",
        default_value = "latest",
        requires = "rpc",
        conflicts_with = "view"
    )]
    pub block: String,
    /// Read state with Merkle proofs against the block's state root, and keep them in the witness
    #[arg(long, requires = "rpc", conflicts_with = "view")]
    pub prove: bool,
    /// Ask the chain's node to execute what cannot be executed here, such as a chain's own precompiles, by
    /// eth_simulateV1 or else debug_traceCall, or by the named one; the answer is the node's word
    #[arg(
        long,
        value_name = "CHAIN[=METHOD]",
        requires = "rpc",
        conflicts_with = "view"
    )]
    pub node_execution: Vec<String>,
    /// The hard fork the chains run under; by default Ethereum's own schedule, and the newest on other chains
    #[arg(long, value_name = "NAME", requires = "rpc", conflicts_with = "view")]
    pub spec: Option<String>,
    /// Seconds the whole request may take; what was not read by then is said to be `timeout`
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 30,
        requires = "rpc",
        conflicts_with = "view"
    )]
    pub deadline: u64,
    /// Say on stderr in how many waves and with how many calls the nodes were asked
    #[arg(long, short, requires = "rpc", conflicts_with = "view")]
    pub verbose: bool,
    /// An IPFS gateway for `ipfs:` registration files and lists, such as http://127.0.0.1:8080; what it serves is
    /// checked against its content identifier. May be given several times; tried in order
    #[arg(
        long,
        value_name = "URL",
        env = "PRESIGHT_IPFS_GATEWAY",
        value_delimiter = ','
    )]
    pub ipfs_gateway: Vec<String>,
    /// For development: fetch documents also from this machine's loopback addresses, there also over http:
    #[arg(long, requires = "rpc", conflicts_with = "view")]
    pub allow_loopback_documents: bool,
}

/// What the report is read from beside chain state.
#[derive(Debug, Args)]
pub(crate) struct SourcesFile {
    /// Contracts, lists and formats to read from that no request names, TOML or JSON; a report is recomputed with the file it
    /// was made with
    #[arg(long = "sources", value_name = "FILE", env = "PRESIGHT_SOURCES")]
    pub file: Option<PathBuf>,
}

/// Who makes the report.
#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    /// A file with the secp256k1 signing key, 32 bytes in hex
    #[arg(
        long,
        value_name = "FILE",
        env = "PRESIGHT_KEY_FILE",
        conflicts_with = "unsigned"
    )]
    pub key_file: Option<PathBuf>,
    /// Make the report without a signature; a consumer treats it as absent
    #[arg(long)]
    pub unsigned: bool,
    /// The source's ERC-8004 identity registry (CAIP-10); by default the registry's usual address on the
    /// request's chain
    #[arg(long, value_name = "CAIP-10", env = "PRESIGHT_REGISTRY")]
    pub registry: Option<String>,
    /// The source's ERC-8004 agent id
    #[arg(long, value_name = "N", env = "PRESIGHT_AGENT_ID", default_value = "0")]
    pub agent_id: String,
}

/// What a consumer asks of a report that somebody else made.
#[derive(Debug, Args)]
pub(crate) struct Consumer {
    /// A source to trust, as registry/agentId, or registry/agentId=signer to pin its signer; may be given several times
    #[arg(long, value_name = "REGISTRY/AGENT-ID[=SIGNER]")]
    pub trust: Vec<String>,
    /// Refuse a report whose blocks are further than this behind the chain's: N, 100 by default, or CHAIN=N for one chain
    #[arg(long, value_name = "[CHAIN=]N")]
    pub max_age_blocks: Vec<String>,
    /// Refuse a report that was issued, or whose blocks were made, longer ago than this: N, or CHAIN=N for the blocks of
    /// one chain
    #[arg(long, value_name = "[CHAIN=]SECONDS")]
    pub max_age_seconds: Vec<String>,
}

/// `presight verify`
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The report
    #[arg(required_unless_present = "envelope")]
    pub report: Option<PathBuf>,
    /// The request it is about, as the consumer has it
    #[arg(long, value_name = "FILE", required_unless_present = "envelope")]
    pub request: Option<PathBuf>,
    /// Verify instead each report that came in `risk.reports` of this ERC-8265 envelope; only sources under --trust count
    #[arg(long, value_name = "FILE", conflicts_with_all = ["report", "request", "anchored", "witness"])]
    pub envelope: Option<PathBuf>,
    #[command(flatten)]
    pub door: Door,
    /// Use no chain state: what needs it is said not to be read
    #[arg(long, conflicts_with_all = ["view", "rpc", "block", "prove", "node_execution", "spec", "deadline", "allow_loopback_documents"])]
    pub offline: bool,
    #[command(flatten)]
    pub consumer: Consumer,
    /// Conclude verified although the report leaves out entities (`unlisted` in the JSON) or core kinds: whoever sets this
    /// treats them as not read
    #[arg(long, conflicts_with = "anchored")]
    pub accept_gaps: bool,
    /// Recompute the report from this view file as well: each finding is confirmed, different or not recomputable
    #[arg(long, value_name = "FILE", conflicts_with = "anchored")]
    pub witness: Option<PathBuf>,
    #[command(flatten)]
    pub sources: SourcesFile,
    /// Ask instead whether the report counts against its source, as of its first anchoring on this contract: signature
    /// and identity at the registry's block of that time, content-addressed registration files only. A transaction that
    /// anchored it, as CHAIN:HASH, names its contract
    #[arg(long, value_name = "CAIP-10|CHAIN:HASH", conflicts_with_all = ["offline", "max_age_blocks", "max_age_seconds"])]
    pub anchored: Option<String>,
    /// With --anchored and --view: the view file of the registry's chain at the block of the anchoring
    #[arg(long, value_name = "FILE", requires_all = ["anchored", "view"])]
    pub past_view: Option<PathBuf>,
}

/// `presight simulate`
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// A request file, or - for standard input
    pub request: PathBuf,
    #[command(flatten)]
    pub door: Door,
}

/// `presight anchor`
#[derive(Debug, Args)]
pub(crate) struct Anchor {
    /// The signed report
    pub report: PathBuf,
    /// The node of the chain to anchor on, such as eip155:1=http://localhost:8545
    #[arg(long, value_name = "CHAIN=URL")]
    pub rpc: String,
    /// A file with the key of the report's signer, which also pays for the transaction
    #[arg(long, value_name = "FILE", env = "PRESIGHT_KEY_FILE")]
    pub key_file: PathBuf,
    /// Where the report is to be found, at most 512 bytes; better content-addressed
    #[arg(long, value_name = "URI", default_value = "")]
    pub uri: String,
    /// An anchor of one's own, instead of the one at its usual address
    #[arg(long, value_name = "ADDRESS")]
    pub contract: Option<String>,
    /// Put the anchor at its usual address first, when it is not there
    #[arg(long)]
    pub deploy: bool,
    /// Show what would be sent, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Seconds to wait for each receipt
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub wait: u64,
}

/// `presight register`
#[derive(Debug, Args)]
pub(crate) struct Register {
    /// The registry's chain, such as eip155:1, when the registry is at its usual address
    #[arg(long, value_name = "CHAIN", required_unless_present = "registry")]
    pub chain: Option<String>,
    /// The ERC-8004 identity registry (CAIP-10)
    #[arg(
        long,
        value_name = "CAIP-10",
        env = "PRESIGHT_REGISTRY",
        conflicts_with = "chain"
    )]
    pub registry: Option<String>,
    /// The agent whose file is changed; without it a new agent is registered
    #[arg(long, value_name = "N")]
    pub agent_id: Option<String>,
    /// Where the source answers requests
    #[arg(long, value_name = "URL")]
    pub endpoint: String,
    /// An account that signs the source's reports, on the registry's chain; may be given several times
    #[arg(long, value_name = "ADDRESS", required = true)]
    pub signer: Vec<String>,
    /// The source's name
    #[arg(long, value_name = "TEXT", default_value = "Presight")]
    pub name: String,
    /// What the source is, in a sentence
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "Risk reports on transactions before they are signed (ERC-8481)"
    )]
    pub description: String,
    /// Where the file will be found; by default it is put into the registry, as a data: URI
    #[arg(long, value_name = "URI")]
    pub uri: Option<String>,
    /// Send the call, and wait for it
    #[arg(long, requires = "rpc", requires = "key_file")]
    pub send: bool,
    /// The node of the registry's chain, such as eip155:1=http://localhost:8545
    #[arg(long, value_name = "CHAIN=URL", requires = "send")]
    pub rpc: Option<String>,
    /// A file with the key of the agent's owner, who pays for the transaction; never the key that signs reports
    #[arg(long, value_name = "FILE", requires = "send")]
    pub key_file: Option<PathBuf>,
    /// Seconds to wait for the receipt
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub wait: u64,
}

/// `presight delegate`
#[derive(Debug, Args)]
pub(crate) struct Delegate {
    /// Runtime code in hex, or a file with it; or a delegated account or a delegate, as 0x… or CAIP-10
    #[arg(value_name = "CODE|ADDRESS")]
    pub delegate: String,
    #[command(flatten)]
    pub door: Door,
}

/// Where the service's configuration is.
#[derive(Debug, Args)]
pub(crate) struct Configured {
    /// The configuration; `presight.toml` of this folder by default, when there is one. Every key can also be given as
    /// an environment variable
    #[arg(long, value_name = "FILE", env = "PRESIGHT_CONFIG")]
    pub config: Option<PathBuf>,
}

/// `presight config`
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Try each key, policy, view and node, and say what the service would be blind to
    Check(Configured),
}

/// `presight keys`
#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Make a new key and write it to a file that only its owner can read
    New {
        /// The file; it must not exist yet
        file: PathBuf,
    },
    /// The account of a key
    Address {
        /// The key file
        #[arg(env = "PRESIGHT_KEY_FILE")]
        file: PathBuf,
    },
}
