# SPDX-License-Identifier: MIT OR Apache-2.0
# Documents that are made from experiments.

## Measure in the lab

# Refuted claims (1) and undecided ones (3) are results, too; a refused experiment (2) and a lab that failed are none.
OR_RESULTS = || case $$? in 1 | 3) ;; *) exit 4 ;; esac

.PHONY: accuracy user-space-accuracy gate-rates results
# Stopped and called again it goes on; ARMS='*-9600-*' boots a part. Without new boots: ARMS=none.
accuracy: build ## boots experiments/accuracy.toml (hours; ARMS= chooses), writes its part of docs/accuracy.md
	[ '$(ARMS)' = none ] || $(BINARY) experiment run experiments/accuracy.toml -o results/accuracy $(if $(ARMS),--arms '$(ARMS)') $(OR_RESULTS)
	$(CARGO) xtask accuracy results/accuracy

user-space-accuracy: build ## boots two experiments on a whole system (90 minutes; RUNS= of each arm; none: no new boots), writes its part of docs/accuracy.md
	$(BINARY) experiment $(if $(filter none,$(RUNS)),report,run) unit-what-ifs unit-times $(addprefix --runs ,$(filter-out none,$(RUNS))) $(OR_RESULTS)
	$(CARGO) xtask user-space results/unit-what-ifs results/unit-times

# The module with the known delay has to be built for the series that the experiment boots.
gate-rates: build ## boots experiments/gate-rates.toml (20 minutes; BOOT=no: none), writes the table in docs/gate.md
ifneq ($(BOOT),no)
	$(MAKE) kernel KERNEL=7.2
	$(BINARY) experiment run experiments/gate-rates.toml -o results/gate-rates $(OR_RESULTS)
endif
	$(CARGO) xtask gate-rates $(wildcard results/gate-rates)

results: build ## writes docs/results.md from the experiments that were run; boots nothing
	$(CARGO) xtask results

## Check the lab

.PHONY: gpio-smoke loader-test
# Debian's 6.12 has no simulated chip. Fetches the modules of this kernel (110 MB) once.
GPIO_KERNEL = 7.2

gpio-smoke: ## boots GPIO_KERNEL (7.2) and captures there, with marks by a simulated GPIO chip
	@scripts/setup build lab gpio-smoke
	$(CARGO) build --locked --package bootline
	BOOTLINE=target/debug/bootline scripts/gpio-smoke $(GPIO_KERNEL)

# Not a part of `make test`: it boots arm64 guests for some minutes.
loader-test: build ## boots busybox on arm64 with and without U-Boot, and checks what is transmitted and when
	@scripts/setup loader
	@scripts/loader-test
