//! Functions, and comprehensions.

use super::{Checker, expression};
use crate::error::{Fault, shown};
use crate::language::expression::{Expression, Operation, Quantifier};
use crate::language::function::{FUNCTIONS, Signature};
use crate::language::parse::LARGE;
use crate::language::types::Type;
use crate::language::vocabulary::meant;
use crate::limits::MAX_COMPREHENSION_NESTING;
use cel::common::ast::{Expr, IdedExpr, operators};

impl Checker<'_> {
    pub(super) fn each(
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
            || name.starts_with(LARGE)
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
        self.item_words.push(self.vocabulary_of_items(&range));
        self.items.push((name.clone(), item.clone()));
        let body = match quantifier {
            Quantifier::Map => self.expression(body).map(Box::new),
            _ => self.boolean(body),
        };
        self.items.pop();
        self.item_words.pop();
        let body = body?;
        let of = match quantifier {
            Quantifier::Exists | Quantifier::All | Quantifier::ExistsOne => Type::Bool,
            Quantifier::Filter => Type::list(item),
            Quantifier::Map => Type::list(body.of.clone()),
        };
        Ok(expression(Operation::Each(quantifier, Box::new(range), body), of))
    }

    pub(super) fn function(
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
        self.words_of_call(&places, signature.function, &checked)?;
        Ok(expression(
            Operation::Call(signature.function, checked),
            signature.result.clone(),
        ))
    }

    pub(super) fn unknown_function(&self, at: &IdedExpr, name: &str) -> Fault {
        let names: Vec<&str> = FUNCTIONS.iter().map(|signature| signature.name).collect();
        let known: Vec<&str> = FUNCTIONS.iter().map(|Signature { form, .. }| *form).collect();
        let message = format!(
            "unknown function {}{}; known: {}",
            shown(name),
            meant(name, &names),
            known.join(", ")
        );
        self.fault(at, "unknown-function", message)
    }
}

pub(super) fn quantifier(name: &str) -> Option<Quantifier> {
    match name {
        operators::EXISTS => Some(Quantifier::Exists),
        operators::ALL => Some(Quantifier::All),
        operators::EXISTS_ONE => Some(Quantifier::ExistsOne),
        operators::FILTER => Some(Quantifier::Filter),
        operators::MAP => Some(Quantifier::Map),
        _ => None,
    }
}
