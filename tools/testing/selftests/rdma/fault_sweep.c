// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Every verb, and every netlink command, with its first possible failure (slab, page, copy from or
 * to user memory, pinning) made to happen, then its second, until it gets through without; of very
 * many, a sample. What has no ioctl method of its own is done twice, by INVOKE_WRITE and by
 * write(). Each call that reports an error has changed nothing: there are as many objects as
 * before, and the same call succeeds at once when nothing is in its way.
 *
 * fault_sweep [NAME]: only that operation.
 */
#include "fixture.h"
#include "nldev_raw.h"

#include "fault_nth.h"

#define MAX_FAILURES	20000	/* more in one call is a loop that does not end */
#define EACH_UNTIL	64	/* from there on a sample: making a link has thousands */
#define LINK		"kvfault0"
#define NETDEV		"kvfault"

struct operation {
	const char *name;
	int (*prepare)(void);	/* never hit */
	int (*act)(void);	/* 0 or errno */
	int (*undo)(void);	/* after an act that succeeded */
	int (*restore)(void);	/* undoes prepare */
};

static struct fixture f;
static struct nldev nl;
static uint32_t dev_index;

/* What operations work on. */
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_mw *mw;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq, *cq2;
static struct ibv_srq *srq;
static struct ibv_qp *qp;
static struct ibv_ah *ah;
static struct ibv_xrcd *xrcd;
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

static int create_qp(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq2, .recv_cq = cq2, .qp_type = qp_type,
		.cap = { .max_send_wr = 100, .max_recv_wr = 100, .max_send_sge = 2,
			 .max_recv_sge = 2 },
	};

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

static void add_device(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	const char *name = "";
	uint32_t index = 0;
	uint32_t *found = arg;

	mnl_attr_for_each(attr, nlh, 0) {
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_INDEX)
			index = mnl_attr_get_u32(attr);
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_NAME)
			name = mnl_attr_get_str(attr);
	}
	if (!strcmp(name, LINK))
		found[1] = index + 1;
	if (!strcmp(name, ibv_get_device_name(f.ctx->device)))
		dev_index = index;
	found[0]++;
}

/* How many devices there are, and, one higher, the index of LINK. */
static int list_devices(uint32_t found[2])
{
	memset(found, 0, 2 * sizeof(*found));
	nldev_begin(&nl, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	return nldev_send(&nl, add_device, found);
}

static int get_devices(void)
{
	uint32_t found[2];

	return list_devices(found);
}

static int get_port(void)
{
	nldev_begin(&nl, RDMA_NLDEV_CMD_PORT_GET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_PORT_INDEX, FIXTURE_PORT);
	return nldev_send(&nl, NULL, NULL);
}

static int get_qps(void)
{
	nldev_begin(&nl, RDMA_NLDEV_CMD_RES_QP_GET, NLM_F_DUMP);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	return nldev_send(&nl, NULL, NULL);
}

static int get_mrs(void)
{
	nldev_begin(&nl, RDMA_NLDEV_CMD_RES_MR_GET, NLM_F_DUMP);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	return nldev_send(&nl, NULL, NULL);
}

static int get_chardev(void)
{
	nldev_begin(&nl, RDMA_NLDEV_CMD_GET_CHARDEV, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs");
	return nldev_send(&nl, NULL, NULL);
}

static int new_link(void)
{
	char type[32];

	snprintf(type, sizeof(type), "%s", ibv_get_device_name(f.ctx->device));
	type[strcspn(type, "0123456789")] = 0;
	nldev_begin(&nl, RDMA_NLDEV_CMD_NEWLINK, 0);
	mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_DEV_NAME, LINK);
	mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	mnl_attr_put_strz(nl.nlh, RDMA_NLDEV_ATTR_NDEV_NAME, NETDEV);
	return nldev_send(&nl, NULL, NULL);
}

static int delete_link(void)
{
	uint32_t found[2];

	if (!list_devices(found) && found[1]) {
		nldev_begin(&nl, RDMA_NLDEV_CMD_DELLINK, 0);
		mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, found[1] - 1);
		return nldev_send(&nl, NULL, NULL);
	}
	return ENODEV;
}

/* An acknowledgement that found no memory: the deed is done, and netlink says ENOBUFS. */
static int link_gone(void)
{
	delete_link();
	return 0;
}

