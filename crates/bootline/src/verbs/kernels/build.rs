// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline kernels build`
use bootline_images::arch::Arch;
use bootline_images::kernels::BuiltName;
use bootline_images::kernels::build::{
    ConfigBase, FragmentName, KernelBuild, KernelBuildError, SourceName, build as build_kernel,
};
use bootline_input::{Exit, Failure};
use bootline_report::JsonLine;
use bootline_terminal::{Terminal, cancel_on_signals};

use super::documents::kernel_json;
use super::place::{StoreArgs, failure, open};
use crate::build_steps::BuildSteps;
use crate::output_file::print;

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Build {
    /// What to call it: `bootline boot --kernel NAME`
    name: BuiltName,
    /// The source: the series of Debian's newest package, a kernel tree, or a tar archive of one
    #[arg(long, value_name = "SERIES|DIR|FILE", default_value = "6.12")]
    from: SourceName,
    /// The configuration to start from: tiny (what the lab's machine needs, built in, and nothing else), stock
    /// (Debian's), defconfig (the source's own), or a .config
    #[arg(long, value_name = "BASE|FILE", default_value_t = ConfigBase::Tiny)]
    base: ConfigBase,
    /// Options on top of it: a fragment of bootline (see below) or a file; may be given several times, the last one wins
    #[arg(long = "fragment", value_name = "NAME|FILE")]
    fragments: Vec<FragmentName>,
    /// The architecture: amd64 or arm64
    #[arg(long, default_value = "amd64")]
    arch: Arch,
    /// Number of compilers to run at once [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    place: StoreArgs,
}

const AFTER_HELP: &str = "\
Fragments:
  ip-pnp       ip= on the command line: the kernel configures the network before init
  ubi-fastmap  UBI attaches by a map instead of a scan; with UBIFS and block2mtd
  detect-irq   the 8250 driver probes the interrupt of each port
  debug        lock debugging and slow checks: a debug kernel next to its release build

The build runs in the cache, as this user. It prints an estimate once it has compiled the first
objects; Ctrl-C interrupts it, and the same command continues. An option that the source's Kconfig
drops is an error that names the reason. Debug information and signatures of modules are switched
off unless a fragment asks for them. `scripts/setup kernel-source` installs what a build needs.

Examples:
  bootline kernels build tiny
  bootline kernels build tiny-ip --fragment ip-pnp --fragment detect-irq
  bootline kernels build own --from ~/linux --base .config --fragment debug
  bootline boot --kernel tiny --system busybox --no-initramfs -o tiny";

pub fn run(args: &Build, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(&args.place)?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let request = KernelBuild {
        name: args.name.clone(),
        arch: args.arch,
        source: args.from.clone(),
        base: args.base.clone(),
        fragments: args.fragments.clone(),
        jobs: args.jobs.map_or(processors, usize::from),
    };
    let cancel = cancel_on_signals()?;
    let mut steps = BuildSteps::new(terminal);
    let built = build_kernel(&store, &request, &cancel, &mut |p| steps.tell(&p.to_string(), p.counts()));
    steps.end();
    let kernel = built.map_err(|e| failed(&e))?;
    match args.place.json {
        true => print(&JsonLine(kernel_json(&kernel)))?,
        false => print(&format!("{}\n", kernel.path.display()))?,
    };
    Ok(Exit::FINE)
}

fn failed(error: &KernelBuildError) -> Failure {
    let exit = match error {
        KernelBuildError::Arch { .. } => Exit::USAGE,
        KernelBuildError::ConfigLine { .. }
        | KernelBuildError::Fragment { .. }
        | KernelBuildError::Base { .. }
        | KernelBuildError::EmptyBase { .. }
        | KernelBuildError::Archive { .. }
        | KernelBuildError::NotASource { .. }
        | KernelBuildError::UncleanSource { .. }
        | KernelBuildError::Refused { .. } => Exit::INPUT,
        _ => Exit::LAB,
    };
    failure(exit, &error.to_string(), error.hint())
}

#[cfg(test)]
mod tests {
    use bootline_images::kernels::build::SHIPPED;

    use super::*;

    #[test]
    fn the_help_lists_the_fragments() {
        for fragment in SHIPPED {
            assert!(AFTER_HELP.contains(&format!("  {:11}  {}\n", fragment.name, fragment.about)), "{}", fragment.name);
        }
    }
}
