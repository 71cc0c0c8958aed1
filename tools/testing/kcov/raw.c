// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * raw.c - commands made of numbers alone. grammar.c calls in; out goes ioctl(), where mutate.c may
 * turn INVOKE_WRITE into write().
 */
#include "raw.h"

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/shca-abi.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tape.h"

#define WORDS		48	/* of a request */
#define ATTRS		6
#define COMMANDS	64

struct command {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[ATTRS];
};

static uint32_t words[WORDS] __attribute__((aligned(8)));
static uint8_t answer[1024] __attribute__((aligned(8)));

/* Mostly what handles, counts and flags look like. */
static void fill_words(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		words[i] = tape_u8() & 7 ? tape_below(8) : (uint32_t)tape_number();
}

static struct ib_uverbs_attr *add(struct command *cmd, unsigned int id, unsigned int len,
				  uint64_t data)
{
	struct ib_uverbs_attr *attr = &cmd->attrs[cmd->hdr.num_attrs++];

	attr->attr_id = id;
	attr->len = len;
	attr->data = data;
	return attr;
}

static void send(int fd, struct command *cmd)
{
	cmd->hdr.driver_id = SHCA_DRIVER_ID;
	cmd->hdr.length = sizeof(cmd->hdr) + cmd->hdr.num_attrs * sizeof(cmd->attrs[0]);
	ioctl(fd, RDMA_VERBS_IOCTL, &cmd->hdr);
}

static void add_input(struct command *cmd, unsigned int id, unsigned int len)
{
	struct ib_uverbs_attr *attr = add(cmd, id, len, (uintptr_t)words);

	if (len <= sizeof(attr->data)) {
		attr->data = 0;
		memcpy(&attr->data, words, len);
	}
}

void raw_write_command(int fd)
{
	struct command cmd = { .hdr = { .object_id = UVERBS_OBJECT_DEVICE,
					.method_id = UVERBS_METHOD_INVOKE_WRITE } };
	uint32_t number = tape_below(COMMANDS);
	unsigned int n = 2 + tape_below(WORDS - 2);
	uint64_t response = (uintptr_t)answer;

	if (tape_u8() & 1)
		number |= IB_USER_VERBS_CMD_FLAG_EXTENDED;
	fill_words(n);
	/* Where legacy requests have the address of the answer. */
	memcpy(words, &response, sizeof(response));
	add(&cmd, UVERBS_ATTR_WRITE_CMD, sizeof(uint64_t), number);
	add_input(&cmd, UVERBS_ATTR_CORE_IN, n * 4);
	add(&cmd, UVERBS_ATTR_CORE_OUT, tape_u8() & 3 ? 512 : tape_u8(), (uintptr_t)answer);
	send(fd, &cmd);
}

void raw_method(int fd)
{
	struct command cmd = { };
	unsigned int n = tape_below(ATTRS), i;

	cmd.hdr.object_id = tape_below(24);
	cmd.hdr.method_id = tape_below(12);
	fill_words(8);
	for (i = 0; i < n; i++)
		switch (tape_below(3)) {
		case 0:
			add(&cmd, i, 0, tape_below(8));	/* a handle */
			break;
		case 1:
			add_input(&cmd, i, 4 * tape_below(8));
			break;
		case 2:
			add(&cmd, i, 4 * tape_below(32), (uintptr_t)answer);
			break;
		}
	send(fd, &cmd);
}
