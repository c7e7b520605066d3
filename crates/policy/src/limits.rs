//! The bounds of policies and of their evaluation. A policy or a report beyond one of them is told which.

/// Bytes of a policy file.
pub const MAX_POLICY_BYTES: usize = 256 * 1024;
/// Nested tables and arrays of a policy file.
pub const MAX_POLICY_DEPTH: usize = 24;
/// Rules of a policy.
pub const MAX_RULES: usize = 128;
/// Parameters of a policy.
pub const MAX_PARAMETERS: usize = 64;
/// Cases of a policy.
pub const MAX_CASES: usize = 512;
/// Finding kinds of other sources that a policy declares.
pub const MAX_EXTENSIONS: usize = 64;
/// Items of a list parameter.
pub const MAX_LIST_ITEMS: usize = 1_000;
/// Bytes of one expression.
pub const MAX_EXPRESSION_BYTES: usize = 1_024;
/// Tokens of one expression.
pub const MAX_EXPRESSION_TOKENS: usize = 200;
/// Tokens of all expressions of a policy together, those in messages included.
pub const MAX_POLICY_TOKENS: usize = 4_000;
/// Parentheses, brackets and braces open at once in an expression.
pub const MAX_EXPRESSION_NESTING: usize = 16;
/// Levels of an expression once parsed; a chain such as `a + b + c` has one for each operator.
pub const MAX_EXPRESSION_DEPTH: usize = 48;
/// Comprehensions (`exists`, `all`, …) inside one another.
pub const MAX_COMPREHENSION_NESTING: usize = 3;
/// Bytes of a message template.
pub const MAX_MESSAGE_BYTES: usize = 512;
/// Characters a value takes in a message; the rest is cut.
pub const MAX_SHOWN_CHARS: usize = 120;
/// Steps of one evaluation: expressions evaluated, items of lists walked over and texts looked into, all rules
/// together. Not a time: the same report and policy take the same number on every machine.
pub const MAX_STEPS: u64 = 2_000_000;
/// Reasons of one verdict that are listed; the verdict takes account of every one.
pub const MAX_REASONS: usize = 1_000;
