/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * groups.h - multicast groups that a QP is attached to.
 */
#ifndef SHCA_GROUPS_H
#define SHCA_GROUPS_H

#include <rdma/ib_verbs.h>

struct shca_qp;

/* attach_mcast and detach_mcast of the device. */
int shca_groups_attach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int shca_groups_detach(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
/* The QP is being destroyed. */
void shca_groups_leave_all(struct shca_qp *qp);

#endif
