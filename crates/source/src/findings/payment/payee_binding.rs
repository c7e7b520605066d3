//! `erc.presign.payment.payee-binding`

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::payment::requirements::unreadable;
use crate::payment::{Requirements, delegation, service};
use crate::registration;
use alloy_primitives::keccak256;
use presight_exec::reads;
use presight_view::{Lookup, View};
use presight_wire::Read;
use presight_wire::kinds::Group;
use presight_wire::request::Payee;
use serde_json::{Map, Value};

/// What the payee's identity says of `payTo`: one of the eight outcomes of x402 Payee Verification. Applies where the request names
/// a payee (I-42). Not read: `unavailable` where the registry, the wallet's signature or a registration file on which the outcome
/// depends was not to be had, or the requirements name no `payTo`; `unsupported` for another ledger's `payTo`, and for a
/// registration file at another URI than `data:`, `https:` and `ipfs:`.
///
/// The draft's text is not published; this follows the order: `no-identity`; the wallet is paid; a delegation; the owner is paid;
/// no wallet; `mismatch`. Where the request says what is paid for, a service of the registration file has to cover it.
///
/// Reads: `ownerOf`, `getAgentWallet` and `tokenURI` at the registry's block, the registration file, a wallet's code and
/// `isValidSignature`.
#[derive(Debug)]
pub struct PayeeBinding;

impl Kind for PayeeBinding {
    fn name(&self) -> &'static str {
        "erc.presign.payment.payee-binding"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        let payment = context.request.context.as_ref().and_then(|c| c.payment.as_ref());
        let payee = payment.and_then(|payment| payment.payee.as_ref());
        match (payee, Requirements::of(context.request)) {
            (Some(payee), Some(requirements)) => Fact::only(outcome(context, payee, &requirements)),
            _ => Vec::new(),
        }
    }
}

fn outcome(context: &Context<'_>, payee: &Payee, requirements: &Requirements<'_>) -> Lookup<Read<Value>> {
    let (view, registry) = (context.view, &payee.registry);
    // Both are asked for before any is waited for: one wave.
    let owner = reads::agent_owner(view, &registry.chain, registry.address, payee.agent_id);
    let wallet = reads::get_agent_wallet(view, &registry.chain, registry.address, payee.agent_id);
    let resource = requirements.resource();
    let services = resource.map(|_| services(view, payee));
    let owner = owner?;
    let Some(owned_by) = *owner.value() else {
        return Ok(owner.map(|_| "no-identity".into()));
    };
    let wallet = wallet?;
    let holder = *wallet.value();
    let pay_to = requirements
        .pay_to()
        .ok_or_else(|| unreadable("the requirements name no `payTo`"))??
        .value;
    let mut seen = owner.zip(wallet).map(|_| ());
    let service = match (resource, services) {
        (Some(resource), Some(services)) => Some(
            services.map(|read| read.map(|all| all.into_iter().find(|one| service::covers(one, resource)))),
        ),
        _ => None,
    };

    let listed = |outcome: &'static str, seen: Read<()>| match service.clone() {
        None => Ok(seen.map(|()| Value::from(outcome))),
        Some(service) => Ok(seen.zip(service?).map(|(_, service)| match service {
            Some(_) => outcome.into(),
            None => "endpoint-unlisted".into(),
        })),
    };
    if pay_to == holder && !holder.is_zero() {
        return listed("verified-wallet", seen);
    }
    let member = context.config.payment.payee_delegation.member.as_str();
    let mut given = requirements.extra(member).cloned();
    if given.is_none()
        && let Some(service) = &service
    {
        // A delegation in the file would decide the outcome.
        let service = service.clone()?;
        given = service.value().as_ref().and_then(|one| one.get(member).cloned());
        seen = seen.zip(service).map(|_| ());
    }
    if let Some(given) = given {
        let allowed = match given.as_object() {
            Some(given) => delegation::allows(context, payee, holder, pay_to, given)?,
            None => return Ok(seen.map(|()| "invalid-delegation".into())),
        };
        let allows = *allowed.value();
        let seen = seen.zip(allowed);
        return if allows {
            listed("verified-delegation", seen.map(|_| ()))
        } else {
            Ok(seen.map(|_| "invalid-delegation".into()))
        };
    }
    let outcome = if pay_to == owned_by {
        "owner-only"
    } else if holder.is_zero() {
        "no-agent-wallet"
    } else {
        "mismatch"
    };
    Ok(seen.map(|()| outcome.into()))
}

type Services = Vec<Map<String, Value>>;

/// The services of the payee's registration file, with the URI's call and the file's hash; none for an agent without one.
fn services(view: &View<'_>, payee: &Payee) -> Lookup<Read<Services>> {
    let registry = &payee.registry;
    let uri = reads::token_uri(view, &registry.chain, registry.address, payee.agent_id)?;
    if uri.value().is_empty() {
        return Ok(uri.map(|_| Vec::new()));
    }
    let file = registration::bytes(view, uri.value())?;
    let services =
        service::services(&file).map_err(|why| unreadable(&format!("the registration file: {why}")))?;
    let document = Read::from_document(services, named(uri.value()), keccak256(&file));
    Ok(uri.zip(document).map(|(_, services)| services))
}

/// A URI as evidence names it. One with the file in it would say the file again: its head says what it is.
fn named(uri: &str) -> String {
    match uri.split_once(',') {
        Some((head, _)) if registration::Place::of(uri) == registration::Place::Inside => format!("{head},"),
        _ => uri.to_owned(),
    }
}
