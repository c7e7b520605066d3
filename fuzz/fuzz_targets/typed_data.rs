//! Decoding typed data: it never panics, and what is accepted is accepted again from its canonical bytes, with the same
//! entities and signing hashes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use presight_decode::decode;
use presight_wire::json::{Numbers, parse};
use presight_wire::{Request, jcs};
use serde_json::json;

fuzz_target!(|bytes: &[u8]| {
    let Ok(typed_data) = parse(bytes, Numbers::Exact) else { return };
    let account = "0x4ddad24756816b972899a5eda789e0343e014db9";
    let request = json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls",
            "chainId": "eip155:1",
            "from": format!("eip155:1:{account}"),
            "calls": [],
            "typedData": typed_data,
        },
    });
    let Ok(request) = Request::from_value(request) else { return };
    let Ok(decoded) = decode(&request) else { return };
    let again = Request::parse(&jcs::canonical(request.value())).expect("canonical bytes are accepted again");
    let again = decode(&again).expect("what was decoded is decoded again");
    assert_eq!(again.entities, decoded.entities);
    let digests = |d: &presight_decode::Decoded| d.typed_data.as_ref().map(|t| t.digests.clone());
    assert_eq!(digests(&again), digests(&decoded));
});
