# SPDX-License-Identifier: MIT OR Apache-2.0
# Programs that the tests need; included by ../Makefile.
HOST_CC = gcc
FUZZ_CC = clang
HOSTED = -std=gnu11 -g -O1 -Wall -Wextra -Werror -fno-omit-frame-pointer
PARSER = config.c config_key.c config_order.c text.c

# The faults and the guest's roles use fastinit's own system calls.
GUEST = tests/guest.c tests/unit.c entry.c memory.c text.c notify.c
$(BUILD)/guest: $(GUEST) tests/unit.h $(HEADERS)
	@mkdir -p $(BUILD)
	$(CC) $(CFLAGS) $(FLAGS) -o $@ $(GUEST) $(LINK) -lgcc

$(BUILD)/fastinit-faults: $(SOURCES) $(HEADERS)
	@mkdir -p $(BUILD)
	$(CC) $(CFLAGS) $(FLAGS) -DFAULTS -o $@ $(SOURCES) $(LINK) -lgcc

# One that never gives up waiting for its configuration, on however busy a machine; one that never waits.
$(BUILD)/fastinit-patient: LIMITS = -DALL_AT_MOST=11000
$(BUILD)/fastinit-hasty: LIMITS = -DALL_AT_MOST=0
$(BUILD)/fastinit-patient $(BUILD)/fastinit-hasty: $(SOURCES) $(HEADERS)
	@mkdir -p $(BUILD)
	$(CC) $(CFLAGS) $(FLAGS) $(LIMITS) -o $@ $(SOURCES) $(LINK) -lgcc

$(BUILD)/fastinit-asan: $(SOURCES) $(HEADERS)
	@mkdir -p $(BUILD)
	$(HOST_CC) $(HOSTED) -static-libasan -fsanitize=address,undefined -fno-sanitize-recover=all -DHOSTED -DFAULTS \
		-DALL_AT_MOST=11000 \
		-DFASTINIT_PATH='"$(sbindir)/fastinit"' -o $@ $(SOURCES)

$(BUILD)/test_config: tests/test_config.c $(PARSER) $(HEADERS)
	@mkdir -p $(BUILD)
	$(HOST_CC) $(HOSTED) -o $@ tests/test_config.c $(PARSER)

$(BUILD)/test_config-asan: tests/test_config.c $(PARSER) $(HEADERS)
	@mkdir -p $(BUILD)
	$(HOST_CC) $(HOSTED) -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ tests/test_config.c $(PARSER)

$(BUILD)/fuzz_config: tests/test_config.c $(PARSER) $(HEADERS)
	@mkdir -p $(BUILD)
	$(FUZZ_CC) $(HOSTED) -DFUZZ -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o $@ tests/test_config.c $(PARSER)

.PHONY: test parser-test fuzz
parser-test: $(addprefix $(BUILD)/,test_config test_config-asan)
	$(BUILD)/test_config
	$(BUILD)/test_config-asan
	valgrind --quiet --error-exitcode=1 --leak-check=full $(BUILD)/test_config

# Root: namespaces with a process 1 of their own.
test: parser-test $(addprefix $(BUILD)/,fastinit guest fastinit-patient fastinit-hasty fastinit-faults fastinit-asan) ## tests on this machine
	tests/host-test $(BUILD)

# Fuzzes the parser for FUZZ_SECONDS.
FUZZ_SECONDS = 20
fuzz: $(BUILD)/fuzz_config
	mkdir -p $(BUILD)/corpus
	$(BUILD)/fuzz_config -max_total_time=$(FUZZ_SECONDS) -timeout=10 -max_len=4096 -dict=tests/config.dict $(BUILD)/corpus tests/configs
