//! Selectors as block explorers and the contracts' own documents print them.

use crate::call::abi::{
    ApproveAndCall, BundlerPermit, BundlerPermit2, CreditDelegation, EarlyAllowance, Erc777, Erc6909,
    SelfPermit,
};
use crate::call::nested::abi::*;
use crate::call::router::abi::{Router, RouterDeadline};
use alloy_primitives::hex;
use alloy_sol_types::SolCall;

macro_rules! selectors {
    ($($selector:literal $call:ty)+) => {
        [$((hex!($selector), <$call as SolCall>::SELECTOR, <$call as SolCall>::SIGNATURE)),+]
    };
}

#[test]
fn functions_have_their_published_selectors() {
    let selectors = selectors! {
        "558a7297" Erc6909::setOperatorCall
        "426a8493" Erc6909::approveCall
        "959b8c3f" Erc777::authorizeOperatorCall
        "fad8b32a" Erc777::revokeOperatorCall
        "c04a8a10" CreditDelegation::approveDelegationCall
        "d73dd623" EarlyAllowance::increaseApprovalCall
        "66188463" EarlyAllowance::decreaseApprovalCall
        "ac9650d8" Multicall::multicallCall
        "d2423b51" Multicall::batchCall
        "e32954eb" Multicall::multicallWithNodeCheckCall
        "5ae401dc" MulticallDeadline::multicallCall
        "1f0464d1" MulticallBlockhash::multicallCall
        "252dba42" Multicall3::aggregateCall
        "bce38bd7" Multicall3::tryAggregateCall
        "c3077fa9" Multicall3::blockAndAggregateCall
        "399542e9" Multicall3::tryBlockAndAggregateCall
        "82ad56cb" Multicall3::aggregate3Call
        "174dea71" Multicall3::aggregate3ValueCall
        "63fb0b96" MulticallTargets::multicallCall
        "caa5c23f" MulticallStructs::multicallCall
        "8d80ff0a" MultiSend::multiSendCall
        "6a761202" Safe::execTransactionCall
        "468721a7" Safe::execTransactionFromModuleCall
        "5229073f" Safe::execTransactionFromModuleReturnDataCall
        "7bb37428" Safe::executeUserOpCall
        "541d63c8" Safe::executeUserOpWithErrorStringCall
        "b61d27f6" Account::executeCall
        "9e5d4c49" Account::executeCallCall
        "0000189a" Account::execute_ncCCall
        "18dfb3c7" Account::executeBatchCall
        "2c2abd1e" Account::executeWithoutChainIdValidationCall
        "51945447" AccountOperation::executeCall
        "47e1da2a" AccountArrays::executeBatchCall
        "00004680" AccountArrays::executeBatch_y6UCall
        "34fcd5be" AccountStructs::executeBatchCall
        "3f707e6b" AccountStructs::executeCall
        "e9ae5c53" Erc7579::executeCall
        "d691c964" Erc7579::executeFromExecutorCall
        "6171d1c9" Ambire::executeCall
        "abc5345e" Ambire::executeBySenderCall
        "7a9a1628" Sequence::executeCall
        "61c2926c" Sequence::selfExecuteCall
        "134008d3" Timelock::executeCall
        "e38335e5" Timelock::executeBatchCall
        "1cff79cd" DsProxy::executeCall
        "c16ae7a4" VaultConnector::batchCall
        "1fad948c" EntryPointV6::handleOpsCall
        "4b1d7cf5" EntryPointV6::handleAggregatedOpsCall
        "765e827f" EntryPointV7::handleOpsCall
        "dbed18e0" EntryPointV7::handleAggregatedOpsCall
        "8dd7712f" AccountExecute::executeUserOpCall
        "0c53c51c" MetaTransactions::executeMetaTransactionCall
        "47153f82" MinimalForwarder::executeCall
        "df905caf" Erc2771Forwarder::executeCall
        "ccf96b4a" Erc2771Forwarder::executeBatchCall
        "24856bc3" Router::executeCall
        "3593564c" RouterDeadline::executeCall
        "f3995c67" SelfPermit::selfPermitCall
        "c2e3140a" SelfPermit::selfPermitIfNecessaryCall
        "4659a494" SelfPermit::selfPermitAllowedCall
        "a4a78f0c" SelfPermit::selfPermitAllowedIfNecessaryCall
        "cae9ca51" ApproveAndCall::approveAndCallCall
        "a184a5a3" BundlerPermit::permitCall
        "af504202" BundlerPermit2::approve2Call
    };
    let wrong: Vec<_> = selectors
        .iter()
        .filter(|(published, ours, _)| published != ours)
        .map(|(published, ours, signature)| {
            format!(
                "{} is not {}: {signature}",
                hex::encode(published),
                hex::encode(ours)
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
