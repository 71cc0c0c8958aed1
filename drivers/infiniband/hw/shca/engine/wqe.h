/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * wqe.h - from bytes in a send ring to a slot.
 */
#ifndef ENG_WQE_H
#define ENG_WQE_H

#include "types.h"

/* Decodes @entry, which the process may change meanwhile, into @slot; slot->status says what is
 * wrong with it. */
ENG_PRIVATE void eng_wqe_decode(struct eng_qp *qp, struct eng_slot *slot, const u8 *entry);

#endif
