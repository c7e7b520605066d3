//! The rules a chain runs under.

use presight_wire::ChainId;

/// The rules a chain runs under; the word of the view file's `spec`. Ordered by activation on Ethereum mainnet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum HardFork {
    /// Frontier.
    Frontier,
    /// Homestead.
    Homestead,
    /// Tangerine Whistle.
    Tangerine,
    /// Spurious Dragon.
    SpuriousDragon,
    /// Byzantium.
    Byzantium,
    /// Constantinople with Petersburg.
    Petersburg,
    /// Istanbul.
    Istanbul,
    /// Berlin.
    Berlin,
    /// London.
    London,
    /// Paris, the merge.
    Paris,
    /// Shanghai.
    Shanghai,
    /// Cancun.
    Cancun,
    /// Prague.
    Prague,
    /// Osaka: the newest. What runs under older rules has no instruction that it lacks.
    #[default]
    Osaka,
}

impl HardFork {
    /// All, oldest first.
    pub const ALL: [Self; 14] = [
        Self::Frontier,
        Self::Homestead,
        Self::Tangerine,
        Self::SpuriousDragon,
        Self::Byzantium,
        Self::Petersburg,
        Self::Istanbul,
        Self::Berlin,
        Self::London,
        Self::Paris,
        Self::Shanghai,
        Self::Cancun,
        Self::Prague,
        Self::Osaka,
    ];

    /// The word of the view file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Frontier => "frontier",
            Self::Homestead => "homestead",
            Self::Tangerine => "tangerine",
            Self::SpuriousDragon => "spurious_dragon",
            Self::Byzantium => "byzantium",
            Self::Petersburg => "petersburg",
            Self::Istanbul => "istanbul",
            Self::Berlin => "berlin",
            Self::London => "london",
            Self::Paris => "paris",
            Self::Shanghai => "shanghai",
            Self::Cancun => "cancun",
            Self::Prague => "prague",
            Self::Osaka => "osaka",
        }
    }

    /// The fork with this word, in any letter case. `merge` is another word for `paris`.
    pub fn parse(word: &str) -> Option<Self> {
        if word.eq_ignore_ascii_case("merge") {
            return Some(Self::Paris);
        }
        Self::ALL
            .into_iter()
            .find(|fork| fork.as_str().eq_ignore_ascii_case(word))
    }

    /// The rules in force on a chain at a block, when nothing else is said: Ethereum mainnet by its own schedule,
    /// other chains the newest.
    pub fn scheduled(chain: &ChainId, number: u64, timestamp: u64) -> Self {
        if chain.evm_id() == Some(1) {
            mainnet(number, timestamp)
        } else {
            Self::default()
        }
    }
}

/// Ethereum mainnet's activations: by block up to Paris, by time after it.
fn mainnet(number: u64, timestamp: u64) -> HardFork {
    const BY_TIME: [(u64, HardFork); 4] = [
        (1_764_798_551, HardFork::Osaka),
        (1_746_612_311, HardFork::Prague),
        (1_710_338_135, HardFork::Cancun),
        (1_681_338_455, HardFork::Shanghai),
    ];
    const BY_BLOCK: [(u64, HardFork); 9] = [
        (15_537_394, HardFork::Paris),
        (12_965_000, HardFork::London),
        (12_244_000, HardFork::Berlin),
        (9_069_000, HardFork::Istanbul),
        (7_280_000, HardFork::Petersburg),
        (4_370_000, HardFork::Byzantium),
        (2_675_000, HardFork::SpuriousDragon),
        (2_463_000, HardFork::Tangerine),
        (1_150_000, HardFork::Homestead),
    ];
    let by_time = BY_TIME.iter().find(|(from, _)| timestamp >= *from);
    let by_block = BY_BLOCK.iter().find(|(from, _)| number >= *from);
    by_time.or(by_block).map_or(HardFork::Frontier, |(_, fork)| *fork)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip_in_any_case() {
        for fork in HardFork::ALL {
            assert_eq!(HardFork::parse(fork.as_str()), Some(fork));
            assert_eq!(HardFork::parse(&fork.as_str().to_uppercase()), Some(fork));
        }
        assert_eq!(HardFork::parse("MERGE"), Some(HardFork::Paris));
        assert_eq!(HardFork::parse("atlantis"), None);
    }

    #[test]
    fn mainnet_changes_rules_exactly_at_its_activations() {
        let mainnet = ChainId::evm(1);
        let at = |number, timestamp| HardFork::scheduled(&mainnet, number, timestamp);
        assert_eq!(at(0, 0), HardFork::Frontier);
        assert_eq!(at(1_149_999, 1_457_981_342), HardFork::Frontier);
        assert_eq!(at(1_150_000, 1_457_981_393), HardFork::Homestead);
        assert_eq!(at(12_964_999, 1_628_166_812), HardFork::Berlin);
        assert_eq!(at(15_537_394, 1_663_224_179), HardFork::Paris);
        assert_eq!(at(17_034_869, 1_681_338_443), HardFork::Paris);
        assert_eq!(at(17_034_870, 1_681_338_455), HardFork::Shanghai);
        assert_eq!(at(22_431_084, 1_746_612_311), HardFork::Prague);
        assert_eq!(at(23_935_694, 1_764_798_551), HardFork::Osaka);
        assert_eq!(HardFork::scheduled(&ChainId::evm(10), 5, 5), HardFork::Osaka);
    }
}
