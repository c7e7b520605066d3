//! Log lines on stderr. They hold no body of a request, and no URL of a node beyond its host.

use crate::config::{LogConfig, LogFormat};
use std::io::stderr;
use tracing_subscriber::filter::targets::Targets;
use tracing_subscriber::prelude::*;

/// Starts logging. Does nothing when the process logs already.
pub(crate) fn start(config: &LogConfig) {
    // The level was checked when the configuration was read.
    let level: Targets = config.level.parse().unwrap_or_default();
    let registry = tracing_subscriber::registry().with(level);
    let lines = tracing_subscriber::fmt::layer().with_writer(stderr);
    // An error says that a subscriber was there first, which then serves.
    let _ = match config.format {
        LogFormat::Human => registry.with(lines.with_ansi(false)).try_init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
}
