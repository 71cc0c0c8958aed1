// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * udp_socket.c - opens and closes the UDP sockets on the RoCEv2 port, one for IPv4 and one for
 * IPv6 in each network namespace that has a device of ours.  device.c joins and leaves; packets go
 * to udp_rx.c, news of room to udp_tx.c.
 *
 * Life time.  Who sends looks at sks[] under RCU and stays under RCU until the packet is with the
 * network stack, which keeps the socket by the packet's charge.  Closing clears sks[], waits for
 * readers, and releases the sockets; after that nothing arrives, lanes are emptied and their works
 * flushed.  A namespace that ends closes before it is freed, whatever devices are still about.
 */
#include <linux/module.h>
#include <net/net_namespace.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>

#include "udp_socket.h"
#include "shca.h"
#include "udp_rx.h"
#include "udp_tx.h"

/* Guards the list, each one's devices, and sockets. */
static DEFINE_MUTEX(sockets_mutex);
static LIST_HEAD(namespaces);

static const sa_family_t families[] = { [SHCA_UDP_V4] = AF_INET, [SHCA_UDP_V6] = AF_INET6 };

static void adopt(struct shca_udp *udp, struct socket *socket)
{
	struct sock *sk = socket->sk;

	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_sk_user_data(sk, udp);
	sk->sk_data_ready = shca_udp_rx_ready;
	sk->sk_write_space = shca_udp_tx_room;
	write_unlock_bh(&sk->sk_callback_lock);
	/* Only the callback above reads, and it never waits for a device. */
#ifdef CONFIG_NET_RX_BUSY_POLL
	WRITE_ONCE(sk->sk_ll_usec, 0);
#endif
	/* Series of packets come as they left where no wire lies between. */
	udp_set_bit(ACCEPT_L4, sk);
	WRITE_ONCE(sk->sk_sndbuf, SHCA_UDP_SEND_BYTES);
	WRITE_ONCE(sk->sk_rcvbuf, SHCA_UDP_LANE_BYTES);
}

static int open_family(struct shca_udp *udp, int which)
{
	struct udp_port_cfg cfg = {
		.family = families[which],
		.local_udp_port = htons(ENG_WIRE_UDP_PORT),
		.use_udp_checksums = 1,
		/* The ICRC covers more: checksums of 0 come from other adapters. */
		.use_udp6_rx_checksums = 0,
		.ipv6_v6only = 1,
	};
	int err = udp_sock_create(udp->net, &cfg, &udp->sockets[which]);

	if (err) {
		udp->sockets[which] = NULL;
		return err;
	}
	adopt(udp, udp->sockets[which]);
	rcu_assign_pointer(udp->sks[which], udp->sockets[which]->sk);
	return 0;
}

static void close_all(struct shca_udp *udp)
{
	int i;

	lockdep_assert_held(&sockets_mutex);
	for (i = 0; i < ARRAY_SIZE(families); i++)
		RCU_INIT_POINTER(udp->sks[i], NULL);
	synchronize_rcu();
	for (i = 0; i < ARRAY_SIZE(families); i++) {
		if (udp->sockets[i])
			udp_tunnel_sock_release(udp->sockets[i]);
		udp->sockets[i] = NULL;
	}
	shca_udp_rx_stop(udp);
	shca_udp_tx_kick(udp);
}

static void open_all(struct shca_udp *udp)
{
	int err = open_family(udp, SHCA_UDP_V4);

	lockdep_assert_held(&sockets_mutex);
	if (!err) {
		err = open_family(udp, SHCA_UDP_V6);
		/* A host may have IPv6 switched off. */
		if (err != -EADDRINUSE)
			return;
	}
	close_all(udp);
	pr_warn("UDP port %u is not available (%d): the wire is down in this namespace\n",
		ENG_WIRE_UDP_PORT, err);
}

static struct shca_udp *make(struct net *net)
{
	struct shca_udp *udp = kzalloc(sizeof(*udp), GFP_KERNEL);

	if (!udp)
		return NULL;
	refcount_set(&udp->refs, 1);
	INIT_LIST_HEAD(&udp->devices);
	udp->net = net;
	init_llist_head(&udp->blocked);
	shca_udp_rx_init(udp);
	list_add(&udp->link, &namespaces);
	open_all(udp);
	return udp;
}

static struct shca_udp *find(const struct net *net)
{
	struct shca_udp *udp;

	lockdep_assert_held(&sockets_mutex);
	list_for_each_entry(udp, &namespaces, link)
		if (udp->net == net)
			return udp;
	return NULL;
}

int shca_udp_socket_join(struct shca_dev *dev)
{
	struct shca_udp *udp;

	mutex_lock(&sockets_mutex);
	udp = find(dev_net(dev->netdev));
	if (!udp)
		udp = make(dev_net(dev->netdev));
	if (udp)
		list_add_tail_rcu(&dev->udp_link, &udp->devices);
	mutex_unlock(&sockets_mutex);
	dev->udp = udp;
	return udp ? 0 : -ENOMEM;
}

void shca_udp_socket_leave(struct shca_dev *dev)
{
	struct shca_udp *udp = dev->udp;
	bool last;

	mutex_lock(&sockets_mutex);
	list_del_rcu(&dev->udp_link);
	last = list_empty(&udp->devices);
	if (last) {
		close_all(udp);
		list_del(&udp->link);
	} else {
		synchronize_rcu();
	}
	mutex_unlock(&sockets_mutex);
	if (last)
		shca_udp_socket_put(udp);
}

void shca_udp_socket_hold(struct shca_udp *udp)
{
	refcount_inc(&udp->refs);
}

void shca_udp_socket_put(struct shca_udp *udp)
{
	if (refcount_dec_and_test(&udp->refs))
		kfree(udp);
}

struct net *shca_udp_socket_net(const struct shca_udp *udp)
{
	return udp->net;
}

bool shca_udp_socket_is_up(const struct shca_udp *udp, bool ipv4)
{
	return rcu_access_pointer(udp->sks[ipv4 ? SHCA_UDP_V4 : SHCA_UDP_V6]);
}

/*
 * Devices that moved away with their netdevs are unregistered later; what they have of this
 * namespace ends here, and a namespace at the same address that comes later is another one.
 */
static void __net_exit forget_net(struct net *net)
{
	struct shca_udp *udp;

	mutex_lock(&sockets_mutex);
	udp = find(net);
	if (udp) {
		close_all(udp);
		udp->net = NULL;
	}
	mutex_unlock(&sockets_mutex);
}

static struct pernet_operations pernet = { .exit = forget_net };

int shca_udp_socket_start(void)
{
	return register_pernet_subsys(&pernet);
}

void shca_udp_socket_stop(void)
{
	unregister_pernet_subsys(&pernet);
}
