// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * NETLINK_RDMA: a socket in every network namespace and, behind it, a table of callbacks for each
 * client (nldev here; iw_cm and ib_sa elsewhere). netns.c makes the sockets, clients register
 * themselves, user space sends.
 *
 * A client's rwsem is held for reading while one of its callbacks runs, so that a client is gone
 * when rdma_nl_unregister() returns; that includes dumps, which go on in later system calls and
 * hence take it anew for each message.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/rwsem.h>
#include <net/net_namespace.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/rdma_netlink.h>

#include "netlink.h"
#include "core_priv.h"

#define SEND_TIMEOUT_S 10

/* Requests of iw_cm come with a dump callback whatever their flags, answers to ib_sa without. */
enum nl_style {
	NL_STYLE_NONE,		/* a client number that is not in use */
	NL_STYLE_PLAIN,		/* NLM_F_DUMP chooses between dump and doit */
	NL_STYLE_ALWAYS_DUMP,
	NL_STYLE_ANSWERS,	/* the kernel asked; flags have other meanings */
};

struct nl_client {
	/* Protects cb_table; see the head of this file. */
	struct rw_semaphore sem;
	const struct rdma_nl_cbs *cb_table;
	const enum nl_style style;
	const unsigned int num_ops;
};

static struct nl_client clients[RDMA_NL_NUM_CLIENTS] = {
	[RDMA_NL_IWCM] = { .style = NL_STYLE_ALWAYS_DUMP, .num_ops = RDMA_NL_IWPM_NUM_OPS },
	[RDMA_NL_LS] = { .style = NL_STYLE_ANSWERS, .num_ops = RDMA_NL_LS_NUM_OPS },
	[RDMA_NL_NLDEV] = { .style = NL_STYLE_PLAIN, .num_ops = RDMA_NLDEV_NUM_OPS },
};

static struct sock *socket_of(struct net *net)
{
	return core_netns_of(net)->nl_sock;
}

bool rdma_nl_chk_listeners(unsigned int group)
{
	return netlink_has_listeners(socket_of(&init_net), group);
}
EXPORT_SYMBOL(rdma_nl_chk_listeners);

static struct nl_client *client_at(unsigned int index)
{
	if (index >= ARRAY_SIZE(clients) || clients[index].style == NL_STYLE_NONE)
		return NULL;
	return &clients[index];
}

void rdma_nl_register(unsigned int index, const struct rdma_nl_cbs cb_table[])
{
	struct nl_client *client = client_at(index);

	if (WARN_ON(!client))
		return;
	down_write(&client->sem);
	WARN_ON(client->cb_table);
	client->cb_table = cb_table;
	up_write(&client->sem);
}
EXPORT_SYMBOL(rdma_nl_register);

void rdma_nl_unregister(unsigned int index)
{
	struct nl_client *client = client_at(index);

	if (WARN_ON(!client))
		return;
	down_write(&client->sem);
	client->cb_table = NULL;
	up_write(&client->sem);
}
EXPORT_SYMBOL(rdma_nl_unregister);

/* Room for a message of @len bytes behind its header, or NULL. */
void *ibnl_put_msg(struct sk_buff *skb, struct nlmsghdr **nlh, int seq, int len, int client,
		   int op, int flags)
{
	*nlh = nlmsg_put(skb, 0, seq, RDMA_NL_GET_TYPE(client, op), len, flags);
	return *nlh ? nlmsg_data(*nlh) : NULL;
}
EXPORT_SYMBOL(ibnl_put_msg);

int ibnl_put_attr(struct sk_buff *skb, struct nlmsghdr *nlh, int len, void *data, int type)
{
	if (nla_put(skb, type, len, data)) {
		nlmsg_cancel(skb, nlh);
		return -EMSGSIZE;
	}
	return 0;
}
EXPORT_SYMBOL(ibnl_put_attr);

int rdma_nl_unicast(struct net *net, struct sk_buff *skb, u32 pid)
{
	int ret = netlink_unicast(socket_of(net), skb, pid, MSG_DONTWAIT);

	return min(ret, 0);
}
EXPORT_SYMBOL(rdma_nl_unicast);

int rdma_nl_unicast_wait(struct net *net, struct sk_buff *skb, __u32 pid)
{
	int ret = netlink_unicast(socket_of(net), skb, pid, 0);

	return min(ret, 0);
}
EXPORT_SYMBOL(rdma_nl_unicast_wait);

int rdma_nl_multicast(struct net *net, struct sk_buff *skb, unsigned int group, gfp_t flags)
{
	return nlmsg_multicast(socket_of(net), skb, 0, group, flags);
}
EXPORT_SYMBOL(rdma_nl_multicast);

/*
 * Takes client->sem for reading and returns the callbacks of a message, or unlocks and returns
 * NULL. Loads the client's module if it is not there.
 */
