// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Every verb with each of its possible failures (slab, page, copy from or to user memory, pinning)
 * made to happen (fault_ops.h). What has no ioctl method of its own is done twice, by INVOKE_WRITE
 * and by write(). Commands that no library sends are fault_raw's, netlink is fault_netlink's,
 * loading of modules fault_load's.
 *
 * fault_sweep [NAME]: only that operation.
 */
#include <linux/udmabuf.h>
#include <sys/ioctl.h>

#include "fault_ops.h"

/* What operations work on. */
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_mw *mw;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq, *cq2;
static struct ibv_srq *srq;
static struct ibv_qp *qp, *qp_again;
static struct ibv_ah *ah;
static struct ibv_xrcd *xrcd;
static struct ibv_dm *dm, *dm_again;
static struct ibv_context *import;
static int dmabuf = -1;
static enum ibv_qp_type qp_type;

static int made(const void *object)
{
	return object ? 0 : errno ? errno : EINVAL;
}

static int open_device(void)
{
	ctx = ibv_open_device(f.ctx->device);
	return made(ctx);
}

static int close_device(void)
{
	return ibv_close_device(ctx) ? errno : 0;
}

static int query_device(void)
{
	struct ibv_device_attr_ex attr;

	return ibv_query_device_ex(f.ctx, NULL, &attr);
}

static int query_port(void)
{
	struct ibv_port_attr attr;

	return ibv_query_port(f.ctx, FIXTURE_PORT, &attr);
}

static int query_gids(void)
{
	struct ibv_gid_entry entries[16];
	ssize_t n = ibv_query_gid_table(f.ctx, entries, 16, 0);

	return n < 0 ? -n : 0;
}

static int query_gid_entry(void)
{
	struct ibv_gid_entry entry;

	return ibv_query_gid_ex(f.ctx, FIXTURE_PORT, f.gid_index, &entry, 0);
}

static int alloc_pd(void)
{
	pd = ibv_alloc_pd(f.ctx);
	return made(pd);
}

static int dealloc_pd(void)
{
	return ibv_dealloc_pd(pd);
}

static int reg_mr(void)
{
	mr = ibv_reg_mr(f.pd, f.buf, FIXTURE_BUF_BYTES, FIXTURE_ALL_ACCESS);
	return made(mr);
}

static int rereg_mr(void)
{
	int ret = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, f.buf + 4096, 8192, 0);

	return !ret ? 0 : errno ? errno : EINVAL;
}

static int dereg_mr(void)
{
	return ibv_dereg_mr(mr);
}

/* The handle is the same object: it can be opened by who holds its descriptor. */
static int import_device(void)
{
	int fd = dup(f.ctx->cmd_fd);

	import = ibv_import_device(fd);
	if (import)
		return 0;
	close(fd);
	return errno ? errno : EINVAL;
}

static int import_pd(void)
{
	pd = ibv_import_pd(import, f.pd->handle);
	return made(pd);
}

static int unimport_pd(void)
{
	ibv_unimport_pd(pd);
	return 0;
}

static int import_mr(void)
{
	mr = ibv_import_mr(pd, f.mr->handle);
	return made(mr);
}

static int unimport_mr(void)
{
	ibv_unimport_mr(mr);
	return 0;
}

static int make_import(void)
{
	return import_device() ?: import_pd();
}

static int close_import(void)
{
	ibv_unimport_pd(pd);
	return ibv_close_device(import) ? errno : 0;
}

static int close_imported(void)
{
	return ibv_close_device(import) ? errno : 0;
}

static int alloc_dm(void)
{
	struct ibv_alloc_dm_attr attr = { .length = 3 * 4096 };

	dm = ibv_alloc_dm(f.ctx, &attr);
	return made(dm);
}

static int free_dm(void)
{
	return ibv_free_dm(dm);
}

static int import_dm(void)
{
	dm_again = ibv_import_dm(f.ctx, dm->handle);
	return made(dm_again);
}

static int unimport_dm(void)
{
	ibv_unimport_dm(dm_again);
	return 0;
}

static int reg_dm(void)
{
	mr = ibv_reg_dm_mr(f.pd, dm, 0, 4096, IBV_ACCESS_ZERO_BASED | FIXTURE_ALL_ACCESS);
	return made(mr);
}

static int alloc_null_mr(void)
{
	mr = ibv_alloc_null_mr(f.pd);
	return made(mr);
}

