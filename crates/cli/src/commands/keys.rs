//! `presight keys`

use crate::args::Keys;
use crate::exit::{Exit, Failure, print};
use anyhow::Context as _;
use presight_engine::identity::load_key;
use presight_wire::Refusal;
use presight_wire::report::sign::SigningKey;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Makes a key, or names the account of one.
pub(crate) fn run(keys: &Keys, as_json: bool) -> Result<Exit, Failure> {
    let key = match keys {
        Keys::New { file } => new(file)?,
        Keys::Address { file } => load_key(file)?,
    };
    let address = format!("{:#x}", key.address());
    print(&if as_json {
        json!({ "address": address }).to_string()
    } else {
        address
    });
    Ok(Exit::Clean)
}

fn new(file: &Path) -> Result<SigningKey, Failure> {
    let key = SigningKey::random()?;
    let mut out = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .map_err(|e| {
            let shown = file.display();
            Refusal::new(
                "unwritable-file",
                "",
                format!("`{shown}` cannot be made: {e}; an existing key is never overwritten"),
            )
        })?;
    writeln!(out, "{}", key.to_hex().as_str()).context("the key file cannot be written")?;
    Ok(key)
}
