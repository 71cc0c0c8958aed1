// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cover.c - KCOV's buffer of addresses becomes a map of our modules' code. fuzz.c calls in.
 */
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cover.h"

#define ENTRIES	(128 * 1024)

static struct module {
	const char *name;
	unsigned long start, bytes;
	uint8_t *reached;	/* shared by all children; one byte an address */
} modules[] = { { .name = "ib_core" }, { .name = "ib_uverbs" }, { .name = "shca" } };

#define MODULES (sizeof(modules) / sizeof(modules[0]))

static unsigned long *buffer;

static bool find_module(struct module *m)
{
	char path[96], line[256], name[64];
	unsigned long bytes;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/sections/.text", m->name);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%lx", &m->start) != 1)
		m->start = 0;
	fclose(f);
	f = fopen("/proc/modules", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %lu", name, &bytes) == 2 && !strcmp(name, m->name))
			m->bytes = bytes;
	if (f)
		fclose(f);
	if (!m->start || !m->bytes)
		return false;
	m->reached = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			  0);
	return m->reached != MAP_FAILED;
}

bool cover_find_modules(void)
{
	unsigned int i, found = 0;

	for (i = 0; i < MODULES; i++)
		found += find_module(&modules[i]);
	return found && !access("/sys/kernel/debug/kcov", W_OK);
}

bool cover_begin(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR);

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, (long)ENTRIES))
		return false;
	buffer = mmap(NULL, ENTRIES * sizeof(*buffer), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (buffer == MAP_FAILED)
		return false;
	return !ioctl(fd, KCOV_ENABLE, (long)KCOV_TRACE_PC);
}

static bool mark(unsigned long pc)
{
	unsigned int i;

	for (i = 0; i < MODULES; i++) {
		struct module *m = &modules[i];

		if (pc - m->start >= m->bytes)
			continue;
		if (m->reached[pc - m->start])
			return false;
		m->reached[pc - m->start] = 1;
		return true;
	}
	return false;
}

unsigned int cover_collect(void)
{
	unsigned long n, i;
	unsigned int fresh = 0;

	n = __atomic_load_n(&buffer[0], __ATOMIC_RELAXED);
	for (i = 0; i < n && i + 1 < ENTRIES; i++)
		fresh += mark(buffer[i + 1]);
	__atomic_store_n(&buffer[0], 0, __ATOMIC_RELAXED);
	return fresh;
}

unsigned int cover_save(const char *folder)
{
	unsigned int i, n = 0;
	unsigned long at;
	char path[256];
	FILE *f;

	for (i = 0; i < MODULES; i++) {
		struct module *m = &modules[i];

		snprintf(path, sizeof(path), "%s/%s.pcs", folder, m->name);
		f = fopen(path, "w");
		for (at = 0; m->reached && at < m->bytes; at++) {
			if (!m->reached[at])
				continue;
			n++;
			if (f)
				fprintf(f, "%lx\n", at);
		}
		if (f)
			fclose(f);
	}
	return n;
}
