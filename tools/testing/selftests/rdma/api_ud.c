// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows datagrams: the 40 bytes before the payload, who sent it, the answer through an AH made
 * from the completion, what is dropped silently, multicast (C085..C100, G107, F16).
 */
#include "api_pair_io.h"

#define GRH_BYTES 40
#define PORT FIXTURE_PORT

static struct fixture f;

static struct ibv_ah_attr own_address(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = PORT,
		.grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 64 },
	};

	return attr;
}

static int send_ud(struct pair *p, int side, struct ibv_ah *ah, uint32_t length, uint32_t qkey)
{
	struct ibv_sge sge = pair_sge(&f, 0, length);
	struct ibv_send_wr wr = {
		.wr_id = length, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED, .imm_data = htonl(7),
		.wr.ud = { .ah = ah, .remote_qpn = p->qp[!side]->qp_num, .remote_qkey = qkey },
	};

	return pair_post(p, side, &wr);
}

static void test_message(struct pair *p, struct ibv_ah *ah)
{
	struct ibv_ah_attr attr;
	struct ibv_ah *back;
	struct ibv_wc wc;

	memcpy(f.buf, "a datagram", 10);
	pair_recv(p, B, 1, 4096, GRH_BYTES + 64);
	tap_is(send_ud(p, A, ah, 64, FIXTURE_QKEY), 0, "send");
	pair_expect(p, A, 64, IBV_WC_SUCCESS, NULL, "send");
	if (!pair_expect(p, B, 1, IBV_WC_SUCCESS, &wc, "receive"))
		return;
	tap_is(wc.byte_len, GRH_BYTES + 64, "byte_len counts the GRH");
	tap_ok(wc.wc_flags & IBV_WC_GRH, "the GRH is there");
	tap_is(wc.src_qp, p->qp[A]->qp_num, "src_qp");
	tap_ok(wc.wc_flags & IBV_WC_WITH_IMM && wc.imm_data == htonl(7), "the immediate");
	tap_ok(!memcmp(f.buf + 4096 + GRH_BYTES, "a datagram", 10), "the payload after it");
	tap_is(ibv_init_ah_from_wc(f.ctx, PORT, &wc, (void *)(f.buf + 4096), &attr), 0,
	       "the address of the sender");
	tap_ok(attr.is_global && !memcmp(&attr.grh.dgid, &f.gid, sizeof(f.gid)), "is its GID");
	back = ibv_create_ah_from_wc(f.pd, &wc, (void *)(f.buf + 4096), PORT);
	tap_ok(back != NULL, "an AH of it");
	if (!back)
		return;
	pair_recv(p, A, 2, 8192, GRH_BYTES + 64);
	send_ud(p, B, back, 32, FIXTURE_QKEY);
	pair_expect(p, B, 32, IBV_WC_SUCCESS, NULL, "answer");
	pair_expect(p, A, 2, IBV_WC_SUCCESS, &wc, "answer received");
	tap_is(wc.src_qp, p->qp[B]->qp_num, "from the other one");
	ibv_destroy_ah(back);
}

/* Posted at once they may travel as one buffer: each has the header of its own packet then, too. */
static void test_together(struct pair *p, struct ibv_ah *ah)
{
	struct ibv_send_wr wr[3];
	struct ibv_ah_attr attr;
	struct ibv_sge sge[3];
	struct ibv_wc wc;
	uint64_t i;

	for (i = 0; i < 3; i++) {
		pair_recv(p, B, i, 4096 + 1024 * i, GRH_BYTES + 64);
		sge[i] = pair_sge(&f, 64 * i, 64);
		wr[i] = (struct ibv_send_wr) {
			.wr_id = i, .sg_list = &sge[i], .num_sge = 1, .opcode = IBV_WR_SEND,
			.next = i < 2 ? &wr[i + 1] : NULL, .send_flags = IBV_SEND_SIGNALED,
			.wr.ud = { ah, p->qp[B]->qp_num, FIXTURE_QKEY },
		};
	}
	pair_post(p, A, wr);
	for (i = 0; i < 3; i++) {
		pair_expect(p, A, i, IBV_WC_SUCCESS, NULL, "sent together");
		if (pair_expect(p, B, i, IBV_WC_SUCCESS, &wc, "received one by one"))
			tap_is(ibv_init_ah_from_wc(f.ctx, PORT, &wc,
						   (void *)(f.buf + 4096 + 1024 * i), &attr), 0,
			       "each with an address");
	}
}

