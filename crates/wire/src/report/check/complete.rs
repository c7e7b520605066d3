//! Every core kind that applies is there for every listed entity (ERC-8481 §Report), so that silence is seen.

use super::index::Index;
use super::{MISSING_CORE_KIND, group, references};
use crate::error::Refusal;
use crate::kinds::{Applies, CORE, CoreKind};
use crate::report::{EntityRef, Form, Report, Role};
use std::collections::HashSet;

/// `kinds` are the request's; a core kind it does not name need not be there. A dependent kind is only demanded
/// where the fact it depends on is in the report (I-13).
pub(super) fn check(report: &Report, index: &Index<'_>, kinds: Option<&[String]>, broken: &mut Vec<Refusal>) {
    let wanted: HashSet<&str> = CORE
        .iter()
        .map(|core| core.name)
        .filter(|name| kinds.is_none_or(|kinds| kinds.iter().any(|kind| kind == name)))
        .collect();
    for (entity, pointer) in references(report) {
        for core in CORE
            .iter()
            .filter(|core| core.group == group(&entity) && wanted.contains(core.name))
        {
            if applies(report, index, core, &entity) && index.get(core.name, &entity).is_none() {
                let message = format!("no finding of kind {} is about this entity", core.name);
                broken.push(Refusal::new(MISSING_CORE_KIND, pointer.clone(), message));
            }
        }
    }
}

fn applies(report: &Report, index: &Index<'_>, core: &CoreKind, entity: &EntityRef) -> bool {
    if core.applies == Applies::Always {
        return true;
    }
    let code = || {
        index
            .get("erc.presign.address.code", entity)
            .map(|finding| &finding.outcome)
    };
    match (core.name, entity) {
        ("erc.presign.approval.share-of-supply", EntityRef::Approval(i)) => report
            .entities
            .approvals
            .get(*i)
            .is_some_and(|approval| approval.form != Form::ApprovalForAll),
        ("erc.presign.address.delegation", EntityRef::Address(entity)) => entity.role == Role::Authority,
        ("erc.presign.address.source-verified", _) => code()
            .is_some_and(|code| code.is_unread() || code.is_word("contract") || code.is_word("delegated")),
        (name, _) if name.starts_with("erc.presign.address.delegate-") => {
            code().is_some_and(|code| code.is_unread() || code.is_word("delegated"))
        }
        // Pairs and bindings exist only where the request gives both sides.
        _ => false,
    }
}
