//! Opening the door the arguments name: a view file, or nodes.

use crate::args::Door;
use crate::exit::Failure;
use crate::input;
use alloy_primitives::B256;
use anyhow::Context as _;
use presight_engine::settings;
use presight_view::documents::{DocumentSettings, Documents, WithDocuments};
use presight_view::drive::{self, Driven};
use presight_view::file::{self, MAX_VIEW_BYTES, ViewFile};
use presight_view::rpc::{BlockTag, ChainSettings, Http, NodeExecutionSetting, RetrySettings, Retrying, Rpc};
use presight_view::{Snapshot, View};
use presight_wire::{ChainId, Refusal, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// What one request to a node may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a view file and tells what is wrong with it.
pub(crate) fn view_file(path: &Path) -> Result<ViewFile, Failure> {
    let file = file::parse(&input::read(path, MAX_VIEW_BYTES)?)?;
    for problem in &file.problems {
        eprintln!("warning: {problem}");
    }
    Ok(file)
}

/// The one chain of the door, for what names none itself.
pub(crate) fn only_chain(door: &Door) -> Result<ChainId, Failure> {
    let chains: Vec<ChainId> = match &door.view {
        Some(path) => {
            let file = file::parse(&input::read(path, MAX_VIEW_BYTES)?)?;
            file.snapshot.chains.into_keys().collect()
        }
        None => {
            let named = door.rpc.iter().filter_map(|argument| argument.split_once('='));
            named
                .map(|(chain, _)| settings::chain(chain))
                .collect::<Result<_, _>>()?
        }
    };
    match <[ChainId; 1]>::try_from(chains) {
        Ok([chain]) => Ok(chain),
        Err(chains) => {
            let message = format!(
                "{} chains are given: name the account as CAIP-10, such as eip155:1:0x…",
                chains.len()
            );
            Err(Refusal::new("no-chain", "", message).into())
        }
    }
}

impl presight_engine::Door for Door {
    type Error = Failure;

    fn run<T>(&self, core: impl Fn(&View<'_>) -> T) -> Result<Driven<T>, Failure> {
        match &self.view {
            Some(path) => Ok(drive::run_recorded(&view_file(path)?.snapshot, core)),
            None => run_over_nodes(self, None, core),
        }
    }
}

/// No chain state at all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offline;

impl presight_engine::Door for Offline {
    type Error = Failure;

    fn run<T>(&self, core: impl Fn(&View<'_>) -> T) -> Result<Driven<T>, Failure> {
        Ok(drive::run_recorded(&Snapshot::new(now()?), core))
    }
}

/// Runs the core over the door's nodes, this chain pinned to a past block.
pub(crate) fn run_at<T>(
    door: &Door,
    chain: &ChainId,
    block: B256,
    core: impl Fn(&View<'_>) -> T,
) -> Result<Driven<T>, Failure> {
    run_over_nodes(door, Some((chain, block)), core)
}

fn run_over_nodes<T>(
    door: &Door,
    past: Option<(&ChainId, B256)>,
    core: impl Fn(&View<'_>) -> T,
) -> Result<Driven<T>, Failure> {
    if door.rpc.is_empty() {
        let message = "no chain state: give --view FILE or --rpc CHAIN=URL";
        return Err(Refusal::new("no-view", "", message).into());
    }
    let settings = DocumentSettings {
        ipfs_gateways: door.ipfs_gateway.clone(),
        allow_loopback: door.allow_loopback_documents,
    };
    let documents = Documents::new(&settings).map_err(|e| Refusal::new("bad-gateway", "", e.to_string()))?;
    let mut backend = WithDocuments::new(nodes(door, past)?, documents);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime")?;
    let driven = runtime.block_on(drive::run(
        &mut backend,
        now()?,
        Duration::from_secs(door.deadline),
        core,
    ));
    if door.verbose {
        eprintln!("{} waves, {} calls to nodes", driven.waves, driven.calls);
    }
    for problem in &driven.problems {
        eprintln!("warning: {problem}");
    }
    Ok(driven)
}

fn nodes(door: &Door, past: Option<(&ChainId, B256)>) -> Result<Rpc<Retrying<Http>>, Failure> {
    let block = settings::block(&door.block)?;
    let hard_fork = door.spec.as_deref().map(settings::hard_fork).transpose()?;
    let settings = ChainSettings {
        hard_fork,
        block,
        prove: door.prove,
        ..ChainSettings::default()
    };
    let mut executing = node_executions(door)?;
    let mut rpc = Rpc::new();
    let mut seen = BTreeSet::new();
    for argument in &door.rpc {
        let (chain, url) = chain_and_url(argument)?;
        let http = Http::new(url, Duration::from_secs(door.deadline).min(CALL_TIMEOUT))
            .map_err(|e| Refusal::new("bad-rpc", "", e.to_string()))?;
        let transport = Retrying::new(http, RetrySettings::default());
        if !seen.insert(chain.clone()) {
            return Err(Refusal::new("bad-rpc", "", format!("{chain} is given two nodes")).into());
        }
        let block = match past {
            Some((past_chain, hash)) if *past_chain == chain => BlockTag::Hash(hash),
            _ => settings.block,
        };
        let settings = ChainSettings {
            block,
            node_execution: executing.remove(&chain).unwrap_or_default(),
            ..settings
        };
        rpc = rpc.with_chain(chain, transport, settings);
    }
    match executing.keys().next() {
        Some(chain) => Err(Refusal::new("bad-node-execution", "", format!("{chain} has no --rpc")).into()),
        None => Ok(rpc),
    }
}

/// A `CHAIN=URL`.
pub(crate) fn chain_and_url(argument: &str) -> Result<(ChainId, &str), Refusal> {
    let message = "--rpc takes CHAIN=URL, such as eip155:1=http://localhost:8545";
    let (chain, url) = argument
        .split_once('=')
        .ok_or_else(|| Refusal::new("bad-rpc", "", message))?;
    Ok((settings::chain(chain)?, url))
}

/// The chains whose nodes execute, and how.
fn node_executions(door: &Door) -> Result<BTreeMap<ChainId, NodeExecutionSetting>, Refusal> {
    let settings = door.node_execution.iter().map(|argument| {
        let (chain, method) = match argument.split_once('=') {
            Some((chain, method)) => (chain, settings::node_method(method)?),
            None => (argument.as_str(), NodeExecutionSetting::Any),
        };
        Ok((settings::chain(chain)?, method))
    });
    settings.collect()
}

/// The machine's clock, read at the rim only.
fn now() -> Result<Timestamp, Failure> {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .context("the clock is before 1970")?;
    let seconds = i64::try_from(since.as_secs()).context("the clock is out of range")?;
    Ok(Timestamp(seconds))
}
