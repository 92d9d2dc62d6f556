// SPDX-License-Identifier: MIT OR Apache-2.0
//! Making a kernel's configuration, and checking that it is what was asked for.
use std::fs::{self, File};
use std::path::Path;

use bootline_kbuild::{ConfigFragment, KernelConfig, reasons};

use super::base::ConfigBase;
use super::error::KernelBuildError;
use super::fragment::{quick, tiny};
use super::make::Make;
use super::progress::KernelBuildProgress;
use super::request::{KernelBuild, kernel_arch};
use crate::arch::Arch;

/// What a symbol begins with in a configuration.
const PREFIX: &str = "CONFIG_";

/// The configuration of a build, before make has completed it.
pub(super) struct WantedConfig {
    /// What make is given.
    pub all: ConfigFragment,
    /// What has to take effect: what the user asked for, and what a tiny kernel consists of.
    pub checked: ConfigFragment,
    /// make's target, which says what becomes of all that is not named: it is off, or has its default.
    pub target: &'static str,
    /// What the base had and the build does not need.
    pub switched_off: Vec<String>,
}

/// What is wanted: the base, what makes builds quick, the user's fragments, and the release's end. `base` is a base that is not tiny.
pub(super) fn wanted(build: &KernelBuild, base: Option<ConfigFragment>, fragments: &[ConfigFragment]) -> WantedConfig {
    let base = base.unwrap_or_else(|| tiny(build.arch));
    let own = ConfigFragment::parse(&format!(
        "CONFIG_LOCALVERSION=\"-{}\"\n# CONFIG_LOCALVERSION_AUTO is not set\n",
        build.name
    ));
    let quick = quick();
    let switched_off = switched_off(&base, &quick, fragments);
    let is_tiny = build.base == ConfigBase::Tiny;
    // Of a foreign base nobody asked for each option; what Kconfig drops of it is not needed.
    let asked: Vec<&ConfigFragment> = if is_tiny { vec![&base] } else { vec![] };
    let checked = ConfigFragment::merged(asked.into_iter().chain(fragments).chain([&own]));
    let all = ConfigFragment::merged([&base, &quick].into_iter().chain(fragments).chain([&own]));
    // As merge_config.sh does, with and without its option -n.
    let target = if is_tiny { "allnoconfig" } else { "alldefconfig" };
    WantedConfig { all, checked, target, switched_off }
}

/// The options of a base that are switched off, in the order of the base.
fn switched_off(base: &ConfigFragment, quick: &ConfigFragment, fragments: &[ConfigFragment]) -> Vec<String> {
    let by_user = |symbol: &str| fragments.iter().flat_map(|f| &f.settings).any(|s| s.symbol == symbol);
    // DEBUG_INFO_NONE excludes all that have to do with it.
    let is_off = |symbol: &str| quick.settings.iter().any(|s| s.symbol == symbol) || symbol.starts_with("DEBUG_INFO");
    let set =
        base.settings.iter().filter(|s| !["n", "\"\""].contains(&s.value.as_str()) && s.symbol != "DEBUG_INFO_NONE");
    let off = set.filter(|s| is_off(&s.symbol) && !by_user(&s.symbol));
    off.map(|s| format!("{PREFIX}{}", s.symbol)).collect()
}

/// A finished configuration.
pub(super) struct FinishedConfig {
    /// What it sets.
    pub config: ConfigFragment,
    /// Whether it is what the folder had before.
    pub is_unchanged: bool,
}

