/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * repair.h - what is sent again when a packet is missing at the far end.
 */
#ifndef ENG_REPAIR_H
#define ENG_REPAIR_H

#include "psn.h"
#include "types.h"

/* The far end says that @oldest is missing. */
ENG_PRIVATE void eng_repair_gap(struct eng_qp *qp, u32 oldest);
/* Of the responses before @end some are missing here. */
ENG_PRIVATE void eng_repair_ask(struct eng_qp *qp, u32 end);
/* It acknowledged what is behind the oldest packet now, and nothing more. */
ENG_PRIVATE void eng_repair_answered(struct eng_qp *qp);
/* The oldest packet is another one than before. */
ENG_PRIVATE void eng_repair_progress(struct eng_qp *qp);
/* The oldest packet went again, alone, and took @psns. */
ENG_PRIVATE void eng_repair_probed(struct eng_qp *qp, u32 psns);
/* The request that has packet @psn, and which of its packets that is; NULL: there is none. */
ENG_PRIVATE struct eng_slot *eng_repair_slot(const struct eng_qp *qp, u32 psn, u32 *done);
/* Sends what is due.  False: not all of it for now. */
ENG_PRIVATE bool eng_repair_send(struct eng_qp *qp, struct eng_runq *rq);

/* Are there packets of a repair that were not sent yet? */
static inline bool eng_repair_open(const struct eng_sender *out)
{
	return out->repairing && eng_psn_diff(out->repair_end, out->repair_nxt) > 0;
}

/* Are there responses that were not asked for again yet? */
static inline bool eng_repair_asks(const struct eng_sender *out)
{
	return out->asking && eng_psn_diff(out->ask_end, out->asked_end) > 0;
}

static inline bool eng_repair_due(const struct eng_sender *out)
{
	return env_unlikely(out->repairing || out->asking) &&
	       (eng_repair_open(out) || eng_repair_asks(out));
}

/* Sending everything again, from the oldest packet on, needs no repair. */
static inline void eng_repair_stop(struct eng_sender *out)
{
	out->repairing = out->asking = false;
}

#endif
