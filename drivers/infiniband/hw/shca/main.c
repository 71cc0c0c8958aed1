// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * main.c - what starts and stops with the module, in order, undone in reverse.
 */
#include <linux/module.h>

#include "crc.h"
#include "link.h"
#include "netdev.h"
#include "route.h"
#include "runner.h"
#include "shca.h"
#include "udp_rx.h"
#include "udp_socket.h"
#include "verbs_qp.h"

static int __init shca_init(void)
{
	int err;

	err = shca_verbs_qp_start();
	if (err)
		return err;
	err = shca_runner_start();
	if (err)
		goto stop_qp;
	err = shca_udp_rx_start();
	if (err)
		goto stop_runner;
	err = shca_udp_socket_start();
	if (err)
		goto end_rx;
	err = shca_netdev_start();
	if (err)
		goto stop_socket;
	shca_crc_start();
	shca_link_start();
	return 0;

stop_socket:
	shca_udp_socket_stop();
end_rx:
	shca_udp_rx_end();
stop_runner:
	shca_runner_stop();
stop_qp:
	shca_verbs_qp_stop();
	return err;
}

static void __exit shca_exit(void)
{
	shca_link_stop();
	ib_unregister_driver((enum rdma_driver_id)SHCA_DRIVER_ID);
	shca_netdev_stop();
	shca_route_stop();
	shca_udp_socket_stop();
	shca_runner_stop();
	shca_udp_rx_end();
	shca_crc_stop();
	shca_verbs_qp_stop();
}

module_init(shca_init);
module_exit(shca_exit);

MODULE_DESCRIPTION("Software host channel adapter");
MODULE_VERSION("0.1");
MODULE_LICENSE("Dual BSD/GPL");
