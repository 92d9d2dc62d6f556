// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernel modules that the lab's init loads: the request, and how they get into the guest.
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use bootline_images::systems::{ModuleReadError, with_dependencies};

/// The list must fit init's buffer of 16 KiB, a name its message.
const MAX_LIST: usize = 16 << 10;
const MAX_NAME: usize = 100;
/// Largest module accepted, in bytes: the largest real ones (graphics) have some megabytes.
const MAX_FILE: u64 = 64 << 20;

/// A kernel module to be loaded before init's marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The file: `.ko`, or compressed (`.ko.xz`) if the guest's kernel can unpack it; or the name of one of the kernel's own
    /// (see [`with_own`]).
    pub path: PathBuf,
    /// Its parameters: `key=value key2=value2`.
    pub parameters: String,
}

/// Why a module can't be given to the guest.
#[derive(Debug, thiserror::Error)]
pub enum ModuleError {
    /// No file is named.
    #[error("no module is named in `{text}`")]
    NoFile {
        /// What was given.
        text: String,
    },
    /// The file can't be read.
    #[error("can't read module `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is too large for a module.
    #[error("module `{}` has more than {} MiB", path.display(), MAX_FILE >> 20)]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file's name cannot be part of a list of lines, or is too long.
    #[error("module `{}` needs a plain file name of at most {MAX_NAME} characters", path.display())]
    BadName {
        /// The file.
        path: PathBuf,
    },
    /// The parameters contain control characters; a newline would start the next module.
    #[error("the parameters of module `{}` contain control characters", path.display())]
    BadParameters {
        /// The file.
        path: PathBuf,
    },
    /// A name that is no module of the guest's kernel, and not built into it.
    #[error("the kernel has no module `{name}`")]
    NotOfKernel {
        /// What was given.
        name: String,
    },
    /// Parameters of a module that is built into the guest's kernel.
    #[error("`{name}` is built into the kernel: its parameters go on the command line, each as `{name}.KEY=VALUE`")]
    BuiltIn {
        /// What was given.
        name: String,
    },
    /// The kernel's own modules can't be read.
    #[error(transparent)]
    KernelModules(#[from] ModuleReadError),
    /// The modules and their parameters are too many.
    #[error("the list of modules with their parameters is longer than {MAX_LIST} bytes")]
    TooMany,
}

impl Module {
    /// The module's name: its file name.
    pub fn name(&self) -> &str {
        self.path.file_name().and_then(|n| n.to_str()).unwrap_or_default()
    }

    /// The name of one of the kernel's own modules, where no file is named: `bochs`.
    pub fn own_name(&self) -> Option<&str> {
        self.path.to_str().filter(|text| !text.contains(['/', '.']))
    }

    fn check(&self) -> Result<(), ModuleError> {
        let path = || self.path.clone();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
        let name = self.name();
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(plain) {
            return Err(ModuleError::BadName { path: path() });
        }
        if self.parameters.chars().any(char::is_control) {
            return Err(ModuleError::BadParameters { path: path() });
        }
        Ok(())
    }

