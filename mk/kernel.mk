# SPDX-License-Identifier: MIT OR Apache-2.0
# The kernel modules in kernel/: built for stock Debian kernels, tested in QEMU.

# Stock kernels that the modules are built for. Once Debian drops one, its headers are made from its source (amd64, without -rt), or it is
# reported and passed over.
KERNEL = 6.12
KERNELS = 6.12 6.12-rt 7.2 7.2-rt 7.3 7.3-rt arm64:7.2 arm64:7.2-rt armhf:7.2 riscv64:7.2

# Between 6.12 and 7.2, of those whose headers Debian has dropped: it still has the source and the configuration. (Of 6.16 and 7.0 it has
# no source, of 6.19 and 7.1 no configuration; 6.17 has modversions, and what they need is in the headers only.)
DROPPED_KERNELS = 6.18

# Series between 6.12 and 7.2 of which Debian has only the source: built with kernel/small.config.
PLAIN_KERNELS = 6.17 6.19 7.1

# Kernels that only console_relay and what measures it are built for: nbcon_8250 needs 6.12 and an 8250.
RELAY_ONLY_KERNELS = 5.10 6.1 arm64:5.10 arm64:6.1 arm64:6.12

# One of each kind: the oldest, the newest, and PREEMPT_RT. The last two have an nbcon console of their own and are refused.
TEST_KERNELS = 6.12 7.2 7.2-rt 6.12-rt 7.3
TEST_CPUS = 1 2

# What console_relay is tested on; the last two refuse it.
RELAY_KERNELS = 5.10 6.1 6.12 7.2 arm64:5.10 arm64:6.1 arm64:6.12 7.2-rt 7.3

# Machines with the ports of other drivers: kernel/console_relay/tests/board.
RELAY_BOARDS = arm64:6.12@zcu102 armhf:6.12@sabrelite armhf:6.12@smdkc210
RELAY_BOARD_CASES = bench cycles full integrity oops panic sysfs warn-flush

# Machines other than a PC: kernel/nbcon_8250/tests/board.
BOARDS = riscv64:7.2 arm64:7.2 arm64:7.2@raspi3b armhf:7.2
BOARD_CASES = replay integrity cycles panic oops warn-flush sysfs
# A board whose port the module refuses.
REFUSED_BOARD = riscv64:7.2@ns16550

# What `make test` boots: the kernel of Debian's stable release, in so many cases that each part of the module works once.
SMOKE_KERNEL = 6.12
SMOKE_CASES = replay integrity panic

# Built from source, with the kernel's own checks on. Not in CI.
DEBUG_MODULE = nbcon_8250
DEBUG_KERNELS = $(if $(filter console_relay,$(DEBUG_MODULE)),6.1 7.2,6.12 7.2-rt)

## Kernel modules

.PHONY: kernel kernel-matrix kernel-matrix-dropped kernel-smoke kernel-test kernel-test-table kernel-board-test kernel-package-test kernel-layers-test kernel-debug kernel-lint kernel-relay-test kernel-relay-table
kernel: ## builds the modules for KERNEL (6.12): kernel/build/RELEASE/NAME.ko
	@scripts/setup build kernel
	@scripts/kernel-build $(KERNEL)
	$(MAKE) --no-print-directory -C kernel/uart_bench/tool BUILD=../../build

# Status 3: no headers of that series.
kernel-matrix: ## the same for all of KERNELS
	@scripts/setup kernel
	@set -e; for series in $(KERNELS); do \
		echo "== $$series" >&2; \
		scripts/kernel-build $$series || [ $$? -eq 3 ]; \
	done
	@set -e; for series in $(RELAY_ONLY_KERNELS); do \
		echo "== $$series" >&2; \
		scripts/kernel-build $$series kernel/console_relay kernel/printk_bench kernel/holdoff_meter || [ $$? -eq 3 ]; \
	done

kernel-matrix-dropped: ## the same for DROPPED_KERNELS, which takes 2 GB in the cache
	@scripts/setup kernel
	@for series in $(DROPPED_KERNELS); do echo "== $$series" >&2; scripts/kernel-build $$series || exit; done

# What is missing for building the modules is an error, not a skip.
kernel-smoke: ## boots SMOKE_KERNEL (6.12) with nbcon_8250 in a few cases
	@scripts/setup build lab kernel kernel-test
	$(CARGO) build --locked --package bootline
	kernel/nbcon_8250/tests/check-test
	BOOTLINE=target/debug/bootline kernel/nbcon_8250/tests/kernel-test $(addprefix -c ,$(SMOKE_CASES)) $(SMOKE_KERNEL)

# CASES='panic* cycles' chooses; kernel/nbcon_8250/tests/kernel-test -l lists them.
kernel-test: build ## boots TEST_KERNELS with nbcon_8250 in all its cases; CASES= chooses
	@scripts/setup lab kernel kernel-test
	kernel/nbcon_8250/tests/kernel-test $(addprefix -s ,$(TEST_CPUS)) $(foreach case,$(CASES),-c '$(case)') $(TEST_KERNELS)

