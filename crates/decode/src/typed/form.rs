//! The messages that grant or move tokens, or let calls be made, recognised by their exact EIP-712 types, never by member names.

use super::types::Types;

/// A recognised form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Erc2612Permit,
    DaiPermit,
    PermitSingle,
    PermitBatch,
    /// The `PermitTransferFrom` family.
    TransferFrom {
        batch: bool,
        witness: bool,
    },
    Erc3009Transfer,
    Erc3009Receive,
    Erc3009Cancel,
    /// What a Safe executes.
    SafeTransaction,
    /// An ERC-4337 operation of a Safe, signed for its module.
    SafeUserOperation,
    /// An ERC-4337 operation, signed for entry point 0.8.
    UserOperation,
    /// A call of the verifying contract in the name of the signer.
    MetaTransaction,
    /// A call that a forwarder makes in the name of the signer (ERC-2771).
    ForwardRequest,
}

const DETAILS: &str = "PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)";
const PERMISSIONS: &str = "TokenPermissions(address token,uint256 amount)";

impl Form {
    /// The form whose `encodeType` is the primary type's.
    pub(crate) fn of(types: &Types, primary: &str) -> Option<Self> {
        let encoded = types.encode_type(primary);
        let form = match encoded.as_str() {
            "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)" => {
                Self::Erc2612Permit
            }
            "Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)" => {
                Self::DaiPermit
            }
            "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,\
             uint256 validBefore,bytes32 nonce)" => Self::Erc3009Transfer,
            "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,\
             uint256 validBefore,bytes32 nonce)" => Self::Erc3009Receive,
            "CancelAuthorization(address authorizer,bytes32 nonce)" => Self::Erc3009Cancel,
            "SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,\
             uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)"
            | "SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 dataGas,\
               uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)" => {
                Self::SafeTransaction
            }
            "SafeOp(address safe,uint256 nonce,bytes initCode,bytes callData,uint128 verificationGasLimit,\
             uint128 callGasLimit,uint256 preVerificationGas,uint128 maxPriorityFeePerGas,uint128 maxFeePerGas,\
             bytes paymasterAndData,uint48 validAfter,uint48 validUntil,address entryPoint)"
            | "SafeOp(address safe,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,\
               uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,\
               uint256 maxPriorityFeePerGas,bytes paymasterAndData,uint48 validAfter,uint48 validUntil,\
               address entryPoint)" => Self::SafeUserOperation,
            "PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,\
             bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)" => {
                Self::UserOperation
            }
            "MetaTransaction(uint256 nonce,address from,bytes functionSignature)" => Self::MetaTransaction,
            "ForwardRequest(address from,address to,uint256 value,uint256 gas,uint256 nonce,bytes data)"
            | "ForwardRequest(address from,address to,uint256 value,uint256 gas,uint256 nonce,uint48 deadline,\
               bytes data)" => Self::ForwardRequest,
            _ => return Self::of_permit2(types, primary, &encoded),
        };
        Some(form)
    }

    fn of_permit2(types: &Types, primary: &str, encoded: &str) -> Option<Self> {
        let is = |definition: &str, dependency: &str| encoded == format!("{definition}{dependency}");
        if is(
            "PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)",
            DETAILS,
        ) {
            return Some(Self::PermitSingle);
        }
        if is(
            "PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)",
            DETAILS,
        ) {
            return Some(Self::PermitBatch);
        }
        let (batch, witness) = match primary {
            "PermitTransferFrom" => (false, false),
            "PermitBatchTransferFrom" => (true, false),
            "PermitWitnessTransferFrom" => (false, true),
            "PermitBatchWitnessTransferFrom" => (true, true),
            _ => return None,
        };
        let array = if batch { "[]" } else { "" };
        let start = format!(
            "{primary}(TokenPermissions{array} permitted,address spender,uint256 nonce,uint256 deadline"
        );
        // Permit2 hashes the known members and one witness word, whatever the witness's type is.
        let members = types.get(primary)?.members.len();
        let known = types.get("TokenPermissions")?.definition("TokenPermissions") == PERMISSIONS;
        let end = if witness { "," } else { ")" };
        let recognised =
            encoded.starts_with(&format!("{start}{end}")) && members == 4 + usize::from(witness) && known;
        recognised.then_some(Self::TransferFrom { batch, witness })
    }

    /// Its name in a decoded request.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Erc2612Permit => "erc2612-permit",
            Self::DaiPermit => "dai-permit",
            Self::PermitSingle => "permit2-permit-single",
            Self::PermitBatch => "permit2-permit-batch",
            Self::TransferFrom {
                batch: false,
                witness: false,
            } => "permit2-permit-transfer-from",
            Self::TransferFrom {
                batch: true,
                witness: false,
            } => "permit2-permit-batch-transfer-from",
            Self::TransferFrom {
                batch: false,
                witness: true,
            } => "permit2-permit-witness-transfer-from",
            Self::TransferFrom {
                batch: true,
                witness: true,
            } => "permit2-permit-batch-witness-transfer-from",
            Self::Erc3009Transfer => "erc3009-transfer",
            Self::Erc3009Receive => "erc3009-receive",
            Self::Erc3009Cancel => "erc3009-cancel",
            Self::SafeTransaction => "safe-transaction",
            Self::SafeUserOperation => "safe-user-operation",
            Self::UserOperation => "user-operation",
            Self::MetaTransaction => "meta-transaction",
            Self::ForwardRequest => "forward-request",
        }
    }

    /// Whether the verifying contract has to be Permit2.
    pub(crate) fn is_permit2(self) -> bool {
        matches!(
            self,
            Self::PermitSingle | Self::PermitBatch | Self::TransferFrom { .. }
        )
    }
}

/// Whether a message that no form matches looks as if it granted or moved tokens all the same: a permit of
/// another standard (ERC-4494, a `PermitForAll`), or a known one with its members changed.
pub(crate) fn resembles_grant(types: &Types, primary: &str) -> bool {
    let named = [
        "permit",
        "approve",
        "approval",
        "transferwithauthorization",
        "receivewithauthorization",
    ];
    let name = primary.to_ascii_lowercase();
    let grantee = |name: &str, ty: &str| ty == "address" && matches!(name, "spender" | "operator");
    named.iter().any(|word| name.starts_with(word))
        || types
            .get(primary)
            .is_some_and(|s| s.members.iter().any(|m| grantee(&m.name, &m.ty.written)))
}
