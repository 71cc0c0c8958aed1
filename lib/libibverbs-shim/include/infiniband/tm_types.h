/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* tm_types.h - headers of messages to tag matching receive queues, as on the wire. */
#ifndef INFINIBAND_TM_TYPES_H
#define INFINIBAND_TM_TYPES_H

#include <stdint.h>
#include <linux/types.h>

enum ibv_tmh_op {
	IBV_TMH_NO_TAG,
	IBV_TMH_RNDV,
	IBV_TMH_FIN,
	IBV_TMH_EAGER,
};

/* First in each message. */
struct ibv_tmh {
	uint8_t opcode;		/* enum ibv_tmh_op */
	uint8_t reserved[3];	/* zero */
	__be32 app_ctx;		/* the program's own */
	__be64 tag;
};

/* Second in a rendezvous: where the data is to be read from. */
struct ibv_rvh {
	__be64 va;
	__be32 rkey;
	__be32 len;		/* bytes */
};

#endif
