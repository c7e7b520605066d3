//! A cursor over parsed JSON that knows where it is, so that every refusal names its place.

use crate::error::{Refusal, pointer_push, shown};
use serde_json::{Map, Value};

/// One JSON value and its pointer.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    /// The value.
    pub value: &'a Value,
    /// RFC 6901 pointer to it.
    pub pointer: String,
}

impl<'a> Node<'a> {
    /// The root of a document.
    pub fn root(value: &'a Value) -> Self {
        Self {
            value,
            pointer: String::new(),
        }
    }

    /// A refusal at this place.
    pub fn refuse(&self, code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal::new(code, self.pointer.clone(), message)
    }

    fn wrong_type(&self, expected: &str) -> Refusal {
        self.refuse(
            "wrong-type",
            format!("{expected} expected, {} found", type_name(self.value)),
        )
    }

    /// The members, when this is an object.
    pub fn object(&self) -> Result<&'a Map<String, Value>, Refusal> {
        self.value.as_object().ok_or_else(|| self.wrong_type("an object"))
    }

    /// The object's members, when each is one of `known` (I-3).
    pub fn object_with(&self, known: &[&str]) -> Result<&'a Map<String, Value>, Refusal> {
        let object = self.object()?;
        match object.keys().find(|k| !known.contains(&k.as_str())) {
            None => Ok(object),
            Some(key) => Err(Refusal::new(
                "unknown-member",
                pointer_push(&self.pointer, key),
                format!(
                    "unknown member `{}`; known here: {}",
                    shown(key),
                    known.join(", ")
                ),
            )),
        }
    }

    /// A member that may be absent. An explicit `null` is a value of the wrong type, not absence.
    pub fn optional(&self, name: &str) -> Result<Option<Node<'a>>, Refusal> {
        Ok(self.object()?.get(name).map(|value| Node {
            value,
            pointer: pointer_push(&self.pointer, name),
        }))
    }

    /// A member that must be there.
    pub fn required(&self, name: &str) -> Result<Node<'a>, Refusal> {
        self.optional(name)?.ok_or_else(|| {
            Refusal::new(
                "missing-member",
                self.pointer.clone(),
                format!("member `{name}` is missing"),
            )
        })
    }

    /// The elements, when this is an array of at most `max` elements (`limit` names the bound).
    pub fn array(&self, max: usize, limit: &str) -> Result<Vec<Node<'a>>, Refusal> {
        let items = self.value.as_array().ok_or_else(|| self.wrong_type("an array"))?;
        if items.len() > max {
            return Err(self.refuse("too-many", format!("{} elements; {limit} is {max}", items.len())));
        }
        Ok(items
            .iter()
            .enumerate()
            .map(|(i, value)| Node {
                value,
                pointer: format!("{}/{i}", self.pointer),
            })
            .collect())
    }

    /// The text, when this is a string.
    pub fn string(&self) -> Result<&'a str, Refusal> {
        self.value.as_str().ok_or_else(|| self.wrong_type("a string"))
    }

    /// The boolean.
    pub fn boolean(&self) -> Result<bool, Refusal> {
        self.value
            .as_bool()
            .ok_or_else(|| self.wrong_type("true or false"))
    }

    /// A JSON number that is an integer from 0 to 2^53 - 1.
    pub fn small_integer(&self) -> Result<u64, Refusal> {
        self.value
            .as_u64()
            .filter(|n| *n <= crate::limits::MAX_SAFE_INTEGER)
            .ok_or_else(|| self.wrong_type("an integer from 0 to 2^53 - 1"))
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn refusals_name_their_place() {
        let value = json!({ "a/b": [{ "n": -1, "x": null }] });
        let root = Node::root(&value);
        let items = root.required("a/b").unwrap().array(1, "MAX").unwrap();
        let place = |refusal: Refusal| (refusal.code, refusal.pointer);
        let at = |code: &'static str, pointer: &str| (code, pointer.to_owned());
        assert_eq!(place(items[0].string().unwrap_err()), at("wrong-type", "/a~1b/0"));
        assert_eq!(
            place(items[0].required("y").unwrap_err()),
            at("missing-member", "/a~1b/0")
        );
        assert_eq!(
            place(items[0].object_with(&["n"]).unwrap_err()),
            at("unknown-member", "/a~1b/0/x")
        );
        let number = items[0].required("n").unwrap();
        assert_eq!(
            place(number.small_integer().unwrap_err()),
            at("wrong-type", "/a~1b/0/n")
        );
        assert_eq!(
            place(root.required("a/b").unwrap().array(0, "MAX").unwrap_err()),
            at("too-many", "/a~1b")
        );
    }

    #[test]
    fn null_is_a_value_of_the_wrong_type_not_absence() {
        let value = json!({ "x": null });
        let member = Node::root(&value).optional("x").unwrap().unwrap();
        assert_eq!(member.boolean().unwrap_err().code, "wrong-type");
        assert!(Node::root(&value).optional("y").unwrap().is_none());
    }
}
