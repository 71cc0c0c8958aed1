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

/* An entry of the GID table that is of RoCE v2, and maps an IPv4 address or an IPv6 one. */
static const struct ib_gid_attr *find_gid(struct ib_device *dev, bool ipv4)
{
	const struct ib_gid_attr *attr;
	int i;

	for (i = 0; i < 64; i++) {
		attr = rdma_get_gid_attr(dev, PORT, i);
		if (IS_ERR(attr))
			continue;
		if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		    ipv6_addr_v4mapped((const struct in6_addr *)&attr->gid) == ipv4)
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

static void fill_ipv6(union rdma_network_hdr *hdr, const struct ib_gid_attr *ours)
{
	struct ib_grh *grh = &hdr->ibgrh;

	memset(hdr, 0, sizeof(*hdr));
	grh->version_tclass_flow = cpu_to_be32(6 << 28 | 0x12 << 20 | 0x34567);
	grh->next_hdr = IPPROTO_UDP;
	grh->hop_limit = 64;
	grh->sgid = grh->dgid = ours->gid;
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

/* Nobody says what header it is, nor whose MAC it came from: the bytes and the routes do. */
static void test_ipv6(struct ib_device *dev)
{
	const struct ib_gid_attr *ours = find_gid(dev, false);
	struct ib_wc wc = { .wc_flags = IB_WC_GRH, .port_num = PORT };
	union rdma_network_hdr hdr;
	struct rdma_ah_attr ah;
	int ret;

	if (!ours) {
		consumer_skip("an IPv6 address", WHERE);
		return;
	}
	fill_ipv6(&hdr, ours);
	consumer_check(ib_get_rdma_header_version(&hdr) == 6, "an IPv6 header is known", WHERE);
	ret = ib_init_ah_attr_from_wc(dev, PORT, &wc, &hdr.ibgrh, &ah);
	if (consumer_check(!ret, "the sender's IPv6 address", WHERE)) {
		consumer_check(ah.grh.sgid_attr == ours && ah.grh.flow_label == 0x34567 &&
			       ah.grh.traffic_class == 0x12, "with flow label and class", WHERE);
		rdma_destroy_ah_attr(&ah);
	}
	hdr.ibgrh.dgid.raw[15] ^= 0x55;
	ret = ib_init_ah_attr_from_wc(dev, PORT, &wc, &hdr.ibgrh, &ah);
	consumer_check(ret == -ENOENT, "none for a message to somebody else", WHERE);
	wc.wc_flags |= IB_WC_WITH_VLAN;
	wc.vlan_id = 5;
	hdr.ibgrh.dgid = ours->gid;
	ret = ib_init_ah_attr_from_wc(dev, PORT, &wc, &hdr.ibgrh, &ah);
	consumer_check(ret == -ENOENT, "nor for one on a VLAN that we are not on", WHERE);
	memset(&hdr, 0, sizeof(hdr));
	consumer_check(!ib_get_rdma_header_version(&hdr), "zeros are no header", WHERE);
	rdma_put_gid_attr(ours);
}

void answers_test(struct ib_device *dev)
{
	struct ib_wc wc = {
		.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE | IB_WC_WITH_SMAC,
		.network_hdr_type = RDMA_NETWORK_IPV4, .port_num = PORT,
	};
	const struct ib_gid_attr *ours = find_gid(dev, true);
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
	test_ipv6(dev);
}