# Goes on where it ended; a whole run takes hours.
kernel-test-table: RECORDED = $(addprefix -s ,$(TEST_CPUS)) -r 1 -o kernel/nbcon_8250/tests/results.tsv
kernel-test-table: build ## all cases on TEST_, DROPPED_ and PLAIN_KERNELS and BOARDS, and writes the table: kernel/nbcon_8250/tests/RESULTS.md
	@scripts/setup lab kernel kernel-test boards
	-kernel/nbcon_8250/tests/kernel-test $(RECORDED) $(TEST_KERNELS) $(DROPPED_KERNELS)
	-scripts/kernel-debug -p $(RECORDED) $(PLAIN_KERNELS)
	-kernel/nbcon_8250/tests/kernel-test $(RECORDED) $(addprefix -c ,$(BOARD_CASES)) $(BOARDS)
	-kernel/nbcon_8250/tests/kernel-test $(RECORDED) -c refuse-ns16550 $(REFUSED_BOARD)
	kernel/nbcon_8250/tests/results-table kernel/nbcon_8250/tests/results.tsv $@ kernel/nbcon_8250/tests/moments.tsv >kernel/nbcon_8250/tests/RESULTS.md

kernel-board-test: ## boots BOARDS with nbcon_8250
	@scripts/setup lab kernel kernel-test boards
	kernel/nbcon_8250/tests/kernel-test $(addprefix -s ,$(TEST_CPUS)) $(addprefix -c ,$(BOARD_CASES)) $(BOARDS)
	kernel/nbcon_8250/tests/kernel-test $(addprefix -s ,$(TEST_CPUS)) -c refuse-ns16550 $(REFUSED_BOARD)

kernel-relay-test: build ## boots RELAY_KERNELS with console_relay in all its cases, RELAY_BOARDS in some; CASES= chooses
	@scripts/setup lab kernel kernel-test boards
	kernel/console_relay/tests/kernel-test $(addprefix -s ,$(TEST_CPUS)) $(foreach case,$(CASES),-c '$(case)') $(RELAY_KERNELS)
	kernel/console_relay/tests/kernel-test $(foreach case,$(or $(CASES),$(RELAY_BOARD_CASES)),-c '$(case)') $(RELAY_BOARDS)

# Goes on where it ended; a whole run takes hours.
kernel-relay-table: RECORDED = $(addprefix -s ,$(TEST_CPUS)) -n 25 -r 1 -o kernel/console_relay/tests/results.tsv
kernel-relay-table: build ## the same, and writes the table of the results: kernel/console_relay/tests/RESULTS.md
	@scripts/setup lab kernel kernel-test boards
	-kernel/console_relay/tests/kernel-test $(RECORDED) $(RELAY_KERNELS)
	-kernel/console_relay/tests/kernel-test $(RECORDED) $(addprefix -c ,$(RELAY_BOARD_CASES)) $(RELAY_BOARDS)
	kernel/nbcon_8250/tests/results-table kernel/console_relay/tests/results.tsv $@ kernel/console_relay/tests/moments.tsv >kernel/console_relay/tests/RESULTS.md

kernel-package-test: ## follows the READMEs of nbcon_8250 and console_relay in systems of its own, and boots them (root)
	@scripts/setup lab kernel kernel-test packaging-test
	kernel/nbcon_8250/tests/packaging-test
	kernel/console_relay/tests/packaging-test
	kernel/console_relay/tests/packaging-test -d 12

kernel-layers-test: ## parses the modules' Yocto layer and Buildroot tree with BitBake, oelint and Kconfig (by pip), builds by their steps
	@scripts/setup kernel layers
	kernel/packaging/layers-test

kernel-debug: ## builds a kernel with lockdep and KASAN from source (DEBUG_KERNELS), runs the cases of DEBUG_MODULE (nbcon_8250) on it
	@scripts/setup lab kernel kernel-test
	scripts/kernel-debug -m $(DEBUG_MODULE) $(foreach case,$(CASES),-c '$(case)') $(DEBUG_KERNELS)

kernel-lint: ## sparse on an old and a new kernel, checkpatch --strict
	@scripts/setup kernel
	@for series in 6.12 7.2-rt; do scripts/kernel-build --lint $$series >/dev/null || exit; done
	@scripts/kernel-checkpatch

# For the experiment seed1-deferred-port.
.PHONY: device-trees
device-trees: ## makes device trees whose serial port is probed late: kernel/build/virt-deferred-port-*.dtb
	@scripts/setup device-trees
	@scripts/device-tree >/dev/null

PATCHES = $(notdir $(patsubst %/,%,$(dir $(wildcard kernel/patches/*/kernels))))

.PHONY: kernel-patches
kernel-patches: build ## builds small kernels from source without and with kernel/patches, and runs their experiments
	@scripts/setup lab kernel
	@status=0; for set in $(PATCHES); do \
		scripts/kernel-patch $$set && \
			target/release/bootline experiment run kernel/patches/$$set/patch-$$set.toml || status=$$?; \
	done; exit $$status
