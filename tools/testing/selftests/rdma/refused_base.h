/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The objects that tests of refused calls (refused.h) try them on, and the little they share. */
#ifndef SELFTEST_REFUSED_BASE_H
#define SELFTEST_REFUSED_BASE_H

#include <fcntl.h>

#include "api_pair_io.h"

/* What calls are tried on, all of one context, and some of another. */
struct refused_base {
	struct fixture f;
	struct pair rc;		/* connected */
	struct ibv_qp *ud;	/* in RTS */
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_xrcd *xrcd;
	struct ibv_pd *pd;	/* a second one, without anything */
	struct {
		struct ibv_context *ctx;
		struct ibv_pd *pd;
		struct ibv_cq *cq;
		struct ibv_srq *srq;
		struct ibv_comp_channel *channel;
	} other;
};

static struct refused_base base;

/* The result of a call that returns an object, or -1 with errno. */
FIXTURE static int refused_null(const void *made)
{
	return made ? 0 : errno;
}

FIXTURE static int refused_minus(int result)
{
	return result ? errno : 0;
}

FIXTURE static struct ibv_xrcd *refused_xrcd(struct ibv_context *ctx)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};

	return ibv_open_xrcd(ctx, &attr);
}

FIXTURE static struct ibv_srq *refused_srq(struct ibv_pd *pd)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 8, .max_sge = 2 } };

	return ibv_create_srq(pd, &attr);
}

FIXTURE static void refused_open(void)
{
	struct refused_base *b = &base;

	fixture_open(&b->f);
	pair_open(&b->rc, &b->f, NULL);
	b->cq = ibv_create_cq(b->f.ctx, 16, NULL, NULL, 0);
	b->ud = b->cq ? fixture_qp(&b->f, b->cq, NULL, IBV_QPT_UD) : NULL;
	b->channel = ibv_create_comp_channel(b->f.ctx);
	b->srq = refused_srq(b->f.pd);
	b->xrcd = refused_xrcd(b->f.ctx);
	b->pd = ibv_alloc_pd(b->f.ctx);
	b->other.ctx = fixture_open_device();
	b->other.pd = ibv_alloc_pd(b->other.ctx);
	b->other.cq = ibv_create_cq(b->other.ctx, 16, NULL, NULL, 0);
	b->other.srq = b->other.pd ? refused_srq(b->other.pd) : NULL;
	b->other.channel = ibv_create_comp_channel(b->other.ctx);
	if (!b->ud || !b->channel || !b->srq || !b->xrcd || !b->pd || !b->other.cq ||
	    !b->other.srq || !b->other.channel)
		tap_bail("objects to try calls on");
	fixture_connect(&b->f, b->ud, 0);
}

/* Destroying everything shows that nothing unknown hangs on it. */
FIXTURE static void refused_close(void)
{
	struct refused_base *b = &base;

	pair_close(&b->rc);
	tap_ok(!ibv_destroy_qp(b->ud) && !ibv_destroy_srq(b->srq) && !ibv_destroy_cq(b->cq) &&
	       !ibv_destroy_comp_channel(b->channel) && !ibv_close_xrcd(b->xrcd) &&
	       !ibv_dealloc_pd(b->pd), "all of it can be destroyed");
	tap_ok(!ibv_destroy_srq(b->other.srq) && !ibv_destroy_cq(b->other.cq) &&
	       !ibv_destroy_comp_channel(b->other.channel) && !ibv_dealloc_pd(b->other.pd) &&
	       !ibv_close_device(b->other.ctx), "so can what is in another context");
	fixture_close(&b->f);
}

FIXTURE static struct ibv_ah_attr refused_address(void)
{
	return (struct ibv_ah_attr){
		.is_global = 1, .port_num = FIXTURE_PORT,
		.grh = { .dgid = base.f.gid, .sgid_index = base.f.gid_index, .hop_limit = 1 },
	};
}

/* The table is larger than any interface has addresses: its last entry is empty. */
FIXTURE static uint32_t refused_gid_count(void)
{
	struct ibv_port_attr port;

	if (ibv_query_port(base.f.ctx, FIXTURE_PORT, &port) || port.gid_tbl_len < 2)
		tap_bail("length of the GID table");
	return port.gid_tbl_len < 256 ? (uint32_t)port.gid_tbl_len : 256;
}

/* An address of IPv6 that no route leads to. (Every IPv4 one is taken to be on the link then.) */
FIXTURE static void refused_no_route(struct ibv_ah_attr *attr)
{
	struct ibv_gid_entry entry;
	uint32_t i;

	for (i = 0; i < refused_gid_count(); i++) {
		if (ibv_query_gid_ex(base.f.ctx, FIXTURE_PORT, i, &entry, 0) ||
		    entry.gid_type != IBV_GID_TYPE_ROCE_V2 || entry.gid.raw[0] != 0xfe)
			continue;
		attr->grh.sgid_index = (uint8_t)i;
		inet_pton(AF_INET6, "2001:db8::1", &attr->grh.dgid);
		return;
	}
	tap_bail("no GID of IPv6");
}

/* One receive; what was not posted is pointed to. */
FIXTURE static int refused_post(struct ibv_srq *srq, int num_sge)
{
	struct ibv_sge sge[16] = { pair_sge(&base.f, 0, 64) };
	struct ibv_recv_wr wr = { .sg_list = sge, .num_sge = num_sge }, *bad = NULL;
	int err = ibv_post_srq_recv(srq, &wr, &bad);

	return err && bad != &wr ? -1 : err;
}

#endif
