// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * crc.c - the CRC that covers packets.  udp_tx.c and udp_rx.c call in; the kernel's crypto API
 * supplies what is best on this machine (PCLMULQDQ on x86), its CRC library what is short.
 *
 * What is best is measured once: where carry-less multiplication is emulated, tables are faster.
 */
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "crc.h"

/* Below it the call into a provider, which saves vector registers, costs more than it gains. */
#define WORTH_A_PROVIDER	64

static struct crypto_shash *provider;

/* What one comparison takes the CRC of, and how often; the shortest time counts. */
#define TRIAL_BYTES		4096
#define TRIALS			8

static u32 update_by_provider(u32 crc, const void *p, unsigned int n)
{
	struct {
		struct shash_desc desc;
		u32 crc;
	} state;

	state.desc.tfm = provider;
	state.crc = crc;
	/* Cannot fail: it is a plain function of these bytes. */
	crypto_shash_update(&state.desc, p, n);
	return state.crc;
}

u32 shca_crc_update(u32 crc, const void *p, unsigned int n)
{
	if (n < WORTH_A_PROVIDER || !provider)
		return crc32_le(crc, p, n);
	return update_by_provider(crc, p, n);
}

static bool provider_is_slower(void)
{
	u8 *bytes = kzalloc(TRIAL_BYTES, GFP_KERNEL);
	u64 start, middle, by_provider = U64_MAX, by_library = U64_MAX;
	u32 crc = ~0u;
	int i;

	if (!bytes)
		return false;
	for (i = 0; i < TRIALS; i++) {
		start = ktime_get_ns();
		crc = update_by_provider(crc, bytes, TRIAL_BYTES);
		middle = ktime_get_ns();
		crc = crc32_le(crc, bytes, TRIAL_BYTES);
		by_provider = min(by_provider, middle - start);
		by_library = min(by_library, ktime_get_ns() - middle);
	}
	kfree(bytes);
	pr_debug("CRC of %u bytes: %llu ns by the provider, %llu ns by the library (%08x)\n",
		 TRIAL_BYTES, by_provider, by_library, crc);
	return by_library < by_provider;
}

static void forget_provider(void)
{
	crypto_free_shash(provider);
	provider = NULL;
}

void shca_crc_start(void)
{
	provider = crypto_alloc_shash("crc32", 0, 0);
	/* Without one, or with one that keeps its state elsewhere, the library serves. */
	if (IS_ERR(provider))
		provider = NULL;
	else if (crypto_shash_descsize(provider) != sizeof(u32) || provider_is_slower())
		forget_provider();
}

void shca_crc_stop(void)
{
	if (provider)
		forget_provider();
}
