//! The evaluator: steps are counted, facts that were used are kept, and what was not read stays not read.

use super::facts::{EntityId, Facts, Found};
use super::functions;
use super::integer::Integer;
use super::value::{Outcome, Stop, Unread, Value};
use crate::language::expression::{
    Arithmetic, Comparison, Expression, Matching, Operation, Quantifier, Target,
};
use crate::language::field::Field;
use crate::language::kind::{KindIndex, Shape, kind};
use crate::language::subject::Variable;
use crate::limits::MAX_STEPS;
use alloy_primitives::Address;
use presight_wire::kinds::Group;
use presight_wire::report::{EntityRef, Outcome as FindingOutcome, Role};
use presight_wire::request::Subject;
use presight_wire::{AccountId, hex};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// Evaluates the expressions of one policy over one report.
pub(crate) struct Machine<'a> {
    pub(crate) facts: &'a Facts<'a>,
    parameters: &'a [Value<'a>],
    it: Value<'a>,
    items: Vec<Value<'a>>,
    /// Findings whose values were looked at, in order.
    used: Vec<usize>,
    steps: u64,
    lists: HashMap<Group, Value<'a>>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(facts: &'a Facts<'a>, parameters: &'a [Value<'a>]) -> Self {
        Self {
            facts,
            parameters,
            it: Value::Request,
            items: Vec::new(),
            used: Vec::new(),
            steps: 0,
            lists: HashMap::new(),
        }
    }

    /// Starts on a subject.
    pub(crate) fn begin(&mut self, it: Value<'a>) {
        self.it = it;
        self.items.clear();
        self.used.clear();
    }

    /// The findings that were looked at since [`Self::begin`], ascending, each once.
    pub(crate) fn used(&self) -> Vec<usize> {
        let used: BTreeSet<usize> = self.used.iter().copied().collect();
        used.into_iter().collect()
    }

    /// Counts steps.
    pub(crate) fn step(&mut self, count: usize) -> Outcome<()> {
        let count = u64::try_from(count).map_or(u64::MAX, |count| count);
        self.steps = self.steps.saturating_add(count);
        if self.steps > MAX_STEPS {
            return Err(Stop::error(format!(
                "evaluation takes more than MAX_STEPS, {MAX_STEPS}"
            )));
        }
        Ok(())
    }

    pub(crate) fn evaluate(&mut self, expression: &'a Expression) -> Outcome<Value<'a>> {
        self.step(1)?;
        match &expression.operation {
            Operation::Null => Ok(Value::Null),
            Operation::Bool(value) => Ok(Value::Bool(*value)),
            Operation::Integer(value) => Ok(Value::Integer(Integer::from(*value))),
            Operation::Text(text) => Ok(Value::Text(Cow::Borrowed(text))),
            Operation::List(items) => {
                let items = items.iter().map(|item| self.evaluate(item));
                Ok(Value::List(items.collect::<Outcome<Vec<_>>>()?.into()))
            }
            Operation::Parameter(index) => Ok(self.parameters[*index].clone()),
            Operation::Variable(variable) => self.variable(*variable),
            Operation::Field(operand, field) => {
                let operand = self.evaluate(operand)?;
                self.field(&operand, *field)
            }
            Operation::Fact(operand, index) => match self.evaluate(operand)? {
                Value::Entity(entity) => self.fact(entity, *index),
                _ => Err(unreachable_type()),
            },
            Operation::Inside(operand, index) => {
                let (operand, index) = (self.evaluate(operand)?, self.evaluate(index)?);
                inside(&operand, &index)
            }
            Operation::Item(list, index) => match (self.evaluate(list)?, self.evaluate(index)?) {
                (Value::List(items), Value::Integer(index)) => {
                    let item = index.small().and_then(|i| items.get(usize::try_from(i).ok()?));
                    item.cloned()
                        .ok_or_else(|| Stop::error(format!("the list has no item {index}")))
                }
                _ => Err(unreachable_type()),
            },
            Operation::Has(operand, name) => match self.evaluate(operand)? {
                Value::Json(json) => Ok(Value::Bool(json.get(name).is_some())),
                _ => Err(unreachable_type()),
            },
            Operation::Not(operand) => Ok(Value::Bool(!self.boolean(operand)?)),
            Operation::Negate(operand) => Ok(Value::Integer(self.integer(operand)?.negate())),
            Operation::And(a, b) => self.junction(a, b, false),
            Operation::Or(a, b) => self.junction(a, b, true),
            Operation::If(test, yes, no) => {
                if self.boolean(test)? {
                    self.evaluate(yes)
                } else {
                    self.evaluate(no)
                }
            }
            Operation::Compare(order, a, b) => {
                let (a, b) = (self.integer(a)?, self.integer(b)?);
                Ok(Value::Bool(match order {
                    Comparison::Less => a < b,
                    Comparison::LessOrEqual => a <= b,
                    Comparison::Greater => a > b,
                    Comparison::GreaterOrEqual => a >= b,
                }))
            }
            Operation::Arithmetic(operator, a, b) => {
                let (a, b) = (self.integer(a)?, self.integer(b)?);
                let (result, fault) = match operator {
                    Arithmetic::Add => (a.add(b), "overflow"),
                    Arithmetic::Subtract => (a.subtract(b), "overflow"),
                    Arithmetic::Multiply => (a.multiply(b), "overflow"),
                    Arithmetic::Divide => (a.divide(b), "division by zero"),
                    Arithmetic::Remainder => (a.remainder(b), "division by zero"),
                };
                result.map(Value::Integer).ok_or_else(|| Stop::error(fault))
            }
            Operation::Equal(a, b) => {
                let (a, b) = (self.evaluate(a)?, self.evaluate(b)?);
                Ok(Value::Bool(self.equal(&a, &b)?))
            }
            Operation::EqualJson(a, b, target) => {
                let (a, b) = (self.evaluate(a)?, self.evaluate(b)?);
                Ok(Value::Bool(self.equal_as(&a, &b, *target)?))
            }
            Operation::In(value, list, matching) => {
                let (value, list) = (self.evaluate(value)?, self.evaluate(list)?);
                for item in items(&list)? {
                    let equal = match matching {
                        Matching::Same => self.equal(&value, &item)?,
                        Matching::JsonValue(target) => self.equal_as(&value, &item, *target)?,
                        Matching::JsonItems(target) => self.equal_as(&item, &value, *target)?,
                    };
                    if equal {
                        return Ok(Value::Bool(true));
                    }
                }
                Ok(Value::Bool(false))
            }
            Operation::Convert(operand, target) => {
                let operand = self.evaluate(operand)?;
                convert(&operand, *target)
                    .ok_or_else(|| Stop::error(format!("a JSON value is not {}", word(*target))))
            }
            Operation::Each(quantifier, range, body) => self.each(*quantifier, range, body),
            Operation::Call(function, arguments) => {
                let arguments = arguments.iter().map(|argument| self.evaluate(argument));
                let arguments = arguments.collect::<Outcome<Vec<_>>>()?;
                functions::call(self, *function, &arguments)
            }
        }
    }

    pub(crate) fn boolean(&mut self, expression: &'a Expression) -> Outcome<bool> {
        match self.evaluate(expression)? {
            Value::Bool(value) => Ok(value),
            _ => Err(unreachable_type()),
        }
    }

    fn integer(&mut self, expression: &'a Expression) -> Outcome<Integer> {
        match self.evaluate(expression)? {
            Value::Integer(value) => Ok(value),
            _ => Err(unreachable_type()),
        }
    }

    /// `&&` (`decides` is `false`) and `||` (`true`). A side that decides does so whatever the other side's unread
    /// facts would say. An error on a side that is evaluated stays an error.
    fn junction(&mut self, a: &'a Expression, b: &'a Expression, decides: bool) -> Outcome<Value<'a>> {
        let a = self.boolean(a);
        match a {
            Ok(a) if a == decides => Ok(Value::Bool(decides)),
            Ok(_) => self.boolean(b).map(Value::Bool),
            Err(error @ Stop::Error(_)) => Err(error),
            Err(unread) => match self.boolean(b) {
                Ok(b) if b == decides => Ok(Value::Bool(decides)),
                Ok(_) => Err(unread),
                Err(other) => Err(unread.and(other)),
            },
        }
    }

    fn each(
        &mut self,
        quantifier: Quantifier,
        range: &'a Expression,
        body: &'a Expression,
    ) -> Outcome<Value<'a>> {
        let range = self.evaluate(range)?;
        let mut unread: Option<Stop> = None;
        let (mut kept, mut held) = (Vec::new(), 0_usize);
        for item in items(&range)? {
            let used_before = self.used.len();
            self.step(1)?;
            self.items.push(item.clone());
            let result = self.evaluate(body);
            self.items.pop();
            let result = match result {
                Ok(result) => result,
                Err(error @ Stop::Error(_)) => return Err(error),
                Err(more) => {
                    unread = Some(match unread {
                        Some(before) => before.and(more),
                        None => more,
                    });
                    continue;
                }
            };
            match (quantifier, result) {
                (Quantifier::Map, mapped) => kept.push(mapped),
                (Quantifier::Exists, Value::Bool(true)) => return Ok(Value::Bool(true)),
                (Quantifier::All, Value::Bool(false)) => return Ok(Value::Bool(false)),
                (_, Value::Bool(true)) => {
                    held += 1;
                    kept.push(item);
                }
                // What a reason rests on are not the items that were passed over.
                (_, Value::Bool(false)) => self.used.truncate(used_before),
                _ => return Err(unreachable_type()),
            }
        }
        if let Some(unread) = unread {
            let already_decided = quantifier == Quantifier::ExistsOne && held > 1;
            return if already_decided {
                Ok(Value::Bool(false))
            } else {
                Err(unread)
            };
        }
        Ok(match quantifier {
            Quantifier::Exists => Value::Bool(false),
            Quantifier::All => Value::Bool(true),
            Quantifier::ExistsOne => Value::Bool(held == 1),
            Quantifier::Filter | Quantifier::Map => Value::List(kept.into()),
        })
    }

    fn variable(&mut self, variable: Variable) -> Outcome<Value<'a>> {
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

    fn approval(&self, id: EntityId) -> Outcome<&'a presight_wire::report::Approval> {
        match self.facts.entities[id].reference {
            EntityRef::Approval(index) => self.facts.approval(index).ok_or_else(unreachable_type),
            _ => Err(unreachable_type()),
        }
    }

    /// An account on the chain of the request.
    fn account(&self, address: Address) -> AccountId {
        AccountId::new(self.facts.input.request.chain().clone(), address)
    }

    fn fact(&mut self, entity: EntityId, index: KindIndex) -> Outcome<Value<'a>> {
        match (self.facts.find(entity, index), kind(index).shape) {
            (Found::Findings(positions), Shape::One(_)) => {
                let first = positions.first().copied().ok_or_else(unreachable_type)?;
                self.finding_value(first, kind(index).shape)
            }
            (Found::Findings(positions), Shape::Many(_)) => {
                Ok(Value::List(positions.into_iter().map(Value::Finding).collect()))
            }
            (Found::Nothing, _) => Ok(Value::List([].into())),
            (Found::Missing(kind), _) => Err(unread(entity, kind, None)),
        }
    }

    /// The value of a finding, as the type its kind has.
    fn finding_value(&mut self, position: usize, shape: Shape) -> Outcome<Value<'a>> {
        use crate::language::kind::Value as Kind;
        let json = self.json_of(position)?;
        let (Shape::One(value) | Shape::Many(value)) = shape;
        let target = match value {
            Kind::Json => return Ok(json),
            Kind::Bool => Target::Bool,
            Kind::Integer => Target::Integer,
            Kind::Text => Target::Text,
        };
        convert(&json, target).ok_or_else(|| {
            let kind = &self.facts.input.report.findings[position].kind;
            Stop::error(format!("the value of `{kind}` is not {}", word(target)))
        })
    }

    fn json_of(&mut self, position: usize) -> Outcome<Value<'a>> {
        self.used.push(position);
        let finding = &self.facts.input.report.findings[position];
        match &finding.outcome {
            FindingOutcome::Read(value) => Ok(Value::Json(value)),
            FindingOutcome::NotRead(_) => {
                let entity = self.facts.id(&finding.entity).ok_or_else(unreachable_type)?;
                Err(unread(entity, &finding.kind, Some(position)))
            }
        }
    }

    /// Nothing for what is no finding, or one that was read.
    pub(crate) fn is_read(&mut self, item: &Value<'a>) -> Outcome<()> {
        self.step(1)?;
        match item {
            Value::Finding(position) => self.json_of(*position).map(|_| ()),
            _ => Ok(()),
        }
    }

    fn field(&mut self, operand: &Value<'a>, field: Field) -> Outcome<Value<'a>> {
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

    /// Of two values of one type.
    fn equal(&mut self, a: &Value<'a>, b: &Value<'a>) -> Outcome<bool> {
        self.step(1)?;
        match (a, b) {
            (Value::Bool(a), Value::Bool(b)) => Ok(a == b),
            (Value::Integer(a), Value::Integer(b)) => Ok(a == b),
            (Value::Text(a), Value::Text(b)) => {
                self.step(a.len() / 64)?;
                Ok(a == b)
            }
            (Value::Null, Value::Null) => Ok(true),
            _ => Err(unreachable_type()),
        }
    }

    /// Of a JSON value and a typed one.
    fn equal_as(&mut self, json: &Value<'a>, typed: &Value<'a>, target: Target) -> Outcome<bool> {
        match (json, typed, target) {
            (Value::Json(a), Value::Json(b), Target::Json) => {
                self.step(1)?;
                Ok(a == b)
            }
            (Value::Json(json), Value::Null, Target::Null) => Ok(json.is_null()),
            _ => match convert(json, target) {
                Some(converted) => self.equal(&converted, typed),
                None => Ok(false),
            },
        }
    }
}

fn unread(entity: EntityId, kind: &str, finding: Option<usize>) -> Stop {
    Stop::Unread(BTreeSet::from([Unread {
        entity,
        kind: kind.to_owned(),
        finding,
    }]))
}

/// What loading a policy has ruled out; still an error and no panic.
fn unreachable_type() -> Stop {
    Stop::error("an expression is not of the type it was checked to be")
}

fn size<'a>(count: usize) -> Value<'a> {
    Value::Integer(Integer::from(
        u64::try_from(count).map_or(u64::MAX, |count| count),
    ))
}

fn text<'a>(text: &impl ToString) -> Value<'a> {
    Value::Text(Cow::Owned(text.to_string()))
}

fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Value<'a> {
    Value::List(texts.map(|text| Value::Text(Cow::Borrowed(text))).collect())
}

