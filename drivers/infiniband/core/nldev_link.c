// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Software devices on demand: drivers register a link type here, NEWLINK (`rdma link add`) finds
 * it, or loads its module, and has it make a device; DELLINK ends one.
 */
#include <linux/kmod.h>
#include <linux/netdevice.h>
#include <linux/rwsem.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#include "core_priv.h"
#include "nldev.h"

/*
 * Protects link_types. Held for reading while newlink() runs, so that a driver's code is not in
 * use when rdma_link_unregister() returns.
 */
static DECLARE_RWSEM(link_types_rwsem);
static LIST_HEAD(link_types);

static struct rdma_link_ops *find_type(const char *type)
{
	struct rdma_link_ops *ops;

	lockdep_assert_held(&link_types_rwsem);

	list_for_each_entry(ops, &link_types, list)
		if (!strcmp(ops->type, type))
			return ops;
	return NULL;
}

void rdma_link_register(struct rdma_link_ops *ops)
{
	down_write(&link_types_rwsem);
	if (!WARN_ON(find_type(ops->type)))
		list_add(&ops->list, &link_types);
	up_write(&link_types_rwsem);
}
EXPORT_SYMBOL(rdma_link_register);

void rdma_link_unregister(struct rdma_link_ops *ops)
{
	down_write(&link_types_rwsem);
	list_del(&ops->list);
	up_write(&link_types_rwsem);
}
EXPORT_SYMBOL(rdma_link_unregister);

static int call_newlink(const char *type, const char *name, struct net_device *ndev)
{
	struct rdma_link_ops *ops;
	int ret = -EINVAL;

	down_read(&link_types_rwsem);
	ops = find_type(type);
	if (!ops) {
		/* The module's init takes the lock for writing. */
		up_read(&link_types_rwsem);
		request_module("rdma-link-%s", type);
		down_read(&link_types_rwsem);
		ops = find_type(type);
	}
	if (ops)
		ret = ops->newlink(name, ndev);
	up_read(&link_types_rwsem);
	return ret;
}

int core_nldev_link_new(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	char name[IB_DEVICE_NAME_MAX];
	char ndev_name[IFNAMSIZ];
	char type[IFNAMSIZ];
	struct core_nldev_request req;
	struct net_device *ndev;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, 0);
	if (ret)
		return ret;
	if (!req.tb[RDMA_NLDEV_ATTR_DEV_NAME] || !req.tb[RDMA_NLDEV_ATTR_LINK_TYPE] ||
	    !req.tb[RDMA_NLDEV_ATTR_NDEV_NAME])
		return -EINVAL;

	nla_strscpy(name, req.tb[RDMA_NLDEV_ATTR_DEV_NAME], sizeof(name));
	nla_strscpy(type, req.tb[RDMA_NLDEV_ATTR_LINK_TYPE], sizeof(type));
	nla_strscpy(ndev_name, req.tb[RDMA_NLDEV_ATTR_NDEV_NAME], sizeof(ndev_name));
	/* A pattern is for drivers to choose, not for users. */
	if (!name[0] || strchr(name, '%'))
		return -EINVAL;

	ndev = dev_get_by_name(sock_net(skb->sk), ndev_name);
	if (!ndev)
		return -ENODEV;
	ret = call_newlink(type, name, ndev);
	dev_put(ndev);
	return ret;
}

int core_nldev_link_del(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, CORE_NLDEV_DEV);
	if (ret)
		return ret;
	if (!(req.dev->attrs.kernel_cap_flags & IBK_ALLOW_USER_UNREG)) {
		core_nldev_end(&req);
		return -EINVAL;
	}
	ib_unregister_device_and_put(req.dev);
	return 0;
}
