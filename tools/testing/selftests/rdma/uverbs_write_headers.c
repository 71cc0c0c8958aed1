// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows the answer of the write door to bad headers: counts that do not agree, commands that do not
 * exist, requests and answers too small, fields that must be zero, and commands before there is a
 * context; for the legacy and the extended form.
 */
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "uverbs_raw.h"

static int fd;
static uint32_t pd;

/* struct ib_uverbs_query_port without its open end. */
struct legacy {
	struct ib_uverbs_cmd_hdr hdr;
	struct {
		uint64_t response;
		uint8_t port_num;
		uint8_t reserved[7];
	} req;
};

struct extended {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex;
	struct ib_uverbs_ex_query_device req;
	uint8_t more[64];
};

#define EXTENDED_BYTES	offsetof(struct extended, more)

static int push(int to, const void *command, size_t bytes)
{
	ssize_t ret = write(to, command, bytes);

	return ret == (ssize_t)bytes ? 0 : ret < 0 ? errno : -1;
}

static struct legacy query_port(struct ib_uverbs_query_port_resp *resp)
{
	return (struct legacy) {
		.hdr = { IB_USER_VERBS_CMD_QUERY_PORT, sizeof(struct legacy) / 4,
			 sizeof(*resp) / 4 },
		.req = { .response = (uintptr_t)resp, .port_num = 1 },
	};
}

static void test_legacy(void)
{
	struct ib_uverbs_query_port_resp resp;
	struct legacy cmd = query_port(&resp);

	tap_is(push(fd, &cmd, sizeof(cmd)), 0, "a right legacy command");
	tap_is(push(fd, &cmd, 0), EINVAL, "nothing written");
	tap_is(push(fd, &cmd, 7), EINVAL, "less than a header");
	tap_is(push(fd, &cmd, sizeof(cmd) - 4), EINVAL, "fewer bytes than the header says");
	cmd.hdr.in_words++;
	tap_is(push(fd, &cmd, sizeof(cmd)), EINVAL, "in_words one too many");
	cmd.hdr.in_words = 0;
	tap_is(push(fd, &cmd, sizeof(cmd)), EINVAL, "in_words 0");
	cmd.hdr.in_words = 2;
	tap_is(push(fd, &cmd, 8), ENOSPC, "a header alone");
	cmd = query_port(&resp);
	cmd.hdr.out_words--;
	tap_is(push(fd, &cmd, sizeof(cmd)), ENOSPC, "too little room for the answer");
	cmd.hdr.out_words = 0;
	tap_is(push(fd, &cmd, sizeof(cmd)), ENOSPC, "no room for the answer");
	cmd = query_port(&resp);
	cmd.req.response = 8;
	tap_is(push(fd, &cmd, sizeof(cmd)), EFAULT, "an answer that cannot be written");
	tap_is(push(fd, (void *)8, sizeof(cmd)), EFAULT, "a command that cannot be read");
	cmd = query_port(&resp);
	cmd.req.port_num = 0;
	tap_is(push(fd, &cmd, sizeof(cmd)), EINVAL, "port 0");
	cmd.req.port_num = 200;
	tap_is(push(fd, &cmd, sizeof(cmd)), EINVAL, "a port beyond the device");
}

static void test_commands(void)
{
	struct ib_uverbs_query_port_resp resp;
	struct legacy cmd = query_port(&resp);
	uint32_t i;

	for (i = 1; i <= 7; i++) {
		cmd.hdr.command = IB_USER_VERBS_CMD_QUERY_PORT | 1u << (7 + 3 * i);
		tap_is(push(fd, &cmd, sizeof(cmd)), EINVAL, "command with bit %u", 7 + 3 * i);
	}
	cmd.hdr.command = 60;
	tap_is(push(fd, &cmd, sizeof(cmd)), EOPNOTSUPP, "a free legacy command");
	cmd.hdr.command = 255;
	tap_is(push(fd, &cmd, sizeof(cmd)), EOPNOTSUPP, "legacy command 255");
	cmd.hdr.command = IB_USER_VERBS_CMD_PEEK_CQ;
	tap_is(push(fd, &cmd, sizeof(cmd)), EOPNOTSUPP, "a command without implementation");
	cmd.hdr.command = 255 | IB_USER_VERBS_CMD_FLAG_EXTENDED;
	tap_is(push(fd, &cmd, sizeof(cmd)), EOPNOTSUPP, "extended command 255");
	cmd.hdr.command = IB_USER_VERBS_CMD_ALLOC_PD | IB_USER_VERBS_CMD_FLAG_EXTENDED;
	tap_is(push(fd, &cmd, sizeof(cmd)), EOPNOTSUPP, "a legacy command in extended form");
}

static struct extended query_device(struct ib_uverbs_ex_query_device_resp *resp)
{
	return (struct extended) {
		.hdr = { IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED,
			 sizeof(struct ib_uverbs_ex_query_device) / 8, sizeof(*resp) / 8 },
		.ex = { .response = (uintptr_t)resp },
	};
}

