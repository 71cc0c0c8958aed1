// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ib_core.ko: the list of what starts with the module and stops, in reverse, with it.
 */
#include <linux/module.h>

#include "core_priv.h"
#include "gid.h"
#include "netlink.h"
#include "roce_netdev.h"

static int __init core_init(void)
{
	int ret;

	ret = core_event_init();
	if (ret)
		return ret;
	ret = core_cq_poll_init();
	if (ret)
		goto stop_events;
	ret = core_device_unregister_init();
	if (ret)
		goto stop_polling;
	ret = class_register(&core_device_class);
	if (ret)
		goto stop_unregister;
	ret = core_nl_init();
	if (ret)
		goto stop_class;
	ret = core_roce_l2_init();
	if (ret)
		goto stop_netlink;
	ret = core_netns_init();
	if (ret)
		goto stop_l2;
	ret = core_roce_init();
	if (ret)
		goto stop_netns;
	core_nldev_init();
	return 0;

stop_netns:
	core_netns_exit();
stop_l2:
	core_roce_l2_exit();
stop_netlink:
	core_nl_exit();
stop_class:
	class_unregister(&core_device_class);
stop_unregister:
	core_device_unregister_exit();
stop_polling:
	core_cq_poll_exit();
stop_events:
	core_event_exit();
	return ret;
}

static void __exit core_exit(void)
{
	core_nldev_exit();
	core_roce_exit();
	core_gid_exit();
	core_netns_exit();
	core_roce_l2_exit();
	core_nl_exit();
	class_unregister(&core_device_class);
	core_device_unregister_exit();
	core_cq_poll_exit();
	core_event_exit();
	core_device_exit();
	/* kfree_rcu() and call_rcu() of ours must have run before the code goes. */
	rcu_barrier();
}

module_init(core_init);
module_exit(core_exit);

MODULE_DESCRIPTION("RDMA core: devices, clients and verbs objects");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION("1.0");
