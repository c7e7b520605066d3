//! The `presight` command line.

mod args;
mod commands;
mod door;
mod exit;
mod input;
mod send;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::settle(run())
}

fn run() -> ExitCode {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    match commands::run(&cli) {
        Ok(code) => code.into(),
        Err(failure) => exit::fail(&failure, cli.json),
    }
}
