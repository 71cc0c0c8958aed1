// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Making a write command through either door, and writing down what came back. The parts of the
 * test call in; the kernel is called, standard output is written.
 */
#include "doors.h"

#include <stdarg.h>
#include <sys/mman.h>

uint8_t *const answer = (uint8_t *)0x10000000;
uint8_t *const buffer = (uint8_t *)0x20000000;

char report_note[256];
static uint32_t random_state;

void random_seed(uint32_t seed)
{
	random_state = seed * 2654435761u + 1;
}

/* xorshift: small, and the same everywhere. */
uint32_t random_next(uint32_t bound)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state % bound;
}

void answer_clear(void)
{
	memset(answer, ANSWER_FILL, ANSWER_BYTES);
}

void call_prepare(struct call *c, const struct command *command, const struct world *w, bool invoke)
{
	memset(c, 0, sizeof(*c));
	c->command = command;
	c->invoke = invoke;
	c->number = command->number | (command->ex ? IB_USER_VERBS_CMD_FLAG_EXTENDED : 0);
	c->in = command->in;
	c->out = command->out;
	c->driver_out = command->out ? DRIVER_OUT : 0;
	c->response = command->out ? (uintptr_t)answer : 0;
	command->fill(w, c->request);
}

static int go_legacy(int fd, const struct call *c)
{
	uint8_t bytes[sizeof(struct ib_uverbs_cmd_hdr) + REQUEST_BYTES] = { 0 };
	struct ib_uverbs_cmd_hdr *hdr = (void *)bytes;
	size_t count = sizeof(*hdr) + c->in + c->driver_in;

	hdr->command = c->number;
	hdr->in_words = count / 4 + c->in_words_add;
	hdr->out_words = (c->out + c->driver_out) / 4;
	memcpy(hdr + 1, c->request, c->in + c->driver_in);
	if (c->command->out)
		memcpy(hdr + 1, &c->response, sizeof(c->response));
	return write(fd, bytes, count - c->cut) < 0 ? errno : 0;
}

static int go_extended(int fd, const struct call *c)
{
	uint8_t bytes[64 + REQUEST_BYTES] = { 0 };
	struct ib_uverbs_cmd_hdr *hdr = (void *)bytes;
	struct ib_uverbs_ex_cmd_hdr *ex = (void *)(hdr + 1);

	hdr->command = c->number;
	hdr->in_words = c->in / 8 + c->core_in_words_add;
	hdr->out_words = c->out / 8;
	ex->response = c->response;
	ex->provider_in_words = c->driver_in / 8 + c->in_words_add;
	ex->provider_out_words = c->driver_out / 8;
	ex->cmd_hdr_reserved = c->reserved;
	memcpy(ex + 1, c->request, c->in + c->driver_in);
	return write(fd, bytes, sizeof(*hdr) + sizeof(*ex) + c->in + c->driver_in - c->cut) < 0 ?
	       errno : 0;
}

static void add_input(struct uverbs_raw *raw, uint16_t id, const uint8_t *from, uint16_t bytes)
{
	uint64_t data = (uintptr_t)from;

	if (bytes <= sizeof(data)) {
		data = 0;
		memcpy(&data, from, bytes);
	}
	uverbs_raw_add(raw, id, bytes, data);
}

static int go_invoke(int fd, struct call *c)
{
	struct uverbs_raw raw;

	doors_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	uverbs_raw_add(&raw, UVERBS_ATTR_WRITE_CMD, 8, c->number);
	if (c->in)
		add_input(&raw, UVERBS_ATTR_CORE_IN, c->request, c->in);
	if (c->out)
		uverbs_raw_add(&raw, UVERBS_ATTR_CORE_OUT, c->out, c->response);
	if (c->driver_in)
		add_input(&raw, UVERBS_ATTR_UHW_IN, c->request + c->in, c->driver_in);
	if (c->driver_out)
		uverbs_raw_add(&raw, UVERBS_ATTR_UHW_OUT, c->driver_out, c->response + c->out);
	raw.hdr.reserved1 = c->reserved;
	return uverbs_raw_go(fd, &raw);
}