/* F16: none of it harms the receiver, and the sender never hears. */
static void test_dropped(struct pair *p, struct ibv_ah *ah)
{
	struct ibv_wc wc;

	send_ud(p, A, ah, 65, FIXTURE_QKEY);
	pair_expect(p, A, 65, IBV_WC_SUCCESS, NULL, "send without a receive");
	pair_recv(p, B, 1, 4096, GRH_BYTES + 64);
	pair_recv(p, B, 2, 8192, GRH_BYTES + 4000);
	send_ud(p, A, ah, 66, FIXTURE_QKEY + 1);
	pair_expect(p, A, 66, IBV_WC_SUCCESS, NULL, "send with a wrong Q_Key");
	tap_ok(!pair_wait_ms(p, B, &wc, 30), "does not arrive");
	memset(f.buf + 4096 + GRH_BYTES + 64, 0x5a, 200);
	send_ud(p, A, ah, 200, FIXTURE_QKEY);
	pair_expect(p, A, 200, IBV_WC_SUCCESS, NULL, "send of more than the receive holds");
	send_ud(p, A, ah, 64, FIXTURE_QKEY);
	pair_expect(p, A, 64, IBV_WC_SUCCESS, NULL, "send that fits");
	do {
		if (!pair_wait_ms(p, B, &wc, PAIR_POLL_MS)) {
			tap_ok(false, "the message that fits arrives");
			return;
		}
	} while (wc.status);
	tap_is(wc.byte_len, GRH_BYTES + 64, "the message that fits arrives");
	tap_ok(f.buf[4096 + GRH_BYTES + 64] == 0x5a, "nothing outside the buffer");
	tap_is(pair_state(p, B), IBV_QPS_RTS, "the receiver stays in RTS");
}

static void test_ah(void)
{
	struct ibv_ah_attr attr = own_address();
	struct ibv_ah *ah;

	attr.is_global = 0;
	ah = ibv_create_ah(f.pd, &attr);
	tap_ok(!ah && errno == EINVAL, "no AH without a GRH on Ethernet");
	attr.is_global = 1;
	attr.port_num = 9;
	ah = ibv_create_ah(f.pd, &attr);
	tap_ok(!ah && errno == EINVAL, "no AH on port 9");
	attr.port_num = PORT;
	attr.grh.sgid_index = 200;
	ah = ibv_create_ah(f.pd, &attr);
	tap_ok(!ah && (errno == EINVAL || errno == ENODATA), "no AH from an empty GID");
}

static void test_multicast(struct pair *p)
{
	union ibv_gid group = { .raw = { 0xff, 0x0e, [10] = 0xff, 0xff, 0xe0, 1, 2, 3 } };
	struct ibv_ah_attr attr = own_address();
	struct pair_options rc = { .type = IBV_QPT_RC };
	struct ibv_sge sge = pair_sge(&f, 0, 16);
	struct ibv_send_wr wr = {
		.wr_id = 3, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .remote_qpn = 0xffffff, .remote_qkey = FIXTURE_QKEY },
	};
	struct ibv_wc wc;
	struct pair q;
	int err;

	pair_open(&q, &f, &rc);
	tap_is(ibv_attach_mcast(q.qp[A], &group, 0), EINVAL, "RC cannot attach");
	pair_close(&q);
	err = ibv_attach_mcast(p->qp[B], &group, 0);
	if (err == EOPNOTSUPP) {
		tap_skip("no multicast");
		return;
	}
	tap_is(err, 0, "attach");
	tap_is(ibv_attach_mcast(p->qp[B], &group, 0), 0, "attach again");
	tap_is(ibv_attach_mcast(p->qp[B], &f.gid, 0), EINVAL, "not to a GID that is no group");
	attr.grh.dgid = group;
	wr.wr.ud.ah = ibv_create_ah(f.pd, &attr);
	if (!tap_ok(wr.wr.ud.ah != NULL, "an AH of the group"))
		return;
	pair_recv(p, B, 50, 4096, GRH_BYTES + 64);
	pair_recv(p, B, 51, 8192, GRH_BYTES + 64);
	pair_post(p, A, &wr);
	pair_expect(p, A, 3, IBV_WC_SUCCESS, NULL, "send to the group");
	do {
		if (!pair_wait_ms(p, B, &wc, PAIR_POLL_MS)) {
			tap_ok(false, "the member gets it");
			return;
		}
	} while (wc.wr_id < 2 || wc.byte_len != GRH_BYTES + 16);
	tap_is(wc.status, IBV_WC_SUCCESS, "the member gets it");
	tap_ok(!pair_wait_ms(p, B, &wc, 30), "once");
	tap_is(ibv_destroy_qp(p->qp[B]), EBUSY, "a member cannot be destroyed");
	tap_is(ibv_detach_mcast(p->qp[B], &group, 0), 0, "one detach undoes both");
	tap_is(ibv_detach_mcast(p->qp[B], &group, 0), EINVAL, "a second one fails");
	ibv_destroy_ah(wr.wr.ud.ah);
}

int main(void)
{
	struct pair_options o = { .type = IBV_QPT_UD };
	struct ibv_ah_attr attr;
	struct ibv_ah *ah;
	struct pair p;

	fixture_open(&f);
	attr = own_address();
	ah = ibv_create_ah(f.pd, &attr);
	if (!ah)
		tap_bail("create AH");
	pair_open(&p, &f, &o);
	test_message(&p, ah);
	test_together(&p, ah);
	test_dropped(&p, ah);
	test_ah();
	pair_close(&p);
	pair_open(&p, &f, &o);
	test_multicast(&p);
	pair_close(&p);
	tap_is(ibv_destroy_ah(ah), 0, "the AH can go");
	fixture_close(&f);
	return tap_end();
}
