//! What the consumer asks of a report, from the command line.

use crate::args::Consumer;
use presight_verify::{MaxAge, Options, TrustedSource};
use presight_wire::{ChainId, Refusal};

/// The consumer's bounds and choices.
pub(crate) fn of(args: &Consumer) -> Result<Options, Refusal> {
    let trusted = args.trust.iter().map(|source| TrustedSource::parse(source));
    let mut options = Options {
        trusted: trusted.collect::<Result<_, _>>()?,
        ..Options::default()
    };
    for argument in &args.max_age_blocks {
        match bound(argument)? {
            (None, blocks) => options.max_age_blocks = blocks,
            (Some(chain), blocks) => of_chain(&mut options, chain).blocks = Some(blocks),
        }
    }
    for argument in &args.max_age_seconds {
        match bound(argument)? {
            (None, seconds) => options.max_age_seconds = Some(seconds),
            (Some(chain), seconds) => of_chain(&mut options, chain).seconds = Some(seconds),
        }
    }
    Ok(options)
}

fn of_chain(options: &mut Options, chain: ChainId) -> &mut MaxAge {
    options.max_age_of.entry(chain).or_default()
}

/// Reads `N` or `CHAIN=N`; a chain is written as for `--rpc`.
fn bound(argument: &str) -> Result<(Option<ChainId>, u64), Refusal> {
    let (chain, number) = match argument.split_once('=') {
        Some((chain, number)) if chain.contains(':') => (Some(ChainId::parse(chain, "")?), number),
        Some((chain, number)) => (Some(ChainId::parse(&format!("eip155:{chain}"), "")?), number),
        None => (None, argument),
    };
    let number = number
        .parse()
        .map_err(|_| Refusal::new("bad-bound", "", "a bound is written N or CHAIN=N, N below 2^64"))?;
    Ok((chain, number))
}

#[cfg(test)]
mod tests {
    use super::bound;
    use presight_wire::ChainId;

    #[test]
    fn a_bound_is_for_all_chains_or_for_one() {
        assert_eq!(bound("5"), Ok((None, 5)));
        assert_eq!(bound("1=5"), Ok((Some(ChainId::evm(1)), 5)));
        assert_eq!(bound("eip155:10=0"), Ok((Some(ChainId::evm(10)), 0)));
        for bad in [
            "",
            "x",
            "-1",
            "1=",
            "=1",
            "1=x",
            "18446744073709551616",
            "eip155:=1",
        ] {
            assert!(bound(bad).is_err(), "{bad}");
        }
    }
}