/* Pages of a memfd as a dma-buf, where the kernel makes such. */
static int make_dmabuf(void)
{
	struct udmabuf_create create = { .size = 65536 };
	int device;

	if (dmabuf >= 0)
		return 0;
	device = open("/dev/udmabuf", O_RDWR);
	create.memfd = memfd_create("fault", MFD_ALLOW_SEALING);
	if (device < 0 || (int)create.memfd < 0 || ftruncate(create.memfd, create.size) ||
	    fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		return ENODEV;
	dmabuf = ioctl(device, UDMABUF_CREATE, &create);
	close(create.memfd);
	close(device);
	return dmabuf < 0 ? ENODEV : 0;
}

static int reg_dmabuf(void)
{
	mr = ibv_reg_dmabuf_mr(f.pd, 0, 65536, 0, dmabuf, FIXTURE_ALL_ACCESS);
	return made(mr);
}

static int alloc_mw(void)
{
	mw = ibv_alloc_mw(f.pd, IBV_MW_TYPE_2);
	return made(mw);
}

static int dealloc_mw(void)
{
	return ibv_dealloc_mw(mw);
}

static int create_channel(void)
{
	channel = ibv_create_comp_channel(f.ctx);
	return made(channel);
}

static int destroy_channel(void)
{
	int ret = ibv_destroy_comp_channel(channel);

	channel = NULL;
	return ret;
}

static int create_cq(void)
{
	cq = ibv_create_cq(f.ctx, 100, NULL, channel, 0);
	return made(cq);
}

static int resize_cq(void)
{
	return ibv_resize_cq(cq, 300);
}

static int moderate_cq(void)
{
	struct ibv_modify_cq_attr attr = { .attr_mask = IBV_CQ_ATTR_MODERATE,
					   .moderate = { .cq_count = 4, .cq_period = 1000 } };

	return ibv_modify_cq(cq, &attr);
}

static int destroy_cq(void)
{
	return ibv_destroy_cq(cq);
}

static int create_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 64, .max_sge = 2 } };

	srq = ibv_create_srq(f.pd, &init);
	return made(srq);
}

static int modify_srq(void)
{
	struct ibv_srq_attr attr = { .srq_limit = 3 };

	return ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT);
}

static int resize_srq(void)
{
	struct ibv_srq_attr attr = { .max_wr = 200 };

	return ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
}

static int query_srq(void)
{
	struct ibv_srq_attr attr;

	return ibv_query_srq(srq, &attr);
}

static int destroy_srq(void)
{
	return ibv_destroy_srq(srq);
}

static int open_xrcd(void)
{
	struct ibv_xrcd_init_attr init = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};

	xrcd = ibv_open_xrcd(f.ctx, &init);
	return made(xrcd);
}

static int close_xrcd(void)
{
	return ibv_close_xrcd(xrcd);
}

static int create_xrc_srq(void)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = { .max_wr = 64, .max_sge = 2 }, .srq_type = IBV_SRQT_XRC,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.pd = f.pd, .xrcd = xrcd, .cq = cq2,
	};

	srq = ibv_create_srq_ex(f.ctx, &init);
	return made(srq);
}

static int create_xrc_target(void)
{
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_XRC_RECV,
					    .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xrcd };

	qp = ibv_create_qp_ex(f.ctx, &init);
	return made(qp);
}

static int make_xrc_target(void)
{
	return open_xrcd() ?: create_xrc_target();
}

static int open_qp(void)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = qp->qp_num, .xrcd = xrcd, .qp_type = IBV_QPT_XRC_RECV,
	};

	qp_again = ibv_open_qp(f.ctx, &attr);
	return made(qp_again);
}

static int close_qp(void)
{
	return ibv_destroy_qp(qp_again);
}

static int destroy_xrc_target(void)
{
	return ibv_destroy_qp(qp) ?: close_xrcd();
}

static int create_qp(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq2, .recv_cq = cq2, .qp_type = qp_type,
		.cap = { .max_send_wr = 100, .max_recv_wr = 100, .max_send_sge = 2,
			 .max_recv_sge = 2 },
	};

	if (qp_type == IBV_QPT_XRC_SEND) {
		init.recv_cq = NULL;
		init.cap.max_recv_wr = init.cap.max_recv_sge = 0;
	}
	qp = ibv_create_qp(f.pd, &init);
	return made(qp);
}

static int destroy_qp(void)
{
	return ibv_destroy_qp(qp);
}

static int use_rc(void)
{
	qp_type = IBV_QPT_RC;
	return 0;
}

static int use_uc(void)
{
	qp_type = IBV_QPT_UC;
	return 0;
}

static int use_xrc(void)
{
	qp_type = IBV_QPT_XRC_SEND;
	return 0;
}

