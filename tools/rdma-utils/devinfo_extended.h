/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* devinfo_extended.h - ibv_devinfo on what a device can do beyond the verbs of old. */
#ifndef DEVINFO_EXTENDED_H
#define DEVINFO_EXTENDED_H

#include "devinfo_words.h"

static inline void devinfo_odp_transport(struct out *o, const char *name, uint32_t caps)
{
	if (!o->json)
		printf("\t%s:\n%s", name, caps ? "" : "\t\t\t\t\tNO SUPPORT\n");
	word_bits(o, name, odp_transport, caps);
}

static inline void devinfo_odp(struct out *o, const struct ibv_device_attr_ex *a)
{
	out_people(o, "\tgeneral_odp_caps:\n");
	word_bits(o, "general_odp_caps", odp_general, a->odp_caps.general_caps);
	devinfo_odp_transport(o, "rc_odp_caps", a->odp_caps.per_transport_caps.rc_odp_caps);
	devinfo_odp_transport(o, "uc_odp_caps", a->odp_caps.per_transport_caps.uc_odp_caps);
	devinfo_odp_transport(o, "ud_odp_caps", a->odp_caps.per_transport_caps.ud_odp_caps);
	devinfo_odp_transport(o, "xrc_odp_caps", a->xrc_odp_caps);
}

/* Clocks: a line that says so where there is none. */
static inline void devinfo_clocks(struct out *o, const struct ibv_device_attr_ex *a)
{
	if (o->json) {
		out_number(o, out_device, "completion_timestamp_mask",
			   a->completion_timestamp_mask, "");
		out_number(o, out_device, "hca_core_clock_khz", a->hca_core_clock, "");
		return;
	}
	if (a->completion_timestamp_mask)
		printf("\tcompletion timestamp_mask:\t\t\t0x%016llx\n",
		       (unsigned long long)a->completion_timestamp_mask);
	else
		printf("\tcompletion_timestamp_mask not supported\n");
	if (a->hca_core_clock)
		printf("\thca_core_clock:\t\t\t%llukHZ\n", (unsigned long long)a->hca_core_clock);
	else
		printf("\tcore clock not supported\n");
}

static inline void devinfo_offloads(struct out *o, const struct ibv_device_attr_ex *a)
{
	if (a->raw_packet_caps) {
		out_people(o, "\traw packet caps:\n");
		word_bits(o, "raw_packet_caps", raw_packet, a->raw_packet_caps);
	}
	out_number(o, out_device, "device_cap_flags_ex", a->device_cap_flags_ex, "0x%llX");
	word_bits(o, "device_caps_ex", device_caps_ex, a->device_cap_flags_ex & ~0xffffffffULL);
	out_people(o, "\ttso_caps:\n");
	out_number(o, out_caps, "max_tso", a->tso_caps.max_tso, "%llu");
	if (a->tso_caps.max_tso) {
		out_people(o, "\t\tsupported_qp:\n");
		word_bits(o, "tso_qp_types", qp_types, a->tso_caps.supported_qpts);
	}
	out_people(o, "\trss_caps:\n");
	out_number(o, out_wide, "max_rwq_indirection_tables",
		   a->rss_caps.max_rwq_indirection_tables, "%llu");
	out_number(o, out_wide, "max_rwq_indirection_table_size",
		   a->rss_caps.max_rwq_indirection_table_size, "%llu");
	out_number(o, out_wide, "rx_hash_function", a->rss_caps.rx_hash_function, "0x%llx");
	out_number(o, out_wide, "rx_hash_fields_mask", a->rss_caps.rx_hash_fields_mask, "0x%llX");
	out_number(o, out_device, "max_wq_type_rq", a->max_wq_type_rq, "%llu");
}

static inline void devinfo_pacing(struct out *o, const struct ibv_device_attr_ex *a)
{
	out_people(o, "\tpacket_pacing_caps:\n");
	out_number(o, out_narrow, "qp_rate_limit_min", a->packet_pacing_caps.qp_rate_limit_min,
		   "%llukbps");
	out_number(o, out_narrow, "qp_rate_limit_max", a->packet_pacing_caps.qp_rate_limit_max,
		   "%llukbps");
	if (a->packet_pacing_caps.qp_rate_limit_max) {
		out_people(o, "\t\tsupported_qp:\n");
		word_bits(o, "pacing_qp_types", qp_types, a->packet_pacing_caps.supported_qpts);
	}
}

static inline void devinfo_tags(struct out *o, const struct ibv_tm_caps *tm)
{
	const struct out_at at = out_device;

	if (!tm->max_num_tags && !tm->max_ops) {
		out_people(o, "\ttag matching not supported\n");
		return;
	}
	out_number(o, at, "max_rndv_hdr_size", tm->max_rndv_hdr_size, "%llu");
	out_number(o, at, "max_num_tags", tm->max_num_tags, "%llu");
	out_number(o, at, "max_ops", tm->max_ops, "%llu");
	out_number(o, at, o->json ? "tm_max_sge" : "max_sge", tm->max_sge, "%llu");
	out_people(o, "\tflags:\n");
	word_bits(o, "tm_flags", tm_flags, tm->flags);
}

static inline void devinfo_extended(struct out *o, const struct ibv_device_attr_ex *a)
{
	devinfo_odp(o, a);
	devinfo_clocks(o, a);
	devinfo_offloads(o, a);
	devinfo_pacing(o, a);
	devinfo_tags(o, &a->tm_caps);
	if (a->cq_mod_caps.max_cq_count || a->cq_mod_caps.max_cq_period) {
		out_people(o, "\n\tcq moderation caps:\n");
		out_number(o, out_close_by, "max_cq_count", a->cq_mod_caps.max_cq_count, "%llu");
		out_number(o, out_close_by, o->json ? "max_cq_period_us" : "max_cq_period",
			   a->cq_mod_caps.max_cq_period, "%llu us");
		out_people(o, "\n");
	}
	if (o->json)
		out_number(o, out_device, "max_dm_bytes", a->max_dm_size, "");
	else if (a->max_dm_size)
		printf("\tmaximum available device memory:\t%lluBytes\n\n",
		       (unsigned long long)a->max_dm_size);
}

#endif
