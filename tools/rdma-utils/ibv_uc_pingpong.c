// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_uc_pingpong - a ping-pong over an unreliable connection. */
#include "pp_main.h"

static const struct pp_kind kind = {
	.name = "ibv_uc_pingpong", .letters = "pdismrnlegc", .type = IBV_QPT_UC,
	.srq = false, .mtu = IBV_MTU_1024, .size = 4096, .iterations = 1000,
};

int main(int argc, char **argv)
{
	return pp_main(argc, argv, &kind);
}
