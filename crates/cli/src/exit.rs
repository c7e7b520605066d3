//! Exit codes and how failures are told.

use presight_wire::Refusal;
use serde_json::json;
use std::io::Write as _;
use std::process::ExitCode;

/// How a command ended; the codes are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: clean, valid, allowed.
    Clean,
    /// 10: usable, and there is something to know.
    Warn,
    /// 20: blocked, invalid.
    Block,
    /// 30: not evaluated, because something needed was not to be had.
    NotEvaluated,
    /// 2: the input is of no use, and why is already told.
    BadInput,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Clean => 0,
            Exit::Warn => 10,
            Exit::Block => 20,
            Exit::NotEvaluated => 30,
            Exit::BadInput => 2,
        })
    }
}

/// Why a command gave no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// 2: the input was refused.
    Input(Refusal),
    /// 1: a fault of ours or of the machine.
    Internal(anyhow::Error),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Input(refusal)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Internal(error)
    }
}

/// Tells a failure: words to stderr, and under `--json` one document to stdout.
pub(crate) fn fail(failure: &Failure, as_json: bool) -> ExitCode {
    let (exit, code, message, pointer) = match failure {
        Failure::Input(r) => (2, r.code, r.message.clone(), Some(&r.pointer)),
        Failure::Internal(error) => (1, "internal", format!("{error:#}"), None),
    };
    if as_json {
        let mut error = json!({ "code": code, "message": message });
        if let Some(pointer) = pointer.filter(|p| !p.is_empty()) {
            error["pointer"] = json!(pointer);
        }
        print_or_give_up(&json!({ "error": error }).to_string());
    } else {
        let place = pointer
            .filter(|p| !p.is_empty())
            .map_or(String::new(), |p| format!("\n  at: {p}"));
        eprintln!("error[{code}]: {message}{place}");
    }
    ExitCode::from(exit)
}

/// A usage error or a request for help, told by clap.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let help = !error.use_stderr();
    if !help && std::env::args().any(|a| a == "--json") {
        let message = error.to_string();
        let first = message
            .lines()
            .next()
            .map_or("", |l| l.trim_start_matches("error: "));
        print_or_give_up(&json!({ "error": { "code": "usage", "message": first } }).to_string());
    } else if error.print().is_err() {
        return ExitCode::from(1);
    }
    ExitCode::from(if help { 0 } else { 2 })
}

/// Prints a line of data. A reader that closed the pipe has what it wanted.
pub(crate) fn print_or_give_up(line: &str) {
    let mut out = std::io::stdout().lock();
    if out
        .write_all(line.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush())
        .is_err()
    {
        std::process::exit(0);
    }
}
