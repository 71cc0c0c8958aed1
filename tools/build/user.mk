# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# How user-space code is compiled: the library, our commands, the programs that
# the tests and measurements need. Called by the top Makefile with BUILD=.

SHIM     := lib/libibverbs-shim
SHIM_INC := $(SHIM)/include
WARN     := -Wall -Wextra
SHIM_CPP := -D_GNU_SOURCE= -I$(SHIM) -I$(SHIM_INC) -Iinclude/uapi
USER_CPP := -D_GNU_SOURCE= -I$(SHIM_INC) -Iinclude/uapi
say       = @printf '  %-8s %s\n' $(1) $(patsubst $(BUILD)/%,%,$@)
# One line per file only for who asks (V=1): the rest want to see what, not how.
mutter    = $(if $(V),$(say))

shim_src := $(wildcard $(SHIM)/*.c)
shim_obj := $(shim_src:$(SHIM)/%.c=$(BUILD)/lib/obj/%.o)
library  := $(BUILD)/lib/libibverbs.so.1

# Each .c here is one program; the last column is where the program goes.
commands := $(patsubst tools/rdma-utils/%.c,$(BUILD)/bin/%,$(wildcard tools/rdma-utils/*.c))
benches  := $(patsubst tools/bench/%.c,$(BUILD)/bench/%,$(wildcard tools/bench/*.c))
selftest_dir := tools/testing/selftests/rdma
selftests := $(patsubst $(selftest_dir)/%.c,$(BUILD)/selftests/%,$(wildcard $(selftest_dir)/*.c))

# Several files each.
fuzzer := $(BUILD)/kcov/fuzz
fuzzer_src := $(wildcard tools/testing/kcov/*.c)
kinds := $(BUILD)/wire/kinds
kinds_src := $(wildcard tools/testing/wire/*.c)

.PHONY: shim tools
shim: $(library)
	@:
tools: $(commands) $(benches) $(selftests) $(fuzzer) $(kinds)
	@printf "  %-8s %s\n" PROGRAMS "$(words $^) in bin, bench, selftests, kcov, wire"

$(BUILD)/lib/obj/%.o: $(SHIM)/%.c
	$(call mutter,CC)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(WARN) -std=gnu11 -fPIC -fvisibility=hidden -pthread $(SHIM_CPP) \
		-MMD -MP -c -o $@ $<

$(library): $(shim_obj) $(SHIM)/libibverbs.map
	$(call say,LINK)
	@$(CC) $(CFLAGS) -shared -pthread -Wl,-soname,libibverbs.so.1 -Wl,-z,defs \
		-Wl,--version-script=$(SHIM)/libibverbs.map -o $@ $(shim_obj) -lmnl -ldl
	@ln -sfn libibverbs.so.1 $(BUILD)/lib/libibverbs.so

define program
	$(call mutter,PROG)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(WARN) -std=gnu11 -pthread $(USER_CPP) -MMD -MP -MF $@.d -o $@ $< \
		-L$(BUILD)/lib -libverbs -lmnl
endef

$(BUILD)/bin/%: tools/rdma-utils/%.c $(library)
	$(program)
$(BUILD)/bench/%: tools/bench/%.c $(library)
	$(program)
$(BUILD)/selftests/%: $(selftest_dir)/%.c $(library)
	$(program)

$(fuzzer): $(fuzzer_src) $(wildcard tools/testing/kcov/*.h) $(library)
	$(call mutter,PROG)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(WARN) -std=gnu11 $(USER_CPP) -o $@ $(fuzzer_src) -L$(BUILD)/lib -libverbs

$(kinds): $(kinds_src) $(wildcard tools/testing/wire/*.h) $(library)
	$(call mutter,PROG)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(WARN) -std=gnu11 $(USER_CPP) -o $@ $(kinds_src) -L$(BUILD)/lib -libverbs

-include $(shim_obj:.o=.d) $(addsuffix .d,$(commands) $(benches) $(selftests))
