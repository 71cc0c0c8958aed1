// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Objects of a kernel consumer that the loop does without: a CQ with a handler of its own, shared
 * receive queues, address handles, groups; and what a device refuses.
 */
#include <rdma/ib_cache.h>
#include <rdma/uverbs_std_types.h>

#include "consumer.h"

#define WHERE	"objects"
#define PORT	1
#define QKEY	0x11111111

static void on_completion(struct ib_cq *cq, void *context)
{
}

static void on_event(struct ib_event *event, void *context)
{
}

static struct ib_cq *make_cq(struct ib_device *dev)
{
	struct ib_cq_init_attr attr = { .cqe = 16 };

	return ib_create_cq(dev, on_completion, on_event, NULL, &attr);
}

/* What a driver may lack is told apart from what it does wrong. */
static void check_or_lacks(int ret, const char *what)
{
	if (ret == -EOPNOTSUPP || ret == -ENOSYS)
		consumer_skip(what, WHERE);
	else
		consumer_check(!ret, what, WHERE);
}

static void test_cq(struct ib_device *dev)
{
	struct ib_cq *cq = make_cq(dev);
	struct ib_wc wc;

	if (!consumer_check(!IS_ERR(cq), "a CQ with a handler", WHERE))
		return;
	consumer_check(!ib_poll_cq(cq, 1, &wc) && !ib_req_notify_cq(cq, IB_CQ_NEXT_COMP),
		       "nothing in it", WHERE);
	check_or_lacks(ib_resize_cq(cq, 64), "it grows");
	check_or_lacks(rdma_set_cq_moderation(cq, 2, 10), "it can be moderated");
	ib_destroy_cq(cq);
	cq = ib_alloc_cq_any(dev, NULL, 16, IB_POLL_WORKQUEUE);
	if (consumer_check(!IS_ERR(cq), "a CQ on any vector", WHERE))
		ib_free_cq(cq);
}

/* What a flow rule holds is released with it. */
static void test_flow_resources(void)
{
	struct ib_uflow_resources *held = flow_resources_alloc(2);
	struct ib_counters counters = { };
	struct ib_flow_action action = { };

	if (!consumer_check(held, "room for what a flow rule holds", WHERE))
		return;
	flow_resources_add(held, IB_FLOW_SPEC_ACTION_COUNT, &counters);
	flow_resources_add(held, IB_FLOW_SPEC_ACTION_HANDLE, &action);
	consumer_check(atomic_read(&counters.usecnt) == 1 && atomic_read(&action.usecnt) == 1,
		       "counters and an action are held", WHERE);
	ib_uverbs_flow_resources_free(held);
	consumer_check(!atomic_read(&counters.usecnt) && !atomic_read(&action.usecnt),
		       "and released", WHERE);
}

static void test_srq(struct ib_pd *pd)
{
	struct ib_srq_init_attr init = {
		.attr = { .max_wr = 16, .max_sge = 1 }, .srq_type = IB_SRQT_BASIC,
		.event_handler = on_event,
	};
	struct ib_srq_attr attr = { .srq_limit = 3 };
	struct ib_srq *srq = ib_create_srq(pd, &init);
	struct ib_sge sge = { .lkey = pd->local_dma_lkey };
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 0 };

	if (srq == ERR_PTR(-EOPNOTSUPP)) {
		consumer_skip("an SRQ", WHERE);
		return;
	}
	if (!consumer_check(!IS_ERR(srq), "an SRQ", WHERE))
		return;
	consumer_check(!ib_post_srq_recv(srq, &wr, NULL), "takes a receive", WHERE);
	consumer_check(!ib_modify_srq(srq, &attr, IB_SRQ_LIMIT), "takes a limit", WHERE);
	memset(&attr, 0, sizeof(attr));
	consumer_check(!ib_query_srq(srq, &attr) && attr.max_wr >= 16 && attr.srq_limit == 3,
		       "and knows it", WHERE);
	attr.max_wr = 100;
	check_or_lacks(ib_modify_srq(srq, &attr, IB_SRQ_MAX_WR), "it grows with what is in it");
	ib_destroy_srq(srq);
}

static int fill_address(struct ib_device *dev, struct rdma_ah_attr *attr)
{
	const struct ib_gid_attr *sgid = rdma_get_gid_attr(dev, PORT, 0);
	union ib_gid to;

	if (IS_ERR(sgid))
		return PTR_ERR(sgid);
	memset(attr, 0, sizeof(*attr));
	attr->type = rdma_ah_find_type(dev, PORT);
	attr->port_num = PORT;
	to = sgid->gid;
	rdma_move_grh_sgid_attr(attr, &to, 0, 64, 0, sgid);
	return rdma_read_gid_l2_fields(sgid, NULL, attr->roce.dmac);
}

