// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of decode_write.c: every small combination of header words, byte count and declared sizes
 * against the rules as the head of that file tells them; what is handed on lies inside the call.
 */
#include "user_memory_kunit.h"
#include "decode_write.c"

#define MAX_WORDS	6

static struct uverbs_call *call;
static struct uverbs_api_method method;

static int write_init(struct kunit *test)
{
	uverbs_user_enter();
	memset(&method, 0, sizeof(method));
	call = kunit_kzalloc(test, sizeof(*call), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, call);
	call->method = &method;
	return 0;
}

static void write_exit(struct kunit *test)
{
	uverbs_user_leave();
}

/* Not more than there is, and no address where there is no length. */
static void check_udata(struct kunit *test, const struct ib_udata *udata, unsigned long in,
			size_t inlen, unsigned long out, size_t outlen)
{
	KUNIT_ASSERT_EQ(test, udata->inlen, inlen);
	KUNIT_ASSERT_EQ(test, udata->outlen, outlen);
	KUNIT_ASSERT_EQ(test, (unsigned long)udata->inbuf, inlen ? in : 0);
	KUNIT_ASSERT_EQ(test, (unsigned long)udata->outbuf, outlen ? out : 0);
}

#define RESPONSE	0x5000UL

/* A legacy command: count is in words of 4 bytes and exact; a struct too short is ENOSPC. */
static void legacy_one(struct kunit *test, unsigned int in_words, unsigned int out_words,
		       size_t count)
{
	struct ib_uverbs_cmd_hdr hdr = { .in_words = in_words, .out_words = out_words };
	unsigned long req = (unsigned long)user_page + sizeof(hdr);
	size_t in = count - sizeof(hdr), out = out_words * 4;
	int want = 0, ret;

	if (in_words * 4 != count)
		want = -EINVAL;
	else if (in < method.req_size || out < method.resp_size)
		want = -ENOSPC;
	ret = legacy_buffers(call, &hdr, (char __user *)user_page, count);
	KUNIT_ASSERT_EQ(test, ret, want);
	if (ret)
		return;
	if (!method.has_resp)
		out = 0;
	if (!method.has_udata) {
		check_udata(test, &call->bundle.ucore, req, in, RESPONSE, out);
		return;
	}
	check_udata(test, &call->bundle.ucore, req, method.req_size, RESPONSE, method.resp_size);
	check_udata(test, &call->bundle.driver_udata, req + method.req_size, in - method.req_size,
		    RESPONSE + method.resp_size, out > method.resp_size ?
		    out - method.resp_size : 0);
}

static void test_legacy(struct kunit *test)
{
	static const u64 response = RESPONSE;
	unsigned int in, out, variant;
	size_t count;

	KUNIT_ASSERT_EQ(test, copy_to_user(user_page + sizeof(struct ib_uverbs_cmd_hdr), &response,
					   sizeof(response)), 0ul);
	for (variant = 0; variant < 16; variant++) {
		method.has_resp = variant & 1;
		method.has_udata = variant & 2;
		/* A response address is the first member of the request. */
		method.req_size = (method.has_resp ? 8 : 0) + (variant & 4);
		method.resp_size = method.has_resp ? variant & 8 : 0;
		for (in = 0; in < MAX_WORDS; in++)
			for (out = 0; out < MAX_WORDS; out++)
				for (count = sizeof(struct ib_uverbs_cmd_hdr);
				     count < 4 * MAX_WORDS + 4; count++)
					legacy_one(test, in, out, count);
	}
}

/* An extended one: two headers, words of 8 bytes, all of it accounted for. */
static void ex_one(struct kunit *test, const struct ib_uverbs_cmd_hdr *hdr,
		   const struct ib_uverbs_ex_cmd_hdr *ex, size_t count)
{
	size_t headers = sizeof(*hdr) + sizeof(*ex);
	size_t in = hdr->in_words * 8, driver_in = ex->provider_in_words * 8;
	size_t out = hdr->out_words * 8, driver_out = ex->provider_out_words * 8;
	unsigned long req = (unsigned long)user_page + headers;
	int want = 0, ret;

	if (count < headers || count - headers != in + driver_in || ex->cmd_hdr_reserved ||
	    !ex->response != !(out + driver_out))
		want = -EINVAL;
	KUNIT_ASSERT_EQ(test, copy_to_user(user_page + sizeof(*hdr), ex, sizeof(*ex)), 0ul);
	ret = ex_buffers(call, hdr, (char __user *)user_page, count);
	KUNIT_ASSERT_EQ(test, ret, want);
	if (ret)
		return;
	check_udata(test, &call->bundle.ucore, req, in, RESPONSE, out);
	check_udata(test, &call->bundle.driver_udata, req + in, driver_in, RESPONSE + out,
		    driver_out);
}

