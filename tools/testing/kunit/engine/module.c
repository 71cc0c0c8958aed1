// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * module.c - engine_kunit.ko has no start of its own: KUnit runs its suites when it is loaded.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("Tests of the shca engine inside the kernel");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION("1");
