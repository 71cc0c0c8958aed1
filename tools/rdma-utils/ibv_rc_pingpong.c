// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_rc_pingpong - a ping-pong over a reliable connection. */
#include "pingpong.h"

static const struct pp_kind kind = {
	.name = "ibv_rc_pingpong", .type = IBV_QPT_RC, .srq = false, .size = 4096,
};

int main(int argc, char **argv)
{
	return pp_main(argc, argv, &kind);
}
