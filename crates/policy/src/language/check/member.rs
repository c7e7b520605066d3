//! Members of records, parameters, and what is inside a JSON value or a list.

use super::{Checker, expression};
use crate::error::{Fault, shown};
use crate::language::expression::{Expression, Operation};
use crate::language::types::{Record, Type};
use crate::language::vocabulary::meant;
use crate::language::{field, kind};
use cel::common::ast::{Expr, IdedExpr};
use presight_wire::kinds::Group;

impl Checker<'_> {
    pub(super) fn member(
        &mut self,
        at: &IdedExpr,
        operand: &IdedExpr,
        name: &str,
    ) -> Result<Expression, Fault> {
        if matches!(&operand.expr, Expr::Ident(root) if root == "params") {
            return self.parameter(at, name);
        }
        let operand = self.expression(operand)?;
        match operand.of.clone() {
            Type::Record(record) => self.record_member(at, operand, record, name),
            Type::Json => {
                let name = expression(Operation::Text(name.to_owned()), Type::Text);
                let inside = Operation::Inside(Box::new(operand), Box::new(name));
                Ok(expression(inside, Type::Json))
            }
            other => Err(self.fault(at, "bad-type", format!("{other} has no member {}", shown(name)))),
        }
    }

    fn parameter(&self, at: &IdedExpr, name: &str) -> Result<Expression, Fault> {
        let parameters = self.scope.parameters;
        match parameters.iter().position(|parameter| parameter.name == name) {
            Some(index) => {
                let of = parameters[index].of.clone();
                Ok(expression(Operation::Parameter(index), of))
            }
            None => {
                let known: Vec<&str> = parameters
                    .iter()
                    .map(|parameter| parameter.name.as_str())
                    .collect();
                let message = format!(
                    "the policy has no parameter {}{}",
                    shown(name),
                    meant(name, &known)
                );
                Err(self.fault(at, "unknown-name", message))
            }
        }
    }

    fn record_member(
        &self,
        at: &IdedExpr,
        operand: Expression,
        record: Record,
        name: &str,
    ) -> Result<Expression, Fault> {
        let fields = field::members(record);
        if let Some((_, field, of)) = fields.iter().find(|(n, ..)| *n == name) {
            return Ok(expression(Operation::Field(Box::new(operand), *field), of()));
        }
        if let (Record::Entry(index), "value") = (record, name) {
            let (kind::Shape::One(value) | kind::Shape::Many(value)) = kind::kind(index).shape;
            let field = Operation::Field(Box::new(operand), field::Field::Value);
            return Ok(expression(field, value.type_of()));
        }
        if let Some(index) = group(record).and_then(|group| kind::by_member(group, name)) {
            let of = kind::kind(index).type_of(index);
            return Ok(expression(Operation::Fact(Box::new(operand), index), of));
        }
        let mut known: Vec<&str> = fields.iter().map(|(name, ..)| *name).collect();
        known.extend(group(record).into_iter().flat_map(kind::members));
        if matches!(record, Record::Entry(_)) {
            known.push("value");
        }
        let message = format!(
            "`{}` has no member {}{}; it has: {}",
            record.name(),
            shown(name),
            meant(name, &known),
            known.join(", ")
        );
        Err(self.fault(at, "unknown-name", message))
    }

    pub(super) fn index(
        &mut self,
        at: &IdedExpr,
        list: &IdedExpr,
        index: &IdedExpr,
    ) -> Result<Expression, Fault> {
        let (list, index) = (self.expression(list)?, self.expression(index)?);
        match (list.of.clone(), &index.of) {
            (Type::Json, Type::Text | Type::Integer) => {
                let inside = Operation::Inside(Box::new(list), Box::new(index));
                Ok(expression(inside, Type::Json))
            }
            (Type::List(item), Type::Integer) => {
                let of = *item;
                Ok(expression(Operation::Item(Box::new(list), Box::new(index)), of))
            }
            (list, index) => Err(self.fault(at, "bad-type", format!("{list} has no item at {index}"))),
        }
    }

    pub(super) fn has(&mut self, at: &IdedExpr, member: &IdedExpr) -> Result<Expression, Fault> {
        if let Expr::Select(select) = &member.expr {
            let operand = self.expression(&select.operand)?;
            if operand.of == Type::Json {
                let has = Operation::Has(Box::new(operand), select.field.clone());
                return Ok(expression(has, Type::Bool));
            }
        }
        Err(self.fault(at, "bad-type", "has() asks for a member of a JSON value"))
    }
}

/// The entities of which a record is one.
fn group(record: Record) -> Option<Group> {
    match record {
        Record::Approval => Some(Group::Approval),
        Record::Address => Some(Group::Address),
        Record::Token => Some(Group::Token),
        Record::Payment => Some(Group::Payment),
        Record::Text => Some(Group::Text),
        _ => None,
    }
}
