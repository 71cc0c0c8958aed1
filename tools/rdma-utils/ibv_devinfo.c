// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_devinfo - prints what the RDMA devices and their ports say of themselves. */
#include <arpa/inet.h>
#include <endian.h>
#include <getopt.h>
#include "find_device.h"

struct options {
	const char *device;
	int port;	/* 0: all */
	int verbose;
	int list;
};

struct word {
	unsigned int value;
	const char *text;
};

static const struct word speeds[] = {
	{ 1, "2.5 Gbps" }, { 2, "5.0 Gbps" }, { 4, "10.0 Gbps" }, { 8, "10.0 Gbps" },
	{ 16, "14.0 Gbps" }, { 32, "25.0 Gbps" }, { 64, "50.0 Gbps" }, { 128, "100.0 Gbps" },
};

static const struct word widths[] = {
	{ 1, "1X" }, { 2, "4X" }, { 4, "8X" }, { 8, "12X" }, { 16, "2X" },
};

static const struct word layers[] = {
	{ IBV_LINK_LAYER_UNSPECIFIED, "unspecified" }, { IBV_LINK_LAYER_INFINIBAND, "InfiniBand" },
	{ IBV_LINK_LAYER_ETHERNET, "Ethernet" },
};

static const struct word states[] = {
	{ IBV_PORT_NOP, "PORT_NOP" }, { IBV_PORT_DOWN, "PORT_DOWN" },
	{ IBV_PORT_INIT, "PORT_INIT" }, { IBV_PORT_ARMED, "PORT_ARMED" },
	{ IBV_PORT_ACTIVE, "PORT_ACTIVE" },
	{ IBV_PORT_ACTIVE_DEFER, "PORT_ACTIVE_DEFER" },
};

static const struct word gid_types[] = {
	{ IBV_GID_TYPE_IB, "IB" }, { IBV_GID_TYPE_ROCE_V1, "RoCE v1" },
	{ IBV_GID_TYPE_ROCE_V2, "RoCE v2" },
};

static const struct word cap_flags[] = {
	{ IBV_DEVICE_RESIZE_MAX_WR, "RESIZE_MAX_WR" },
	{ IBV_DEVICE_BAD_PKEY_CNTR, "BAD_PKEY_CNTR" },
	{ IBV_DEVICE_BAD_QKEY_CNTR, "BAD_QKEY_CNTR" },
	{ IBV_DEVICE_AUTO_PATH_MIG, "AUTO_PATH_MIG" },
	{ IBV_DEVICE_CURR_QP_STATE_MOD, "CURR_QP_STATE_MOD" },
	{ IBV_DEVICE_SHUTDOWN_PORT, "SHUTDOWN_PORT" },
	{ IBV_DEVICE_PORT_ACTIVE_EVENT, "PORT_ACTIVE_EVENT" },
	{ IBV_DEVICE_SYS_IMAGE_GUID, "SYS_IMAGE_GUID" },
	{ IBV_DEVICE_RC_RNR_NAK_GEN, "RC_RNR_NAK_GEN" }, { IBV_DEVICE_SRQ_RESIZE, "SRQ_RESIZE" },
	{ IBV_DEVICE_N_NOTIFY_CQ, "N_NOTIFY_CQ" }, { IBV_DEVICE_MEM_WINDOW, "MEM_WINDOW" },
	{ IBV_DEVICE_XRC, "XRC" }, { IBV_DEVICE_MEM_MGT_EXTENSIONS, "MEM_MGT_EXTENSIONS" },
};

#define WORD(table, value) word_of(table, sizeof(table) / sizeof((table)[0]), value)

static const char *word_of(const struct word *table, size_t count, unsigned int value)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (table[i].value == value)
			return table[i].text;
	return "unknown";
}

static unsigned int mtu_bytes(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128U << mtu : 0;
}

static void print_guid(const char *what, __be64 guid)
{
	unsigned long long g = be64toh(guid);

	printf("\t%s:\t\t\t%04llx:%04llx:%04llx:%04llx\n", what, g >> 48, g >> 32 & 0xffff,
	       g >> 16 & 0xffff, g & 0xffff);
}

