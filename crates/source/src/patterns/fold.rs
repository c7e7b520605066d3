//! What is left of a text when nobody can play with how it is written.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;

/// The first of the tag characters that stand for ASCII.
const TAGS: u32 = 0xE0000;

static ASCII: LazyLock<[String; 128]> = LazyLock::new(|| {
    std::array::from_fn(|code| u8::try_from(code).map_or_else(|_| String::new(), |byte| slow(byte.into())))
});

/// The folded text: the folded characters one after another.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().map(untagged) {
        match ASCII.get(c as usize) {
            Some(known) => folded.push_str(known),
            None => folded.push_str(&slow(c)),
        }
    }
    folded
}

/// Tag characters spell ASCII unseen.
fn untagged(c: char) -> char {
    match (c as u32).checked_sub(TAGS) {
        Some(ascii @ 0x20..=0x7E) => char::from_u32(ascii).unwrap_or(c),
        _ => c,
    }
}

/// Compatibility decomposition and lower case, of which letters and decimal digits stay; then their confusable prototypes,
/// decomposed and in lower case, where `l` is `i`.
fn slow(c: char) -> String {
    let lower = |c: char| c.to_lowercase();
    let kept: String = std::iter::once(c)
        .nfkd()
        .flat_map(lower)
        .nfkd()
        .filter(|c| is_kept(*c))
        .collect();
    skeleton(&kept)
        .flat_map(lower)
        .nfkd()
        .filter(|c| is_kept(*c))
        .map(|c| if c == 'l' { 'i' } else { c })
        .collect()
}

fn is_kept(c: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    GeneralCategoryGroup::Letter.contains(category) || category == GeneralCategory::DecimalNumber
}
