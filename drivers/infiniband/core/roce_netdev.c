// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Hears of netdevs and addresses that come, change and go, and brings the GID tables up to date.
 *
 * Notifications arrive under the RTNL or in softirq, so they only leave a note; one work item at a
 * time takes the notes in order and lets roce_apply.c look at what is true by then. When notes
 * pile up, or there is no memory for one, everything is scanned instead: nothing gets lost and the
 * queue stays bounded.
 *
 * Why a note may hold its netdev: the work item takes no lock that an unregistering netdev's
 * owner holds (netdev_wait_allrefs runs without the RTNL), so each note ends.
 */
#include <linux/if_arp.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>

#include "roce_netdev.h"
#include "core_priv.h"
#include "roce_apply.h"

#define MAX_NOTES 4096	/* notes waiting; beyond, one scan of everything replaces them */

enum note_kind {
	NOTE_ADDRESS,	/* one address of ndev came or went */
	NOTE_NETDEV,	/* ndev came or went */
	NOTE_MAC,	/* ndev has another MAC */
	NOTE_STACK,	/* what ndev stands on, or what stands on it, changed */
};

struct note {
	struct list_head list;
	enum note_kind kind;
	struct net_device *ndev;
	netdevice_tracker tracker;
	union ib_gid gid;
};

/* Protects notes, num_notes and scan_wanted. Taken in any context. */
static DEFINE_SPINLOCK(notes_lock);
static LIST_HEAD(notes);
static unsigned int num_notes;
static bool scan_wanted;

static struct workqueue_struct *roce_wq;

static void drop_note(struct note *note)
{
	netdev_put(note->ndev, &note->tracker);
	kfree(note);
}

static struct note *take_note(bool *scan)
{
	struct note *note;

	spin_lock_irq(&notes_lock);
	*scan = scan_wanted;
	scan_wanted = false;
	note = list_first_entry_or_null(&notes, struct note, list);
	if (note) {
		list_del(&note->list);
		num_notes--;
	}
	spin_unlock_irq(&notes_lock);
	return note;
}

/* What the work item does with a note. */
typedef void (*apply_fn)(struct ib_device *dev, struct net_device *ndev,
			 const union ib_gid *gid);

static void apply_to_all(struct net_device *ndev, const union ib_gid *gid, apply_fn apply)
{
	unsigned long index = 0;
	struct ib_device *dev;

	while ((dev = core_device_next(NULL, &index))) {
		apply(dev, ndev, gid);
		ib_device_put(dev);
	}
}

static void apply_netdev(struct ib_device *dev, struct net_device *ndev, const union ib_gid *gid)
{
	core_roce_apply_netdev(dev, ndev);
}

static void apply_new_mac(struct ib_device *dev, struct net_device *ndev,
			  const union ib_gid *gid)
{
	core_roce_apply_new_mac(dev, ndev);
}

/* A netdev found while walking a stack of netdevs, held. */
struct found {
	struct list_head list;
	struct net_device *ndev;
};

static int remember(struct net_device *ndev, struct netdev_nested_priv *priv)
{
	struct list_head *stack = priv->data;
	struct found *found = kmalloc(sizeof(*found), GFP_ATOMIC);

	if (!found)
		return -ENOMEM;
	dev_hold(ndev);
	found->ndev = ndev;
	list_add_tail(&found->list, stack);
	return 0;
}

/* ndev and all that it is connected to, above and below. */
static void apply_stack(struct net_device *ndev)
{
	LIST_HEAD(stack);
	struct netdev_nested_priv priv = { .data = &stack };
	struct found *found, *next;
	int ret;

	rcu_read_lock();
	ret = netdev_walk_all_lower_dev_rcu(ndev, remember, &priv);
	if (!ret)
		ret = netdev_walk_all_upper_dev_rcu(ndev, remember, &priv);
	rcu_read_unlock();
	if (ret)
		core_roce_rescan_all();

	apply_to_all(ndev, NULL, apply_netdev);
	list_for_each_entry_safe(found, next, &stack, list) {
		apply_to_all(found->ndev, NULL, apply_netdev);
		dev_put(found->ndev);
		kfree(found);
	}
}

static void rescan(struct ib_device *dev, struct net_device *ndev, const union ib_gid *gid)
{
	rdma_roce_rescan_device(dev);
}

static void apply_note(struct note *note)
{
	switch (note->kind) {
	case NOTE_ADDRESS:
		apply_to_all(note->ndev, &note->gid, core_roce_apply_address);
		break;
	case NOTE_NETDEV:
		apply_to_all(note->ndev, NULL, apply_netdev);
		break;
	case NOTE_MAC:
		apply_to_all(note->ndev, NULL, apply_new_mac);
		break;
	case NOTE_STACK:
		apply_stack(note->ndev);
		break;
	}
}

static void work_off_notes(struct work_struct *work)
{
	struct note *note;
	bool scan;

	do {
		note = take_note(&scan);
		if (scan)
			apply_to_all(NULL, NULL, rescan);
		if (note) {
			apply_note(note);
			drop_note(note);
		}
		cond_resched();
	} while (note || scan);
}

