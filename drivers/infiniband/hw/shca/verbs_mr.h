/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * verbs_mr.h - memory regions, as the engine's callback needs them.
 */
#ifndef SHCA_VERBS_MR_H
#define SHCA_VERBS_MR_H

struct eng_mr;

void shca_verbs_mr_idle(struct eng_mr *mr);

#endif
