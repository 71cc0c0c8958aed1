/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * xrc.h - receiving for many: the SRQ that a message names, of a target QP's domain.
 */
#ifndef ENG_XRC_H
#define ENG_XRC_H

#include "types.h"

/*
 * A target QP has no receive queue, CQ and protection domain of its own.  For as long as it works
 * on a request it has those of the SRQ that the request names (qp->srq, recv_cq, pd), counted; in
 * between it has none, so that an SRQ can be destroyed.
 */
static inline bool eng_xrc_target(const struct eng_qp *qp)
{
	return qp->xrc == ENG_XRC_TGT;
}

/* Takes SRQ @srqn, if it is there and of the same domain; else qp->srq stays NULL. */
ENG_PRIVATE void eng_xrc_enter(struct eng_qp *qp, u32 srqn);
ENG_PRIVATE void eng_xrc_leave(struct eng_qp *qp);
/* Does the message that @frame belongs to name the SRQ that was entered? */
ENG_PRIVATE bool eng_xrc_fits(const struct eng_qp *qp, const struct eng_frame *frame);
/* A receive of the SRQ that was entered is held now. */
ENG_PRIVATE void eng_xrc_taken(struct eng_qp *qp);
/* Before one is taken: what another SRQ gave and a message left unfinished goes back there. */
ENG_PRIVATE void eng_xrc_tidy(struct eng_qp *qp);
/* Returns a receive that was taken and will not be filled. */
ENG_PRIVATE void eng_xrc_flush(struct eng_qp *qp);

#endif
