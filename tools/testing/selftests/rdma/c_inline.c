// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows inline data at its limits (C243..C246, F41): for each type of QP any size that creation
 * grants can be posted, in one piece or several, and arrives; one byte more is refused; what the
 * device cannot do is refused when the QP is made.
 */
#include "api_pair_io.h"

#define GRH_BYTES 40

static struct fixture f;

static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

static struct ibv_qp *try(struct ibv_cq *cq, enum ibv_qp_type type, uint32_t *bytes)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = type,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 4,
			 .max_recv_sge = 1, .max_inline_data = *bytes },
	};
	struct ibv_qp *qp = ibv_create_qp(f.pd, &init);

	if (qp)
		*bytes = init.cap.max_inline_data;
	return qp;
}

/* The largest size that creation grants. */
static uint32_t find_limit(struct ibv_cq *cq, enum ibv_qp_type type)
{
	uint32_t low = 0, high = 1 << 20, middle, bytes;
	struct ibv_qp *qp;

	while (high - low > 1) {
		bytes = middle = low + (high - low) / 2;
		qp = try(cq, type, &bytes);
		if (!qp) {
			high = middle;
			continue;
		}
		low = middle;
		ibv_destroy_qp(qp);
	}
	return low;
}

static int post(struct pair *p, struct ibv_ah *ah, uint32_t length, int pieces)
{
	struct ibv_sge sge[4];
	struct ibv_send_wr wr = {
		.wr_id = length, .sg_list = sge, .num_sge = pieces, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
	};
	uint32_t at = 0, part = length / pieces;
	int i;

	for (i = 0; i < pieces; i++, at += part)
		sge[i] = (struct ibv_sge){ (uintptr_t)f.buf + at,
					   i == pieces - 1 ? length - at : part, 0xbad };
	if (ah) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = p->qp[B]->qp_num;
		wr.wr.ud.remote_qkey = FIXTURE_QKEY;
	}
	return pair_post(p, A, &wr);
}

static void exchange(struct pair *p, struct ibv_ah *ah, uint32_t length, int pieces)
{
	uint32_t head = ah ? GRH_BYTES : 0, i;
	char what[64];

	for (i = 0; i < length; i++)
		f.buf[i] = (char)(i * 11 + pieces);
	memset(f.buf + 8192, 0, 4096);
	pair_recv(p, B, 1, 8192, 4096);
	snprintf(what, sizeof(what), "C246: %u bytes in %d pieces", length, pieces);
	tap_is(post(p, ah, length, pieces), 0, "%s", what);
	pair_expect(p, A, length, IBV_WC_SUCCESS, NULL, what);
	pair_expect(p, B, 1, IBV_WC_SUCCESS, NULL, what);
	tap_ok(!memcmp(f.buf, f.buf + 8192 + head, length), "%s arrive", what);
}

static void test_type(enum ibv_qp_type type)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 4, NULL, NULL, 0);
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = FIXTURE_PORT,
		.grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 4 },
	};
	struct ibv_ah *ah = type == IBV_QPT_UD ? ibv_create_ah(f.pd, &attr) : NULL;
	struct pair_options o = { .type = type };
	uint32_t bytes, limit = find_limit(cq, type);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr got;
	struct ibv_qp *qp;
	struct pair p;

	tap_ok(limit >= 220, "C243, C244: type %d takes up to %u bytes", type, limit);
	bytes = limit + 1;
	errno = 0;
	qp = try(cq, type, &bytes);
	tap_ok(!qp && errno == EINVAL, "C243: one more is EINVAL");
	bytes = 0;
	qp = try(cq, type, &bytes);
	tap_ok(qp != NULL, "C245: none is fine");
	ibv_destroy_qp(qp);
	o.cap.max_inline_data = limit;
	pair_open(&p, &f, &o);
	ibv_query_qp(p.qp[A], &got, IBV_QP_CAP, &init);
	bytes = init.cap.max_inline_data;
	tap_ok(bytes >= limit, "C246: %u are granted", bytes);
	exchange(&p, ah, 1, 1);
	exchange(&p, ah, 63, 2);
	exchange(&p, ah, 65, 3);
	exchange(&p, ah, bytes - 1, 4);
	exchange(&p, ah, bytes, 1);
	exchange(&p, ah, bytes, 4);
	tap_is(post(&p, ah, bytes + 1, 3), EINVAL, "C246: one more is EINVAL");
	pair_close(&p);
	if (ah)
		ibv_destroy_ah(ah);
	ibv_destroy_cq(cq);
}

int main(void)
{
	unsigned int i;

	fixture_open(&f);
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		test_type(types[i]);
	fixture_close(&f);
	return tap_end();
}
