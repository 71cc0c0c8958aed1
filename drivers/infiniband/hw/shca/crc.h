/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * crc.h - the 32-bit CRC of the ICRC, by the fastest provider of this kernel.
 */
#ifndef SHCA_CRC_H
#define SHCA_CRC_H

#include <linux/types.h>

void shca_crc_start(void);
void shca_crc_stop(void);

/* Carries @crc (not inverted, at either end) on over @n bytes.  Task context or soft interrupt. */
u32 shca_crc_update(u32 crc, const void *p, unsigned int n);

#endif
