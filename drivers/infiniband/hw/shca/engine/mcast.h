/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * mcast.h - who is in a multicast group.
 */
#ifndef ENG_MCAST_H
#define ENG_MCAST_H

#include "objects.h"
#include "private.h"

/* Number of the first member above @after, 0: none.  QP numbers 0 and 1 are no members. */
ENG_PRIVATE u32 eng_mcast_next(struct eng_dev *dev, const u8 mgid[16], u32 after);
/* Takes a QP out of all its groups: it is being destroyed. */
ENG_PRIVATE void eng_mcast_forget(struct eng_dev *dev, u32 qpn);

#endif
