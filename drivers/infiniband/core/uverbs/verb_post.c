// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Posting work requests through the kernel: POST_SEND, POST_RECV, POST_SRQ_RECV, for drivers that
 * do not map their queues. (Some drivers that do use an empty POST_SEND as their doorbell.)
 *
 * dispatch.c calls in; the driver goes out. A request carries wr_count work requests of wqe_size
 * bytes each, then all their scatter/gather entries. Every count is checked against the length of
 * the request before it sizes anything, so a caller can make the kernel allocate no more than a
 * small multiple of what it sent.
 */
#include <linux/mm.h>
#include <linux/overflow.h>

#include "call.h"
#include "defs.h"
#include "objects.h"

/* A send work request in the shape its opcode asks for. */
union post_send_wr {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
	struct ib_ud_wr ud;
};

/* The variable part of a request, once its sizes are known to be right. */
struct post_list {
	const void __user *wqes;
	u32 wr_count;
	u32 wqe_size;			/* larger than the uapi struct is legal, the tail unread */
	struct ib_sge *sges;		/* sge_count of them, copied in; kvfree() */
	u32 sge_count;
	u32 sges_used;			/* how many earlier work requests took */
};

/* struct ib_sge has the layout of the uapi struct: entries are copied as they are. */
static_assert(sizeof(struct ib_sge) == sizeof(struct ib_uverbs_sge));
static_assert(offsetof(struct ib_sge, lkey) == offsetof(struct ib_uverbs_sge, lkey));

static int post_list_start(struct post_list *list, struct uverbs_call_rest *rest,
			   size_t min_wqe_size)
{
	size_t wqe_bytes, sge_bytes;
	int ret;

	if (list->wqe_size < min_wqe_size)
		return -EINVAL;
	if (list->wqe_size > KMALLOC_MAX_SIZE)
		return -ENOMEM;
	if (check_mul_overflow((size_t)list->wr_count, (size_t)list->wqe_size, &wqe_bytes) ||
	    check_mul_overflow((size_t)list->sge_count, sizeof(*list->sges), &sge_bytes))
		return -EINVAL;
	list->wqes = uverbs_call_rest_skip(rest, wqe_bytes);
	if (IS_ERR(list->wqes))
		return PTR_ERR(list->wqes);
	if (!sge_bytes)
		return 0;
	/* In a variable of its own: an error must leave nothing to free. */
	if (sge_bytes > rest->end - rest->pos)
		return -ENOSPC;
	list->sges = kvmalloc(sge_bytes, GFP_KERNEL | __GFP_NOWARN);
	if (!list->sges)
		return -ENOMEM;
	ret = uverbs_call_rest_next(rest, list->sges, sge_bytes);
	if (ret) {
		kvfree(list->sges);
		list->sges = NULL;
	}
	return ret;
}

static void post_list_end(struct post_list *list)
{
	kvfree(list->sges);
}

static int post_list_read(const struct post_list *list, u32 index, void *wqe, size_t len)
{
	if (copy_from_user(wqe, list->wqes + (size_t)index * list->wqe_size, len))
		return -EFAULT;
	return 0;
}

/* The next num_sge entries, or NULL for none; EINVAL when the request did not bring so many. */
static struct ib_sge *post_list_take(struct post_list *list, u32 num_sge)
{
	struct ib_sge *first = list->sges + list->sges_used;

	if (num_sge > list->sge_count - list->sges_used)
		return ERR_PTR(-EINVAL);
	list->sges_used += num_sge;
	return num_sge ? first : NULL;
}

static int post_read_ud(struct uverbs_attr_bundle *attrs, const struct ib_uverbs_send_wr *from,
			struct ib_ud_wr *to)
{
	if (from->opcode != IB_WR_SEND && from->opcode != IB_WR_SEND_WITH_IMM)
		return -EINVAL;
	to->ah = uverbs_call_ah(attrs, from->wr.ud.ah);
	if (IS_ERR(to->ah))
		return PTR_ERR(to->ah);
	to->remote_qpn = from->wr.ud.remote_qpn;
	to->remote_qkey = from->wr.ud.remote_qkey;
	return 0;
}