static const struct operation operations[] = {
	{ "open device", NULL, open_device, close_device, NULL },
	{ "close device", open_device, close_device, NULL, NULL },
	{ "query device", NULL, query_device, NULL, NULL },
	{ "query port", NULL, query_port, NULL, NULL },
	{ "query GIDs", NULL, query_gids, NULL, NULL },
	{ "alloc PD", NULL, alloc_pd, dealloc_pd, NULL },
	{ "dealloc PD", alloc_pd, dealloc_pd, NULL, NULL },
	{ "register memory", NULL, reg_mr, dereg_mr, NULL },
	{ "re-register memory", reg_mr, rereg_mr, NULL, dereg_mr },
	{ "deregister memory", reg_mr, dereg_mr, NULL, NULL },
	{ "alloc MW", NULL, alloc_mw, dealloc_mw, NULL },
	{ "dealloc MW", alloc_mw, dealloc_mw, NULL, NULL },
	{ "create channel", NULL, create_channel, destroy_channel, NULL },
	{ "destroy channel", create_channel, destroy_channel, NULL, NULL },
	{ "create CQ", create_channel, create_cq, destroy_cq, destroy_channel },
	{ "resize CQ", create_cq, resize_cq, NULL, destroy_cq },
	{ "destroy CQ", create_cq, destroy_cq, NULL, NULL },
	{ "create SRQ", NULL, create_srq, destroy_srq, NULL },
	{ "modify SRQ", create_srq, modify_srq, NULL, destroy_srq },
	{ "query SRQ", create_srq, query_srq, NULL, destroy_srq },
	{ "destroy SRQ", create_srq, destroy_srq, NULL, NULL },
	{ "open XRC domain", NULL, open_xrcd, close_xrcd, NULL },
	{ "close XRC domain", open_xrcd, close_xrcd, NULL, NULL },
	{ "create RC QP", use_rc, create_qp, destroy_qp, NULL },
	{ "create UD QP", use_ud, create_qp, destroy_qp, NULL },
	{ "QP to INIT", make_rc, to_init, NULL, destroy_qp },
	{ "QP to RTR", make_init, to_rtr, NULL, destroy_qp },
	{ "QP to RTS", make_rtr, to_rts, NULL, destroy_qp },
	{ "query QP", make_rts, query_qp, NULL, destroy_qp },
	{ "post", make_rts, post, await, destroy_qp },
	{ "destroy QP", make_rts, destroy_qp, NULL, NULL },
	{ "attach to group", make_ud, attach_mcast, detach_mcast, destroy_qp },
	{ "detach from group", make_attached, detach_mcast, NULL, destroy_qp },
	{ "create AH", NULL, create_ah, destroy_ah, NULL },
	{ "destroy AH", create_ah, destroy_ah, NULL, NULL },
	{ "list devices", NULL, get_devices, NULL, NULL },
	{ "get port", NULL, get_port, NULL, NULL },
	{ "list QPs", make_rts, get_qps, NULL, destroy_qp },
	{ "list regions", reg_mr, get_mrs, NULL, dereg_mr },
	{ "get character device", NULL, get_chardev, NULL, NULL },
	{ "add link", NULL, new_link, delete_link, link_gone },
	{ "delete link", new_link, delete_link, NULL, link_gone },
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static void add_summary(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr, *entry, *member;
	uint64_t *sum = arg;

	mnl_attr_for_each(attr, nlh, 0) {
		if (mnl_attr_get_type(attr) != RDMA_NLDEV_ATTR_RES_SUMMARY)
			continue;
		mnl_attr_for_each_nested(entry, attr)
			mnl_attr_for_each_nested(member, entry)
				if (mnl_attr_get_type(member) ==
				    RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR)
					*sum += mnl_attr_get_u64(member);
	}
}

/* All objects of the device that netlink counts, and all devices. */
static uint64_t objects(void)
{
	uint32_t found[2];
	uint64_t sum = 0;

	nldev_begin(&nl, RDMA_NLDEV_CMD_RES_GET, 0);
	mnl_attr_put_u32(nl.nlh, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	if (nldev_send(&nl, add_summary, &sum) || list_devices(found))
		tap_bail("resource summary");
	return sum + found[0];
}

/* The next failure is the n-th. Returns false when the operation ran without. */
static bool sweep_step(const struct operation *op, unsigned int n, unsigned int *wrong,
		       unsigned int *survived)
{
	uint64_t before, after;
	bool hit;
	int ret;

	if (op->prepare && op->prepare()) {
		tap_note("%s: cannot be prepared before failure %u: errno %d", op->name, n, errno);
		++*wrong;
		return false;
	}
	before = objects();
	failure_arm(n);
	errno = 0;
	ret = op->act();
	hit = failure_disarm();
	if (ret) {
		after = objects();
		if (!hit || (after != before && ret != ENOBUFS)) {
			tap_note("%s, failure %u: errno %d, objects %llu, then %llu", op->name, n,
				 ret, (unsigned long long)before, (unsigned long long)after);
			++*wrong;
		}
		/* Nothing in its way any more, nothing half done. ENOBUFS: perhaps all done. */
		if (ret != ENOBUFS)
			ret = op->act();
		if (ret && ret != ENOBUFS) {
			tap_note("%s: fails after failure %u: errno %d", op->name, n, ret);
			++*wrong;
		}
	} else if (hit) {
		++*survived;
	}
	if (!ret && op->undo && op->undo()) {
		tap_note("%s: cannot be undone after failure %u", op->name, n);
		++*wrong;
	}
	if (op->restore && op->restore()) {
		tap_note("%s: cannot be restored after failure %u", op->name, n);
		++*wrong;
	}
	return hit;
}

static const char *door(void)
{
	return failure_by_write ? " by write()" : "";
}

/* The write door is swept by what goes through it. */
static bool supported(const struct operation *op)
{
	unsigned long before = failure_writes;
	int ret = op->prepare ? op->prepare() : 0;

	if (!ret)
		ret = op->act();
	if (ret)
		tap_skip("%s%s: not on this device (errno %d)", op->name, door(), ret);
	else if (op->undo)
		op->undo();
	if (op->restore)
		op->restore();
	return !ret && (!failure_by_write || failure_writes != before);
}

static void sweep(const struct operation *op)
{
	unsigned int n, tried = 0, wrong = 0, survived = 0;
	uint64_t before;

	if (!supported(op))
		return;
	before = objects();
	for (n = 1; n < MAX_FAILURES && wrong < 5; n += n < EACH_UNTIL ? 1 : 1 + n / 16, tried++)
		if (!sweep_step(op, n, &wrong, &survived))
			break;
	tap_ok(!wrong && n < MAX_FAILURES, "%s%s: %u failures, %u of them without consequence",
	       op->name, door(), tried, survived);
	tap_is(objects(), before, "%s%s: as many objects as before", op->name, door());
}

static void link_device(void)
{
	if (system("ip link add " NETDEV " type dummy && ip addr add 10.79.0.1/24 dev " NETDEV
		   " && ip link set " NETDEV " up"))
		tap_bail("netdev " NETDEV);
}

int main(int argc, char **argv)
{
	const char *core = getenv("KV_CORE");
	unsigned int i;

	if (!failures_ready()) {
		printf("1..0 # SKIP this kernel has no fault injection\n");
		return 0;
	}
	if (core && strcmp(core, "ours")) {
		printf("1..0 # SKIP the stock core is not what is tested\n");
		return 0;
	}
	fixture_open(&f);
	if (!failure_function("umem_pin_some"))
		tap_bail("pinning cannot be made to fail");
	nldev_open(&nl);
	if (get_devices())
		tap_bail("list of devices");
	link_device();
	cq2 = ibv_create_cq(f.ctx, 400, NULL, NULL, 0);
	if (!cq2)
		tap_bail("create CQ");
	for (i = 0; i < 2 * OPERATIONS; i++) {
		failure_by_write = i >= OPERATIONS;
		if (argc < 2 || !strcmp(argv[1], operations[i % OPERATIONS].name))
			sweep(&operations[i % OPERATIONS]);
	}
	failure_knob("fail_function/inject", "!umem_pin_some");
	ibv_destroy_cq(cq2);
	fixture_close(&f);
	if (system("ip link delete " NETDEV))
		tap_ok(false, "the netdev can be deleted");
	return tap_end();
}
