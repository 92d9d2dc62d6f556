# SPDX-License-Identifier: MIT OR Apache-2.0
# The front door. `make` alone lists the targets. Those about kernel modules, the lab and releases are in mk/.

CARGO = scripts/rust cargo
BINARY = target/release/bootline

# Long enough to catch what is easily found; more: make fuzz FUZZ_SECONDS=600. `make test` has a seed, so that it does not fail by chance.
FUZZ_SECONDS = 20

.PHONY: help
help: ## lists the targets
	@awk -F ' *## *' '/^## / { print "\n" $$2 } \
		/^[a-z-]+:.*##/ { name = $$1; sub(/:.*/, "", name); printf "  make %-20s %s\n", name, $$2 }' $(MAKEFILE_LIST)

## Build and try

.PHONY: setup build demo
setup: ## installs what is missing (Debian, Ubuntu); elsewhere says what to install
	@scripts/setup build lab

build: setup ## builds target/release/bootline and bootline-ingest
	$(CARGO) build --release --locked --package bootline --package bootline-ingest

demo: build ## boots two stock kernels at 9600 baud, and a whole system from boot loader to picture, and explains why they are slow
	@scripts/setup loader
	@scripts/demo

## Check

.PHONY: test fuzz lint docs bench perfetto-check clean
test: setup ## builds, runs all tests, those of the Python package too, checks the generated documents, each fuzz target for some seconds, boots a kernel with nbcon_8250, with fastinit and with a simulated GPIO chip
	@scripts/setup browser file-systems loader
	$(CARGO) build --workspace --all-targets --locked
	$(CARGO) test --workspace --locked
	$(MAKE) python-test
	$(CARGO) xtask docs --check
	FUZZ_SEED=1 $(MAKE) fuzz FUZZ_SECONDS=3
	$(MAKE) kernel-smoke
	$(MAKE) fastinit-smoke
	$(MAKE) gpio-smoke

fuzz: ## runs each fuzz target for FUZZ_SECONDS (20)
	@scripts/setup build fuzz
	scripts/rust scripts/fuzz $(FUZZ_SECONDS)

# Each line is one lint; none needs another's result.
lint: ## rustfmt, clippy, import cycles, shellcheck, licences, dependencies, links, workflows, the kernel's checkpatch, ruff
	@scripts/setup build lint
	! git grep -nE '^(<{7}|>{7}) '
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	# The targets are one macro of libFuzzer each, which opens files.
	$(CARGO) clippy --manifest-path fuzz/Cargo.toml --locked -- -D warnings -A clippy::disallowed_types
	scripts/check-cycles
	shellcheck --external-sources $$(git ls-files -z | xargs -0 grep -d skip -lE '^#!.*[/ ](ba|da)?sh$$')
	scripts/check-spdx
	scripts/check-links
	scripts/check-workflows
	@$(CARGO) fetch --quiet --locked
	scripts/tool cargo-deny --offline --all-features check licenses bans sources
	scripts/kernel-checkpatch
	$(MAKE) python-lint

docs: ## builds the book (target/book/html) and the API's pages, checks all links
	@scripts/setup build docs
	scripts/book
	RUSTDOCFLAGS=-Dwarnings $(CARGO) doc --workspace --no-deps --locked

bench: ## throughput and memory; figures for this machine, never asserted
	@scripts/setup build browser
	-scripts/kernel-bootgraph
	$(CARGO) bench --locked --package bootline-records --bench decode
	$(CARGO) bench --locked --package bootline-capture --bench unpack
	$(CARGO) bench --locked --package bootline --bench logs
	$(CARGO) bench --locked --package bootline --bench page
	$(CARGO) bench --locked --package bootline-port --bench capture
	$(CARGO) bench --locked --package bootline-ingest --bench fleet
	$(MAKE) python-bench

# Needs packages that no distribution has: not a part of `make test`, which decodes by the field table made from them.
perfetto-check: build ## exported traces against what Perfetto publishes; needs Node.js, Python and pip
	scripts/perfetto-check

clean: ## removes what was built; fetched kernels stay in the cache
	$(CARGO) clean
	rm -rf kernel/build

include mk/fleet.mk mk/install.mk mk/python.mk mk/release.mk mk/lab.mk mk/kernel.mk mk/fastinit.mk
