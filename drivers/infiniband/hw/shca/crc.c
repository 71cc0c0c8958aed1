// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * crc.c - the CRC that covers packets.  udp_tx.c and udp_rx.c call in; the kernel's crypto API
 * supplies what is best on this machine (PCLMULQDQ on x86), its CRC library what is short.
 */
#include <crypto/hash.h>
#include <linux/crc32.h>

#include "crc.h"

/* Below it the call into a provider, which saves vector registers, costs more than it gains. */
#define WORTH_A_PROVIDER	64

static struct crypto_shash *provider;

u32 shca_crc_update(u32 crc, const void *p, unsigned int n)
{
	struct {
		struct shash_desc desc;
		u32 crc;
	} state;

	if (n < WORTH_A_PROVIDER || !provider)
		return crc32_le(crc, p, n);
	state.desc.tfm = provider;
	state.crc = crc;
	/* Cannot fail: it is a plain function of these bytes. */
	crypto_shash_update(&state.desc, p, n);
	return state.crc;
}

void shca_crc_start(void)
{
	provider = crypto_alloc_shash("crc32", 0, 0);
	/* Without one, or with one that keeps its state elsewhere, the library serves. */
	if (IS_ERR(provider)) {
		provider = NULL;
	} else if (crypto_shash_descsize(provider) != sizeof(u32)) {
		crypto_free_shash(provider);
		provider = NULL;
	}
}

void shca_crc_stop(void)
{
	if (provider)
		crypto_free_shash(provider);
}
