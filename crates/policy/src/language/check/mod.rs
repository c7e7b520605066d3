//! Syntax tree to checked expression: names are looked up and types compared, once, when the policy is loaded.

mod function;
mod member;
mod operator;
pub(crate) mod words;

use super::expression::{Expression, Operation, Target};
use super::parse::{self, LARGE, Source};
use super::subject::{Subject, Variable};
use super::types::Type;
use super::vocabulary::{Vocabulary, meant};
use crate::error::{Fault, shown};
use crate::limits::MAX_EXPRESSION_DEPTH;
use crate::policy::Parameter;
use alloy_primitives::U256;
use cel::common::ast::{Expr, IdedExpr, LiteralValue, SourceInfo};

/// What an expression may name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) subject: Subject,
    pub(crate) parameters: &'a [Parameter],
    /// The kinds of other sources that the policy declares.
    pub(crate) extensions: &'a [String],
}

/// An expression that was checked.
pub(crate) struct Checked {
    pub(crate) expression: Expression,
    pub(crate) tokens: usize,
    /// Parameters, by position, whose texts have to be of a vocabulary.
    pub(crate) words: Vec<(usize, Vocabulary)>,
}

/// Parses and checks one expression.
pub(crate) fn check(source: Source<'_>, scope: Scope<'_>) -> Result<Checked, Fault> {
    let parsed = parse::parse(source)?;
    let mut checker = Checker {
        source,
        places: &parsed.places,
        large: &parsed.large,
        scope,
        items: Vec::new(),
        item_words: Vec::new(),
        words: Vec::new(),
        depth: 0,
    };
    Ok(Checked {
        expression: checker.expression(&parsed.root)?,
        tokens: parsed.tokens,
        words: checker.words,
    })
}

/// Checks a condition: an expression that is true or false.
pub(crate) fn condition(source: Source<'_>, scope: Scope<'_>) -> Result<Checked, Fault> {
    let checked = check(source, scope)?;
    match &checked.expression.of {
        Type::Bool => Ok(checked),
        other => {
            let message = format!("a condition is a boolean, not {other}");
            Err(Fault::new("bad-type", source.place(0), message))
        }
    }
}

struct Checker<'a> {
    source: Source<'a>,
    places: &'a SourceInfo,
    large: &'a [U256],
    scope: Scope<'a>,
    /// The variables of the comprehensions around, with their types.
    items: Vec<(String, Type)>,
    /// The words each of them can be, where they are known.
    item_words: Vec<Option<Vocabulary>>,
    words: Vec<(usize, Vocabulary)>,
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
            LiteralValue::UInt(value) => {
                expression(Operation::Integer(U256::from(*value.inner())), Type::Integer)
            }
            LiteralValue::Int(value) => {
                let magnitude = expression(
                    Operation::Integer(U256::from(value.inner().unsigned_abs())),
                    Type::Integer,
                );
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
        if let Some(position) = name.strip_prefix(LARGE).and_then(|digits| digits.parse().ok())
            && let Some(integer) = self.large.get::<usize>(position)
        {
            return Ok(expression(Operation::Integer(*integer), Type::Integer));
        }
        if let Some(level) = self.items.iter().rposition(|(n, _)| n == name) {
            let variable = Operation::Variable(Variable::Item(level));
            return Ok(expression(variable, self.items[level].1.clone()));
        }
        if let Some((variable, of)) = self.scope.subject.variable(name) {
            return Ok(expression(Operation::Variable(variable), of));
        }
        let mut known = self.scope.subject.names();
        known.push("params");
        let message = format!(
            "unknown name {}{}; known here: {}",
            shown(name),
            meant(name, &known),
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
