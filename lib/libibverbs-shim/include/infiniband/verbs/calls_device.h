/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* calls_device.h - part of <infiniband/verbs.h>: what can be asked of an open device. */
#ifndef INFINIBAND_VERBS_CALLS_DEVICE_H
#define INFINIBAND_VERBS_CALLS_DEVICE_H

#include <errno.h>
#include <string.h>
#include <infiniband/verbs/context.h>

/* errno */
int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *device_attr);

/* errno: EINVAL when input asks for anything. An older library fills orig_attr only. */
static inline int ibv_query_device_ex(struct ibv_context *context,
				      const struct ibv_query_device_ex_input *input,
				      struct ibv_device_attr_ex *attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, query_device_ex);
	int err = EOPNOTSUPP;

	if (input && input->comp_mask)
		return EINVAL;
	if (v)
		err = v->query_device_ex(context, input, attr, sizeof(*attr));
	if (err != EOPNOTSUPP && err != ENOSYS)
		return err;
	memset(attr, 0, sizeof(*attr));
	return ibv_query_device(context, &attr->orig_attr);
}

/* Clears the bits of comp_mask that the device cannot deliver (errno). */
static inline int ibv_query_rt_values_ex(struct ibv_context *context,
					 struct ibv_values_ex *values)
{
	struct verbs_context *v = verbs_get_ctx_op(context, query_rt_values);

	return v ? v->query_rt_values(context, values) : EOPNOTSUPP;
}

/* The symbol fills the struct of early programs; the macro below gives the whole one (errno). */
int ibv_query_port(struct ibv_context *context, uint8_t port_num,
		   struct _compat_ibv_port_attr *port_attr);

static inline int ___ibv_query_port(struct ibv_context *context, uint8_t port_num,
				    struct ibv_port_attr *port_attr)
{
	struct verbs_context *v = verbs_get_ctx_op(context, query_port);

	if (v)
		return v->query_port(context, port_num, port_attr, sizeof(*port_attr));
	memset(port_attr, 0, sizeof(*port_attr));
	return ibv_query_port(context, port_num, (struct _compat_ibv_port_attr *)port_attr);
}

#define ibv_query_port(context, port_num, port_attr) \
	___ibv_query_port(context, port_num, port_attr)

/* -1; an empty entry reads as zero. */
int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid);

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index,
		      struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size);

/* errno: ENODATA for an empty entry. flags: 0 */
static inline int ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
				   uint32_t gid_index, struct ibv_gid_entry *entry,
				   uint32_t flags)
{
	return _ibv_query_gid_ex(context, port_num, gid_index, entry, flags, sizeof(*entry));
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries,
			     size_t max_entries, uint32_t flags, size_t entry_size);

/* own: the number of entries, or a negative errno value. flags: 0 */
static inline ssize_t ibv_query_gid_table(struct ibv_context *context,
					  struct ibv_gid_entry *entries, size_t max_entries,
					  uint32_t flags)
{
	return _ibv_query_gid_table(context, entries, max_entries, flags, sizeof(*entries));
}

/* -1; network byte order. */
int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey);

/* own: the index, or -1. */
int ibv_get_pkey_index(struct ibv_context *context, uint8_t port_num, __be16 pkey);

#endif
