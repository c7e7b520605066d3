//! Universal Router: its entry functions, and the inputs of its commands as functions of the commands' names.
#![allow(missing_docs, unreachable_pub, reason = "generated from the interfaces below")]

use alloy_sol_types::sol;

sol! {
    interface Router {
        function execute(bytes commands, bytes[] inputs) external payable;
    }

    interface RouterDeadline {
        function execute(bytes commands, bytes[] inputs, uint256 deadline) external payable;
    }

    interface Commands {
        function swapPath(address recipient, uint256 amount, uint256 limit, bytes path, bool payerIsUser) external;
        function swapTokens(address recipient, uint256 amount, uint256 limit, address[] path, bool payerIsUser)
            external;
        function permit2TransferFrom(address token, address recipient, uint160 amount) external;
        function pay(address token, address recipient, uint256 amount) external;
        function wrap(address recipient, uint256 amount) external;
        function balanceCheck(address owner, address token, uint256 minBalance) external;
        function sweepErc721(address token, address recipient, uint256 id) external;
        function sweepErc1155(address token, address recipient, uint256 id, uint256 amount) external;
        function v4Swap(bytes actions, bytes[] params) external;
        function executeSubPlan(bytes commands, bytes[] inputs) external;
    }
}
