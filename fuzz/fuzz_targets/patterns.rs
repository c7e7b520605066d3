//! Sets of patterns and texts: reading and matching never panic, and the same text always matches the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use presight_source::patterns::Set;

fuzz_target!(|bytes: &[u8]| {
    let _ = Set::parse(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let set = Set::built_in();
        assert_eq!(set.matching(text), set.matching(text));
    }
});
