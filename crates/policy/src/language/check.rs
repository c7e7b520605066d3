//! Syntax tree to checked expression: names are looked up and types compared, once, when the policy is loaded.

use super::expression::{Arithmetic, Comparison, Expression, Matching, Operation, Quantifier, Target};
use super::field;
use super::function::{FUNCTIONS, Signature};
use super::kind;
use super::parse::{self, Source};
use super::subject::{Subject, Variable};
use super::types::{Record, Type};
use crate::error::{Fault, shown};
use crate::limits::{MAX_COMPREHENSION_NESTING, MAX_EXPRESSION_DEPTH};
use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, SourceInfo, operators};
use presight_wire::kinds::Group;
use presight_wire::{AccountId, hex};

/// What an expression may name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) subject: Subject,
    pub(crate) parameters: &'a [(String, Type)],
}

/// Parses and checks one expression; also how many tokens it has.
pub(crate) fn check(source: Source<'_>, scope: Scope<'_>) -> Result<(Expression, usize), Fault> {
    let parsed = parse::parse(source)?;
    let mut checker = Checker {
        source,
        places: &parsed.places,
        scope,
        items: Vec::new(),
        depth: 0,
    };
    Ok((checker.expression(&parsed.root)?, parsed.tokens))
}

/// Checks a condition: an expression that is true or false.
pub(crate) fn condition(source: Source<'_>, scope: Scope<'_>) -> Result<(Expression, usize), Fault> {
    let (expression, tokens) = check(source, scope)?;
    match expression.of {
        Type::Bool => Ok((expression, tokens)),
        other => {
            let message = format!("a condition is a boolean, not {other}");
            Err(Fault::new("bad-type", source.place(0), message))
        }
    }
}

struct Checker<'a> {
    source: Source<'a>,
    places: &'a SourceInfo,
    scope: Scope<'a>,
    /// The variables of the comprehensions around, with their types.
    items: Vec<(String, Type)>,
    depth: usize,
}

