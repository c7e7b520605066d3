//! EIP-7702 authorization lists applied to the pinned state (I-27).
