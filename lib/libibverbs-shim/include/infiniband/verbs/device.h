/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* device.h - part of <infiniband/verbs.h>: devices, and properties of an open one. */
#ifndef INFINIBAND_VERBS_DEVICE_H
#define INFINIBAND_VERBS_DEVICE_H

#include <infiniband/verbs/base.h>

enum ibv_node_type {
	IBV_NODE_UNKNOWN = -1,
	IBV_NODE_CA = 1,
	IBV_NODE_SWITCH,
	IBV_NODE_ROUTER,
	IBV_NODE_RNIC,
	IBV_NODE_USNIC,
	IBV_NODE_USNIC_UDP,
	IBV_NODE_UNSPECIFIED,
};

enum ibv_transport_type {
	IBV_TRANSPORT_UNKNOWN = -1,
	IBV_TRANSPORT_IB = 0,
	IBV_TRANSPORT_IWARP,
	IBV_TRANSPORT_USNIC,
	IBV_TRANSPORT_USNIC_UDP,
	IBV_TRANSPORT_UNSPECIFIED,
};

enum {
	IBV_SYSFS_NAME_MAX = 64,
	IBV_SYSFS_PATH_MAX = 256,
};

/* Where early programs found open and close. */
struct _ibv_device_ops {
	struct ibv_context *(*_dummy1)(struct ibv_device *device, int cmd_fd);
	void (*_dummy2)(struct ibv_context *context);
};

/* An entry of the device list. */
struct ibv_device {
	struct _ibv_device_ops _ops;
	enum ibv_node_type node_type;
	enum ibv_transport_type transport_type;
	char name[IBV_SYSFS_NAME_MAX];	/* of the RDMA device in the kernel */
	char dev_name[IBV_SYSFS_NAME_MAX];	/* of its character device, "uverbs0" */
	char dev_path[IBV_SYSFS_PATH_MAX];	/* of the character device in sysfs */
	char ibdev_path[IBV_SYSFS_PATH_MAX];	/* of the RDMA device in sysfs */
};

/* What a device can do; limits are limits, not guarantees. */
enum ibv_device_cap_flags {
	IBV_DEVICE_RESIZE_MAX_WR = 1,
	IBV_DEVICE_BAD_PKEY_CNTR = 1 << 1,
	IBV_DEVICE_BAD_QKEY_CNTR = 1 << 2,
	IBV_DEVICE_RAW_MULTI = 1 << 3,
	IBV_DEVICE_AUTO_PATH_MIG = 1 << 4,
	IBV_DEVICE_CHANGE_PHY_PORT = 1 << 5,
	IBV_DEVICE_UD_AV_PORT_ENFORCE = 1 << 6,
	IBV_DEVICE_CURR_QP_STATE_MOD = 1 << 7,
	IBV_DEVICE_SHUTDOWN_PORT = 1 << 8,
	IBV_DEVICE_INIT_TYPE = 1 << 9,
	IBV_DEVICE_PORT_ACTIVE_EVENT = 1 << 10,
	IBV_DEVICE_SYS_IMAGE_GUID = 1 << 11,
	IBV_DEVICE_RC_RNR_NAK_GEN = 1 << 12,
	IBV_DEVICE_SRQ_RESIZE = 1 << 13,
	IBV_DEVICE_N_NOTIFY_CQ = 1 << 14,
	IBV_DEVICE_MEM_WINDOW = 1 << 17,
	IBV_DEVICE_UD_IP_CSUM = 1 << 18,
	IBV_DEVICE_XRC = 1 << 20,
	IBV_DEVICE_MEM_MGT_EXTENSIONS = 1 << 21,
	IBV_DEVICE_MEM_WINDOW_TYPE_2A = 1 << 23,
	IBV_DEVICE_MEM_WINDOW_TYPE_2B = 1 << 24,
	IBV_DEVICE_RC_IP_CSUM = 1 << 25,
	IBV_DEVICE_RAW_IP_CSUM = 1 << 26,
	IBV_DEVICE_MANAGED_FLOW_STEERING = 1 << 29,
};

/* Beyond 32 bits: device_cap_flags_ex only. */
#define IBV_DEVICE_RAW_SCATTER_FCS (1ULL << 34)
#define IBV_DEVICE_PCI_WRITE_END_PADDING (1ULL << 36)

enum ibv_atomic_cap {
	IBV_ATOMIC_NONE,	/* no atomics */
	IBV_ATOMIC_HCA,	/* among QPs of this device */
	IBV_ATOMIC_GLOB,	/* and towards the processors */
};

struct ibv_device_attr {
	char fw_ver[64];	/* firmware version, text */
	__be64 node_guid;
	__be64 sys_image_guid;
	uint64_t max_mr_size;	/* bytes of one registration */
	uint64_t page_size_cap;	/* bit n: pages of 2^n bytes */
	uint32_t vendor_id;
	uint32_t vendor_part_id;
	uint32_t hw_ver;
	int max_qp;
	int max_qp_wr;	/* outstanding requests of any work queue */
	unsigned int device_cap_flags;	/* enum ibv_device_cap_flags */
	int max_sge;	/* scatter/gather elements of a request */
	int max_sge_rd;	/* ... of an RDMA read */
	int max_cq;
	int max_cqe;	/* entries of a CQ */
	int max_mr;
	int max_pd;
	int max_qp_rd_atom;	/* reads and atomics that a QP answers at once */
	int max_ee_rd_atom;	/* for RD EE contexts, as are its likes */
	int max_res_rd_atom;	/* all QPs together */
	int max_qp_init_rd_atom;	/* reads and atomics that a QP asks at once */
	int max_ee_init_rd_atom;
	enum ibv_atomic_cap atomic_cap;
	int max_ee;
	int max_rdd;
	int max_mw;
	int max_raw_ipv6_qp;
	int max_raw_ethy_qp;
	int max_mcast_grp;
	int max_mcast_qp_attach;
	int max_total_mcast_qp_attach;
	int max_ah;
	int max_fmr;
	int max_map_per_fmr;
	int max_srq;
	int max_srq_wr;
	int max_srq_sge;
	uint16_t max_pkeys;
	uint8_t local_ca_ack_delay;	/* 4.096 us << this */
	uint8_t phys_port_cnt;
};

/* The list: pointer, ends with NULL; num_devices may be NULL. No device is an empty list. */
struct ibv_device **ibv_get_device_list(int *num_devices);

/* Devices that were not opened are gone with their list. */
void ibv_free_device_list(struct ibv_device **list);

const char *ibv_get_device_name(struct ibv_device *device);

/* Index of the device in the kernel (own: -1 if it is not known). */
int ibv_get_device_index(struct ibv_device *device);

/* Network byte order (own: 0 if it cannot be read). */
__be64 ibv_get_device_guid(struct ibv_device *device);

/* A word for the type, never NULL. */
const char *ibv_node_type_str(enum ibv_node_type node_type);

#endif
