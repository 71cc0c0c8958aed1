// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that every file of the device's folder in sysfs can be read, that what stands there is what
 * verbs answer (state, numbers, GIDs, P_Keys, GUIDs), and that the few that can be written take
 * what they should and nothing else.
 */
#include <ftw.h>
#include <endian.h>

#include "fixture.h"

#define IP_BASED_GIDS	(1UL << 26)

static struct fixture f;
static char folder[4096];

/* The file's text; -1 and errno where it cannot be read. */
static int slurp(const char *path, char *text, size_t room)
{
	FILE *file = fopen(path, "r");
	size_t n;
	int err;

	memset(text, 0, room);
	if (!file)
		return -1;
	errno = 0;
	n = fread(text, 1, room - 1, file);
	err = ferror(file) ? errno : 0;
	fclose(file);
	errno = err;
	return err ? -1 : (int)n;
}

static char *value(const char *name)
{
	static char text[4096];
	char path[4352];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (slurp(path, text, sizeof(text)) < 0)
		snprintf(text, sizeof(text), "errno %d", errno);
	text[strcspn(text, "\n")] = 0;
	return text;
}

/* errno of writing text; 0 when it was taken whole. */
static int store(const char *name, const char *text)
{
	char path[4352];
	FILE *file;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		return errno;
	setvbuf(file, NULL, _IONBF, 0);
	if (fwrite(text, 1, strlen(text), file) != strlen(text))
		err = errno;
	fclose(file);
	return err;
}

/* ---- all files ---- */

static unsigned int files, unread, unended;

/* What an empty row of the GID table has neither type nor netdev to show for. */
static bool may_refuse(const char *path)
{
	return strstr(path, "/gid_attrs/") && errno == EINVAL;
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char text[8192];
	int n;

	(void)ftw;
	/* power/ and uevent are the driver core's. */
	if (type != FTW_F || !(st->st_mode & 0400) || strstr(path, "/power/") ||
	    strstr(path, "/uevent"))
		return 0;
	files++;
	n = slurp(path, text, sizeof(text));
	if (n < 0 && !may_refuse(path)) {
		tap_note("%s: errno %d", path, errno);
		unread++;
	}
	if (n > 0 && text[n - 1] != '\n') {
		tap_note("%s: does not end in a newline", path);
		unended++;
	}
	return 0;
}

static void test_all(void)
{
	nftw(folder, visit, 16, FTW_PHYS);
	tap_ok(files > 40, "%u files", files);
	tap_is(unread, 0, "each can be read");
	tap_is(unended, 0, "each ends its line");
}

/* ---- what they say ---- */

static void expect(const char *name, const char *format, ...)
{
	char want[256];
	va_list args;

	va_start(args, format);
	vsnprintf(want, sizeof(want), format, args);
	va_end(args);
	if (!tap_ok(!strcmp(value(name), want), "%s", name))
		tap_note("\"%s\", expected \"%s\"", value(name), want);
}

static void test_port(void)
{
	static const char *const states[] = { "NOP", "DOWN", "INIT", "ARMED", "ACTIVE",
					      "ACTIVE_DEFER" };
	struct ibv_port_attr attr;

	if (ibv_query_port(f.ctx, FIXTURE_PORT, &attr))
		tap_bail("query port");
	expect("ports/1/state", "%d: %s", attr.state, states[attr.state]);
	tap_is(strtol(value("ports/1/phys_state"), NULL, 10), attr.phys_state,
	       "ports/1/phys_state");
	expect("ports/1/lid", "0x%x", attr.lid);
	expect("ports/1/sm_lid", "0x%x", attr.sm_lid);
	expect("ports/1/sm_sl", "%u", attr.sm_sl);
	expect("ports/1/lid_mask_count", "%u", attr.lmc);
	/* Verbs add a flag of their own for GIDs of IP addresses. */
	tap_is(strtoul(value("ports/1/cap_mask"), NULL, 16) & ~IP_BASED_GIDS,
	       attr.port_cap_flags & ~IP_BASED_GIDS, "ports/1/cap_mask");
	expect("ports/1/link_layer", "Ethernet");
	tap_ok(strstr(value("ports/1/rate"), " Gb/sec ("), "ports/1/rate: %s",
	       value("ports/1/rate"));
}

