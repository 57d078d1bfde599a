# Two commands do most of the work: `make demo` and `make test`. `make help` lists the others.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

JOBS ?= $(shell nproc)
PYTEST_ARGS ?=
CTEST_ARGS ?=
FUZZ_SECONDS ?= 60
# Of `make hostile`; HOSTILE_ARGS, such as "--seed 7 --stories 1 --shrink", go to the program.
HOSTILE_ARGS ?= $(if $(SECONDS),--seconds $(SECONDS),--seconds 60)
HOSTILE_STORIES ?= 1500
# Of `make worlds`: SEED=n asks that seed only; WORLDS_ARGS, such as "--only filters", go to the script.
WORLDS_ARGS ?=
STORM_ARGS ?=
STORM_STORIES ?= 120
# Of `make storm-fixed`.
STORM_SEEDS ?= 101..220
WORLDS_PROGRAMS := worlds_test actions_test volumes_test
BENCH_ARGS ?=
# Of `make faults`, `make churn` and `make claims-random`; LIVE_ARGS, such as "--seed 7 -k etcd", go to pytest.
SERVER ?= embedded
LIVE_ARGS ?=

# Everything a test run starts is the dev build: no second build of the tree is needed for it.
DEV_BIN := $(CURDIR)/build/dev/bin
RELEASE_BIN := $(CURDIR)/build/release/bin
CLANG_FORMAT ?= $(firstword $(shell command -v clang-format-14 clang-format) clang-format-14)

# $(call build,PRESET,TARGET): configures once (ninja re-runs CMake by itself), then builds.
define build
	[ -f build/$(1)/build.ninja ] || cmake --preset $(1)
	cmake --build build/$(1) --target $(2) --parallel $(JOBS)
endef
# Test programs under a sanitizer: "net_test client_test"; CTEST_ARGS says which are run.
SANITIZER_TARGETS ?= all
# Random worlds per property under a sanitizer (BTH_WORLDS_MOST): thousands take minutes there.
SANITIZER_WORLDS ?= 300

# $(call ctest,PRESET,MORE)
define ctest
	ctest --test-dir build/$(1) --parallel $(JOBS) --output-on-failure --no-tests=error $(2) $(CTEST_ARGS)
endef
.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

.PHONY: deps
deps:
	@scripts/bootstrap --with e2e,monitoring,page,shells

.PHONY: build
build: ## Build the optimised programs into build/release/bin
	$(call build,release,programs)

.PHONY: demo
demo: deps build ## Install packages, build, and watch a gang being scheduled
	scripts/demo

.PHONY: test
test: deps ## Unit, property, scenario, component and end-to-end tests (embedded API server)
	$(call build,dev,all)
	$(call ctest,dev,)
	scripts/e2e embedded $(DEV_BIN) $(PYTEST_ARGS)

.PHONY: check
check: ## Everything of `make test` but the end-to-end tests
	$(call build,dev,all)
	$(call ctest,dev,)

.PHONY: e2e
e2e: ## End-to-end tests on the embedded API server
	$(call build,dev,programs)
	scripts/e2e embedded $(DEV_BIN) $(PYTEST_ARGS)

.PHONY: e2e-kube
e2e-kube: ## End-to-end tests on a real kube-apiserver (needs Go; builds it first)
	tests/kube/build
	$(call build,dev,programs)
	scripts/e2e kube $(DEV_BIN) $(PYTEST_ARGS)

.PHONY: bench
bench: ## Benchmarks in process; JSON reports in build/bench
	$(call build,release,all)
	scripts/bench $(BENCH_ARGS)

.PHONY: bench-e2e
bench-e2e: ## Benchmarks of the daemon beside kube-scheduler on a real API server (needs Go)
	tests/kube/build
	$(call build,release,programs)
	BTH_BIN=$(RELEASE_BIN) bench/e2e/run $(BENCH_ARGS)

.PHONY: cel-conformance
cel-conformance: ## Public cases of the expression language (needs Go): how many hold, 98 % at least
	$(call build,dev,cel_conform)
	scripts/cel_conformance $(DEV_BIN)/cel_conform

.PHONY: deb
deb: ## Make the Debian package from the optimised programs, into build/deb, and check it
	scripts/bootstrap --with package,shells
	$(call build,release,programs)
	scripts/deb
	BTH_DEB_BIN=$(RELEASE_BIN) python3 tests/deploy/package_test.py

.PHONY: chart
chart: ## Pack the chart into build/chart, and write the plain manifests of deploy/ anew from it
	scripts/render
	scripts/dashboards
	"$$(scripts/helm)" package deploy/helm/batholith --destination build/chart 2>/dev/null

.PHONY: crds
crds: ## Write deploy/crds anew from the field tables and docs of api/types
	$(call build,dev,crd-gen)
	$(DEV_BIN)/crd-gen deploy/crds

.PHONY: format
format: ## Format the C++ files in place
	scripts/sources | xargs -0 -r $(CLANG_FORMAT) -i

