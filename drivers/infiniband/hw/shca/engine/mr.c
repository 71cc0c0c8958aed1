// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * mr.c - memory regions: their keys, rights and end.
 *
 * The host publishes and retires; sge.c and the responder look up.  A region is found under RCU and
 * then counted; retire takes the key away first, so that the count only falls after that.
 */
#include "mr.h"
#include "engine.h"
#include "key.h"

int eng_mr_publish(struct eng_mr *mr)
{
	if (mr->kind == ENG_KEY_REGION) {
		env_ref_init(&mr->refs);
		mr->access |= ENG_ACCESS_LOCAL;
		mr->dead = 0;
	}
	return env_table_insert(&mr->dev->mrs, mr->key >> 8, mr);
}

int eng_mr_seal(struct eng_mr *mr)
{
	return env_cmpxchg(&mr->windows, 0, ENG_MR_SEALED) ? -ENV_EBUSY : 0;
}

void eng_mr_retire(struct eng_mr *mr)
{
	if (mr->kind == ENG_KEY_REGION)
		env_write(mr->dead, 1);
	env_table_erase(&mr->dev->mrs, mr->key >> 8);
	/* After the key is gone: whoever still sees the old generation reads under RCU. */
	(void)env_fetch_add(&mr->dev->mr_generation, 1);
	if (mr->kind == ENG_KEY_REGION)
		eng_mr_put(mr);
	else
		eng_key_retire(mr);
}

void eng_mr_replace(struct eng_mr *old, struct eng_mr *mr)
{
	ENV_ASSERT(old->key == mr->key);
	env_ref_init(&mr->refs);
	mr->access |= ENG_ACCESS_LOCAL;
	mr->dead = 0;
	env_write(old->dead, 1);
	env_table_replace(&mr->dev->mrs, mr->key >> 8, mr);
	(void)env_fetch_add(&mr->dev->mr_generation, 1);
	eng_mr_put(old);
}

void eng_mr_put(struct eng_mr *mr)
{
	if (!env_ref_put(&mr->refs))
		return;
	if (env_likely(mr->kind == ENG_KEY_REGION))
		mr->dev->ops->mr_idle(mr);
	else
		eng_key_closed(mr);
}

static ENG_INLINE struct eng_mr *find_region(struct eng_dev *dev, struct eng_mr_cache *cache,
					     u32 key)
{
	u64 generation = env_load_acquire(&dev->mr_generation);
	struct eng_mr *mr;

	if (env_likely(cache->key == key && cache->generation == generation))
		return cache->mr;
	mr = env_table_find(&dev->mrs, key >> 8);
	if (mr) {
		cache->mr = mr;
		cache->key = key;
		cache->generation = generation;
	}
	return mr;
}

/* IBTA vol. 1, 10.6.3: key with its tag, protection domain, rights, range without wrapping. */
static ENG_INLINE bool allows(const struct eng_mr *mr, const struct eng_pd *pd,
			      const struct eng_mr_want *want)
{
	return mr->key == want->key && (mr->pd == pd || mr->null) &&
	       (!mr->qpn || mr->qpn == want->qpn) &&
	       (mr->access & want->access) == want->access && want->addr >= mr->iova &&
	       want->length <= mr->length &&
	       want->addr - mr->iova <= mr->length - want->length && !env_read(mr->dead);
}

struct eng_mr *eng_mr_get(struct eng_dev *dev, struct eng_mr_cache *cache,
			  const struct eng_pd *pd, struct eng_mr_want want)
{
	struct eng_mr *mr;

	env_rcu_lock();
	mr = find_region(dev, cache, want.key);
	/* First the reference: what a key means can change while nobody holds one. */
	if (env_unlikely(mr && !env_ref_get_unless_zero(&mr->refs)))
		mr = NULL;
	env_rcu_unlock();
	if (env_likely(mr && allows(mr, pd, &want)))
		return mr;
	if (mr)
		eng_mr_put(mr);
	return NULL;
}
