/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ah.h - address handles as the requester uses them.
 */
#ifndef ENG_AH_H
#define ENG_AH_H

#include "objects.h"
#include "private.h"

/* A reference to AH @ahn of @pd, or NULL. */
ENG_PRIVATE struct eng_ah *eng_ah_get(struct eng_dev *dev, const struct eng_pd *pd, u32 ahn);
ENG_PRIVATE void eng_ah_put(struct eng_ah *ah);

#endif
