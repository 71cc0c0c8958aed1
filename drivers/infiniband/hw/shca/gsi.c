// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * gsi.c - does the core have management services?  verbs_device.c asks when a port is registered.
 *
 * A port that claims management datagrams gets a QP 1 made by the core's MAD services, and the
 * connection manager on top of them.  Cores without them know no such thing: there the port must
 * not promise what nobody would serve.  The reference below is weak, so the module loads on both,
 * and tells by itself which one it is on.
 */
#include <linux/moduleparam.h>
#include <rdma/ib_mad.h>

#include "gsi.h"

static bool gsi = true;
module_param(gsi, bool, 0444);
MODULE_PARM_DESC(gsi, "ports have queue pair 1, for connection managers, where the core serves it");

extern typeof(ib_register_mad_agent) ib_register_mad_agent __weak;

static bool core_has_mad(void)
{
	return ib_register_mad_agent != NULL;
}

void shca_gsi_describe(struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP | RDMA_CORE_CAP_ETH_AH;
	if (!gsi || !core_has_mad())
		return;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
}
