// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fake.c - see fake.h. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <rdma/ib_user_verbs.h>
#include "fake.h"

struct fake fake;
struct fake_ring fake_ring = { .lock = PTHREAD_MUTEX_INITIALIZER };

#define MOVED_RING 0x7000000	/* offset by which the library asks for it */

void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t len);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
int __wrap_munmap(void *addr, size_t len);
int __wrap_madvise(void *addr, size_t len, int advice);

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (fd == FAKE_CMD_FD && offset == MOVED_RING)
		return fake_ring.shared;
	if (fd == FAKE_CMD_FD)
		return __real_mmap(addr, len, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return __real_mmap(addr, len, prot, flags, fd, offset);
}

int __wrap_munmap(void *addr, size_t len)
{
	return __real_munmap(addr, len);
}

int __wrap_madvise(void *addr, size_t len, int advice)
{
	int err = advice == MADV_DONTFORK ? fake.dontfork_err : fake.dofork_err;

	(void)addr;
	fake.madvises++;
	if (err) {
		errno = err;
		return -1;
	}
	if (advice == MADV_DONTFORK)
		fake.dontfork += len / 4096;
	else if (advice == MADV_DOFORK)
		fake.dofork += len / 4096;
	return 0;
}

static struct ib_uverbs_attr *find(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id)
{
	unsigned int i;

	for (i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == id)
			return &hdr->attrs[i];
	return NULL;
}

static void *out_of(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id)
{
	struct ib_uverbs_attr *attr = find(hdr, id);

	assert(attr);
	return (void *)(uintptr_t)attr->data;
}

