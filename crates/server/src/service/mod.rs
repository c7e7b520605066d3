//! The service itself: takes questions, from whatever transport, and answers them.

mod answer;
mod flights;
mod policies;
mod problem;
mod question;

pub(crate) use answer::Answer;
pub(crate) use policies::Policies;
pub(crate) use problem::Problem;
pub(crate) use question::{Question, Topic};

use crate::config::{Config, ConfigError};
use crate::limits::{FORGET_EVERY, Limits};
use crate::metrics::Metrics;
use crate::nodes::World;
use flights::{Boarding, Flights, Key};
use presight_engine::Identity;
use presight_engine::identity::load_key;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::Instant;

/// Everything a running service holds.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) config: Config,
    pub(crate) identity: Identity,
    pub(crate) policies: Policies,
    pub(crate) world: World,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    flights: Flights,
    stopping: AtomicBool,
}

impl Service {
    /// Loads what the configuration names. Nothing is asked of the network yet.
    ///
    /// # Errors
    /// A key, policy or view that cannot be read, a URL that is none, and `no-key` when reports could not be signed
    /// although nobody said `unsigned`.
    pub(crate) fn open(config: Config) -> Result<Arc<Self>, ConfigError> {
        let identity = identity(&config)?;
        Ok(Arc::new(Self {
            identity,
            policies: Policies::load(&config.policies)?,
            world: World::open(&config)?,
            limits: Limits::new(&config.limits),
            metrics: Metrics::new(),
            flights: Flights::new(config.limits.cache, config.limits.cache_bytes),
            stopping: AtomicBool::new(false),
            config,
        }))
    }

    /// Looks at the nodes, and keeps looking.
    pub(crate) async fn start(self: &Arc<Self>) {
        self.world.look().await;
        self.world.watch();
        let service = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(FORGET_EVERY).await;
                match service.upgrade() {
                    Some(service) => service.limits.forget(),
                    None => break,
                }
            }
        });
    }

    /// Answers a question within the time its client gives, which is at most the configured one.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        topic: Topic,
        document: Vec<u8>,
        wait: Option<Duration>,
    ) -> Result<Arc<Answer>, Problem> {
        let arrived = Instant::now();
        let service = self.clone();
        let parse = move || Question::parse(topic, &document, &service.policies);
        // Megabytes of JSON must not keep a thread of the runtime from its other requests.
        let question = spawn_blocking(parse)
            .await
            .map_err(|error| broken_off(&error))??;
        let wait = wait.map_or(self.config.limits.deadline, |wait| {
            wait.min(self.config.limits.deadline)
        });
        let key = Key {
            question: question.digest,
            wait,
        };
        let mut outcome = match self.flights.board(&key, |answer| self.stands(answer)) {
            Boarding::Kept(answer) => {
                self.metrics.count_question(topic, "kept");
                return Ok(answer);
            }
            Boarding::Joins(outcome) => {
                self.metrics.count_question(topic, "joined");
                outcome
            }
            Boarding::Leads(sender) => {
                self.metrics.count_question(topic, "worked");
                let outcome = sender.subscribe();
                let service = self.clone();
                // A client that goes away does not end the work: others may have joined it.
                tokio::spawn(async move {
                    let outcome = service.work(question, arrived + wait).await.map(Arc::new);
                    service.flights.land(&key, &outcome);
                    sender.send_replace(Some(outcome));
                });
                outcome
            }
        };
        let stopped = || Problem::new(503, "stopping", "the service stops");
        let landed = outcome.wait_for(Option::is_some).await.map_err(|_| stopped())?;
        landed.clone().unwrap_or_else(|| Err(stopped()))
    }

    async fn work(self: &Arc<Self>, question: Question, deadline: Instant) -> Result<Answer, Problem> {
        let _turn = self.limits.turn(deadline).await?;
        let service = self.clone();
        let worked = spawn_blocking(move || {
            answer::work(
                &question,
                &service.world,
                &service.identity,
                &service.metrics,
                deadline,
            )
        });
        worked.await.map_err(|error| broken_off(&error))?
    }

    /// Whether an answer's blocks still are what the chains are at.
    fn stands(&self, answer: &Answer) -> bool {
        let holds_at = answer.holds_at.iter().flatten();
        holds_at
            .into_iter()
            .all(|(chain, hash)| self.world.still_at(chain, hash))
    }

    /// Says that the service is going to stop: it is not healthy any more, and finishes what is under way.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}

fn broken_off(error: &JoinError) -> Problem {
    tracing::error!(%error, "the work on a question broke off");
    Problem::new(500, "internal", "the answer could not be made")
}

fn identity(config: &Config) -> Result<Identity, ConfigError> {
    let source = &config.source;
    let key = match &source.key_file {
        Some(path) => Some(load_key(path).map_err(|e| ConfigError::new(e.code, "key-file", e.message))?),
        None if source.unsigned => None,
        None => {
            let message = "reports are signed: name a key file (see `presight keys new`), or set unsigned = true \
                           for reports that consumers treat as absent";
            return Err(ConfigError::new("no-key", "key-file", message));
        }
    };
    Ok(Identity {
        registry: source.registry.clone(),
        agent_id: source.agent_id,
        key,
        sources: source
            .sources
            .as_deref()
            .map(sources)
            .transpose()?
            .unwrap_or_default(),
    })
}

/// What the source reads from beside chain state.
fn sources(path: &Path) -> Result<presight_source::Config, ConfigError> {
    let refused = |message: String| ConfigError::new("bad-sources", path.display(), message);
    let text = std::fs::read_to_string(path).map_err(|e| refused(e.to_string()))?;
    presight_source::Config::parse(&text).map_err(|e| refused(e.to_string()))
}
