/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * grammar.h - one program: calls of verbs on objects that exist, as the tape decides.
 */
#ifndef FUZZ_GRAMMAR_H
#define FUZZ_GRAMMAR_H

#include <infiniband/verbs.h>

/* Plays the tape on this device until it ends; step() is called after each call of a verb. */
void grammar_play(struct ibv_device *device, void (*step)(void));

#endif
