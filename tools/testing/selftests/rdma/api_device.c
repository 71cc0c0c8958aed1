// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows device list, contexts and queries (C028..C051, G037..G051, F43, F44): both entries of
 * query_port, extended queries of older sizes, GID and P_Key tables, verbs that are not there.
 */
#include <dirent.h>

#include "fixture.h"

static struct fixture f;

static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static void test_list(void)
{
	struct ibv_device **list;
	struct ibv_context *ctx;
	int count = -1, i, before;

	list = ibv_get_device_list(&count);
	for (i = 0; list && list[i]; i++)
		if (!ibv_get_device_name(list[i])[0] || !ibv_get_device_guid(list[i]))
			tap_ok(false, "device %d has a name and a GUID", i);
	tap_ok(list && count == i && i > 0, "%d devices, then NULL", count);
	ctx = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	tap_ok(ctx && ibv_get_device_name(ctx->device)[0], "an opened device outlives its list");
	tap_ok(ctx->num_comp_vectors >= 1, "completion vectors");
	tap_is(ibv_close_device(ctx), 0, "close");
	before = open_files();
	for (i = 0; i < 50; i++) {
		list = ibv_get_device_list(NULL);
		if (!list)
			break;
		ctx = ibv_open_device(list[0]);
		ibv_free_device_list(list);
		if (!ctx || ibv_close_device(ctx))
			break;
	}
	tap_is(i, 50, "again and again");
	tap_is(open_files(), before, "no descriptor is left");
}

static void test_query_device(void)
{
	struct ibv_query_device_ex_input bad = { .comp_mask = 1 };
	struct verbs_context *v = verbs_get_ctx(f.ctx);
	struct ibv_device_attr_ex ex;
	struct {
		struct ibv_device_attr_ex attr;
		uint8_t fence;
	} part;
	size_t size = offsetof(struct ibv_device_attr_ex, tso_caps);
	uint8_t *bytes = (uint8_t *)&part;
	size_t i;

	tap_ok(f.attr.node_guid && f.attr.sys_image_guid, "GUIDs are not zero");
	tap_ok(f.attr.max_qp > 0 && f.attr.max_cqe > 0 && f.attr.max_sge > 0 &&
	       f.attr.phys_port_cnt >= 1, "limits are not zero");
	tap_is(ibv_query_device_ex(f.ctx, &bad, &ex), EINVAL, "an unknown question");
	tap_is(ibv_query_device_ex(f.ctx, NULL, &ex), 0, "extended query");
	tap_ok(!memcmp(&ex.orig_attr, &f.attr, sizeof(f.attr)), "begins with the plain one");
	memset(&part, 0xa5, sizeof(part));
	tap_is(v->query_device_ex(f.ctx, NULL, &part.attr, size), 0, "of an older size");
	for (i = size; i < sizeof(part) && bytes[i] == 0xa5; i++)
		;
	tap_is(i, sizeof(part), "nothing is written beyond it");
}

#undef ibv_query_port
static void test_query_port(void)
{
	struct ibv_port_attr old, full;
	uint8_t *bytes = (uint8_t *)&old;

	memset(&old, 0xa5, sizeof(old));
	tap_is(___ibv_query_port(f.ctx, FIXTURE_PORT, &full), 0, "through the table");
	tap_is(ibv_query_port(f.ctx, FIXTURE_PORT, (struct _compat_ibv_port_attr *)&old), 0,
	       "through the symbol");
	tap_ok(!memcmp(&old, &full, offsetof(struct ibv_port_attr, port_cap_flags2)),
	       "both say the same");
	tap_ok(bytes[offsetof(struct ibv_port_attr, port_cap_flags2)] == 0xa5,
	       "the symbol fills the struct of old");
	tap_is(full.link_layer, IBV_LINK_LAYER_ETHERNET, "Ethernet");
	tap_ok(full.flags & IBV_QPF_GRH_REQUIRED, "a GRH is required");
	tap_is(___ibv_query_port(f.ctx, 0, &full), EINVAL, "port 0");
	tap_is(___ibv_query_port(f.ctx, 200, &full), EINVAL, "port 200");
}

static void test_tables(void)
{
	struct ibv_gid_entry entries[64], one;
	struct ibv_port_attr port;
	union ibv_gid gid, zero = { .raw = { 0 } };
	__be16 pkey = 0;
	ssize_t n;
	int i, empty = -1;

	___ibv_query_port(f.ctx, FIXTURE_PORT, &port);
	for (i = 0; i < port.gid_tbl_len && empty < 0; i++)
		if (!ibv_query_gid(f.ctx, FIXTURE_PORT, i, &gid) && !memcmp(&gid, &zero, 16))
			empty = i;
	tap_ok(empty > 0, "an empty entry (%d) reads as zero", empty);
	tap_is(ibv_query_gid_ex(f.ctx, FIXTURE_PORT, empty, &one, 0), ENODATA, "... extended");
	tap_is(ibv_query_gid(f.ctx, FIXTURE_PORT, port.gid_tbl_len, &gid), -1, "beyond the table");
	tap_is(ibv_query_gid(f.ctx, FIXTURE_PORT, -1, &gid), -1, "before it");
	tap_is(ibv_query_gid(f.ctx, 9, 0, &gid), -1, "port 9");
	n = ibv_query_gid_table(f.ctx, entries, 64, 0);
	tap_ok(n > 0, "the table has %zd entries", n);
	for (i = 0; i < n; i++) {
		if (ibv_query_gid_ex(f.ctx, entries[i].port_num, entries[i].gid_index, &one, 0) ||
		    memcmp(&one, &entries[i], sizeof(one)))
			break;
	}
	tap_is(i, n, "each is the same alone");
	tap_is(ibv_query_pkey(f.ctx, FIXTURE_PORT, 0, &pkey), 0, "P_Key 0");
	tap_is(pkey, 0xffff, "is the default one");
	tap_is(ibv_query_pkey(f.ctx, FIXTURE_PORT, port.pkey_tbl_len, &pkey), -1, "beyond");
	tap_is(ibv_get_pkey_index(f.ctx, FIXTURE_PORT, htons(0xffff)), 0, "its index");
	tap_is(ibv_get_pkey_index(f.ctx, FIXTURE_PORT, htons(0x1234)), -1, "of an unknown one");
}

/* EOPNOTSUPP, never a crash (G034). */
static void test_missing(void)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_xrcd_init_attr xrcd = { .fd = -1 };
	struct ibv_alloc_dm_attr dm = { .length = 64 };
	struct ibv_wq_init_attr wq = { .max_wr = 1 };
	struct ibv_mr *null;
	int err;

	err = ibv_query_rt_values_ex(f.ctx, &values);
	tap_ok(!err || err == EOPNOTSUPP, "real time values");
	errno = 0;
	tap_ok(ibv_open_xrcd(f.ctx, &xrcd) || errno == EOPNOTSUPP || errno == EINVAL, "XRC domain");
	errno = 0;
	tap_ok(ibv_alloc_dm(f.ctx, &dm) || errno == EOPNOTSUPP || errno == EINVAL,
	       "device memory");
	errno = 0;
	tap_ok(ibv_create_wq(f.ctx, &wq) || errno, "work queue");
	errno = 0;
	null = ibv_alloc_null_mr(f.pd);
	tap_ok(null || errno == EOPNOTSUPP, "null region");
	if (null)
		tap_is(ibv_dereg_mr(null), 0, "which can go");
}

int main(void)
{
	fixture_open(&f);
	test_list();
	test_query_device();
	test_query_port();
	test_tables();
	test_missing();
	fixture_close(&f);
	return tap_end();
}
