// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_ud_pingpong - a ping-pong of datagrams. */
#include "pp_main.h"

static const struct pp_kind kind = {
	.name = "ibv_ud_pingpong", .letters = "pdisrnlegc", .type = IBV_QPT_UD,
	.srq = false, .mtu = IBV_MTU_1024, .size = 1024, .iterations = 1000,
};

int main(int argc, char **argv)
{
	return pp_main(argc, argv, &kind);
}
