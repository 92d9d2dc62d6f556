// SPDX-License-Identifier: MIT OR Apache-2.0
//! Building a kernel, of a source whose makefile behaves like the kernel's and compiles three files.
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use bootline_images::arch::Arch;
use bootline_images::kernels::build::{KernelBuild, KernelBuildError, KernelBuildProgress, SourceName, build};
use bootline_images::kernels::{Kernel, Store};

/// As kbuild does: says what it compiles, writes below O only, and drops an option without a word.
const MAKEFILE: &str = r#"
VERSION = 6
PATCHLEVEL = 12
SUBLEVEL = 7
OBJECTS := $(addprefix $(O)/,init/main.o a.o b.o c.o)

allnoconfig alldefconfig:
	grep -v "^CONFIG_FASTMAP=$$(grep -q 'depends on MTD' Kconfig || echo no)" $(KCONFIG_ALLCONFIG) >$(O)/config.new
	cmp -s $(O)/config.new $(O)/.config || cp $(O)/config.new $(O)/.config
prepare:
	@echo '  HOSTCC  scripts/x.o'
init/: $(O)/init/main.o
$(O)/%.o: %.c
	@echo '  CC      $*.o'
	@mkdir -p $(dir $@)
	@! grep -H -n 'error:' $<
	@while [ -e slow ]; do sleep 0.05; done
	@cp $< $@
bzImage: $(OBJECTS) $(O)/.config
	@mkdir -p $(O)/arch/x86/boot $(O)/include/config
	@cat $(OBJECTS) >$(O)/arch/x86/boot/bzImage
	@echo kernel/drivers/block/virtio_blk.ko >$(O)/modules.builtin
	@echo '6.12.7'$$(sed -n 's/^CONFIG_LOCALVERSION="\(.*\)"/\1/p' $(O)/.config) >$(O)/include/config/kernel.release
	@echo map >$(O)/System.map
modules:
modules_install:
	@mkdir -p $(INSTALL_MOD_PATH)/lib/modules/$$(cat $(O)/include/config/kernel.release)/kernel/drivers
	@echo module >$(INSTALL_MOD_PATH)/lib/modules/$$(cat $(O)/include/config/kernel.release)/kernel/drivers/x.ko
.PHONY: allnoconfig alldefconfig prepare init/ bzImage modules modules_install
"#;

const KCONFIG: &str = "config FASTMAP\n\tbool \"Fastmap\"\n\tdepends on MTD\n";

struct Host {
    folder: tempfile::TempDir,
    store: Store,
}

impl Host {
    fn new() -> Host {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("linux");
        fs::create_dir_all(tree.join("init")).unwrap();
        let files = [
            ("Makefile", MAKEFILE),
            ("Kconfig", KCONFIG),
            ("Kbuild", "obj-y += init/ a.o b.o c.o\n"),
            ("init/Makefile", "obj-y := main.o\n"),
            ("init/main.c", "main\n"),
            ("a.c", "a\n"),
            ("b.c", "b\n"),
            ("c.c", "c\n"),
        ];
        for (path, text) in files {
            fs::write(tree.join(path), text).unwrap();
        }
        let store = Store::open(&folder.path().join("cache")).unwrap();
        Host { folder, store }
    }

    fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join("linux").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.file(path), text).unwrap();
    }

    fn request(&self, fragment: &str) -> KernelBuild {
        let path = self.folder.path().join("own.config");
        fs::write(&path, fragment).unwrap();
        KernelBuild {
            name: "own".parse().unwrap(),
            arch: Arch::Amd64,
            source: SourceName::Own(self.file("")),
            base: "tiny".parse().unwrap(),
            fragments: vec![path.to_str().unwrap().parse().unwrap()],
            jobs: 1,
        }
    }

    fn build(&self, fragment: &str) -> (Result<Kernel, KernelBuildError>, Vec<String>) {
        let mut steps = Vec::new();
        let mut told = |step: KernelBuildProgress| steps.push(step.to_string());
        let built = build(&self.store, &self.request(fragment), &AtomicBool::new(false), &mut told);
        (built, steps)
    }

    fn own(&self) -> Option<Kernel> {
        self.store.built(&"own".parse().unwrap(), None).ok()
    }

    /// What the last run of make for the image said.
    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("cache/build/amd64-own/compile.log")).unwrap()
    }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn an_architecture_without_builds_is_refused_before_anything_is_made() {
    let host = Host::new();
    let request = KernelBuild { arch: Arch::Armhf, ..host.request("") };
    let error = build(&host.store, &request, &AtomicBool::new(false), &mut |step| panic!("{step}")).unwrap_err();
    assert_eq!(error.to_string(), "kernels are not built for armhf, only for amd64 and arm64");
    assert!(error.hint().unwrap().contains("`--kernel armhf:6.12`"));
    assert!(!host.folder.path().join("cache/build").exists());
}

