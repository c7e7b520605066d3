//! `presight serve`, `presight mcp` and `presight config check`

use crate::args::Configured;
use crate::exit::{Exit, Failure, print};
use presight_engine::words::printable;
use presight_server::check::{Checked, Status};
use presight_server::{Config, ConfigError, ServeError};
use presight_wire::Refusal;
use serde_json::json;
use std::path::Path;

/// The configuration that is read when none is named and it is there.
const USUAL_FILE: &str = "presight.toml";
/// Names the file, and is no key of it.
const FILE_VARIABLE: &str = "PRESIGHT_CONFIG";

/// Runs the service until it is told to stop.
pub(crate) fn run(args: &Configured, as_json: bool) -> Result<Exit, Failure> {
    let listening = |address: std::net::SocketAddr| {
        print(&if as_json {
            json!({ "listening": format!("http://{address}") }).to_string()
        } else {
            format!("listening on http://{address}")
        });
    };
    presight_server::serve(load(args)?, listening).map_err(failure)?;
    Ok(Exit::Clean)
}

/// Runs the tools over standard input and output.
pub(crate) fn mcp(args: &Configured) -> Result<Exit, Failure> {
    presight_server::serve_stdio(load(args)?).map_err(failure)?;
    Ok(Exit::Clean)
}

/// Tries what the configuration names.
pub(crate) fn check(args: &Configured, as_json: bool) -> Result<Exit, Failure> {
    let checked = presight_server::check::check(load(args)?).map_err(failure)?;
    if as_json {
        print(&checked.to_value().to_string());
    } else {
        for item in &checked.items {
            let (what, detail) = (printable(&item.what), printable(&item.detail));
            print(&format!("{:<6} {what}: {detail}", item.status.as_str()));
        }
    }
    Ok(exit(&checked))
}

fn exit(checked: &Checked) -> Exit {
    if !checked.can_read {
        return Exit::NotEvaluated;
    }
    match checked.items.iter().any(|item| item.status == Status::Fails) {
        true => Exit::Warn,
        false => Exit::Clean,
    }
}

fn load(args: &Configured) -> Result<Config, Failure> {
    let usual = Path::new(USUAL_FILE);
    let file = match &args.config {
        Some(file) => Some(file.as_path()),
        None => usual.exists().then_some(usual),
    };
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok().filter(|name| name != FILE_VARIABLE)?;
        Some((name, value.to_string_lossy().into_owned()))
    });
    Ok(Config::load(file, variables).map_err(|error| refusal(&error))?)
}

fn failure(error: ServeError) -> Failure {
    match error {
        ServeError::Config(error) => refusal(&error).into(),
        error => Failure::Internal(error.into()),
    }
}

fn refusal(error: &ConfigError) -> Refusal {
    let message = error.to_string();
    Refusal::new(error.code, "", message)
}