static int post_read_connected(const struct ib_uverbs_send_wr *from, union post_send_wr *to)
{
	switch (from->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		to->rdma.remote_addr = from->wr.rdma.remote_addr;
		to->rdma.rkey = from->wr.rdma.rkey;
		return 0;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		to->atomic.remote_addr = from->wr.atomic.remote_addr;
		to->atomic.compare_add = from->wr.atomic.compare_add;
		to->atomic.swap = from->wr.atomic.swap;
		to->atomic.rkey = from->wr.atomic.rkey;
		return 0;
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		return 0;
	default:
		return -EINVAL;
	}
}

static int post_read_send(struct uverbs_attr_bundle *attrs, struct ib_qp *qp,
			  struct post_list *list, u32 index, union post_send_wr *to)
{
	struct ib_uverbs_send_wr from;
	int ret;

	ret = post_list_read(list, index, &from, sizeof(from));
	if (ret)
		return ret;
	to->wr.wr_id = from.wr_id;
	to->wr.num_sge = from.num_sge;
	to->wr.opcode = from.opcode;
	to->wr.send_flags = from.send_flags;
	to->wr.ex.imm_data = from.ex.imm_data;
	to->wr.sg_list = post_list_take(list, from.num_sge);
	if (IS_ERR(to->wr.sg_list))
		return PTR_ERR(to->wr.sg_list);
	if (qp->qp_type == IB_QPT_UD)
		return post_read_ud(attrs, &from, &to->ud);
	return post_read_connected(&from, to);
}

/* Which one failed, counted from 1 as the answer wants it; 0 when the driver did not say. */
static u32 post_bad_send(const union post_send_wr *wrs, const struct ib_send_wr *bad)
{
	return bad ? container_of(bad, union post_send_wr, wr) - wrs + 1 : 0;
}

static u32 post_bad_recv(const struct ib_recv_wr *wrs, const struct ib_recv_wr *bad)
{
	return bad ? bad - wrs + 1 : 0;
}

static int post_send_list(struct uverbs_attr_bundle *attrs, struct ib_qp *qp,
			  struct post_list *list, u32 *bad_index)
{
	const struct ib_send_wr *bad = NULL;
	union post_send_wr *wrs = NULL;
	int ret = 0;
	u32 i;

	if (list->wr_count) {
		wrs = kvcalloc(list->wr_count, sizeof(*wrs), GFP_KERNEL | __GFP_NOWARN);
		if (!wrs)
			return -ENOMEM;
	}
	for (i = 0; i < list->wr_count && !ret; i++) {
		ret = post_read_send(attrs, qp, list, i, &wrs[i]);
		if (i)
			wrs[i - 1].wr.next = &wrs[i].wr;
	}
	if (!ret) {
		/* Also with an empty list: that is a doorbell. */
		ret = qp->device->ops.post_send(qp->real_qp, wrs ? &wrs->wr : NULL, &bad);
		if (ret)
			*bad_index = post_bad_send(wrs, bad);
	}
	kvfree(wrs);
	return ret;
}

/* The answer says which work request was at fault also when the call fails. */
static int post_answer(struct uverbs_attr_bundle *attrs, int ret, u32 bad_index)
{
	struct ib_uverbs_post_send_resp resp = { .bad_wr = bad_index };
	int ret2 = uverbs_call_respond(attrs, &resp, sizeof(resp));

	return ret2 ? ret2 : ret;
}

