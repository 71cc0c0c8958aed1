/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * model.h - between the files of the model.
 */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "traffic.h"

/* model_receive.c */
void sim_model_judge_receive(struct end *e, const struct shca_cqe *wc);

#endif
