// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * main_kunit.c - core_kunit.ko: ib_core's files, with their tests, as a module beside the real one.
 * Nothing of it starts; KUnit runs the suites when it is loaded. Stands in for main.c.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("Tests of ib_core's rooms");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION("1");
