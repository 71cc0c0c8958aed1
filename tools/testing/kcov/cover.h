/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * cover.h - which places of our modules were reached, by KCOV.
 */
#ifndef FUZZ_COVER_H
#define FUZZ_COVER_H

#include <stdbool.h>
#include <stdint.h>

/* In the parent, before any child: where the modules are, and the map that all share. */
bool cover_find_modules(void);
/* In a child, for its own thread. */
bool cover_begin(void);
/* What was reached since the last time; returns how many places nobody had reached before. */
unsigned int cover_collect(void);
/* Writes the offsets reached to FOLDER/<module>.pcs; returns how many there are. */
unsigned int cover_save(const char *folder);

#endif