int call_go(int fd, struct call *c)
{
	answer_clear();
	if (c->invoke)
		return go_invoke(fd, c);
	return c->number & IB_USER_VERBS_CMD_FLAG_EXTENDED ? go_extended(fd, c) : go_legacy(fd, c);
}

const struct mask *call_masks(const struct call *c)
{
	static struct mask masks[MASKS];
	bool fixed = !c->invoke && !(c->number & IB_USER_VERBS_CMD_FLAG_EXTENDED);
	int i;

	memcpy(masks, c->command->masks, sizeof(masks));
	for (i = 0; i < MASKS && masks[i].bytes; i++)
		if (masks[i].bytes == DRIVER_OUT) {
			if (!fixed)
				masks[i].at = c->invoke ? c->out : c->out & ~7;
			masks[i].bytes = ANSWER_BYTES - masks[i].at;
		} else if (!fixed && masks[i].at >= c->out) {
			/* The core had no room for it: what is there is the driver's. */
			masks[i].at = ANSWER_BYTES;
		}
	return masks;
}

/* How many objects of each kind the file has; a failed call must leave that as it was. */
/* The objects of a file by kind, as the kernel counts them: a failed call must leave them alone. */
#define COUNTED 7
static uint32_t counts[COUNTED];

static void count_objects(const struct world *w)
{
	static const uint16_t kinds[COUNTED] = {
		UVERBS_OBJECT_PD, UVERBS_OBJECT_CQ, UVERBS_OBJECT_QP, UVERBS_OBJECT_SRQ,
		UVERBS_OBJECT_AH, UVERBS_OBJECT_MR, UVERBS_OBJECT_MW,
	};
	uint32_t list[64], i;
	struct uverbs_raw raw;

	for (i = 0; i < COUNTED; i++) {
		doors_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
		uverbs_raw_add(&raw, UVERBS_ATTR_INFO_OBJECT_ID, 8, kinds[i]);
		uverbs_raw_add(&raw, UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, (uintptr_t)&counts[i]);
		uverbs_raw_add(&raw, UVERBS_ATTR_INFO_HANDLES_LIST, sizeof(list), (uintptr_t)list);
		counts[i] = 0;
		errno = uverbs_raw_go(w->fd, &raw);
		if (errno)
			counts[i] = 1000 + errno;
	}
}

bool report_changed(const struct world *w)
{
	uint32_t before[COUNTED];

	memcpy(before, counts, sizeof(before));
	count_objects(w);
	return memcmp(before, counts, sizeof(before));
}

static void print_objects(const struct world *w)
{
	int i;

	count_objects(w);
	for (i = 0; i < COUNTED; i++)
		printf(" %u", counts[i]);
}

static bool untouched(uint32_t at, uint32_t bytes)
{
	while (bytes--)
		if (answer[at++] != ANSWER_FILL)
			return false;
	return true;
}

/* Everything that was written, masked parts as their names. */
static void print_answer(const struct mask *masks)
{
	uint32_t end = ANSWER_BYTES, at = 0, i;

	while (end && answer[end - 1] == ANSWER_FILL)
		end--;
	while (at < end) {
		for (i = 0; masks && i < MASKS; i++)
			if (masks[i].bytes && masks[i].at == at && !untouched(at, masks[i].bytes))
				break;
		if (masks && i < MASKS) {
			printf("<%s>", masks[i].name);
			at += masks[i].bytes;
		} else {
			printf("%02x", answer[at++]);
		}
	}
}

void report(const struct world *w, int error, const struct mask *masks, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" -> %d [", error);
	print_answer(masks);
	printf("]%s", report_note);
	report_note[0] = 0;
	if (w)
		print_objects(w);
	printf("\n");
}

void report_plain(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" -> %d\n", error);
}
