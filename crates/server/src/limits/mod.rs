//! Who may ask how often, and how much is worked on at a time.

use crate::config::LimitsConfig;
use crate::service::Problem;
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};

/// How often clients that are not heard of any more are forgotten.
pub(crate) const FORGET_EVERY: Duration = Duration::from_secs(60);
/// What a client is asked to wait when there is no place in the queue.
const FULL_RETRY: Duration = Duration::from_secs(1);

/// The limits of the service.
#[derive(Debug)]
pub(crate) struct Limits {
    clock: DefaultClock,
    per_client: DefaultKeyedRateLimiter<IpAddr>,
    all: DefaultDirectRateLimiter,
    turns: Semaphore,
    running: usize,
    queue: usize,
    waiting: AtomicUsize,
}

impl Limits {
    pub(crate) fn new(config: &LimitsConfig) -> Self {
        Self {
            clock: DefaultClock::default(),
            per_client: RateLimiter::keyed(quota(config.client_per_second, config.client_burst)),
            all: RateLimiter::direct(quota(config.all_per_second, config.all_burst)),
            turns: Semaphore::new(config.running),
            running: config.running,
            queue: config.queue,
            waiting: AtomicUsize::new(0),
        }
    }

    /// Counts one request of a client. The client's own limit comes first, so that one client cannot use up what all
    /// have together.
    ///
    /// # Errors
    /// `client-limit` with status 429, `service-limit` with status 503.
    pub(crate) fn admit(&self, client: IpAddr) -> Result<(), Problem> {
        let now = || self.clock.now();
        if let Err(full) = self.per_client.check_key(&network(client)) {
            let detail = "more requests of this client than it may make";
            return Err(Problem::new(429, "client-limit", detail).after(full.wait_time_from(now())));
        }
        if let Err(full) = self.all.check() {
            let detail = "more requests of all clients than this service takes";
            return Err(Problem::new(503, "service-limit", detail).after(full.wait_time_from(now())));
        }
        Ok(())
    }

    /// Waits for a turn, in a queue of bounded length, until the deadline.
    ///
    /// # Errors
    /// `overloaded` with status 503.
    pub(crate) async fn turn(&self, deadline: Instant) -> Result<SemaphorePermit<'_>, Problem> {
        if let Ok(turn) = self.turns.try_acquire() {
            return Ok(turn);
        }
        let overloaded = |detail| Problem::new(503, "overloaded", detail).after(FULL_RETRY);
        let _place = Place::take(&self.waiting, self.queue)
            .ok_or_else(|| overloaded("more requests are waiting than this service takes"))?;
        match timeout_at(deadline, self.turns.acquire()).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(overloaded("the request did not come to its turn in its time")),
        }
    }

    /// Forgets clients that may ask as often as a new one.
    pub(crate) fn forget(&self) {
        self.per_client.retain_recent();
    }

    /// Requests that are worked on, and that wait.
    pub(crate) fn load(&self) -> (usize, usize) {
        let running = self.running.saturating_sub(self.turns.available_permits());
        (running, self.waiting.load(Ordering::Relaxed))
    }
}

fn quota(per_second: u32, burst: u32) -> Quota {
    let positive = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
    Quota::per_second(positive(per_second)).allow_burst(positive(burst))
}

/// An address as one client: in IPv6 a whole /64 is in one hand.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 => v4,
    }
}

/// A place in the queue, given back on drop.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize, places: usize) -> Option<Self> {
        let one_more = |taken| (taken < places).then_some(taken + 1);
        let taken = waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        // Made only when it is taken: dropping it gives it back.
        taken.is_ok().then(|| Self(waiting))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(change: impl FnOnce(&mut LimitsConfig)) -> Limits {
        let nothing = std::iter::empty();
        let config = crate::config::Config::parse("", "", std::path::Path::new(""), nothing).unwrap();
        let mut config = config.limits;
        change(&mut config);
        Limits::new(&config)
    }

    fn client(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn one_client_is_limited_before_all_are() {
        let limits = limits(|config| {
            (config.client_per_second, config.client_burst) = (1, 2);
            (config.all_per_second, config.all_burst) = (1, 3);
        });
        let ask = |who| limits.admit(client(who)).map_err(|problem| problem.code);
        assert_eq!(ask("192.0.2.1"), Ok(()));
        assert_eq!(ask("192.0.2.1"), Ok(()));
        assert_eq!(ask("::ffff:192.0.2.1"), Err("client-limit"));
        assert_eq!(ask("2001:db8::1"), Ok(()));
        assert_eq!(ask("2001:db8::2"), Err("service-limit"));
        let problem = limits.admit(client("192.0.2.1")).unwrap_err();
        assert_eq!(problem.status, 429);
        assert!(problem.retry_after_seconds().is_some_and(|seconds| seconds >= 1));
    }

    #[tokio::test]
    async fn the_queue_is_bounded_and_places_are_given_back() {
        let limits = limits(|config| (config.running, config.queue) = (1, 1));
        let soon = Instant::now() + Duration::from_millis(20);
        let turn = limits.turn(soon).await.unwrap();
        let (waits, full) = tokio::join!(limits.turn(soon), limits.turn(soon));
        assert!(waits.is_err() && full.is_err());
        assert_eq!(limits.load(), (1, 0));
        drop(turn);
        assert!(limits.turn(soon).await.is_ok());
        assert_eq!(limits.load(), (0, 0));
    }
}
