# SPDX-License-Identifier: MIT OR Apache-2.0
# The front door. `make` alone says what there is.

CARGO = scripts/rust cargo

# Long enough to catch what is easily found; more: make fuzz FUZZ_SECONDS=600
FUZZ_SECONDS = 20

.PHONY: help setup build demo test lint bench fuzz clean

help:
	@echo 'make setup    installs what is missing (Debian, Ubuntu); says what to install elsewhere'
	@echo 'make demo     sets up, builds, boots three stock kernels at 9600 baud, says why they are slow'
	@echo 'make build    builds target/release/bootline'
	@echo 'make test     sets up, builds, runs all tests and each fuzz target for some seconds'
	@echo 'make lint     rustfmt, clippy, shellcheck, SPDX lines'
	@echo 'make bench    throughput and memory; figures for this machine, never asserted'
	@echo 'make fuzz     each fuzz target for FUZZ_SECONDS (now $(FUZZ_SECONDS))'
	@echo 'make clean    removes what was built; fetched kernels stay in the cache'

setup:
	@scripts/setup build lab

build: setup
	$(CARGO) build --release --locked --package bootline

demo: build
	@scripts/demo

test: setup
	$(CARGO) build --workspace --all-targets --locked
	$(CARGO) test --workspace --locked
	$(MAKE) fuzz FUZZ_SECONDS=3

lint:
	@scripts/setup build lint
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	shellcheck .ci/run $$(grep -lE '^#!.*(ba)?sh' scripts/*)
	scripts/check-spdx

bench:
	@scripts/setup build
	$(CARGO) bench --locked --package bootline-core --bench decode
	$(CARGO) bench --locked --package bootline --bench logs
	$(CARGO) bench --locked --package bootline-lab --bench capture

fuzz:
	@scripts/setup build fuzz
	scripts/rust scripts/fuzz $(FUZZ_SECONDS)

clean:
	$(CARGO) clean
