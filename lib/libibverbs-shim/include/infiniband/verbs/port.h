/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* port.h - part of <infiniband/verbs.h>: properties of a port. */
#ifndef INFINIBAND_VERBS_PORT_H
#define INFINIBAND_VERBS_PORT_H

#include <infiniband/verbs/base.h>

/* Payload bytes of a packet. */
enum ibv_mtu {
	IBV_MTU_256 = 1,
	IBV_MTU_512 = 2,
	IBV_MTU_1024 = 3,
	IBV_MTU_2048 = 4,
	IBV_MTU_4096 = 5,
};

enum ibv_port_state {
	IBV_PORT_NOP = 0,
	IBV_PORT_DOWN = 1,
	IBV_PORT_INIT = 2,
	IBV_PORT_ARMED = 3,
	IBV_PORT_ACTIVE = 4,
	IBV_PORT_ACTIVE_DEFER = 5,
};

enum {
	IBV_LINK_LAYER_UNSPECIFIED,
	IBV_LINK_LAYER_INFINIBAND,
	IBV_LINK_LAYER_ETHERNET,
};

enum ibv_port_cap_flags {
	IBV_PORT_SM = 1 << 1,
	IBV_PORT_NOTICE_SUP = 1 << 2,
	IBV_PORT_TRAP_SUP = 1 << 3,
	IBV_PORT_OPT_IPD_SUP = 1 << 4,
	IBV_PORT_AUTO_MIGR_SUP = 1 << 5,
	IBV_PORT_SL_MAP_SUP = 1 << 6,
	IBV_PORT_MKEY_NVRAM = 1 << 7,
	IBV_PORT_PKEY_NVRAM = 1 << 8,
	IBV_PORT_LED_INFO_SUP = 1 << 9,
	IBV_PORT_SYS_IMAGE_GUID_SUP = 1 << 11,
	IBV_PORT_PKEY_SW_EXT_PORT_TRAP_SUP = 1 << 12,
	IBV_PORT_EXTENDED_SPEEDS_SUP = 1 << 14,
	IBV_PORT_CAP_MASK2_SUP = 1 << 15,
	IBV_PORT_CM_SUP = 1 << 16,
	IBV_PORT_SNMP_TUNNEL_SUP = 1 << 17,
	IBV_PORT_REINIT_SUP = 1 << 18,
	IBV_PORT_DEVICE_MGMT_SUP = 1 << 19,
	IBV_PORT_VENDOR_CLASS_SUP = 1 << 20,
	IBV_PORT_DR_NOTICE_SUP = 1 << 21,
	IBV_PORT_CAP_MASK_NOTICE_SUP = 1 << 22,
	IBV_PORT_BOOT_MGMT_SUP = 1 << 23,
	IBV_PORT_LINK_LATENCY_SUP = 1 << 24,
	IBV_PORT_CLIENT_REG_SUP = 1 << 25,
	IBV_PORT_IP_BASED_GIDS = 1 << 26,
};

enum ibv_port_cap_flags2 {
	IBV_PORT_SET_NODE_DESC_SUP = 1 << 0,
	IBV_PORT_INFO_EXT_SUP = 1 << 1,
	IBV_PORT_VIRT_SUP = 1 << 2,
	IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP = 1 << 3,
	IBV_PORT_LINK_WIDTH_2X_SUP = 1 << 4,
	IBV_PORT_LINK_SPEED_HDR_SUP = 1 << 5,
	IBV_PORT_LINK_SPEED_NDR_SUP = 1 << 10,
};

struct ibv_port_attr {
	enum ibv_port_state state;	/* logical state of the link */
	enum ibv_mtu max_mtu;	/* the port can do */
	enum ibv_mtu active_mtu;	/* in use */
	int gid_tbl_len;	/* entries of the GID table */
	uint32_t port_cap_flags;	/* enum ibv_port_cap_flags */
	uint32_t max_msg_sz;	/* bytes */
	uint32_t bad_pkey_cntr;	/* packets with a wrong P_Key */
	uint32_t qkey_viol_cntr;	/* packets with a wrong Q_Key */
	uint16_t pkey_tbl_len;	/* entries of the P_Key table */
	uint16_t lid;	/* base LID; 0 on Ethernet */
	uint16_t sm_lid;
	uint8_t lmc;	/* log2 of the number of LIDs */
	uint8_t max_vl_num;	/* coded number of virtual lanes */
	uint8_t sm_sl;
	uint8_t subnet_timeout;	/* 4.096 us << this */
	uint8_t init_type_reply;
	uint8_t active_width;	/* 1, 2, 4, 8, 16: 1x, 4x, 8x, 12x, 2x */
	uint8_t active_speed;	/* bit per rate of a lane */
	uint8_t phys_state;	/* physical state; 5 is link up */
	uint8_t link_layer;	/* IBV_LINK_LAYER_* */
	uint8_t flags;	/* IBV_QPF_* */
	uint16_t port_cap_flags2;	/* enum ibv_port_cap_flags2 */
};

/* ibv_port_attr as it was when it ended with flags. */
struct _compat_ibv_port_attr;

/* A word for the state, never NULL. */
const char *ibv_port_state_str(enum ibv_port_state port_state);

#endif
