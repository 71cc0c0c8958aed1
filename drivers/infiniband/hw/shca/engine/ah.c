// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ah.c - address handles: published by the host, looked up per datagram.
 *
 * A datagram in flight holds a reference, because the receiver copies the GRH out of the handle.
 */
#include "ah.h"
#include "engine.h"

int eng_ah_publish(struct eng_ah *ah)
{
	env_ref_init(&ah->refs);
	return env_table_insert_now(&ah->dev->ahs, ah->ahn, ah);
}

void eng_ah_retire(struct eng_ah *ah)
{
	env_table_erase(&ah->dev->ahs, ah->ahn);
	eng_ah_put(ah);
}

struct eng_ah *eng_ah_get(struct eng_dev *dev, const struct eng_pd *pd, u32 ahn)
{
	struct eng_ah *ah;

	env_rcu_lock();
	ah = env_table_find(&dev->ahs, ahn);
	if (!ah || ah->pd != pd || !env_ref_get_unless_zero(&ah->refs))
		ah = NULL;
	env_rcu_unlock();
	return ah;
}

void eng_ah_put(struct eng_ah *ah)
{
	if (env_ref_put(&ah->refs))
		ah->dev->ops->ah_idle(ah);
}
