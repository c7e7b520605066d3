//! Looks at each node's head from time to time, and sets aside those that cannot be relied on.

use super::node::{Aside, Head, Standing, failure};
use super::pool::{Pool, is_chain, quantity, shown};
use alloy_primitives::B256;
use futures::future::join_all;
use presight_view::rpc::{CallResult, RpcCall};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What one look at a node may take.
const LOOK_TIMEOUT: Duration = Duration::from_secs(4);

/// Looks again and again, for as long as the service runs.
pub(crate) async fn watch(pool: Arc<Pool>) {
    loop {
        tokio::time::sleep(pool.poll).await;
        look(&pool).await;
    }
}

/// One look at all nodes.
pub(crate) async fn look(pool: &Pool) {
    let deadline = Instant::now() + LOOK_TIMEOUT;
    let calls = [RpcCall::new("eth_chainId", json!([])), pool.settings.block.call()];
    let looks = pool.nodes.iter().map(|node| node.send_at_once(&calls, deadline));
    let seen: Vec<Result<Head, Aside>> = join_all(looks)
        .await
        .into_iter()
        .map(|results| head(pool, &results))
        .collect();
    let mut judged = lagging(seen, pool.max_lag);
    if let Some(common) = lowest(&judged) {
        let call = [RpcCall::block_by_number(common)];
        let hashes = pool.nodes.iter().zip(&judged).map(|(node, seen)| async {
            match seen {
                Ok(_) => hash(node.send_at_once(&call, deadline).await.pop()?.ok().as_ref()),
                Err(_) => None,
            }
        });
        let hashes = join_all(hashes).await;
        judged = disagreeing(judged, common, &hashes);
    }
    for (node, seen) in pool.nodes.iter().zip(judged) {
        match seen {
            Ok(head) => node.stand(Standing::Usable, Some(head)),
            Err(why) => node.set_aside(why),
        }
    }
}

fn head(pool: &Pool, results: &[CallResult]) -> Result<Head, Aside> {
    if let Some(why) = failure(results) {
        return Err(Aside::Failing(why.to_string()));
    }
    let [Ok(chain), Ok(block)] = results else {
        return Err(Aside::Failing(
            "it does not tell its chain and its block".to_owned(),
        ));
    };
    if !is_chain(&pool.chain, chain) {
        return Err(Aside::WrongChain(shown(chain)));
    }
    let read = || {
        Some(Head {
            number: quantity(block.get("number"))?,
            hash: hash(Some(block))?,
            timestamp: quantity(block.get("timestamp"))?,
        })
    };
    read().ok_or_else(|| Aside::Failing("it has no such block as is to be pinned".to_owned()))
}

fn hash(block: Option<&Value>) -> Option<B256> {
    presight_wire::hex::b256(block?.get("hash")?.as_str()?, "").ok()
}

/// Sets aside what is too far behind the best.
fn lagging(seen: Vec<Result<Head, Aside>>, max_lag: u64) -> Vec<Result<Head, Aside>> {
    let best = seen
        .iter()
        .flatten()
        .map(|head| head.number)
        .max()
        .unwrap_or_default();
    let judge = |head: Head| match best.saturating_sub(head.number) {
        behind if behind > max_lag => Err(Aside::Lagging(behind)),
        _ => Ok(head),
    };
    seen.into_iter().map(|seen| seen.and_then(judge)).collect()
}

/// The newest block that all nodes have, when there are several to compare.
fn lowest(seen: &[Result<Head, Aside>]) -> Option<u64> {
    let numbers = seen.iter().flatten().map(|head| head.number);
    if numbers.clone().count() < 2 {
        return None;
    }
    numbers.min()
}

/// Sets aside the nodes whose block is another than that of most; of as many on each side, the earliest listed is right.
fn disagreeing(
    seen: Vec<Result<Head, Aside>>,
    number: u64,
    hashes: &[Option<B256>],
) -> Vec<Result<Head, Aside>> {
    let votes = |hash: &B256| hashes.iter().flatten().filter(|other| *other == hash).count();
    let mut right: Option<&B256> = None;
    for hash in hashes.iter().flatten() {
        if right.is_none_or(|right| votes(hash) > votes(right)) {
            right = Some(hash);
        }
    }
    let judge = |(seen, hash): (Result<Head, Aside>, &Option<B256>)| match (seen, hash) {
        (Ok(_), Some(hash)) if right != Some(hash) => Err(Aside::OtherBlock(number)),
        (Ok(_), None) => Err(Aside::Failing(format!("it does not tell its block {number}"))),
        (seen, _) => seen,
    };
    seen.into_iter().zip(hashes).map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: u64) -> Result<Head, Aside> {
        Ok(Head {
            number,
            hash: B256::ZERO,
            timestamp: 0,
        })
    }

    #[test]
    fn a_node_that_lags_is_set_aside() {
        let judged = lagging(vec![at(10), at(4), at(5)], 5);
        assert_eq!(judged, [at(10), Err(Aside::Lagging(6)), at(5)]);
    }

    #[test]
    fn a_node_with_another_block_is_set_aside_by_most_and_then_by_the_order() {
        let [a, b] = [Some(B256::repeat_byte(1)), Some(B256::repeat_byte(2))];
        let other = Err(Aside::OtherBlock(9));
        let judged = disagreeing(vec![at(9), at(9), at(9)], 9, &[a, b, b]);
        assert_eq!(judged, [other.clone(), at(9), at(9)]);
        assert_eq!(disagreeing(vec![at(9), at(9)], 9, &[a, b]), [at(9), other]);
    }

    #[test]
    fn one_node_is_compared_with_none() {
        assert_eq!(lowest(&[at(3), Err(Aside::Lagging(9))]), None);
        assert_eq!(lowest(&[at(3), at(2)]), Some(2));
    }
}