static const struct rdma_nl_cbs *lock_callbacks(const struct sk_buff *skb, u16 type)
{
	struct nl_client *client = client_at(RDMA_NL_GET_CLIENT(type));
	unsigned int op = RDMA_NL_GET_OP(type);

	if (!client || op >= client->num_ops)
		return NULL;
	/* The other clients know only the first network namespace. */
	if (client != &clients[RDMA_NL_NLDEV] && sock_net(skb->sk) != &init_net)
		return NULL;

	down_read(&client->sem);
	if (!client->cb_table) {
		up_read(&client->sem);
		request_module("rdma-netlink-subsys-%u", RDMA_NL_GET_CLIENT(type));
		down_read(&client->sem);
	}
	if (client->cb_table && (client->cb_table[op].doit || client->cb_table[op].dump))
		return &client->cb_table[op];
	up_read(&client->sem);
	return NULL;
}

static void unlock_callbacks(u16 type)
{
	up_read(&clients[RDMA_NL_GET_CLIENT(type)].sem);
}

static int dump_part(struct sk_buff *skb, struct netlink_callback *cb)
{
	u16 type = cb->nlh->nlmsg_type;
	const struct rdma_nl_cbs *cbs = lock_callbacks(cb->skb, type);
	int ret;

	if (!cbs)
		return -EINVAL;
	ret = cbs->dump ? cbs->dump(skb, cb) : -EINVAL;
	unlock_callbacks(type);
	return ret;
}

static int call_client(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct netlink_dump_control dump = { .dump = dump_part };
	u16 type = nlh->nlmsg_type;
	const struct rdma_nl_cbs *cbs = lock_callbacks(skb, type);
	int ret = -EINVAL;
	bool dumps;

	if (!cbs)
		return -EINVAL;
	if ((cbs->flags & RDMA_NL_ADMIN_PERM) && !netlink_capable(skb, CAP_NET_ADMIN)) {
		unlock_callbacks(type);
		return -EPERM;
	}

	dumps = clients[RDMA_NL_GET_CLIENT(type)].style == NL_STYLE_ALWAYS_DUMP ||
		(clients[RDMA_NL_GET_CLIENT(type)].style == NL_STYLE_PLAIN &&
		 nlh->nlmsg_flags & NLM_F_DUMP);
	if (dumps) {
		dumps = cbs->dump;
		/* dump_part() takes the lock itself. */
		unlock_callbacks(type);
		return dumps ? netlink_dump_start(skb->sk, skb, nlh, &dump) : -EINVAL;
	}
	if (cbs->doit)
		ret = cbs->doit(skb, nlh, extack);
	unlock_callbacks(type);
	return ret;
}

static void handle_message(struct sk_buff *skb, struct nlmsghdr *nlh)
{
	bool answers = RDMA_NL_GET_CLIENT(nlh->nlmsg_type) == RDMA_NL_LS;
	struct netlink_ext_ack extack = {};
	int ret = 0;

	if (nlh->nlmsg_type >= NLMSG_MIN_TYPE) {
		/* Answers to the kernel's own questions are no requests. */
		if (!(nlh->nlmsg_flags & NLM_F_REQUEST) && !answers)
			return;
		ret = call_client(skb, nlh, &extack);
		/* A dump was started, and its last message is the acknowledgement. */
		if (ret == -EINTR)
			return;
	}
	if (nlh->nlmsg_flags & NLM_F_ACK || ret)
		netlink_ack(skb, nlh, ret, &extack);
}

/* netlink_rcv_skb() would throw the answers of NL_STYLE_ANSWERS away, hence a loop of our own. */
static void receive(struct sk_buff *skb)
{
	struct nlmsghdr *nlh;
	u32 len;

	while (skb->len >= nlmsg_total_size(0)) {
		nlh = nlmsg_hdr(skb);
		if (nlh->nlmsg_len < NLMSG_HDRLEN || skb->len < nlh->nlmsg_len)
			return;
		handle_message(skb, nlh);
		len = min_t(u32, NLMSG_ALIGN(nlh->nlmsg_len), skb->len);
		skb_pull(skb, len);
	}
}

int core_nl_net_init(struct core_netns *netns)
{
	struct netlink_kernel_cfg cfg = { .input = receive };
	struct sock *sock;

	sock = netlink_kernel_create(read_pnet(&netns->net), NETLINK_RDMA, &cfg);
	if (!sock)
		return -ENOMEM;
	sock->sk_sndtimeo = SEND_TIMEOUT_S * HZ;
	netns->nl_sock = sock;
	return 0;
}

void core_nl_net_exit(struct core_netns *netns)
{
	netlink_kernel_release(netns->nl_sock);
}

int core_nl_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clients); i++)
		init_rwsem(&clients[i].sem);
	return 0;
}

void core_nl_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clients); i++)
		WARN(clients[i].cb_table, "netlink client %u was left behind\n", i);
}

MODULE_ALIAS_NET_PF_PROTO(PF_NETLINK, NETLINK_RDMA);
