//! Reports over recorded views.

use alloy_primitives::{Address, U256};
use presight_source::Config;
use presight_view::{Snapshot, file, run_recorded};
use presight_wire::report::Source;
use presight_wire::{AccountId, Report, Request};
use serde_json::Value;

/// The report on a request, which keeps the structure of the text and is the same from its own witness.
pub(crate) fn report(snapshot: &Snapshot, request: Value, config: &Config) -> Report {
    let request = Request::from_value(request).unwrap();
    let decoded = presight_decode::decode(&request).unwrap();
    let nobody = AccountId::new(request.chain().clone(), Address::ZERO);
    let source = Source {
        registry: nobody.clone(),
        agent_id: U256::ZERO,
        signer: nobody,
    };
    let make = |snapshot: &Snapshot| {
        let driven = run_recorded(snapshot, |view| {
            presight_source::assemble(view, &request, &decoded, &source, config).unwrap()
        });
        let witness = file::to_json(&driven.witness());
        (driven.value, witness)
    };
    let (report, witness) = make(snapshot);
    presight_source::sign::check_structure(&report, &request).unwrap();
    let (again, _) = make(&file::parse(witness.as_bytes()).unwrap().snapshot);
    assert_eq!(again.to_value(), report.to_value(), "the witness gives the same");
    report
}
