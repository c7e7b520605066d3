//! Every finding kind this source knows, in report order. One line a kind.

use crate::findings::address::past;
use crate::findings::unsupported::Unsupported;
use crate::findings::{address, approval, effects, mandate, oddity, payment, permit, text, token, x402};
use crate::kind::Kind;
use presight_wire::Refusal;
use presight_wire::kinds::Group;

const fn unsupported(name: &'static str, group: Group) -> Unsupported {
    Unsupported { name, group }
}

/// The kinds: those of ERC-8481 in the order of its text, then this source's own under `presight.`.
pub static KINDS: &[&dyn Kind] = &[
    &token::observation::Observation,
    &unsupported("erc.presign.token.issuer-listing", Group::Token),
    &unsupported("erc.presign.token.oracle-deviation", Group::Token),
    &approval::amount::Amount,
    &approval::unlimited::Unlimited,
    &approval::share_of_supply::ShareOfSupply,
    &approval::expiry::Expiry,
    &approval::current_allowance::CurrentAllowance,
    &address::code::Code,
    &address::delegate::SingleCaller,
    &address::delegate::UnboundedOutflow,
    &past::authorizations::DelegateAuthorizations,
    &address::delegation::Delegation,
    &past::first_seen::FirstSeenBlock,
    &address::source_verified::SourceVerified,
    &past::prior_transfers::PriorTransfers,
    &past::lookalike::Lookalike,
    &address::on_list::OnList,
    &payment::matching::Match,
    &payment::payee_binding::PayeeBinding,
    &text::control_chars::ControlChars,
    &text::mixed_script::MixedScript,
    &text::addresses::Addresses,
    &text::pattern_match::PatternMatch,
    &approval::item::Item,
    &approval::owner_balance::OwnerBalance,
    &permit::keeper::Keeper,
    &permit::transfer::Transfer,
    &permit::other_owner::OtherOwner,
    &oddity::approval::ApprovalFlags,
    &oddity::address::AddressFlags,
    &past::first_seen::NeverSeen,
    &effects::balance_changes::BalanceChanges,
    &effects::recipients::Recipients,
    &effects::allowances_after::AllowancesAfter,
    &effects::operator_changes::OperatorChanges,
    &effects::hidden_approvals::HiddenApprovals,
    &effects::claimed::Claimed,
    &effects::allowance_after::AllowanceAfter,
    &effects::batch::Batch,
    &effects::outcome::Outcome,
    &effects::native_changes::NativeChanges,
    &effects::control_changes::ControlChanges,
    &effects::code_changes::CodeChanges,
    &effects::unattributed::Unattributed,
    &effects::depends_on::DependsOn,
    &effects::coverage::Coverage,
    &payment::route::Route,
    &x402::scheme::Scheme,
    &x402::network::OnNetwork,
    &x402::asset::PaidAsset,
    &x402::amount::RequiredAmount,
    &x402::pay_to::PayTo,
    &x402::validity::Validity,
    &x402::domain::Domain,
    &x402::token_domain::TokenDomain,
    &x402::resource::Resource,
    &mandate::digest::Digest,
    &mandate::signature::Signed,
    &mandate::payer::Payer,
    &mandate::asset::MandateAsset,
    &mandate::recipients::Recipients,
    &mandate::limits::Limits,
    &mandate::expiry::Expiry,
    &mandate::binding::Binding,
];

/// The names of the kinds that this source does not read.
pub fn not_read() -> impl Iterator<Item = &'static str> {
    KINDS
        .iter()
        .filter(|kind| !kind.is_read())
        .map(|kind| kind.name())
}

/// Refuses kinds that nobody else could answer: unknown ones under the prefix of the specification or of this source, and
/// a list of which this source knows none (a typing error would give an empty report). Kinds of other sources beside
/// known ones are left to them.
///
/// # Errors
/// `unknown-kind` at the kind's place in the request.
pub fn check_kinds(kinds: &[String]) -> Result<(), Refusal> {
    let known = |kind: &str| KINDS.iter().any(|k| k.name() == kind);
    let none = !kinds.iter().any(|kind| known(kind));
    let ours = |kind: &str| kind.starts_with("erc.presign.") || kind.starts_with("presight.");
    match kinds.iter().position(|kind| !known(kind) && (none || ours(kind))) {
        None => Ok(()),
        Some(index) => {
            let message = format!("`{}` is no kind of this source", kinds[index].escape_debug());
            Err(Refusal::new("unknown-kind", format!("/kinds/{index}"), message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KINDS, check_kinds};
    use presight_wire::kinds::CORE;

    #[test]
    fn a_typing_error_in_kinds_is_refused() {
        let check = |kinds: &[&str]| {
            let kinds: Vec<_> = kinds.iter().map(|k| (*k).to_owned()).collect();
            check_kinds(&kinds).map_err(|refusal| refusal.pointer)
        };
        assert_eq!(
            check(&["erc.presign.approval.amount", "com.example.kind"]),
            Ok(())
        );
        assert_eq!(check(&["approval.amount"]), Err("/kinds/0".to_owned()));
        assert_eq!(
            check(&["erc.presign.approval.amount", "erc.presign.approval.amuont"]),
            Err("/kinds/1".to_owned())
        );
    }

    #[test]
    fn the_core_kinds_come_first_and_in_the_order_of_the_specification() {
        let registered: Vec<_> = KINDS.iter().map(|k| (k.name(), k.group())).collect();
        let core: Vec<_> = CORE.iter().map(|k| (k.name, k.group)).collect();
        assert_eq!(registered[..core.len()], core[..]);
        assert!(
            registered[core.len()..]
                .iter()
                .all(|(name, _)| name.starts_with("presight."))
        );
    }
}
