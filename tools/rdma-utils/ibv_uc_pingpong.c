// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_uc_pingpong - a ping-pong over an unreliable connection. */
#include "pingpong.h"

static const struct pp_kind kind = {
	.name = "ibv_uc_pingpong", .type = IBV_QPT_UC, .srq = false, .size = 4096,
};

int main(int argc, char **argv)
{
	return pp_main(argc, argv, &kind);
}
