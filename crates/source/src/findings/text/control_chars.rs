//! `erc.presign.text.control-chars`

use super::rule;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use presight_wire::kinds::Group;
use serde_json::Value;

/// The number of code points of General Category Cf, Co or Cc, other than tab, line feed and carriage return.
#[derive(Debug)]
pub struct ControlChars;

impl Kind for ControlChars {
    fn name(&self) -> &'static str {
        "erc.presign.text.control-chars"
    }

    fn group(&self) -> Group {
        Group::Text
    }

    fn read(&self, _: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        rule(entity, |text| Value::from(count(text)))
    }
}

/// Counts control characters by the rule of the kind.
pub fn count(text: &str) -> usize {
    let categories = CodePointMapData::<GeneralCategory>::new();
    text.chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .filter(|c| {
            matches!(
                categories.get(*c),
                GeneralCategory::Format | GeneralCategory::PrivateUse | GeneralCategory::Control
            )
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn counts_format_private_use_and_control_but_not_tab_and_newlines() {
        assert_eq!(count("plain\ttext\r\n"), 0);
        assert_eq!(count("\u{202e}approve\u{200b}"), 2);
        assert_eq!(count("\u{0}\u{1b}\u{7f}\u{85}"), 4);
        assert_eq!(count("\u{e000}\u{f0000}\u{10fffd}"), 3);
        assert_eq!(count("\u{e0041}\u{ad}\u{feff}"), 3);
    }

    #[test]
    fn fillers_variation_selectors_and_separators_are_of_other_categories() {
        assert_eq!(count("\u{3164}\u{115f}\u{fe0f}\u{2028}\u{fffe}\u{378}"), 0);
    }
}
