// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows what holds for the library as a whole: one header declares all (C001), every verb is a
 * function whose address can be taken (C002), with the prototype that its page gives and so with
 * its return convention (C014..C018); librdmacm binds to it (C013); rates (C285..C289), words
 * (C290, C291) and keys of windows (C082, C083) are pure functions.
 */
#include <infiniband/verbs.h>	/* alone, and first: nothing else declares what follows */

#include <dlfcn.h>
#include <unistd.h>

#include "tap.h"

/*
 * Each row is a conversion that compiles only with that prototype; rows are grouped by what they
 * return.  The names with a macro in front are meant, too.
 */
#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

static int (*const no_argument[])(void) = { ibv_fork_init };
static int (*const of_pd[])(struct ibv_pd *) = { ibv_dealloc_pd };
static int (*const of_mr[])(struct ibv_mr *) = { ibv_dereg_mr };
static int (*const of_ah[])(struct ibv_ah *) = { ibv_destroy_ah };
static int (*const of_channel[])(struct ibv_comp_channel *) = { ibv_destroy_comp_channel };
static int (*const of_cq[])(struct ibv_cq *) = { ibv_destroy_cq };
static int (*const of_cq_int[])(struct ibv_cq *, int) = { ibv_resize_cq, ibv_req_notify_cq };
static int (*const of_srq[])(struct ibv_srq *) = { ibv_destroy_srq };
static int (*const of_qp[])(struct ibv_qp *) = { ibv_destroy_qp };
static int (*const multicast[])(struct ibv_qp *, const union ibv_gid *, uint16_t) = {
	ibv_attach_mcast, ibv_detach_mcast,
};
static int (*const query_device)(struct ibv_context *, struct ibv_device_attr *) =
	ibv_query_device;
static int (*const query_port)(struct ibv_context *, uint8_t, struct ibv_port_attr *) =
	___ibv_query_port;
static int (*const query_port_old)(struct ibv_context *, uint8_t,
				   struct _compat_ibv_port_attr *) = ibv_query_port;
static int (*const modify_srq)(struct ibv_srq *, struct ibv_srq_attr *, int) = ibv_modify_srq;
static int (*const query_srq)(struct ibv_srq *, struct ibv_srq_attr *) = ibv_query_srq;
static int (*const get_srq_num)(struct ibv_srq *, uint32_t *) = ibv_get_srq_num;
static int (*const modify_qp)(struct ibv_qp *, struct ibv_qp_attr *, int) = ibv_modify_qp;
static int (*const query_qp)(struct ibv_qp *, struct ibv_qp_attr *, int,
			     struct ibv_qp_init_attr *) = ibv_query_qp;
static int (*const post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **) =
	ibv_post_send;
static int (*const post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **) =
	ibv_post_recv;
static int (*const post_srq_recv)(struct ibv_srq *, struct ibv_recv_wr *,
				  struct ibv_recv_wr **) = ibv_post_srq_recv;
static int (*const close_device)(struct ibv_context *) = ibv_close_device;

/* -1 with errno (C015). */
static int (*const get_async_event)(struct ibv_context *, struct ibv_async_event *) =
	ibv_get_async_event;
static int (*const get_cq_event)(struct ibv_comp_channel *, struct ibv_cq **, void **) =
	ibv_get_cq_event;
static int (*const init_ah_from_wc)(struct ibv_context *, uint8_t, struct ibv_wc *,
				    struct ibv_grh *, struct ibv_ah_attr *) = ibv_init_ah_from_wc;
static int (*const query_gid)(struct ibv_context *, uint8_t, int, union ibv_gid *) =
	ibv_query_gid;
static int (*const query_pkey)(struct ibv_context *, uint8_t, int, __be16 *) = ibv_query_pkey;

/* A pointer, NULL with errno (C016). */
static struct ibv_device **(*const get_list)(int *) = ibv_get_device_list;
static struct ibv_context *(*const open_device)(struct ibv_device *) = ibv_open_device;
static struct ibv_pd *(*const alloc_pd)(struct ibv_context *) = ibv_alloc_pd;
static struct ibv_mr *(*const reg_mr)(struct ibv_pd *, void *, size_t, int) = ibv_reg_mr;
static struct ibv_ah *(*const create_ah)(struct ibv_pd *, struct ibv_ah_attr *) = ibv_create_ah;
static struct ibv_ah *(*const ah_from_wc)(struct ibv_pd *, struct ibv_wc *, struct ibv_grh *,
					  uint8_t) = ibv_create_ah_from_wc;
static struct ibv_comp_channel *(*const create_channel)(struct ibv_context *) =
	ibv_create_comp_channel;
