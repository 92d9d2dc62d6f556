# SPDX-License-Identifier: MIT OR Apache-2.0
# The front door. `make` alone says what there is.

CARGO = scripts/rust cargo

# Long enough to catch what is easily found; more: make fuzz FUZZ_SECONDS=600
FUZZ_SECONDS = 20

# Stock kernels that the modules are built for; the headers of one that Debian has dropped are told and passed over.
KERNEL = 6.12
KERNELS = 6.12 6.12-rt 6.18 6.18-rt 7.2 7.2-rt 7.3 7.3-rt arm64:7.2 arm64:7.2-rt armhf:7.2 riscv64:7.2

# Of each kind one: the oldest, the newest, and PREEMPT_RT. The last two have an nbcon console of their own and are refused.
TEST_KERNELS = 6.12 7.2 7.2-rt 6.12-rt 7.3
TEST_CPUS = 1 2

# Machines other than a PC: kernel/nbcon_8250/tests/board.
BOARDS = riscv64:7.2 arm64:7.2 arm64:7.2@raspi3b armhf:7.2
BOARD_CASES = replay integrity cycles panic oops warn-flush sysfs

# What `make test` boots: the kernel of Debian's stable release, and so much that each part of the module has worked once.
SMOKE_KERNEL = 6.12
SMOKE_CASES = replay integrity panic

# From source, with what the kernel has to watch itself (also 7.2-rt). Not in CI.
DEBUG_KERNELS = 7.2

.PHONY: help setup build demo test lint perfetto-check bench accuracy results fuzz kernel kernel-matrix kernel-smoke kernel-test kernel-board-test kernel-package-test kernel-debug kernel-lint clean

help:
	@echo 'make setup    installs what is missing (Debian, Ubuntu); says what to install elsewhere'
	@echo 'make demo     sets up, builds, boots three stock kernels at 9600 baud, says why they are slow'
	@echo 'make build    builds target/release/bootline'
	@echo 'make test     sets up, builds, runs all tests, each fuzz target for some seconds, a kernel with nbcon_8250'
	@echo 'make lint     rustfmt, clippy, shellcheck, SPDX lines'
	@echo 'make perfetto-check   exported traces against what Perfetto publishes; needs Node.js, Python and pip'
	@echo 'make bench    throughput and memory; figures for this machine, never asserted'
	@echo 'make accuracy boots the matrix of experiments/accuracy.toml (hours; ARMS= chooses), writes docs/accuracy.md'
	@echo 'make gate-rates  boots experiments/gate-rates.toml (20 minutes; BOOT=no: none), writes the table in docs/gate.md'
	@echo 'make results  writes docs/results.md from the experiments that were run; boots nothing'
	@echo 'make fuzz     each fuzz target for FUZZ_SECONDS (now $(FUZZ_SECONDS))'
	@echo 'make kernel   builds the kernel modules for KERNEL (now $(KERNEL)): kernel/build/RELEASE/NAME.ko'
	@echo 'make kernel-matrix   the same for $(KERNELS)'
	@echo 'make kernel-smoke    boots $(SMOKE_KERNEL) with nbcon_8250 in the cases $(SMOKE_CASES)'
	@echo 'make kernel-test     boots $(TEST_KERNELS) with nbcon_8250 in all its cases; CASES= chooses'
	@echo 'make kernel-board-test     the cases $(BOARD_CASES) on $(BOARDS)'
	@echo 'make kernel-package-test   follows the README of nbcon_8250 in systems of its own, and boots them (root)'
	@echo 'make kernel-debug    builds a kernel with lockdep and KASAN from source (now $(DEBUG_KERNELS)), runs the cases on it'
	@echo 'make kernel-lint     sparse on an old and a new kernel, checkpatch --strict'
	@echo 'make clean    removes what was built; fetched kernels stay in the cache'

setup:
	@scripts/setup build lab

build: setup
	$(CARGO) build --release --locked --package bootline

demo: build
	@scripts/demo

