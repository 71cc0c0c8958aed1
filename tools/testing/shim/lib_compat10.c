// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * lib_compat10.c - a program of 2006, as far as the loader can tell: it binds names of version
 * IBVERBS_1.0 in the built library.  There is no device for it, and nothing crashes.
 */
#include <dlfcn.h>
#include <stddef.h>
#include "tap.h"

static const char *const names[] = {
	"ibv_ack_async_event", "ibv_ack_cq_events", "ibv_alloc_pd", "ibv_attach_mcast",
	"ibv_close_device", "ibv_create_ah", "ibv_create_cq", "ibv_create_qp", "ibv_create_srq",
	"ibv_dealloc_pd", "ibv_dereg_mr", "ibv_destroy_ah", "ibv_destroy_cq", "ibv_destroy_qp",
	"ibv_destroy_srq", "ibv_detach_mcast", "ibv_free_device_list", "ibv_get_async_event",
	"ibv_get_cq_event", "ibv_get_device_guid", "ibv_get_device_list", "ibv_get_device_name",
	"ibv_modify_qp", "ibv_modify_srq", "ibv_open_device", "ibv_query_device", "ibv_query_gid",
	"ibv_query_pkey", "ibv_query_port", "ibv_query_qp", "ibv_query_srq", "ibv_reg_mr",
	"ibv_resize_cq",
};

static void *library;

static void test_names(void)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *old = dlvsym(library, names[i], "IBVERBS_1.0");
		void *now = dlvsym(library, names[i], "IBVERBS_1.1");

		CHECK(old && now && old != now);
	}
	CHECK_EQ(i, 33);
	CHECK(dlvsym(library, "ibv_register_driver", "IBVERBS_1.1"));
	CHECK(!dlsym(library, "shim_compat10_get_list"));
}

static void test_no_device(void)
{
	void **(*get)(int *) = (void **(*)(int *))dlvsym(library, "ibv_get_device_list",
							"IBVERBS_1.0");
	void (*put)(void **) = (void (*)(void **))dlvsym(library, "ibv_free_device_list",
							"IBVERBS_1.0");
	void *(*open)(void *) = (void *(*)(void *))dlvsym(library, "ibv_open_device",
							  "IBVERBS_1.0");
	int (*query_gid)(void *, int, int, void *) =
		(int (*)(void *, int, int, void *))dlvsym(library, "ibv_query_gid", "IBVERBS_1.0");
	int count = 99;
	void **list;

	list = get(&count);
	CHECK(list);
	CHECK(list && !list[0]);
	CHECK_EQ(count, 0);
	put(list);
	CHECK(!open(NULL));
	CHECK_EQ(query_gid(NULL, 1, 0, NULL), -1);
}

static const struct tap_test tests[] = {
	{ "the 33 names resolve, apart from those of today", test_names },
	{ "there is no device", test_no_device },
};

int main(int argc, char **argv)
{
	library = dlopen(argc > 1 ? argv[1] : "libibverbs.so.1", RTLD_NOW);
	if (!library) {
		printf("Bail out! %s\n", dlerror());
		return 1;
	}
	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
