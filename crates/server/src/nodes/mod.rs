//! Where chain state comes from: recorded views, and the nodes of each chain.

mod node;
mod pool;
mod quorum;
mod watch;

pub(crate) use node::Standing;
pub(crate) use pool::Pool;

use crate::config::{Config, ConfigError};
use pool::Lane;
use presight_engine::{Door, Fault};
use presight_view::documents::{DocumentSettings, Documents, WithDocuments};
use presight_view::file::{self, MAX_VIEW_BYTES};
use presight_view::rpc::Rpc;
use presight_view::{Driven, Snapshot, View, drive};
use presight_wire::{ChainId, Timestamp};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::runtime::Handle;
use tokio::time::Instant;

/// Everything reports may read from.
#[derive(Debug)]
pub(crate) struct World {
    /// Recorded views by each chain they hold.
    recorded: BTreeMap<ChainId, Arc<Snapshot>>,
    /// Nodes by chain.
    pub(crate) pools: BTreeMap<ChainId, Arc<Pool>>,
    documents: Documents,
}

impl World {
    /// Opens the views and sets up the nodes; asks none of them yet.
    ///
    /// # Errors
    /// A view that cannot be read, a URL that is none, a chain that is given twice.
    pub(crate) fn open(config: &Config) -> Result<Self, ConfigError> {
        let settings = DocumentSettings {
            ipfs_gateways: config.documents.ipfs_gateways.clone(),
            allow_loopback: config.documents.allow_loopback,
        };
        let documents = Documents::new(&settings)
            .map_err(|e| ConfigError::new("bad-gateway", "ipfs-gateway", e.to_string()))?;
        let mut recorded = BTreeMap::new();
        for path in &config.views {
            let snapshot = Arc::new(view(path)?);
            for chain in snapshot.chains.keys() {
                if recorded.insert(chain.clone(), snapshot.clone()).is_some()
                    || config.chains.contains_key(chain)
                {
                    let message = format!("{chain} is given twice");
                    return Err(ConfigError::new("chain-given-twice", path.display(), message));
                }
            }
        }
        let pools = config.chains.iter().map(|(chain, of_chain)| {
            let pool = Pool::new(chain.clone(), of_chain).map_err(|e| {
                ConfigError::new("bad-node", format!("chain.\"{chain}\".nodes"), e.to_string())
            })?;
            Ok((chain.clone(), Arc::new(pool)))
        });
        Ok(Self {
            recorded,
            pools: pools.collect::<Result<_, ConfigError>>()?,
            documents,
        })
    }

    /// Chains that are answered from recorded views, with the block each is pinned to.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = (&ChainId, Option<&presight_view::Block>)> {
        self.recorded.iter().map(|(chain, snapshot)| {
            (
                chain,
                snapshot.chains.get(chain).and_then(|held| held.block.known()),
            )
        })
    }

    /// What a request on this chain is answered from.
    pub(crate) fn door(&self, chain: &ChainId, deadline: Instant) -> WorldDoor<'_> {
        match self.recorded.get(chain) {
            Some(snapshot) => WorldDoor::Recorded(snapshot),
            None => WorldDoor::Nodes {
                world: self,
                deadline,
            },
        }
    }

    /// Whether the chain's pinned block is still this one. A recorded view never moves.
    pub(crate) fn still_at(&self, chain: &ChainId, hash: &alloy_primitives::B256) -> bool {
        match self.pools.get(chain) {
            Some(pool) => pool.head().is_some_and(|head| head.hash == *hash),
            None => self.recorded.contains_key(chain),
        }
    }

    /// Looks at every node once, so that the first requests meet no surprise.
    pub(crate) async fn look(&self) {
        futures::future::join_all(self.pools.values().map(|pool| watch::look(pool))).await;
    }

    /// Keeps looking at the nodes, in tasks of their own.
    pub(crate) fn watch(&self) {
        for pool in self.pools.values() {
            tokio::spawn(watch::watch(pool.clone()));
        }
    }
}

/// What one request is answered from. With nodes it blocks its thread, which must be none of the runtime's own.
#[derive(Debug)]
pub(crate) enum WorldDoor<'a> {
    Recorded(&'a Snapshot),
    Nodes { world: &'a World, deadline: Instant },
}

impl Door for WorldDoor<'_> {
    type Error = Fault;

    fn run<T>(&self, core: impl Fn(&View<'_>) -> T) -> Result<Driven<T>, Fault> {
        match self {
            Self::Recorded(snapshot) => Ok(drive::run_recorded(snapshot, core)),
            Self::Nodes { world, deadline } => {
                let rpc = world.pools.values().fold(Rpc::new(), |rpc, pool| {
                    rpc.with_chain(pool.chain.clone(), Lane(pool.clone()), pool.settings)
                });
                let mut backend = WithDocuments::new(rpc, world.documents.clone());
                let budget: Duration = deadline.saturating_duration_since(Instant::now());
                Ok(Handle::current().block_on(drive::run(&mut backend, now(), budget, core)))
            }
        }
    }
}

fn view(path: &Path) -> Result<Snapshot, ConfigError> {
    let unreadable = |e: &dyn std::fmt::Display| ConfigError::new("bad-view", path.display(), format!("{e}"));
    let opened = std::fs::File::open(path).map_err(|e| unreadable(&e))?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_VIEW_BYTES).map_or(u64::MAX, |max| max + 1);
    opened
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|e| unreadable(&e))?;
    let file = file::parse(&bytes).map_err(|e| unreadable(&e))?;
    for problem in &file.problems {
        tracing::warn!(view = %path.display(), %problem, "recorded view");
    }
    Ok(file.snapshot)
}

/// The machine's clock, read at the rim only.
fn now() -> Timestamp {
    let seconds = |since: Duration| i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    Timestamp(match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => seconds(since),
        Err(before) => -seconds(before.duration()),
    })
}
