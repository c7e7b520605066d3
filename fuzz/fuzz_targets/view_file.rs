//! Reading a view file: it never panics, and what is read is written and read as the same snapshot.

#![no_main]

use libfuzzer_sys::fuzz_target;
use presight_view::file;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(view) = file::parse(bytes) {
        let again = file::parse(file::to_json(&view.snapshot).as_bytes()).expect("what was written is read");
        assert_eq!(again.snapshot, view.snapshot);
    }
});
