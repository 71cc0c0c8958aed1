/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * state.h - a QP's state and its moves into the error states.
 */
#ifndef ENG_STATE_H
#define ENG_STATE_H

#include "types.h"

static inline enum eng_qp_state eng_state(const struct eng_qp *qp)
{
	return qp->attr.state;
}

/* States in which requests from peers are executed. */
static inline bool eng_state_receives(const struct eng_qp *qp)
{
	const u32 set = 1u << ENG_QPS_RTR | 1u << ENG_QPS_RTS | 1u << ENG_QPS_SQD |
			1u << ENG_QPS_SQE;

	return set >> qp->attr.state & 1;
}

ENG_PRIVATE void eng_state_set(struct eng_qp *qp, enum eng_qp_state state);
/* To ERR; both queues are flushed by the step that calls this, or the next one. */
ENG_PRIVATE void eng_state_error(struct eng_qp *qp);
/* To ERR with an affiliated event for it. */
ENG_PRIVATE void eng_state_error_event(struct eng_qp *qp, enum eng_event event);
/* A send request failed: ERR for RC, SQE for UC and UD (IBTA vol. 1, 10.3.1). */
ENG_PRIVATE void eng_state_send_error(struct eng_qp *qp);

#endif
