//! `erc.presign.text.mixed-script`

use super::rule;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script};
use presight_wire::kinds::Group;
use serde_json::Value;

/// `true` when the text holds letters (General Category L*) of more than one Script, not counting Common and
/// Inherited (I-32).
#[derive(Debug)]
pub struct MixedScript;

impl Kind for MixedScript {
    fn name(&self) -> &'static str {
        "erc.presign.text.mixed-script"
    }

    fn group(&self) -> Group {
        Group::Text
    }

    fn read(&self, _: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        rule(entity, |text| Value::from(is_mixed(text)))
    }
}

/// Whether letters of more than one script occur.
pub fn is_mixed(text: &str) -> bool {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let scripts = CodePointMapData::<Script>::new();
    let mut found = text
        .chars()
        .filter(|c| GeneralCategoryGroup::Letter.contains(categories.get(*c)))
        .map(|c| scripts.get(c))
        .filter(|script| !matches!(*script, Script::Common | Script::Inherited));
    found
        .next()
        .is_some_and(|first| found.any(|script| script != first))
}

#[cfg(test)]
mod tests {
    use super::is_mixed;

    #[test]
    fn letters_of_two_scripts_are_mixed() {
        assert!(is_mixed("USD\u{421}")); // Cyrillic Es
        assert!(is_mixed("\u{3b1}lpha")); // Greek alpha
        assert!(is_mixed("東京タワー")); // Han and Katakana: the literal rule
        assert!(is_mixed("a1\u{5d0}"));
    }

    #[test]
    fn one_script_with_digits_signs_and_marks_is_not() {
        assert!(!is_mixed(""));
        assert!(!is_mixed("USD Coin 2.0 (€)"));
        assert!(!is_mixed("Ｆｕｌｌ width")); // full-width Latin is Latin
        assert!(!is_mixed("e\u{301}\u{1f600}")); // combining mark, emoji
        assert!(!is_mixed("ªº µ")); // µ is Common in no version: Greek micro sign is Common
    }
}
