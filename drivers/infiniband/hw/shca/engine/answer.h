/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * answer.h - acknowledges and responses that packets bring.
 */
#ifndef ENG_ANSWER_H
#define ENG_ANSWER_H

#include "packet.h"
#include "types.h"

/*
 * A response or acknowledge arrived; @segs hold its @length bytes of payload.  True: it is a
 * response whose turn has not come, and that nothing was made of.
 */
ENG_PRIVATE bool eng_answer_packet(struct eng_qp *qp, const struct eng_header *h,
				   const struct eng_seg *segs, u32 count, u32 length);

#endif
