//! The policies a service offers.

use crate::config::{ConfigError, PoliciesConfig};
use presight_policy::Policy;
use presight_policy::limits::MAX_POLICY_BYTES;
use presight_policy::presets::PRESETS;
use std::collections::BTreeMap;
use std::path::Path;

/// Policies by name: the presets, and those of the folder, which may not take a preset's name.
#[derive(Debug)]
pub(crate) struct Policies {
    by_name: BTreeMap<String, Policy>,
    default: Policy,
}

impl Policies {
    pub(crate) fn load(config: &PoliciesConfig) -> Result<Self, ConfigError> {
        let mut by_name = BTreeMap::new();
        for preset in PRESETS {
            let policy = Policy::load(preset.text)
                .map_err(|e| ConfigError::new(e.code, preset.name, e.to_string()))?;
            by_name.insert(preset.name.to_owned(), policy);
        }
        if let Some(folder) = &config.folder {
            add_files(folder, &mut by_name)?;
        }
        let default = by_name.get(&config.default).cloned().ok_or_else(|| {
            let message = format!("there is no policy `{}`", config.default.escape_debug());
            ConfigError::new("unknown-policy", "policy", message)
        })?;
        Ok(Self { by_name, default })
    }

    pub(crate) fn default(&self) -> &Policy {
        &self.default
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Policy> {
        self.by_name.get(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Policy> {
        self.by_name.values()
    }
}

fn add_files(folder: &Path, by_name: &mut BTreeMap<String, Policy>) -> Result<(), ConfigError> {
    let unreadable = |e: std::io::Error| ConfigError::new("unreadable-file", folder.display(), e.to_string());
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let refused = |code, message: String| ConfigError::new(code, path.display(), message);
        let text = std::fs::read_to_string(&path).map_err(|e| refused("unreadable-file", e.to_string()))?;
        if text.len() > MAX_POLICY_BYTES {
            let message = format!("it is larger than MAX_POLICY_BYTES = {MAX_POLICY_BYTES}");
            return Err(refused("too-large", message));
        }
        let policy = Policy::load(&text).map_err(|e| refused(e.code, e.to_string()))?;
        let name = policy.name().to_owned();
        if by_name.insert(name.clone(), policy).is_some() {
            return Err(refused(
                "policy-given-twice",
                format!("there already is a policy `{name}`"),
            ));
        }
    }
    Ok(())
}
