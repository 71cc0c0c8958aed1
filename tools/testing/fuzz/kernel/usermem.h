/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * usermem.h - the user memory that kernel.h's accessors see.
 */
#ifndef FUZZ_USERMEM_H
#define FUZZ_USERMEM_H

#include "kernel.h"

#define USERMEM_BASE	0x10000ul

/* @changes: 0, or what bytes are changed by after they were read. */
void usermem_set(const u8 *data, size_t size, u8 changes);

#endif
