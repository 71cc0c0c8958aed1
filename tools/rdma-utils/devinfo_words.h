/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* devinfo_words.h - words that ibv_devinfo has for numbers and for bits. */
#ifndef DEVINFO_WORDS_H
#define DEVINFO_WORDS_H

#include <infiniband/verbs.h>
#include "devinfo_out.h"

struct word {
	unsigned long long value;
	const char *text;
};

static const struct word transports[] = {
	{ IBV_TRANSPORT_IB, "InfiniBand" }, { IBV_TRANSPORT_IWARP, "iWARP" },
	{ IBV_TRANSPORT_USNIC, "usNIC" }, { IBV_TRANSPORT_USNIC_UDP, "usNIC UDP" },
	{ IBV_TRANSPORT_UNSPECIFIED, "unspecified" }, { 0, NULL },
};

static const struct word atomics[] = {
	{ IBV_ATOMIC_NONE, "ATOMIC_NONE" }, { IBV_ATOMIC_HCA, "ATOMIC_HCA" },
	{ IBV_ATOMIC_GLOB, "ATOMIC_GLOB" }, { 0, NULL },
};

static const struct word mtus[] = {
	{ IBV_MTU_256, "256" }, { IBV_MTU_512, "512" }, { IBV_MTU_1024, "1024" },
	{ IBV_MTU_2048, "2048" }, { IBV_MTU_4096, "4096" }, { 0, NULL },
};

/* Signalling per lane; the sum of bits is what a port could do. */
static const struct word speeds[] = {
	{ 1, "2.5 Gbps" }, { 2, "5.0 Gbps" }, { 4, "10.0 Gbps" }, { 8, "10.0 Gbps" },
	{ 16, "14.0 Gbps" }, { 32, "25.0 Gbps" }, { 64, "50.0 Gbps" }, { 128, "100.0 Gbps" },
	{ 0, NULL },
};

static const struct word widths[] = {
	{ 1, "1X" }, { 2, "4X" }, { 4, "8X" }, { 8, "12X" }, { 16, "2X" }, { 0, NULL },
};

/* Codes of the PortInfo attribute. */
static const struct word lanes[] = {
	{ 1, "1" }, { 2, "2" }, { 3, "4" }, { 4, "8" }, { 5, "15" }, { 0, NULL },
};

static const struct word layers[] = {
	{ IBV_LINK_LAYER_UNSPECIFIED, "Unspecified" }, { IBV_LINK_LAYER_INFINIBAND, "InfiniBand" },
	{ IBV_LINK_LAYER_ETHERNET, "Ethernet" }, { 0, NULL },
};

static const struct word states[] = {
	{ IBV_PORT_NOP, "PORT_NOP" }, { IBV_PORT_DOWN, "PORT_DOWN" },
	{ IBV_PORT_INIT, "PORT_INIT" }, { IBV_PORT_ARMED, "PORT_ARMED" },
	{ IBV_PORT_ACTIVE, "PORT_ACTIVE" }, { IBV_PORT_ACTIVE_DEFER, "PORT_ACTIVE_DEFER" },
	{ 0, NULL },
};

static const struct word phys_states[] = {
	{ 1, "SLEEP" }, { 2, "POLLING" }, { 3, "DISABLED" },
	{ 4, "PORT_CONFIGURATION TRAINNING" }, { 5, "LINK_UP" }, { 6, "LINK_ERROR_RECOVERY" },
	{ 7, "PHY TEST" }, { 0, NULL },
};

static const struct word gid_types[] = {
	{ IBV_GID_TYPE_IB, "IB" }, { IBV_GID_TYPE_ROCE_V1, "RoCE v1" },
	{ IBV_GID_TYPE_ROCE_V2, "RoCE v2" }, { 0, NULL },
};

