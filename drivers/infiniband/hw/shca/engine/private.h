/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * private.h - how the rooms of the engine are linked to each other.
 *
 * Compiled one by one, their functions are external.  build.c makes one unit of them, where the
 * compiler sees all callers: there they are static, and the data path becomes a few functions.
 */
#ifndef ENG_PRIVATE_H
#define ENG_PRIVATE_H

#ifndef ENG_PRIVATE
#define ENG_PRIVATE
#endif

/* Small functions of the data path, which must not cost a call. */
#define ENG_INLINE	inline __attribute__((__always_inline__))
/* Functions of the packets' path, which the direct one must not be burdened with. */
#define ENG_APART	__attribute__((__noinline__))
/* Functions that no data path must be burdened with. */
#define ENG_COLD	__attribute__((__noinline__, __cold__))

#endif