static void print_gids(struct ibv_context *context, int port, int entries)
{
	static const union ibv_gid zero;
	struct ibv_gid_entry entry;
	char text[INET6_ADDRSTRLEN];
	int i;

	for (i = 0; i < entries; i++) {
		if (ibv_query_gid_ex(context, port, i, &entry, 0) ||
		    !memcmp(&entry.gid, &zero, sizeof(zero)))
			continue;
		inet_ntop(AF_INET6, entry.gid.raw, text, sizeof(text));
		printf("\t\t\tGID[%3d]:\t\t%s, %s\n", i, text, WORD(gid_types, entry.gid_type));
	}
}

static int print_port(struct ibv_context *context, int port, int verbose)
{
	struct ibv_port_attr a;
	int err = ibv_query_port(context, (uint8_t)port, &a);

	if (err) {
		fprintf(stderr, "port %d: %s\n", port, strerror(err));
		return 1;
	}
	printf("\t\tport:\t%d\n", port);
	printf("\t\t\tstate:\t\t\t%s (%d)\n", WORD(states, a.state), a.state);
	printf("\t\t\tmax_mtu:\t\t%u (%d)\n", mtu_bytes(a.max_mtu), a.max_mtu);
	printf("\t\t\tactive_mtu:\t\t%u (%d)\n", mtu_bytes(a.active_mtu), a.active_mtu);
	printf("\t\t\tsm_lid:\t\t\t%u\n", a.sm_lid);
	printf("\t\t\tport_lid:\t\t%u\n", a.lid);
	printf("\t\t\tport_lmc:\t\t0x%02x\n", a.lmc);
	printf("\t\t\tlink_layer:\t\t%s\n", WORD(layers, a.link_layer));
	if (!verbose)
		return 0;
	printf("\t\t\tmax_msg_sz:\t\t0x%x\n", a.max_msg_sz);
	printf("\t\t\tport_cap_flags:\t\t0x%08x\n", a.port_cap_flags);
	printf("\t\t\tpkey_tbl_len:\t\t%u\n", a.pkey_tbl_len);
	printf("\t\t\tgid_tbl_len:\t\t%d\n", a.gid_tbl_len);
	printf("\t\t\tactive_width:\t\t%s (%u)\n", WORD(widths, a.active_width), a.active_width);
	printf("\t\t\tactive_speed:\t\t%s (%u)\n", WORD(speeds, a.active_speed), a.active_speed);
	printf("\t\t\tphys_state:\t\t%s (%u)\n", a.phys_state == 5 ? "LINK_UP" : "not up",
	       a.phys_state);
	print_gids(context, port, a.gid_tbl_len);
	return 0;
}

static void print_limits(const struct ibv_device_attr *a)
{
	size_t i;

	printf("\tmax_mr_size:\t\t\t0x%llx\n", (unsigned long long)a->max_mr_size);
	printf("\tpage_size_cap:\t\t\t0x%llx\n", (unsigned long long)a->page_size_cap);
	printf("\tmax_qp:\t\t\t\t%d\n", a->max_qp);
	printf("\tmax_qp_wr:\t\t\t%d\n", a->max_qp_wr);
	printf("\tdevice_cap_flags:\t\t0x%08x\n", a->device_cap_flags);
	for (i = 0; i < sizeof(cap_flags) / sizeof(cap_flags[0]); i++)
		if (a->device_cap_flags & cap_flags[i].value)
			printf("\t\t\t\t\t%s\n", cap_flags[i].text);
	printf("\tmax_sge:\t\t\t%d\n", a->max_sge);
	printf("\tmax_sge_rd:\t\t\t%d\n", a->max_sge_rd);
	printf("\tmax_cq:\t\t\t\t%d\n", a->max_cq);
	printf("\tmax_cqe:\t\t\t%d\n", a->max_cqe);
	printf("\tmax_mr:\t\t\t\t%d\n", a->max_mr);
	printf("\tmax_pd:\t\t\t\t%d\n", a->max_pd);
	printf("\tmax_qp_rd_atom:\t\t\t%d\n", a->max_qp_rd_atom);
	printf("\tmax_res_rd_atom:\t\t%d\n", a->max_res_rd_atom);
	printf("\tmax_qp_init_rd_atom:\t\t%d\n", a->max_qp_init_rd_atom);
	printf("\tatomic_cap:\t\t\t%d\n", a->atomic_cap);
	printf("\tmax_mw:\t\t\t\t%d\n", a->max_mw);
	printf("\tmax_mcast_grp:\t\t\t%d\n", a->max_mcast_grp);
	printf("\tmax_mcast_qp_attach:\t\t%d\n", a->max_mcast_qp_attach);
	printf("\tmax_ah:\t\t\t\t%d\n", a->max_ah);
	printf("\tmax_srq:\t\t\t%d\n", a->max_srq);
	printf("\tmax_srq_wr:\t\t\t%d\n", a->max_srq_wr);
	printf("\tmax_srq_sge:\t\t\t%d\n", a->max_srq_sge);
	printf("\tmax_pkeys:\t\t\t%u\n", a->max_pkeys);
	printf("\tlocal_ca_ack_delay:\t\t%u\n", a->local_ca_ack_delay);
}

