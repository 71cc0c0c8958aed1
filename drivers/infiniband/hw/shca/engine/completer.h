/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * completer.h - what comes home.
 */
#ifndef ENG_COMPLETER_H
#define ENG_COMPLETER_H

#include "types.h"

/* A frame of ours is back with its answer. */
ENG_PRIVATE void eng_completer_reply(struct eng_qp *qp, struct eng_frame *frame);
/* Only takes it home: slot and references are free, nothing completes. */
ENG_PRIVATE void eng_completer_home(struct eng_qp *qp, struct eng_frame *frame);

#endif
