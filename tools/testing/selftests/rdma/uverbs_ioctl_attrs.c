// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows the answer of the ioctl door to each way of getting a command wrong: header fields,
 * missing, repeated, unknown, short, long and unreadable attributes, reserved fields, trailing
 * bytes, bad handles in place of objects, and that nothing was created or destroyed on the way.
 */
#include <limits.h>
#include <sys/mman.h>

#include "uverbs_raw.h"

static int fd;
static uint32_t pd;
/* Reads and writes of it fail. */
static uint64_t nowhere;

static void query_port_start(struct uverbs_raw *raw, void *resp, uint16_t len)
{
	uverbs_raw_start(raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 8, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_QUERY_PORT_RESP, len, (uintptr_t)resp);
}

static void test_header(void)
{
	struct ib_uverbs_query_port_resp_ex resp;
	struct uverbs_raw raw;

	query_port_start(&raw, &resp, sizeof(resp));
	tap_is(uverbs_raw_go(fd, &raw), 0, "a right command is carried out");
	tap_ok(raw.attrs[1].flags & UVERBS_ATTR_F_VALID_OUTPUT, "its output is marked as written");

	tap_is(ioctl(fd, RDMA_VERBS_IOCTL + 1, &raw) ? errno : 0, ENOTTY, "another ioctl number");
	tap_is(ioctl(fd, RDMA_VERBS_IOCTL, nowhere) ? errno : 0, EFAULT, "a header nowhere");
	raw.hdr.length = sizeof(raw.hdr) + 2 * sizeof(raw.attrs[0]) - 1;
	tap_is(ioctl(fd, RDMA_VERBS_IOCTL, &raw) ? errno : 0, EINVAL, "length one byte short");
	raw.hdr.length += 2;
	tap_is(ioctl(fd, RDMA_VERBS_IOCTL, &raw) ? errno : 0, EINVAL, "length one byte long");
	raw.hdr.length = 0;
	tap_is(ioctl(fd, RDMA_VERBS_IOCTL, &raw) ? errno : 0, EINVAL, "length 0");
	raw.hdr.num_attrs = 0xffff;
	raw.hdr.length = 0xffff;
	tap_is(ioctl(fd, RDMA_VERBS_IOCTL, &raw) ? errno : 0, EINVAL, "65535 attributes");

	query_port_start(&raw, &resp, sizeof(resp));
	raw.hdr.reserved1 = 1;
	tap_is(uverbs_raw_go(fd, &raw), EPROTONOSUPPORT, "reserved1 not zero");
	query_port_start(&raw, &resp, sizeof(resp));
	raw.hdr.reserved2 = 1;
	tap_is(uverbs_raw_go(fd, &raw), EPROTONOSUPPORT, "reserved2 not zero");
	query_port_start(&raw, &resp, sizeof(resp));
	raw.hdr.driver_id = 0xffffffff;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "the id of another driver");
}

/* The command, and behind it attributes that nobody minds, at the end of what can be read. */
static int go_at_edge(char *edge, const struct uverbs_raw *raw, unsigned int more, size_t cut)
{
	struct ib_uverbs_attr ignored = { .attr_id = 0x0fff };
	size_t bytes = raw->hdr.length, i;
	struct ib_uverbs_ioctl_hdr *hdr;
	char whole[2048];

	memcpy(whole, raw, bytes);
	for (i = 0; i < more; i++, bytes += sizeof(ignored))
		memcpy(whole + bytes, &ignored, sizeof(ignored));
	hdr = (struct ib_uverbs_ioctl_hdr *)whole;
	hdr->num_attrs += more;
	hdr->length = bytes;
	memcpy(edge - bytes + cut, whole, bytes - cut);
	return ioctl(fd, RDMA_VERBS_IOCTL, edge - bytes + cut) ? errno : 0;
}

