//! Operators.

use super::function::quantifier;
use super::{Checker, expression};
use crate::error::Fault;
use crate::language::expression::{Arithmetic, Comparison, Expression, Matching, Operation, Target};
use crate::language::types::Type;
use cel::common::ast::{CallExpr, IdedExpr, operators};
use presight_wire::{AccountId, hex};

impl Checker<'_> {
    pub(super) fn call(&mut self, at: &IdedExpr, call: &CallExpr) -> Result<Expression, Fault> {
        match (
            call.func_name.as_str(),
            call.target.as_deref(),
            call.args.as_slice(),
        ) {
            (operators::LOGICAL_AND, None, [a, b]) => {
                let (a, b) = (self.boolean(a)?, self.boolean(b)?);
                Ok(expression(Operation::And(a, b), Type::Bool))
            }
            (operators::LOGICAL_OR, None, [a, b]) => {
                let (a, b) = (self.boolean(a)?, self.boolean(b)?);
                Ok(expression(Operation::Or(a, b), Type::Bool))
            }
            (operators::LOGICAL_NOT, None, [a]) => {
                Ok(expression(Operation::Not(self.boolean(a)?), Type::Bool))
            }
            (operators::NEGATE, None, [a]) => {
                Ok(expression(Operation::Negate(self.integer(a)?), Type::Integer))
            }
            (operators::CONDITIONAL, None, [test, yes, no]) => self.conditional(at, test, yes, no),
            (operators::EQUALS, None, [a, b]) => self.equality(at, a, b),
            (operators::NOT_EQUALS, None, [a, b]) => {
                let equal = self.equality(at, a, b)?;
                Ok(expression(Operation::Not(Box::new(equal)), Type::Bool))
            }
            (operators::IN, None, [value, list]) => self.membership(at, value, list),
            (operators::INDEX, None, [list, index]) => self.index(at, list, index),
            ("has", None, [member]) => self.has(at, member),
            (name, None, [a, b]) if comparison(name).is_some() || arithmetic(name).is_some() => {
                let (a, b) = (self.integer(a)?, self.integer(b)?);
                Ok(match (comparison(name), arithmetic(name)) {
                    (Some(order), _) => expression(Operation::Compare(order, a, b), Type::Bool),
                    (None, Some(operator)) => {
                        expression(Operation::Arithmetic(operator, a, b), Type::Integer)
                    }
                    (None, None) => return Err(self.unknown_function(at, name)),
                })
            }
            (name, Some(range), [variable, body]) if quantifier(name).is_some() => match quantifier(name) {
                Some(quantifier) => self.each(at, quantifier, range, variable, body),
                None => Err(self.unknown_function(at, name)),
            },
            (name, target, arguments) => self.function(at, name, target, arguments),
        }
    }

    fn conditional(
        &mut self,
        at: &IdedExpr,
        test: &IdedExpr,
        yes: &IdedExpr,
        no: &IdedExpr,
    ) -> Result<Expression, Fault> {
        let test = self.boolean(test)?;
        let (yes, no) = (self.expression(yes)?, self.expression(no)?);
        if yes.of != no.of {
            let message = format!("the sides of `? :` are {} and {}", yes.of, no.of);
            return Err(self.fault(at, "bad-type", message));
        }
        let of = yes.of.clone();
        Ok(expression(Operation::If(test, Box::new(yes), Box::new(no)), of))
    }

    fn equality(&mut self, at: &IdedExpr, a: &IdedExpr, b: &IdedExpr) -> Result<Expression, Fault> {
        let (mut a, mut b) = (a, b);
        let (mut left, mut right) = (self.expression(a)?, self.expression(b)?);
        self.words_of(a, &left, self.vocabulary(&right))?;
        self.words_of(b, &right, self.vocabulary(&left))?;
        if right.of == Type::Json && left.of != Type::Json {
            std::mem::swap(&mut left, &mut right);
            std::mem::swap(&mut a, &mut b);
        }
        left = self.literal_as(a, left, &right.of)?;
        right = self.literal_as(b, right, &left.of)?;
        let operation = match (&left.of, &right.of) {
            (Type::Json, typed) => match target(typed) {
                Some(target) => Operation::EqualJson(Box::new(left), Box::new(right), target),
                None => return Err(self.incomparable(at, &left.of, &right.of)),
            },
            (one, other) if one == other && target(one).is_some() && *one != Type::Null => {
                Operation::Equal(Box::new(left), Box::new(right))
            }
            _ => return Err(self.incomparable(at, &left.of, &right.of)),
        };
        Ok(expression(operation, Type::Bool))
    }

    fn membership(&mut self, at: &IdedExpr, value: &IdedExpr, list: &IdedExpr) -> Result<Expression, Fault> {
        let (value_place, place) = (value, list);
        let mut value = self.expression(value)?;
        let mut list = self.expression(list)?;
        self.words_of(place, &list, self.vocabulary(&value))?;
        self.words_of(value_place, &value, self.vocabulary_of_items(&list))?;
        if let Operation::List(items) = list.operation {
            let items = items
                .into_iter()
                .map(|item| self.literal_as(place, item, &value.of));
            let items = items.collect::<Result<Vec<_>, _>>()?;
            let of = items.first().map_or(Type::Text, |item| item.of.clone());
            list = expression(Operation::List(items), Type::list(of));
        }
        let item = match &list.of {
            Type::List(item) => (**item).clone(),
            Type::Json => Type::Json,
            other => {
                let message = format!("`in` looks into a list, not {other}");
                return Err(self.fault(at, "bad-type", message));
            }
        };
        value = self.literal_as(at, value, &item)?;
        let matching = match (&value.of, &item) {
            (Type::Json, typed) => target(typed).map(Matching::JsonValue),
            (typed, Type::Json) => target(typed).map(Matching::JsonItems),
            (one, other) if one == other => target(one).map(|_| Matching::Same),
            _ => None,
        };
        match matching {
            Some(matching) => {
                let within = Operation::In(Box::new(value), Box::new(list), matching);
                Ok(expression(within, Type::Bool))
            }
            None => Err(self.incomparable(at, &value.of, &item)),
        }
    }

    fn incomparable(&self, at: &IdedExpr, one: &Type, other: &Type) -> Fault {
        self.fault(at, "bad-type", format!("{one} and {other} are never equal"))
    }

    /// A text written out where an account or an address is meant becomes one, when it is one.
    fn literal_as(&self, at: &IdedExpr, literal: Expression, wanted: &Type) -> Result<Expression, Fault> {
        let Operation::Text(text) = &literal.operation else {
            return Ok(literal);
        };
        let refused = |refusal: presight_wire::Refusal| self.fault(at, refusal.code, refusal.message);
        let text = match wanted {
            Type::Account => AccountId::parse(text, "").map_err(refused)?.to_string(),
            Type::Address => format!("{:#x}", hex::address(text, "").map_err(refused)?),
            _ => return Ok(literal),
        };
        Ok(expression(Operation::Text(text), wanted.clone()))
    }
}

fn target(of: &Type) -> Option<Target> {
    match of {
        Type::Bool => Some(Target::Bool),
        Type::Integer => Some(Target::Integer),
        Type::Text => Some(Target::Text),
        Type::Account => Some(Target::Account),
        Type::Address => Some(Target::Address),
        Type::Null => Some(Target::Null),
        Type::Json => Some(Target::Json),
        Type::List(_) | Type::Record(_) => None,
    }
}

fn comparison(name: &str) -> Option<Comparison> {
    match name {
        operators::LESS => Some(Comparison::Less),
        operators::LESS_EQUALS => Some(Comparison::LessOrEqual),
        operators::GREATER => Some(Comparison::Greater),
        operators::GREATER_EQUALS => Some(Comparison::GreaterOrEqual),
        _ => None,
    }
}

fn arithmetic(name: &str) -> Option<Arithmetic> {
    match name {
        operators::ADD => Some(Arithmetic::Add),
        operators::SUBSTRACT => Some(Arithmetic::Subtract),
        operators::MULTIPLY => Some(Arithmetic::Multiply),
        operators::DIVIDE => Some(Arithmetic::Divide),
        operators::MODULO => Some(Arithmetic::Remainder),
        _ => None,
    }
}
