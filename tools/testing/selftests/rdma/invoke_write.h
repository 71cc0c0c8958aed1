/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * invoke_write.h - a command that the library means for INVOKE_WRITE, as the bytes that write()
 * takes for the same. So what goes through one door can be sent through the other.
 */
#ifndef SELFTEST_INVOKE_WRITE_H
#define SELFTEST_INVOKE_WRITE_H

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { INVOKE_WRITE_BYTES = 4096 };

struct invoke_write {
	uint32_t headers, bytes;	/* of which the first are headers */
	uint32_t core_room, driver_room;
	void *core_answer, *driver_answer;
	uint8_t answer[INVOKE_WRITE_BYTES] __attribute__((aligned(8)));
	uint8_t data[INVOKE_WRITE_BYTES] __attribute__((aligned(8)));
};

static const struct ib_uverbs_attr *invoke_write_find(const struct ib_uverbs_ioctl_hdr *hdr,
						      unsigned int id)
{
	unsigned int i;

	for (i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == id)
			return &hdr->attrs[i];
	return NULL;
}

static bool invoke_write_is(const struct ib_uverbs_ioctl_hdr *hdr)
{
	return hdr->object_id == UVERBS_OBJECT_DEVICE &&
	       hdr->method_id == UVERBS_METHOD_INVOKE_WRITE &&
	       invoke_write_find(hdr, UVERBS_ATTR_WRITE_CMD);
}

static void invoke_write_append(struct invoke_write *w, const struct ib_uverbs_attr *attr)
{
	if (!attr || w->bytes + attr->len > INVOKE_WRITE_BYTES)
		return;
	memcpy(w->data + w->bytes, attr->len <= sizeof(attr->data) ? (const void *)&attr->data :
	       (const void *)(uintptr_t)attr->data, attr->len);
	w->bytes += attr->len;
}

/* False when the answer is larger than anything that is expected. */
static bool invoke_write_make(struct invoke_write *w, const struct ib_uverbs_ioctl_hdr *from)
{
	const struct ib_uverbs_attr *out = invoke_write_find(from, UVERBS_ATTR_CORE_OUT);
	const struct ib_uverbs_attr *driver_out = invoke_write_find(from, UVERBS_ATTR_UHW_OUT);
	const struct ib_uverbs_attr *driver_in = invoke_write_find(from, UVERBS_ATTR_UHW_IN);
	struct ib_uverbs_cmd_hdr *hdr = (void *)w->data;
	struct ib_uverbs_ex_cmd_hdr *ex = (void *)(hdr + 1);
	uint64_t response = (uintptr_t)w->answer;

	memset(w, 0, sizeof(*w));
	w->core_room = out ? out->len : 0;
	w->driver_room = driver_out ? driver_out->len : 0;
	w->core_answer = out ? (void *)(uintptr_t)out->data : NULL;
	w->driver_answer = driver_out ? (void *)(uintptr_t)driver_out->data : NULL;
	if (w->core_room + w->driver_room > sizeof(w->answer))
		return false;
	hdr->command = invoke_write_find(from, UVERBS_ATTR_WRITE_CMD)->data;
	w->headers = sizeof(*hdr);
	if (hdr->command & IB_USER_VERBS_CMD_FLAG_EXTENDED)
		w->headers += sizeof(*ex);
	w->bytes = w->headers;
	invoke_write_append(w, invoke_write_find(from, UVERBS_ATTR_CORE_IN));
	if (hdr->command & IB_USER_VERBS_CMD_FLAG_EXTENDED) {
		hdr->in_words = (w->bytes - w->headers) / 8;
		hdr->out_words = w->core_room / 8;
		ex->response = w->core_room + w->driver_room ? response : 0;
		ex->provider_in_words = driver_in ? driver_in->len / 8 : 0;
		ex->provider_out_words = w->driver_room / 8;
		invoke_write_append(w, driver_in);
		return true;
	}
	/* A legacy request that has an answer begins with where it goes. */
	if (w->core_room && w->bytes >= w->headers + sizeof(response))
		memcpy(w->data + w->headers, &response, sizeof(response));
	invoke_write_append(w, driver_in);
	hdr->in_words = w->bytes / 4;
	hdr->out_words = (w->core_room + w->driver_room) / 4;
	return true;
}

/* What the library waits for is where it would have been. */
static void invoke_write_answer(const struct invoke_write *w)
{
	if (w->core_room)
		memcpy(w->core_answer, w->answer, w->core_room);
	if (w->driver_room)
		memcpy(w->driver_answer, w->answer + w->core_room, w->driver_room);
}

#endif
