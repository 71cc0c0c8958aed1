// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * GIDs with their type and netdev, which sysfs cannot give in one reading: the whole table and one
 * entry. dispatch.c calls in; out goes ib_core's GID cache.
 */
#include <linux/netdevice.h>
#include <rdma/ib_cache.h>

#include "call.h"
#include "defs.h"

/* The caller's entries may be older and shorter, or newer and longer, than ours. */
static int copy_entries(struct uverbs_attr_bundle *attrs, const struct ib_uverbs_gid_entry *entries,
			size_t count, size_t user_size)
{
	const struct uverbs_attr *attr;
	u8 __user *to;
	size_t len, i;

	if (user_size == sizeof(*entries))
		return uverbs_copy_to(attrs, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, entries,
				      count * sizeof(*entries));
	len = min(user_size, sizeof(*entries));
	attr = uverbs_attr_get(attrs, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	to = u64_to_user_ptr(attr->ptr_attr.data);
	for (i = 0; i < count; i++, to += user_size) {
		if (copy_to_user(to, entries + i, len))
			return -EFAULT;
		if (user_size > len && clear_user(to + len, user_size - len))
			return -EFAULT;
	}
	/* Nothing more to write, but it marks the attribute as written. */
	return uverbs_copy_to(attrs, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, entries, 0);
}

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_GID_TABLE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_gid_entry *entries;
	size_t user_size;
	ssize_t found;
	u64 count;
	u32 flags;
	int ret, room;

	if (!attrs->context)
		return -EINVAL;
	/* No flag is defined. */
	ret = uverbs_get_flags32(&flags, attrs, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0);
	if (ret)
		return ret;
	ret = uverbs_get_const(&user_size, attrs, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE);
	if (ret)
		return ret;
	if (!user_size)
		return -EINVAL;
	room = uverbs_attr_ptr_get_array_size(attrs, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES,
					      user_size);
	if (room <= 0)
		return room ?: -EINVAL;
	entries = uverbs_kcalloc(attrs, room, sizeof(*entries));
	if (IS_ERR(entries))
		return PTR_ERR(entries);
	found = rdma_query_gid_table(uverbs_call_device(attrs), entries, room);
	if (found < 0)
		return found;
	ret = copy_entries(attrs, entries, found, user_size);
	if (ret)
		return ret;
	count = found;
	return uverbs_copy_to(attrs, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, &count,
			      sizeof(count));
}

/* Its netdev may be on its way out; then the entry has none. */
static int fill_entry(const struct ib_gid_attr *gid, struct ib_uverbs_gid_entry *entry)
{
	struct net_device *ndev;
	int ret = 0;

	memcpy(&entry->gid, &gid->gid, sizeof(gid->gid));
	entry->gid_index = gid->index;
	entry->port_num = gid->port_num;
	entry->gid_type = gid->gid_type;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(gid);
	if (!IS_ERR(ndev))
		entry->netdev_ifindex = ndev->ifindex;
	else if (PTR_ERR(ndev) != -ENODEV)
		ret = PTR_ERR(ndev);
	rcu_read_unlock();
	return ret;
}

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_GID_ENTRY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_device *ibdev = uverbs_call_device(attrs);
	struct ib_uverbs_gid_entry entry = {};
	const struct ib_gid_attr *gid;
	u32 port, index, flags;
	int ret;

	if (!attrs->context)
		return -EINVAL;
	ret = uverbs_get_flags32(&flags, attrs, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0);
	if (ret)
		return ret;
	ret = uverbs_get_const(&port, attrs, UVERBS_ATTR_QUERY_GID_ENTRY_PORT);
	if (ret)
		return ret;
	ret = uverbs_get_const(&index, attrs, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);
	if (ret)
		return ret;
	if (!rdma_is_port_valid(ibdev, port))
		return -EINVAL;
	gid = rdma_get_gid_attr(ibdev, port, index);
	if (IS_ERR(gid))
		return PTR_ERR(gid);
	ret = fill_entry(gid, &entry);
	rdma_put_gid_attr(gid);
	if (ret)
		return ret;
	return uverbs_copy_to_struct_or_zero(attrs, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
					     sizeof(entry));
}

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QUERY_GID_TABLE,
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, u64, UA_MANDATORY),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, u32, UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, UVERBS_ATTR_MIN_SIZE(0),
			    UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, UVERBS_ATTR_TYPE(u64),
			    UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	UVERBS_METHOD_QUERY_GID_ENTRY,
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_QUERY_GID_ENTRY_PORT, u32, UA_MANDATORY),
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, u32, UA_MANDATORY),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, u32, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY,
			    UVERBS_ATTR_STRUCT(struct ib_uverbs_gid_entry, netdev_ifindex),
			    UA_MANDATORY));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_DEVICE,
	&UVERBS_METHOD(UVERBS_METHOD_QUERY_GID_TABLE),
	&UVERBS_METHOD(UVERBS_METHOD_QUERY_GID_ENTRY));

const struct uapi_definition uverbs_gid_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_DEVICE),
	{}
};
