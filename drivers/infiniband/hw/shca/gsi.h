/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * gsi.h - the general services interface: queue pair 1, and what the port says of it.
 */
#ifndef SHCA_GSI_H
#define SHCA_GSI_H

#include <rdma/ib_verbs.h>

/* Management datagrams come to this number (IBTA vol. 1, 3.9.2.2). */
#define SHCA_GSI_QPN	1

/* Fills in what a port can do with management datagrams, on the core that is there. */
void shca_gsi_describe(struct ib_port_immutable *immutable);

/* Kinds of QP whose work requests are datagrams. */
static inline bool shca_gsi_or_ud(enum ib_qp_type type)
{
	return type == IB_QPT_UD || type == IB_QPT_GSI;
}

#endif
