//! `ipfs:` URIs, from gateways that are not trusted: every block is hashed and compared with the identifier that
//! names it.
//!
//! Blocks are asked for one by one (`?format=raw`, the trustless gateway). Files and plain directories of UnixFS are
//! read; sharded directories and links are not.

mod cid;
mod node;

use super::Unfetched;
use super::fetch::{MAX_DOCUMENT_BYTES, body, failure};
use crate::rpc::HttpError;
use crate::snapshot::Document;
use cid::{Cid, Codec, Hash};
use node::{DagNode, Kind, MalformedNode};
use percent_encoding::percent_decode_str;
use reqwest::header::ACCEPT;
use reqwest::{Client, Url};
use std::time::Duration;

/// What one `ipfs:` URI may take, all its blocks together.
pub const IPFS_TIMEOUT: Duration = Duration::from_secs(20);
/// Bytes of one block; IPFS nodes exchange none that are larger.
pub const MAX_BLOCK_BYTES: usize = 2 * 1024 * 1024;
/// Blocks read for one `ipfs:` URI.
pub const MAX_BLOCKS: usize = 256;

/// What one gateway may take over one block.
const BLOCK_TIMEOUT: Duration = Duration::from_secs(8);
/// The media type of a block's own bytes.
const RAW_BLOCK: &str = "application/vnd.ipld.raw";

/// The gateways.
#[derive(Debug, Clone)]
pub(super) struct Ipfs {
    client: Client,
    gateways: Vec<Url>,
}

impl Ipfs {
    pub(super) fn new(gateways: &[String]) -> Result<Self, HttpError> {
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(BLOCK_TIMEOUT)
            .build()
            .map_err(|e| HttpError::Client(e.without_url().to_string()))?;
        let gateways = gateways
            .iter()
            .map(|url| gateway(url))
            .collect::<Result<_, _>>()?;
        Ok(Self { client, gateways })
    }

    /// The file at an `ipfs:` URI. What gateways did wrong without spoiling it goes to `problems`.
    pub(super) async fn read(&self, uri: &str, problems: &mut Vec<Unfetched>) -> Result<Document, Unfetched> {
        let (root, path) = parse(uri)?;
        let mut blocks = Blocks {
            ipfs: self,
            left: MAX_BLOCKS,
            problems,
        };
        let mut at = root;
        for name in &path {
            let block = blocks.get(&at).await?;
            at = entry(&at, &block, name)?;
        }
        let bytes = blocks.file(at).await?;
        Ok(Document {
            content_type: None,
            bytes: bytes.into(),
        })
    }

    /// One block from one gateway, its bytes as named by the identifier.
    async fn block_from(&self, gateway: &Url, cid: &Cid) -> Result<Vec<u8>, Unfetched> {
        let mut url = gateway.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push("ipfs").push(&cid.text);
        }
        url.set_query(Some("format=raw"));
        let request = self.client.get(url).header(ACCEPT, RAW_BLOCK);
        let response = request.send().await.map_err(|e| failure(&e))?;
        let block = body(response, MAX_BLOCK_BYTES).await?.bytes;
        if cid.names(&block) {
            Ok(block.into())
        } else {
            let why = format!("a gateway's block does not hash to {}", cid.text);
            Err(Unfetched::unavailable("ipfs-hash-mismatch", why))
        }
    }
}

fn gateway(url: &str) -> Result<Url, HttpError> {
    let url: Url = url.parse().map_err(|_| HttpError::Url)?;
    if matches!(url.scheme(), "http" | "https") {
        Ok(url)
    } else {
        Err(HttpError::Url)
    }
}

/// The root's identifier and the names of the path below it.
fn parse(uri: &str) -> Result<(Cid, Vec<String>), Unfetched> {
    let rest = uri
        .split_once("://")
        .map(|(_, rest)| rest)
        .ok_or_else(|| Unfetched::refused("an `ipfs:` URI is written ipfs://CID/path"))?;
    if rest.contains(['?', '#']) {
        return Err(Unfetched::refused("an `ipfs:` URI with a query or a fragment"));
    }
    let mut parts = rest.split('/');
    let root = Cid::parse(parts.next().unwrap_or_default()).map_err(Unfetched::refused)?;
    let names = parts
        .filter(|name| !name.is_empty())
        .map(|name| percent_decode_str(name).decode_utf8().map(Into::into))
        .collect::<Result<_, _>>()
        .map_err(|_| Unfetched::refused("a path that is not UTF-8"))?;
    Ok((root, names))
}

/// The blocks of one read.
struct Blocks<'a> {
    ipfs: &'a Ipfs,
    left: usize,
    problems: &'a mut Vec<Unfetched>,
}

impl Blocks<'_> {
    async fn get(&mut self, cid: &Cid) -> Result<Vec<u8>, Unfetched> {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| Unfetched::refused(format!("more than MAX_BLOCKS = {MAX_BLOCKS} blocks")))?;
        if let Hash::Identity(bytes) = &cid.hash {
            return Ok(bytes.clone());
        }
        let mut faults = Vec::new();
        for gateway in &self.ipfs.gateways {
            match self.ipfs.block_from(gateway, cid).await {
                Ok(block) => {
                    self.problems.append(&mut faults);
                    return Ok(block);
                }
                Err(fault) => faults.push(fault),
            }
        }
        let decisive = faults
            .pop()
            .unwrap_or_else(|| Unfetched::unsupported("no IPFS gateway is given"));
        self.problems.append(&mut faults);
        Err(decisive)
    }

    /// A file's bytes: its own, then its parts' in their order.
    async fn file(&mut self, root: Cid) -> Result<Vec<u8>, Unfetched> {
        let mut bytes = Vec::new();
        let mut open = vec![root];
        while let Some(cid) = open.pop() {
            let block = self.get(&cid).await?;
            let (own, parts) = match cid.codec {
                Codec::Raw => (block, Vec::new()),
                Codec::DagPb => file_node(&block)?,
            };
            if bytes.len() + own.len() > MAX_DOCUMENT_BYTES {
                return Err(Unfetched::refused(format!(
                    "more than {MAX_DOCUMENT_BYTES} bytes"
                )));
            }
            bytes.extend_from_slice(&own);
            open.extend(parts.into_iter().rev());
        }
        Ok(bytes)
    }
}

fn file_node(block: &[u8]) -> Result<(Vec<u8>, Vec<Cid>), Unfetched> {
    let node = DagNode::parse(block)?;
    match node.kind {
        Kind::File => Ok((node.data, node.links.into_iter().map(|link| link.cid).collect())),
        other => Err(Unfetched::refused(format!(
            "{} instead of a file",
            other.as_str()
        ))),
    }
}

/// The identifier under a name of a directory.
fn entry(cid: &Cid, block: &[u8], name: &str) -> Result<Cid, Unfetched> {
    if cid.codec == Codec::Raw {
        return Err(Unfetched::refused("a path below a file"));
    }
    let node = DagNode::parse(block)?;
    if node.kind != Kind::Directory {
        let why = format!("{} instead of a directory", node.kind.as_str());
        return Err(Unfetched::refused(why));
    }
    let mut named = node.links.into_iter().filter(|link| link.name == name);
    match (named.next(), named.next()) {
        (Some(link), None) => Ok(link.cid),
        (Some(_), Some(_)) => Err(Unfetched::refused("a directory with two entries of one name")),
        (None, _) => Err(Unfetched::refused("no such file in the directory")),
    }
}

impl From<MalformedNode> for Unfetched {
    fn from(malformed: MalformedNode) -> Self {
        Self::refused(malformed.to_string())
    }
}
