//! One module per command.

mod anchor;
mod check;
mod decode;
mod delegate;
mod demo;
mod digest;
pub(crate) mod envelope;
mod jcs;
mod keys;
mod list;
mod policy;
mod register;
mod replay;
mod report;
mod serve;
mod simulate;
mod text;
mod verify;

use crate::args::{Cli, Command, Config};
use crate::exit::{Exit, Failure, print_bytes};
use clap::CommandFactory as _;

/// Runs the command.
pub(crate) fn run(cli: &Cli) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Demo { request } => demo::run(request.as_deref(), cli.json),
        Command::Report(args) => report::run(args, cli.json),
        Command::Verify(args) => verify::run(args, cli.json),
        Command::Replay(args) => replay::run(args, cli.json),
        Command::Check(args) => check::run(args, cli.json),
        Command::Policy(command) => policy::run(command, cli.json),
        Command::List(command) => list::run(command, cli.json),
        Command::Anchor(args) => anchor::run(args, cli.json),
        Command::Register(args) => register::run(args, cli.json),
        Command::Digest { request } => digest::run(request, cli.json),
        Command::Decode { request } => decode::run(request, cli.json),
        Command::Jcs { file } => jcs::run(file.as_deref()),
        Command::Text { files } => text::run(files, cli.json),
        Command::Delegate(args) => delegate::run(args, cli.json),
        Command::Simulate(args) => simulate::run(args, cli.json),
        Command::Envelope(command) => envelope::run(command, cli.json),
        Command::Serve(args) => serve::run(args, cli.json),
        Command::Mcp(args) => serve::mcp(args),
        Command::Config(Config::Check(args)) => serve::check(args, cli.json),
        Command::Keys(keys) => keys::run(keys, cli.json),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "presight", &mut script);
            print_bytes(&script);
            Ok(Exit::Clean)
        }
    }
}
