/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* devinfo_port.h - ibv_devinfo on ports and their GIDs. */
#ifndef DEVINFO_PORT_H
#define DEVINFO_PORT_H

#include <arpa/inet.h>
#include <errno.h>
#include "devinfo_words.h"

/* A v2 GID is an IPv6 address (or maps an IPv4 one), others are just 16 bytes. */
static inline void devinfo_gid_text(const struct ibv_gid_entry *entry, char *text, size_t len)
{
	const uint8_t *raw = entry->gid.raw;
	size_t at = 0;
	int i;

	if (entry->gid_type == IBV_GID_TYPE_ROCE_V2) {
		inet_ntop(AF_INET6, raw, text, (socklen_t)len);
		return;
	}
	for (i = 0; i < 16; i += 2)
		at += (size_t)snprintf(text + at, len - at, "%s%02x%02x", i ? ":" : "", raw[i],
				       raw[i + 1]);
}

static inline void devinfo_gid(struct out *o, const struct ibv_gid_entry *entry)
{
	char text[INET6_ADDRSTRLEN];
	bool typed = entry->gid_type != IBV_GID_TYPE_IB;
	const char *type = word_of(gid_types, entry->gid_type);

	devinfo_gid_text(entry, text, sizeof(text));
	if (!o->json) {
		printf("\t\t\tGID[%3u]:\t\t%s%s%s\n", entry->gid_index, text, typed ? ", " : "",
		       typed ? type : "");
		return;
	}
	out_open(o, NULL, '{');
	out_number(o, out_port, "index", entry->gid_index, "%llu");
	out_string(o, out_port, "gid", text);
	out_string(o, out_port, "type", type);
	out_close(o, '}');
}

static inline void devinfo_gids(struct out *o, struct ibv_context *context, uint32_t port,
				int entries)
{
	static const union ibv_gid zero;
	struct ibv_gid_entry entry;
	int i;

	out_open(o, "gids", '[');
	for (i = 0; i < entries; i++)
		if (!ibv_query_gid_ex(context, port, (uint32_t)i, &entry, 0) &&
		    memcmp(&entry.gid, &zero, sizeof(zero)))
			devinfo_gid(o, &entry);
	out_close(o, ']');
}

static inline void devinfo_port_more(struct out *o, const struct ibv_port_attr *a)
{
	const struct out_at at = out_port;

	out_number(o, at, "max_msg_sz", a->max_msg_sz, "0x%llx");
	out_number(o, at, "port_cap_flags", a->port_cap_flags, "0x%08llx");
	out_number(o, at, "port_cap_flags2", a->port_cap_flags2, "0x%04llx");
	out_coded(o, at, "max_vl_num", word_of(lanes, a->max_vl_num), a->max_vl_num);
	out_number(o, at, "bad_pkey_cntr", a->bad_pkey_cntr, "0x%llx");
	out_number(o, at, "qkey_viol_cntr", a->qkey_viol_cntr, "0x%llx");
	out_number(o, at, "sm_sl", a->sm_sl, "%llu");
	out_number(o, at, "pkey_tbl_len", a->pkey_tbl_len, "%llu");
	out_number(o, at, "gid_tbl_len", (unsigned int)a->gid_tbl_len, "%llu");
	out_number(o, at, "subnet_timeout", a->subnet_timeout, "%llu");
	out_number(o, at, "init_type_reply", a->init_type_reply, "%llu");
	out_word(o, at, "active_width", word_of(widths, a->active_width), a->active_width);
	out_word(o, at, "active_speed", word_of(speeds, a->active_speed), a->active_speed);
	out_word(o, at, "phys_state", word_of(phys_states, a->phys_state), a->phys_state);
}

static inline int devinfo_port(struct out *o, struct ibv_context *context, uint32_t port,
			       bool verbose)
{
	const struct out_at at = out_port;
	struct ibv_port_attr a;
	int err = ibv_query_port(context, (uint8_t)port, &a);

	if (err) {
		fprintf(stderr, "port %u cannot be queried: %s\n", port, strerror(err));
		return 1;
	}
	out_open(o, NULL, '{');
	if (o->json)
		out_number(o, at, "port", port, "%llu");
	else
		printf("\t\tport:\t%u\n", port);
	out_word(o, at, "state", word_of(states, a.state), (int)a.state);
	out_coded(o, at, "max_mtu", word_of(mtus, a.max_mtu), (int)a.max_mtu);
	out_coded(o, at, "active_mtu", word_of(mtus, a.active_mtu), (int)a.active_mtu);
	out_number(o, at, "sm_lid", a.sm_lid, "%llu");
	out_number(o, at, "port_lid", a.lid, "%llu");
	out_number(o, at, "port_lmc", a.lmc, "0x%02llx");
	out_string(o, at, "link_layer", word_of(layers, a.link_layer));
	if (verbose) {
		devinfo_port_more(o, &a);
		devinfo_gids(o, context, port, a.gid_tbl_len);
	}
	out_close(o, '}');
	return 0;
}

#endif
