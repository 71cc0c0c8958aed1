// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The way back: from a UD message's completion and the network header in front of it to the
 * address of its sender. Consumers that answer datagrams call in.
 *
 * The first 40 bytes of a UD receive hold a GRH or IPv6 header, or an IPv4 header in the last 20
 * of them, and nothing says which but the bytes themselves.
 */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/module.h>
#include <linux/udp.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

#define IPV4_HEADER_WORDS	5

/* An IPv4 header without options whose checksum is right: a GRH hardly ever looks so. */
static bool is_ipv4(const union rdma_network_hdr *hdr)
{
	const struct iphdr *ip = &hdr->roce4grh;
	struct iphdr copy;

	if (ip->version != 4 || ip->ihl != IPV4_HEADER_WORDS)
		return false;
	copy = *ip;
	copy.check = 0;
	return ip_fast_csum((u8 *)&copy, copy.ihl) == ip->check;
}

/*
 * ib_get_rdma_header_version - 4 or 6, whichever header is there
 */
int ib_get_rdma_header_version(const union rdma_network_hdr *hdr)
{
	const struct ipv6hdr *ip6 = (const struct ipv6hdr *)&hdr->ibgrh;

	if (is_ipv4(hdr))
		return 4;
	return ip6->version == 6 ? 6 : 0;
}
EXPORT_SYMBOL(ib_get_rdma_header_version);

/*
 * ib_get_gids_from_rdma_hdr - who sent it and to whom, as GIDs
 */
int ib_get_gids_from_rdma_hdr(const union rdma_network_hdr *hdr, enum rdma_network_type net_type,
			      union ib_gid *sgid, union ib_gid *dgid)
{
	switch (net_type) {
	case RDMA_NETWORK_IPV4:
		ipv6_addr_set_v4mapped(hdr->roce4grh.saddr, (struct in6_addr *)sgid);
		ipv6_addr_set_v4mapped(hdr->roce4grh.daddr, (struct in6_addr *)dgid);
		return 0;
	case RDMA_NETWORK_IPV6:
	case RDMA_NETWORK_IB:
		*sgid = hdr->ibgrh.sgid;
		*dgid = hdr->ibgrh.dgid;
		return 0;
	default:
		return -EINVAL;
	}
}
EXPORT_SYMBOL(ib_get_gids_from_rdma_hdr);

static enum rdma_network_type network_type(struct ib_device *dev, u32 port_num,
					   const struct ib_wc *wc,
					   const union rdma_network_hdr *hdr)
{
	if (wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE)
		return wc->network_hdr_type;
	if (!rdma_protocol_roce(dev, port_num))
		return RDMA_NETWORK_IB;
	if (ib_get_rdma_header_version(hdr) == 4)
		return RDMA_NETWORK_IPV4;
	/* RoCE v1 has a GRH whose next header says so, v2 an IPv6 header with UDP behind it. */
	return hdr->ibgrh.next_hdr == IPPROTO_UDP ? RDMA_NETWORK_IPV6 : RDMA_NETWORK_ROCE_V1;
}

/* The GID entry that the message was sent to: ours, of the right type and VLAN. */
struct wanted {
	u16 vlan_id;
	enum ib_gid_type gid_type;
};

static bool is_wanted(const union ib_gid *gid, const struct ib_gid_attr *attr, void *context)
{
	const struct wanted *wanted = context;
	u16 vlan_id = 0xffff;

	if (attr->gid_type != wanted->gid_type || rdma_read_gid_l2_fields(attr, &vlan_id, NULL))
		return false;
	return vlan_id == wanted->vlan_id;
}

/* Sender's MAC: the completion says it, or the neighbour table knows it. */
static int fill_mac(struct ib_device *dev, const struct ib_wc *wc, struct rdma_ah_attr *attr)
{
	if (!(wc->wc_flags & IB_WC_WITH_SMAC))
		return core_roce_l2_resolve(dev, attr);
	ether_addr_copy(attr->roce.dmac, wc->smac);
	return 0;
}

static int init_roce(struct ib_device *dev, const struct ib_wc *wc, const struct ib_grh *grh,
		     struct rdma_ah_attr *attr)
{
	const union rdma_network_hdr *hdr = (const union rdma_network_hdr *)grh;
	enum rdma_network_type net_type;
	const struct ib_gid_attr *ours;
	union ib_gid sgid, dgid;
	struct wanted wanted;
	u32 flow_class;
	u8 hop_limit;
	int ret;

