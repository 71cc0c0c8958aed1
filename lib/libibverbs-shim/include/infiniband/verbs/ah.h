/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* ah.h - part of <infiniband/verbs.h>: addresses, rates, address handles, multicast. */
#ifndef INFINIBAND_VERBS_AH_H
#define INFINIBAND_VERBS_AH_H

#include <infiniband/verbs/base.h>

struct ibv_wc;

struct ibv_global_route {
	union ibv_gid dgid;	/* destination, or a multicast group */
	uint32_t flow_label;
	uint8_t sgid_index;	/* in our port's GID table */
	uint8_t hop_limit;
	uint8_t traffic_class;
};

/* As it lies in the first 40 bytes of a datagram's receive. */
struct ibv_grh {
	__be32 version_tclass_flow;
	__be16 paylen;
	uint8_t next_hdr;
	uint8_t hop_limit;
	union ibv_gid sgid;
	union ibv_gid dgid;
};

enum ibv_rate {
	IBV_RATE_MAX = 0,
	IBV_RATE_2_5_GBPS = 2,
	IBV_RATE_5_GBPS = 5,
	IBV_RATE_10_GBPS = 3,
	IBV_RATE_20_GBPS = 6,
	IBV_RATE_30_GBPS = 4,
	IBV_RATE_40_GBPS = 7,
	IBV_RATE_60_GBPS = 8,
	IBV_RATE_80_GBPS = 9,
	IBV_RATE_120_GBPS = 10,
	IBV_RATE_14_GBPS = 11,
	IBV_RATE_56_GBPS = 12,
	IBV_RATE_112_GBPS = 13,
	IBV_RATE_168_GBPS = 14,
	IBV_RATE_25_GBPS = 15,
	IBV_RATE_100_GBPS = 16,
	IBV_RATE_200_GBPS = 17,
	IBV_RATE_300_GBPS = 18,
	IBV_RATE_28_GBPS = 19,
	IBV_RATE_50_GBPS = 20,
	IBV_RATE_400_GBPS = 21,
	IBV_RATE_600_GBPS = 22,
	IBV_RATE_800_GBPS = 23,
	IBV_RATE_1200_GBPS = 24,
};

struct ibv_ah_attr {
	struct ibv_global_route grh;
	uint16_t dlid;
	uint8_t sl;	/* service level */
	uint8_t src_path_bits;
	uint8_t static_rate;	/* enum ibv_rate */
	uint8_t is_global;	/* grh counts; always so on Ethernet */
	uint8_t port_num;
};

struct ibv_ah {
	struct ibv_context *context;
	struct ibv_pd *pd;
	uint32_t handle;
};

/* pointer */
struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);

/* Addresses the sender of a completed datagram (-1). grh counts with IBV_WC_GRH only. */
int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc,
			struct ibv_grh *grh, struct ibv_ah_attr *ah_attr);

/* Both in one step (pointer). */
struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh,
				     uint8_t port_num);

/* errno; not while a work request that uses it is outstanding. */
int ibv_destroy_ah(struct ibv_ah *ah);

/* UD QPs only (errno). lid in host order; a second attach is the first. */
int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid);
int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid);

/* Multiples of 2.5 Gbit/s (own: -1 for a rate that is none; IBV_RATE_MAX for no such rate). */
int __attribute_const ibv_rate_to_mult(enum ibv_rate rate);
enum ibv_rate __attribute_const mult_to_ibv_rate(int mult);

/* Mbit/s, likewise. */
int __attribute_const ibv_rate_to_mbps(enum ibv_rate rate);
enum ibv_rate __attribute_const mbps_to_ibv_rate(int mbps);

#define ETHERNET_LL_SIZE 6	/* bytes of an address */

/* errno */
int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attr,
				uint8_t eth_mac[ETHERNET_LL_SIZE], uint16_t *vid);

/* Source ports of RoCE v2. */
#define IB_ROCE_UDP_ENCAP_VALID_PORT_MIN (0xC000)
#define IB_ROCE_UDP_ENCAP_VALID_PORT_MAX (0xFFFF)
#define IB_GRH_FLOWLABEL_MASK (0x000FFFFF)

/* Folds the 20 bits of a flow label into the 14 that the source port leaves free. */
static inline uint16_t ibv_flow_label_to_udp_sport(uint32_t fl)
{
	uint32_t folded = (fl & 0x03fff) ^ ((fl & 0xfc000) >> 14);

	return (uint16_t)(folded | IB_ROCE_UDP_ENCAP_VALID_PORT_MIN);
}

#endif