fn word(target: Target) -> &'static str {
    match target {
        Target::Bool => "a boolean",
        Target::Integer => "an integer",
        Target::Text => "a text",
        Target::Account => "an account",
        Target::Address => "an address",
        Target::Null => "null",
        Target::Json => "a JSON value",
    }
}

/// The items of a list, or of a JSON array.
fn items<'a>(list: &Value<'a>) -> Outcome<Vec<Value<'a>>> {
    match list {
        Value::List(items) => Ok(items.to_vec()),
        Value::Json(Json::Array(items)) => Ok(items.iter().map(Value::Json).collect()),
        Value::Json(_) => Err(Stop::error("a JSON value is not a list")),
        _ => Err(unreachable_type()),
    }
}

fn inside<'a>(operand: &Value<'a>, index: &Value<'a>) -> Outcome<Value<'a>> {
    let (found, wanted) = match (operand, index) {
        (Value::Json(json), Value::Text(name)) => (json.get(name.as_ref()), format!("member `{name}`")),
        (Value::Json(json), Value::Integer(index)) => {
            let position = index.small().and_then(|i| usize::try_from(i).ok());
            (
                position.and_then(|position| json.get(position)),
                format!("item {index}"),
            )
        }
        _ => return Err(unreachable_type()),
    };
    found
        .map(Value::Json)
        .ok_or_else(|| Stop::error(format!("a JSON value has no {wanted}")))
}