static DECLARE_WORK(roce_work, work_off_notes);

void core_roce_rescan_all(void)
{
	unsigned long flags;

	spin_lock_irqsave(&notes_lock, flags);
	scan_wanted = true;
	spin_unlock_irqrestore(&notes_lock, flags);
	queue_work(roce_wq, &roce_work);
}

static void leave_note(enum note_kind kind, struct net_device *ndev, const union ib_gid *gid)
{
	struct note *note = kzalloc(sizeof(*note), GFP_ATOMIC);
	unsigned long flags;
	bool full;

	if (!note) {
		core_roce_rescan_all();
		return;
	}
	note->kind = kind;
	note->ndev = ndev;
	if (gid)
		note->gid = *gid;
	netdev_hold(ndev, &note->tracker, GFP_ATOMIC);

	spin_lock_irqsave(&notes_lock, flags);
	full = num_notes >= MAX_NOTES;
	if (!full) {
		list_add_tail(&note->list, &notes);
		num_notes++;
	}
	spin_unlock_irqrestore(&notes_lock, flags);

	if (full) {
		drop_note(note);
		core_roce_rescan_all();
	} else {
		queue_work(roce_wq, &roce_work);
	}
}

static int on_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct netdev_notifier_changeupper_info *upper;

	if (ndev->type != ARPHRD_ETHER)
		return NOTIFY_DONE;

	switch (event) {
	case NETDEV_REGISTER:
	case NETDEV_UNREGISTER:
	case NETDEV_UP:
		leave_note(NOTE_NETDEV, ndev, NULL);
		break;
	case NETDEV_CHANGEADDR:
		leave_note(NOTE_MAC, ndev, NULL);
		break;
	case NETDEV_BONDING_FAILOVER:
		leave_note(NOTE_STACK, ndev, NULL);
		break;
	case NETDEV_CHANGEUPPER:
		/* When the link was cut, the former upper is no more found from here. */
		upper = ptr;
		leave_note(NOTE_STACK, ndev, NULL);
		leave_note(NOTE_STACK, upper->upper_dev, NULL);
		break;
	}
	return NOTIFY_DONE;
}

static int on_inet_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	const struct in_ifaddr *ifa = ptr;
	struct net_device *ndev = ifa->ifa_dev->dev;
	union ib_gid gid;

	if (ndev->type != ARPHRD_ETHER || (event != NETDEV_UP && event != NETDEV_DOWN))
		return NOTIFY_DONE;
	ipv6_addr_set_v4mapped(ifa->ifa_local, (struct in6_addr *)&gid);
	leave_note(NOTE_ADDRESS, ndev, &gid);
	return NOTIFY_DONE;
}

/* Softirq, when a router advertisement brings the address. */
static int on_inet6_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	const struct inet6_ifaddr *ifa = ptr;
	struct net_device *ndev = ifa->idev->dev;
	union ib_gid gid;

	if (ndev->type != ARPHRD_ETHER || (event != NETDEV_UP && event != NETDEV_DOWN))
		return NOTIFY_DONE;
	memcpy(&gid, &ifa->addr, sizeof(gid));
	leave_note(NOTE_ADDRESS, ndev, &gid);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_nb = { .notifier_call = on_netdev_event };
static struct notifier_block inet_nb = { .notifier_call = on_inet_event };
static struct notifier_block inet6_nb = { .notifier_call = on_inet6_event };

void rdma_roce_rescan_device(struct ib_device *ib_dev)
{
	struct net_device *ndev;
	struct net *net;

	core_roce_apply_departed(ib_dev);

	rtnl_lock();
	down_read(&net_rwsem);
	for_each_net(net)
		for_each_netdev(net, ndev)
			if (ndev->type == ARPHRD_ETHER)
				core_roce_apply_netdev(ib_dev, ndev);
	up_read(&net_rwsem);
	rtnl_unlock();
}
EXPORT_SYMBOL(rdma_roce_rescan_device);

int core_roce_init(void)
{
	int ret;

	roce_wq = alloc_ordered_workqueue("ib_core_gid", 0);
	if (!roce_wq)
		return -ENOMEM;

	ret = register_inetaddr_notifier(&inet_nb);
	if (ret)
		goto destroy_wq;
	/* Part of the kernel proper, whether or not IPv6 is there or switched on. */
	ret = register_inet6addr_notifier(&inet6_nb);
	if (ret)
		goto unregister_inet;
	/* Last, because it replays the netdevs that exist. */
	ret = register_netdevice_notifier(&netdev_nb);
	if (ret)
		goto unregister_inet6;
	return 0;

unregister_inet6:
	unregister_inet6addr_notifier(&inet6_nb);
unregister_inet:
	unregister_inetaddr_notifier(&inet_nb);
destroy_wq:
	destroy_workqueue(roce_wq);
	return ret;
}

void core_roce_exit(void)
{
	unregister_netdevice_notifier(&netdev_nb);
	unregister_inet6addr_notifier(&inet6_nb);
	unregister_inetaddr_notifier(&inet_nb);
	/* Runs the notes that are left, which then let go of their netdevs. */
	destroy_workqueue(roce_wq);
}