static const struct word device_caps[] = {
	{ IBV_DEVICE_RESIZE_MAX_WR, "RESIZE_MAX_WR" },
	{ IBV_DEVICE_BAD_PKEY_CNTR, "BAD_PKEY_CNTR" },
	{ IBV_DEVICE_BAD_QKEY_CNTR, "BAD_QKEY_CNTR" },
	{ IBV_DEVICE_RAW_MULTI, "RAW_MULTI" },
	{ IBV_DEVICE_AUTO_PATH_MIG, "AUTO_PATH_MIG" },
	{ IBV_DEVICE_CHANGE_PHY_PORT, "CHANGE_PHY_PORT" },
	{ IBV_DEVICE_UD_AV_PORT_ENFORCE, "UD_AV_PORT_ENFORCE" },
	{ IBV_DEVICE_CURR_QP_STATE_MOD, "CURR_QP_STATE_MOD" },
	{ IBV_DEVICE_SHUTDOWN_PORT, "SHUTDOWN_PORT" },
	{ IBV_DEVICE_INIT_TYPE, "INIT_TYPE" },
	{ IBV_DEVICE_PORT_ACTIVE_EVENT, "PORT_ACTIVE_EVENT" },
	{ IBV_DEVICE_SYS_IMAGE_GUID, "SYS_IMAGE_GUID" },
	{ IBV_DEVICE_RC_RNR_NAK_GEN, "RC_RNR_NAK_GEN" },
	{ IBV_DEVICE_SRQ_RESIZE, "SRQ_RESIZE" },
	{ IBV_DEVICE_N_NOTIFY_CQ, "N_NOTIFY_CQ" },
	{ IBV_DEVICE_MEM_WINDOW, "MEM_WINDOW" },
	{ IBV_DEVICE_UD_IP_CSUM, "UD_IP_CSUM" },
	{ IBV_DEVICE_XRC, "XRC" },
	{ IBV_DEVICE_MEM_MGT_EXTENSIONS, "MEM_MGT_EXTENSIONS" },
	{ IBV_DEVICE_MEM_WINDOW_TYPE_2A, "MEM_WINDOW_TYPE_2A" },
	{ IBV_DEVICE_MEM_WINDOW_TYPE_2B, "MEM_WINDOW_TYPE_2B" },
	{ IBV_DEVICE_RC_IP_CSUM, "RC_IP_CSUM" },
	{ IBV_DEVICE_RAW_IP_CSUM, "RAW_IP_CSUM" },
	{ IBV_DEVICE_MANAGED_FLOW_STEERING, "MANAGED_FLOW_STEERING" }, { 0, NULL },
};

static const struct word device_caps_ex[] = {
	{ IBV_DEVICE_RAW_SCATTER_FCS, "RAW_SCATTER_FCS" },
	{ IBV_DEVICE_PCI_WRITE_END_PADDING, "PCI_WRITE_END_PADDING" }, { 0, NULL },
};

static const struct word odp_general[] = {
	{ IBV_ODP_SUPPORT, "ODP_SUPPORT" }, { IBV_ODP_SUPPORT_IMPLICIT, "ODP_SUPPORT_IMPLICIT" },
	{ 0, NULL },
};

static const struct word odp_transport[] = {
	{ IBV_ODP_SUPPORT_SEND, "SUPPORT_SEND" }, { IBV_ODP_SUPPORT_RECV, "SUPPORT_RECV" },
	{ IBV_ODP_SUPPORT_WRITE, "SUPPORT_WRITE" }, { IBV_ODP_SUPPORT_READ, "SUPPORT_READ" },
	{ IBV_ODP_SUPPORT_ATOMIC, "SUPPORT_ATOMIC" },
	{ IBV_ODP_SUPPORT_SRQ_RECV, "SUPPORT_SRQ" }, { 0, NULL },
};

static const struct word raw_packet[] = {
	{ IBV_RAW_PACKET_CAP_CVLAN_STRIPPING, "C-VLAN stripping offload" },
	{ IBV_RAW_PACKET_CAP_SCATTER_FCS, "Scatter FCS offload" },
	{ IBV_RAW_PACKET_CAP_IP_CSUM, "IP csum offload" },
	{ IBV_RAW_PACKET_CAP_DELAY_DROP, "Delay drop" }, { 0, NULL },
};

/* The familiar output has words for these two only, and numbers for others. */
static const struct word qp_types[] = {
	{ 1ULL << IBV_QPT_RAW_PACKET, "SUPPORT_RAW_PACKET" }, { 1ULL << IBV_QPT_UD, "SUPPORT_UD" },
	{ 0, NULL },
};

static const struct word tm_flags[] = { { IBV_TM_CAP_RC, "IBV_TM_CAP_RC" }, { 0, NULL } };

/* "invalid ..." for what no table knows. */
static inline const char *word_of(const struct word *table, unsigned long long value)
{
	for (; table->text; table++)
		if (table->value == value)
			return table->text;
	return "invalid value";
}

/* The names of the bits that are set: a line each, or a list. */
static inline void word_bits(struct out *o, const char *key, const struct word *table,
			     unsigned long long bits)
{
	out_open(o, key, '[');
	for (; table->text; table++) {
		if (!(bits & table->value))
			continue;
		bits &= ~table->value;
		if (o->json) {
			out_next(o, NULL);
			out_json_string(table->text);
		} else {
			printf("\t\t\t\t\t%s\n", table->text);
		}
	}
	if (bits && !o->json)
		printf("\t\t\t\t\tUnknown flags: 0x%llX\n", bits);
	out_close(o, ']');
}

#endif
