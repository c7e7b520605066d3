//! The variables of a rule: its subject, what goes with it, and the lists of the report.

use super::facts::EntityId;
use super::machine::Machine;
use super::value::{Outcome, Value, unreachable_type};
use crate::language::subject::Variable;
use alloy_primitives::Address;
use presight_wire::AccountId;
use presight_wire::kinds::Group;
use presight_wire::report::{EntityRef, Role};

impl<'a> Machine<'a> {
    pub(super) fn variable(&mut self, variable: Variable) -> Outcome<Value<'a>> {
        let group = match variable {
            Variable::It => return Ok(self.it.clone()),
            Variable::Item(level) => return self.items.get(level).cloned().ok_or_else(unreachable_type),
            Variable::Report => return Ok(Value::Report),
            Variable::Request => return Ok(Value::Request),
            Variable::AddressOf(role) => return self.address_of(role),
            Variable::TokenOf => {
                let token = self.token()?;
                return self.entity(self.facts.id(&EntityRef::Token(token)));
            }
            Variable::Findings => {
                let count = self.facts.input.report.findings.len();
                self.step(count)?;
                return Ok(Value::List((0..count).map(Value::Finding).collect()));
            }
            Variable::Approvals => Group::Approval,
            Variable::Addresses => Group::Address,
            Variable::Tokens => Group::Token,
            Variable::Texts => Group::Text,
        };
        if let Some(list) = self.lists.get(&group) {
            return Ok(list.clone());
        }
        let list: Vec<Value<'a>> = self.facts.of_group(group).map(Value::Entity).collect();
        self.step(list.len())?;
        let list = Value::List(list.into());
        self.lists.insert(group, list.clone());
        Ok(list)
    }

    fn entity(&self, id: Option<EntityId>) -> Outcome<Value<'a>> {
        id.map(Value::Entity).ok_or_else(unreachable_type)
    }

    /// The address that goes with the subject in a role.
    fn address_of(&self, role: Role) -> Outcome<Value<'a>> {
        let account = match (&self.it, role) {
            (_, Role::Token) => self.token()?,
            (Value::Entity(id), Role::Spender) => self.approval(*id)?.spender.clone(),
            (Value::Call(call), Role::Target) => self.account(call.node.to),
            (Value::Transfer(transfer), Role::Recipient) => self.account(transfer.to),
            _ => return Err(unreachable_type()),
        };
        self.entity(self.facts.address(account, role))
    }

    /// The token of an approval, or the token itself.
    fn token(&self) -> Outcome<AccountId> {
        match &self.it {
            Value::Entity(id) => match &self.facts.entities[*id].reference {
                EntityRef::Token(token) => Ok(token.clone()),
                _ => Ok(self.approval(*id)?.token.clone()),
            },
            _ => Err(unreachable_type()),
        }
    }

    pub(super) fn approval(&self, id: EntityId) -> Outcome<&'a presight_wire::report::Approval> {
        match self.facts.entities[id].reference {
            EntityRef::Approval(index) => self.facts.approval(index).ok_or_else(unreachable_type),
            _ => Err(unreachable_type()),
        }
    }

    /// An account on the chain of the request.
    pub(super) fn account(&self, address: Address) -> AccountId {
        AccountId::new(self.facts.input.request.chain().clone(), address)
    }
}
