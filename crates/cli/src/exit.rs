//! Exit codes and how failures are told.

use presight_engine::Fault;
use presight_engine::words::printable;
use presight_wire::Refusal;
use serde_json::json;
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

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

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused(refusal) => Self::Input(refusal),
            fault => Self::Internal(fault.into()),
        }
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
        print(&json!({ "error": error }).to_string());
    } else {
        let place = pointer
            .filter(|p| !p.is_empty())
            .map_or(String::new(), |p| format!("\n  at: {}", printable(p)));
        eprintln!("error[{code}]: {}{place}", printable(&message));
    }
    ExitCode::from(exit)
}

/// A usage error or a request for help, told by clap.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        print(error.render().to_string().trim_end());
        return ExitCode::from(0);
    }
    if std::env::args().any(|a| a == "--json") {
        let message = error.to_string();
        let first = message
            .lines()
            .next()
            .map_or("", |l| l.trim_start_matches("error: "));
        let document = json!({ "error": { "code": "usage", "message": first } });
        print(&document.to_string());
    } else {
        eprint!("{}", error.render());
    }
    ExitCode::from(2)
}

/// Whether standard output could not be written.
static OUTPUT_FAILED: AtomicBool = AtomicBool::new(false);

/// Prints words for people. Whatever text of a chain, the web, a request or a policy is in them, no character of a line
/// does anything to a terminal but be seen.
pub(crate) fn say(words: &str) {
    let lines: Vec<String> = words.split('\n').map(printable).collect();
    print(&lines.join("\n"));
}

/// Prints a line of data.
pub(crate) fn print(line: &str) {
    print_bytes(&[line.as_bytes(), b"\n"].concat());
}

/// Prints bytes of data. A reader that closed the pipe has what it wanted, and the command's own exit code stands; any other
/// fault of standard output makes the exit code 1 (see [`settle`]).
pub(crate) fn print_bytes(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(bytes).and_then(|()| out.flush())
        && error.kind() != ErrorKind::BrokenPipe
        && !OUTPUT_FAILED.swap(true, Ordering::Relaxed)
    {
        eprintln!("error[internal]: standard output cannot be written: {error}");
    }
}

/// The exit code of the process: that of the command, or 1 when its answer could not be written.
pub(crate) fn settle(code: ExitCode) -> ExitCode {
    if OUTPUT_FAILED.load(Ordering::Relaxed) {
        ExitCode::from(1)
    } else {
        code
    }
}
