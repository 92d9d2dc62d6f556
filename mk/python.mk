# SPDX-License-Identifier: MIT OR Apache-2.0
# The Python package, and how it is checked. Its environment is target/python (scripts/python-env).

## Python

.PHONY: python python-test python-lint
python: ## builds the Python package for development, in target/python: then `target/python/bin/python`, `.../pytest`, `.../bootline-fleet`
	@scripts/setup build python
	scripts/python-env

python-test: python ## tests the Python package: pytest, doctests, mypy --strict
	$(CARGO) build --locked --package bootline --package bootline-ingest
	scripts/python-env pytest --quiet
	scripts/python-env mypy
	scripts/python-env stubtest --mypy-config-file pyproject.toml bootline._bootline

python-lint: ## ruff on the Python package: lints and format
	@scripts/setup python
	scripts/python-env -n ruff check
	scripts/python-env -n ruff format --check