test: setup
	@scripts/setup browser
	$(CARGO) build --workspace --all-targets --locked
	$(CARGO) test --workspace --locked
	$(MAKE) fuzz FUZZ_SECONDS=3
	$(MAKE) kernel-smoke

lint:
	@scripts/setup build lint
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	shellcheck --external-sources .ci/run $$(grep -rlE '^#!.*(ba)?sh$$' scripts kernel/nbcon_8250/tests kernel/nbcon_8250/packaging)
	scripts/check-spdx

# Needs packages that no distribution has: not a part of `make test`, which decodes by the field table made from them.
perfetto-check: build
	scripts/perfetto-check

bench:
	@scripts/setup build browser
	$(CARGO) bench --locked --package bootline-analysis --bench decode
	$(CARGO) bench --locked --package bootline --bench logs
	$(CARGO) bench --locked --package bootline --bench page
	$(CARGO) bench --locked --package bootline-port --bench capture

# Stopped and called again it goes on; ARMS='*-9600-*' boots a part. Without new boots: ARMS=none.
accuracy: build
	[ '$(ARMS)' = none ] || target/release/bootline prove experiments/accuracy.toml -o results/accuracy $(if $(ARMS),--arms '$(ARMS)') || [ $$? -lt 4 ]
	$(CARGO) run --release --locked --quiet --package bootline --example accuracy -- results/accuracy > docs/accuracy.md.new
	mv docs/accuracy.md.new docs/accuracy.md

# The module with the known delay has to be built for the series that the experiment boots.
.PHONY: gate-rates
gate-rates: build
ifneq ($(BOOT),no)
	$(MAKE) kernel KERNEL=7.2
	target/release/bootline prove experiments/gate-rates.toml -o results/gate-rates || [ $$? -lt 4 ]
endif
	$(CARGO) run --release --locked --quiet --package bootline --example gate_rates -- $(wildcard results/gate-rates)

results: build
	scripts/collect-results > docs/results.md.new
	mv docs/results.md.new docs/results.md

fuzz:
	@scripts/setup build fuzz
	scripts/rust scripts/fuzz $(FUZZ_SECONDS)

kernel:
	@scripts/setup build kernel
	@scripts/kernel-build $(KERNEL)
	$(MAKE) --no-print-directory -C kernel/uart_bench/tool BUILD=../../build

# Status 3: no headers of that series.
kernel-matrix:
	@scripts/setup kernel
	@set -e; for series in $(KERNELS); do \
		echo "== $$series" >&2; \
		scripts/kernel-build $$series || [ $$? -eq 3 ]; \
	done

# What is missing for building the modules is an error, not a skip.
kernel-smoke:
	@scripts/setup build lab kernel kernel-test
	$(CARGO) build --locked --package bootline
	BOOTLINE=target/debug/bootline kernel/nbcon_8250/tests/kernel-test $(addprefix -c ,$(SMOKE_CASES)) $(SMOKE_KERNEL)

# CASES='panic* cycles' chooses; kernel/nbcon_8250/tests/kernel-test -l lists them.
kernel-test: build
	@scripts/setup lab kernel kernel-test
	kernel/nbcon_8250/tests/kernel-test $(addprefix -s ,$(TEST_CPUS)) $(foreach case,$(CASES),-c '$(case)') $(TEST_KERNELS)

kernel-board-test:
	@scripts/setup lab kernel kernel-test boards
	kernel/nbcon_8250/tests/kernel-test -s 1 $(addprefix -c ,$(BOARD_CASES)) $(BOARDS)

kernel-package-test:
	@scripts/setup lab kernel kernel-test packaging-test
	kernel/nbcon_8250/tests/packaging-test

kernel-debug:
	@scripts/setup lab kernel kernel-test
	scripts/kernel-debug $(foreach case,$(CASES),-c '$(case)') $(DEBUG_KERNELS)

kernel-lint:
	@scripts/setup kernel
	@for series in 6.12 7.2-rt; do scripts/kernel-build --lint $$series >/dev/null || exit; done
	@scripts/kernel-checkpatch

clean:
	$(CARGO) clean
	rm -rf kernel/build
