// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_ud_pingpong - a ping-pong of datagrams. */
#include "pingpong.h"

static const struct pp_kind kind = {
	.name = "ibv_ud_pingpong", .type = IBV_QPT_UD, .srq = false, .size = 1024,
};

int main(int argc, char **argv)
{
	return pp_main(argc, argv, &kind);
}
