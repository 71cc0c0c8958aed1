/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * null.h - the region that is nowhere.
 */
#ifndef SHCA_NULL_H
#define SHCA_NULL_H

struct shca_dev;

int shca_null_create(struct shca_dev *dev);
void shca_null_destroy(struct shca_dev *dev);

#endif
