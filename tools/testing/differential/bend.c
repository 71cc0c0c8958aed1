// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Each write command through both doors: as it should be, then with each word of the request
 * replaced, and with each length, address and header word wrong.
 */
#include "doors.h"

static struct world now;
static bool fresh;

/* The world of the call before, unless that changed something. */
static struct world *world(void)
{
	if (!fresh) {
		world_close();
		world_open(&now);
		report_changed(&now);
		fresh = true;
	}
	return &now;
}

static void run(struct call *c, const char *how, int word)
{
	const struct command *command = c->command;
	struct world *w = &now;
	int fd = w->fd, error;
	bool changed;

	if (command->context)
		fd = uverbs_raw_fd_of(getenv("KV_DEV"));
	error = call_go(fd, c);
	if (command->context)
		close(fd);
	changed = report_changed(w);
	if (word >= 0)
		report(w, error, call_masks(c), "command %s %s word%d=%s", c->invoke ? "ioctl" :
		       "write", command->name, word, how);
	else
		report(w, error, call_masks(c), "command %s %s %s", c->invoke ? "ioctl" : "write",
		       command->name, how);
	if (changed || command->context || (!error && !command->query))
		fresh = false;
}

static const struct {
	const char *name;
	uint32_t and, xor, add;
} values[] = {
	{ "0", 0, 0, 0 },
	{ "1", 0, 0, 1 },
	{ "plus1", ~0u, 0, 1 },
	{ "plus2", ~0u, 0, 2 },
	{ "plus5", ~0u, 0, 5 },
	{ "ones", 0, ~0u, 0 },
	{ "high", ~0u, 0x80000000, 0 },
	{ "byte1", ~0u, 0x00000100, 0 },
	{ "byte3", ~0u, 0x01000000, 0 },
};

static void bend_words(const struct command *command, bool invoke)
{
	uint32_t word, i, value;
	struct call c;

	/* The answer's address is bent below. */
	for (word = command->out && !command->ex ? 2 : 0; word < command->in / 4u; word++)
		for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			call_prepare(&c, command, world(), invoke);
			memcpy(&value, c.request + 4 * word, 4);
			value = ((value & values[i].and) ^ values[i].xor) + values[i].add;
			memcpy(c.request + 4 * word, &value, 4);
			run(&c, values[i].name, word);
		}
}

#define FIELD(_name, _member, _value) { _name, offsetof(struct call, _member), \
	sizeof(((struct call *)0)->_member), true, (uint64_t)(_value) }
#define CHANGE(_name, _member, _by) { _name, offsetof(struct call, _member), \
	sizeof(((struct call *)0)->_member), false, (uint64_t)(_by) }

/* set: the value, else what is added. */
static const struct {
	const char *name;
	size_t at, bytes;
	bool set;
	uint64_t value;
} bends[] = {
	FIELD("good", reserved, 0),
	FIELD("in=0", in, 0),
	CHANGE("in-4", in, -4), CHANGE("in-8", in, -8), CHANGE("in+4", in, 4), CHANGE("in+8", in, 8),
	CHANGE("in+16", in, 16),
	FIELD("out=0", out, 0), FIELD("out=4", out, 4), FIELD("out=8", out, 8),
	CHANGE("out-4", out, -4), CHANGE("out-8", out, -8), CHANGE("out+8", out, 8),
	CHANGE("out+64", out, 64),
	FIELD("driver_out=0", driver_out, 0), FIELD("driver_out=4", driver_out, 4),
	FIELD("driver_out=128", driver_out, 128),
	FIELD("driver_in=8", driver_in, 8), FIELD("driver_in=64", driver_in, 64),
	FIELD("response=0", response, 0), FIELD("response=1", response, 1),
	FIELD("response=kernel", response, 0xffff888000000000), CHANGE("response+1", response, 1),
	FIELD("response=end", response, 0x7ffffffff000),
	FIELD("in_words+1", in_words_add, 1), FIELD("in_words-1", in_words_add, -1),
	FIELD("core_in_words+1", core_in_words_add, 1),
	FIELD("core_in_words-1", core_in_words_add, -1),
	FIELD("reserved=1", reserved, 1),
	FIELD("cut=1", cut, 1), FIELD("cut=4", cut, 4), FIELD("cut=8", cut, 8),
	CHANGE("number|0x100", number, 0x100), CHANGE("number|flag30", number, 0x40000000),
	CHANGE("number^extended", number, 0x80000000u),
};

static void bend_fields(const struct command *command, bool invoke, bool dirty)
{
	uint64_t value;
	struct call c;
	char how[64];
	size_t i;

	for (i = 0; i < sizeof(bends) / sizeof(bends[0]); i++) {
		call_prepare(&c, command, world(), invoke);
		value = 0;
		memcpy(&value, (uint8_t *)&c + bends[i].at, bends[i].bytes);
		value = bends[i].value + (bends[i].set ? 0 : value);
		memcpy((uint8_t *)&c + bends[i].at, &value, bends[i].bytes);
		/* Also with something behind the request; an impossible length is none to try. */
		if (c.in > REQUEST_BYTES / 2 || c.out > ANSWER_BYTES / 2)
			continue;
		if (dirty)
			memset(c.request + command->in, 0x11, 16);
		snprintf(how, sizeof(how), "%s%s", bends[i].name, dirty ? " dirty" : "");
		run(&c, how, -1);
	}
}

void bend_commands(void)
{
	unsigned int i, invoke;

	fresh = false;
	for (i = 0; i < command_count; i++)
		for (invoke = 0; invoke < 2; invoke++) {
			bend_fields(&commands[i], invoke, false);
			bend_fields(&commands[i], invoke, true);
			bend_words(&commands[i], invoke);
		}
	world_close();
}