	if (!(wc->wc_flags & IB_WC_GRH))
		return -EPROTOTYPE;
	net_type = network_type(dev, attr->port_num, wc, hdr);
	wanted.gid_type = ib_network_to_gid_type(net_type);
	wanted.vlan_id = wc->wc_flags & IB_WC_WITH_VLAN ? wc->vlan_id : 0xffff;
	ret = ib_get_gids_from_rdma_hdr(hdr, net_type == RDMA_NETWORK_ROCE_V1 ?
					RDMA_NETWORK_IB : net_type, &sgid, &dgid);
	if (ret)
		return ret;
	ours = rdma_find_gid_by_filter(dev, &dgid, attr->port_num, is_wanted, &wanted);
	if (IS_ERR(ours))
		return PTR_ERR(ours);
	flow_class = net_type == RDMA_NETWORK_IPV4 ? 0 : be32_to_cpu(grh->version_tclass_flow);
	hop_limit = net_type == RDMA_NETWORK_ROCE_V1 ? grh->hop_limit : IPV6_DEFAULT_HOPLIMIT;
	rdma_move_grh_sgid_attr(attr, &sgid, flow_class & 0xfffff, hop_limit,
				flow_class >> 20 & 0xff, ours);
	ret = fill_mac(dev, wc, attr);
	if (ret)
		rdma_destroy_ah_attr(attr);
	return ret;
}

static int init_ib(struct ib_device *dev, const struct ib_wc *wc, const struct ib_grh *grh,
		   struct rdma_ah_attr *attr)
{
	const struct ib_gid_attr *ours;
	union ib_gid sgid, dgid;
	u32 flow_class;

	rdma_ah_set_dlid(attr, wc->slid);
	rdma_ah_set_path_bits(attr, wc->dlid_path_bits);
	if (!(wc->wc_flags & IB_WC_GRH))
		return 0;
	sgid = grh->sgid;
	dgid = grh->dgid;
	/* A packet to the permissive GID prefix went to entry 0. */
	if (dgid.global.interface_id == cpu_to_be64(IB_SA_WELL_KNOWN_GUID))
		ours = rdma_get_gid_attr(dev, attr->port_num, 0);
	else
		ours = rdma_find_gid_by_port(dev, &dgid, IB_GID_TYPE_IB, attr->port_num, NULL);
	if (IS_ERR(ours))
		return PTR_ERR(ours);
	flow_class = be32_to_cpu(grh->version_tclass_flow);
	rdma_move_grh_sgid_attr(attr, &sgid, flow_class & 0xfffff, 0xff, flow_class >> 20 & 0xff,
				ours);
	return 0;
}

/*
 * ib_init_ah_attr_from_wc - the address of who sent the message of @wc
 *
 * On success @ah_attr owns a reference to our GID; rdma_destroy_ah_attr() drops it.
 */
int ib_init_ah_attr_from_wc(struct ib_device *device, u32 port_num, const struct ib_wc *wc,
			    const struct ib_grh *grh, struct rdma_ah_attr *ah_attr)
{
	might_sleep();
	memset(ah_attr, 0, sizeof(*ah_attr));
	ah_attr->type = rdma_ah_find_type(device, port_num);
	rdma_ah_set_sl(ah_attr, wc->sl);
	rdma_ah_set_port_num(ah_attr, port_num);
	if (ah_attr->type == RDMA_AH_ATTR_TYPE_ROCE)
		return init_roce(device, wc, grh, ah_attr);
	return init_ib(device, wc, grh, ah_attr);
}
EXPORT_SYMBOL(ib_init_ah_attr_from_wc);

/*
 * ib_create_ah_from_wc - an address handle to answer the message of @wc with
 */
struct ib_ah *ib_create_ah_from_wc(struct ib_pd *pd, const struct ib_wc *wc,
				   const struct ib_grh *grh, u32 port_num)
{
	struct rdma_ah_attr ah_attr;
	struct ib_ah *ah;
	int ret;

	ret = ib_init_ah_attr_from_wc(pd->device, port_num, wc, grh, &ah_attr);
	if (ret)
		return ERR_PTR(ret);
	ah = rdma_create_ah(pd, &ah_attr, RDMA_CREATE_AH_SLEEPABLE);
	rdma_destroy_ah_attr(&ah_attr);
	return ah;
}
EXPORT_SYMBOL(ib_create_ah_from_wc);
