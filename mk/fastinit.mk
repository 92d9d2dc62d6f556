# SPDX-License-Identifier: MIT OR Apache-2.0
# The init in init/fastinit: built for its architectures, tested here and in QEMU.

FASTINIT_COMPILERS = x86_64-linux-gnu- aarch64-linux-gnu- arm-linux-gnueabihf- riscv64-linux-gnu-
FASTINIT_KERNELS = 6.12 7.2 arm64:6.12 armhf:6.12
# Boots of one kernel that all have to end.
FASTINIT_BOOTS = 200

# What `make test` boots, with SMOKE_KERNEL of mk/kernel.mk.
FASTINIT_SMOKE = build/x86_64/fastinit-patient build/x86_64/guest

## fastinit

.PHONY: fastinit fastinit-figures fastinit-layers-test fastinit-smoke fastinit-test fastinit-fuzz fastinit-boot-test fastinit-systemd-test fastinit-package-test
fastinit: ## builds init/fastinit for amd64, arm64, armhf, riscv64
	@scripts/setup fastinit
	@set -e; for prefix in $(FASTINIT_COMPILERS); do $(MAKE) --no-print-directory -C init/fastinit CROSS_COMPILE=$$prefix; done
	@find init/fastinit/build -name fastinit -size +120k | (! grep .) || (echo 'error: larger than 120 KB' >&2; false)

# One processor: with two the emulator itself fails now and then on a busy host.
fastinit-smoke: ## its parser's tests with sanitizers and valgrind; boots SMOKE_KERNEL (6.12) with it
	@scripts/setup build lab fastinit-smoke
	$(CARGO) build --locked --package bootline
	$(MAKE) -C init/fastinit parser-test
	$(MAKE) -C init/fastinit CROSS_COMPILE=x86_64-linux-gnu- $(FASTINIT_SMOKE)
	BOOTLINE=target/debug/bootline CPUS=1 init/fastinit/tests/qemu-test -p init/fastinit/build $(SMOKE_KERNEL)

# Its builds for other architectures run in an emulated process.
fastinit-test: fastinit ## its parser's tests, every system call failing once, sanitizers, valgrind (root)
	@scripts/setup build fastinit-test
	$(MAKE) -C init/fastinit test

fastinit-figures: fastinit ## prints its size, its system calls up to the first program, its memory (root); `make results` has them, too
	@scripts/setup fastinit-figures
	$(MAKE) -C init/fastinit build/$$(uname -m)/guest
	mkdir -p results/fastinit-figures
	init/fastinit/tests/figures init/fastinit/build >results/fastinit-figures/report.new
	mv results/fastinit-figures/report.new results/fastinit-figures/report.txt
	cat results/fastinit-figures/report.txt

fastinit-fuzz: ## fuzzes its parser for FUZZ_SECONDS (20)
	@scripts/setup fastinit-fuzz
	$(MAKE) -C init/fastinit fuzz FUZZ_SECONDS=$(FUZZ_SECONDS)

fastinit-boot-test: fastinit ## boots FASTINIT_KERNELS with it (fetched by `bootline kernels fetch`)
	@scripts/setup lab fastinit-test
	$(MAKE) -C init/fastinit build/x86_64/guest
	$(MAKE) -C init/fastinit CROSS_COMPILE=aarch64-linux-gnu- build/aarch64/guest
	$(MAKE) -C init/fastinit CROSS_COMPILE=arm-linux-gnueabihf- build/arm/guest
	init/fastinit/tests/qemu-test init/fastinit/build $(FASTINIT_KERNELS)
	init/fastinit/tests/qemu-test -t init/fastinit/build $(FASTINIT_KERNELS)
	init/fastinit/tests/qemu-test -n $(FASTINIT_BOOTS) init/fastinit/build $(firstword $(FASTINIT_KERNELS))

fastinit-systemd-test: fastinit ## makes a Debian with systemd and boots it with fastinit on the root and in the initramfs (root)
	@scripts/setup lab fastinit-test packaging-test
	$(MAKE) -C init/fastinit build/x86_64/guest build/x86_64/fastinit-patient
	init/fastinit/tests/systemd-test init/fastinit/build/x86_64

fastinit-package-test: ## builds its Debian package in a bare Debian, and looks into the initramfs of initramfs-tools and dracut (root)
	@scripts/setup packaging-test
	init/fastinit/tests/packaging-test

fastinit-layers-test: ## parses its Yocto layer and Buildroot tree with BitBake, oelint and Kconfig (by pip)
	@scripts/setup fastinit layers
	init/fastinit/tests/layers-test