    fn read(&self) -> Result<Vec<u8>, ModuleError> {
        let failed = |source| ModuleError::Read { path: self.path.clone(), source };
        let mut content = Vec::new();
        File::open(&self.path).map_err(failed)?.take(MAX_FILE + 1).read_to_end(&mut content).map_err(failed)?;
        if content.len() as u64 > MAX_FILE {
            return Err(ModuleError::TooLarge { path: self.path.clone() });
        }
        Ok(content)
    }
}

/// Replaces modules given by name with their files in the folder of the kernel's modules, each preceded by its dependencies.
/// What is built into this kernel is left out.
///
/// # Errors
/// The kernel has no such module, it is built in and has parameters, or the modules can't be read.
pub fn with_own(modules: &[Module], folder: &Path) -> Result<Vec<Module>, ModuleError> {
    let mut all: Vec<Module> = Vec::new();
    for module in modules {
        let Some(name) = module.own_name() else {
            all.push(module.clone());
            continue;
        };
        let own = with_dependencies(folder, &[name])?;
        if own.is_empty() {
            let name = || name.to_owned();
            if !is_built_in(folder, &name()) {
                return Err(ModuleError::NotOfKernel { name: name() });
            }
            if !module.parameters.is_empty() {
                return Err(ModuleError::BuiltIn { name: name() });
            }
        }
        let last = own.len().saturating_sub(1);
        for (i, needed) in own.into_iter().enumerate() {
            let parameters = if i == last { module.parameters.clone() } else { String::new() };
            // Loading a module twice fails; that is reported only if the second request has parameters.
            if !parameters.is_empty() || all.iter().all(|known| known.path != needed.path) {
                all.push(Module { path: needed.path, parameters });
            }
        }
    }
    Ok(all)
}

/// By the kernel's own list, `kernel/drivers/tty/serial/8250/8250.ko` a line.
fn is_built_in(folder: &Path, name: &str) -> bool {
    let list = std::fs::read_to_string(folder.join("modules.builtin")).unwrap_or_default();
    let plain = |name: &str| name.replace('-', "_");
    let of_line = |line: &str| line.rsplit('/').next().and_then(|file| file.strip_suffix(".ko")).map(plain);
    list.lines().any(|line| of_line(line) == Some(plain(name)))
}

/// `FILE` or `FILE KEY=VALUE...`: the file's path ends at the first blank. A name without a slash or a dot is one of the
/// kernel's own modules.
impl FromStr for Module {
    type Err = ModuleError;
    fn from_str(text: &str) -> Result<Module, ModuleError> {
        let (path, parameters) = text.trim().split_once([' ', '\t']).unwrap_or((text.trim(), ""));
        if path.is_empty() {
            return Err(ModuleError::NoFile { text: text.to_owned() });
        }
        let module = Module { path: Path::new(path).to_owned(), parameters: parameters.trim().to_owned() };
        module.check()?;
        Ok(module)
    }
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.parameters.is_empty() { Ok(()) } else { write!(f, " {}", self.parameters) }
    }
}

/// The modules as stored in the initramfs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Payload {
    /// Each file's name in the archive, and its content.
    pub files: Vec<(String, Vec<u8>)>,
    /// `/modules.list`: a line `FILE PARAMETERS` for each, in the order of loading.
    pub list: String,
}

/// Reads the modules.
pub(crate) fn payload(modules: &[Module]) -> Result<Payload, ModuleError> {
    let mut payload = Payload::default();
    for (n, module) in modules.iter().enumerate() {
        module.check()?;
        // The number distinguishes files of the same name.
        let name = format!("modules/{n}-{}", module.name());
        payload.list += &format!("/{name} {}\n", module.parameters);
        if payload.list.len() > MAX_LIST {
            return Err(ModuleError::TooMany);
        }
        payload.files.push((name, module.read()?));
    }
    Ok(payload)
}

