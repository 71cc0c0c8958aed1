/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * events.h - from the engine's events to those of ib_core.
 */
#ifndef SHCA_EVENTS_H
#define SHCA_EVENTS_H

#include "engine/engine.h"

void shca_events_cq_notify(struct eng_cq *cq);
void shca_events_cq(struct eng_cq *cq, enum eng_event event);
void shca_events_qp(struct eng_qp *qp, enum eng_event event);
void shca_events_srq(struct eng_srq *srq, enum eng_event event);

#endif
