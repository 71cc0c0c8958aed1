// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_ah.c - address handles: where a datagram goes, and the header that the receiver finds in
 * front of it.  ib_core calls in; the engine looks handles up by number.
 */
#include <linux/ip.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>

#include "verbs_ah.h"
#include "path.h"
#include "route.h"
#include "runner.h"
#include "shca.h"
#include "trace.h"
#include "udata.h"

/* IBTA annex A17, 17.4: what follows the IP header of RoCEv2 is UDP. */
#define NEXT_HEADER	IPPROTO_UDP

struct shca_ah_body {
	struct eng_ah eng;
	struct shca_dev *dev;		/* valid until retired */
	struct shca_path *path;		/* counted; NULL: none */
	struct work_struct retire;
	struct rcu_head rcu;
};

/* The area of 40 bytes in front of a datagram: a GRH, or an IPv4 header in its last 20 bytes. */
union network_header {
	struct ib_grh grh;
	struct {
		u8 unused[20];
		struct iphdr ip;
	} v4;
};
static_assert(sizeof(union network_header) == sizeof_field(struct eng_ah, grh));

/* Lookups may still read it. */
static void free_body(struct shca_ah_body *body)
{
	if (body->eng.peer)
		eng_dev_put(body->eng.peer);
	shca_path_put(body->path);
	kfree_rcu(body, rcu);
}

void shca_verbs_ah_idle(struct eng_ah *eng)
{
	free_body(container_of(eng, struct shca_ah_body, eng));
}

struct shca_path *shca_verbs_ah_path(const struct eng_ah *ah)
{
	return container_of(ah, struct shca_ah_body, eng)->path;
}

u32 shca_verbs_ah_number(const struct shca_ah *ah)
{
	return ah->body->eng.ahn;
}

/* Lengths stay 0 for the engine to fill in, and the IPv4 checksum with them. */
static void fill_header(struct eng_ah *ah, const struct ib_global_route *route)
{
	const struct in6_addr *to = (const struct in6_addr *)route->dgid.raw;
	const struct in6_addr *from = (const struct in6_addr *)route->sgid_attr->gid.raw;
	union network_header *header = (union network_header *)ah->grh;

	if (ipv6_addr_v4mapped(from)) {
		header->v4.ip.version = 4;
		header->v4.ip.ihl = 5;
		header->v4.ip.tos = route->traffic_class;
		header->v4.ip.ttl = route->hop_limit;
		header->v4.ip.protocol = NEXT_HEADER;
		header->v4.ip.saddr = from->s6_addr32[3];
		header->v4.ip.daddr = to->s6_addr32[3];
		return;
	}
	header->grh.version_tclass_flow = cpu_to_be32(6U << 28 | route->traffic_class << 20 |
						      (route->flow_label & 0xfffff));
	header->grh.next_hdr = NEXT_HEADER;
	header->grh.hop_limit = route->hop_limit;
	header->grh.sgid = route->sgid_attr->gid;
	header->grh.dgid = route->dgid;
}

/*
 * Members of a group may be anywhere, those on this host included: its datagrams take the wire,
 * whose netdev brings them back to us.  Without a wire the group is this host's.
 */
static int address(struct shca_dev *dev, struct shca_ah_body *body,
		   const struct ib_global_route *route, gfp_t gfp)
{
	struct eng_ah *ah = &body->eng;
	struct shca_path *path;
	struct in6_addr to;
	bool up;

	path = shca_path_create(dev, route, 0, 0, gfp);
	if (IS_ERR(path))
		return PTR_ERR(path);
	body->path = path;
	up = shca_path_is_up(path);
	memcpy(&to, route->dgid.raw, sizeof(to));
	if (rdma_is_multicast_addr(&to)) {
		ah->multicast = true;
		memcpy(ah->mgid, route->dgid.raw, sizeof(ah->mgid));
		if (!up) {
			eng_dev_get(dev->eng);
			ah->peer = dev->eng;
		}
	} else if (!shca_route_forces_wire()) {
		ah->peer = shca_route_find(dev, &route->dgid);
	}
	ah->wire = !ah->peer && up;
	return 0;
}

static void retire(struct shca_ah_body *body)
{
	trace_shca_destroy("ah", body->eng.ahn);
	shca_numbers_free(&body->dev->ahns, body->eng.ahn);
	/* The last use of body: the engine may free it at once. */
	eng_ah_retire(&body->eng);
}

static void retire_work(struct work_struct *work)
{
	retire(container_of(work, struct shca_ah_body, retire));
}

static int make_body(struct shca_ah *ah, const struct rdma_ah_attr *attr, gfp_t gfp)
{
	struct shca_dev *dev = shca_dev_of(ah->ib.device);
	struct shca_ah_body *body = kzalloc(sizeof(*body), gfp);
	int err;

	if (!body)
		return -ENOMEM;
	body->dev = dev;
	INIT_WORK(&body->retire, retire_work);
	body->eng.dev = dev->eng;
	body->eng.pd = shca_pd_identity(ah->ib.pd);
	body->eng.sl = rdma_ah_get_sl(attr);
	fill_header(&body->eng, rdma_ah_read_grh(attr));
	err = address(dev, body, rdma_ah_read_grh(attr), gfp);
	if (err)
		goto free_body;
	err = shca_numbers_alloc(&dev->ahns, NULL, &body->eng.ahn, gfp);
	if (err) {
		err = err == -EBUSY ? -ENOMEM : err;
		goto free_body;
	}
	err = eng_ah_publish(&body->eng);
	if (err)
		goto free_number;
	ah->body = body;
	trace_shca_create("ah", body->eng.ahn);
	return 0;

free_number:
	shca_numbers_free(&dev->ahns, body->eng.ahn);
free_body:
	free_body(body);
	return err;
}

static int create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	struct shca_ah *ah = container_of(ibah, struct shca_ah, ib);
	struct rdma_ah_attr *attr = init->ah_attr;
	struct shca_create_ah_resp resp = {};
	int err = shca_udata_check_empty(udata);

	if (err)
		return err;
	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) || !rdma_ah_read_grh(attr)->sgid_attr ||
	    rdma_ah_get_port_num(attr) != SHCA_PORT)
		return -EINVAL;
	/* The connection manager makes them with a lock held. */
	err = make_body(ah, attr, udata || init->flags & RDMA_CREATE_AH_SLEEPABLE ?
			GFP_KERNEL_ACCOUNT : GFP_ATOMIC);
	if (err || !udata)
		return err;
	resp.ahn = ah->body->eng.ahn;
	err = shca_udata_respond(udata, &resp, sizeof(resp));
	if (err)
		retire(ah->body);
	return err;
}

static int destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct shca_ah_body *body = container_of(ibah, struct shca_ah, ib)->body;

	if (flags & RDMA_DESTROY_AH_SLEEPABLE)
		retire(body);
	else
		shca_runner_queue(&body->retire);
	return 0;
}

const struct ib_device_ops shca_verbs_ah_ops = {
	.create_ah = create_ah,
	.create_user_ah = create_ah,
	.destroy_ah = destroy_ah,
	INIT_RDMA_OBJ_SIZE(ib_ah, shca_ah, ib),
};