#[test]
fn what_is_built_is_in_the_cache_under_its_name() {
    let host = Host::new();
    assert!(host.own().is_none() && host.store.all_built().0.is_empty());
    let (built, steps) = host.build("CONFIG_MODULES=y\nCONFIG_PREEMPT_RT=y\n");
    let kernel = built.unwrap();
    assert_eq!(host.own().as_ref(), Some(&kernel));
    assert_eq!(host.store.all_built().0.first(), Some(&kernel));
    assert_eq!((kernel.name().as_str(), kernel.release.as_str()), ("amd64:own", "6.12.7-own"));
    assert_eq!(kernel.series.to_string(), "6.12-rt", "by its makefile and its configuration");
    assert_eq!(text(&kernel.path), "main\na\nb\nc\n");
    assert!(text(kernel.config_path.as_ref().unwrap()).contains("CONFIG_PREEMPT_RT=y\n"));
    let home = kernel.path.parent().unwrap();
    assert_eq!(text(&home.join("System.map")), "map\n");
    assert!(home.ends_with("cache/amd64/built/own/1"), "{}", home.display());
    let modules = host.store.modules(&kernel, &mut |step| panic!("{step}")).unwrap();
    assert!(modules.join("kernel/drivers/x.ko").is_file(), "{}", modules.display());
    let estimate = steps.iter().find(|s| s.starts_with("about ")).unwrap();
    assert!(estimate.contains("for about 4 objects"), "{estimate}");
    let built = kernel.built.unwrap();
    assert_eq!((built.base.as_str(), built.objects, built.jobs), ("tiny", 4, 1));

    // One without modules has a place for them, which is what a system asks for.
    let (built, steps) = host.build("");
    let kernel = built.unwrap();
    assert!(!host.log().contains("  CC "), "a changed configuration alone compiles nothing here: {}", host.log());
    assert!(!steps.iter().any(|s| s.starts_with("continuing ")), "it was finished: {steps:?}");
    assert_eq!(kernel.built.as_ref().unwrap().objects, 0);
    let modules = host.store.modules(&kernel, &mut |step| panic!("{step}")).unwrap();
    assert!(modules.join("kernel").is_dir());
    assert_eq!(text(&modules.join("modules.builtin")), "kernel/drivers/block/virtio_blk.ko\n");
    assert_eq!(host.store.all_built().0, [kernel]);
}

#[test]
fn what_an_experiment_has_resolved_stays_in_place() {
    let host = Host::new();
    let first = host.build("").0.unwrap();
    host.write("a.c", "changed\n");
    let (second, steps) = host.build("");
    let second = second.unwrap();
    assert_eq!((text(&first.path), text(&second.path)), ("main\na\nb\nc\n".into(), "main\nchanged\nb\nc\n".into()));
    assert_eq!(host.own().as_ref(), Some(&second));
    assert_eq!(second.built.as_ref().unwrap().objects, 1, "{steps:?}");
    let third = host.build("").0.unwrap();
    assert!(!first.path.exists() && second.path.is_file() && third.path.is_file());
    // Numbers, not names, in the order of building.
    for _ in 0..8 {
        host.build("").0.unwrap();
    }
    assert!(host.own().unwrap().path.ends_with("own/11/vmlinuz"));
}

#[test]
fn damage_is_named_and_never_repaired_from_elsewhere() {
    let host = Host::new();
    let kernel = host.build("CONFIG_MODULES=y\n").0.unwrap();
    let name = "own".parse().unwrap();
    let home = kernel.path.parent().unwrap();
    let module = home.join("modules/lib/modules/6.12.7-own/kernel/drivers/x.ko");
    let refused = |reason: &str| {
        let error = host.store.modules(&kernel, &mut |step| panic!("{step}")).unwrap_err();
        assert!(error.to_string().starts_with("the kernel `own` that was built here is damaged"), "{error}");
        assert!(error.to_string().ends_with(reason), "{error}");
        let hint = error.hint().unwrap();
        let tree = host.file("");
        let expected = format!("`bootline kernels build own --from {} --base tiny --fragment ", tree.display());
        assert!(hint.contains(&expected), "{hint}");
    };
    fs::write(&module, "damaged").unwrap();
    refused("its modules are not those that were built");
    fs::remove_dir_all(home.join("modules")).unwrap();
    refused("it has no modules");
    fs::write(&kernel.path, "damaged").unwrap();
    assert!(host.store.built(&name, None).unwrap_err().hint().unwrap().contains("--base tiny"));
    let (sound, damaged) = host.store.all_built();
    assert_eq!((sound.len(), damaged.len()), (0, 1));
    fs::write(home.join("kernel.json"), "{}").unwrap();
    let hint = host.store.built(&name, None).unwrap_err().hint().unwrap();
    assert_eq!(hint, "build it again with the same options: `bootline kernels build own`");
    let none = host.store.built(&"none".parse().unwrap(), Some(Arch::Arm64)).unwrap_err().hint().unwrap();
    assert!(none.starts_with("build it: `bootline kernels build none --arch arm64`; "), "{none}");
}

