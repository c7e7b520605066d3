//! The report is signed by `source.signer` (ERC-8481 §Signature and source identity, 2).

use super::{Outcome, settle, why};
use crate::verify::Pending;
use alloy_primitives::{B256, Bytes, hex};
use presight_exec::reads;
use presight_view::View;
use presight_wire::Report;
use presight_wire::report::sign;

/// The last 32 bytes of a signature wrapped for an account that is not deployed yet (ERC-6492). The ERC verifies
/// by the code at the account, so such a signature is none.
const ERC6492_SUFFIX: [u8; 32] = hex!("6492649264926492649264926492649264926492649264926492649264926492");

/// By `ecrecover` for a signer without code, by ERC-1271 otherwise (EIP-7702 delegated accounts have code).
pub(crate) fn signature(report: &Report, report_hash: B256, view: &View<'_>) -> Result<Outcome, Pending> {
    let source = &report.source;
    let Some(signature) = &report.signature else {
        return Ok(Outcome::fail("the report is not signed"));
    };
    if signature.ends_with(&ERC6492_SUFFIX) {
        return Ok(Outcome::fail(
            "an ERC-6492 wrapped signature; ERC-8481 knows ecrecover and ERC-1271 only",
        ));
    }
    let chain = &source.registry.chain;
    let Some(chain_id) = chain.evm_id() else {
        return Ok(Outcome::fail(format!(
            "the registry's chain {chain} has no EIP-155 chain id"
        )));
    };
    if source.signer.chain != *chain {
        return Ok(Outcome::not_read(format!(
            "source.signer is on {}, its registry on {chain}: its code at the registry's block says nothing",
            source.signer.chain
        )));
    }
    let hash = sign::signing_hash(
        chain_id,
        report.subject_digest,
        report.context_digest,
        report_hash,
    );
    let recovered = recovers(report, hash, signature);
    match settle(reads::code(view, chain, source.signer.address))? {
        Err(not_read) => Ok(Outcome::not_read(format!(
            "whether {} has code is not read ({}); without code, {}",
            source.signer,
            why(&not_read),
            match recovered {
                Ok(()) => "the signature would verify".to_owned(),
                Err(why) => format!("the signature would fail: {why}"),
            }
        ))),
        Ok(code) if code.value().is_empty() => Ok(match recovered {
            Ok(()) => Outcome::pass(format!("ecrecover gives {}", source.signer)),
            Err(why) => Outcome::fail(why),
        }),
        Ok(_) => erc1271(report, hash, signature, view),
    }
}

fn recovers(report: &Report, hash: B256, signature: &Bytes) -> Result<(), String> {
    let signer = &report.source.signer;
    match sign::recover(hash, signature) {
        Ok(address) if address == signer.address => Ok(()),
        Ok(address) => Err(format!("ecrecover gives {address:#x}, source.signer is {signer}")),
        Err(refusal) => Err(refusal.to_string()),
    }
}

fn erc1271(report: &Report, hash: B256, signature: &Bytes, view: &View<'_>) -> Result<Outcome, Pending> {
    let signer = &report.source.signer;
    let accepted = settle(reads::is_valid_signature(
        view,
        &signer.chain,
        signer.address,
        hash,
        signature,
    ))?;
    Ok(match accepted {
        Ok(read) if *read.value() => Outcome::pass(format!("isValidSignature of {signer} accepts it")),
        Ok(_) => Outcome::fail(format!("isValidSignature of {signer} does not accept it")),
        Err(not_read) => Outcome::not_read(format!(
            "isValidSignature of {signer} is not read: {}",
            why(&not_read)
        )),
    })
}