static struct ibv_cq *(*const create_cq)(struct ibv_context *, int, void *,
					 struct ibv_comp_channel *, int) = ibv_create_cq;
static struct ibv_srq *(*const create_srq)(struct ibv_pd *, struct ibv_srq_init_attr *) =
	ibv_create_srq;
static struct ibv_qp *(*const create_qp)(struct ibv_pd *, struct ibv_qp_init_attr *) =
	ibv_create_qp;
static const char *(*const device_name)(struct ibv_device *) = ibv_get_device_name;

/* Nothing (C017). */
static void (*const free_list)(struct ibv_device **) = ibv_free_device_list;
static void (*const ack_async)(struct ibv_async_event *) = ibv_ack_async_event;
static void (*const ack_cq)(struct ibv_cq *, unsigned int) = ibv_ack_cq_events;

/* Their own (C018). */
static int (*const poll_cq)(struct ibv_cq *, int, struct ibv_wc *) = ibv_poll_cq;
static int (*const rereg_mr)(struct ibv_mr *, int, struct ibv_pd *, void *, size_t, int) =
	ibv_rereg_mr;
static int (*const rate_to[])(enum ibv_rate) = { ibv_rate_to_mult, ibv_rate_to_mbps };
static enum ibv_rate (*const to_rate[])(int) = { mult_to_ibv_rate, mbps_to_ibv_rate };
static uint32_t (*const inc_rkey)(uint32_t) = ibv_inc_rkey;
static __be64 (*const device_guid)(struct ibv_device *) = ibv_get_device_guid;

/* The legacy XRC calls, declared there as well. */
static struct ibv_xrc_domain *(*const open_domain)(struct ibv_context *, int, int) =
	ibv_open_xrc_domain;
static int (*const close_domain)(struct ibv_xrc_domain *) = ibv_close_xrc_domain;
static struct ibv_srq *(*const xrc_srq)(struct ibv_pd *, struct ibv_xrc_domain *,
					struct ibv_cq *, struct ibv_srq_init_attr *) =
	ibv_create_xrc_srq;
static int (*const xrc_rcv_qp)(struct ibv_qp_init_attr *, uint32_t *) = ibv_create_xrc_rcv_qp;
static int (*const modify_rcv_qp)(struct ibv_xrc_domain *, uint32_t, struct ibv_qp_attr *, int) =
	ibv_modify_xrc_rcv_qp;
static int (*const query_rcv_qp)(struct ibv_xrc_domain *, uint32_t, struct ibv_qp_attr *, int,
				 struct ibv_qp_init_attr *) = ibv_query_xrc_rcv_qp;
static int (*const of_rcv_qp[])(struct ibv_xrc_domain *, uint32_t) = {
	ibv_reg_xrc_rcv_qp, ibv_unreg_xrc_rcv_qp,
};

static void test_addresses(void)
{
	const bool all = no_argument[0] && of_pd[0] && of_mr[0] && of_ah[0] && of_channel[0] &&
		of_cq[0] && of_cq_int[0] && of_cq_int[1] && of_srq[0] && of_qp[0] &&
		multicast[0] && multicast[1] && query_device && query_port && query_port_old &&
		modify_srq && query_srq && get_srq_num && modify_qp && query_qp && post_send &&
		post_recv && post_srq_recv && close_device && get_async_event && get_cq_event &&
		init_ah_from_wc && query_gid && query_pkey && get_list && open_device &&
		alloc_pd && reg_mr && create_ah && ah_from_wc && create_channel && create_cq &&
		create_srq && create_qp && device_name && free_list && ack_async && ack_cq &&
		poll_cq && rereg_mr && rate_to[0] && rate_to[1] && to_rate[0] && to_rate[1] &&
		inc_rkey && device_guid;
	const bool xrc = open_domain && close_domain && xrc_srq && xrc_rcv_qp && modify_rcv_qp &&
		query_rcv_qp && of_rcv_qp[0] && of_rcv_qp[1];

	tap_ok(all, "C001, C002: every verb has an address and its prototype");
	tap_ok(xrc, "C001: the legacy XRC calls as well");
}

