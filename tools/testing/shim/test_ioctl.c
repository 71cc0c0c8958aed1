// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_ioctl.c - command buffers as the kernel wants them, and what verbs make of its answers. */
#include <errno.h>
#include <string.h>
#include <rdma/ib_user_verbs.h>
#include "fake.h"
#include "tap.h"

static const struct ib_uverbs_attr *sent(uint16_t id)
{
	const struct ib_uverbs_ioctl_hdr *hdr = &fake.last.hdr;
	unsigned int i;

	for (i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == id)
			return &hdr->attrs[i];
	return NULL;
}

/* Up to eight bytes travel in the attribute, with nothing beside them. */
static void test_form(void)
{
	struct fake_context *fc = fake_open();
	const struct ib_uverbs_attr *attr;
	struct ibv_cq *cq;

	cq = fake_cq(fc, 5);
	CHECK(cq);
	CHECK_EQ(fake.object, UVERBS_OBJECT_CQ);
	CHECK_EQ(fake.method, UVERBS_METHOD_CQ_CREATE);
	CHECK_EQ(fake.last.hdr.driver_id, SHCA_DRIVER_ID);
	CHECK_EQ(fake.last.hdr.length, sizeof(fake.last.hdr) +
		 fake.last.hdr.num_attrs * sizeof(struct ib_uverbs_attr));
	CHECK_EQ(fake.last.hdr.reserved1 | fake.last.hdr.reserved2, 0);
	attr = sent(UVERBS_ATTR_CREATE_CQ_CQE);
	CHECK(attr && attr->len == 4 && attr->data == 5 && attr->attr_data.reserved == 0);
	attr = sent(UVERBS_ATTR_CREATE_CQ_USER_HANDLE);
	CHECK(attr && attr->len == 8 && attr->data == (uintptr_t)cq);
	CHECK(!sent(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL));
	CHECK(sent(UVERBS_ATTR_UHW_OUT) && !sent(UVERBS_ATTR_UHW_IN));
	CHECK_EQ(cq->cqe, 8);
	ibv_destroy_cq(cq);
	CHECK_EQ(fake.method, UVERBS_METHOD_CQ_DESTROY);
	fake_close(fc);
}

/* A failed command leaves no object and says why. */
static void test_errors(void)
{
	struct ibv_qp_cap cap = { .max_send_wr = 1 };
	struct fake_context *fc = fake_open();
	struct ibv_context *context = &fc->shim.v.context;
	struct ibv_cq *cq = fake_cq(fc, 1), *other;
	static const int errors[] = { EINVAL, ENOMEM, EIO, EOPNOTSUPP };
	struct ibv_device_attr attr;
	unsigned int i;

	for (i = 0; i < SHIM_ARRAY_SIZE(errors); i++) {
		fake.err = errors[i];
		errno = 0;
		CHECK(!fake_qp(fc, IBV_QPT_RC, cq, &cap, 0) && errno == errors[i]);
		CHECK(!ibv_alloc_pd(context) && errno == errors[i]);
		CHECK(!ibv_create_comp_channel(context) && errno == errors[i]);
		CHECK(!ibv_reg_mr(&fc->pd.ibv, &attr, 8, 0) && errno == errors[i]);
		other = ibv_create_cq(context, 4, NULL, NULL, 0);
		CHECK(!other && errno == errors[i]);
		CHECK_EQ(ibv_query_device(context, &attr), errors[i]);
		CHECK_EQ(ibv_destroy_cq(cq), errors[i]);
	}
	fake.err = 0;
	CHECK(!ibv_create_cq(context, 0, NULL, NULL, 0) && errno == EINVAL);
	CHECK(!ibv_create_cq(context, -1, NULL, NULL, 0) && errno == EINVAL);
	CHECK(!ibv_create_cq(context, 1, NULL, NULL, -1) && errno == EINVAL);
	CHECK(!ibv_create_cq(context, 1, NULL, NULL, 1) && errno == EINVAL);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	fake_close(fc);
}

/* Flags of the optional range reach only kernels that know them (G025). */
static void test_access(void)
{
	struct fake_context *fc = fake_open();
	const struct ib_uverbs_attr *attr;
	const struct ib_uverbs_reg_mr *req;
	struct ibv_mr *mr;
	unsigned int round;
	char memory[64];

	for (round = 0; round < 2; round++) {
		fc->shim.core_support = round ? IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS : 0;
		mr = ibv_reg_mr_iova2(&fc->pd.ibv, memory, 64, 0x5000,
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
		CHECK(mr);
		CHECK_EQ(fake.write_command, IB_USER_VERBS_CMD_REG_MR);
		attr = sent(UVERBS_ATTR_CORE_IN);
		CHECK(attr && attr->len == sizeof(*req));
		ibv_dereg_mr(mr);
		CHECK_EQ(fake.method, UVERBS_METHOD_MR_DESTROY);
	}
	fake_close(fc);
}

/* A value that the command's fields would cut down is refused, not changed. */
static void test_modify(void)
{
	struct ibv_qp_cap cap = { .max_send_wr = 1 };
	struct fake_context *fc = fake_open();
	struct ibv_cq *cq = fake_cq(fc, 4);
	struct ibv_qp *qp = fake_qp(fc, IBV_QPT_RC, cq, &cap, 0);
	struct ibv_qp_attr attr = { .qp_state = 256 + IBV_QPS_INIT };
	unsigned int before = fake.commands;

	CHECK_EQ(ibv_modify_qp(qp, &attr, IBV_QP_STATE), EINVAL);
	attr.qp_state = IBV_QPS_INIT;
	attr.path_mtu = 256 + IBV_MTU_1024;
	CHECK_EQ(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU), EINVAL);
	CHECK_EQ(fake.commands, before);
	CHECK_EQ(qp->state, IBV_QPS_RESET);
	CHECK_EQ(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	CHECK_EQ(qp->state, IBV_QPS_INIT);
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	fake_close(fc);
}

/* Pointers that are not there, objects of another context. */
static void test_arguments(void)
{
	struct fake_context *fc = fake_open();
	struct ibv_cq *cq = fake_cq(fc, 4);
	struct ibv_srq srq = { .context = &fc->shim.v.context };
	struct ibv_qp_init_attr init = { .send_cq = cq, .recv_cq = NULL, .qp_type = IBV_QPT_RC };
	struct ibv_context elsewhere = { .cmd_fd = -1 };
	struct ibv_cq foreign = { .context = &elsewhere };

	CHECK(!ibv_create_qp(&fc->pd.ibv, &init) && errno == EINVAL);
	init.recv_cq = &foreign;
	CHECK(!ibv_create_qp(&fc->pd.ibv, &init) && errno == EINVAL);
	init.recv_cq = cq;
	init.srq = &srq;
	init.qp_type = IBV_QPT_UC;
	CHECK(!ibv_create_qp(&fc->pd.ibv, &init) && errno == EINVAL);
	ibv_destroy_cq(cq);
	fake_close(fc);
}

static const struct tap_test tests[] = {
	{ "the form of a command", test_form },
	{ "access flags", test_access },
	{ "attributes that do not fit", test_modify },
	{ "arguments", test_arguments },
	{ "errors pass through", test_errors },
};

TAP_MAIN(tests)