static void test_ex(struct kunit *test)
{
	unsigned int words, fields;
	size_t count;

	for (words = 0; words < 256; words++)
		for (fields = 0; fields < 4; fields++) {
			struct ib_uverbs_cmd_hdr hdr = {
				.in_words = words & 3, .out_words = words >> 2 & 3,
			};
			struct ib_uverbs_ex_cmd_hdr ex = {
				.provider_in_words = words >> 4 & 3,
				.provider_out_words = words >> 6 & 3,
				.response = fields & 1 ? RESPONSE : 0,
				.cmd_hdr_reserved = fields & 2,
			};

			for (count = 8; count < 80; count += 4)
				ex_one(test, &hdr, &ex, count);
		}
}

/* Words are counted in 16 bits: no product of them overflows. */
static void test_ex_huge(struct kunit *test)
{
	struct ib_uverbs_cmd_hdr hdr = { .in_words = U16_MAX, .out_words = U16_MAX };
	struct ib_uverbs_ex_cmd_hdr ex = {
		.provider_in_words = U16_MAX, .provider_out_words = U16_MAX, .response = RESPONSE,
	};

	ex_one(test, &hdr, &ex, 8 + 16);
	ex_one(test, &hdr, &ex, 8 + 16 + 16 * U16_MAX);
	/* Where no user memory can be. */
	ex.response = ULONG_MAX - 8;
	KUNIT_ASSERT_EQ(test, copy_to_user(user_page + sizeof(hdr), &ex, sizeof(ex)), 0ul);
	KUNIT_EXPECT_EQ(test, ex_buffers(call, &hdr, (char __user *)user_page,
					 8 + 16 + 16 * U16_MAX), -EFAULT);
}

static void test_unreadable(struct kunit *test)
{
	char __user *end = (char __user *)user_page + PAGE_SIZE;
	struct ib_uverbs_cmd_hdr hdr = { .in_words = 4, .out_words = 2 };

	method.has_resp = true;
	method.req_size = 8;
	KUNIT_EXPECT_EQ(test, legacy_buffers(call, &hdr, end - sizeof(hdr), 16), -EFAULT);
	KUNIT_EXPECT_EQ(test, ex_buffers(call, &hdr, end - sizeof(hdr), 8 + 16 + 32), -EFAULT);
}

/* Flags and command numbers of the header's first word. */
static void test_numbers(struct kunit *test)
{
	struct uverbs_api *api = kunit_kzalloc(test, sizeof(*api), GFP_KERNEL);
	unsigned int bit;

	KUNIT_ASSERT_NOT_NULL(test, api);
	api->write[3] = &method;
	KUNIT_EXPECT_PTR_EQ(test, uverbs_write_method(api, 3),
			    (const struct uverbs_api_method *)&method);
	KUNIT_EXPECT_EQ(test, PTR_ERR(uverbs_write_method(api, 4)), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, PTR_ERR(uverbs_write_method(api, 255)), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, PTR_ERR(uverbs_write_method(api,
				3 | IB_USER_VERBS_CMD_FLAG_EXTENDED)), -EOPNOTSUPP);
	for (bit = 8; bit < 31; bit++)
		KUNIT_EXPECT_EQ(test, PTR_ERR(uverbs_write_method(api, 3 | BIT(bit))), -EINVAL);
	method.disabled = true;
	KUNIT_EXPECT_EQ(test, PTR_ERR(uverbs_write_method(api, 3)), -EOPNOTSUPP);
}

static struct kunit_case write_cases[] = {
	KUNIT_CASE(test_legacy),
	KUNIT_CASE(test_ex),
	KUNIT_CASE(test_ex_huge),
	KUNIT_CASE(test_unreadable),
	KUNIT_CASE(test_numbers),
	{ }
};

static struct kunit_suite write_suite = {
	.name = "uverbs_decode_write",
	.suite_init = uverbs_user_begin,
	.suite_exit = uverbs_user_end,
	.init = write_init,
	.exit = write_exit,
	.test_cases = write_cases,
};
kunit_test_suite(write_suite);
