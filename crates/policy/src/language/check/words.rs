//! Texts that are compared with one of a few words have to be one of them.

use super::Checker;
use crate::error::Fault;
use crate::language::expression::{Expression, Operation};
use crate::language::function::Function;
use crate::language::vocabulary::{self, Vocabulary};
use crate::policy::Setting;
use cel::common::ast::{Expr, IdedExpr};
use presight_wire::AccountId;

impl Checker<'_> {
    /// The words that an expression can be, where they are known.
    pub(super) fn vocabulary(&self, expression: &Expression) -> Option<Vocabulary> {
        vocabulary::of(expression, &self.item_words)
    }

    /// The words that the items of a list can be.
    pub(super) fn vocabulary_of_items(&self, list: &Expression) -> Option<Vocabulary> {
        vocabulary::of_items(list, &self.item_words)
    }

    /// Refuses a text written out, in a list or as the value of a parameter too, that is none of the words it is
    /// compared with.
    pub(super) fn words_of(
        &mut self,
        at: &IdedExpr,
        written: &Expression,
        vocabulary: Option<Vocabulary>,
    ) -> Result<(), Fault> {
        let Some(vocabulary) = vocabulary else {
            return Ok(());
        };
        match &written.operation {
            Operation::Text(text) => self.word(at, text, vocabulary),
            Operation::List(items) => {
                let places = match &at.expr {
                    Expr::List(list) => list.elements.as_slice(),
                    _ => &[],
                };
                for (item, place) in items.iter().zip(places) {
                    self.words_of(place, item, Some(vocabulary))?;
                }
                Ok(())
            }
            Operation::If(_, yes, no) => {
                self.words_of(at, yes, Some(vocabulary))?;
                self.words_of(at, no, Some(vocabulary))
            }
            Operation::Parameter(index) => {
                self.words.push((*index, vocabulary));
                let parameter = &self.scope.parameters[*index];
                match words_fault(&parameter.value, vocabulary, self.scope.extensions) {
                    None => Ok(()),
                    Some(message) => {
                        let message = format!("parameter `{}`: {message}", parameter.name);
                        Err(self.fault(at, "unknown-word", message))
                    }
                }
            }
            _ => Ok(()),
        }
    }

    fn word(&self, at: &IdedExpr, text: &str, vocabulary: Vocabulary) -> Result<(), Fault> {
        match vocabulary.fault(text, self.scope.extensions) {
            None => Ok(()),
            Some(message) => Err(self.fault(at, "unknown-word", message)),
        }
    }

    /// The same for texts that a function takes.
    pub(super) fn words_of_call(
        &mut self,
        places: &[&IdedExpr],
        function: Function,
        arguments: &[Expression],
    ) -> Result<(), Fault> {
        match (function, arguments) {
            (Function::Account | Function::Block, [chain, ..]) => match &chain.operation {
                // `block` takes an account as well.
                Operation::Text(account) if AccountId::parse_any_case(account, "").is_ok() => Ok(()),
                _ => self.words_of(places[0], chain, Some(Vocabulary::Chain)),
            },
            (Function::StartsWith | Function::EndsWith | Function::Contains, [text, part]) => {
                let (Some(vocabulary), Operation::Text(part)) = (self.vocabulary(text), &part.operation)
                else {
                    return Ok(());
                };
                let fault = vocabulary.part_fault(part, |word, part| match function {
                    Function::StartsWith => word.starts_with(part),
                    Function::EndsWith => word.ends_with(part),
                    _ => word.contains(part),
                });
                fault.map_or(Ok(()), |message| {
                    Err(self.fault(places[1], "unknown-word", message))
                })
            }
            _ => Ok(()),
        }
    }
}

/// What is wrong with the texts of a parameter as words.
pub(crate) fn words_fault(value: &Setting, vocabulary: Vocabulary, extensions: &[String]) -> Option<String> {
    match value {
        Setting::Text(text) => vocabulary.fault(text, extensions),
        Setting::List(items) => items
            .iter()
            .find_map(|item| words_fault(item, vocabulary, extensions)),
        Setting::Bool(_) | Setting::Integer(_) => None,
    }
}
