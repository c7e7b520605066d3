//! Envelopes: judging and verifying never panic; what is valid has a typed form, is valid again from its canonical bytes
//! with the same digest and the same outcome, and no signature is affected by a verdict.

#![no_main]

use libfuzzer_sys::fuzz_target;
use presight_wire::envelope::{Coverage, Envelope, NotAnEnvelope, OFFLINE, validate, verify};
use presight_wire::jcs;

fuzz_target!(|bytes: &[u8]| {
    let validation = validate(bytes).expect("the input is within the bound");
    let outcome = verify(bytes, OFFLINE).expect("the input is within the bound");
    match Envelope::parse(bytes) {
        Ok(envelope) => {
            assert!(validation.is_valid());
            let again =
                Envelope::parse(&jcs::canonical(envelope.value())).expect("canonical bytes are valid");
            assert_eq!(
                again.digest(Coverage::Envelope),
                envelope.digest(Coverage::Envelope)
            );
            assert_eq!(again.verify(OFFLINE), outcome);
            if let Some(risk) = &envelope.fields().risk {
                let judged = envelope
                    .with_risk(risk)
                    .expect("a verdict that was read is written");
                assert_eq!(judged.verify(OFFLINE), outcome);
            }
            envelope.fields().build().expect("what was read can be built");
        }
        Err(NotAnEnvelope::Invalid(found)) => assert_eq!(found, validation),
        Err(NotAnEnvelope::Refused(refusal)) => panic!("a valid document has a typed form: {refusal}"),
    }
});