static void test_device(void)
{
	uint64_t node = be64toh(f.attr.node_guid), image = be64toh(f.attr.sys_image_guid);

	expect("node_guid", "%04x:%04x:%04x:%04x", (int)(node >> 48), (int)(node >> 32 & 0xffff),
	       (int)(node >> 16 & 0xffff), (int)(node & 0xffff));
	expect("sys_image_guid", "%04x:%04x:%04x:%04x", (int)(image >> 48),
	       (int)(image >> 32 & 0xffff), (int)(image >> 16 & 0xffff), (int)(image & 0xffff));
	expect("node_type", "1: CA");
}

static void test_tables(void)
{
	unsigned int i, wrong = 0, full = 0;
	char name[64], text[64];
	union ibv_gid gid;
	__be16 pkey;
	int b;

	for (i = 0; i < 64; i++) {
		memset(&gid, 0, sizeof(gid));
		if (ibv_query_gid(f.ctx, FIXTURE_PORT, i, &gid))
			memset(&gid, 0, sizeof(gid));
		for (b = 0; b < 8; b++)
			sprintf(text + 5 * b, "%02x%02x:", gid.raw[2 * b], gid.raw[2 * b + 1]);
		text[39] = 0;
		snprintf(name, sizeof(name), "ports/1/gids/%u", i);
		wrong += strcmp(value(name), text) != 0;
		full += strcmp(text, "0000:0000:0000:0000:0000:0000:0000:0000") != 0;
	}
	tap_is(wrong, 0, "ports/1/gids/0 to 63");
	tap_ok(full, "of which %u are in use", full);
	if (ibv_query_pkey(f.ctx, FIXTURE_PORT, 0, &pkey))
		tap_bail("query P_Key");
	expect("ports/1/pkeys/0", "0x%04x", ntohs(pkey));
	snprintf(name, sizeof(name), "ports/1/gid_attrs/types/%d", f.gid_index);
	expect(name, "RoCE v2");
	snprintf(name, sizeof(name), "ports/1/gid_attrs/ndevs/%d", f.gid_index);
	tap_ok(strncmp(value(name), "errno", 5), "%s: %s", name, value(name));
}

/* ---- what can be written ---- */

static void test_description(void)
{
	char before[256];
	int err;

	snprintf(before, sizeof(before), "%s", value("node_desc"));
	err = store("node_desc", "a test was here");
	if (err == EOPNOTSUPP) {
		tap_skip("the description cannot be changed");
		return;
	}
	tap_is(err, 0, "node_desc can be written");
	expect("node_desc", "a test was here");
	store("node_desc", before);
	expect("node_desc", "%s", before);
}

static void test_lifespan(void)
{
	const char *name = "ports/1/hw_counters/lifespan";
	char before[32];

	snprintf(before, sizeof(before), "%s", value(name));
	if (!strncmp(before, "errno", 5)) {
		tap_skip("no hardware counters");
		return;
	}
	tap_is(store(name, "40\n"), 0, "lifespan can be written");
	expect(name, "40");
	tap_is(store(name, "x\n"), EINVAL, "but no words");
	tap_is(store(name, "-1\n"), EINVAL, "nor the past");
	tap_is(store(name, "10001\n"), EINVAL, "nor for ever");
	expect(name, "40");
	store(name, before);
}

int main(void)
{
	char link[128];

	fixture_open(&f);
	snprintf(link, sizeof(link), "/sys/class/infiniband/%s",
		 ibv_get_device_name(f.ctx->device));
	/* Its own path: the walk does not follow links. */
	if (!realpath(link, folder))
		tap_bail("%s", link);
	test_all();
	test_port();
	test_device();
	test_tables();
	test_description();
	test_lifespan();
	fixture_close(&f);
	return tap_end();
}
