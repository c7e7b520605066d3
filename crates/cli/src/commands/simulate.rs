//! `presight simulate`

mod words;

use crate::args::Simulate;
use crate::exit::{Exit, Failure, print, say};
use crate::input;
use presight_engine::simulate;
use presight_wire::Request;

/// Simulates what the request would send and prints what it does.
pub(crate) fn run(args: &Simulate, as_json: bool) -> Result<Exit, Failure> {
    let request = Request::parse(&input::document(&args.request)?)?;
    let decoded = presight_decode::decode(&request)?;
    match simulate::simulate(&args.door, &request, &decoded)? {
        Ok(simulated) if as_json => print(&simulated.to_value().to_string()),
        Ok(simulated) => say(words::of(&simulated, request.chain()).trim_end()),
        Err(why) => {
            if as_json {
                print(&simulate::not_read(&why).to_string());
            } else {
                say(&format!(
                    "not read ({}): {}",
                    why.reason.as_str(),
                    simulate::note(&why)
                ));
            }
            return Ok(Exit::NotEvaluated);
        }
    }
    Ok(Exit::Clean)
}