static void test_extended(void)
{
	struct { struct ib_uverbs_ex_query_device_resp resp; uint8_t behind[64]; } out;
	struct extended cmd = query_device(&out.resp);
	size_t i;
	bool intact = true;

	memset(&out, 0xa5, sizeof(out));
	tap_is(push(fd, &cmd, EXTENDED_BYTES), 0, "a right extended command");
	tap_is(out.resp.response_length, sizeof(out.resp), "it says how much it answered");
	for (i = 0; i < sizeof(out.behind); i++)
		intact &= out.behind[i] == 0xa5;
	tap_ok(intact && !out.resp.reserved, "padding is zero, nothing is written behind it");
	tap_is(push(fd, &cmd, 20), EINVAL, "less than both headers");
	tap_is(push(fd, &cmd, EXTENDED_BYTES + 8), EINVAL, "more bytes than the header says");
	cmd.hdr.in_words = 0;
	tap_is(push(fd, &cmd, 24), 0, "an empty request reads as zero");
	cmd = query_device(&out.resp);
	cmd.ex.cmd_hdr_reserved = 1;
	tap_is(push(fd, &cmd, EXTENDED_BYTES), EINVAL, "the reserved word of the header");
	cmd = query_device(&out.resp);
	cmd.req.comp_mask = 1;
	tap_is(push(fd, &cmd, EXTENDED_BYTES), EINVAL, "an unknown comp_mask");
	cmd = query_device(&out.resp);
	cmd.req.reserved = 1;
	tap_is(push(fd, &cmd, EXTENDED_BYTES), EINVAL, "the reserved word of the request");
	cmd = query_device(&out.resp);
	cmd.hdr.out_words = 0;
	tap_is(push(fd, &cmd, EXTENDED_BYTES), EINVAL, "an answer's address without room");
	cmd.hdr.out_words = 2;
	memset(&out, 0xa5, sizeof(out));
	tap_is(push(fd, &cmd, EXTENDED_BYTES), 0, "little room takes the beginning of the answer");
	tap_is(((uint8_t *)&out)[16], 0xa5, "and no more");
	cmd = query_device(NULL);
	tap_is(push(fd, &cmd, EXTENDED_BYTES), EINVAL, "room without an answer's address");
	cmd = query_device(&out.resp);
	cmd.ex.response = 1ULL << 63;
	tap_is(push(fd, &cmd, EXTENDED_BYTES), EFAULT, "an answer in the kernel's half");
}

/* A longer request than this kernel knows: fine as long as it says nothing new. */
static void test_longer_request(void)
{
	struct ib_uverbs_ex_query_device_resp resp;
	struct extended cmd = query_device(&resp);

	cmd.hdr.in_words += sizeof(cmd.more) / 8;
	tap_is(push(fd, &cmd, sizeof(cmd)), 0, "a longer request with zeroes at the end");
	cmd.more[63] = 1;
	tap_is(push(fd, &cmd, sizeof(cmd)), EOPNOTSUPP, "a longer request with a bit set");
	cmd = query_device(&resp);
	memset(&resp, 0xa5, sizeof(resp));
	cmd.hdr.out_words = (offsetof(struct ib_uverbs_ex_query_device_resp, odp_caps) + 7) / 8;
	tap_is(push(fd, &cmd, EXTENDED_BYTES), 0, "a shorter answer is enough for an old program");
	tap_is(resp.response_length, cmd.hdr.out_words * 8, "its length is told");
	tap_is(((uint8_t *)&resp.timestamp_mask)[0], 0xa5, "and not more is written");
}

static void test_handles(void)
{
	struct ib_uverbs_dealloc_pd dealloc = { .pd_handle = 4711 };
	struct ib_uverbs_dereg_mr dereg = { .mr_handle = pd };

	tap_is(uverbs_raw_write(fd, IB_USER_VERBS_CMD_DEALLOC_PD, &dealloc, sizeof(dealloc), 0),
	       ENOENT, "DEALLOC_PD: a handle never given out");
	dealloc.pd_handle = 0xffffffff;
	tap_is(uverbs_raw_write(fd, IB_USER_VERBS_CMD_DEALLOC_PD, &dealloc, sizeof(dealloc), 0),
	       ENOENT, "DEALLOC_PD: handle 0xffffffff");
	tap_is(uverbs_raw_write(fd, IB_USER_VERBS_CMD_DEREG_MR, &dereg, sizeof(dereg), 0),
	       EINVAL, "DEREG_MR: a PD's handle");
	dealloc.pd_handle = pd;
	tap_is(uverbs_raw_write(fd, IB_USER_VERBS_CMD_DEALLOC_PD, &dealloc, sizeof(dealloc), 0), 0,
	       "DEALLOC_PD: its own");
}

static void test_context(void)
{
	struct ib_uverbs_query_port_resp resp;
	struct legacy cmd = query_port(&resp);
	int other = uverbs_raw_open();
	uint32_t handle;

	tap_is(push(other, &cmd, sizeof(cmd)), EINVAL, "a query before there is a context");
	tap_is(uverbs_raw_alloc_pd(other, &handle), EINVAL, "an object before there is a context");
	tap_ok(mmap(NULL, 4096, PROT_READ, MAP_SHARED, other, 0) == MAP_FAILED && errno == EINVAL,
	       "mmap before there is a context");
	tap_is(uverbs_raw_get_context(other), 0, "the context");
	tap_is(uverbs_raw_get_context(other), EINVAL, "a second context");
	tap_is(push(other, &cmd, sizeof(cmd)), 0, "a query afterwards");
	close(other);
}

/* Who writes must be who opened: a file passed on to a program with other rights is refused. */
static void test_credentials(void)
{
	struct ib_uverbs_query_port_resp resp;
	struct legacy cmd = query_port(&resp);
	pid_t child = fork();
	int status;

	if (!child) {
		if (setuid(65534))
			_exit(1);
		_exit(push(fd, &cmd, sizeof(cmd)));
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		tap_bail("child");
	tap_is(WEXITSTATUS(status), EACCES, "another user writes to an inherited file");
}

int main(void)
{
	fd = uverbs_raw_begin(&pd);
	test_legacy();
	test_commands();
	test_extended();
	test_longer_request();
	test_context();
	test_credentials();
	test_handles();
	close(fd);
	return tap_end();
}