static void test_edge(void)
{
	static const unsigned int counts[] = { 0, 14, 15, 60 };
	struct ib_uverbs_query_port_resp_ex resp;
	struct uverbs_raw raw;
	size_t i, cut, wrong;
	char *pages;

	pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(pages + 4096, 4096, PROT_NONE);
	query_port_start(&raw, &resp, sizeof(resp));
	raw.hdr.length = sizeof(raw.hdr) + 2 * sizeof(raw.attrs[0]);
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		tap_is(go_at_edge(pages + 4096, &raw, counts[i], 0), 0,
		       "a command of %u attributes at the end of memory", 2 + counts[i]);
		for (cut = 1, wrong = 0; cut < raw.hdr.length; cut++)
			wrong += go_at_edge(pages + 4096, &raw, counts[i], cut) != EFAULT;
		tap_is(wrong, 0, "cut short there, at any byte, of %u", 2 + counts[i]);
	}
	munmap(pages, 8192);
}

static void test_method(void)
{
	static const struct { uint16_t object, method; const char *what; } unknown[] = {
		{ UVERBS_OBJECT_DEVICE, 20, "a method that the object does not have" },
		{ UVERBS_OBJECT_DEVICE, 0x0fff, "a method number beyond all" },
		{ UVERBS_OBJECT_DEVICE, 0x1000, "a driver's method that no driver has" },
		{ UVERBS_OBJECT_DEVICE, 0xffff, "method 0xffff" },
		{ 19, 0, "an object that does not exist" },
		{ 0x0fff, 0, "an object number beyond all" },
		{ 0x1005, 0, "a driver's object that no driver has" },
		{ 0xffff, 0, "object 0xffff" },
	};
	struct uverbs_raw raw;
	size_t i;

	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		uverbs_raw_start(&raw, unknown[i].object, unknown[i].method);
		tap_is(uverbs_raw_go(fd, &raw), EPROTONOSUPPORT, "%s", unknown[i].what);
	}
}

static void test_presence(void)
{
	struct ib_uverbs_query_port_resp_ex resp;
	struct uverbs_raw raw;

	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "no attribute at all");
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 8, 1);
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "the second mandatory attribute is missing");
	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_PORT_RESP, sizeof(resp), (uintptr_t)&resp);
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "the first mandatory attribute is missing");

	query_port_start(&raw, &resp, sizeof(resp));
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 8, 1);
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "an attribute twice");
	query_port_start(&raw, &resp, sizeof(resp));
	uverbs_raw_add(&raw, 25, 8, 1);
	tap_is(uverbs_raw_go(fd, &raw), EPROTONOSUPPORT, "an unknown attribute, mandatory");
	raw.attrs[2].flags = 0;
	tap_is(uverbs_raw_go(fd, &raw), 0, "an unknown attribute, not mandatory");
	raw.attrs[2].attr_id = 0x0fff;
	raw.attrs[2].len = 0xffff;
	tap_is(uverbs_raw_go(fd, &raw), 0, "an impossible attribute, not mandatory");
	raw.attrs[2].flags = UVERBS_ATTR_F_MANDATORY;
	tap_is(uverbs_raw_go(fd, &raw), EPROTONOSUPPORT, "an impossible attribute, mandatory");
	raw.attrs[2].attr_id = 0x1000;
	tap_is(uverbs_raw_go(fd, &raw), EPROTONOSUPPORT, "driver data for a method without");
	raw.attrs[2].attr_id = 0xffff;
	tap_is(uverbs_raw_go(fd, &raw), EPROTONOSUPPORT, "attribute 0xffff");
}