static uint32_t power_of_two(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static void describe(struct shca_mmap_info *map, struct shca_ring_info *ring, uint32_t offset,
		     uint32_t entries, uint32_t stride)
{
	ring->offset = offset;
	ring->entries = entries;
	ring->stride = stride;
	if (map->size < offset + entries * stride)
		map->size = offset + entries * stride;
}

static void create_cq(struct ib_uverbs_ioctl_hdr *hdr)
{
	uint32_t cqe = (uint32_t)find(hdr, UVERBS_ATTR_CREATE_CQ_CQE)->data;
	struct shca_create_cq_resp *resp = out_of(hdr, UVERBS_ATTR_UHW_OUT);
	uint32_t entries = power_of_two(cqe + fake.extra_entries);

	describe(&resp->map, &resp->ring, sizeof(struct shca_cq_shared), entries,
		 sizeof(struct shca_cqe));
	*(uint32_t *)out_of(hdr, UVERBS_ATTR_CREATE_CQ_RESP_CQE) = entries;
}

static uint32_t send_stride(const struct ib_uverbs_qp_cap *cap)
{
	uint32_t data = 16 * (cap->max_send_sge + 1);

	if (cap->max_inline_data > data)
		data = cap->max_inline_data;
	return (SHCA_SEND_WQE_HEAD + data + 63) & ~63U;
}

static void create_qp(struct ib_uverbs_ioctl_hdr *hdr)
{
	struct ib_uverbs_qp_cap *cap = out_of(hdr, UVERBS_ATTR_CREATE_QP_CAP);
	struct shca_create_qp_resp *resp = out_of(hdr, UVERBS_ATTR_UHW_OUT);
	uint32_t at = sizeof(struct shca_qp_shared);

	if (cap->max_send_wr) {
		describe(&resp->map, &resp->sq, at, power_of_two(cap->max_send_wr),
			 send_stride(cap));
		at = resp->map.size;
	}
	if (cap->max_recv_wr && !find(hdr, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE))
		describe(&resp->map, &resp->rq, at, power_of_two(cap->max_recv_wr),
			 (SHCA_RECV_WQE_HEAD + 16 * cap->max_recv_sge + 63) & ~63U);
	if (resp->map.size < sizeof(struct shca_qp_shared))
		resp->map.size = sizeof(struct shca_qp_shared);
	memcpy(out_of(hdr, UVERBS_ATTR_CREATE_QP_RESP_CAP), cap, sizeof(*cap));
	*(uint32_t *)out_of(hdr, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM) = fake.next_qpn++;
}

static void put_cqe(struct shca_cqe *entries, uint32_t count, uint32_t at,
		    const struct shca_cqe *cqe)
{
	struct shca_cqe *to = &entries[at & (count - 1)];

	memcpy(to, cqe, offsetof(struct shca_cqe, lap));
	__atomic_store_n(&to->lap, (at >> __builtin_ctz(count)) + 1, __ATOMIC_RELEASE);
}

/* As the engine does it: the consumer's count is read once, what is not taken moves. */
static int resize_cq(struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_resize_cq *req = out_of(hdr, UVERBS_ATTR_CORE_IN);
	struct shca_create_cq_resp *resp = out_of(hdr, UVERBS_ATTR_UHW_OUT);
	uint32_t count = power_of_two(req->cqe), cons, at;
	struct shca_cq_shared *shared;
	struct shca_cqe *entries;

	describe(&resp->map, &resp->ring, sizeof(*shared), count, sizeof(*entries));
	resp->map.offset = MOVED_RING;
	shared = __real_mmap(NULL, resp->map.size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(shared != MAP_FAILED);
	entries = (struct shca_cqe *)(shared + 1);
	pthread_mutex_lock(&fake_ring.lock);
	cons = __atomic_load_n(&fake_ring.shared->cons, __ATOMIC_ACQUIRE);
	if (fake_ring.prod - cons > count) {
		pthread_mutex_unlock(&fake_ring.lock);
		__real_munmap(shared, resp->map.size);
		memset(resp, 0, sizeof(*resp));
		errno = EINVAL;
		return -1;
	}
	for (at = cons; at != fake_ring.prod; at++)
		put_cqe(entries, count, at,
			&fake_ring.entries[at & (fake_ring.count - 1)]);
	shared->cons = cons;
	shared->prod = fake_ring.prod;
	fake_ring.shared = shared;
	fake_ring.entries = entries;
	fake_ring.count = count;
	fake.resizes++;
	pthread_mutex_unlock(&fake_ring.lock);
	((struct ib_uverbs_resize_cq_resp *)out_of(hdr, UVERBS_ATTR_CORE_OUT))->cqe = count;
	return 0;
}

static int command(struct ib_uverbs_ioctl_hdr *hdr)
{
	size_t bytes = hdr->length < sizeof(fake.last.bytes) ? hdr->length :
							      sizeof(fake.last.bytes);

	memcpy(fake.last.bytes, hdr, bytes);
	fake.commands++;
	fake.object = hdr->object_id;
	fake.method = hdr->method_id;
	if (hdr->object_id == UVERBS_OBJECT_DEVICE &&
	    hdr->method_id == UVERBS_METHOD_INVOKE_WRITE)
		fake.write_command = (uint32_t)find(hdr, UVERBS_ATTR_WRITE_CMD)->data;
	if (fake.err) {
		errno = fake.err;
		return -1;
	}
	if (hdr->object_id == UVERBS_OBJECT_CQ && hdr->method_id == UVERBS_METHOD_CQ_CREATE)
		create_cq(hdr);
	if (hdr->object_id == UVERBS_OBJECT_QP && hdr->method_id == UVERBS_METHOD_QP_CREATE)
		create_qp(hdr);
	if (hdr->object_id == UVERBS_OBJECT_DEVICE && fake_ring.shared &&
	    fake.write_command == IB_USER_VERBS_CMD_RESIZE_CQ)
		return resize_cq(hdr);
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	static pthread_mutex_t commands = PTHREAD_MUTEX_INITIALIZER;
	va_list args;
	void *arg;
	int rc;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (fd == FAKE_DOORBELL_FD) {
		assert(request == SHCA_IOC_DOORBELL);
		__atomic_add_fetch(&fake.doorbells, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&fake.doorbell_qpn, (uint32_t)(uintptr_t)arg, __ATOMIC_RELAXED);
		errno = fake.doorbell_err;
		return fake.doorbell_err ? -1 : 0;
	}
	assert(fd == FAKE_CMD_FD && request == RDMA_VERBS_IOCTL);
	pthread_mutex_lock(&commands);
	rc = command(arg);
	pthread_mutex_unlock(&commands);
	return rc;
}

struct fake_context *fake_open(void)
{
	struct fake_context *fc = calloc(1, sizeof(*fc));
	struct shim_udata udata = { .in = NULL };

	memset(&fake, 0, sizeof(fake));
	fake.next_qpn = 17;
	fc->shim.v.context.cmd_fd = FAKE_CMD_FD;
	fc->shim.v.context.async_fd = -1;
	fc->shim.v.context.num_comp_vectors = 1;
	pthread_mutex_init(&fc->shim.v.context.mutex, NULL);
	assert(!shca_context_alloc(&fc->shim, &udata));
	fc->shim.hw->doorbell_fd = FAKE_DOORBELL_FD;
	shca_context_set_ops(&fc->shim);
	fc->pd.ibv.context = &fc->shim.v.context;
	return fc;
}

void fake_close(struct fake_context *fc)
{
	fc->shim.hw->doorbell_fd = -1;
	shca_context_free(&fc->shim);
	free(fc);
}

struct ibv_cq *fake_cq(struct fake_context *fc, int cqe)
{
	return ibv_create_cq(&fc->shim.v.context, cqe, NULL, NULL, 0);
}

struct ibv_qp *fake_qp(struct fake_context *fc, enum ibv_qp_type type, struct ibv_cq *cq,
		       struct ibv_qp_cap *cap, int sig_all)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq, .recv_cq = cq, .cap = *cap, .qp_type = type,
		.sq_sig_all = sig_all, .pd = &fc->pd.ibv,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_qp *qp = shim_qp_create_ex(&fc->shim.v.context, &attr);

	if (qp)
		fake_set_state(qp, IBV_QPS_RTS);
	return qp;
}

void fake_set_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	__atomic_store_n(&shca_qp(qp)->shared->state, state, __ATOMIC_RELAXED);
}

