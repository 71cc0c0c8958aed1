// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows address handles and what carries them: attributes that count and do not (C085..C089),
 * the sender of a message (C090..C093, C127, C129, C233), an AH that goes while it is in use
 * (C094), and groups (C095..C100).
 */
#include "api_pair_io.h"

#define GRH_BYTES 40

static struct fixture f;

static struct ibv_ah_attr to_self(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = FIXTURE_PORT,
		.grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 64,
			 .traffic_class = 8 },
	};

	return attr;
}

static int send_to(struct pair *p, int side, struct ibv_ah *ah, uint32_t qpn, uint64_t id)
{
	struct ibv_sge sge = pair_sge(&f, 0, 16);
	struct ibv_send_wr wr = {
		.wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .ah = ah, .remote_qpn = qpn, .remote_qkey = FIXTURE_QKEY },
	};

	return pair_post(p, side, &wr);
}

static void test_attributes(void)
{
	struct ibv_ah_attr attr = to_self(), wild = to_self();
	struct ibv_ah *ah = ibv_create_ah(f.pd, &attr);
	int first, second;

	tap_ok(ah && ah->pd == f.pd && ah->context == f.ctx, "C085, C087: an AH");
	tap_is(ibv_destroy_ah(ah), 0, "C089: destroy");
	/* Ethernet needs a GRH: both are refused, and for the same reason. */
	attr.is_global = wild.is_global = 0;
	memset(&wild.grh, 0xff, sizeof(wild.grh));
	errno = 0;
	first = ibv_create_ah(f.pd, &attr) ? 0 : errno;
	errno = 0;
	second = ibv_create_ah(f.pd, &wild) ? 0 : errno;
	tap_ok(first == EINVAL && second == first, "C086, C088: without is_global grh is ignored");
	attr = to_self();
	attr.port_num = 7;
	errno = 0;
	tap_ok(!ibv_create_ah(f.pd, &attr) && errno == EINVAL, "C086: a port that is not there");
}

static void test_sender(void)
{
	struct pair_options o = { .type = IBV_QPT_UD };
	struct ibv_ah_attr attr = to_self(), back;
	struct ibv_ah *ah = ibv_create_ah(f.pd, &attr), *by_hand, *at_once;
	struct ibv_wc wc, seen;
	struct pair p;

	pair_open(&p, &f, &o);
	pair_recv(&p, B, 1, 4096, GRH_BYTES + 64);
	tap_is(send_to(&p, A, ah, p.qp[B]->qp_num, 11), 0, "C233: AH, number and Q_Key");
	pair_expect(&p, A, 11, IBV_WC_SUCCESS, NULL, "sent");
	pair_expect(&p, B, 1, IBV_WC_SUCCESS, &wc, "received");
	seen = wc;
	tap_ok(wc.wc_flags & IBV_WC_GRH && wc.byte_len == GRH_BYTES + 16, "C127: a GRH");
	tap_ok(wc.src_qp == p.qp[A]->qp_num && !wc.slid && !wc.sl && !wc.dlid_path_bits,
	       "C129: who sent it, by which path");
	memset(&back, 0xff, sizeof(back));
	tap_is(ibv_init_ah_from_wc(f.ctx, FIXTURE_PORT, &wc, (void *)(f.buf + 4096), &back), 0,
	       "C090: its address");
	tap_ok(back.is_global && back.port_num == FIXTURE_PORT &&
	       !memcmp(&back.grh.dgid, &f.gid, sizeof(f.gid)) &&
	       back.grh.sgid_index == f.gid_index, "C090: filled");
	by_hand = ibv_create_ah(f.pd, &back);
	tap_ok(by_hand != NULL, "C091: fit for ibv_create_ah");
	at_once = ibv_create_ah_from_wc(f.pd, &wc, (void *)(f.buf + 4096), FIXTURE_PORT);
	tap_ok(at_once != NULL, "C092: in one step");
	pair_recv(&p, A, 2, 8192, GRH_BYTES + 64);
	pair_recv(&p, A, 3, 12288, GRH_BYTES + 64);
	send_to(&p, B, by_hand, seen.src_qp, 12);
	pair_expect(&p, B, 12, IBV_WC_SUCCESS, NULL, "answer");
	pair_expect(&p, A, 2, IBV_WC_SUCCESS, &wc, "C093: the answer arrives");
	send_to(&p, B, at_once, seen.src_qp, 13);
	pair_expect(&p, B, 13, IBV_WC_SUCCESS, NULL, "answer");
	pair_expect(&p, A, 3, IBV_WC_SUCCESS, &wc, "C093: by either way");
	tap_ok(wc.src_qp == p.qp[B]->qp_num, "C093: from the one that was asked");
	errno = 0;
	f.buf[4096 + 24] = 0;	/* neither header makes sense now */
	memset(f.buf + 4096, 0, GRH_BYTES);
	tap_ok(ibv_init_ah_from_wc(f.ctx, FIXTURE_PORT, &seen, (void *)(f.buf + 4096), &back) == -1
	       && errno, "C090: -1 for a header that is none");
	ibv_destroy_ah(by_hand);
	ibv_destroy_ah(at_once);
	pair_close(&p);
	ibv_destroy_ah(ah);
}