static void test_input_lengths(void)
{
	static const uint16_t bad[] = { 0, 1, 4, 7, 9, 16, 0xffff };
	struct ib_uverbs_query_port_resp_ex resp;
	struct uverbs_raw raw;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		query_port_start(&raw, &resp, sizeof(resp));
		raw.attrs[0].len = bad[i];
		tap_is(uverbs_raw_go(fd, &raw), EINVAL, "a constant of %u bytes", bad[i]);
	}
	query_port_start(&raw, &resp, sizeof(resp));
	raw.attrs[0].attr_data.reserved = 1;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "reserved field of an input attribute");
	query_port_start(&raw, &resp, sizeof(resp));
	raw.attrs[1].attr_data.reserved = 0x100;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "reserved field of an output attribute");
	query_port_start(&raw, &resp, sizeof(resp));
	raw.attrs[0].data = 256;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "a constant that does not fit its type");
	raw.attrs[0].data = 77;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "a port that does not exist");
	raw.attrs[0].data = 0;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "port 0");
}

static void test_output_lengths(void)
{
	uint8_t big[256];
	struct uverbs_raw raw;
	size_t i, known = sizeof(struct ib_uverbs_query_port_resp_ex);
	bool zero = true, intact = true;

	query_port_start(&raw, big, known - 1);
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "an answer's room one byte short");
	query_port_start(&raw, big, 0);
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "no room for an answer");
	memset(big, 0xa5, sizeof(big));
	query_port_start(&raw, big, known + 64);
	tap_is(uverbs_raw_go(fd, &raw), 0, "more room than the answer needs");
	for (i = known - 6; i < known + 64; i++)
		zero &= big[i] == 0;
	for (; i < sizeof(big); i++)
		intact &= big[i] == 0xa5;
	tap_ok(zero, "what is reserved or unknown reads as zero");
	tap_ok(intact, "nothing is written behind the room");
	query_port_start(&raw, (void *)(uintptr_t)nowhere, known);
	tap_is(uverbs_raw_go(fd, &raw), EFAULT, "an answer that cannot be written");
}

static void test_flags(void)
{
	struct ib_uverbs_gid_entry entry;
	struct uverbs_raw raw;

	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY);
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, 8, 1);
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, 8, 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 8, 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, sizeof(entry),
		       (uintptr_t)&entry);
	tap_is(uverbs_raw_go(fd, &raw), 0, "flags of 8 bytes");
	raw.attrs[2].len = 4;
	tap_is(uverbs_raw_go(fd, &raw), 0, "flags of 4 bytes");
	raw.attrs[2].len = 6;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "flags of 6 bytes");
	raw.attrs[2].len = 8;
	raw.attrs[2].data = 1;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "an unknown flag");
	raw.attrs[2].data = 1ULL << 63;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "an unknown high flag");
	raw.attrs[2].data = 0;
	raw.attrs[1].data = 100000;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "a GID index beyond the table");
	raw.attrs[1].data = 1ULL << 32;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "a GID index of 33 bits");
	raw.attrs[1].data = 0;
	raw.attrs[0].data = 99;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "a port beyond the device");
}

static void test_handles(void)
{
	static const struct { uint64_t handle; int error; const char *what; } bad[] = {
		{ 999999, ENOENT, "a handle never given out" },
		{ 0xffffffff, ENOENT, "handle 0xffffffff" },
		{ 1ULL << 32, ENOENT, "a handle of 33 bits" },
		{ ~0ULL, EINVAL, "handle -1" },
	};
	struct uverbs_raw raw;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		tap_is(uverbs_raw_destroy(fd, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
					  bad[i].handle), bad[i].error, "destroy: %s", bad[i].what);
	uverbs_raw_start(&raw, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY);
	uverbs_raw_add(&raw, UVERBS_ATTR_DESTROY_PD_HANDLE, 4, pd);
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "an object attribute with a length");
	raw.attrs[0].len = 0;
	raw.attrs[0].attr_data.reserved = 7;
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "an object attribute with its reserved field set");
	tap_is(uverbs_raw_destroy(fd, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, pd),
	       EINVAL, "a PD's handle where a CQ is created");
	tap_is(uverbs_raw_destroy(fd, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, pd), EINVAL,
	       "a PD's handle where an MR is destroyed");
	tap_is(uverbs_raw_destroy(fd, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, pd), 0,
	       "after all that the PD is still there to be destroyed");
	tap_is(uverbs_raw_destroy(fd, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, pd), ENOENT,
	       "and is gone then");
}

