//! Findings by kind and entity, so that rules between facts stay linear in the report.

use crate::caip::AccountId;
use crate::report::{EntityRef, Finding, Report, Role};
use std::collections::{HashMap, HashSet};

pub(super) struct Index<'a> {
    first: HashMap<(&'a str, &'a EntityRef), &'a Finding>,
    authorities: HashSet<&'a AccountId>,
}

impl<'a> Index<'a> {
    pub(super) fn of(report: &'a Report) -> Self {
        let mut first = HashMap::with_capacity(report.findings.len());
        for finding in &report.findings {
            first
                .entry((finding.kind.as_str(), &finding.entity))
                .or_insert(finding);
        }
        let addresses = report.entities.addresses.iter();
        let authorities = addresses
            .filter(|a| a.role == Role::Authority)
            .map(|a| &a.address)
            .collect();
        Self { first, authorities }
    }

    /// The first finding of this kind about this entity.
    pub(super) fn get<'k>(&'k self, kind: &'k str, entity: &'k EntityRef) -> Option<&'a Finding> {
        self.first.get(&(kind, entity)).copied()
    }

    /// Whether the request's authorization list can change the code of this account.
    pub(super) fn is_authority(&self, account: &AccountId) -> bool {
        self.authorities.contains(account)
    }
}
