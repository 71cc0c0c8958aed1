/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * verbs_mr.h - what keys stand for: regions of users (verbs_mr.c), windows (verbs_mw.c), regions of
 * kernel consumers that are filled by work requests (verbs_fast.c).
 */
#ifndef SHCA_VERBS_MR_H
#define SHCA_VERBS_MR_H

#include "shca.h"

/* One meaning of a key.  The engine counts it and reads it under RCU. */
struct shca_region {
	struct eng_mr eng;
	struct ib_umem *umem;		/* NULL: kernel memory, or none of its own */
	u8 **blocks;
	struct completion idle;
	struct rcu_head rcu;
};

void shca_verbs_mr_idle(struct eng_mr *mr);
/* A new key, or -ENOMEM. */
int shca_verbs_mr_alloc_key(struct shca_dev *dev, u32 *key);
struct shca_region *shca_verbs_mr_alloc_region(struct ib_pd *pd, u32 key, int access);
/* Nobody of the engine refers to it any more; lookups may still read the struct. */
void shca_verbs_mr_free_region(struct shca_region *region);
/* Makes an ib_mr of @region: takes it over, or frees it. */
struct ib_mr *shca_verbs_mr_make(struct shca_dev *dev, struct shca_region *region);
/* Ends the meaning of a published key, sleeps until nobody uses it, frees it. */
void shca_verbs_mr_retire_region(struct shca_dev *dev, struct shca_region *region);

#endif