static void test_modify_ah(struct ib_ah *ah, struct rdma_ah_attr *attr)
{
	struct rdma_ah_attr back;
	int ret;

	attr->grh.hop_limit = 17;
	ret = rdma_modify_ah(ah, attr);
	check_or_lacks(ret, "it can be changed");
	if (!ret) {
		ret = rdma_query_ah(ah, &back);
		consumer_check(!ret && back.grh.hop_limit == 17, "and knows it", WHERE);
	}
	attr->type = RDMA_AH_ATTR_TYPE_IB;
	consumer_check(rdma_modify_ah(ah, attr) == -EINVAL, "not into another kind", WHERE);
}

static void test_ah(struct ib_pd *pd)
{
	struct rdma_ah_attr attr;
	struct ib_ah *ah;

	if (!consumer_check(!fill_address(pd->device, &attr), "an address", WHERE))
		return;
	ah = rdma_create_ah(pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (consumer_check(!IS_ERR(ah), "a handle for it", WHERE)) {
		test_modify_ah(ah, &attr);
		rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	}
	rdma_destroy_ah_attr(&attr);
}

static int to_init(struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = PORT, .qkey = QKEY };

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY);
}

static void test_groups(struct ib_qp *qp)
{
	union ib_gid group = { .raw = { 0xff, 0x0e, [15] = 9 } };
	union ib_gid single = { .raw = { 0x20, [15] = 9 } };
	int ret;

	ret = ib_attach_mcast(qp, &group, 0);
	check_or_lacks(ret, "a datagram QP joins a group");
	if (!ret) {
		consumer_check(ib_destroy_qp(qp) == -EBUSY, "and cannot go as long", WHERE);
		consumer_check(!ib_detach_mcast(qp, &group, 0), "it leaves", WHERE);
	}
	if (ret != -EOPNOTSUPP && ret != -ENOSYS) {
		consumer_check(ib_attach_mcast(qp, &single, 0) == -EINVAL, "what is no group",
			       WHERE);
		consumer_check(ib_detach_mcast(qp, &group, 0) != 0, "where it is not", WHERE);
	}
}

static void test_datagrams(struct ib_pd *pd)
{
	struct ib_cq *cq = make_cq(pd->device);
	struct ib_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IB_QPT_UD, .port_num = PORT,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ib_qp_init_attr init_back;
	struct ib_qp_attr attr;
	struct ib_qp *qp;

	if (!consumer_check(!IS_ERR(cq), "a CQ for datagrams", WHERE))
		return;
	qp = ib_create_qp(pd, &init);
	if (consumer_check(!IS_ERR(qp) && !to_init(qp), "a datagram QP", WHERE)) {
		consumer_check(!ib_query_qp(qp, &attr, IB_QP_STATE | IB_QP_QKEY, &init_back) &&
			       attr.qp_state == IB_QPS_INIT && attr.qkey == QKEY,
			       "says its state", WHERE);
		test_groups(qp);
	}
	if (!IS_ERR(qp))
		consumer_check(!ib_destroy_qp(qp), "and can go", WHERE);
	ib_destroy_cq(cq);
}

static void test_refusals(struct ib_pd *pd)
{
	struct ib_port_modify change = { };
	struct ib_mr *mr = ib_alloc_mr_integrity(pd, 2, 2);

	consumer_check(IS_ERR(mr), "no region with signatures", WHERE);
	if (!IS_ERR(mr))
		ib_dereg_mr(mr);
	consumer_check(ib_modify_port(pd->device, 9, 0, &change) == -EINVAL,
		       "a port that is not there cannot be changed", WHERE);
	consumer_check(ib_set_vf_link_state(pd->device, 0, PORT, 0) == -EOPNOTSUPP,
		       "no virtual functions", WHERE);
}

void objects_test(struct ib_device *dev)
{
	struct ib_pd *pd = ib_alloc_pd(dev, 0);

	if (!consumer_check(!IS_ERR(pd), "a PD", WHERE))
		return;
	test_cq(dev);
	test_srq(pd);
	test_ah(pd);
	test_datagrams(pd);
	test_refusals(pd);
	test_flow_resources();
	ib_dealloc_pd(pd);
}
