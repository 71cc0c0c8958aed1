// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_srq_pingpong - a ping-pong over many connections that share one receive queue. */
#include "pp_main.h"

static const struct pp_kind kind = {
	.name = "ibv_srq_pingpong", .letters = "pdismqrnlegoc", .type = IBV_QPT_RC,
	.srq = true, .mtu = IBV_MTU_1024, .size = 4096, .iterations = 1000,
};

int main(int argc, char **argv)
{
	return pp_main(argc, argv, &kind);
}
