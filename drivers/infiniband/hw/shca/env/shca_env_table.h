/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * shca_env_table.h - the tables by which the engine finds objects of a number, inside the kernel.
 *
 * Part of shca_env.h, apart for its length.
 */
#ifndef SHCA_ENV_TABLE_H
#define SHCA_ENV_TABLE_H

#include <linux/gfp.h>
#include <linux/xarray.h>

struct env_table {
	struct xarray xa;
};

#define env_table_init(table)		xa_init(&(table)->xa)
#define env_table_destroy(table)	xa_destroy(&(table)->xa)

/* 0, -ENV_EBUSY or -ENV_ENOMEM; may sleep. */
static inline int env_table_insert(struct env_table *table, u32 index, void *entry)
{
	return xa_insert(&table->xa, index, entry, GFP_KERNEL_ACCOUNT);
}

/* The same without sleeping, interrupts on or off. */
static inline int env_table_insert_now(struct env_table *table, u32 index, void *entry)
{
	unsigned long flags;
	int err;

	xa_lock_irqsave(&table->xa, flags);
	err = __xa_insert(&table->xa, index, entry, GFP_ATOMIC);
	xa_unlock_irqrestore(&table->xa, flags);
	return err;
}

static inline void env_table_erase(struct env_table *table, u32 index)
{
	unsigned long flags;

	xa_lock_irqsave(&table->xa, flags);
	__xa_erase(&table->xa, index);
	xa_unlock_irqrestore(&table->xa, flags);
}

/* For an entry that is there: needs no memory, cannot fail. */
static inline void env_table_replace(struct env_table *table, u32 index, void *entry)
{
	xa_store(&table->xa, index, entry, GFP_KERNEL);
}

/* Under env_rcu_lock(). */
static inline void *env_table_find(struct env_table *table, u32 index)
{
	return xa_load(&table->xa, index);
}

/* The entry at *index or the first one above it, which *index then names; NULL: no more. */
static inline void *env_table_next(struct env_table *table, u32 *index)
{
	unsigned long at = *index;
	void *entry = xa_find(&table->xa, &at, U32_MAX, XA_PRESENT);

	*index = (u32)at;
	return entry;
}

#endif
