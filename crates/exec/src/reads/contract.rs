//! One question to a contract, and its answer as a fact.

use crate::answer::Malformed;
use crate::evm;
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use presight_view::executed::CallOutcome;
use presight_view::{Lookup, Unread, View};
use presight_wire::{AccountId, At, ChainId, Evidence, NotRead, Read, Reason};

/// A contract on a chain of a view.
#[derive(Clone, Copy)]
pub(super) struct Contract<'c, 'v> {
    pub(super) view: &'c View<'v>,
    pub(super) chain: &'c ChainId,
    pub(super) address: Address,
}

/// A call that was executed.
pub(super) struct Asked {
    /// The function's name with `()`.
    function: String,
    at: At,
    to: AccountId,
    data: Bytes,
    ended: CallOutcome,
    /// The code of the account, where the call alone does not show that it has some, or does not show anything.
    code: Option<Bytes>,
}

impl Contract<'_, '_> {
    /// Calls a function, named by its canonical signature, with encoded arguments.
    pub(super) fn ask(self, signature: &str, arguments: &[u8]) -> Lookup<Asked> {
        let function = format!("{}()", signature.split('(').next().unwrap_or(signature));
        let data = Bytes::from([&keccak256(signature)[..4], arguments].concat());
        self.view.hint_call(self.chain, self.address, &data);
        let at = self.view.at(self.chain)?;
        let run = || {
            let ended = evm::run(self.view, self.chain, self.address, &data)?;
            let silent = match &ended {
                CallOutcome::Returned(bytes) => bytes.is_empty(),
                CallOutcome::Reverted(_) => false,
                CallOutcome::Halted(_) => true,
            };
            let code = silent
                .then(|| self.view.code(self.chain, self.address))
                .transpose()?;
            Ok((ended, code))
        };
        let (ended, code) = run().map_err(|unread| located(unread, &function, &at))?;
        let to = AccountId::new(self.chain.clone(), self.address);
        Ok(Asked {
            function,
            at,
            to,
            data,
            ended,
            code,
        })
    }

    /// Calls a function and decodes what it returned.
    pub(super) fn read<T>(
        self,
        signature: &str,
        arguments: &[u8],
        decode: impl FnOnce(&[u8]) -> Result<T, Malformed>,
    ) -> Lookup<Read<T>> {
        let asked = self.ask(signature, arguments)?;
        let value = match &asked.ended {
            CallOutcome::Returned(_) if asked.has_no_code() => {
                return Err(asked.not_read("the account has no code"));
            }
            CallOutcome::Returned(bytes) => decode(bytes),
            CallOutcome::Reverted(_) => return Err(asked.not_read("reverted")),
            CallOutcome::Halted(halt) => return Err(asked.not_read(&format!("halted: {}", halt.word))),
        };
        match value {
            Ok(value) => {
                let evidence = asked.evidence().into_iter().collect();
                Ok(Read::from_chain(value, asked.at, evidence))
            }
            Err(Malformed(what)) => Err(asked.not_read(&format!("returned {what}"))),
        }
    }
}

impl Asked {
    /// What the contract returned, when it did.
    pub(super) fn returned(&self) -> Option<&[u8]> {
        match &self.ended {
            CallOutcome::Returned(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A value that any way the contract ended the call decides; not read when it was not the contract that did.
    pub(super) fn judged<T>(self, value: T) -> Lookup<Read<T>> {
        let note = match &self.ended {
            CallOutcome::Halted(halt) if halt.by_our_bound => {
                return Err(self.not_read(&format!("halted: {}", halt.word)));
            }
            CallOutcome::Halted(halt) => Some(format!("halted: {}", halt.word)),
            CallOutcome::Reverted(_) => Some("reverted".into()),
            CallOutcome::Returned(_) if self.has_no_code() => Some("the account has no code".into()),
            CallOutcome::Returned(_) => None,
        };
        let read = Read::from_chain(value, self.at.clone(), vec![self.call()]);
        Ok(match note {
            Some(note) => read.with_note(format!("{} {note}", self.function)),
            None => read,
        })
    }

    /// Not read, `unavailable`, because of what the call did.
    pub(super) fn not_read(&self, what: &str) -> Unread {
        NotRead {
            reason: Reason::Unavailable,
            at: Some(self.at.clone()),
            evidence: self.evidence().into_iter().collect(),
            note: Some(format!("{} {what}", self.function)),
        }
        .into()
    }

    /// Whether the account is known to have none.
    pub(super) fn has_no_code(&self) -> bool {
        self.code.as_ref().is_some_and(|code| code.is_empty())
    }

    /// The call with its result; a call that halted has none.
    fn evidence(&self) -> Option<Evidence> {
        (!matches!(self.ended, CallOutcome::Halted(_))).then(|| self.call())
    }

    /// The call with its result. One that halted has no result to show: the code that halts stands for it (I-16).
    fn call(&self) -> Evidence {
        let (data, result) = match (&self.ended, &self.code) {
            (CallOutcome::Returned(bytes) | CallOutcome::Reverted(bytes), _) => {
                (self.data.clone(), bytes.clone())
            }
            (CallOutcome::Halted(_), Some(code)) => (Bytes::new(), code.clone()),
            (CallOutcome::Halted(_), None) => (Bytes::new(), Bytes::new()),
        };
        Evidence::Call {
            at: self.at.clone(),
            to: self.to.clone(),
            data,
            result,
        }
    }
}

/// A miss, with what it stopped and the block.
pub(crate) fn located(unread: Unread, what: &str, at: &At) -> Unread {
    match unread {
        Unread::Pending => Unread::Pending,
        Unread::NotRead(n) => {
            let note = match &n.note {
                Some(note) => format!("{what}: {note}"),
                None => format!("{what} was not read"),
            };
            NotRead {
                at: Some(at.clone()),
                note: Some(note),
                ..n
            }
            .into()
        }
    }
}

/// Words, one after the other: the ABI encoding of arguments of static types.
pub(super) fn arguments(words: &[B256]) -> Vec<u8> {
    words.concat()
}

/// A number as an argument.
pub(super) fn number(value: U256) -> B256 {
    value.into()
}
