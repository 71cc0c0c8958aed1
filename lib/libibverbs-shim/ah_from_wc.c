// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ah_from_wc.c - the address of who sent a datagram, from its completion.
 *
 * Called by programs.  The first 40 bytes of a UD receive hold either an IPv6-shaped GRH or,
 * with RoCE v2 over IPv4, 20 unused bytes and an IPv4 header (G067, G068).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ip.h>
#include <string.h>
#include "shim.h"

/* In the GRH as on the wire. */
#define NEXT_HEADER_IB	0x1b	/* an IBA transport header follows */
#define VERSION(word)	((word) >> 28)
#define TCLASS(word)	((word) >> 20 & 0xff)
#define FLOW(word)	((word) & 0xfffff)

/* Both addresses of a datagram, whichever header brought them. */
struct route {
	union ibv_gid from;
	union ibv_gid to;
	uint32_t flow_label;
	uint8_t hop_limit;
	uint8_t traffic_class;
	uint32_t gid_type;	/* of the table entry to look for */
	bool any_type;		/* ... when the header does not tell */
};

static void map_ipv4(union ibv_gid *gid, uint32_t addr)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[10] = 0xff;
	gid->raw[11] = 0xff;
	memcpy(gid->raw + 12, &addr, sizeof(addr));
}

/* The sum over a correct header, its checksum included, is all ones. */
static bool ipv4_checksum_ok(const struct iphdr *ip)
{
	const uint8_t *bytes = (const uint8_t *)ip;
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < sizeof(*ip); i += 2)
		sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

static bool is_ipv4(const struct iphdr *ip)
{
	return ip->version == 4 && ip->ihl == sizeof(*ip) / 4 && ipv4_checksum_ok(ip);
}

static int read_ipv4(const struct iphdr *ip, struct route *r)
{
	/* RoCE v2 is UDP; a multicast source address is nobody. */
	if (ip->protocol != IPPROTO_UDP)
		return EPROTONOSUPPORT;
	if (IN_MULTICAST(ntohl(ip->daddr)))
		return EINVAL;
	map_ipv4(&r->from, ip->saddr);
	map_ipv4(&r->to, ip->daddr);
	r->hop_limit = ip->ttl;
	r->traffic_class = ip->tos;
	r->gid_type = IBV_GID_TYPE_ROCE_V2;
	return 0;
}

static int read_grh(const struct ibv_grh *grh, struct route *r)
{
	uint32_t word = ntohl(grh->version_tclass_flow);

	if (VERSION(word) != 6)
		return EPROTONOSUPPORT;
	if (grh->dgid.raw[0] == 0xff)
		return EINVAL;
	if (grh->next_hdr == IPPROTO_UDP)
		r->gid_type = IBV_GID_TYPE_ROCE_V2;
	else if (grh->next_hdr == NEXT_HEADER_IB)
		r->any_type = true;	/* InfiniBand or RoCE v1, as the port is */
	else
		return EPROTONOSUPPORT;
	r->from = grh->sgid;
	r->to = grh->dgid;
	r->flow_label = FLOW(word);
	r->hop_limit = grh->hop_limit;
	r->traffic_class = TCLASS(word);
	return 0;
}

static int find_own_gid(struct ibv_context *context, uint8_t port, const struct route *r,
			uint8_t *index)
{
	struct ibv_port_attr attr;
	struct ibv_gid_entry entry;
	int i, err;

	err = shim_query_port_attr(context, port, &attr, sizeof(attr));
	if (err)
		return err;
	for (i = 0; i < attr.gid_tbl_len && i <= UINT8_MAX; i++) {
		if (ibv_query_gid_ex(context, port, (uint32_t)i, &entry, 0))
			continue;
		if (memcmp(&entry.gid, &r->to, sizeof(r->to)))
			continue;
		if (!r->any_type ? entry.gid_type != r->gid_type :
				   entry.gid_type == IBV_GID_TYPE_ROCE_V2)
			continue;
		*index = (uint8_t)i;
		return 0;
	}
	return ENOENT;
}

SHIM_EXPORT int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num,
				    struct ibv_wc *wc, struct ibv_grh *grh,
				    struct ibv_ah_attr *ah_attr)
{
	struct route route = { .hop_limit = 0 };
	const struct iphdr *ip;
	int err;

	memset(ah_attr, 0, sizeof(*ah_attr));
	ah_attr->dlid = wc->slid;
	ah_attr->sl = wc->sl;
	ah_attr->src_path_bits = wc->dlid_path_bits;
	ah_attr->port_num = port_num;
	if (!(wc->wc_flags & IBV_WC_GRH))
		return 0;
	ip = (const struct iphdr *)((const char *)grh + sizeof(*grh) - sizeof(*ip));
	err = is_ipv4(ip) ? read_ipv4(ip, &route) : read_grh(grh, &route);
	if (!err)
		err = find_own_gid(context, port_num, &route, &ah_attr->grh.sgid_index);
	if (err) {
		errno = err;
		return -1;
	}
	ah_attr->is_global = 1;
	ah_attr->grh.dgid = route.from;
	ah_attr->grh.flow_label = route.flow_label;
	ah_attr->grh.hop_limit = route.hop_limit;
	ah_attr->grh.traffic_class = route.traffic_class;
	return 0;
}

SHIM_EXPORT struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc,
						 struct ibv_grh *grh, uint8_t port_num)
{
	struct ibv_ah_attr attr;

	if (ibv_init_ah_from_wc(pd->context, port_num, wc, grh, &attr))
		return NULL;
	return ibv_create_ah(pd, &attr);
}
