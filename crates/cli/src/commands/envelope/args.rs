//! The grammar of `presight envelope`.

use crate::args::Door;
use alloy_primitives::Address;
use clap::{Args, Subcommand};
use presight_verify::envelope::{DEFAULT_EXPIRY_BUFFER, Moment};
use presight_wire::envelope::{Coverage, Scheme};
use presight_wire::{Timestamp, hex};
use std::path::PathBuf;

/// `presight envelope`
#[derive(Debug, Subcommand)]
pub(crate) enum Envelope {
    /// Judge an envelope by itself: every error and warning, with its place
    Validate {
        /// An envelope, or - for standard input
        file: PathBuf,
    },
    /// Judge an envelope at the moment of use: times, expiries in its calls, what its metadata claims, your address book
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<Check>),
    /// The bytes a producer signs (RFC 8785), without a newline
    Canonicalize {
        /// An envelope, or - for standard input
        file: PathBuf,
        /// What they cover: envelope or content; by default what the envelope's own signature covers
        #[arg(long, value_parser = coverage)]
        coverage: Option<Coverage>,
    },
    /// The digests of those bytes
    Digest {
        /// An envelope, or - for standard input
        file: PathBuf,
        /// What they cover: envelope or content; by default what the envelope's own signature covers
        #[arg(long, value_parser = coverage)]
        coverage: Option<Coverage>,
    },
    /// Sign an envelope as its producer and print it
    Sign {
        /// An envelope that names its producer, or - for standard input
        file: PathBuf,
        /// A file with the signing key, 32 bytes in hex
        #[arg(long, value_name = "FILE", env = "PRESIGHT_KEY_FILE")]
        key_file: PathBuf,
        /// secp256k1, ed25519 or p256
        #[arg(long, value_parser = scheme, default_value = "secp256k1")]
        scheme: Scheme,
        /// envelope or content
        #[arg(long, value_parser = coverage, default_value = "envelope")]
        coverage: Coverage,
    },
    /// Whether the producer signed an envelope, and what of it may be taken as their word
    Verify {
        /// An envelope, or - for standard input
        file: PathBuf,
        /// A key that you know the producer has: 0x hex, a did:key or an eip155 account; may be given several times
        #[arg(long, value_name = "KEY")]
        producer_key: Vec<String>,
    },
    /// The wallet_sendCalls request of a batch (ERC-5792)
    ToSendCalls {
        /// An envelope of the kind evm-batch, or - for standard input
        file: PathBuf,
        /// The version of wallet_sendCalls that the wallet takes
        #[arg(long, value_name = "VERSION", default_value = "2.0.0")]
        wallet_version: String,
    },
}

const CHECK_EXAMPLES: &str = "Examples:\n  \
    presight envelope check envelope.json --now now --contact-book contacts.json\n  \
    presight envelope check envelope.json --now 2026-09-02T12:00:00Z --long-validity 86400 --rpc 1=http://localhost:8545";

/// `presight envelope check`
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// An envelope, or - for standard input
    pub file: PathBuf,
    /// The time: Unix seconds, RFC 3339, or the word `now` for this machine's clock; without it times are not checked
    #[arg(long, value_name = "TIME", value_parser = now)]
    pub now: Option<Now>,
    /// Warn of an envelope that holds longer than this
    #[arg(long, value_name = "SECONDS", requires = "now")]
    pub long_validity: Option<u64>,
    /// Warn of an envelope that holds shorter than this: have it prepared anew
    #[arg(long, value_name = "SECONDS", requires = "now")]
    pub least_time_left: Option<u64>,
    /// How long before the earliest expiry in its calls an envelope has to end
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_EXPIRY_BUFFER)]
    pub expiry_buffer: u64,
    /// Your address book: a JSON array of addresses, or of objects with address and label
    #[arg(long, value_name = "FILE")]
    pub contact_book: Option<PathBuf>,
    /// What to do about delegatecalls: warn, deny, or simulate (refuse what does not succeed when simulated on --rpc or --view)
    #[arg(long, value_name = "POLICY", value_parser = ["warn", "deny", "simulate"], default_value = "warn")]
    pub delegatecall: String,
    /// Let delegatecalls to this address through, and refuse all others; may be given several times
    #[arg(long, value_name = "ADDRESS", value_parser = address, conflicts_with = "delegatecall")]
    pub allow_delegatecall: Vec<Address>,
    /// The ERC-7730 descriptor that decoderRef resolves to
    #[arg(long, value_name = "FILE")]
    pub descriptor: Option<PathBuf>,
    #[command(flatten)]
    pub door: Door,
}

/// A point in time, as asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Now {
    /// This machine's clock.
    Clock,
    /// This one.
    At(Moment),
}

fn now(text: &str) -> Result<Now, String> {
    if text == "now" {
        return Ok(Now::Clock);
    }
    match text.parse() {
        Ok(seconds) => Ok(Now::At(Timestamp(seconds).into())),
        Err(_) => Moment::parse(text)
            .map(Now::At)
            .map_err(|_| "Unix seconds, an RFC 3339 date-time or the word `now` expected".to_owned()),
    }
}

fn coverage(text: &str) -> Result<Coverage, String> {
    Coverage::parse(text).ok_or_else(|| "envelope or content expected".to_owned())
}

fn scheme(text: &str) -> Result<Scheme, String> {
    Scheme::parse(text).ok_or_else(|| "secp256k1, ed25519 or p256 expected".to_owned())
}

fn address(text: &str) -> Result<Address, String> {
    hex::address(text, "").map_err(|refusal| refusal.message)
}
