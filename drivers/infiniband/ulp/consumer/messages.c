// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Netlink messages as drivers and services of a kernel consumer make them: a header, attributes of
 * a driver's own, and who would hear them.
 */
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

#include "consumer.h"

#define WHERE	"messages"
#define SMALL	64	/* bytes, too few for what is put in */
#define NOBODY	0x7fffffff

/* The first attribute of that type in what @skb has from @from on. */
static const struct nlattr *find(const struct sk_buff *skb, int from, int type)
{
	return nla_find((const struct nlattr *)(skb->data + from), skb->len - from, type);
}

static void test_header(struct sk_buff *skb)
{
	u32 value = 0x12345678, *body;
	const struct nlattr *attr;
	struct nlmsghdr *nlh;

	body = ibnl_put_msg(skb, &nlh, 7, sizeof(*body), RDMA_NL_LS, RDMA_NL_LS_OP_RESOLVE,
			    NLM_F_REQUEST);
	if (!consumer_check(body, "a message", WHERE))
		return;
	consumer_check(nlh->nlmsg_seq == 7 && nlh->nlmsg_flags == NLM_F_REQUEST &&
		       nlh->nlmsg_len == NLMSG_LENGTH(sizeof(*body)) &&
		       nlh->nlmsg_type == RDMA_NL_GET_TYPE(RDMA_NL_LS, RDMA_NL_LS_OP_RESOLVE),
		       "says whose it is", WHERE);
	consumer_check(!ibnl_put_attr(skb, nlh, sizeof(value), &value, 3), "takes an attribute",
		       WHERE);
	attr = find(skb, NLMSG_LENGTH(sizeof(*body)), 3);
	consumer_check(attr && nla_get_u32(attr) == value, "and has it", WHERE);
}

static void test_full(void)
{
	struct sk_buff *skb = alloc_skb(SMALL, GFP_KERNEL);
	char much[SMALL] = { };
	struct nlmsghdr *nlh;

	if (!skb)
		return;
	skb_put(skb, skb_tailroom(skb) - NLMSG_HDRLEN);
	consumer_check(!ibnl_put_msg(skb, &nlh, 0, NLMSG_HDRLEN, RDMA_NL_LS, 0, 0),
		       "no message where there is no room", WHERE);
	consumer_check(ibnl_put_msg(skb, &nlh, 0, 0, RDMA_NL_LS, 0, 0) &&
		       ibnl_put_attr(skb, nlh, sizeof(much), much, 1) == -EMSGSIZE,
		       "nor an attribute", WHERE);
	consumer_check(rdma_nl_put_driver_u32(skb, "name", 1) == -EMSGSIZE &&
		       rdma_nl_put_driver_u64_hex(skb, "name", 1) == -EMSGSIZE &&
		       rdma_nl_put_driver_string(skb, "name", "value") == -EMSGSIZE,
		       "nor one of a driver's", WHERE);
	kfree_skb(skb);
}

static bool has_hex(const struct sk_buff *skb, int from)
{
	const struct nlattr *attr = find(skb, from, RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE);

	return attr && nla_get_u8(attr) == RDMA_NLDEV_PRINT_TYPE_HEX;
}

static bool has_name(const struct sk_buff *skb, int from)
{
	const struct nlattr *attr = find(skb, from, RDMA_NLDEV_ATTR_DRIVER_STRING);

	return attr && !nla_strcmp(attr, "name");
}

static void test_u32(struct sk_buff *skb, bool hex)
{
	const struct nlattr *attr;
	int from = skb->len, ret;

	ret = hex ? rdma_nl_put_driver_u32_hex(skb, "name", 5) :
		    rdma_nl_put_driver_u32(skb, "name", 5);
	attr = find(skb, from, RDMA_NLDEV_ATTR_DRIVER_U32);
	consumer_check(!ret && has_name(skb, from) && has_hex(skb, from) == hex && attr &&
		       nla_get_u32(attr) == 5,
		       hex ? "a driver's number, for base 16" : "a driver's number", WHERE);
}

static void test_u64(struct sk_buff *skb, bool hex)
{
	const struct nlattr *attr;
	int from = skb->len, ret;

	ret = hex ? rdma_nl_put_driver_u64_hex(skb, "name", 5ull << 40) :
		    rdma_nl_put_driver_u64(skb, "name", 5ull << 40);
	attr = find(skb, from, RDMA_NLDEV_ATTR_DRIVER_U64);
	consumer_check(!ret && has_name(skb, from) && has_hex(skb, from) == hex && attr &&
		       nla_get_u64(attr) == 5ull << 40,
		       hex ? "a long one, for base 16" : "a long one", WHERE);
}

static void test_string(struct sk_buff *skb)
{
	int from = skb->len, ret = rdma_nl_put_driver_string(skb, "name", "value");
	const struct nlattr *attr = find(skb, from, RDMA_NLDEV_ATTR_DRIVER_STRING);

	consumer_check(!ret && attr && !nla_strcmp(attr, "name") &&
		       !nla_strcmp(nla_next(attr, &(int){ skb->len - from }), "value"),
		       "a driver's word", WHERE);
}

/* Nobody listens on what nobody knows; both take the message, whatever becomes of it. */
static void test_nobody(void)
{
	struct sk_buff *one = nlmsg_new(SMALL, GFP_KERNEL), *all = nlmsg_new(SMALL, GFP_KERNEL);
	struct nlmsghdr *nlh;

	consumer_check(!rdma_nl_chk_listeners(RDMA_NL_GROUP_LS), "no path service listens", WHERE);
	if (one && ibnl_put_msg(one, &nlh, 0, 0, RDMA_NL_LS, 0, 0))
		consumer_check(rdma_nl_unicast_wait(&init_net, one, NOBODY) == -ECONNREFUSED,
			       "a message to nobody is refused", WHERE);
	if (all && ibnl_put_msg(all, &nlh, 0, 0, RDMA_NL_LS, 0, 0))
		consumer_check(rdma_nl_multicast(&init_net, all, RDMA_NL_GROUP_LS, GFP_KERNEL) ==
			       -ESRCH, "and so is one to a group of nobody", WHERE);
}

void messages_test(void)
{
	struct sk_buff *skb = nlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!consumer_check(skb, "memory", WHERE))
		return;
	test_header(skb);
	test_u32(skb, false);
	test_u32(skb, true);
	test_u64(skb, false);
	test_u64(skb, true);
	test_string(skb);
	nlmsg_free(skb);
	test_full();
	test_nobody();
}
