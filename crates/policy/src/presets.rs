//! The policies that come with Presight: plain files under `policies/`, to be used, read, copied and changed.

/// A preset: its name and its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name, which is also the file's.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "traffic-light",
        text: include_str!("../../../policies/traffic-light.toml"),
    },
    Preset {
        name: "tiers",
        text: include_str!("../../../policies/tiers.toml"),
    },
    Preset {
        name: "erc8265",
        text: include_str!("../../../policies/erc8265.toml"),
    },
    Preset {
        name: "strict",
        text: include_str!("../../../policies/strict.toml"),
    },
];

/// The preset with this name.
pub fn preset(name: &str) -> Option<Preset> {
    PRESETS.iter().copied().find(|preset| preset.name == name)
}