void fake_complete(struct ibv_cq *ibcq, uint32_t qpn, uint64_t wr_id, uint8_t opcode,
		   uint32_t wqe_count)
{
	struct shca_cq *cq = shca_cq(ibcq);
	uint32_t at = cq->shared->prod;
	struct shca_cqe *cqe = (struct shca_cqe *)cq->ring + (at & cq->mask);

	cqe->wr_id = wr_id;
	cqe->qpn = qpn;
	cqe->opcode = opcode;
	cqe->status = IBV_WC_SUCCESS;
	cqe->wqe_count = wqe_count;
	__atomic_store_n(&cqe->lap, (at >> cq->order) + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&cq->shared->prod, at + 1, __ATOMIC_RELEASE);
}

void fake_ring_watch(struct ibv_cq *ibcq)
{
	struct shca_cq *cq = shca_cq(ibcq);

	fake_ring.shared = cq->shared;
	fake_ring.entries = (struct shca_cqe *)cq->ring;
	fake_ring.count = cq->mask + 1;
	fake_ring.prod = 0;
}

bool fake_ring_complete(uint32_t qpn, uint64_t wr_id, uint32_t wqe_count)
{
	struct shca_cqe cqe = { .wr_id = wr_id, .qpn = qpn, .wqe_count = wqe_count };
	bool room;

	pthread_mutex_lock(&fake_ring.lock);
	room = fake_ring.prod - __atomic_load_n(&fake_ring.shared->cons, __ATOMIC_ACQUIRE) <
	       fake_ring.count;
	if (room)
		put_cqe(fake_ring.entries, fake_ring.count, fake_ring.prod++, &cqe);
	pthread_mutex_unlock(&fake_ring.lock);
	return room;
}
