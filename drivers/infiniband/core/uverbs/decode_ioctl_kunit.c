// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of decode_ioctl.c: one attribute of each kind against its declaration, for all lengths and
 * contents around the declared ones. The rules stand here a second time, as the head of that file
 * and <rdma/uverbs_ioctl.h> tell them.
 */
#include "user_memory_kunit.h"
#include "decode_ioctl.c"

#define ATTR_ID		5
#define MAX_LEN		40

static struct uverbs_api_method method;
static struct uverbs_api_attr api_attr;
static struct uverbs_call *call;
static u8 pattern[MAX_LEN];

static int ioctl_init(struct kunit *test)
{
	unsigned int i;

	uverbs_user_enter();
	memset(&method, 0, sizeof(method));
	memset(&api_attr, 0, sizeof(api_attr));
	method.num_bkeys = UVERBS_API_ATTR_BKEY_LEN;
	method.destroy_bkey = UVERBS_API_ATTR_BKEY_LEN;
	method.attrs[uapi_bkey_attr(uapi_key_attr(ATTR_ID))] = &api_attr;
	for (i = 0; i < MAX_LEN; i++)
		pattern[i] = 0x80 + i;
	return 0;
}

static void ioctl_exit(struct kunit *test)
{
	uverbs_user_leave();
}

/* Decodes one attribute; the call stays for a look at what came out. */
static int decode_one(struct kunit *test, const struct ib_uverbs_attr *uattr)
{
	static struct uverbs_call_room room;
	static struct ib_uverbs_attr copy;
	static struct ib_uverbs_file ufile;

	call = uverbs_dispatch_begin(&room, &ufile, NULL, &method);
	KUNIT_ASSERT_NOT_NULL(test, call);
	call->user_attrs = user_page;
	call->uattrs = &copy;
	copy = *uattr;
	return decode_attr(call, 0);
}

static struct uverbs_ptr_attr *decoded(void)
{
	return &call->bundle.attrs[uapi_bkey_attr(uapi_key_attr(ATTR_ID))].ptr_attr;
}

static void done(void)
{
	uverbs_dispatch_end(call, -EINVAL);
}

/* An input of len bytes, the last of which is the only one set behind the known ones, or none. */
static struct ib_uverbs_attr make_input(struct kunit *test, unsigned int len, const u8 *bytes,
					void __user *at)
{
	struct ib_uverbs_attr uattr = { .attr_id = ATTR_ID, .len = len };

	if (len <= sizeof(uattr.data)) {
		memcpy(&uattr.data, bytes, len);
		return uattr;
	}
	uattr.data = (unsigned long)at;
	KUNIT_ASSERT_EQ(test, copy_to_user(at, bytes, len), 0ul);
	return uattr;
}

static int want_input(const struct uverbs_attr_spec *spec, unsigned int len, const u8 *bytes)
{
	unsigned int i;

	for (i = spec->u.ptr.len; spec->zero_trailing && i < len; i++)
		if (bytes[i])
			return -EOPNOTSUPP;
	if (len < spec->u.ptr.min_len || (len > spec->u.ptr.len && !spec->zero_trailing))
		return -EINVAL;
	return 0;
}

/* What a reader of the attribute gets: inline, copied, or still in user memory. */
static void check_input(struct kunit *test, const struct uverbs_attr_spec *spec, unsigned int len,
			const u8 *bytes)
{
	const struct uverbs_ptr_attr *ptr = decoded();
	unsigned int known = spec->zero_trailing ? min_t(unsigned int, len, spec->u.ptr.len) : len;
	u8 copy[MAX_LEN];

	KUNIT_ASSERT_EQ(test, (unsigned int)ptr->len, known);
	if (known <= sizeof(ptr->data))
		memcpy(copy, &ptr->data, known);
	else if (spec->alloc_and_copy)
		memcpy(copy, ptr->ptr, known);
	else
		KUNIT_ASSERT_EQ(test, copy_from_user(copy, u64_to_user_ptr(ptr->data), known),
				0ul);
	KUNIT_ASSERT_EQ(test, memcmp(copy, bytes, known), 0);
}

static void input_one(struct kunit *test, unsigned int len, const u8 *bytes)
{
	struct ib_uverbs_attr uattr = make_input(test, len, bytes, user_page + 1024);
	int want = want_input(&api_attr.spec, len, bytes);

	api_attr.plain_len = uverbs_api_plain_len(&api_attr.spec);
	KUNIT_ASSERT_EQ_MSG(test, decode_one(test, &uattr), want,
			    "%u bytes; known %u, least %u, zeros behind %d", len,
			    api_attr.spec.u.ptr.len, api_attr.spec.u.ptr.min_len,
			    api_attr.spec.zero_trailing);
	if (!want)
		check_input(test, &api_attr.spec, len, bytes);
	done();
}