/* The caller's fault, and nothing but his request suffers. */
static void test_gone(void)
{
	struct pair_options o = { .type = IBV_QPT_UD };
	struct ibv_ah_attr attr = to_self();
	struct pair p;
	struct ibv_wc wc;
	int i, ended = 0;

	pair_open(&p, &f, &o);
	for (i = 0; i < 8; i++) {
		struct ibv_ah *ah = ibv_create_ah(f.pd, &attr);

		send_to(&p, A, ah, p.qp[B]->qp_num, i);
		ibv_destroy_ah(ah);
	}
	while (ended < 8 && pair_wait_ms(&p, A, &wc, PAIR_POLL_MS))
		ended++;
	tap_is(ended, 8, "C094: AHs that go too early end their requests, one way or other");
	pair_close(&p);
}

/* Copies that arrive; the first one may take its time, if there has to be one. */
static int copies(struct pair *p, struct ibv_ah *ah, uint64_t id, bool member)
{
	struct ibv_wc wc;
	int count = 0;

	send_to(p, A, ah, 0xffffff, id);
	pair_expect(p, A, id, IBV_WC_SUCCESS, NULL, "sent to the group");
	if (member)
		count += pair_wait_ms(p, B, &wc, PAIR_POLL_MS) && !wc.status;
	while (pair_wait_ms(p, B, &wc, 200))
		count += !wc.status;
	return count;
}

static void test_groups(void)
{
	static const union ibv_gid group = { .raw = { 0xff, 0x0e, [10] = 0xff, 0xff,
						      0xe0, 7, 7, 7 } };
	union ibv_gid copy = group;
	struct pair_options ud = { .type = IBV_QPT_UD }, uc = { .type = IBV_QPT_UC };
	struct ibv_ah_attr attr = to_self();
	struct ibv_ah *ah;
	struct pair p, q;
	int i;

	attr.grh.dgid = group;
	ah = ibv_create_ah(f.pd, &attr);
	if (!ah) {
		tap_ok(false, "C087: an AH of a group: %s", strerror(errno));
		return;
	}
	pair_open(&p, &f, &ud);
	pair_open(&q, &f, &uc);
	tap_is(ibv_attach_mcast(q.qp[A], &group, 0), EINVAL, "C097: UC cannot join");
	pair_close(&q);
	pair_open(&q, &f, NULL);
	tap_is(ibv_attach_mcast(q.qp[A], &group, 0), EINVAL, "C097: RC neither");
	pair_close(&q);
	for (i = 0; i < 8; i++)
		pair_recv(&p, B, 1, 4096, GRH_BYTES + 64);
	tap_is(copies(&p, ah, 20, false), 0, "C095: nobody is attached");
	tap_is(ibv_attach_mcast(p.qp[B], &group, 0), 0, "C095, C099: attach, without any join");
	tap_is(copies(&p, ah, 21, true), 1, "C095: one copy");
	tap_is(ibv_attach_mcast(p.qp[B], &group, 0), 0, "C098: attached again");
	tap_is(copies(&p, ah, 22, true), 1, "C098: still one copy");
	tap_is(ibv_detach_mcast(p.qp[B], &group, 0), 0, "C096: detach");
	tap_is(copies(&p, ah, 23, false), 0, "C096: no copy");
	tap_ok(!memcmp(&copy, &group, sizeof(copy)), "C100: the group's address is only read");
	pair_close(&p);
	ibv_destroy_ah(ah);
}

int main(void)
{
	fixture_open(&f);
	test_attributes();
	test_sender();
	test_gone();
	test_groups();
	fixture_close(&f);
	return tap_end();
}
