# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What guests on a debug kernel have in common. Sourced by check-debug, check-races and coverage.

# How much longer than on the stock kernel a program may take there.
SLOW=6

# No dummy netdev of the kernel's own, nobody blamed for emulation's pace, the timer's interrupt
# included.
PARAMETERS="dummy.numdummies=0 watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=180 log_buf_len=4M"
PARAMETERS+=" no_timer_check"

# Everything of ours that runs inside a kernel.
DEBUG_MODULES="core uverbs shca consumer core_kunit uverbs_kunit engine_kunit"
