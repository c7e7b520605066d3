//! The members of records that are no findings.

use super::facts::EntityId;
use super::integer::Integer;
use super::machine::Machine;
use super::value::{Outcome, Stop, Value, text, unreachable_type};
use crate::language::field::Field;
use crate::language::kind::{Shape, kind};
use presight_decode::CallNode;
use presight_wire::kinds::Group;
use presight_wire::report::{EntityRef, Outcome as FindingOutcome};
use presight_wire::request::Subject;
use serde_json::Value as Json;
use std::borrow::Cow;

impl<'a> Machine<'a> {
    pub(super) fn field(&mut self, operand: &Value<'a>, field: Field) -> Outcome<Value<'a>> {
        let facts = self.facts;
        let input = facts.input;
        Ok(match (operand, field) {
            (Value::Report, Field::IssuedAt) => {
                let seconds = u64::try_from(input.report.issued_at.0).map_err(|_| unreachable_type())?;
                Value::Integer(Integer::from(seconds))
            }
            (Value::Request, _) => return self.request_field(field),
            (Value::Call(call), _) => match field {
                Field::To => text(&self.account(call.node.to)),
                Field::Amount => Value::Integer(Integer::from(call.node.value)),
                Field::Selector => text(&call.node.selector.map_or(String::new(), |bytes| {
                    format!("0x{}", alloy_primitives::hex::encode(bytes))
                })),
                Field::Function => Value::Text(Cow::Borrowed(call.node.signature.map_or("", |s| s))),
                Field::Index => size(call.outer),
                Field::Delegatecall => {
                    Value::Bool(call.node.operation == presight_decode::Operation::DelegateCall)
                }
                Field::Opaque => Value::Bool(call.node.opaque),
                Field::Flags => texts(call.node.flags.iter().copied()),
                Field::Revokes => Value::Bool(revokes(call.node)),
                _ => return Err(unreachable_type()),
            },
            (Value::Transfer(transfer), _) => match (field, transfer.token) {
                (Field::Native, token) => Value::Bool(token.is_none()),
                (Field::Token, Some(token)) => text(&self.account(token)),
                (Field::Token, None) => {
                    return Err(Stop::error("a transfer of the native asset has no token"));
                }
                (Field::From, _) => text(&self.account(transfer.from)),
                (Field::To, _) => text(&self.account(transfer.to)),
                (Field::Amount, _) => Value::Integer(Integer::from(transfer.amount)),
                (Field::IsItem, _) => Value::Bool(transfer.token_id.is_some()),
                _ => return Err(unreachable_type()),
            },
            (Value::Authorization(tuple), _) => match field {
                Field::ChainId => Value::Integer(Integer::from(tuple.chain_id)),
                Field::Delegate => Value::Text(Cow::Owned(format!("{:#x}", tuple.address))),
                Field::Nonce => Value::Integer(Integer::from(tuple.nonce)),
                _ => return Err(unreachable_type()),
            },
            (Value::Refund(refund), _) => match (field, refund.token) {
                (Field::Native, token) => Value::Bool(token.is_none()),
                (Field::Token, Some(token)) => text(&self.account(token)),
                (Field::Token, None) => {
                    return Err(Stop::error("a refund in the native asset has no token"));
                }
                (Field::From, _) => text(&self.account(refund.from)),
                _ => return Err(unreachable_type()),
            },
            (Value::Order(order), _) => match field {
                Field::Offerer => text(&format_args!("{:#x}", order.offerer)),
                Field::Offered => size(order.offered),
                Field::Received => size(order.received),
                Field::Ends => Value::Integer(Integer::from(order.ends)),
                _ => return Err(unreachable_type()),
            },
            (Value::Finding(position), Field::Kind) => {
                Value::Text(Cow::Borrowed(&input.report.findings[*position].kind))
            }
            (Value::Finding(position), Field::Param) => {
                let finding = &input.report.findings[*position];
                match (&finding.param, &finding.outcome) {
                    (Some(param), _) => Value::Json(param),
                    // Not read without `param`: which one it would have been is not known either (I-14).
                    (None, FindingOutcome::NotRead(_)) => return self.json_of(*position),
                    (None, FindingOutcome::Read(_)) => Value::Json(&Json::Null),
                }
            }
            (Value::Finding(position), Field::Value) => {
                let finding = &input.report.findings[*position];
                let shape = crate::language::kind::by_name(&finding.kind).map(|index| kind(index).shape);
                return match shape {
                    Some(shape @ Shape::Many(_)) => self.finding_value(*position, shape),
                    _ => self.json_of(*position),
                };
            }
            (Value::Entity(id), _) => return self.entity_field(*id, field),
            _ => return Err(unreachable_type()),
        })
    }

    fn request_field(&mut self, field: Field) -> Outcome<Value<'a>> {
        let facts = self.facts;
        let (request, decoded) = (facts.input.request, facts.input.decoded);
        let typed = decoded.typed_data.as_ref();
        Ok(match field {
            Field::Chain => text(request.chain()),
            Field::Signer => text(request.signer()),
            Field::Calls => {
                self.step(facts.calls.len())?;
                Value::List(facts.calls.iter().map(|call| Value::Call(*call)).collect())
            }
            Field::Transfers => {
                self.step(decoded.transfers.len())?;
                Value::List(decoded.transfers.iter().map(Value::Transfer).collect())
            }
            Field::Flags => {
                self.step(decoded.flags.len())?;
                texts(decoded.flags.iter().map(|flag| flag.code))
            }
            Field::HasTypedData => Value::Bool(typed.is_some()),
            Field::HasPayment => Value::Bool(facts.of_group(Group::Payment).next().is_some()),
            Field::Authorizations => {
                let tuples = match &request.subject {
                    Subject::Calls(subject) => subject.authorization_list.as_deref().unwrap_or_default(),
                    Subject::Envelope(_) => &[],
                };
                self.step(tuples.len())?;
                Value::List(tuples.iter().map(Value::Authorization).collect())
            }
            Field::Refunds => {
                self.step(decoded.refunds.len())?;
                Value::List(decoded.refunds.iter().map(Value::Refund).collect())
            }
            Field::Orders => {
                let orders = typed.map_or(&[][..], |typed| typed.orders.as_slice());
                self.step(orders.len())?;
                Value::List(orders.iter().map(Value::Order).collect())
            }
            Field::Deadline => Value::Json(&facts.terms.deadline),
            Field::NamesChain => Value::Bool(typed.is_some_and(|typed| typed.chain_id.is_some())),
            Field::TokenName => Value::Json(&facts.terms.domain_name),
            Field::TokenVersion => Value::Json(&facts.terms.domain_version),
            Field::PrimaryType => Value::Text(Cow::Borrowed(typed.map_or("", |t| t.primary_type.as_str()))),
            Field::Form => Value::Text(Cow::Borrowed(
                typed.and_then(|t| t.recognised).map_or("", |form| form),
            )),
            _ => return Err(unreachable_type()),
        })
    }

