// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ib_uverbs: verbs for user space. The list of what starts and stops. */
#include <linux/module.h>

#include "uverbs.h"

static int __init uverbs_main_start(void)
{
	return uverbs_device_start();
}

static void __exit uverbs_main_stop(void)
{
	uverbs_device_stop();
}

module_init(uverbs_main_start);
module_exit(uverbs_main_stop);

MODULE_DESCRIPTION("RDMA verbs for user space");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION("0.1");
