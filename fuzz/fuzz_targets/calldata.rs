//! Decoding calldata: it never panics, never refuses, and a call of no known function yields nothing but its target.

#![no_main]

use libfuzzer_sys::fuzz_target;
use presight_decode::decode;
use presight_wire::Request;
use serde_json::json;

fuzz_target!(|data: &[u8]| {
    let account = "0x4ddad24756816b972899a5eda789e0343e014db9";
    let data: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
    let request = json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls",
            "chainId": "eip155:1",
            "from": format!("eip155:1:{account}"),
            "calls": [{ "to": account, "value": "0", "data": format!("0x{data}") }],
        },
    });
    let Ok(request) = Request::from_value(request) else { return };
    let decoded = decode(&request).expect("calldata is never a reason to refuse");
    assert_eq!(decoded.entities.approvals.len(), decoded.grants.len());
    if decoded.calls[0].signature.is_none() {
        assert!(decoded.calls[0].opaque || data.is_empty());
        assert!(decoded.calls[0].inner.is_empty() && decoded.calls[0].commands.is_empty());
        assert_eq!(decoded.entities.addresses.len(), 1);
        assert!(decoded.entities.tokens.is_empty() && decoded.transfers.is_empty());
    }
});
