// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * route.c - decides who is reached by the direct link.  The rooms of QP and AH ask at RTR and at
 * creation; events of netdev.c and of the GID table have connected QPs asked again.
 *
 * A destination is direct when its GID is in the table of a device of ours whose netdev lives in
 * the sender's network namespace, and that namespace calls the address local.  Link-local addresses
 * mean something on their own link only, so they are direct on the same netdev and nowhere else. 
 * Whether ports are up is not asked here: the engine looks at each emission.
 */
#include <linux/inetdevice.h>
#include <linux/moduleparam.h>
#include <linux/srcu.h>
#include <linux/workqueue.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <rdma/ib_cache.h>

#include "route.h"
#include "shca.h"
#include "verbs_qp.h"

/* Guards changes of devices; who looks is in devices_srcu, may sleep, and may look again inside. */
static DEFINE_MUTEX(devices_mutex);
DEFINE_STATIC_SRCU(devices_srcu);
static LIST_HEAD(devices);

static bool force_wire;
module_param(force_wire, bool, 0644);
MODULE_PARM_DESC(force_wire, "traffic between QPs of this host takes the wire, too");

static void look_again(struct work_struct *work);
static DECLARE_DELAYED_WORK(look_again_work, look_again);

/* Several events of one change are answered once, when routes and tables have settled. */
#define SETTLE_MS	10

void shca_route_add(struct shca_dev *dev)
{
	mutex_lock(&devices_mutex);
	list_add_tail_rcu(&dev->route_link, &devices);
	mutex_unlock(&devices_mutex);
}

void shca_route_remove(struct shca_dev *dev)
{
	mutex_lock(&devices_mutex);
	list_del_rcu(&dev->route_link);
	mutex_unlock(&devices_mutex);
	synchronize_srcu(&devices_srcu);
}

void shca_route_stop(void)
{
	cancel_delayed_work_sync(&look_again_work);
}

static bool has_gid(struct shca_dev *dev, const union ib_gid *gid)
{
	const struct ib_gid_attr *attr;

	attr = rdma_find_gid_by_port(&dev->ib, gid, IB_GID_TYPE_ROCE_UDP_ENCAP, SHCA_PORT, NULL);
	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	return true;
}

bool shca_route_forces_wire(void)
{
	return READ_ONCE(force_wire);
}

bool shca_route_is_local(struct net *net, const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return inet_addr_type(net, addr->s6_addr32[3]) == RTN_LOCAL;
	return IS_ENABLED(CONFIG_IPV6) && ipv6_chk_addr(net, addr, NULL, 0);
}

static bool is_local(struct shca_dev *from, struct shca_dev *to, const union ib_gid *gid)
{
	const struct in6_addr *addr = (const struct in6_addr *)gid->raw;
	struct net *net = dev_net(from->netdev);

	if (!net_eq(net, dev_net(to->netdev)))
		return false;
	if (ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL)
		return from == to;
	return shca_route_is_local(net, addr);
}

static bool is_direct(struct shca_dev *from, struct shca_dev *to, const union ib_gid *dgid)
{
	return has_gid(to, dgid) && is_local(from, to, dgid);
}

struct eng_dev *shca_route_find(struct shca_dev *dev, const union ib_gid *dgid)
{
	struct eng_dev *found = NULL;
	struct shca_dev *to;
	int idx;

	/* Most often a host talks to itself through one device. */
	if (is_direct(dev, dev, dgid)) {
		eng_dev_get(dev->eng);
		return dev->eng;
	}
	idx = srcu_read_lock(&devices_srcu);
	list_for_each_entry_srcu(to, &devices, route_link, srcu_read_lock_held(&devices_srcu)) {
		if (to == dev || !is_direct(dev, to, dgid))
			continue;
		eng_dev_get(to->eng);
		found = to->eng;
		break;
	}
	srcu_read_unlock(&devices_srcu, idx);
	return found;
}

static void look_again_at(struct shca_dev *dev)
{
	unsigned long qpn;
	void *entry;

	/* Entries may go while we walk: only numbers are taken from the table. */
	xa_for_each(&dev->qpns.table, qpn, entry) {
		struct eng_qp *eng = eng_qp_find(dev->eng, qpn);

		if (!eng)
			continue;
		shca_verbs_qp_reroute(eng_qp_host(eng));
		eng_qp_put(eng);
		cond_resched();
	}
}

static void look_again(struct work_struct *work)
{
	struct shca_dev *dev;
	int idx;

	idx = srcu_read_lock(&devices_srcu);
	list_for_each_entry_srcu(dev, &devices, route_link, srcu_read_lock_held(&devices_srcu))
		look_again_at(dev);
	srcu_read_unlock(&devices_srcu, idx);
}

void shca_route_changed(void)
{
	mod_delayed_work(system_wq, &look_again_work, msecs_to_jiffies(SETTLE_MS));
}
