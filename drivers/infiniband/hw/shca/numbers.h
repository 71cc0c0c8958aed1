/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * numbers.h - names for objects: QP, SRQ and AH numbers, memory keys.
 */
#ifndef SHCA_NUMBERS_H
#define SHCA_NUMBERS_H

#include <linux/xarray.h>

struct shca_numbers {
	struct xarray table;	/* number -> value given at allocation */
	u32 first, last;
	u32 next;		/* guarded by table's lock */
	u32 laps;		/* times next came round; racy reads are fine, see numbers.c */
};

void shca_numbers_init(struct shca_numbers *numbers, u32 first, u32 last);
/* 0, -ENOMEM, or -EBUSY when all are in use.  @value NULL reserves without a value. */
int shca_numbers_alloc(struct shca_numbers *numbers, void *value, u32 *number, gfp_t gfp);
/* One that is never handed out, below first: 0, -ENOMEM, -EBUSY. */
int shca_numbers_claim(struct shca_numbers *numbers, void *value, u32 number, gfp_t gfp);
/* As above, the number in the upper 24 bits and a tag that differs from the last use's below. */
int shca_numbers_alloc_key(struct shca_numbers *numbers, u32 *key, gfp_t gfp);
void shca_numbers_free(struct shca_numbers *numbers, u32 number);
void shca_numbers_destroy(struct shca_numbers *numbers);

#endif