/* Called through pointers: a macro of the same name is not needed (C002). */
static void test_called(void)
{
	struct ibv_device **list = get_list(NULL);
	union ibv_gid gid;
	struct ibv_context *ctx;
	__be16 pkey;

	if (!list || !list[0])
		tap_bail("no device");
	tap_ok(device_name(list[0])[0] && device_guid(list[0]), "C002: called by pointer");
	ctx = open_device(list[0]);
	free_list(list);
	if (!ctx)
		tap_bail("open device");
	tap_is(query_gid(ctx, 1, 1 << 20, &gid), -1, "C015: -1, not an errno value");
	tap_is(query_pkey(ctx, 1, 1 << 14, &pkey), -1, "C015: likewise");
	errno = 0;
	tap_ok(!create_cq(ctx, 0, NULL, NULL, 0) && errno == EINVAL, "C016: NULL and errno");
	tap_is(query_port(ctx, 99, &(struct ibv_port_attr){ .lid = 0 }), EINVAL,
	       "C014: the errno value itself");
	close_device(ctx);
}

static void test_rates(void)
{
	int rate, mult, mbps, wrong = 0, known = 0;

	tap_is(ibv_rate_to_mult(IBV_RATE_5_GBPS), 2, "C285: 5 Gbit/s is twice 2.5");
	tap_is(mult_to_ibv_rate(2), IBV_RATE_5_GBPS, "C286: and back");
	tap_is(ibv_rate_to_mbps(IBV_RATE_5_GBPS), 5000, "C287: 5000 Mbit/s");
	tap_is(mbps_to_ibv_rate(5000), IBV_RATE_5_GBPS, "C288: and back");
	for (rate = 0; rate <= IBV_RATE_1200_GBPS + 5; rate++) {
		mult = ibv_rate_to_mult(rate);
		mbps = ibv_rate_to_mbps(rate);
		wrong += mult >= 0 && (int)mult_to_ibv_rate(mult) != rate;
		wrong += mbps >= 0 && (int)mbps_to_ibv_rate(mbps) != rate;
		known += mbps >= 0;
	}
	tap_ok(!wrong && known == 23, "C289: %d rates go there and back", known);
	tap_ok(mult_to_ibv_rate(3) == IBV_RATE_MAX && mbps_to_ibv_rate(4999) == IBV_RATE_MAX,
	       "C289: what is no rate is IBV_RATE_MAX");
}

/* Each value has words of its own, and they are constant. */
static bool differ(const char *(*words)(int), int first, int last)
{
	int a, b;

	for (a = first; a <= last; a++) {
		if (!words(a) || !words(a)[0] || words(a) != words(a))
			return false;
		for (b = first; b < a; b++)
			if (!strcmp(words(a), words(b)))
				return false;
	}
	return true;
}

static const char *node(int value)
{
	return ibv_node_type_str(value);
}

static const char *port(int value)
{
	return ibv_port_state_str(value);
}

static const char *event(int value)
{
	return ibv_event_type_str(value);
}

static void test_words(void)
{
	tap_ok(differ(node, IBV_NODE_CA, IBV_NODE_UNSPECIFIED), "C290, C291: node types");
	tap_ok(differ(port, IBV_PORT_NOP, IBV_PORT_ACTIVE_DEFER), "C290, C291: port states");
	tap_ok(differ(event, IBV_EVENT_CQ_ERR, IBV_EVENT_WQ_FATAL), "C290, C291: events");
	tap_ok(ibv_node_type_str(99) && ibv_port_state_str(99) && ibv_event_type_str(99),
	       "C291: other values are not NULL");
}

static void test_window_keys(void)
{
	uint32_t key, wrong = 0;

	tap_ok(ibv_inc_rkey(0x12345600) == 0x12345601 && ibv_inc_rkey(0x123456ff) == 0x12345600,
	       "C082: the tag counts up, the index stays");
	for (key = 0; key < 0x1000; key++)
		wrong += (ibv_inc_rkey(key) ^ key) >> 8 || ibv_inc_rkey(key) == key;
	tap_is(wrong, 0, "C083: never the same tag, never another index");
}

static void test_librdmacm(void)
{
	void *library = dlopen("librdmacm.so.1", RTLD_NOW);
	Dl_info ours, theirs;
	void *verb;

	if (!library && access("/usr/lib/x86_64-linux-gnu/librdmacm.so.1", F_OK)) {
		tap_skip("C013: librdmacm is not installed");
		return;
	}
	if (!tap_ok(library != NULL, "C013: librdmacm binds all its names"))
		tap_note("%s", dlerror());
	verb = library ? dlsym(library, "ibv_open_device") : NULL;
	tap_ok(verb && dladdr(verb, &theirs) && dladdr((void *)(uintptr_t)open_device, &ours) &&
	       theirs.dli_fbase == ours.dli_fbase, "C013: to this very library");
}

int main(void)
{
	test_addresses();
	test_called();
	test_rates();
	test_words();
	test_window_keys();
	test_librdmacm();
	return tap_end();
}