static int print_device(struct ibv_device *device, const struct options *o)
{
	struct ibv_context *context = ibv_open_device(device);
	struct ibv_device_attr a;
	int port, err;

	if (!context) {
		fprintf(stderr, "%s does not open: %s\n", ibv_get_device_name(device),
			strerror(errno));
		return 1;
	}
	err = ibv_query_device(context, &a);
	if (err) {
		fprintf(stderr, "%s: %s\n", ibv_get_device_name(device), strerror(err));
		ibv_close_device(context);
		return 1;
	}
	printf("hca_id:\t%s\n", ibv_get_device_name(device));
	printf("\ttransport:\t\t\tInfiniBand (%d)\n", device->transport_type);
	printf("\tfw_ver:\t\t\t\t%s\n", a.fw_ver);
	print_guid("node_guid", a.node_guid);
	print_guid("sys_image_guid", a.sys_image_guid);
	printf("\tvendor_id:\t\t\t0x%04x\n", a.vendor_id);
	printf("\tvendor_part_id:\t\t\t%u\n", a.vendor_part_id);
	printf("\thw_ver:\t\t\t\t0x%x\n", a.hw_ver);
	printf("\tphys_port_cnt:\t\t\t%u\n", a.phys_port_cnt);
	if (o->verbose)
		print_limits(&a);
	for (port = 1; port <= a.phys_port_cnt; port++)
		if (!o->port || o->port == port)
			err |= print_port(context, port, o->verbose);
	printf("\n");
	ibv_close_device(context);
	return err;
}

static int print_all(const struct options *o)
{
	int i, count, seen = 0, err = 0;
	struct ibv_device **list = ibv_get_device_list(&count);

	if (!list) {
		fprintf(stderr, "no device list: %s\n", strerror(errno));
		return 1;
	}
	if (o->list)
		printf("%d HCA%s found:\n", count, count == 1 ? "" : "s");
	for (i = 0; list[i]; i++) {
		if (o->device && strcmp(o->device, ibv_get_device_name(list[i])))
			continue;
		seen++;
		if (o->list)
			printf("\t%s\n", ibv_get_device_name(list[i]));
		else
			err |= print_device(list[i], o);
	}
	ibv_free_device_list(list);
	if (!seen && !o->list) {
		fprintf(stderr, "there is no such device\n");
		return 1;
	}
	return err;
}

int main(int argc, char **argv)
{
	struct options o = { .port = 0 };
	int c;

	while ((c = getopt(argc, argv, "d:i:lv")) != -1) {
		switch (c) {
		case 'd':
			o.device = optarg;
			break;
		case 'i':
			o.port = atoi(optarg);
			break;
		case 'l':
			o.list = 1;
			break;
		case 'v':
			o.verbose = 1;
			break;
		default:
			fprintf(stderr, "usage: %s [-d DEVICE] [-i PORT] [-l] [-v]\n", argv[0]);
			return 1;
		}
	}
	return print_all(&o);
}
