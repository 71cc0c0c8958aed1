# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The front door: everything that is built, run, tested, measured or installed
# starts here. The work itself stands in tools/build (how modules and library
# are compiled), tools/testing (demo and check) and tools/bench.
#
# Nothing is written into the source tree; all output lands below $(BUILD).

KREL_DIR := $(firstword $(wildcard /lib/modules/$(shell uname -r)/build) \
	$(lastword $(sort $(wildcard /lib/modules/*/build))))
KDIR    ?= $(KREL_DIR)
BUILD   ?= build
MODULES ?= core uverbs shca
PREFIX  ?= /usr
DESTDIR ?=
CC      ?= cc
CFLAGS  ?= -O2 -g
JOBS    ?= $(shell nproc)

export KDIR CC CFLAGS
override BUILD := $(abspath $(BUILD))
MAKE_LIB = $(MAKE) --no-print-directory -f tools/build/user.mk BUILD=$(BUILD)

.DEFAULT_GOAL := all
.PHONY: all deps modules shim tools unit check check-debug coverage soak demo bench install \
	clean help

all: modules shim tools

# Installs Debian's packages that are missing, when run as root; else names them.
deps:
	@tools/build/deps

modules:
	@tools/build/modules "$(BUILD)" "$(MODULES)" "$(JOBS)" "$(MAKE)"

shim:
	@$(MAKE_LIB) -j$(JOBS) shim

tools: shim
	@$(MAKE_LIB) -j$(JOBS) tools

unit:
	@$(MAKE) --no-print-directory -C tools/testing/unit check BUILD=$(BUILD)

demo:
	@BUILD=$(BUILD) tools/testing/qemu/demo

check:
	@BUILD=$(BUILD) tools/testing/check $(TIERS)

# The guests of check on a kernel with KASAN, lockdep and kmemleak (built on the first run).
check-debug:
	@BUILD=$(BUILD) tools/testing/check-debug $(TIERS)

# Deliberate faults that the simulator must find, then fresh seeds for as long as you like; then
# modules loaded ROUNDS times and ten times as many programs killed; the pairings with what check shows
# once among them, and the wire with all its programs on bad days, too; then what happens at once, on
# a kernel that watches for data races (built on the first run).
SECONDS ?= 600
ROUNDS ?= 200
soak:
	@$(MAKE) --no-print-directory -s -C tools/testing/sim soak BUILD=$(BUILD) SECONDS=$(SECONDS)
	@BUILD=$(BUILD) KV_ROUNDS=$(ROUNDS) tools/testing/check L
	@BUILD=$(BUILD) KV_WHOLE=1 tools/testing/check A B C F W P
	@BUILD=$(BUILD) KV_TORTURE_S=$(SECONDS) tools/testing/check-races $(TIERS)

# Which lines the tests run, by file; LINES=1 also lists those that none runs.
coverage:
	@BUILD=$(BUILD) tools/testing/coverage/coverage $(if $(LINES),--lines) $(PARTS)

bench:
	@BUILD=$(BUILD) tools/bench/bench
	@BUILD=$(BUILD) tools/bench/wire host

install: all
	@BUILD=$(BUILD) DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" tools/build/install

clean:
	rm -rf "$(BUILD)"

help:
	@sed -n '3,7s/^# \{0,1\}//p' Makefile
	@echo 'Targets: all modules shim tools install clean deps demo bench'
	@echo 'Tests: unit check check-debug coverage soak'
	@echo 'Variables: KDIR BUILD MODULES="core uverbs shca" SECONDS ROUNDS PREFIX DESTDIR W=1 C=2 V=1'
