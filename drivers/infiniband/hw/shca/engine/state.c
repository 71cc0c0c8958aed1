// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * state.c - where a QP's state changes, and what the process sees of it.
 *
 * Called by modify and by whoever meets an error, with the QP owned.
 */
#include "state.h"

void eng_state_set(struct eng_qp *qp, enum eng_qp_state state)
{
	env_trace_state(qp->qpn, (u8)qp->attr.state, (u8)state);
	qp->attr.state = state;
	if (!qp->shared)
		return;
	env_write(qp->shared->state, (u32)state);
	/* Pairs with the barrier of a late post_recv: one of us sees the other, shca-abi.h. */
	env_mb();
}

void eng_state_error(struct eng_qp *qp)
{
	if (eng_state(qp) == ENG_QPS_ERR || eng_state(qp) == ENG_QPS_RESET)
		return;
	eng_state_set(qp, ENG_QPS_ERR);
}

void eng_state_error_event(struct eng_qp *qp, enum eng_event event)
{
	if (eng_state(qp) == ENG_QPS_ERR || eng_state(qp) == ENG_QPS_RESET)
		return;
	eng_state_set(qp, ENG_QPS_ERR);
	qp->dev->ops->qp_event(qp, event);
}

void eng_state_send_error(struct eng_qp *qp)
{
	if (qp->type == ENG_QPT_RC)
		eng_state_error(qp);
	else if (eng_state(qp) == ENG_QPS_RTS || eng_state(qp) == ENG_QPS_SQD)
		eng_state_set(qp, ENG_QPS_SQE);
}
