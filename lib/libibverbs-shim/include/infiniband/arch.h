/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* arch.h - 64-bit byte order helpers of early programs; <endian.h> has them nowadays. */
#ifndef INFINIBAND_ARCH_H
#define INFINIBAND_ARCH_H

#include <endian.h>
#include <stdint.h>

#ifndef ntohll
static inline __attribute__((deprecated)) uint64_t htonll(uint64_t x)
{
	return htobe64(x);
}

static inline __attribute__((deprecated)) uint64_t ntohll(uint64_t x)
{
	return be64toh(x);
}

#define htonll htonll
#define ntohll ntohll
#endif

#endif
