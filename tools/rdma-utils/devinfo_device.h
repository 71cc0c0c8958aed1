/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* devinfo_device.h - ibv_devinfo on a device: what it is, and its limits. */
#ifndef DEVINFO_DEVICE_H
#define DEVINFO_DEVICE_H

#include <endian.h>
#include "devinfo_words.h"

/* A limit: its name in the output and where it stands in struct ibv_device_attr. */
struct limit {
	const char *name;
	size_t offset;
};

#define LIMIT(member) { #member, offsetof(struct ibv_device_attr, member) }

static const struct limit limits_before_atomics[] = {
	LIMIT(max_sge), LIMIT(max_sge_rd), LIMIT(max_cq), LIMIT(max_cqe), LIMIT(max_mr),
	LIMIT(max_pd), LIMIT(max_qp_rd_atom), LIMIT(max_ee_rd_atom), LIMIT(max_res_rd_atom),
	LIMIT(max_qp_init_rd_atom), LIMIT(max_ee_init_rd_atom), { NULL, 0 },
};

static const struct limit limits_after_atomics[] = {
	LIMIT(max_ee), LIMIT(max_rdd), LIMIT(max_mw), LIMIT(max_raw_ipv6_qp),
	LIMIT(max_raw_ethy_qp), LIMIT(max_mcast_grp), LIMIT(max_mcast_qp_attach),
	LIMIT(max_total_mcast_qp_attach), LIMIT(max_ah), LIMIT(max_fmr), { NULL, 0 },
};

static const struct limit limits_srq[] = {
	LIMIT(max_srq), { NULL, 0 },
};

static const struct limit limits_of_srq[] = {
	LIMIT(max_srq_wr), LIMIT(max_srq_sge), { NULL, 0 },
};

static inline void devinfo_limits(struct out *o, const struct ibv_device_attr *a,
				  const struct limit *limit)
{
	int value;

	for (; limit->name; limit++) {
		memcpy(&value, (const char *)a + limit->offset, sizeof(value));
		out_number(o, out_device, limit->name, (unsigned int)value, "%llu");
	}
}

static inline void devinfo_guid(struct out *o, const char *name, __be64 guid)
{
	unsigned long long g = be64toh(guid);
	char text[20];

	snprintf(text, sizeof(text), "%04llx:%04llx:%04llx:%04llx", g >> 48 & 0xffff,
		 g >> 32 & 0xffff, g >> 16 & 0xffff, g & 0xffff);
	out_string(o, out_device, name, text);
}

/* A board number that the driver shows in sysfs; few do. */
static inline bool devinfo_board(const struct ibv_device *device, char *line, int size)
{
	char path[IBV_SYSFS_PATH_MAX + 16];
	FILE *file;
	bool there;

	snprintf(path, sizeof(path), "%s/board_id", device->ibdev_path);
	file = fopen(path, "r");
	if (!file)
		return false;
	there = fgets(line, size, file) && line[0] != '\n';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return there;
}

static inline void devinfo_identity(struct out *o, struct ibv_device *device,
				    const struct ibv_device_attr *a)
{
	char board[64] = "";

	if (o->json)
		out_string(o, out_device, "name", ibv_get_device_name(device));
	else
		printf("hca_id:\t%s\n", ibv_get_device_name(device));
	out_word(o, out_device, "transport", word_of(transports, device->transport_type),
		 device->transport_type);
	out_string(o, out_device, "fw_ver", a->fw_ver);
	devinfo_guid(o, "node_guid", a->node_guid);
	devinfo_guid(o, "sys_image_guid", a->sys_image_guid);
	out_number(o, out_device, "vendor_id", a->vendor_id, "0x%04llx");
	out_number(o, out_device, "vendor_part_id", a->vendor_part_id, "%llu");
	out_number(o, out_device, "hw_ver", a->hw_ver, "0x%llX");
	if (devinfo_board(device, board, sizeof(board)))
		out_string(o, out_device, "board_id", board);
	out_number(o, out_device, "phys_port_cnt", a->phys_port_cnt, "%llu");
}

static inline void devinfo_plain(struct out *o, const struct ibv_device_attr *a)
{
	const struct out_at at = out_device;

	out_number(o, at, "max_mr_size", a->max_mr_size, "0x%llx");
	out_number(o, at, "page_size_cap", a->page_size_cap, "0x%llx");
	out_number(o, at, "max_qp", (unsigned int)a->max_qp, "%llu");
	out_number(o, at, "max_qp_wr", (unsigned int)a->max_qp_wr, "%llu");
	out_number(o, at, "device_cap_flags", a->device_cap_flags, "0x%08llx");
	word_bits(o, "device_caps", device_caps, a->device_cap_flags);
	devinfo_limits(o, a, limits_before_atomics);
	out_word(o, at, "atomic_cap", word_of(atomics, a->atomic_cap), (int)a->atomic_cap);
	devinfo_limits(o, a, limits_after_atomics);
	if (a->max_fmr)
		out_number(o, at, "max_map_per_fmr", (unsigned int)a->max_map_per_fmr, "%llu");
	devinfo_limits(o, a, limits_srq);
	if (a->max_srq)
		devinfo_limits(o, a, limits_of_srq);
	out_number(o, at, "max_pkeys", a->max_pkeys, "%llu");
	out_number(o, at, "local_ca_ack_delay", a->local_ca_ack_delay, "%llu");
}

#endif
