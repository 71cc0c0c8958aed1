/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * verbs_ah.h - address handles, as the engine's callback needs them.
 */
#ifndef SHCA_VERBS_AH_H
#define SHCA_VERBS_AH_H

struct eng_ah;
struct shca_path;
struct shca_ah;

/* The way over the wire; NULL: none. */
struct shca_path *shca_verbs_ah_path(const struct eng_ah *ah);
void shca_verbs_ah_idle(struct eng_ah *ah);
/* What datagram WQEs call it. */
u32 shca_verbs_ah_number(const struct shca_ah *ah);

#endif
