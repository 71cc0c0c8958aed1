// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * fault_load MODULE.ko...: loads each module with each of the failures that are possible inside its
 * initialisation made to happen, until it loads without; then goes on to the next with this one
 * loaded, and takes them all out at the end. A load that failed leaves no module behind and the
 * next one works. Most failures are those of the module loader itself, which come first: of them a
 * sample is enough.
 *
 * Needs a machine with none of the modules; qemu/fault-load.sh starts it.
 */
#include <fcntl.h>
#include <libgen.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fault_nth.h"

#define UNREACHED	1000000	/* more failures than any load can have */
#define OWN		200	/* of the last ones, which are the module's own, each is tried */
#define TRIES		5	/* wrong results after which it is enough */

struct module {
	const char *path;
	char name[64];
	int fd;
};

static void module_open(struct module *m, const char *path)
{
	char copy[4096];

	snprintf(copy, sizeof(copy), "%s", path);
	m->path = path;
	snprintf(m->name, sizeof(m->name), "%s", basename(copy));
	m->name[strcspn(m->name, ".")] = 0;
	m->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (m->fd < 0)
		tap_bail("%s", path);
}

static int module_load(const struct module *m)
{
	return FAILURE_SYSCALL(SYS_finit_module, m->fd, (long)"", 0) ? errno : 0;
}

static int module_unload(const struct module *m)
{
	return syscall(SYS_delete_module, m->name, O_NONBLOCK) ? errno : 0;
}

static bool module_is_there(const struct module *m)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s", m->name);
	return !access(path, F_OK);
}

/* How many failures are possible while it loads. */
static unsigned int count_failures(const struct module *m)
{
	unsigned int left;

	failure_arm(UNREACHED);
	if (module_load(m))
		tap_bail("%s cannot be loaded", m->path);
	left = failures_until;
	failure_disarm();
	if (module_unload(m))
		tap_bail("%s cannot be unloaded", m->path);
	return UNREACHED - left;
}

/* The n-th failure happens. Returns false when there was none. */
static bool load_step(const struct module *m, unsigned int n, unsigned int *wrong,
		      unsigned int *failed)
{
	bool hit;
	int err;

	failure_arm(n);
	err = module_load(m);
	hit = failure_disarm();
	if (err && !hit) {
		tap_note("%s: errno %d although failure %u did not happen", m->name, err, n);
		++*wrong;
	}
	if (err)
		++*failed;
	if (err && module_is_there(m)) {
		tap_note("%s: is there after failure %u (errno %d)", m->name, n, err);
		++*wrong;
	}
	if (!err && module_unload(m)) {
		tap_note("%s: cannot be unloaded after failure %u: errno %d", m->name, n, errno);
		++*wrong;
	}
	return hit;
}

static void sweep_load(const struct module *m)
{
	unsigned int count = count_failures(m), n, tried = 0, wrong = 0, failed = 0;

	for (n = 1; wrong < TRIES; n += n + OWN > count ? 1 : 1 + n / 16, tried++)
		if (!load_step(m, n, &wrong, &failed))
			break;
	tap_ok(!wrong && failed, "%s: %u of %u failures, %u loads failed", m->name, tried, count,
	       failed);
	tap_is(module_load(m), 0, "%s: loads afterwards", m->name);
}

int main(int argc, char **argv)
{
	struct module modules[8];
	int i;

	if (!failures_ready()) {
		printf("1..0 # SKIP this kernel has no fault injection\n");
		return 0;
	}
	if (argc < 2 || argc > 8)
		tap_bail("fault_load MODULE.ko...");
	for (i = 1; i < argc; i++) {
		module_open(&modules[i - 1], argv[i]);
		sweep_load(&modules[i - 1]);
	}
	for (i = argc - 2; i >= 0; i--)
		tap_is(module_unload(&modules[i]), 0, "%s: can be unloaded", modules[i].name);
	return tap_end();
}
