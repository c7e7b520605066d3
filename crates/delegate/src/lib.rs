//! What an EIP-7702 delegate lets outsiders do (ERC-8481 §Addresses, `delegate-single-caller` and
//! `delegate-unbounded-outflow`).
//!
//! The delegate's code is executed symbolically as the account: every path is followed, and what paths have in
//! common is joined rather than cut off. What holds for every path is proven there; that a caller can do something
//! is claimed only after the call was executed in revm. What is neither proven nor shown is not read.

mod bounds;
mod call;
mod class;
mod code;
mod effect;
mod explore;
mod expr;
mod facts;
mod join;
mod limits;
mod machine;
mod memory;
mod model;
mod replay;
mod report;
mod signature;
mod solve;
mod step;
mod survey;
mod verdict;
mod view_world;
mod witness;
mod world;
mod written;

use crate::code::Code;
use crate::explore::{Engine, Stop};
use alloy_primitives::{Address, B256, Bytes};
use presight_view::{Lookup, Unread};
use std::collections::BTreeMap;
use std::rc::Rc;

pub use bounds::RECIPIENTS;
pub use limits::Limits;
pub use replay::{Call, TOKEN};
pub use report::{Caller, Function};
pub use verdict::{Fact, Witness};
pub use view_world::{FreshAccount, ViewAccount};
pub use world::World;

/// What is established of a delegate, for one account at one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Every function that can move value is for one fixed address and for no other outsider.
    pub single_caller: Fact,
    /// An outsider can send the whole balance, of native value or a token, to a recipient it chooses in one call.
    pub unbounded_outflow: Fact,
    /// Executed calls of outsiders that moved something.
    pub callers: Vec<Witness>,
    /// An executed call that sent everything.
    pub outflow: Option<Witness>,
    /// Functions on which outsiders may move something.
    pub functions: Vec<Function>,
    /// One line on how it was done.
    pub note: String,
    /// Instructions executed, and what they cost beyond one step.
    pub steps: u64,
    /// The code that ran as the account, by address, with its hash.
    pub code_hashes: BTreeMap<Address, B256>,
}

/// What an executed call of an outsider did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executed {
    /// Something of the account was moved or given away.
    pub moved: bool,
    /// The whole balance, of native value or of a token, went to one of [`RECIPIENTS`].
    pub emptied: bool,
}

/// Executes a call as the analysis does: the account has 100 ether and some of a token. None when the call fails, or
/// looks at what is not known.
pub fn execute(world: &dyn World, delegate: Address, code: &Bytes, call: &Call) -> Option<Executed> {
    let setting = replay::Setting {
        delegate,
        code: code.clone(),
        balance: bounds::native_balances()[0],
        token_balance: bounds::token_balances()[0],
        tokens: Vec::new(),
        recipients: RECIPIENTS,
        not_known: std::collections::BTreeSet::new(),
    };
    let done = replay::replay(world, &setting, call)?;
    let emptied = done.native.iter().any(|got| *got >= setting.balance)
        || done.tokens.iter().any(|got| *got >= setting.token_balance);
    Some(Executed {
        moved: done.moved,
        emptied,
    })
}

/// Analyses the code of a delegate for an account.
///
/// # Errors
/// State that the world does not hold yet.
pub fn analyse(world: &dyn World, delegate: Address, code: &Bytes, limits: Limits) -> Lookup<Analysis> {
    let delegate_code = Rc::new(Code::new(code.clone()));
    let hash = delegate_code.hash();
    let mut engine = Engine::new(world, delegate_code, limits);
    let survey = survey::survey(&mut engine);
    let verdict = match verdict::decide(&mut engine, &survey, delegate) {
        Ok(verdict) => verdict,
        Err(Stop::Pending | Stop::At(_)) => return Err(Unread::Pending),
    };
    let mut code_hashes = engine.code_hashes;
    code_hashes.insert(delegate, hash);
    Ok(Analysis {
        single_caller: verdict.single_caller,
        unbounded_outflow: verdict.unbounded_outflow,
        callers: verdict.callers,
        outflow: verdict.outflow,
        functions: verdict.functions,
        note: verdict.note,
        steps: engine.steps,
        code_hashes,
    })
}
