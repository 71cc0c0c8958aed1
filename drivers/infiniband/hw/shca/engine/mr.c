// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * mr.c - memory regions: their keys, rights and end.
 *
 * The host publishes and retires; sge.c and the responder look up.  A region is found under RCU and
 * then counted; retire takes the key away first, so that the count only falls after that.
 */
#include "mr.h"
#include "engine.h"

int eng_mr_publish(struct eng_mr *mr)
{
	env_ref_init(&mr->refs);
	mr->dead = 0;
	return env_table_insert(&mr->dev->mrs, mr->key >> 8, mr);
}

void eng_mr_retire(struct eng_mr *mr)
{
	env_write(mr->dead, 1);
	env_table_erase(&mr->dev->mrs, mr->key >> 8);
	eng_mr_put(mr);
}

void eng_mr_put(struct eng_mr *mr)
{
	if (env_ref_put(&mr->refs))
		mr->dev->ops->mr_idle(mr);
}

/* IBTA vol. 1, 10.6.3: key with its tag, protection domain, rights, range without wrapping. */
static bool allows(const struct eng_mr *mr, const struct eng_pd *pd, u32 key, u32 access)
{
	return mr->key == key && mr->pd == pd && (mr->access & access) == access &&
	       !env_read(mr->dead);
}

struct eng_mr *eng_mr_get(struct eng_dev *dev, const struct eng_pd *pd, u32 key, u32 access,
			  u64 addr, u64 length)
{
	struct eng_mr *mr;

	env_rcu_lock();
	mr = env_table_find(&dev->mrs, key >> 8);
	if (!mr || !allows(mr, pd, key, access) || addr < mr->iova || length > mr->length ||
	    addr - mr->iova > mr->length - length || !env_ref_get_unless_zero(&mr->refs))
		mr = NULL;
	env_rcu_unlock();
	return mr;
}