/// Makes the configuration in the build folder, each time: it follows from the source's Kconfig files and from the compiler as well.
pub(super) fn configure(
    build: &KernelBuild,
    wanted: &WantedConfig,
    out: &Path,
    make: &Make<'_>,
    progress: &mut dyn FnMut(KernelBuildProgress),
) -> Result<FinishedConfig, KernelBuildError> {
    progress(KernelBuildProgress::Configuring);
    let path = make.folder.join("wanted.config");
    fs::write(&path, wanted.all.to_text()).map_err(KernelBuildError::file("write", &path))?;
    let config = out.join(".config");
    let before = fs::read_to_string(&config).ok();
    let written = fs::metadata(&config).and_then(|m| m.modified()).ok();
    let given = format!("KCONFIG_ALLCONFIG={}", path.display());
    make.run("configure", format!("the configuration of {}", build.label()), &[&given, wanted.target])?;
    let text = fs::read_to_string(&config).map_err(KernelBuildError::file("read", &config))?;
    let is_unchanged = before.is_some_and(|before| before == text);
    // An unchanged configuration keeps its time, and with it what has been compiled.
    if let (true, Some(written)) = (is_unchanged, written) {
        let kept = File::options().append(true).open(&config).and_then(|file| file.set_modified(written));
        kept.map_err(KernelBuildError::file("write", &config))?;
    }
    let found = ConfigFragment::parse(&text);
    let is_off = |option: &&String| {
        !found.settings.iter().any(|s| s.value != "n" && option.strip_prefix(PREFIX) == Some(&s.symbol))
    };
    let options: Vec<String> = wanted.switched_off.iter().filter(is_off).cloned().collect();
    if !options.is_empty() {
        progress(KernelBuildProgress::SwitchedOff { options });
    }
    let refused = wanted.checked.refused_by(&found);
    if refused.is_empty() {
        return Ok(FinishedConfig { config: found, is_unchanged });
    }
    let read = |path: &str| fs::read_to_string(make.source.join(path)).ok();
    let reasons = reasons(&refused, &found, kernel_arch(build.arch), &read);
    let refused = refused.into_iter().zip(reasons).map(|(r, reason)| (r.wanted, r.got, reason)).collect();
    Err(KernelBuildError::Refused { refused })
}

/// The source's own default configuration.
pub(super) fn defconfig(source: &Path, arch: Arch) -> Result<ConfigFragment, KernelBuildError> {
    let path = source.join(match arch {
        Arch::Amd64 => "arch/x86/configs/x86_64_defconfig",
        Arch::Arm64 => "arch/arm64/configs/defconfig",
        Arch::Armhf => "arch/arm/configs/multi_v7_defconfig",
    });
    let text = fs::read_to_string(&path).map_err(|source| KernelBuildError::Base { path, source })?;
    Ok(ConfigFragment::parse(&text))
}

/// The values that decide what a build needs and makes.
pub(super) fn values(config: &ConfigFragment) -> KernelConfig {
    KernelConfig::parse(&config.to_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(base: ConfigBase, fragments: &[&str]) -> KernelBuild {
        KernelBuild {
            name: "own".parse().unwrap(),
            arch: Arch::Amd64,
            source: "6.12".parse().unwrap(),
            base,
            fragments: fragments.iter().map(|f| f.parse().unwrap()).collect(),
            jobs: 1,
        }
    }

    fn wanted_of(base: ConfigBase, fragments: &[&str], text: Option<&str>) -> WantedConfig {
        let build = build(base, fragments);
        let fragments: Vec<ConfigFragment> = build.fragments.iter().map(|f| f.read().unwrap()).collect();
        wanted(&build, text.map(ConfigFragment::parse), &fragments)
    }

    #[test]
    fn a_tiny_kernel_is_all_that_it_names() {
        let wanted = wanted_of(ConfigBase::Tiny, &["detect-irq"], None);
        assert!(wanted.target == "allnoconfig" && wanted.switched_off.is_empty());
        let text = wanted.checked.to_text();
        for line in ["CONFIG_EXT4_FS=y\n", "CONFIG_SERIAL_8250_DETECT_IRQ=y\n", "CONFIG_LOCALVERSION=\"-own\"\n"] {
            assert!(text.contains(line), "{line}");
        }
    }

    #[test]
    fn what_takes_hours_or_keys_is_switched_off_unless_it_is_asked_for() {
        let base = "CONFIG_EXT4_FS=m\nCONFIG_MODULE_SIG=y\nCONFIG_DEBUG_INFO_BTF=y\nCONFIG_LOCALVERSION=\"-debian\"\n";
        let stock = wanted_of(ConfigBase::Stock, &[], Some(base));
        assert_eq!(stock.target, "alldefconfig");
        assert_eq!(stock.switched_off, ["CONFIG_MODULE_SIG", "CONFIG_DEBUG_INFO_BTF"]);
        assert!(stock.all.to_text().contains("# CONFIG_MODULE_SIG is not set\n"));
        assert!(!stock.checked.to_text().contains("EXT4"), "nobody asked for it");
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own.config");
        fs::write(&own, "CONFIG_MODULE_SIG=y\n").unwrap();
        let stock = wanted_of(ConfigBase::Stock, &[own.to_str().unwrap()], Some(base));
        assert_eq!(stock.switched_off, ["CONFIG_DEBUG_INFO_BTF"]);
        assert!(stock.all.to_text().contains("CONFIG_MODULE_SIG=y\n"));
    }
}