    fn entity_field(&self, id: EntityId, field: Field) -> Outcome<Value<'a>> {
        let facts = self.facts;
        Ok(match (&facts.entities[id].reference, field) {
            (EntityRef::Approval(index), Field::Index) => size(*index),
            (EntityRef::Approval(_), Field::Token) => text(&self.approval(id)?.token),
            (EntityRef::Approval(_), Field::Spender) => text(&self.approval(id)?.spender),
            (EntityRef::Approval(_), Field::Form) => {
                Value::Text(Cow::Borrowed(self.approval(id)?.form.as_str()))
            }
            (EntityRef::Address(address), Field::Account) => text(&address.address),
            (EntityRef::Address(address), Field::Role) => Value::Text(Cow::Borrowed(address.role.as_str())),
            (EntityRef::Token(token), Field::Account) => text(token),
            (EntityRef::Payment, _) => {
                Value::Json(facts.terms.of_payment(field).ok_or_else(unreachable_type)?)
            }
            (EntityRef::Text(index), Field::Index) => size(*index),
            (EntityRef::Text(index), Field::Source | Field::Ref) => {
                let texts = &facts.input.report.entities.texts;
                let entity = texts
                    .iter()
                    .find(|t| t.index == *index)
                    .ok_or_else(unreachable_type)?;
                Value::Text(Cow::Borrowed(match field {
                    Field::Source => &entity.field,
                    _ => entity.reference.as_deref().map_or("", |reference| reference),
                }))
            }
            _ => return Err(unreachable_type()),
        })
    }
}

fn size<'a>(count: usize) -> Value<'a> {
    Value::Integer(Integer::from(
        u64::try_from(count).map_or(u64::MAX, |count| count),
    ))
}

fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Value<'a> {
    Value::List(texts.map(|text| Value::Text(Cow::Borrowed(text))).collect())
}

/// Whether a call takes an operator's right back. Allowances that are set to nothing are approvals of nothing.
fn revokes(call: &CallNode) -> bool {
    call.signature == Some("setApprovalForAll(address,bool)")
        && call
            .args
            .iter()
            .any(|(name, value)| *name == "approved" && *value == Json::Bool(false))
}
