//! What the service counts, and its text for Prometheus. Base units: seconds, bytes, plain counts.

mod family;

use family::{Counters, Histograms, sample};

use crate::nodes::Standing;
use crate::service::{Service, Topic};
use presight_wire::report::{Outcome, Report};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The content type of the text.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Upper bounds of durations, in milliseconds.
const DURATIONS: [u64; 11] = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 30_000];
/// Upper bounds of waves and calls.
const COUNTS: [u64; 8] = [0, 1, 2, 4, 8, 16, 64, 256];

/// The counters.
#[derive(Debug)]
pub(crate) struct Metrics {
    started: SystemTime,
    requests: Counters<2>,
    durations: Histograms<1>,
    questions: Counters<2>,
    refused: Counters<1>,
    findings: Counters<2>,
    waves: Histograms<0>,
    calls: Histograms<0>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self {
            started: SystemTime::now(),
            requests: Counters::default(),
            durations: Histograms::new(&DURATIONS),
            questions: Counters::default(),
            refused: Counters::default(),
            findings: Counters::default(),
            waves: Histograms::new(&COUNTS),
            calls: Histograms::new(&COUNTS),
        }
    }

    /// One HTTP request. `route` is the router's pattern, never the path a client chose.
    pub(crate) fn count_request(&self, route: &str, status: u16, took: Duration) {
        self.requests.add([route, &status.to_string()]);
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.durations.observe([route], millis, took.as_micros());
    }

    /// One question, and whether it was worked on, joined to one under way, or answered before.
    pub(crate) fn count_question(&self, topic: Topic, how: &'static str) {
        self.questions.add([topic.as_str(), how]);
    }

    /// A request that was not taken, by its problem's code.
    pub(crate) fn count_refused(&self, code: &'static str) {
        self.refused.add([code]);
    }

    /// What a report read and what it did not.
    pub(crate) fn count_report(&self, report: &Report, waves: usize, calls: usize) {
        for finding in &report.findings {
            let outcome = match &finding.outcome {
                Outcome::Read(_) => "read",
                Outcome::NotRead(reason) => reason.as_str(),
            };
            self.findings.add([&finding.kind, outcome]);
        }
        for (histogram, count) in [(&self.waves, waves), (&self.calls, calls)] {
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            histogram.observe([], count, u128::from(count) * 1_000_000);
        }
    }

    /// The text format of Prometheus.
    pub(crate) fn text(&self, service: &Service) -> String {
        let mut out = String::new();
        self.requests.write(
            &mut out,
            "presight_http_requests_total",
            "HTTP requests answered.",
            ["route", "status"],
        );
        let help = "Time from a request's head to its answer.";
        self.durations.write(
            &mut out,
            "presight_http_request_duration_seconds",
            help,
            ["route"],
            true,
        );
        let help =
            "Questions: worked on, joined to an equal one under way, or answered before at the same block.";
        self.questions
            .write(&mut out, "presight_questions_total", help, ["topic", "how"]);
        let help = "Requests that were not taken, by the problem's code.";
        self.refused
            .write(&mut out, "presight_refused_total", help, ["code"]);
        let help = "Findings of reports: read, or the reason why not.";
        self.findings
            .write(&mut out, "presight_findings_total", help, ["kind", "outcome"]);
        let help = "Waves of requests to nodes per report.";
        self.waves
            .write(&mut out, "presight_report_waves", help, [], false);
        let help = "Calls to nodes per report.";
        self.calls
            .write(&mut out, "presight_report_node_calls", help, [], false);
        self.write_nodes(&mut out, service);
        self.write_service(&mut out, service);
        out
    }

    fn write_nodes(&self, out: &mut String, service: &Service) {
        let nodes = || {
            let pools = service.world.pools.values();
            pools.flat_map(|pool| pool.nodes.iter().map(move |node| (pool.chain.to_string(), node)))
        };
        family::head(
            out,
            "presight_node_calls_total",
            "JSON-RPC calls made to the node.",
            "counter",
        );
        for (chain, node) in nodes() {
            let labels = [("chain", chain.as_str()), ("node", &node.shown)];
            sample(out, "presight_node_calls_total", &labels, node.counts().0);
        }
        let help = "Requests that the node did not answer.";
        family::head(out, "presight_node_failures_total", help, "counter");
        for (chain, node) in nodes() {
            let labels = [("chain", chain.as_str()), ("node", &node.shown)];
            sample(out, "presight_node_failures_total", &labels, node.counts().1);
        }
        family::head(out, "presight_node_usable", "1 when the node is used.", "gauge");
        for (chain, node) in nodes() {
            let labels = [("chain", chain.as_str()), ("node", &node.shown)];
            let usable = node.known().standing == Standing::Usable;
            sample(out, "presight_node_usable", &labels, u64::from(usable));
        }
        let heads = || {
            let pools = service.world.pools.values();
            pools.filter_map(|pool| Some((pool.chain.to_string(), pool.head()?)))
        };
        let help = "Number of the block that reads are pinned to.";
        family::head(out, "presight_chain_head_block", help, "gauge");
        for (chain, head) in heads() {
            sample(
                out,
                "presight_chain_head_block",
                &[("chain", &chain)],
                head.number,
            );
        }
        let help = "When the block that reads are pinned to was made, in Unix seconds.";
        family::head(out, "presight_chain_head_timestamp_seconds", help, "gauge");
        for (chain, head) in heads() {
            sample(
                out,
                "presight_chain_head_timestamp_seconds",
                &[("chain", &chain)],
                head.timestamp,
            );
        }
    }

    fn write_service(&self, out: &mut String, service: &Service) {
        let (running, waiting) = service.limits.load();
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        family::head(out, "presight_running", "Questions that are worked on.", "gauge");
        sample(out, "presight_running", &[], count(running));
        family::head(
            out,
            "presight_waiting",
            "Questions that wait for their turn.",
            "gauge",
        );
        sample(out, "presight_waiting", &[], count(waiting));
        family::head(out, "presight_build_info", "The version that runs.", "gauge");
        sample(
            out,
            "presight_build_info",
            &[("version", env!("CARGO_PKG_VERSION"))],
            1,
        );
        let started = self.started.duration_since(UNIX_EPOCH).unwrap_or_default();
        let help = "When the service started, in Unix seconds.";
        family::head(out, "process_start_time_seconds", help, "gauge");
        sample(out, "process_start_time_seconds", &[], started.as_secs());
    }
}