static void test_inputs(struct kunit *test)
{
	static const u8 sizes[] = { 0, 1, 4, 7, 8, 9, 16, 24 };
	unsigned int known, least, len, variant;
	u8 zeros_behind[MAX_LEN];

	api_attr.spec.type = UVERBS_ATTR_TYPE_PTR_IN;
	for (known = 0; known < ARRAY_SIZE(sizes); known++)
		for (least = 0; least <= known; least++)
			for (variant = 0; variant < 4; variant++) {
				api_attr.spec.u.ptr.len = sizes[known];
				api_attr.spec.u.ptr.min_len = sizes[least];
				api_attr.spec.zero_trailing = variant & 1;
				api_attr.spec.alloc_and_copy = variant >> 1;
				memcpy(zeros_behind, pattern, MAX_LEN);
				memset(zeros_behind + sizes[known], 0, MAX_LEN - sizes[known]);
				for (len = 0; len < MAX_LEN; len++) {
					input_one(test, len, pattern);
					input_one(test, len, zeros_behind);
				}
			}
}

/* Memory that is not there is found out by whoever has to look at it. */
static void test_unreadable(struct kunit *test)
{
	struct ib_uverbs_attr uattr = {
		.attr_id = ATTR_ID, .len = 16, .data = (unsigned long)user_page + PAGE_SIZE - 8,
	};

	api_attr.spec.type = UVERBS_ATTR_TYPE_PTR_IN;
	api_attr.spec.u.ptr.len = 16;
	KUNIT_EXPECT_EQ(test, decode_one(test, &uattr), 0);	/* left to the handler */
	done();
	api_attr.spec.alloc_and_copy = 1;
	KUNIT_EXPECT_EQ(test, decode_one(test, &uattr), -EFAULT);
	done();
	api_attr.spec.alloc_and_copy = 0;
	api_attr.spec.zero_trailing = 1;
	api_attr.spec.u.ptr.len = 8;	/* the bytes behind are looked at */
	KUNIT_EXPECT_EQ(test, decode_one(test, &uattr), -EFAULT);
	done();
}

static void test_outputs(struct kunit *test)
{
	struct ib_uverbs_attr uattr = { .attr_id = ATTR_ID, .data = 0x123 };
	unsigned int len, variant;
	int want;

	api_attr.spec.type = UVERBS_ATTR_TYPE_PTR_OUT;
	api_attr.spec.u.ptr.min_len = 8;
	api_attr.spec.u.ptr.len = 16;
	for (variant = 0; variant < 2; variant++)
		for (len = 0; len < MAX_LEN; len++) {
			api_attr.spec.zero_trailing = variant;
			uattr.len = len;
			want = len < 8 || (len > 16 && !variant) ? -EINVAL : 0;
			KUNIT_ASSERT_EQ(test, decode_one(test, &uattr), want);
			if (!want) {
				KUNIT_EXPECT_EQ(test, (unsigned int)decoded()->len, len);
				KUNIT_EXPECT_EQ(test, decoded()->data, (u64)0x123);
			}
			done();
		}
}

static void test_enums(struct kunit *test)
{
	static const struct uverbs_attr_spec ids[] = {
		{ .type = UVERBS_ATTR_TYPE_PTR_IN, .u.ptr = { .len = 4, .min_len = 4 } },
		{ .type = UVERBS_ATTR_TYPE_PTR_IN, .u.ptr = { .len = 8, .min_len = 0 } },
	};
	struct ib_uverbs_attr uattr = { .attr_id = ATTR_ID };
	unsigned int id, len;

	api_attr.spec.type = UVERBS_ATTR_TYPE_ENUM_IN;
	api_attr.spec.u.enum_def.num_elems = ARRAY_SIZE(ids);
	api_attr.spec.u2.enum_def.ids = ids;
	for (id = 0; id < 256; id++)
		for (len = 0; len < 12; len++) {
			int want = id > 1 ? -EOPNOTSUPP :
				   len < ids[id].u.ptr.min_len || len > ids[id].u.ptr.len ?
				   -EINVAL : 0;

			uattr.attr_data.enum_data.elem_id = id;
			uattr.len = len;
			KUNIT_ASSERT_EQ(test, decode_one(test, &uattr), want);
			if (!want)
				KUNIT_EXPECT_EQ(test, (unsigned int)decoded()->enum_id, id);
			done();
		}
	uattr.attr_data.enum_data.elem_id = 0;
	uattr.len = 4;
	uattr.attr_data.enum_data.reserved = 1;
	KUNIT_EXPECT_EQ(test, decode_one(test, &uattr), -EINVAL);
	done();
}