#[test]
fn a_request_that_is_wrong_fetches_nothing() {
    let host = Host::new();
    let nowhere = host.store.clone().with_mirror("file:/nonexistent/debian");
    let series = KernelBuild { source: "6.12".parse().unwrap(), ..host.request("") };
    let refused = |request: &KernelBuild| {
        let mut told = |step: KernelBuildProgress| panic!("{step}");
        build(&nowhere, request, &AtomicBool::new(false), &mut told).unwrap_err().to_string()
    };
    let base = KernelBuild { base: "tyny".parse().unwrap(), ..series.clone() };
    assert!(refused(&base).starts_with("can't read the base `tyny`: "), "{}", refused(&base));
    let fragment = KernelBuild { fragments: vec!["ip-pnp,debug".parse().unwrap()], ..series };
    assert!(refused(&fragment).starts_with("can't read the fragment `ip-pnp,debug`: "), "{}", refused(&fragment));
    let left = fs::read_dir(host.folder.path().join("cache")).unwrap().count();
    assert_eq!(left, 0, "no folder and no lock");
}

#[test]
fn what_follows_from_the_source_is_configured_again() {
    let host = Host::new();
    assert!(host.build("CONFIG_FASTMAP=y\n").0.is_err());
    host.write("Kconfig", "config FASTMAP\n\tbool \"Fastmap\"\n");
    let kernel = host.build("CONFIG_FASTMAP=y\n").0.unwrap();
    assert!(text(kernel.config_path.as_ref().unwrap()).contains("CONFIG_FASTMAP=y\n"));

    // The same text as a base of one's own has other defaults, which is another make.
    let base = host.folder.path().join("base.config");
    fs::copy(kernel.config_path.as_ref().unwrap(), &base).unwrap();
    let request = KernelBuild { base: base.to_str().unwrap().parse().unwrap(), ..host.request("CONFIG_FASTMAP=y\n") };
    let other = build(&host.store, &request, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let (of_tiny, of_base) = (kernel.built.unwrap(), other.built.unwrap());
    assert_eq!(of_base.base, base.to_str().unwrap());
    assert_ne!(of_base.recipe, of_tiny.recipe);
}

#[test]
fn an_option_that_is_dropped_is_named_with_its_reason() {
    let host = Host::new();
    let error = host.build("CONFIG_FASTMAP=y\n").0.unwrap_err().to_string();
    let expected = "Kconfig refused 1 option:\n  CONFIG_FASTMAP=y: dropped; it depends on MTD, and MTD=n";
    assert_eq!(error, expected);
    // Again, although the configuration has not changed since.
    assert_eq!(host.build("CONFIG_FASTMAP=y\n").0.unwrap_err().to_string(), expected);
    assert!(host.own().is_none());
    assert!(host.build("# CONFIG_FASTMAP is not set\n").0.is_ok());
}

#[test]
fn a_compiler_that_fails_is_quoted_and_the_build_goes_on_once_it_does_not() {
    let host = Host::new();
    host.write("b.c", "b error: no such thing\n");
    let (failed, _) = host.build("");
    let error = failed.unwrap_err();
    let log = host.folder.path().join("cache/build/amd64-own/compile.log").canonicalize().unwrap();
    let message = error.to_string();
    assert!(message.starts_with("compiling amd64:own failed\n"), "{message}");
    assert!(message.contains("b.c:1:b error: no such thing"), "{message}");
    assert_eq!(error.hint(), Some(format!("the whole log: {}", log.display())));
    assert!(host.own().is_none());
    host.write("b.c", "b\n");
    let (built, _) = host.build("");
    assert_eq!(text(&built.unwrap().path), "main\na\nb\nc\n");
    assert!(!host.log().contains("  CC      a.o"), "{}", host.log());
}

#[test]
fn an_interrupted_build_goes_on_where_it_was() {
    let host = Host::new();
    let cancel = AtomicBool::new(false);
    let mut told = |step: KernelBuildProgress| match step {
        // The first objects are there.
        KernelBuildProgress::Estimated { .. } => host.write("slow", ""),
        KernelBuildProgress::Compiling { .. } => cancel.store(true, Ordering::SeqCst),
        _ => {}
    };
    let stopped = build(&host.store, &host.request(""), &cancel, &mut told).unwrap_err();
    assert!(matches!(stopped, KernelBuildError::Interrupted { .. }), "{stopped}");
    assert!(host.own().is_none() && host.store.all_built().0.is_empty());
    fs::remove_file(host.file("slow")).unwrap();
    let (built, steps) = host.build("");
    assert_eq!(text(&built.unwrap().path), "main\na\nb\nc\n");
    assert!(steps.iter().any(|s| s.starts_with("continuing ")), "{steps:?}");
    assert!(!host.log().contains("init/main.o"), "what was there is not compiled again: {}", host.log());

    // A build of another source of that name starts over.
    let other = Host::new();
    other.write("a.c", "other\n");
    let request = KernelBuild { source: SourceName::Own(other.file("")), ..host.request("") };
    let mut steps = Vec::new();
    let built =
        build(&host.store, &request, &AtomicBool::new(false), &mut |step| steps.push(step.to_string())).unwrap();
    assert_eq!(text(&built.path), "main\nother\nb\nc\n");
    assert!(steps[0].ends_with("is a build of another source: starting over"), "{steps:?}");
}
