// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * For drivers that add attributes of their own to netlink answers: a name, how to print the value,
 * and the value. Declared by <rdma/restrack.h>.
 */
#include <net/netlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

static int put_name(struct sk_buff *msg, const char *name, enum rdma_nldev_print_type print_type)
{
	if (nla_put_string(msg, RDMA_NLDEV_ATTR_DRIVER_STRING, name))
		return -EMSGSIZE;
	if (print_type != RDMA_NLDEV_PRINT_TYPE_UNSPEC &&
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE, print_type))
		return -EMSGSIZE;
	return 0;
}

static int put_u32(struct sk_buff *msg, const char *name,
		   enum rdma_nldev_print_type print_type, u32 value)
{
	if (put_name(msg, name, print_type) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_DRIVER_U32, value))
		return -EMSGSIZE;
	return 0;
}

static int put_u64(struct sk_buff *msg, const char *name,
		   enum rdma_nldev_print_type print_type, u64 value)
{
	if (put_name(msg, name, print_type) ||
	    nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_DRIVER_U64, value, RDMA_NLDEV_ATTR_PAD))
		return -EMSGSIZE;
	return 0;
}

int rdma_nl_put_driver_string(struct sk_buff *msg, const char *name, const char *str)
{
	if (put_name(msg, name, RDMA_NLDEV_PRINT_TYPE_UNSPEC) ||
	    nla_put_string(msg, RDMA_NLDEV_ATTR_DRIVER_STRING, str))
		return -EMSGSIZE;
	return 0;
}
EXPORT_SYMBOL(rdma_nl_put_driver_string);

int rdma_nl_put_driver_u32(struct sk_buff *msg, const char *name, u32 value)
{
	return put_u32(msg, name, RDMA_NLDEV_PRINT_TYPE_UNSPEC, value);
}
EXPORT_SYMBOL(rdma_nl_put_driver_u32);

int rdma_nl_put_driver_u32_hex(struct sk_buff *msg, const char *name, u32 value)
{
	return put_u32(msg, name, RDMA_NLDEV_PRINT_TYPE_HEX, value);
}
EXPORT_SYMBOL(rdma_nl_put_driver_u32_hex);

int rdma_nl_put_driver_u64(struct sk_buff *msg, const char *name, u64 value)
{
	return put_u64(msg, name, RDMA_NLDEV_PRINT_TYPE_UNSPEC, value);
}
EXPORT_SYMBOL(rdma_nl_put_driver_u64);

int rdma_nl_put_driver_u64_hex(struct sk_buff *msg, const char *name, u64 value)
{
	return put_u64(msg, name, RDMA_NLDEV_PRINT_TYPE_HEX, value);
}
EXPORT_SYMBOL(rdma_nl_put_driver_u64_hex);

/* One counter, inside of RDMA_NLDEV_ATTR_STAT_HWCOUNTERS. */
int rdma_nl_stat_hwcounter_entry(struct sk_buff *msg, const char *name, u64 value)
{
	struct nlattr *entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);

	if (!entry)
		return -EMSGSIZE;
	if (nla_put_string(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name) ||
	    nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, value,
			      RDMA_NLDEV_ATTR_PAD)) {
		nla_nest_cancel(msg, entry);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, entry);
	return 0;
}
EXPORT_SYMBOL(rdma_nl_stat_hwcounter_entry);