static void test_raw_fds(struct kunit *test)
{
	static const s64 values[] = { S64_MIN, (s64)INT_MIN - 1, INT_MIN, -1, 0, 3, INT_MAX,
				      (s64)INT_MAX + 1, S64_MAX };
	struct ib_uverbs_attr uattr = { .attr_id = ATTR_ID };
	unsigned int i;

	api_attr.spec.type = UVERBS_ATTR_TYPE_RAW_FD;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		int want = values[i] == (int)values[i] ? 0 : -EINVAL;

		uattr.data_s64 = values[i];
		KUNIT_EXPECT_EQ(test, decode_one(test, &uattr), want);
		if (!want)
			KUNIT_EXPECT_EQ(test, (s64)decoded()->data, values[i]);
		done();
	}
	uattr.data_s64 = 3;
	uattr.len = 4;
	KUNIT_EXPECT_EQ(test, decode_one(test, &uattr), -EINVAL);
	done();
}

/* Unknown ones matter when the caller says so; known ones come once, with zeros where reserved. */
static void test_ids(struct kunit *test)
{
	struct ib_uverbs_attr uattr = { };
	unsigned int id;

	api_attr.spec.type = UVERBS_ATTR_TYPE_PTR_IN;
	api_attr.spec.u.ptr.len = 8;
	for (id = 0; id <= U16_MAX; id++) {
		uattr.attr_id = id;
		uattr.flags = 0;
		KUNIT_ASSERT_EQ(test, decode_one(test, &uattr), 0);
		KUNIT_ASSERT_EQ(test, bitmap_weight(call->bundle.attr_present, method.num_bkeys),
				id == ATTR_ID);
		done();
		uattr.flags = UVERBS_ATTR_F_MANDATORY;
		KUNIT_ASSERT_EQ(test, decode_one(test, &uattr),
				id == ATTR_ID ? 0 : -EPROTONOSUPPORT);
		done();
		cond_resched();
	}
	uattr.attr_id = ATTR_ID;
	KUNIT_EXPECT_EQ(test, decode_one(test, &uattr), 0);
	KUNIT_EXPECT_EQ(test, decode_attr(call, 0), -EINVAL);
	done();
	uattr.attr_data.reserved = 1;
	KUNIT_EXPECT_EQ(test, decode_one(test, &uattr), -EINVAL);
	done();
}

static int handler_calls;

static int count_call(struct uverbs_attr_bundle *attrs)
{
	handler_calls++;
	return 0;
}

/* A method runs with all its mandatory attributes, or not at all. */
static void test_mandatory(struct kunit *test)
{
	struct ib_uverbs_attr uattr = { .attr_id = ATTR_ID };

	api_attr.spec.type = UVERBS_ATTR_TYPE_PTR_IN;
	api_attr.spec.u.ptr.len = 8;
	method.handler = count_call;
	__set_bit(uapi_bkey_attr(uapi_key_attr(ATTR_ID)), method.mandatory);
	handler_calls = 0;
	KUNIT_EXPECT_EQ(test, decode_one(test, &uattr), 0);
	bitmap_zero(call->bundle.attr_present, method.num_bkeys);
	KUNIT_EXPECT_EQ(test, run(call, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, handler_calls, 0);
	KUNIT_EXPECT_EQ(test, run(call, 1), 0);
	KUNIT_EXPECT_EQ(test, handler_calls, 1);
	done();
}

static struct kunit_case ioctl_cases[] = {
	KUNIT_CASE(test_inputs),
	KUNIT_CASE(test_unreadable),
	KUNIT_CASE(test_outputs),
	KUNIT_CASE(test_enums),
	KUNIT_CASE(test_raw_fds),
	KUNIT_CASE(test_ids),
	KUNIT_CASE(test_mandatory),
	{ }
};

static struct kunit_suite ioctl_suite = {
	.name = "uverbs_decode_ioctl",
	.suite_init = uverbs_user_begin,
	.suite_exit = uverbs_user_end,
	.init = ioctl_init,
	.exit = ioctl_exit,
	.test_cases = ioctl_cases,
};
kunit_test_suite(ioctl_suite);
