// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * mutate.c - ioctl() and mmap() in front of libc's. A command of the attribute ioctl is copied,
 * changed in the copy and sent; what the library meant to be INVOKE_WRITE may go through write()
 * instead. The library's own memory is never changed by us, only by what the kernel answers.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mutate.h"
#include "../selftests/rdma/invoke_write.h"
#include "tape.h"

#define PAGE		4096
#define MAX_ATTRS	24
#define CHANGE_ABOVE	176	/* of 256: so many calls are changed */

struct command {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[MAX_ATTRS];
};

bool mutate_armed;
struct mutate_counts *mutate_counts;
struct mutate_mapping mutate_mappings[MUTATE_MAPPINGS];
unsigned int mutate_mapped;

static uint8_t *edge;	/* a page, behind which nothing can be read */

bool mutate_begin(void)
{
	edge = (void *)syscall(SYS_mmap, NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	if (edge == MAP_FAILED)
		return false;
	return !syscall(SYS_munmap, edge + PAGE, PAGE);
}

/* ---- one change each ---- */

typedef void (*change)(struct command *cmd);

static struct ib_uverbs_attr *some_attr(struct command *cmd)
{
	if (!cmd->hdr.num_attrs)
		return NULL;
	return &cmd->attrs[tape_below(cmd->hdr.num_attrs)];
}

static void change_len(struct command *cmd)
{
	struct ib_uverbs_attr *attr = some_attr(cmd);

	if (attr)
		attr->len = tape_u8() & 1 ? attr->len + (int8_t)tape_u8() : (uint16_t)tape_number();
}

static void change_data(struct command *cmd)
{
	struct ib_uverbs_attr *attr = some_attr(cmd);

	if (!attr)
		return;
	switch (tape_below(4)) {
	case 0:
		attr->data ^= 1ull << tape_below(64);
		break;
	case 1:
		attr->data = tape_number();
		break;
	case 2:
		attr->data = tape_below(16);	/* the handle of something else */
		break;
	case 3:
		attr->data = (uintptr_t)edge + PAGE - tape_below(64);
		break;
	}
}

static void change_id(struct command *cmd)
{
	struct ib_uverbs_attr *attr = some_attr(cmd);

	if (attr)
		attr->attr_id = tape_u8() & 1 ? tape_below(16) | (tape_u8() & 1) << 12 :
						(uint16_t)tape_number();
}

static void change_flags(struct command *cmd)
{
	struct ib_uverbs_attr *attr = some_attr(cmd);

	if (!attr)
		return;
	if (tape_u8() & 1)
		attr->flags = tape_bytes(2);
	else
		attr->attr_data.reserved = tape_u8();
}

static void change_drop(struct command *cmd)
{
	struct ib_uverbs_attr *attr = some_attr(cmd);

	if (!attr)
		return;
	*attr = cmd->attrs[--cmd->hdr.num_attrs];
	cmd->hdr.length -= sizeof(*attr);
}

static void change_repeat(struct command *cmd)
{
	struct ib_uverbs_attr *attr = some_attr(cmd);

	if (!attr || cmd->hdr.num_attrs == MAX_ATTRS)
		return;
	cmd->attrs[cmd->hdr.num_attrs++] = *attr;
	cmd->hdr.length += sizeof(*attr);
}

static void change_method(struct command *cmd)
{
	switch (tape_below(3)) {
	case 0:
		cmd->hdr.method_id = tape_below(16) | (tape_u8() & 1) << 12;
		break;
	case 1:
		cmd->hdr.object_id = tape_below(24) | (tape_u8() & 1) << 12;
		break;
	case 2:
		cmd->hdr.driver_id = tape_number();
		break;
	}
}

static void change_header(struct command *cmd)
{
	switch (tape_below(4)) {
	case 0:
		cmd->hdr.length = tape_number();
		break;
	case 1:
		cmd->hdr.num_attrs = tape_number() % (MAX_ATTRS + 1);
		break;
	case 2:
		cmd->hdr.reserved1 = tape_number();
		break;
	case 3:
		cmd->hdr.reserved2 = tape_number();
		break;
	}
}

/* The bytes of an attribute, moved to the end of the page and changed there. */
static void change_payload(struct command *cmd)
{
	struct ib_uverbs_attr *attr = some_attr(cmd);
	uint8_t *bytes;

	if (!attr || !attr->len || attr->len > PAGE)
		return;
	if (attr->len <= sizeof(attr->data)) {
		bytes = (uint8_t *)&attr->data;
	} else {
		if (attr->data < PAGE || attr->data >> 47)
			return;
		bytes = edge + PAGE - attr->len;
		memmove(bytes, (void *)(uintptr_t)attr->data, attr->len);
		attr->data = (uintptr_t)bytes;
	}
	switch (tape_below(4)) {
	case 0:		/* only moved */
		break;
	case 1:
		bytes[tape_below(attr->len)] ^= 1 << tape_below(8);
		break;
	case 2:
		if (attr->len >= 4) {
			uint32_t word = tape_number();

			memcpy(bytes + tape_below(attr->len / 4) * 4, &word, sizeof(word));
		}
		break;
	case 3:
		if (attr->len >= 8) {
			uint64_t word = tape_number();

			memcpy(bytes + tape_below(attr->len / 8) * 8, &word, sizeof(word));
		}
		break;
	}
}

static const change changes[] = {
	change_payload, change_payload, change_payload, change_payload, change_data, change_data,
	change_len, change_id, change_flags, change_drop, change_repeat, change_method,
	change_header,
};

/* ---- the write door ---- */

/* A word of the headers, or a byte of what follows them. */
static void change_written(uint8_t *bytes, unsigned int headers, uint32_t *count)
{
	uint16_t half = tape_number();
	uint32_t word = tape_number();

	switch (tape_below(4)) {
	case 0:
		memcpy(bytes + 4 + tape_below(headers / 2 - 2) * 2, &half, sizeof(half));
		break;
	case 1:
		if (*count > headers + 4)
			memcpy(bytes + headers + tape_below((*count - headers) / 4) * 4, &word, 4);
		break;
	case 2:
		*count += (int8_t)tape_u8();
		*count %= INVOKE_WRITE_BYTES;
		break;
	case 3:
		memcpy(bytes, &word, sizeof(word));
		break;
	}
}

/* What INVOKE_WRITE meant, by write(). */
static long send_by_write(int fd, const struct ib_uverbs_ioctl_hdr *meant)
{
	static struct invoke_write w;
	long ret;

	if (!invoke_write_make(&w, meant))
		return -1;
	if (tape_u8() & 1)
		change_written(w.data, w.headers, &w.bytes);
	ret = syscall(SYS_write, fd, w.data, w.bytes);
	if (ret >= 0)
		invoke_write_answer(&w);
	return ret < 0 ? -1 : 0;
}

/* ---- the calls ---- */

static long counted(long ret)
{
	int err = errno;

	mutate_counts->calls++;
	mutate_counts->failed += ret < 0;
	errno = err;
	return ret;
}

/* The answers that the kernel puts into the command itself: handles, and which were written. */
static void take_answers(struct ib_uverbs_ioctl_hdr *to, const struct command *from)
{
	unsigned int i;

	for (i = 0; i < to->num_attrs && i < from->hdr.num_attrs; i++)
		if (to->attrs[i].attr_id == from->attrs[i].attr_id && !to->attrs[i].len)
			to->attrs[i].data = from->attrs[i].data;
}

static long send_changed(int fd, struct ib_uverbs_ioctl_hdr *meant)
{
	struct command cmd;
	unsigned int n;
	long ret;

	mutate_counts->changed++;
	if (invoke_write_is(meant) && tape_u8() & 1)
		return counted(send_by_write(fd, meant));
	memcpy(&cmd, meant, sizeof(*meant) + meant->num_attrs * sizeof(cmd.attrs[0]));
	for (n = 1 + tape_below(3); n; n--)
		changes[tape_below(sizeof(changes) / sizeof(changes[0]))](&cmd);
	ret = counted(syscall(SYS_ioctl, fd, RDMA_VERBS_IOCTL, &cmd));
	if (!ret)
		take_answers(meant, &cmd);
	return ret;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	long arg;

	va_start(args, request);
	arg = va_arg(args, long);
	va_end(args);
	if (!mutate_armed)
		return syscall(SYS_ioctl, fd, request, arg);
	if (request == RDMA_VERBS_IOCTL && tape_u8() >= CHANGE_ABOVE &&
	    ((struct ib_uverbs_ioctl_hdr *)arg)->num_attrs <= MAX_ATTRS)
		return send_changed(fd, (void *)arg);
	return counted(syscall(SYS_ioctl, fd, request, arg));
}

void *mmap(void *addr, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	void *at;

	if (fd < 0 || !mutate_armed)
		return (void *)syscall(SYS_mmap, addr, bytes, prot, flags, fd, offset);
	if (tape_u8() >= CHANGE_ABOVE) {
		mutate_counts->changed++;
		switch (tape_below(4)) {
		case 0:
			bytes += PAGE * (int8_t)tape_u8();
			break;
		case 1:
			offset += PAGE * (int8_t)tape_u8();
			break;
		case 2:
			prot = tape_below(8);
			break;
		case 3:
			flags ^= MAP_SHARED | MAP_PRIVATE;
			break;
		}
	}
	at = (void *)syscall(SYS_mmap, addr, bytes, prot, flags, fd, offset);
	counted(at == MAP_FAILED ? -1 : 0);
	if (at != MAP_FAILED && mutate_mapped < MUTATE_MAPPINGS && prot & PROT_WRITE)
		mutate_mappings[mutate_mapped++] = (struct mutate_mapping){ at, bytes };
	return at;
}
