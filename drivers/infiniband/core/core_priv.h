/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The private face of ib_core: what its files offer one another. Everything public is declared by
 * the kernel's own <rdma/...> headers.
 *
 * Lock order, outermost first:
 *
 *   ib_device.unregistration_lock
 *   core_registry_mutex       who is registered: held over client->add() and ->remove(), never
 *                             taken under RTNL
 *   core_netns_rwsem          shared or exclusive mode, the set of network namespaces
 *   rtnl
 *   core_devices_rwsem        the table of devices: names, indices, the "registered" mark
 *   core_clients_rwsem        the table of clients
 *   ib_device.client_data_rwsem
 *   ib_device.compat_devs_mutex
 *   ib_device.event_handler_rwsem
 *   (spinlocks) cache_lock, netdev_lock, qp_open_list_lock, cq_pools_lock, xa_lock of restrack
 *
 * Life of an ib_device: allocated (kref of dev.kobj) -> registered (refcount 1 belongs to the
 * registration; ib_device_try_get() adds to it) -> unregistering (clients gone, last refcount put,
 * unreg_completion) -> unregistered (name and index gone) -> dealloc_driver -> memory freed by RCU
 * when the last get_device() reference goes.
 */
#ifndef _CORE_PRIV_H
#define _CORE_PRIV_H

#include <linux/rwsem.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#include "core_uverbs.h"

struct sock;
struct rdma_ah_attr;

/* device.c: the table. Lookups return a registered device with ib_device_try_get() done. */
extern struct mutex core_registry_mutex;
/* class.c; core_device_release is the class's dev_release. */
extern struct class core_device_class;
void core_class_init_device(struct ib_core_device *coredev, struct ib_device *owner,
			    struct net *net);
int core_class_rename(struct device *device, const char *name);
void core_device_release(struct device *device);

struct ib_device *core_device_get_by_index(const struct net *net, u32 index);
/*
 * Iterates over registered devices that @net may see (NULL: all), without holding any lock
 * between the calls: returns the next device at or after *index with a reference and sets
 * *index one behind it, or NULL at the end. The caller does ib_device_put().
 */
struct ib_device *core_device_next(const struct net *net, unsigned long *index);
int core_device_rename(struct ib_device *dev, const char *name);
int core_device_set_dim(struct ib_device *dev, u8 use_dim);
void core_device_exit(void);
/* The next device of this driver in whatever state, with get_device() done. */
struct ib_device *core_device_next_of_driver(enum rdma_driver_id driver_id, unsigned long *index);
/* Name and index reserved or given back; and whether lookups find the device. */
int core_device_assign_name(struct ib_device *dev, const char *name);
void core_device_forget(struct ib_device *dev);
void core_device_mark(struct ib_device *dev, bool registered);

/* device_register.c, device_unregister.c */
void core_device_unregister(struct ib_device *dev, bool free_device);
void core_device_unregister_work(struct work_struct *work);
int core_device_unregister_init(void);
void core_device_unregister_exit(void);

/* port.c */
int core_port_data_alloc(struct ib_device *dev);
void core_port_data_free(struct ib_device *dev);
int core_port_immutable_setup(struct ib_device *dev);

/* client.c: all but the first with core_registry_mutex held. */
int core_client_nl_info(struct ib_device *dev, const char *client_name,
			struct ib_client_nl_info *res);
void core_client_rename(struct ib_device *dev);
/* -ENOMEM when a client had no memory for it; the others are on it. May be called again. */
int core_client_add_all(struct ib_device *dev);
void core_client_remove_all(struct ib_device *dev);

/* event.c */
int core_event_init(void);
void core_event_exit(void);

/* netdev.c: which net device a port stands on. The netdev comes with dev_hold(). */
struct net_device *core_netdev_get(struct ib_device *dev, u32 port);
/* Calls fn for each port of @dev that has @filter (NULL: any) as its netdev; RoCE ports only. */
typedef void (*core_netdev_fn)(struct ib_device *dev, u32 port, struct net_device *ndev,
			       void *arg);
void core_netdev_for_each_roce_port(struct ib_device *dev, struct net_device *filter,
				    core_netdev_fn fn, void *arg);
void core_netdev_release(struct ib_device *dev);

/* netns.c */
struct core_netns {
	possible_net_t net;
	u32 id;			/* index into each device's compat_devs */
	struct sock *nl_sock;	/* NETLINK_RDMA, owned by netlink.c */
};

struct core_netns *core_netns_of(struct net *net);
bool core_netns_is_shared(void);
int core_netns_set_shared(bool shared);
/* Moves a device to the namespace that the file descriptor names; the caller checked rights. */
int core_netns_move(struct net *from, struct ib_device *dev, int ns_fd);
int core_netns_add_compat(struct ib_device *dev);
void core_netns_remove_compat(struct ib_device *dev);
void core_netns_rename_compat(struct ib_device *dev);
int core_netns_init(void);
void core_netns_exit(void);

/*
 * restrack.c. Each of dev->res[type] is such a root. Walk xa under its xa_lock and hold an entry
 * with rdma_restrack_get() before the lock is dropped; hidden entries read back as NULL.
 */
struct rdma_restrack_root {
	struct xarray xa;
	u32 next_id;
	unsigned long parked;	/* the number that became free last, plus one; 0: none */
};

struct rdma_restrack_root *core_restrack_alloc(void);
void core_restrack_free(struct ib_device *dev);
struct ib_device *core_restrack_device(struct rdma_restrack_entry *res);
struct core_restrack_ticket {
	struct rdma_restrack_root *root;	/* NULL: was not shown */
	u32 id;
	struct task_struct *task;
};

/* hide, then either rdma_restrack_abort_del() or, with the object freed, forget. */
void core_restrack_hide(struct rdma_restrack_entry *res, struct core_restrack_ticket *ticket);
void core_restrack_forget(struct core_restrack_ticket *ticket);

/* cgroup.c */
void core_cgroup_register(struct ib_device *dev);
void core_cgroup_unregister(struct ib_device *dev);

/* cq_poll.c, cq_pool.c */
int core_cq_poll_init(void);
void core_cq_poll_exit(void);
void core_cq_pool_init(struct ib_device *dev);
void core_cq_pool_cleanup(struct ib_device *dev);

/* qp_shared.c */
struct ib_qp *core_qp_shared_create(struct ib_qp *real_qp, struct ib_qp_init_attr *attr);
int core_qp_shared_destroy(struct ib_qp *qp);

/*
 * ah_attr.c. fill() checks an address and takes a reference on the source GID it names, unless the
 * caller did; unfill() undoes that. keep() is the reference that a QP or AH has until the next one:
 * two calls that change one QP at once may not both put the old one.
 */
int core_ah_fill_sgid(struct ib_device *dev, struct rdma_ah_attr *attr,
		      const struct ib_gid_attr **old_sgid);
void core_ah_unfill_sgid(struct rdma_ah_attr *attr, const struct ib_gid_attr *old_sgid);
void core_ah_keep_sgid(const struct rdma_ah_attr *attr, const struct ib_gid_attr **kept);

/* roce_l2.c: dmac and hop limit of a filled RoCE address. May sleep for a neighbour to answer. */
int core_roce_l2_resolve(struct ib_device *dev, struct rdma_ah_attr *attr);
int core_roce_l2_init(void);
void core_roce_l2_exit(void);

#endif