/// The name of an error that finit_module(2) gives, and what it means for a module.
pub(crate) fn error_name(errno: i32) -> (String, &'static str) {
    let (name, meaning) = match errno {
        libc::ENOENT => ("ENOENT", "it needs a symbol that the kernel or an earlier module lacks"),
        libc::ENOEXEC => ("ENOEXEC", "it is not a module, or was built for another kernel"),
        libc::EEXIST => ("EEXIST", "it is loaded already"),
        libc::EINVAL => ("EINVAL", "the kernel understands neither its parameters nor its content"),
        libc::ENODEV => ("ENODEV", "its own init found no device"),
        libc::EBUSY => ("EBUSY", "its own init found the device in use"),
        libc::ENOMEM => ("ENOMEM", "the guest has too little memory"),
        libc::EPERM => ("EPERM", "the kernel forbids modules"),
        libc::ENOKEY => ("ENOKEY", "the kernel demands a signature that it knows"),
        libc::EKEYREJECTED => ("EKEYREJECTED", "the kernel refuses its signature"),
        libc::EOPNOTSUPP => ("EOPNOTSUPP", "the kernel can't unpack it: give it as a plain .ko"),
        libc::ENOSYS => ("ENOSYS", "the kernel has no modules"),
        _ => return (format!("errno {errno}"), "its own init failed"),
    };
    (name.to_owned(), meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, &str)>) {
        let got = text.parse::<Module>().ok();
        let got = got.as_ref().map(|m| (m.path.to_str().unwrap(), m.parameters.as_str()));
        assert_eq!(got, expected, "{text:?}");
    }

    #[test]
    fn a_module_and_its_parameters() {
        check("a/nbcon_8250.ko", Some(("a/nbcon_8250.ko", "")));
        check(" x.ko  line=0 replay=1 ", Some(("x.ko", "line=0 replay=1")));
        check("x.ko.xz debug=\"a b\"", Some(("x.ko.xz", "debug=\"a b\"")));
        for bad in ["", "  ", "a\nb.ko", "x.ko a=1\nb.ko", "/", "x;y.ko", &format!("{}.ko", "n".repeat(101))] {
            check(bad, None);
        }
    }

    #[test]
    fn the_kernels_own_come_with_what_they_depend_on_and_what_is_built_in_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &str| std::fs::write(folder.path().join(name), content).unwrap();
        write("drm-vram.ko", "\0depends=\0");
        write("bochs.ko", "\0depends=drm-vram\0");
        write("modules.builtin", "kernel/drivers/tty/serial/8250/8250.ko\n");
        let all = |texts: &[&str]| {
            let modules: Vec<Module> = texts.iter().map(|t| t.parse().unwrap()).collect();
            with_own(&modules, folder.path())
                .map(|all| all.iter().map(|m| format!("{} {}", m.name(), m.parameters)).collect::<Vec<_>>())
        };
        assert_eq!(
            all(&["b/nbcon_8250.ko replay=1", "bochs x=1", "8250", "drm_vram"]).unwrap(),
            ["nbcon_8250.ko replay=1", "drm-vram.ko ", "bochs.ko x=1"]
        );
        assert!(matches!(all(&["8250 share_irqs=1"]), Err(ModuleError::BuiltIn { name }) if name == "8250"));
        assert!(matches!(all(&["nosuch"]), Err(ModuleError::NotOfKernel { name }) if name == "nosuch"));
    }

    #[test]
    fn the_list_is_in_the_order_given_and_tells_namesakes_apart() {
        let dir = tempfile::tempdir().unwrap();
        let module = |folder: &str, parameters: &str| {
            let path = dir.path().join(folder).join("m.ko");
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, folder).unwrap();
            Module { path, parameters: parameters.to_owned() }
        };
        let payload = payload(&[module("b", "x=1 y=2"), module("a", "")]).unwrap();
        assert_eq!(payload.list, "/modules/0-m.ko x=1 y=2\n/modules/1-m.ko \n");
        let files = [("modules/0-m.ko".to_owned(), b"b".to_vec()), ("modules/1-m.ko".to_owned(), b"a".to_vec())];
        assert_eq!(payload.files, files);
    }

    #[test]
    fn what_init_can_not_take_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.ko");
        let refused = |parameters: String| payload(&[Module { path: path.clone(), parameters }]).unwrap_err();
        assert!(matches!(refused(String::new()), ModuleError::Read { .. }));
        std::fs::write(&path, "").unwrap();
        assert!(matches!(refused("x".repeat(MAX_LIST)), ModuleError::TooMany));
        // The fields are public: a Module need not come from a text.
        assert!(matches!(refused("a=1\n/init".to_owned()), ModuleError::BadParameters { .. }));
        File::create(&path).unwrap().set_len(MAX_FILE + 1).unwrap();
        assert!(matches!(refused(String::new()), ModuleError::TooLarge { .. }));
    }

    #[test]
    fn errors_have_names() {
        assert_eq!(error_name(8).0, "ENOEXEC");
        assert_eq!(error_name(4095).0, "errno 4095");
    }
}