/// A JSON value as a value of a type.
pub(crate) fn convert<'a>(value: &Value<'a>, target: Target) -> Option<Value<'a>> {
    let Value::Json(json) = value else {
        return None;
    };
    match (target, json) {
        (Target::Bool, Json::Bool(value)) => Some(Value::Bool(*value)),
        (Target::Integer, Json::String(digits)) => Integer::parse(digits).map(Value::Integer),
        (Target::Integer, Json::Number(number)) => Integer::parse(&number.to_string()).map(Value::Integer),
        (Target::Text, Json::String(text)) => Some(Value::Text(Cow::Borrowed(text))),
        (Target::Account, Json::String(account)) => account_text(account).map(|account| text(&account)),
        (Target::Address, Json::String(address)) => address_text(address).map(|address| text(&address)),
        _ => None,
    }
}

/// A CAIP-10 account in lower case.
pub(crate) fn account_text(account: &str) -> Option<String> {
    Some(AccountId::parse_any_case(account, "").ok()?.to_string())
}

/// The address of hex or of a CAIP-10 account, in lower case.
pub(crate) fn address_text(address: &str) -> Option<String> {
    let address = match hex::address_any_case(address, "") {
        Ok(address) => address,
        Err(_) => AccountId::parse_any_case(address, "").ok()?.address,
    };
    Some(format!("{address:#x}"))
}
