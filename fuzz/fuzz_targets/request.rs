//! Reading a request: it never panics, and what is accepted is accepted again from its canonical bytes, with the same
//! digests.

#![no_main]

use libfuzzer_sys::fuzz_target;
use presight_wire::{Request, jcs};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(request) = Request::parse(bytes) {
        let again =
            Request::parse(&jcs::canonical(request.value())).expect("canonical bytes are accepted again");
        assert_eq!(again.subject_digest(), request.subject_digest());
        assert_eq!(again.context_digest(), request.context_digest());
        assert_eq!(again.signer(), request.signer());
    }
});
