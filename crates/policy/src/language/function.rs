//! The functions of the language.

use super::types::Type;

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    /// `size(x)`: how many characters of a text, items of a list.
    Size,
    /// `int(x)`: an integer from JSON or decimal digits.
    Integer,
    /// `text(x)`: a text from JSON.
    Text,
    /// `pow2(n)`: 2^n.
    PowerOfTwo,
    /// `units(x, decimals)`: the decimal number `x`, such as `"1.5"`, in base units.
    Units,
    /// `address(x)`: the address of an account, or of hex.
    Address,
    /// `account(chain, address)`: the CAIP-10 account.
    Account,
    /// `chain(account)`: the CAIP-2 chain of an account.
    Chain,
    /// `block(x)`: the block at which the report holds on the chain `x`, or on the chain of the account `x`.
    Block,
    /// `x.startsWith(y)`
    StartsWith,
    /// `x.endsWith(y)`
    EndsWith,
    /// `x.contains(y)`
    Contains,
    /// `x.lower()`: ASCII letters in lower case.
    Lower,
    /// `sum(list)`: of integers.
    Sum,
}

/// How a function is called and what it gives.
pub(crate) struct Signature {
    pub(crate) name: &'static str,
    pub(crate) function: Function,
    /// Whether the first argument stands before the dot.
    pub(crate) receiver: bool,
    /// The types each argument may have.
    pub(crate) arguments: &'static [fn(&Type) -> bool],
    pub(crate) result: Type,
    /// For messages: how it is called.
    pub(crate) form: &'static str,
}

const IS_TEXT: fn(&Type) -> bool = |t| matches!(t, Type::Text | Type::Json);
const IS_INTEGER: fn(&Type) -> bool = |t| matches!(t, Type::Integer | Type::Json);
const IS_ACCOUNT: fn(&Type) -> bool = |t| matches!(t, Type::Account);

/// Every function.
pub(crate) const FUNCTIONS: &[Signature] = &[
    Signature {
        name: "size",
        function: Function::Size,
        receiver: false,
        arguments: &[|t| matches!(t, Type::Text | Type::List(_) | Type::Json)],
        result: Type::Integer,
        form: "size(text or list)",
    },
    Signature {
        name: "int",
        function: Function::Integer,
        receiver: false,
        arguments: &[|t| matches!(t, Type::Text | Type::Json | Type::Integer)],
        result: Type::Integer,
        form: "int(decimal)",
    },
    Signature {
        name: "text",
        function: Function::Text,
        receiver: false,
        arguments: &[|t| matches!(t, Type::Json | Type::Text | Type::Account | Type::Address)],
        result: Type::Text,
        form: "text(value)",
    },
    Signature {
        name: "pow2",
        function: Function::PowerOfTwo,
        receiver: false,
        arguments: &[IS_INTEGER],
        result: Type::Integer,
        form: "pow2(exponent)",
    },
    Signature {
        name: "units",
        function: Function::Units,
        receiver: false,
        arguments: &[IS_TEXT, IS_INTEGER],
        result: Type::Integer,
        form: "units(\"1.5\", decimals)",
    },
    Signature {
        name: "address",
        function: Function::Address,
        receiver: false,
        arguments: &[|t| matches!(t, Type::Account | Type::Address | Type::Text | Type::Json)],
        result: Type::Address,
        form: "address(account or hex)",
    },
    Signature {
        name: "account",
        function: Function::Account,
        receiver: false,
        arguments: &[IS_TEXT, |t| matches!(t, Type::Address | Type::Text | Type::Json)],
        result: Type::Account,
        form: "account(chain, address)",
    },
    Signature {
        name: "chain",
        function: Function::Chain,
        receiver: false,
        arguments: &[IS_ACCOUNT],
        result: Type::Text,
        form: "chain(account)",
    },
    Signature {
        name: "block",
        function: Function::Block,
        receiver: false,
        arguments: &[|t| matches!(t, Type::Account | Type::Text)],
        result: Type::Integer,
        form: "block(account or chain)",
    },
    Signature {
        name: "startsWith",
        function: Function::StartsWith,
        receiver: true,
        arguments: &[IS_TEXT, IS_TEXT],
        result: Type::Bool,
        form: "text.startsWith(text)",
    },
    Signature {
        name: "endsWith",
        function: Function::EndsWith,
        receiver: true,
        arguments: &[IS_TEXT, IS_TEXT],
        result: Type::Bool,
        form: "text.endsWith(text)",
    },
    Signature {
        name: "contains",
        function: Function::Contains,
        receiver: true,
        arguments: &[IS_TEXT, IS_TEXT],
        result: Type::Bool,
        form: "text.contains(text)",
    },
    Signature {
        name: "lower",
        function: Function::Lower,
        receiver: true,
        arguments: &[IS_TEXT],
        result: Type::Text,
        form: "text.lower()",
    },
    Signature {
        name: "sum",
        function: Function::Sum,
        receiver: false,
        arguments: &[|t| match t {
            Type::List(item) => matches!(**item, Type::Integer | Type::Json),
            _ => false,
        }],
        result: Type::Integer,
        form: "sum(integers)",
    },
];
