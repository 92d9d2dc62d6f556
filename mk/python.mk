# SPDX-License-Identifier: MIT OR Apache-2.0
# The Python package, and how it is checked. Its environment is target/python (scripts/python-env).

## Python

.PHONY: python python-test python-lint python-bench labgrid-test python-package-test spark-test spark-bench
python: ## builds the Python package for development, in target/python: then `target/python/bin/python`, `.../pytest`, `.../bootline-fleet`
	@scripts/setup build python
	scripts/python-env

# With all targets: what `make test` has built then is not built again with other features.
python-test: python ## tests the Python package: pytest, doctests, mypy --strict
	@scripts/setup spark
	$(CARGO) build --workspace --all-targets --locked
	scripts/python-env pytest --quiet
	scripts/python-env mypy
	scripts/python-env stubtest --mypy-config-file pyproject.toml bootline._bootline

python-lint: ## ruff on the Python package: lints and format
	@scripts/setup python
	scripts/python-env -n ruff check
	scripts/python-env -n ruff format --check

python-bench: build ## throughput of the Python package, compared with the command's, and how long its import takes
	@scripts/setup python
	rm -rf target/python-release
	scripts/python-package target/python-release
	python3 -m zipfile -e target/python-release/*.whl target/python-release/package
	python3 python/benches/explain.py $(BINARY) target/python-release/package

# A whole boot: not a part of `make test`, which replays one.
labgrid-test: python ## boots a stock kernel in QEMU on a console of labgrid that is recorded, and logs in
	@scripts/setup lab
	$(CARGO) build --locked --package bootline
	scripts/python-env pytest --quiet -m qemu

python-package-test: ## builds wheel and sdist, installs each into an environment of its own, and uses it; the wheel needs no compiler
	@scripts/setup build python
	scripts/python-package-test

# Minutes: not a part of `make python-test`, which has Spark in one process ingest a few boots and answer all questions.
spark-test: python ## ingest and all questions on a Spark of several processes, of which executors and drivers are killed
	@scripts/setup spark
	$(CARGO) build --locked --package bootline-ingest
	scripts/python-env pytest --quiet python/tests/spark/cluster.py

# The module as it is released: the development build is several times slower.
spark-bench: ## what ingest by Spark costs for each boot, and for a fleet; figures for this machine, never asserted
	@scripts/setup build python spark
	scripts/python-env
	VIRTUAL_ENV=$(CURDIR)/target/python scripts/rust target/python/bin/maturin develop --quiet --locked --release
	scripts/python-env -n scripts/spark-bench --json docs/spark-bench.json --document docs/spark.md