static int post_send(struct uverbs_attr_bundle *attrs)
{
	struct uverbs_call_rest rest;
	struct ib_uverbs_post_send cmd;
	struct post_list list = {};
	u32 bad_index = 0;
	struct ib_qp *qp;
	int ret;

	ret = uverbs_call_request_start(attrs, &rest, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	qp = uverbs_call_qp(attrs, cmd.qp_handle);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	list.wr_count = cmd.wr_count;
	list.wqe_size = cmd.wqe_size;
	list.sge_count = cmd.sge_count;
	ret = post_list_start(&list, &rest, sizeof(struct ib_uverbs_send_wr));
	if (!ret)
		ret = uverbs_call_rest_end(&rest);
	if (ret)
		goto end;
	ret = post_answer(attrs, post_send_list(attrs, qp, &list, &bad_index), bad_index);
end:
	post_list_end(&list);
	return ret;
}

static int post_read_recv(struct post_list *list, u32 index, struct ib_recv_wr *to)
{
	struct ib_uverbs_recv_wr from;
	int ret;

	ret = post_list_read(list, index, &from, sizeof(from));
	if (ret)
		return ret;
	to->wr_id = from.wr_id;
	to->num_sge = from.num_sge;
	to->sg_list = post_list_take(list, from.num_sge);
	return PTR_ERR_OR_ZERO(to->sg_list);
}

/* For a QP or, when that is NULL, an SRQ. */
static int post_recv_list(struct ib_qp *qp, struct ib_srq *srq, struct post_list *list,
			  u32 *bad_index)
{
	const struct ib_recv_wr *bad = NULL;
	struct ib_recv_wr *wrs;
	int ret = 0;
	u32 i;

	if (!list->wr_count)
		return 0;
	wrs = kvcalloc(list->wr_count, sizeof(*wrs), GFP_KERNEL | __GFP_NOWARN);
	if (!wrs)
		return -ENOMEM;
	for (i = 0; i < list->wr_count && !ret; i++) {
		ret = post_read_recv(list, i, &wrs[i]);
		if (i)
			wrs[i - 1].next = &wrs[i];
	}
	if (!ret) {
		ret = qp ? qp->device->ops.post_recv(qp->real_qp, wrs, &bad) :
			   srq->device->ops.post_srq_recv(srq, wrs, &bad);
		if (ret)
			*bad_index = post_bad_recv(wrs, bad);
	}
	kvfree(wrs);
	return ret;
}

/* The requests for a QP and for an SRQ differ in a name only. */
static_assert(sizeof(struct ib_uverbs_post_recv) == sizeof(struct ib_uverbs_post_srq_recv));
static_assert(offsetof(struct ib_uverbs_post_recv, qp_handle) ==
	      offsetof(struct ib_uverbs_post_srq_recv, srq_handle));
static_assert(offsetof(struct ib_uverbs_post_recv, wqe_size) ==
	      offsetof(struct ib_uverbs_post_srq_recv, wqe_size));

static int post_recv_any(struct uverbs_attr_bundle *attrs, bool to_srq)
{
	struct uverbs_call_rest rest;
	struct ib_uverbs_post_recv cmd;
	struct post_list list = {};
	struct ib_srq *srq = NULL;
	struct ib_qp *qp = NULL;
	u32 bad_index = 0;
	int ret;

	ret = uverbs_call_request_start(attrs, &rest, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (to_srq)
		srq = uverbs_call_srq(attrs, cmd.qp_handle);
	else
		qp = uverbs_call_qp(attrs, cmd.qp_handle);
	if (IS_ERR(srq) || IS_ERR(qp))
		return to_srq ? PTR_ERR(srq) : PTR_ERR(qp);
	list.wr_count = cmd.wr_count;
	list.wqe_size = cmd.wqe_size;
	list.sge_count = cmd.sge_count;
	ret = post_list_start(&list, &rest, sizeof(struct ib_uverbs_recv_wr));
	if (!ret)
		ret = uverbs_call_rest_end(&rest);
	if (!ret)
		ret = post_answer(attrs, post_recv_list(qp, srq, &list, &bad_index), bad_index);
	post_list_end(&list);
	return ret;
}

static int post_recv(struct uverbs_attr_bundle *attrs)
{
	return post_recv_any(attrs, false);
}

static int post_srq_recv(struct uverbs_attr_bundle *attrs)
{
	return post_recv_any(attrs, true);
}

const struct uapi_definition uverbs_post_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_QP,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_POST_SEND, post_send,
				     UVERBS_IO_RESP(struct ib_uverbs_post_send,
						    struct ib_uverbs_post_send_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(post_send)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_POST_RECV, post_recv,
				     UVERBS_IO_RESP(struct ib_uverbs_post_recv,
						    struct ib_uverbs_post_recv_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(post_recv))),
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_SRQ,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_POST_SRQ_RECV, post_srq_recv,
				     UVERBS_IO_RESP(struct ib_uverbs_post_srq_recv,
						    struct ib_uverbs_post_srq_recv_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(post_srq_recv))),
	{}
};
