// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * groups.c - attaches QPs to multicast groups.  ib_core calls in; the engine is told who is a
 * member, and the netdev becomes one by IGMP or MLD, so that switches send the group's packets
 * here.  The network stack counts memberships, so each attachment takes one of its own.
 *
 * A netdev without addresses of that family cannot become a member; then the group is one of this
 * host only.
 */
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/ipv6.h>

#include "groups.h"
#include "shca.h"

struct membership {
	struct list_head link;		/* shca_qp.groups */
	struct in6_addr addr;
	bool on_netdev;			/* a membership of the netdev is ours */
};

static bool join_netdev(struct net_device *netdev, const struct in6_addr *addr)
{
	struct in_device *in_dev;
	bool joined = false;

	rtnl_lock();
	if (ipv6_addr_v4mapped(addr)) {
		in_dev = __in_dev_get_rtnl(netdev);
		if (in_dev)
			ip_mc_inc_group(in_dev, addr->s6_addr32[3]);
		joined = in_dev;
	} else if (IS_ENABLED(CONFIG_IPV6)) {
		joined = !ipv6_dev_mc_inc(netdev, addr);
	}
	rtnl_unlock();
	return joined;
}

static void leave_netdev(struct net_device *netdev, const struct in6_addr *addr)
{
	struct in_device *in_dev;

	rtnl_lock();
	if (ipv6_addr_v4mapped(addr)) {
		in_dev = __in_dev_get_rtnl(netdev);
		if (in_dev)
			ip_mc_dec_group(in_dev, addr->s6_addr32[3]);
	} else if (IS_ENABLED(CONFIG_IPV6)) {
		ipv6_dev_mc_dec(netdev, addr);
	}
	rtnl_unlock();
}

static struct membership *find(struct shca_qp *qp, const union ib_gid *gid)
{
	struct membership *membership;

	lockdep_assert_held(&qp->groups_mutex);
	list_for_each_entry(membership, &qp->groups, link)
		if (!memcmp(&membership->addr, gid->raw, sizeof(gid->raw)))
			return membership;
	return NULL;
}

static void leave(struct shca_qp *qp, struct membership *membership)
{
	list_del(&membership->link);
	if (membership->on_netdev)
		leave_netdev(shca_dev_of(qp->ib.device)->netdev, &membership->addr);
	kfree(membership);
}

/* Again and again is once. */
static int attach(struct shca_qp *qp, const union ib_gid *gid)
{
	struct membership *membership;
	int err;

	if (find(qp, gid))
		return 0;
	membership = kzalloc(sizeof(*membership), GFP_KERNEL_ACCOUNT);
	if (!membership)
		return -ENOMEM;
	err = eng_mcast_attach(qp->eng, gid->raw);
	if (err) {
		kfree(membership);
		return err;
	}
	memcpy(&membership->addr, gid->raw, sizeof(membership->addr));
	membership->on_netdev = join_netdev(shca_dev_of(qp->ib.device)->netdev, &membership->addr);
	list_add(&membership->link, &qp->groups);
	return 0;
}

int shca_groups_attach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct shca_qp *qp = container_of(ibqp, struct shca_qp, ib);
	int err;

	mutex_lock(&qp->groups_mutex);
	err = attach(qp, gid);
	mutex_unlock(&qp->groups_mutex);
	return err;
}

int shca_groups_detach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct shca_qp *qp = container_of(ibqp, struct shca_qp, ib);
	struct membership *membership;
	int err;

	mutex_lock(&qp->groups_mutex);
	membership = find(qp, gid);
	err = membership ? eng_mcast_detach(qp->eng, gid->raw) : -EINVAL;
	if (!err)
		leave(qp, membership);
	mutex_unlock(&qp->groups_mutex);
	return err;
}

void shca_groups_leave_all(struct shca_qp *qp)
{
	struct membership *membership, *next;

	mutex_lock(&qp->groups_mutex);
	list_for_each_entry_safe(membership, next, &qp->groups, link)
		leave(qp, membership);
	mutex_unlock(&qp->groups_mutex);
}
