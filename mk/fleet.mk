# SPDX-License-Identifier: MIT OR Apache-2.0
# Many boots: a demo, and how long questions over a million boots take.

## Many boots

.PHONY: fleet-demo fleet-bench
fleet-demo: build python ## multiplies real boots, one initcall slower from a build on, ingests them, and writes the page that shows it
	@scripts/fleet-demo

# Not a part of `make bench`: it writes a store of a million boots first.
fleet-bench: python ## times questions over a million boots and 500 million spans on two processors; fails above the bars
	scripts/python-env scripts/fleet-bench