static int use_ud(void)
{
	qp_type = IBV_QPT_UD;
	return 0;
}

static int make_rc(void)
{
	use_rc();
	return create_qp();
}

static int make_init(void)
{
	return make_rc() ?: fixture_qp_to_init(qp);
}

static int make_rtr(void)
{
	return make_init() ?: fixture_qp_to_rtr(&f, qp, qp->qp_num);
}

static int make_rts(void)
{
	return make_rtr() ?: fixture_qp_to_rts(qp);
}

static int make_ud(void)
{
	use_ud();
	return create_qp() ?: fixture_qp_to_init(qp);
}

static int to_init(void)
{
	return fixture_qp_to_init(qp);
}

static int to_rtr(void)
{
	return fixture_qp_to_rtr(&f, qp, qp->qp_num);
}

static int to_rts(void)
{
	return fixture_qp_to_rts(qp);
}

static int query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
}

static const union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 7 } };

static int attach_mcast(void)
{
	return ibv_attach_mcast(qp, &group, 0);
}

static int detach_mcast(void)
{
	return ibv_detach_mcast(qp, &group, 0);
}

static int make_attached(void)
{
	return make_ud() ?: attach_mcast();
}

static int create_ah(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = FIXTURE_PORT,
		.grh = { .dgid = f.gid, .sgid_index = f.gid_index, .hop_limit = 64 },
	};

	ah = ibv_create_ah(f.pd, &attr);
	return made(ah);
}

static int destroy_ah(void)
{
	return ibv_destroy_ah(ah);
}

/* A message to itself: whatever fails in the doorbell, the message arrives. */
static int post(void)
{
	return fixture_post_recv(&f, qp, 1) ?: fixture_post_send(&f, qp, 2, IBV_SEND_SIGNALED);
}

static int await(void)
{
	struct ibv_wc wc;
	int n, failed = 0;

	for (n = 0; n < 2; n++)
		failed += !fixture_wait_wc(cq2, &wc) || wc.status != IBV_WC_SUCCESS;
	while (ibv_poll_cq(cq2, 1, &wc) > 0)
		;
	return failed ? ETIMEDOUT : 0;
}

/* ---- events: one that could not be handed out is still there ---- */

/* A completion that its channel was to tell of. */
static int make_comp_event(void)
{
	struct ibv_cq *usual = cq2;
	struct ibv_wc wc;
	int ret = create_channel() ?: create_cq();

	if (ret)
		return ret;
	cq2 = cq;
	ret = make_rts() ?: ibv_req_notify_cq(cq, 0) ?: post();
	cq2 = usual;
	if (!ret && !fixture_wait_wc(cq, &wc))
		ret = ETIMEDOUT;
	return ret ?: fcntl(channel->fd, F_SETFL, O_NONBLOCK) ? errno : 0;
}

static int get_comp_event(void)
{
	struct ibv_cq *told;
	void *context;

	return ibv_get_cq_event(channel, &told, &context) ? errno : told == cq ? 0 : EINVAL;
}

static int end_comp_event(void)
{
	ibv_ack_cq_events(cq, 1);
	return destroy_qp() ?: destroy_cq() ?: destroy_channel();
}

