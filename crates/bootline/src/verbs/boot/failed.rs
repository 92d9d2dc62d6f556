// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot that could not be carried out, as a failure of the command.
use bootline_images::systems::SystemError;
use bootline_input::{Exit, Failure};
use bootline_lab::boot::BootError;
use bootline_lab::module::ModuleError;

/// The error to show for a failed boot.
pub fn failed(error: &BootError) -> Failure {
    let exit = match error {
        BootError::Kernel { .. }
        | BootError::UnknownImage { .. }
        | BootError::Initrd { .. }
        | BootError::DeviceTree { .. }
        | BootError::Module(ModuleError::Read { .. } | ModuleError::TooLarge { .. } | ModuleError::KernelModules(_)) => {
            Exit::INPUT
        }
        BootError::PacedAndIcount
        | BootError::IcountWithInitrd
        | BootError::NoKvm { .. }
        | BootError::NoDeviceTree { .. }
        | BootError::LoaderArch { .. }
        | BootError::LoaderWords { .. }
        | BootError::LoaderGzip
        | BootError::LoaderMemory { .. }
        | BootError::NeedsLabInit { .. }
        | BootError::NeedsInitramfs { .. }
        | BootError::NotBuiltIn { .. }
        | BootError::NeedsLine { .. }
        | BootError::NotCounted
        | BootError::AddedMemory { .. }
        | BootError::Module(_)
        | BootError::BaudOutOfRange { .. }
        | BootError::System(SystemError::Change { .. })
        | BootError::DirInUse { .. } => Exit::USAGE,
        _ => Exit::LAB,
    };
    let failure = Failure::new(exit, error.to_string());
    let not_found = |e: &std::io::Error| e.kind() == std::io::ErrorKind::NotFound;
    if matches!(error, BootError::Kernel { source, .. } if not_found(source)) {
        return failure.hint(
            "name an image, a stock kernel by its series, or one that was built here: `bootline kernels` lists them",
        );
    }
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
