/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Inside of RDMA_NL_NLDEV: nldev.c has the table of commands and what all of them share, the other
 * nldev_*.c have the commands. They are what `rdma` and libibverbs talk to; attributes are those of
 * <rdma/rdma_netlink.h>, and their order in messages is that of the stock core.
 */
#ifndef _CORE_NLDEV_H
#define _CORE_NLDEV_H

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

struct ib_device;
struct nlattr;
struct net;
struct sk_buff;

/* One request: the parsed attributes and what they name. */
struct core_nldev_request {
	struct sk_buff *skb;
	const struct nlmsghdr *nlh;
	struct netlink_ext_ack *extack;
	struct ib_device *dev;		/* with a reference, or NULL */
	u32 port;			/* valid for dev, or 0 */
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
};

/* What must be there besides well-formed attributes; the bits of @needs below. */
enum core_nldev_needs {
	CORE_NLDEV_DEV = 1 << 0,	/* an existing device */
	CORE_NLDEV_PORT = 1 << 1,	/* one of its ports */
	CORE_NLDEV_PORT_OPTIONAL = 1 << 2, /* if there is one, it exists */
};

/* Parses, checks, looks up. On success the caller ends with core_nldev_end(). */
int core_nldev_begin(struct core_nldev_request *req, struct sk_buff *skb,
		     const struct nlmsghdr *nlh, struct netlink_ext_ack *extack,
		     unsigned int needs);
void core_nldev_end(struct core_nldev_request *req);

/* An answer: a fresh message of this command; then either send or drop it. */
struct core_nldev_reply {
	struct sk_buff *msg;
	struct nlmsghdr *nlh;
};

int core_nldev_reply_begin(struct core_nldev_reply *reply, const struct core_nldev_request *req,
			   enum rdma_nldev_command cmd);
/* Sends if !@ret, else drops. Returns @ret or what sending returned. */
int core_nldev_reply_end(struct core_nldev_reply *reply, const struct core_nldev_request *req,
			 int ret);

/* Index and name of a device, which open nearly every message. */
int core_nldev_put_handle(struct sk_buff *msg, const struct ib_device *dev);

#define CORE_NLDEV_DOIT(name) \
	int name(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
#define CORE_NLDEV_DUMP(name) int name(struct sk_buff *skb, struct netlink_callback *cb)

/* nldev_dev.c */
CORE_NLDEV_DOIT(core_nldev_dev_get);
CORE_NLDEV_DUMP(core_nldev_dev_dump);
CORE_NLDEV_DOIT(core_nldev_dev_set);
CORE_NLDEV_DOIT(core_nldev_port_get);
CORE_NLDEV_DUMP(core_nldev_port_dump);

/* nldev_link.c */
CORE_NLDEV_DOIT(core_nldev_link_new);
CORE_NLDEV_DOIT(core_nldev_link_del);

/* nldev_sys.c */
CORE_NLDEV_DOIT(core_nldev_sys_get);
CORE_NLDEV_DOIT(core_nldev_sys_set);
CORE_NLDEV_DOIT(core_nldev_chardev_get);

/* nldev_res.c */
CORE_NLDEV_DOIT(core_nldev_res_summary_get);
CORE_NLDEV_DUMP(core_nldev_res_summary_dump);
CORE_NLDEV_DOIT(core_nldev_res_get);
CORE_NLDEV_DUMP(core_nldev_res_dump);

/* nldev_stat.c */
CORE_NLDEV_DOIT(core_nldev_stat_get);
CORE_NLDEV_DUMP(core_nldev_stat_dump);
CORE_NLDEV_DOIT(core_nldev_stat_set);
CORE_NLDEV_DOIT(core_nldev_stat_del);
CORE_NLDEV_DOIT(core_nldev_stat_status);

#endif
