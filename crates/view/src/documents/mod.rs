//! Documents from the web: registration files, lists, pattern sets.
//!
//! Who names a document's URL is not who reads it, and may be hostile: `https:` URLs go through a guarded fetcher, and
//! the blocks of an `ipfs:` URI are checked against the identifier that names them, whoever serves them.

mod address;
mod fetch;
mod ipfs;

pub use fetch::{DOCUMENT_TIMEOUT, MAX_DOCUMENT_BYTES, MAX_REDIRECTS};
pub use ipfs::{IPFS_TIMEOUT, MAX_BLOCK_BYTES, MAX_BLOCKS};

use crate::drive::Backend;
use crate::problem::Problem;
use crate::rpc::HttpError;
use crate::snapshot::{Answer, Document, Snapshot};
use crate::want::Want;
use fetch::{Fetcher, NotFound};
use futures::future::{join, join_all};
use ipfs::Ipfs;
use presight_wire::Reason;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Documents of one run. A contract chooses URLs for its reader; beyond these they are not fetched.
pub const MAX_DOCUMENTS: usize = 64;

/// How documents are fetched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentSettings {
    /// Gateways that serve IPFS blocks, tried in this order, such as `https://gateway.example` or
    /// `http://127.0.0.1:8080`. They are chosen like a node: any address, never followed elsewhere. Without one,
    /// `ipfs:` is not read, `unsupported`.
    pub ipfs_gateways: Vec<String>,
    /// Also fetches from this machine's loopback addresses, there also over `http:`. For tests and development.
    pub allow_loopback: bool,
}

/// What fetches documents. Made once, and cheap to clone: runs share its clients.
#[derive(Debug, Clone)]
pub struct Documents {
    fetcher: Fetcher,
    ipfs: Ipfs,
}

impl Documents {
    /// A fetcher with these settings.
    ///
    /// # Errors
    /// When a gateway's URL is none of HTTP, or TLS cannot be set up.
    pub fn new(settings: &DocumentSettings) -> Result<Self, HttpError> {
        Ok(Self {
            fetcher: Fetcher::new(settings.allow_loopback)?,
            ipfs: Ipfs::new(&settings.ipfs_gateways)?,
        })
    }
}

/// A backend that answers for documents, and leaves everything else to another one. It belongs to one run.
#[derive(Debug)]
pub struct WithDocuments<B> {
    inner: B,
    documents: Documents,
    asked: usize,
    problems: Vec<Problem>,
}

/// Why a document is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Unfetched {
    reason: Reason,
    code: &'static str,
    why: String,
}

impl Unfetched {
    fn refused(why: impl Into<String>) -> Self {
        Self::unavailable("document-refused", why)
    }

    fn unavailable(code: &'static str, why: impl Into<String>) -> Self {
        Self {
            reason: Reason::Unavailable,
            code,
            why: why.into(),
        }
    }

    fn unsupported(why: impl Into<String>) -> Self {
        Self {
            reason: Reason::Unsupported,
            code: "document-unsupported",
            why: why.into(),
        }
    }

    fn timeout(limit: Duration) -> Self {
        Self {
            reason: Reason::Timeout,
            code: "document-timeout",
            why: format!("not there within {} s", limit.as_secs()),
        }
    }
}

impl<B: Backend + Send> WithDocuments<B> {
    /// Answers documents besides what `inner` answers.
    pub fn new(inner: B, documents: Documents) -> Self {
        Self {
            inner,
            documents,
            asked: 0,
            problems: Vec::new(),
        }
    }
}

impl<B: Backend + Send> Backend for WithDocuments<B> {
    fn expect(&mut self, wants: BTreeSet<Want>) {
        self.inner.expect(wants);
    }

    async fn fetch(&mut self, wants: &BTreeSet<Want>, snapshot: &mut Snapshot, deadline: Instant) {
        let mut urls = Vec::new();
        let mut others = BTreeSet::new();
        for want in wants {
            match want {
                Want::Document(url) => urls.push((url.as_str(), NotFound::IsNoDocument)),
                Want::Answer(url) => urls.push((url.as_str(), NotFound::IsAnswer)),
                other => drop(others.insert(other.clone())),
            }
        }
        let allowed = urls.len().min(MAX_DOCUMENTS.saturating_sub(self.asked));
        let (now, beyond) = urls.split_at(allowed);
        self.asked += now.len();
        let fetches = now
            .iter()
            .map(|(url, not_found)| document(&self.documents, url, *not_found, deadline));
        let (fetched, ()) = join(join_all(fetches), self.inner.fetch(&others, snapshot, deadline)).await;
        let refused = beyond.iter().map(|_| {
            Err(vec![Unfetched::refused(format!(
                "a run fetches at most MAX_DOCUMENTS = {MAX_DOCUMENTS}"
            ))])
        });
        for ((url, _), outcome) in urls.iter().zip(fetched.into_iter().chain(refused)) {
            let answer = match outcome {
                Ok((document, problems)) => {
                    self.note(url, problems);
                    Answer::Known(document)
                }
                Err(problems) => {
                    let reason = problems
                        .last()
                        .map_or(Reason::Unavailable, |problem| problem.reason);
                    self.note(url, problems);
                    Answer::Failed(reason)
                }
            };
            snapshot.documents.insert((*url).to_owned(), answer);
        }
    }

    async fn confirm(&mut self, snapshot: &mut Snapshot, deadline: Instant) -> bool {
        self.inner.confirm(snapshot, deadline).await
    }

    fn calls(&self) -> usize {
        self.inner.calls()
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        let mut problems = self.inner.take_problems();
        problems.append(&mut self.problems);
        problems
    }
}

impl<B> WithDocuments<B> {
    fn note(&mut self, url: &str, problems: Vec<Unfetched>) {
        let noted = problems
            .into_iter()
            .map(|problem| Problem::of_document(problem.code, url, problem.why));
        self.problems.extend(noted);
    }
}

/// A document with what went wrong on the way, or everything that went wrong, the decisive fault last.
type Fetched = Result<(Document, Vec<Unfetched>), Vec<Unfetched>>;

async fn document(documents: &Documents, url: &str, not_found: NotFound, deadline: Instant) -> Fetched {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("ipfs") => {
            let mut problems = Vec::new();
            let read = documents.ipfs.read(url, &mut problems);
            match within(IPFS_TIMEOUT, deadline, read).await {
                Ok(document) => Ok((document, problems)),
                Err(fault) => {
                    problems.push(fault);
                    Err(problems)
                }
            }
        }
        Some("https" | "http") => within(DOCUMENT_TIMEOUT, deadline, documents.fetcher.get(url, not_found))
            .await
            .map(|document| (document, Vec::new()))
            .map_err(|fault| vec![fault]),
        _ => Err(vec![Unfetched::unsupported(
            "only `https:` and `ipfs:` are fetched",
        )]),
    }
}

async fn within<T>(
    limit: Duration,
    deadline: Instant,
    work: impl Future<Output = Result<T, Unfetched>>,
) -> Result<T, Unfetched> {
    let until = deadline.min(Instant::now() + limit);
    timeout_at(until, work)
        .await
        .unwrap_or_else(|_| Err(Unfetched::timeout(limit)))
}