.PHONY: lint lint-quick lint-tidy lint-alone
lint: lint-quick lint-alone lint-tidy ## Layers, formatting, includes, clang-tidy on changed files (ALL=1: on all)
lint-quick: ## The checks of `make lint` that take seconds
	python3 scripts/check_layers.py
	scripts/sources | xargs -0 -r $(CLANG_FORMAT) --dry-run -Werror
	scripts/check_python
lint-tidy lint-alone: lint-%:
	scripts/bootstrap --with lint
	[ -f build/tidy/build.ninja ] || cmake --preset tidy >/dev/null
	$(if $(ALL),[ -f build/tidy-all/build.ninja ] || cmake --preset tidy-all >/dev/null)
	JOBS=$(JOBS) scripts/each_source $* $(if $(ALL),--all)

# The end-to-end tests are left out: they time out under sanitizers, and test the same code.
.PHONY: asan tsan clang
asan: ## Tests under AddressSanitizer and UBSan
	$(call build,asan,$(SANITIZER_TARGETS))
	ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
	BTH_WORLDS_MOST=$(SANITIZER_WORLDS) $(call ctest,asan,)
clang: ## Tests as clang builds them
	$(call build,clang,$(SANITIZER_TARGETS))
	BTH_WORLDS_MOST=$(SANITIZER_WORLDS) $(call ctest,clang,)
tsan: ## Tests under ThreadSanitizer
	$(call build,tsan,$(SANITIZER_TARGETS))
	TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 BTH_WORLDS_MOST=$(SANITIZER_WORLDS) \
	$(call ctest,tsan,)

.PHONY: fuzz
fuzz: ## Run each fuzzer for FUZZ_SECONDS (default 60)
	scripts/bootstrap --with fuzz
	$(call build,fuzz,fuzzers)
	scripts/fuzz $(FUZZ_SECONDS)

.PHONY: hostile
hostile: ## Hostile objects through the whole system for SECONDS (default 60)
	$(call build,dev,hostile)
	$(DEV_BIN)/hostile $(HOSTILE_ARGS)

.PHONY: hostile-stories
hostile-stories: ## The same hostile stories each time: seeds 1 to HOSTILE_STORIES (1500), all processors
	$(call build,dev,hostile)
	scripts/hostile $(HOSTILE_STORIES)

.PHONY: storm
storm: ## Whole clusters under simulated faults, others each day, for SECONDS (60); STORM_ARGS, such as "--profile hell"
	$(call build,release,vc-sim)
	$(RELEASE_BIN)/vc-sim storm --seeds $$(date +%Y%m%d)0000 --seconds $(or $(SECONDS),60) $(STORM_ARGS)

# $(call live,TESTS AND FLAGS): on real processes, in order, one after the other.
define live
	$(if $(filter kube,$(SERVER)),tests/kube/build)
	BTH_E2E_WORKERS=0 scripts/e2e $(SERVER) $(RELEASE_BIN) $(1) -s $(LIVE_ARGS)
endef
.PHONY: faults churn
faults: ## Real programs that die, sleep and are cut off, others each time, for SECONDS (60) on SERVER (embedded or kube)
	$(call build,release,programs)
	$(call live,faults/test_single_faults.py faults/test_many_faults.py faults/test_disk.py --seconds $(or $(SECONDS),60))
churn: ## Users at work for MINUTES (30) on SERVER (embedded or kube): nothing may grow
	$(call build,release,programs)
	$(call live,faults/test_churn.py --minutes $(or $(MINUTES),30))

.PHONY: claims-random
claims-random: SERVER = kube
claims-random: export BTH_RANDOM_CLAIMS = $(or $(CLAIMS),500)
claims-random: export BTH_RANDOM_SEEDS = $(or $(SEED),1)
claims-random: ## CLAIMS (500) random device claims of SEED (1) on SERVER (kube), beside Kubernetes' own scheduler
	$(call build,release,programs)
	$(call live,scheduling/test_random_claims.py)

.PHONY: storm-fixed
storm-fixed: ## The same stories each time: STORM_SEEDS (101..220) of each profile
	$(call build,release,vc-sim)
	for profile in calm rough hell; do \
	  $(RELEASE_BIN)/vc-sim storm --seeds $(STORM_SEEDS) --hours 0.4 --profile $$profile; \
	done

.PHONY: storm-coverage
storm-coverage: ## What no story reaches: build/coverage/storm.txt, after STORM_STORIES of each profile
	scripts/bootstrap --with coverage
	$(call build,coverage,vc-sim)
	scripts/coverage $(STORM_STORIES)

.PHONY: worlds
worlds: ## Properties on random worlds, others each day, for SECONDS (60); SEED=n: that one again
	$(call build,dev,$(WORLDS_PROGRAMS))
	scripts/worlds $(if $(SEED),--seed $(SEED),--seconds $(or $(SECONDS),60)) --jobs $(JOBS) \
	  $(WORLDS_ARGS) $(addprefix $(DEV_BIN)/,$(WORLDS_PROGRAMS))

.PHONY: clean
clean: ## Remove build/
	rm -rf build
