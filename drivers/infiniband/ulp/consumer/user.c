// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What a kernel consumer does for user space: it registers memory of a process, copies from it, and
 * turns structs into those that user space reads, and back.
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_marshall.h>
#include <rdma/ib_umem.h>

#include "consumer.h"

#define WHERE		"user space"
#define USER_BYTES	(4 * PAGE_SIZE)
#define SKIP		100	/* bytes before a region in its first page */

/* Memory of the process that loads this module, as services register it for their callers. */
static void test_region(struct ib_pd *pd, unsigned long at)
{
	struct ib_mr_status status;
	struct ib_mr *mr;

	mr = ib_reg_user_mr(pd, at, USER_BYTES, at, IB_ACCESS_LOCAL_WRITE);
	if (consumer_check(!IS_ERR(mr), "registered for it", WHERE)) {
		consumer_check(mr->length == USER_BYTES && mr->iova == at && mr->pd == pd,
			       "is a region", WHERE);
		consumer_check(ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &status) ==
			       -EOPNOTSUPP, "without signatures to check", WHERE);
		consumer_check(!ib_dereg_mr(mr), "and goes", WHERE);
	}
	mr = ib_reg_user_mr(pd, at, USER_BYTES, at, IB_ACCESS_ON_DEMAND);
	consumer_check(IS_ERR(mr), "not on demand", WHERE);
	if (!IS_ERR(mr))
		ib_dereg_mr(mr);
}

/* Bytes out of the middle, over the border of two pages. */
static void test_copy(struct ib_device *dev, unsigned long at)
{
	char *pattern = kmalloc(USER_BYTES, GFP_KERNEL), *back = kzalloc(USER_BYTES, GFP_KERNEL);
	struct ib_umem *umem;
	int i;

	for (i = 0; pattern && i < USER_BYTES; i++)
		pattern[i] = i % 251;
	if (!pattern || !back || copy_to_user((void __user *)at, pattern, USER_BYTES))
		goto free;
	umem = ib_umem_get(dev, at + SKIP, USER_BYTES - 2 * SKIP, IB_ACCESS_LOCAL_WRITE);
	if (!consumer_check(!IS_ERR(umem), "memory is pinned", WHERE))
		goto free;
	consumer_check(!ib_umem_copy_from(back, umem, PAGE_SIZE - SKIP - 8, 16) &&
		       !memcmp(back, pattern + PAGE_SIZE - 8, 16), "can be read", WHERE);
	consumer_check(ib_umem_copy_from(back, umem, USER_BYTES - 2 * SKIP - 8, 16) == -EINVAL &&
		       ib_umem_copy_from(back, umem, USER_BYTES, 1) == -EINVAL,
		       "but not beyond its end", WHERE);
	ib_umem_release(umem);
free:
	kfree(pattern);
	kfree(back);
}

static void test_memory(struct ib_pd *pd)
{
	unsigned long at = vm_mmap(NULL, 0, USER_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, 0);
	struct ib_mr *mr;
	int ret;

	if (!consumer_check(!IS_ERR_VALUE(at), "memory of a process", WHERE))
		return;
	test_region(pd, at);
	test_copy(pd->device, at);
	vm_munmap(at, USER_BYTES);
	mr = ib_reg_user_mr(pd, at, USER_BYTES, at, IB_ACCESS_LOCAL_WRITE);
	consumer_check(mr == ERR_PTR(-EFAULT), "nor what is not there", WHERE);
	if (!IS_ERR(mr))
		ib_dereg_mr(mr);
	ret = ib_advise_mr(pd, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH, 0, NULL, 0);
	consumer_check(!ret || ret == -EOPNOTSUPP, "advice about nothing", WHERE);
}

