// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Address handles from the completion of a datagram: headers as they stand in front of a UD
 * message, from our own port, and what must come of them.
 */
#include <linux/ip.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>

#include "consumer.h"

#define WHERE	"answers"
#define PORT	1

/* An entry of the GID table that maps an IPv4 address and is of RoCE v2. */
static const struct ib_gid_attr *find_ipv4(struct ib_device *dev)
{
	const struct ib_gid_attr *attr;
	int i;

	for (i = 0; i < 64; i++) {
		attr = rdma_get_gid_attr(dev, PORT, i);
		if (IS_ERR(attr))
			continue;
		if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		    ipv6_addr_v4mapped((const struct in6_addr *)&attr->gid))
			return attr;
		rdma_put_gid_attr(attr);
	}
	return NULL;
}

static void fill_ipv4(union rdma_network_hdr *hdr, const struct ib_gid_attr *ours)
{
	struct iphdr *ip = &hdr->roce4grh;

	memset(hdr, 0, sizeof(*hdr));
	ip->version = 4;
	ip->ihl = 5;
	ip->ttl = 64;
	ip->protocol = IPPROTO_UDP;
	ip->saddr = ip->daddr = *(const __be32 *)&ours->gid.raw[12];
	ip->check = ip_fast_csum((u8 *)ip, ip->ihl);
}

static void test_attr(struct ib_device *dev, const struct ib_gid_attr *ours,
		      union rdma_network_hdr *hdr, struct ib_wc *wc)
{
	struct rdma_ah_attr ah;
	union ib_gid from, to;
	int ret;

	consumer_check(ib_get_rdma_header_version(hdr) == 4, "an IPv4 header is known", WHERE);
	ret = ib_get_gids_from_rdma_hdr(hdr, RDMA_NETWORK_IPV4, &from, &to);
	consumer_check(!ret && !memcmp(&from, &ours->gid, sizeof(from)) &&
		       !memcmp(&to, &ours->gid, sizeof(to)), "its GIDs", WHERE);
	ret = ib_init_ah_attr_from_wc(dev, PORT, wc, &hdr->ibgrh, &ah);
	if (!consumer_check(!ret, "the sender's address", WHERE))
		return;
	consumer_check(ah.grh.sgid_attr == ours && ah.grh.sgid_index == ours->index &&
		       !memcmp(&ah.grh.dgid, &ours->gid, sizeof(ours->gid)),
		       "it goes from our GID to the sender's", WHERE);
	consumer_check(!memcmp(ah.roce.dmac, wc->smac, ETH_ALEN), "and to his MAC", WHERE);
	rdma_destroy_ah_attr(&ah);
}

static void test_handle(struct ib_device *dev, union rdma_network_hdr *hdr, struct ib_wc *wc)
{
	struct ib_pd *pd = ib_alloc_pd(dev, 0);
	struct ib_ah *ah;

	if (!consumer_check(!IS_ERR(pd), "a PD", WHERE))
		return;
	ah = ib_create_ah_from_wc(pd, wc, &hdr->ibgrh, PORT);
	if (consumer_check(!IS_ERR(ah), "an address handle for the answer", WHERE))
		rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	wc->wc_flags = 0;
	ah = ib_create_ah_from_wc(pd, wc, &hdr->ibgrh, PORT);
	consumer_check(ah == ERR_PTR(-EPROTOTYPE), "without a network header there is none", WHERE);
	ib_dealloc_pd(pd);
}

void answers_test(struct ib_device *dev)
{
	struct ib_wc wc = {
		.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE | IB_WC_WITH_SMAC,
		.network_hdr_type = RDMA_NETWORK_IPV4, .port_num = PORT,
	};
	const struct ib_gid_attr *ours = find_ipv4(dev);
	union rdma_network_hdr hdr;

	if (!ours) {
		consumer_skip("an IPv4 address", WHERE);
		return;
	}
	fill_ipv4(&hdr, ours);
	consumer_check(!rdma_read_gid_l2_fields(ours, NULL, wc.smac), "our own MAC", WHERE);
	test_attr(dev, ours, &hdr, &wc);
	test_handle(dev, &hdr, &wc);
	rdma_put_gid_attr(ours);
}