static const struct operation operations[] = {
	{ "open device", .act = open_device, .undo = close_device },
	{ "close device", .prepare = open_device, .act = close_device },
	{ "query device", .act = query_device },
	{ "query port", .act = query_port },
	{ "query GIDs", .act = query_gids },
	{ "query GID", .act = query_gid_entry },
	{ "alloc PD", .act = alloc_pd, .undo = dealloc_pd },
	{ "dealloc PD", .prepare = alloc_pd, .act = dealloc_pd },
	{ "register memory", .act = reg_mr, .undo = dereg_mr },
	{ "re-register memory", .prepare = reg_mr, .act = rereg_mr, .restore = dereg_mr },
	{ "null region", .act = alloc_null_mr, .undo = dereg_mr },
	{ "register dma-buf", .prepare = make_dmabuf, .act = reg_dmabuf, .undo = dereg_mr },
	{ "alloc device memory", .act = alloc_dm, .undo = free_dm },
	{ "free device memory", .prepare = alloc_dm, .act = free_dm },
	{ "register device memory", .prepare = alloc_dm, .act = reg_dm,
	  .undo = dereg_mr, .restore = free_dm },
	{ "import device memory", .prepare = alloc_dm, .act = import_dm, .undo = unimport_dm,
	  .restore = free_dm },
	{ "import device", .act = import_device, .undo = close_imported },
	{ "import PD", .prepare = import_device, .act = import_pd,
	  .undo = unimport_pd, .restore = close_imported },
	{ "import region", .prepare = make_import, .act = import_mr,
	  .undo = unimport_mr, .restore = close_import },
	{ "deregister memory", .prepare = reg_mr, .act = dereg_mr },
	{ "alloc MW", .act = alloc_mw, .undo = dealloc_mw },
	{ "dealloc MW", .prepare = alloc_mw, .act = dealloc_mw },
	{ "create channel", .act = create_channel, .undo = destroy_channel },
	{ "destroy channel", .prepare = create_channel, .act = destroy_channel },
	{ "create CQ", .prepare = create_channel, .act = create_cq,
	  .undo = destroy_cq, .restore = destroy_channel },
	{ "resize CQ", .prepare = create_cq, .act = resize_cq, .restore = destroy_cq },
	{ "moderate CQ", .prepare = create_cq, .act = moderate_cq, .restore = destroy_cq },
	{ "destroy CQ", .prepare = create_cq, .act = destroy_cq },
	{ "get event", .prepare = make_comp_event, .act = get_comp_event,
	  .restore = end_comp_event },
	{ "create SRQ", .act = create_srq, .undo = destroy_srq },
	{ "modify SRQ", .prepare = create_srq, .act = modify_srq, .restore = destroy_srq },
	{ "resize SRQ", .prepare = create_srq, .act = resize_srq, .restore = destroy_srq },
	{ "query SRQ", .prepare = create_srq, .act = query_srq, .restore = destroy_srq },
	{ "destroy SRQ", .prepare = create_srq, .act = destroy_srq },
	{ "open XRC domain", .act = open_xrcd, .undo = close_xrcd },
	{ "close XRC domain", .prepare = open_xrcd, .act = close_xrcd },
	{ "create RC QP", .prepare = use_rc, .act = create_qp, .undo = destroy_qp },
	{ "create SRQ of an XRC domain", .prepare = open_xrcd, .act = create_xrc_srq,
	  .undo = destroy_srq, .restore = close_xrcd },
	{ "create XRC target", .prepare = open_xrcd, .act = create_xrc_target,
	  .undo = destroy_qp, .restore = close_xrcd },
	{ "open XRC target", .prepare = make_xrc_target, .act = open_qp,
	  .undo = close_qp, .restore = destroy_xrc_target },
	{ "create XRC initiator", .prepare = use_xrc, .act = create_qp, .undo = destroy_qp },
	{ "create UC QP", .prepare = use_uc, .act = create_qp, .undo = destroy_qp },
	{ "create UD QP", .prepare = use_ud, .act = create_qp, .undo = destroy_qp },
	{ "QP to INIT", .prepare = make_rc, .act = to_init, .restore = destroy_qp },
	{ "QP to RTR", .prepare = make_init, .act = to_rtr, .restore = destroy_qp },
	{ "QP to RTS", .prepare = make_rtr, .act = to_rts, .restore = destroy_qp },
	{ "query QP", .prepare = make_rts, .act = query_qp, .restore = destroy_qp },
	{ "post", .prepare = make_rts, .act = post, .undo = await, .restore = destroy_qp },
	{ "destroy QP", .prepare = make_rts, .act = destroy_qp },
	{ "attach to group", .prepare = make_ud, .act = attach_mcast,
	  .undo = detach_mcast, .restore = destroy_qp },
	{ "detach from group", .prepare = make_attached, .act = detach_mcast,
	  .restore = destroy_qp },
	{ "create AH", .act = create_ah, .undo = destroy_ah },
	{ "destroy AH", .prepare = create_ah, .act = destroy_ah },
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

int main(int argc, char **argv)
{
	if (!sweep_begin())
		return 0;
	if (!failure_function("umem_pin_some"))
		tap_bail("pinning cannot be made to fail");
	cq2 = ibv_create_cq(f.ctx, 400, NULL, NULL, 0);
	if (!cq2)
		tap_bail("create CQ");
	sweep_table(operations, OPERATIONS, argc > 1 ? argv[1] : NULL);
	failure_by_write = true;
	sweep_table(operations, OPERATIONS, argc > 1 ? argv[1] : NULL);
	failure_by_write = false;
	failure_knob("fail_function/inject", "!umem_pin_some");
	if (argc == 1) {
		uverbs_raw_driver_id_of(f.ctx->cmd_fd);
		seen_table_methods(f.ctx->cmd_fd, false);
		seen_table_commands(f.ctx->cmd_fd, false);
	}
	ibv_destroy_cq(cq2);
	if (dmabuf >= 0)
		close(dmabuf);
	fixture_close(&f);
	return tap_end();
}
