// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of nldev.c: which messages its parser takes. The kind of each attribute stands here a
 * second time, as the comments of <rdma/rdma_netlink.h> give it.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "nldev.c"

/* u: u8, w: u32, q: u64, s: string, n: nested, a: socket address, b: bytes, .: pad */
static const char kinds[] =
	".wswqsqqqwwuuuunnsqnnwwwwuuuwsnnwaannwqunnwwqqnnww"
	"wsnnsuwwqqwwwwwsuswssqqqwwwnnwnnsqubnnnnwwwuwuuus";
static_assert(sizeof(kinds) - 1 == RDMA_NLDEV_ATTR_MAX);

#define ROOM	512

struct message {
	struct nlmsghdr head;
	u8 data[ROOM];
};

static int parse(struct message *message, struct core_nldev_request *req)
{
	struct netlink_ext_ack extack = { };

	return core_nldev_begin(req, NULL, &message->head, &extack, 0);
}

static void message_one(struct message *message, int attr, unsigned int bytes, u8 fill)
{
	struct nlattr *nla = (struct nlattr *)message->data;

	memset(message, 0, sizeof(*message));
	nla->nla_type = attr;
	nla->nla_len = NLA_HDRLEN + bytes;
	memset(nla_data(nla), fill, bytes);
	message->head.nlmsg_len = NLMSG_HDRLEN + NLA_ALIGN(nla->nla_len);
}

/* Of a number less than its width is refused; more than that is what newer programs send. */
static bool taken(int attr, unsigned int bytes)
{
	switch (kinds[attr]) {
	case 'u':
		return bytes >= 1;
	case 'w':
		return bytes >= 4;
	case 'q':
		return bytes >= 8;
	case 's':	/* the fill has no zero byte */
		return false;
	case 'n':	/* filled with zeros; the header of what is inside would be cut off */
		return bytes == 0 || bytes >= NLA_HDRLEN;
	}
	return true;
}

static void test_lengths(struct kunit *test)
{
	struct core_nldev_request *req = kunit_kzalloc(test, sizeof(*req), GFP_KERNEL);
	struct message *message = kunit_kzalloc(test, sizeof(*message), GFP_KERNEL);
	unsigned int attr, bytes;

	KUNIT_ASSERT_NOT_NULL(test, req);
	KUNIT_ASSERT_NOT_NULL(test, message);
	for (attr = 1; attr < RDMA_NLDEV_ATTR_MAX; attr++)
		for (bytes = 0; bytes < 20; bytes++) {
			if (kinds[attr] == 'a')
				continue;
			message_one(message, attr, bytes, 'x');
			if (kinds[attr] == 'n')
				continue;
			KUNIT_EXPECT_EQ_MSG(test, !parse(message, req), taken(attr, bytes),
					    "attribute %u of %u bytes", attr, bytes);
		}
}

/* Strings end in a zero byte within the length that the user interface gives them. */
static void test_strings(struct kunit *test)
{
	struct core_nldev_request *req = kunit_kzalloc(test, sizeof(*req), GFP_KERNEL);
	struct message *message = kunit_kzalloc(test, sizeof(*message), GFP_KERNEL);
	static const struct { int attr; unsigned int room; } strings[] = {
		{ RDMA_NLDEV_ATTR_DEV_NAME, IB_DEVICE_NAME_MAX },
		{ RDMA_NLDEV_ATTR_NDEV_NAME, IFNAMSIZ },
		{ RDMA_NLDEV_ATTR_LINK_TYPE, IFNAMSIZ },
		{ RDMA_NLDEV_ATTR_CHARDEV_TYPE, 32 },
	};
	unsigned int i, bytes;

	KUNIT_ASSERT_NOT_NULL(test, req);
	KUNIT_ASSERT_NOT_NULL(test, message);
	for (i = 0; i < ARRAY_SIZE(strings); i++)
		for (bytes = 0; bytes < 200; bytes++) {
			message_one(message, strings[i].attr, bytes + 1, 'x');
			((u8 *)nla_data((struct nlattr *)message->data))[bytes] = 0;
			KUNIT_EXPECT_EQ_MSG(test, !parse(message, req),
					    bytes <= strings[i].room,
					    "attribute %d, %u characters", strings[i].attr, bytes);
		}
}

/* Whatever comes: an attribute that was taken lies inside the message. KASAN watches the rest. */
static void test_noise(struct kunit *test)
{
	struct core_nldev_request *req = kunit_kzalloc(test, sizeof(*req), GFP_KERNEL);
	struct rnd_state rnd;
	unsigned int n, i;

	KUNIT_ASSERT_NOT_NULL(test, req);
	prandom_seed_state(&rnd, 3);
	for (n = 0; n < 20000; n++) {
		unsigned int bytes = prandom_u32_state(&rnd) % 64;
		/* As long as it says, so that KASAN sees a step too far. */
		struct message *message = kmalloc(NLMSG_HDRLEN + bytes, GFP_KERNEL);
		struct nlattr *nla;

		KUNIT_ASSERT_NOT_NULL(test, message);
		memset(&message->head, 0, sizeof(message->head));
		prandom_bytes_state(&rnd, message->data, bytes);
		message->head.nlmsg_len = NLMSG_HDRLEN + bytes;
		nla = (struct nlattr *)message->data;
		if (bytes >= NLA_HDRLEN && n % 4) {
			nla->nla_len %= bytes + 8;
			nla->nla_type %= RDMA_NLDEV_ATTR_MAX + 2;
		}
		if (!parse(message, req))
			for (i = 0; i < RDMA_NLDEV_ATTR_MAX; i++)
				if (req->tb[i] && !nla_ok(req->tb[i], (u8 *)message +
						  message->head.nlmsg_len - (u8 *)req->tb[i]))
					KUNIT_FAIL(test, "attribute %u leaves the message", i);
		kfree(message);
	}
}

static struct kunit_case nldev_cases[] = {
	KUNIT_CASE(test_lengths),
	KUNIT_CASE(test_strings),
	KUNIT_CASE(test_noise),
	{ }
};

static struct kunit_suite nldev_suite = {
	.name = "core_nldev",
	.test_cases = nldev_cases,
};
kunit_test_suite(nldev_suite);
