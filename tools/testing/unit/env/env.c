// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * env.c - the parts of the user-space environment that are no one-liners: tables and allocation.
 *
 * Linked into every test program.
 */
#include <shca_env.h>

#ifndef ENV_NO_RCU
pthread_rwlock_t env_rcu = PTHREAD_RWLOCK_INITIALIZER;
#endif
#ifdef __SANITIZE_THREAD__
u32 env_fence_word;
#endif

static long balance;

void *env_alloc(u32 bytes)
{
	void *mem = calloc(1, bytes);

	if (mem)
		__atomic_fetch_add(&balance, 1, __ATOMIC_RELAXED);
	return mem;
}

void env_free(void *mem)
{
	if (mem)
		__atomic_fetch_sub(&balance, 1, __ATOMIC_RELAXED);
	free(mem);
}

long env_alloc_balance(void)
{
	return __atomic_load_n(&balance, __ATOMIC_RELAXED);
}

void env_table_init(struct env_table *table)
{
	memset(table->leaves, 0, sizeof(table->leaves));
	pthread_mutex_init(&table->mutex, NULL);
}

void env_table_destroy(struct env_table *table)
{
	u32 i, j;

	for (i = 0; i < ENV_TABLE_LEAF; i++) {
		for (j = 0; table->leaves[i] && j < ENV_TABLE_LEAF; j++)
			assert(!table->leaves[i][j]);
		free(table->leaves[i]);
	}
	pthread_mutex_destroy(&table->mutex);
}

int env_table_insert(struct env_table *table, u32 index, void *entry)
{
	void ***leaf = &table->leaves[index / ENV_TABLE_LEAF];
	int err = 0;

	pthread_mutex_lock(&table->mutex);
	if (!*leaf) {
		void **fresh = calloc(ENV_TABLE_LEAF, sizeof(void *));

		if (fresh)
			__atomic_store_n(leaf, fresh, __ATOMIC_RELEASE);
	}
	if (!*leaf)
		err = -ENV_ENOMEM;
	else if ((*leaf)[index % ENV_TABLE_LEAF])
		err = -ENV_EBUSY;
	else
		__atomic_store_n(&(*leaf)[index % ENV_TABLE_LEAF], entry, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&table->mutex);
	return err;
}

void env_table_erase(struct env_table *table, u32 index)
{
	void **leaf = table->leaves[index / ENV_TABLE_LEAF];

	if (leaf)
		__atomic_store_n(&leaf[index % ENV_TABLE_LEAF], NULL, __ATOMIC_RELEASE);
}

void env_table_replace(struct env_table *table, u32 index, void *entry)
{
	void **leaf = table->leaves[index / ENV_TABLE_LEAF];

	__atomic_store_n(&leaf[index % ENV_TABLE_LEAF], entry, __ATOMIC_RELEASE);
}

void *env_table_next(struct env_table *table, u32 *index)
{
	u32 i;

	for (i = *index; i < ENV_TABLE_LEAF * ENV_TABLE_LEAF; i++) {
		void *entry;

		if (!(i % ENV_TABLE_LEAF) && !table->leaves[i / ENV_TABLE_LEAF]) {
			i += ENV_TABLE_LEAF - 1;
			continue;
		}
		entry = env_table_find(table, i);
		if (entry) {
			*index = i;
			return entry;
		}
	}
	return NULL;
}

static u32 crc_table[256];

/* As gcc's constructors run before main() and its threads, nobody sees half a table. */
static void __attribute__((constructor)) make_crc_table(void)
{
	u32 i, bit, v;

	for (i = 0; i < 256; i++) {
		v = i;
		for (bit = 0; bit < 8; bit++)
			v = v & 1 ? v >> 1 ^ 0xedb88320u : v >> 1;
		crc_table[i] = v;
	}
}

u32 env_crc32(u32 crc, const u8 *p, u32 n)
{
	for (; n; n--)
		crc = crc >> 8 ^ crc_table[(crc ^ *p++) & 0xff];
	return crc;
}