impl Checker<'_> {
    fn fault(&self, at: &IdedExpr, code: &'static str, message: impl Into<String>) -> Fault {
        let offset = self.places.offset_for(at.id).map_or(0, |(start, _)| start);
        let offset = usize::try_from(offset).map_or(0, |offset| offset);
        Fault::new(code, self.source.place(offset), message)
    }

    fn expression(&mut self, at: &IdedExpr) -> Result<Expression, Fault> {
        if self.depth >= MAX_EXPRESSION_DEPTH {
            let message = format!("deeper than MAX_EXPRESSION_DEPTH, {MAX_EXPRESSION_DEPTH}");
            return Err(self.fault(at, "too-deep", message));
        }
        self.depth += 1;
        let checked = match &at.expr {
            Expr::Literal(literal) => self.literal(at, literal),
            Expr::Ident(name) => self.name(at, name),
            Expr::Select(select) => self.member(at, &select.operand, &select.field),
            Expr::List(list) => self.list(at, &list.elements),
            Expr::Call(call) => self.call(at, call),
            Expr::Unspecified | Expr::Comprehension(_) | Expr::Map(_) | Expr::Struct(_) => {
                Err(self.fault(at, "unsupported-expression", "not part of the policy language"))
            }
        };
        self.depth -= 1;
        checked
    }

    fn literal(&self, at: &IdedExpr, literal: &LiteralValue) -> Result<Expression, Fault> {
        Ok(match literal {
            LiteralValue::Boolean(value) => expression(Operation::Bool(*value.inner()), Type::Bool),
            LiteralValue::String(text) => expression(Operation::Text(text.inner().to_owned()), Type::Text),
            LiteralValue::Null => expression(Operation::Null, Type::Null),
            LiteralValue::UInt(value) => expression(Operation::Integer(*value.inner()), Type::Integer),
            LiteralValue::Int(value) => {
                let magnitude = expression(Operation::Integer(value.inner().unsigned_abs()), Type::Integer);
                if *value.inner() < 0 {
                    expression(Operation::Negate(Box::new(magnitude)), Type::Integer)
                } else {
                    magnitude
                }
            }
            LiteralValue::Double(_) | LiteralValue::Bytes(_) => {
                let message = "fractions and bytes are not part of the policy language; see units()";
                return Err(self.fault(at, "unsupported-expression", message));
            }
        })
    }

    fn name(&self, at: &IdedExpr, name: &str) -> Result<Expression, Fault> {
        if let Some(level) = self.items.iter().rposition(|(n, _)| n == name) {
            let variable = Operation::Variable(Variable::Item(level));
            return Ok(expression(variable, self.items[level].1.clone()));
        }
        if let Some((variable, of)) = self.scope.subject.variable(name) {
            return Ok(expression(Operation::Variable(variable), of));
        }
        let mut known = self.scope.subject.names();
        known.push("params");
        let message = format!("unknown name {}; known here: {}", shown(name), known.join(", "));
        Err(self.fault(at, "unknown-name", message))
    }

    fn member(&mut self, at: &IdedExpr, operand: &IdedExpr, name: &str) -> Result<Expression, Fault> {
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
        match self.scope.parameters.iter().position(|(n, _)| n == name) {
            Some(index) => {
                let of = self.scope.parameters[index].1.clone();
                Ok(expression(Operation::Parameter(index), of))
            }
            None => {
                let message = format!("the policy has no parameter {}", shown(name));
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
            "`{}` has no member {}; it has: {}",
            record.name(),
            shown(name),
            known.join(", ")
        );
        Err(self.fault(at, "unknown-name", message))
    }

    fn list(&mut self, at: &IdedExpr, elements: &[IdedExpr]) -> Result<Expression, Fault> {
        let mut items = Vec::with_capacity(elements.len());
        for element in elements {
            items.push(self.expression(element)?);
        }
        let Some(first) = items.first() else {
            return Err(self.fault(at, "bad-type", "an empty list has no type; leave it out"));
        };
        let of = first.of.clone();
        match items.iter().position(|item| item.of != of) {
            None if of != Type::Null => Ok(expression(Operation::List(items), Type::list(of))),
            None => Err(self.fault(at, "bad-type", "a list of nulls")),
            Some(other) => {
                let message = format!("{} among items that are {of}", items[other].of);
                Err(self.fault(&elements[other], "bad-type", message))
            }
        }
    }

    fn call(&mut self, at: &IdedExpr, call: &CallExpr) -> Result<Expression, Fault> {
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
        let (mut left, mut right) = (self.expression(a)?, self.expression(b)?);
        if right.of == Type::Json && left.of != Type::Json {
            std::mem::swap(&mut left, &mut right);
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
        let (place, mut value) = (list, self.expression(value)?);
        let mut list = self.expression(list)?;
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

    fn index(&mut self, at: &IdedExpr, list: &IdedExpr, index: &IdedExpr) -> Result<Expression, Fault> {
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

    fn has(&mut self, at: &IdedExpr, member: &IdedExpr) -> Result<Expression, Fault> {
        if let Expr::Select(select) = &member.expr {
            let operand = self.expression(&select.operand)?;
            if operand.of == Type::Json {
                let has = Operation::Has(Box::new(operand), select.field.clone());
                return Ok(expression(has, Type::Bool));
            }
        }
        Err(self.fault(at, "bad-type", "has() asks for a member of a JSON value"))
    }

    fn each(
        &mut self,
        at: &IdedExpr,
        quantifier: Quantifier,
        range: &IdedExpr,
        variable: &IdedExpr,
        body: &IdedExpr,
    ) -> Result<Expression, Fault> {
        let Expr::Ident(name) = &variable.expr else {
            return Err(self.fault(variable, "bad-expression", "a name for the item expected"));
        };
        if self.scope.subject.variable(name).is_some()
            || self.items.iter().any(|(n, _)| n == name)
            || name == "params"
        {
            let message = format!("{} is taken; call the item otherwise", shown(name));
            return Err(self.fault(variable, "bad-expression", message));
        }
        if self.items.len() >= MAX_COMPREHENSION_NESTING {
            let message = format!(
                "more inside one another than MAX_COMPREHENSION_NESTING, {MAX_COMPREHENSION_NESTING}"
            );
            return Err(self.fault(at, "too-deep", message));
        }
        let range = self.expression(range)?;
        let item = match &range.of {
            Type::List(item) => (**item).clone(),
            Type::Json => Type::Json,
            other => return Err(self.fault(at, "bad-type", format!("{other} is no list"))),
        };
        self.items.push((name.clone(), item.clone()));
        let body = match quantifier {
            Quantifier::Map => self.expression(body).map(Box::new),
            _ => self.boolean(body),
        };
        self.items.pop();
        let body = body?;
        let of = match quantifier {
            Quantifier::Exists | Quantifier::All | Quantifier::ExistsOne => Type::Bool,
            Quantifier::Filter => Type::list(item),
            Quantifier::Map => Type::list(body.of.clone()),
        };
        Ok(expression(Operation::Each(quantifier, Box::new(range), body), of))
    }

    fn function(
        &mut self,
        at: &IdedExpr,
        name: &str,
        target: Option<&IdedExpr>,
        arguments: &[IdedExpr],
    ) -> Result<Expression, Fault> {
        let signature = FUNCTIONS
            .iter()
            .find(|signature| signature.name == name && signature.receiver == target.is_some());
        let Some(signature) = signature else {
            return Err(self.unknown_function(at, name));
        };
        let places: Vec<&IdedExpr> = target.into_iter().chain(arguments).collect();
        if places.len() != signature.arguments.len() {
            return Err(self.fault(at, "bad-type", format!("it is called {}", signature.form)));
        }
        let mut checked = Vec::with_capacity(places.len());
        for (place, fits) in places.iter().zip(signature.arguments) {
            let argument = self.expression(place)?;
            if !fits(&argument.of) {
                let message = format!("{} here; it is called {}", argument.of, signature.form);
                return Err(self.fault(place, "bad-type", message));
            }
            checked.push(argument);
        }
        Ok(expression(
            Operation::Call(signature.function, checked),
            signature.result.clone(),
        ))
    }

    fn unknown_function(&self, at: &IdedExpr, name: &str) -> Fault {
        let known: Vec<&str> = FUNCTIONS.iter().map(|Signature { form, .. }| *form).collect();
        let message = format!("unknown function {}; known: {}", shown(name), known.join(", "));
        self.fault(at, "unknown-function", message)
    }

    fn boolean(&mut self, at: &IdedExpr) -> Result<Box<Expression>, Fault> {
        self.converted(at, Target::Bool, &Type::Bool)
    }

    fn integer(&mut self, at: &IdedExpr) -> Result<Box<Expression>, Fault> {
        self.converted(at, Target::Integer, &Type::Integer)
    }

    /// An expression of a type, or a JSON value that is taken for one.
    fn converted(&mut self, at: &IdedExpr, target: Target, wanted: &Type) -> Result<Box<Expression>, Fault> {
        let found = self.expression(at)?;
        if found.of == *wanted {
            Ok(Box::new(found))
        } else if found.of == Type::Json {
            let convert = Operation::Convert(Box::new(found), target);
            Ok(Box::new(expression(convert, wanted.clone())))
        } else {
            Err(self.fault(at, "bad-type", format!("{wanted} expected, found {}", found.of)))
        }
    }
}

fn expression(operation: Operation, of: Type) -> Expression {
    Expression { operation, of }
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

fn quantifier(name: &str) -> Option<Quantifier> {
    match name {
        operators::EXISTS => Some(Quantifier::Exists),
        operators::ALL => Some(Quantifier::All),
        operators::EXISTS_ONE => Some(Quantifier::ExistsOne),
        operators::FILTER => Some(Quantifier::Filter),
        operators::MAP => Some(Quantifier::Map),
        _ => None,
    }
}
