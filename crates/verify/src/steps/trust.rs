//! The source is one the consumer chose (ERC-8481 §Consuming a report, 1).

use super::Outcome;
use crate::options::Options;
use presight_wire::report::Source;

pub(crate) fn trust(source: &Source, options: &Options) -> Outcome {
    if options.trusted.is_empty() {
        return Outcome::not_read("no trust list given").optional_if(!options.trust_required);
    }
    let mut named = options
        .trusted
        .iter()
        .filter(|t| t.is_identity_of(source))
        .peekable();
    if named.peek().is_none() {
        return Outcome::fail(format!(
            "{}/{} is not on the trust list",
            source.registry, source.agent_id
        ));
    }
    if !named.any(|t| t.accepts_signer(source)) {
        return Outcome::fail(format!(
            "the trust list pins another signer than {}",
            source.signer
        ));
    }
    Outcome::pass(None)
}
