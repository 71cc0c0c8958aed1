// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_rc_pingpong - a ping-pong over a reliable connection. */
#include "pp_main.h"

static const struct pp_kind kind = {
	.name = "ibv_rc_pingpong", .letters = "pdismrnlegoOPtcjN", .type = IBV_QPT_RC,
	.srq = false, .mtu = IBV_MTU_1024, .size = 4096, .iterations = 1000,
};

int main(int argc, char **argv)
{
	return pp_main(argc, argv, &kind);
}
