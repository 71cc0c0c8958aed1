// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * control - what control calls cost, printed as "name<TAB>value<TAB>us"; the device is $KV_DEV.
 *
 * For each figure batches of calls are timed for a while ($CONTROL_US) and the best batch counts:
 * whoever else uses the CPU makes a batch slower, never faster. Objects by the library; PDs and CQs
 * also by each door of the kernel alone. Regions up to 1 GiB, in small pages (unless $CONTROL_SMALL
 * is set) and in huge ones.
 */
#include <sys/mman.h>
#include <time.h>

#include "../testing/selftests/rdma/fixture.h"
#include "../testing/selftests/rdma/uverbs_raw.h"

#define RUN_US		400000.0	/* for each figure, unless $CONTROL_US says otherwise */
#define BATCH		20
#define MIDDLE_BYTES	(256ul << 20)
#define LARGE_BYTES	(1ul << 30)
#define DRIVER_OUT	64

static struct fixture f;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static char *small_pages, *huge_pages;
static int raw_fd;
static uint32_t raw_pd;

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void need(bool ok, const char *what)
{
	if (!ok)
		tap_bail("%s", what);
}

static void open_close(void)
{
	struct ibv_context *ctx = ibv_open_device(f.ctx->device);

	need(ctx && !ibv_close_device(ctx), "open");
}

static void pd(void)
{
	struct ibv_pd *made = ibv_alloc_pd(f.ctx);

	need(made && !ibv_dealloc_pd(made), "PD");
}

static void make_cq(void)
{
	struct ibv_cq *made = ibv_create_cq(f.ctx, 64, NULL, NULL, 0);

	need(made && !ibv_destroy_cq(made), "CQ");
}

static void make_qp(void)
{
	struct ibv_qp *made = fixture_qp(&f, cq, NULL, IBV_QPT_RC);

	need(made && !ibv_destroy_qp(made), "QP");
}

static void ah(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = FIXTURE_PORT,
		.grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 64 },
	};
	struct ibv_ah *made = ibv_create_ah(f.pd, &attr);

	need(made && !ibv_destroy_ah(made), "AH");
}

/* RESET to RTS and back. */
static void to_rts(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	fixture_connect(&f, qp, qp->qp_num);
	need(!ibv_modify_qp(qp, &attr, IBV_QP_STATE), "reset");
}

static void reg(char *at, size_t bytes)
{
	struct ibv_mr *mr = ibv_reg_mr(f.pd, at, bytes,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	need(mr && !ibv_dereg_mr(mr), "region");
}

static void reg_page(void)
{
	reg(small_pages, 4096);
}

static void reg_middle(void)
{
	reg(small_pages, MIDDLE_BYTES);
}

static void reg_large(void)
{
	reg(small_pages, LARGE_BYTES);
}

static void reg_huge(void)
{
	reg(huge_pages, LARGE_BYTES);
}

static void pd_by_write(void)
{
	uint8_t answer[sizeof(struct ib_uverbs_alloc_pd_resp) + DRIVER_OUT];
	struct ib_uverbs_alloc_pd req = { .response = (uintptr_t)answer };
	struct ib_uverbs_dealloc_pd end;

	need(!uverbs_raw_write(raw_fd, IB_USER_VERBS_CMD_ALLOC_PD, &req, sizeof(req),
			       sizeof(answer)), "PD");
	memcpy(&end.pd_handle, answer, sizeof(end.pd_handle));
	need(!uverbs_raw_write(raw_fd, IB_USER_VERBS_CMD_DEALLOC_PD, &end, sizeof(end), 0), "PD");
}

static void pd_by_ioctl(void)
{
	uint32_t handle;

	need(!uverbs_raw_alloc_pd(raw_fd, &handle) &&
	     !uverbs_raw_destroy(raw_fd, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, handle), "PD");
}

static void cq_by_write(void)
{
	uint8_t answer[sizeof(struct ib_uverbs_create_cq_resp) + DRIVER_OUT];
	struct ib_uverbs_create_cq req = { .response = (uintptr_t)answer, .cqe = 64,
					   .comp_channel = -1 };
	struct ib_uverbs_destroy_cq end = { .response = (uintptr_t)answer };

	need(!uverbs_raw_write(raw_fd, IB_USER_VERBS_CMD_CREATE_CQ, &req, sizeof(req),
			       sizeof(answer)), "CQ");
	memcpy(&end.cq_handle, answer, sizeof(end.cq_handle));
	need(!uverbs_raw_write(raw_fd, IB_USER_VERBS_CMD_DESTROY_CQ, &end, sizeof(end),
			       sizeof(struct ib_uverbs_destroy_cq_resp)), "CQ");
}

static void cq_by_ioctl(void)
{
	struct ib_uverbs_destroy_cq_resp gone;
	uint8_t driver[DRIVER_OUT];
	struct uverbs_raw raw;
	uint32_t cqe, handle;

	uverbs_raw_start(&raw, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_CQ_CQE, 4, 64);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, 1);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, 0);
	uverbs_raw_add(&raw, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4, (uintptr_t)&cqe);
	uverbs_raw_add(&raw, UVERBS_ATTR_UHW_OUT, sizeof(driver), (uintptr_t)driver);
	need(!uverbs_raw_go(raw_fd, &raw), "CQ");
	handle = raw.attrs[0].data;
	uverbs_raw_start(&raw, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY);
	uverbs_raw_add(&raw, UVERBS_ATTR_DESTROY_CQ_HANDLE, 0, handle);
	uverbs_raw_add(&raw, UVERBS_ATTR_DESTROY_CQ_RESP, sizeof(gone), (uintptr_t)&gone);
	need(!uverbs_raw_go(raw_fd, &raw), "CQ");
}

