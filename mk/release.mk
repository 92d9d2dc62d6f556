# SPDX-License-Identifier: MIT OR Apache-2.0
# What is given to others: packages, and the proof that they work where they are said to.

# Bare Debian systems on which everything has to build and run. 13 has Rust 1.85, the oldest that bootline supports.
SYSTEMS = 13 12

## Release

.PHONY: deb tarball release install-test msrv msrv-check publish-check release-check
deb: build ## builds target/debian/bootline_*.deb, and bootline-dbgsym_*.ddeb with its debug information
	@scripts/setup deb
	scripts/package deb

tarball: build ## builds target/release-files/bootline-VERSION-ARCHITECTURE.tar.gz: what `make install` installs
	@scripts/setup deb
	scripts/package tarball

release: deb tarball ## gathers the package, the tarball and their checksums in target/release-files
	scripts/package checksums

install-test: ## installs, runs and removes the package on bare Debian systems (SYSTEMS: 13 12); DEB= names one, else it is built on Debian 12
	@scripts/setup systems
	scripts/install-test $(if $(DEB),--deb '$(DEB)') $(SYSTEMS)

msrv: ## builds from `make setup` on, on bare Debian systems (SYSTEMS: 13 12) with their own Rust
	@scripts/setup systems
	scripts/msrv $(SYSTEMS)

# Debian 13's Rust is the oldest that bootline supports.
msrv-check: ## compiles everything with Debian 13's own Rust 1.85, on a bare Debian 13; the quick part of make msrv
	@scripts/setup systems
	scripts/msrv --check 13

publish-check: ## packages all crates as for crates.io, in order, and builds each from its package; uploads nothing
	@scripts/setup build
	scripts/publish-check

# What the release workflow asks first.
release-check: ## checks that TAG (v0.1.0) is the version in Cargo.toml and has its section in CHANGELOG.md
	scripts/package check '$(TAG)'
