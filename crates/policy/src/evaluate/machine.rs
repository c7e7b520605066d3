//! The evaluator: steps are counted, facts that were used are kept, and what was not read stays not read.

use super::facts::{EntityId, Facts, Found};
use super::functions;
use super::integer::Integer;
use super::json::{convert, inside, word};
use super::value::{Outcome, Stop, Unread, Value, unreachable_type};
use crate::language::expression::{
    Arithmetic, Comparison, Expression, Matching, Operation, Quantifier, Target,
};
use crate::language::kind::{KindIndex, Shape, kind};
use crate::limits::MAX_STEPS;
use presight_wire::kinds::Group;
use presight_wire::report::Outcome as FindingOutcome;
use serde_json::Value as Json;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// Evaluates the expressions of one policy over one report.
pub(crate) struct Machine<'a> {
    pub(crate) facts: &'a Facts<'a>,
    parameters: &'a [Value<'a>],
    pub(super) it: Value<'a>,
    pub(super) items: Vec<Value<'a>>,
    /// Findings whose values were looked at, in order.
    used: Vec<usize>,
    steps: u64,
    pub(super) lists: HashMap<Group, Value<'a>>,
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
    pub(super) fn finding_value(&mut self, position: usize, shape: Shape) -> Outcome<Value<'a>> {
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

    pub(super) fn json_of(&mut self, position: usize) -> Outcome<Value<'a>> {
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

/// The items of a list, or of a JSON array.
fn items<'a>(list: &Value<'a>) -> Outcome<Vec<Value<'a>>> {
    match list {
        Value::List(items) => Ok(items.to_vec()),
        Value::Json(Json::Array(items)) => Ok(items.iter().map(Value::Json).collect()),
        Value::Json(_) => Err(Stop::error("a JSON value is not a list")),
        _ => Err(unreachable_type()),
    }
}