static const struct {
	const char *name;
	void (*run)(void);
	int batch;
} figures[] = {
	{ "open_close", open_close, 1 }, { "pd", pd, BATCH }, { "cq", make_cq, BATCH },
	{ "qp", make_qp, 4 }, { "ah", ah, BATCH }, { "to_rts", to_rts, 4 },
	{ "reg_4KiB", reg_page, BATCH }, { "reg_256MiB", reg_middle, 1 },
	{ "reg_1GiB", reg_large, 1 }, { "reg_1GiB_huge", reg_huge, 1 },
	{ "pd_write", pd_by_write, BATCH }, { "pd_ioctl", pd_by_ioctl, BATCH },
	{ "cq_write", cq_by_write, BATCH }, { "cq_ioctl", cq_by_ioctl, BATCH },
};

static double best_us(void (*run)(void), int batch, double run_us)
{
	double best = 1e12, end = now_us() + run_us, start, us;
	int i, rounds;

	for (rounds = 0; rounds < 3 || now_us() < end; rounds++) {
		start = now_us();
		for (i = 0; i < batch; i++)
			run();
		us = (now_us() - start) / batch;
		best = us < best ? us : best;
	}
	return best;
}

/* Resident, in pages of the kind that the advice names. */
static char *resident(size_t bytes, int advice)
{
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t page;

	need(at != MAP_FAILED, "memory");
	madvise(at, bytes, advice);
	for (page = 0; page < bytes; page += 4096)
		at[page] = 1;
	return at;
}

int main(void)
{
	const char *us = getenv("CONTROL_US");
	bool small = getenv("CONTROL_SMALL");
	double run_us = us ? atof(us) : RUN_US;
	size_t i;

	fixture_open(&f);
	raw_fd = uverbs_raw_begin(&raw_pd);
	cq = ibv_create_cq(f.ctx, 64, NULL, NULL, 0);
	qp = cq ? fixture_qp(&f, cq, NULL, IBV_QPT_RC) : NULL;
	need(qp, "objects");
	huge_pages = resident(LARGE_BYTES, MADV_HUGEPAGE);
	small_pages = resident(small ? MIDDLE_BYTES : LARGE_BYTES, MADV_NOHUGEPAGE);
	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (small && figures[i].run == reg_large)
			continue;
		printf("%s\t%.3f\tus\n", figures[i].name,
		       best_us(figures[i].run, figures[i].batch, run_us));
	}
	return 0;
}
