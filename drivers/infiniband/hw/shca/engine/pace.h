/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * pace.h - the rate limit of a QP's sends.
 */
#ifndef ENG_PACE_H
#define ENG_PACE_H

#include "types.h"

/* May a message of @bytes begin now?  True: it is charged; false: the step's timer is set. */
ENG_PRIVATE bool eng_pace_begin(struct eng_qp *qp, u32 bytes);

#endif