static void test_invoke_write(void)
{
	struct ib_uverbs_alloc_pd req = { 0 };
	struct ib_uverbs_alloc_pd_resp resp;
	struct uverbs_raw raw;

	tap_is(uverbs_raw_invoke(fd, 200, &req, sizeof(req), &resp, sizeof(resp)), EOPNOTSUPP,
	       "INVOKE_WRITE: a command that does not exist");
	tap_is(uverbs_raw_invoke(fd, 0x100, &req, sizeof(req), &resp, sizeof(resp)), EINVAL,
	       "INVOKE_WRITE: bits outside command and flag");
	tap_is(uverbs_raw_invoke(fd, IB_USER_VERBS_CMD_ALLOC_PD, &req, 4, &resp, sizeof(resp)),
	       ENOSPC, "INVOKE_WRITE: a short request");
	tap_is(uverbs_raw_invoke(fd, IB_USER_VERBS_CMD_ALLOC_PD, &req, sizeof(req), &resp, 0),
	       ENOSPC, "INVOKE_WRITE: no room for the answer");
	tap_is(uverbs_raw_invoke(fd, IB_USER_VERBS_CMD_ALLOC_PD, &req, sizeof(req), &resp, 3),
	       ENOSPC, "INVOKE_WRITE: too little room for the answer");
	tap_is(uverbs_raw_invoke(fd, IB_USER_VERBS_CMD_ALLOC_PD, (void *)(uintptr_t)nowhere, 64,
				 &resp, sizeof(resp)), EFAULT, "INVOKE_WRITE: a request nowhere");
	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	uverbs_raw_add(&raw, UVERBS_ATTR_CORE_IN, sizeof(req), 0);
	tap_is(uverbs_raw_go(fd, &raw), EINVAL, "INVOKE_WRITE: no command");
	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	uverbs_raw_add(&raw, UVERBS_ATTR_WRITE_CMD, 8, IB_USER_VERBS_CMD_ALLOC_PD);
	tap_is(uverbs_raw_go(fd, &raw), ENOSPC, "INVOKE_WRITE: a command alone");
	uverbs_raw_add(&raw, UVERBS_ATTR_CORE_IN, sizeof(req), 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_CORE_OUT, sizeof(resp), nowhere);
	tap_is(uverbs_raw_go_either(fd, &raw), EFAULT,
	       "INVOKE_WRITE: an answer that cannot be written");
}

/* Handles the file has for objects of a kind: to see that failures leave nothing behind. */
static uint32_t count_objects(uint16_t object)
{
	uint32_t handles[64], total = ~0u;
	struct uverbs_raw raw;

	uverbs_raw_start(&raw, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	uverbs_raw_add(&raw, UVERBS_ATTR_INFO_OBJECT_ID, 8, object);
	uverbs_raw_add(&raw, UVERBS_ATTR_INFO_TOTAL_HANDLES, sizeof(total), (uintptr_t)&total);
	uverbs_raw_add(&raw, UVERBS_ATTR_INFO_HANDLES_LIST, sizeof(handles), (uintptr_t)handles);
	return uverbs_raw_go(fd, &raw) ? ~0u : total;
}

int main(void)
{
	uint32_t before;

	nowhere = (uintptr_t)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fd = uverbs_raw_begin(&pd);
	before = count_objects(UVERBS_OBJECT_PD);
	tap_is(before, 1, "the file owns one PD");
	test_header();
	test_edge();
	test_method();
	test_presence();
	test_input_lengths();
	test_output_lengths();
	test_flags();
	test_invoke_write();
	tap_is(count_objects(UVERBS_OBJECT_PD), before, "failed calls left no PD behind");
	test_handles();
	tap_is(count_objects(UVERBS_OBJECT_PD), 0, "no PD is left");
	close(fd);
	return tap_end();
}
