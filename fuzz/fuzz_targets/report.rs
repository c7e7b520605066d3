//! Reading a report as its consumer: it never panics, what is read reads back from its own bytes, and a report that is
//! no answer to the request is never verified.

#![no_main]

use libfuzzer_sys::fuzz_target;
use presight_wire::report::{ReceivedReport, check};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(received) = ReceivedReport::parse(bytes) {
        let _ = check::check(&received.value, None);
        let written = received.report.to_value();
        let again = ReceivedReport::from_value(written).expect("what was written is read");
        assert_eq!(again.report, received.report);
    }
});
