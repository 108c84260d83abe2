# Short names for what CMake and CTest do. BUILD is where; SAN=1 builds with address
# and undefined-behaviour checks, TSAN=1 with thread checks, CC=clang with clang.
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# Tests that wait (browsers, recorded programs) leave room for one more.
TEST_JOBS ?= $(shell expr $(JOBS) + 1)
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
# Seconds for each fuzz target: of `make test`, and of `make check-all`.
FUZZ_SECONDS ?= 3
LONG_FUZZ_SECONDS ?= 600

ifdef SAN
  sanitizers := address,undefined
  suffix := -san
else ifdef TSAN
  sanitizers := thread
  suffix := -tsan
endif
dir := $(BUILD)$(suffix)$(if $(filter gcc,$(CC)),,-$(notdir $(CC)))
ctest := ctest --output-on-failure -j$(TEST_JOBS) --test-dir

export UPDATE FUZZ_SECONDS

all: deps
	@cmake -G Ninja -S . -B $(dir) -DCMAKE_C_COMPILER=$(CC) -DSAN=$(sanitizers) \
		$(if $(V),,>/dev/null)
	@cmake --build $(dir) -j$(JOBS)

demo: all
	@$(dir)/memlamp demo

# Everything as built; then the C tests under both sanitizers; then the fuzz targets.
test: deps-test
	+@$(MAKE) --no-print-directory run-tests LABELS='$(or $(LABELS),-LE slow)'
ifeq ($(suffix),)
	+@$(MAKE) --no-print-directory SAN=1 run-tests LABELS='-L unit'
	+@$(MAKE) --no-print-directory fuzz
endif

run-tests: all
	$(ctest) $(dir) $(LABELS)

# ROUNDS rounds beside LOAD busy loops: no test depends on how fast another process runs.
ROUNDS ?= 10
LOAD ?= 8
test-under-load: deps-test all
	ROUNDS=$(ROUNDS) LOAD=$(LOAD) tests/under_load.sh $(dir) -j$(TEST_JOBS) -LE slow

fuzz:
	@cmake -G Ninja -S . -B $(BUILD)-fuzz -DFUZZ=ON -DCMAKE_C_COMPILER=clang \
		-DSAN=address,undefined $(if $(V),,>/dev/null)
	@cmake --build $(BUILD)-fuzz -j$(JOBS)
	$(ctest) $(BUILD)-fuzz --no-tests=ignore; status=$$?; \
		cat $(BUILD)-fuzz/*.summary 2>/dev/null; exit $$status

# What takes too long for every change.
check-all: test insight
	+@$(MAKE) --no-print-directory run-tests LABELS='-L slow'
	+@$(MAKE) --no-print-directory SAN=1 run-tests LABELS='-L cli -LE peer'
	+@$(MAKE) --no-print-directory TSAN=1 run-tests LABELS='-L unit'
	tests/inject/clients.py $(BUILD)-tsan
	+@$(MAKE) --no-print-directory CC=clang run-tests LABELS='-L unit'
	+@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=$(LONG_FUZZ_SECONDS)
	+@$(MAKE) --no-print-directory test-under-load
	ORACLE_NESTS=2000 ORACLE_SEED=2000 ORACLE_REPORT=1 $(dir)/test_flow_oracle
	tests/attack/attack.py $(dir)
	tests/inject/inject.py $(dir) --jobs $(JOBS)
	tests/inject/crash.py $(dir)
	NAMES_ALL=1 tests/names/names.py $(dir)/memlamp $(CURDIR)

# Advice on programs with one known problem each: found, promised, come true.
insight: all
	tests/insight/insight.py $(dir)/memlamp --jobs $(JOBS) --fail-under 0.95
	tests/insight/insight.py $(dir)/memlamp --jobs $(JOBS) --levels O2 --compilers gcc \
		--only share --repeat 20
	REPEAT=20 PROGRAMS=all OUT=record_order_all tests/cli/run.sh $(CURDIR) \
		$(abspath $(dir)) record_order

bench: deps-test all
	@bench/run.sh $(dir)
	@bench/sim.sh $(dir)
	@bench/cc.sh $(dir)
	@bench/ensemble.sh $(dir)
	@bench/cycles.sh $(dir)
	@bench/samples.sh $(dir)
	@bench/flow.sh $(dir)

install: all
	@DESTDIR=$(DESTDIR) cmake --install $(dir) --prefix $(PREFIX)

# A Debian package and a tarball, in the build folder.
deb: all
	@tools/deps.sh package
	@cd $(dir) && cpack --config CPackConfig.cmake >/dev/null && \
		$(CURDIR)/tools/deb_size memlamp*.deb && ls memlamp*.deb memlamp*.tar.gz

# Puts the options of each command, as its table has them, into its page.
pages: all
	@UPDATE=1 tools/check_pages . $(dir)/memlamp

format:
	@tools/format

clean:
	rm -rf $(BUILD) $(BUILD)-*

deps:
	@tools/deps.sh build

deps-test:
	@tools/deps.sh build test

.PHONY: all demo test run-tests test-under-load fuzz check-all insight bench install deb pages format clean deps deps-test
