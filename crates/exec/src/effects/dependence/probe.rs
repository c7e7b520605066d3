//! How much gas each call is given, when there is to be less and less.

use crate::simulate::{Outcome, Status};

/// Simulations with less gas.
const MAX_GAS_PROBES: usize = 16;
/// What of the gas used is tried first, in 64ths; below a whole the calls succeed only if they bear that code they
/// call runs out of gas.
const STEPS: [u64; 6] = [64, 63, 60, 48, 32, 8];
/// Gas that a call with value gives along (EIP-150), which nodes add to what they estimate.
const CALL_STIPEND: u64 = 2_300;

/// A search for the least gas at which each call ends as it usually does.
pub(super) struct Probe {
    calls: Vec<Bracket>,
    tried: usize,
}

/// What is known of one call.
struct Bracket {
    used: u64,
    status: Status,
    /// The least with which it ended so.
    enough: Option<u64>,
    /// Limits with which it did not.
    failed: Vec<u64>,
}

impl Probe {
    pub(super) fn of(outcome: &Outcome) -> Self {
        let calls = outcome.calls.iter().map(|call| Bracket {
            used: call.gas_used,
            status: call.status,
            enough: None,
            failed: Vec::new(),
        });
        Self {
            calls: calls.collect(),
            tried: 0,
        }
    }

    /// The next limits to try, one a call; `None` when the least are found as well as nodes find them.
    pub(super) fn next(&mut self) -> Option<Vec<u64>> {
        let index = self.tried;
        if index >= MAX_GAS_PROBES {
            return None;
        }
        self.tried += 1;
        let calls = self.calls.iter();
        Some(match index.checked_sub(1) {
            None => calls.map(Bracket::estimate).collect(),
            Some(step) if step < STEPS.len() => calls.map(|call| call.used / 64 * STEPS[step]).collect(),
            Some(_) if !calls.clone().any(Bracket::is_wide) => return None,
            Some(_) => calls.map(Bracket::middle).collect(),
        })
    }

    /// Takes over how the calls ended with these limits; whether all of them had enough, so that what they did can be
    /// compared.
    pub(super) fn learn(&mut self, limits: &[u64], ended: &Outcome) -> bool {
        let mut all = true;
        for ((call, limit), end) in self.calls.iter_mut().zip(limits).zip(&ended.calls) {
            if end.status == call.status || end.status == Status::Success {
                call.enough = Some(call.enough.map_or(*limit, |least| least.min(*limit)));
            } else {
                call.failed.push(*limit);
                all = false;
            }
        }
        all
    }
}

impl Bracket {
    /// What a node tries first: what was used with the stipend, and the 64th of it that no inner call is given.
    fn estimate(&self) -> u64 {
        let used = self.used.saturating_add(CALL_STIPEND);
        used.saturating_add(used / 63)
    }

    /// Too little, and enough.
    fn gap(&self) -> (u64, u64) {
        let high = self.enough.unwrap_or_else(|| self.used.saturating_mul(2));
        let below = self.failed.iter().copied().filter(|limit| *limit < high);
        (below.max().unwrap_or(0), high)
    }

    fn is_wide(&self) -> bool {
        let (low, high) = self.gap();
        high - low > high / 64 + 1
    }

    fn middle(&self) -> u64 {
        let (low, high) = self.gap();
        low + (high - low) / 2
    }
}
