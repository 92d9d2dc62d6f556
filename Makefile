# SPDX-License-Identifier: MIT OR Apache-2.0
# The front door. `make` alone says what there is.

CARGO = scripts/rust cargo
BOOTLINE = $(CARGO) run --quiet --release --locked --package bootline --

.PHONY: help setup build test lint bench demo fuzz clean

help:
	@echo 'make setup    installs what is missing (Debian, Ubuntu); says what to install elsewhere'
	@echo 'make build    builds target/release/bootline'
	@echo 'make test     setup, build, all tests; the stock kernels that they boot are fetched once'
	@echo 'make lint     rustfmt, clippy, shellcheck, SPDX lines'
	@echo 'make clean    removes what was built; fetched kernels stay in the cache'

setup:
	@scripts/setup build lab

build: setup
	$(CARGO) build --release --locked --package bootline

test: setup
	$(CARGO) build --workspace --all-targets --locked
	$(CARGO) test --workspace --locked

lint:
	@scripts/setup build lint
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	shellcheck .ci/run $$(grep -lE '^#!.*(ba)?sh' scripts/*)
	scripts/check-spdx

clean:
	$(CARGO) clean
