/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * pp_memory.h - the memory of a ping-pong: one region, what arrives first, after it what is sent;
 * of the process (pinned, or paged on demand) or of the device. Called by pp_objects.h; the check
 * of what arrives is here too, as it has to know where that is.
 */
#ifndef PP_MEMORY_H
#define PP_MEMORY_H

#include <unistd.h>
#include "pp_options.h"

#define PP_GRH_BYTES	40
#define PP_LINE		64

struct pp_memory {
	struct ibv_mr *mr;
	struct ibv_dm *dm;	/* instead of memory of the process */
	char *buf;		/* with dm: what was copied out of it */
	uint64_t base;		/* the region's first byte as work requests name it */
	size_t bytes;
	size_t send_at;		/* offset of what is sent */
};

static inline bool pp_fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return false;
}

static inline bool pp_no(const char *what)
{
	fprintf(stderr, "the device has no %s\n", what);
	return false;
}

/* On-demand paging where the device says that it has it. */
static inline bool pp_odp_there(struct ibv_context *context, const struct pp_options *o)
{
	const uint32_t need = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV;
	struct ibv_device_attr_ex attr;

	errno = ibv_query_device_ex(context, NULL, &attr);
	if (errno)
		return pp_fail("query device");
	if (!(attr.odp_caps.general_caps & IBV_ODP_SUPPORT) ||
	    (attr.odp_caps.per_transport_caps.rc_odp_caps & need) != need)
		return pp_no("on-demand paging of RC sends and receives");
	if (o->implicit_odp && !(attr.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT))
		return pp_no("implicit on-demand paging");
	return true;
}

static inline bool pp_prefetch(struct pp_memory *m, struct ibv_pd *pd)
{
	struct ibv_sge sge = { (uintptr_t)m->buf, (uint32_t)m->bytes, m->mr->lkey };

	errno = ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, IBV_ADVISE_MR_FLAG_FLUSH,
			      &sge, 1);
	return errno ? pp_fail("prefetch") : true;
}

static inline bool pp_register_dm(struct pp_memory *m, struct ibv_context *context,
				  struct ibv_pd *pd)
{
	struct ibv_alloc_dm_attr attr = { .length = m->bytes };

	m->dm = ibv_alloc_dm(context, &attr);
	if (!m->dm)
		return errno == EOPNOTSUPP ? pp_no("memory of its own") :
					     pp_fail("allocate device memory");
	m->mr = ibv_reg_dm_mr(pd, m->dm, 0, m->bytes, IBV_ACCESS_LOCAL_WRITE |
			      IBV_ACCESS_ZERO_BASED);
	if (!m->mr)
		return pp_fail("register device memory");
	errno = ibv_memcpy_to_dm(m->dm, 0, m->buf, m->bytes);
	return errno ? pp_fail("write device memory") : true;
}

static inline bool pp_register(struct pp_memory *m, struct ibv_context *context,
			       struct ibv_pd *pd, const struct pp_options *o)
{
	bool odp = o->odp || o->implicit_odp;
	int access = IBV_ACCESS_LOCAL_WRITE | (odp ? IBV_ACCESS_ON_DEMAND : 0);

	if (o->device_memory)
		return pp_register_dm(m, context, pd);
	if (odp && !pp_odp_there(context, o))
		return false;
	m->base = (uintptr_t)m->buf;
	if (o->implicit_odp)
		m->mr = ibv_reg_mr(pd, NULL, SIZE_MAX, access);
	else
		m->mr = ibv_reg_mr(pd, m->buf, m->bytes, access);
	if (!m->mr)
		return pp_fail("register memory");
	return o->prefetch ? pp_prefetch(m, pd) : true;
}

static inline bool pp_memory_make(struct pp_memory *m, struct ibv_context *context,
				  struct ibv_pd *pd, const struct pp_options *o, bool grh)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	m->send_at = (o->size + (grh ? PP_GRH_BYTES : 0) + PP_LINE - 1) & ~(size_t)(PP_LINE - 1);
	m->bytes = (m->send_at + o->size + page - 1) & ~(page - 1);
	m->buf = aligned_alloc(page, m->bytes);
	if (!m->buf)
		return pp_fail("memory");
	memset(m->buf, 0x7b, m->bytes);
	return pp_register(m, context, pd, o);
}

static inline bool pp_memory_unmake(struct pp_memory *m)
{
	bool ok = !m->mr || !ibv_dereg_mr(m->mr);

	ok &= !m->dm || !ibv_free_dm(m->dm);
	free(m->buf);
	return ok;
}

/* Makes the message to be sent carry a number in each byte. */
static inline bool pp_memory_fill(struct pp_memory *m, size_t bytes, unsigned int number)
{
	memset(m->buf + m->send_at, (int)(number & 0xff), bytes);
	if (!m->dm)
		return true;
	errno = ibv_memcpy_to_dm(m->dm, m->send_at, m->buf + m->send_at, bytes);
	return errno ? pp_fail("write device memory") : true;
}

/* That what arrived carries it. */
static inline bool pp_memory_check(struct pp_memory *m, size_t skip, size_t bytes,
				   unsigned int number)
{
	size_t i;

	if (m->dm) {
		errno = ibv_memcpy_from_dm(m->buf, m->dm, 0, skip + bytes);
		if (errno)
			return pp_fail("read device memory");
	}
	for (i = 0; i < bytes; i++) {
		if ((uint8_t)m->buf[skip + i] != (number & 0xff)) {
			fprintf(stderr, "invalid data in message %u: byte %zu\n", number, i);
			return false;
		}
	}
	return true;
}

#endif
