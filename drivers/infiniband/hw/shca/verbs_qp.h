/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * verbs_qp.h - queue pairs, as the engine's callbacks and route.c need them.
 */
#ifndef SHCA_VERBS_QP_H
#define SHCA_VERBS_QP_H

#include <rdma/ib_verbs.h>

struct eng_qp;
struct shca_qp;

int shca_verbs_qp_start(void);
void shca_verbs_qp_stop(void);

void shca_verbs_qp_idle(struct eng_qp *qp);

/* Decides again whether there is a direct link to the peer; the caller counts the engine QP. */
void shca_verbs_qp_reroute(struct shca_qp *qp);

/* verbs_qp_modify.c */
int shca_verbs_qp_modify(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata);

#endif
