// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_srq_pingpong - a ping-pong over many connections that share one receive queue. */
#include "pingpong.h"

static const struct pp_kind kind = {
	.name = "ibv_srq_pingpong", .type = IBV_QPT_RC, .srq = true, .size = 4096,
};

int main(int argc, char **argv)
{
	return pp_main(argc, argv, &kind);
}