static void test_path(void)
{
	struct ib_user_path_rec path = {
		.dgid = "a GID that it is", .sgid = "the one it is of",
		.dlid = cpu_to_be16(0x1234), .slid = cpu_to_be16(0x4321), .raw_traffic = 1,
		.flow_label = cpu_to_be32(0x54321), .reversible = 1, .mtu = IB_MTU_2048,
		.pkey = cpu_to_be16(0x8001), .hop_limit = 3, .traffic_class = 4, .numb_path = 5,
		.sl = 6, .mtu_selector = 2, .rate_selector = 1, .rate = IB_RATE_40_GBPS,
		.packet_life_time_selector = 2, .packet_life_time = 18, .preference = 7,
	};
	struct ib_user_path_rec back;
	struct sa_path_rec rec;

	ib_copy_path_rec_from_user(&rec, &path);
	consumer_check(rec.rec_type == SA_PATH_REC_TYPE_IB && rec.mtu == IB_MTU_2048 &&
		       rec.sl == 6 && be32_to_cpu(sa_path_get_dlid(&rec)) == 0x1234 &&
		       !memcmp(&rec.dgid, path.dgid, sizeof(rec.dgid)), "a path", WHERE);
	memset(&back, 0, sizeof(back));
	ib_copy_path_rec_to_user(&back, &rec);
	consumer_check(!memcmp(&back, &path, sizeof(path)), "comes back whole", WHERE);
}

static void test_qp_attr(struct ib_device *dev)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS, .cur_qp_state = IB_QPS_RTR, .path_mtu = IB_MTU_1024,
		.qkey = 5, .rq_psn = 6, .sq_psn = 7, .dest_qp_num = 8, .qp_access_flags = 9,
		.cap = { 10, 11, 12, 13, 14 }, .pkey_index = 15, .max_rd_atomic = 16,
		.max_dest_rd_atomic = 17, .min_rnr_timer = 18, .port_num = 1, .timeout = 19,
		.retry_cnt = 7, .rnr_retry = 6,
		.ah_attr = { .type = RDMA_AH_ATTR_TYPE_ROCE, .sl = 3, .port_num = 1 },
	};
	struct ib_uverbs_qp_attr user;

	rdma_ah_set_grh(&attr.ah_attr, NULL, 0x12345, 2, 64, 33);
	rdma_ah_set_dgid_raw(&attr.ah_attr, "a GID that it is");
	memset(&user, 0xff, sizeof(user));
	ib_copy_qp_attr_to_user(dev, &user, &attr);
	consumer_check(user.qp_state == IB_QPS_RTS && user.cur_qp_state == IB_QPS_RTR &&
		       user.path_mtu == IB_MTU_1024 && user.qkey == 5 && user.rq_psn == 6 &&
		       user.sq_psn == 7 && user.dest_qp_num == 8 && user.qp_access_flags == 9 &&
		       user.max_send_wr == 10 && user.max_inline_data == 14 &&
		       user.pkey_index == 15 && user.max_rd_atomic == 16 && user.timeout == 19 &&
		       user.retry_cnt == 7 && user.rnr_retry == 6, "what a QP is", WHERE);
	consumer_check(user.ah_attr.is_global && user.ah_attr.sl == 3 &&
		       user.ah_attr.grh.flow_label == 0x12345 &&
		       user.ah_attr.grh.sgid_index == 2 && user.ah_attr.grh.hop_limit == 64 &&
		       user.ah_attr.grh.traffic_class == 33 &&
		       !memcmp(user.ah_attr.grh.dgid, "a GID that it is", 16) &&
		       !user.alt_ah_attr.is_global, "and where it sends to", WHERE);
}

static void test_ah_attr(struct ib_device *dev)
{
	struct rdma_ah_attr attr = {
		.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1, .static_rate = 2,
	};
	struct ib_uverbs_ah_attr user;

	rdma_ah_set_dlid(&attr, 0x77);
	rdma_ah_set_path_bits(&attr, 4);
	memset(&user, 0xff, sizeof(user));
	ib_copy_ah_attr_to_user(dev, &user, &attr);
	consumer_check(user.dlid == 0x77 && user.src_path_bits == 4 && user.static_rate == 2 &&
		       user.port_num == 1 && !user.is_global, "an address with a LID", WHERE);
}

void user_test(struct ib_device *dev)
{
	struct ib_pd *pd = ib_alloc_pd(dev, 0);

	if (!consumer_check(!IS_ERR(pd), "a PD", WHERE))
		return;
	test_memory(pd);
	ib_dealloc_pd(pd);
	test_path();
	test_qp_attr(dev);
	test_ah_attr(dev);
}
