// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What a kernel consumer looks up on a device: GIDs, P_Keys, what is cached of a port, addresses
 * and the references they hold; and the words that messages are made of.
 */
#include <linux/netdevice.h>
#include <rdma/ib.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "consumer.h"

#define WHERE	"lookups"
#define PORT	1
#define NO_PORT	9

/* The entry that a search finds is this one; gives the reference back. */
static bool is(const struct ib_gid_attr *found, const struct ib_gid_attr *want)
{
	bool same = !IS_ERR(found) && found->index == want->index &&
		    !memcmp(&found->gid, &want->gid, sizeof(want->gid));

	if (!IS_ERR(found))
		rdma_put_gid_attr(found);
	return same;
}

static void test_gids(struct ib_device *dev, const struct ib_gid_attr *ours)
{
	static const union ib_gid nobody = { .raw = { 0x20, [15] = 0x77 } };
	union ib_gid gid = ours->gid;
	struct net_device *ndev;
	u16 vlan = 0, index;
	u8 mac[ETH_ALEN];
	u32 port;

	consumer_check(is(rdma_find_gid(dev, &gid, ours->gid_type, NULL), ours),
		       "a GID is found on any port", WHERE);
	consumer_check(is(rdma_find_gid_by_port(dev, &gid, ours->gid_type, PORT, NULL), ours),
		       "and on its own", WHERE);
	consumer_check(rdma_find_gid_by_port(dev, &gid, ours->gid_type, NO_PORT, NULL) ==
		       ERR_PTR(-ENOENT), "not on one that is not there", WHERE);
	consumer_check(rdma_find_gid(dev, &nobody, ours->gid_type, NULL) == ERR_PTR(-ENOENT),
		       "nor one of nobody's", WHERE);
	consumer_check(ib_find_gid(dev, &gid, &port, &index) == -ENOENT,
		       "a search in InfiniBand's tables leaves RoCE out", WHERE);
	consumer_check(rdma_get_gid_attr(dev, NO_PORT, 0) == ERR_PTR(-EINVAL) &&
		       rdma_get_gid_attr(dev, PORT, -1) == ERR_PTR(-EINVAL),
		       "no entry of a port or at an index that is not there", WHERE);
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(ours);
	consumer_check(!IS_ERR(ndev) && !rdma_read_gid_l2_fields(ours, &vlan, mac) &&
		       !memcmp(mac, ndev->dev_addr, ETH_ALEN) && vlan == 0xffff,
		       "its netdev, MAC, and no VLAN", WHERE);
	rcu_read_unlock();
	consumer_check(!IS_ERR(rdma_read_gid_hw_context(ours)), "what the driver keeps with it",
		       WHERE);
	rdma_hold_gid_attr(ours);
	rdma_put_gid_attr(ours);
	consumer_check(rdma_is_zero_gid(&zgid) && !rdma_is_zero_gid(&gid), "zero is zero", WHERE);
}

static void test_pkeys(struct ib_device *dev)
{
	u16 pkey = 0, index = 7, cached = 0;
	int ret = ib_query_pkey(dev, PORT, 0, &pkey);

	consumer_check(!ret && pkey == 0xffff, "the default partition", WHERE);
	consumer_check(!ib_get_cached_pkey(dev, PORT, 0, &cached) && cached == pkey,
		       "is cached", WHERE);
	consumer_check(ib_get_cached_pkey(dev, PORT, 5000, &cached) == -EINVAL &&
		       ib_get_cached_pkey(dev, NO_PORT, 0, &cached) == -EINVAL,
		       "no entry beyond the table, none of no port", WHERE);
	/* A limited member's key of the same partition finds it; an exact search does not. */
	consumer_check(!ib_find_cached_pkey(dev, PORT, 0x7fff, &index) && !index,
		       "a partition is found", WHERE);
	consumer_check(!ib_find_pkey(dev, PORT, 0x7fff, &index) && !index,
		       "also by asking the driver", WHERE);
	consumer_check(!ib_find_exact_cached_pkey(dev, PORT, 0xffff, &index) && !index &&
		       ib_find_exact_cached_pkey(dev, PORT, 0x7fff, &index) == -ENOENT,
		       "exactly, or not", WHERE);
	consumer_check(ib_find_cached_pkey(dev, PORT, 0x8123, &index) == -ENOENT &&
		       ib_find_pkey(dev, PORT, 0x8123, &index) == -ENOENT,
		       "another partition is not", WHERE);
	consumer_check(ib_find_cached_pkey(dev, NO_PORT, pkey, &index) == -EINVAL &&
		       ib_find_exact_cached_pkey(dev, NO_PORT, pkey, &index) == -EINVAL,
		       "nor any on no port", WHERE);
}

static void test_port(struct ib_device *dev)
{
	enum ib_port_state state = IB_PORT_NOP;
	struct ib_port_attr attr;
	u8 lmc = 9;

	consumer_check(!ib_query_port(dev, PORT, &attr), "the port", WHERE);
	consumer_check(!ib_get_cached_port_state(dev, PORT, &state) && state == attr.state,
		       "its state is cached", WHERE);
	consumer_check(!ib_get_cached_lmc(dev, PORT, &lmc) && lmc == attr.lmc, "and its LMC",
		       WHERE);
	consumer_check(ib_get_cached_port_state(dev, NO_PORT, &state) == -EINVAL &&
		       ib_get_cached_lmc(dev, NO_PORT, &lmc) == -EINVAL &&
		       ib_query_port(dev, NO_PORT, &attr) == -EINVAL,
		       "nothing of a port that is not there", WHERE);
	consumer_check(!ib_get_net_dev_by_params(dev, PORT, 0xffff, NULL, NULL),
		       "no client lends RoCE a netdev", WHERE);
	consumer_check(rdma_node_get_transport(dev->node_type) == RDMA_TRANSPORT_IB &&
		       rdma_port_get_link_layer(dev, PORT) == IB_LINK_LAYER_ETHERNET,
		       "InfiniBand over Ethernet", WHERE);
}

/* How many references somebody holds cannot be asked; that none is lost shows when it goes. */
static void test_addresses(struct ib_device *dev, const struct ib_gid_attr *ours)
{
	struct rdma_ah_attr one = { .port_num = PORT, .type = RDMA_AH_ATTR_TYPE_ROCE };
	struct rdma_ah_attr two = { }, three = { };
	union ib_gid to = ours->gid;

	rdma_hold_gid_attr(ours);
	rdma_move_grh_sgid_attr(&one, &to, 5, 64, 3, ours);
	consumer_check(one.grh.sgid_attr == ours && one.grh.sgid_index == ours->index &&
		       one.grh.hop_limit == 64 && one.grh.flow_label == 5 &&
		       one.grh.traffic_class == 3 && one.ah_flags & IB_AH_GRH,
		       "a route takes a GID", WHERE);
	rdma_copy_ah_attr(&two, &one);
	consumer_check(two.grh.sgid_attr == ours, "a copy has one, too", WHERE);
	rdma_move_ah_attr(&three, &two);
	consumer_check(three.grh.sgid_attr == ours && !two.grh.sgid_attr, "a move takes it along",
		       WHERE);
	rdma_replace_ah_attr(&three, &one);
	consumer_check(three.grh.sgid_attr == ours, "a replacement drops the old one", WHERE);
	rdma_destroy_ah_attr(&three);
	rdma_destroy_ah_attr(&two);
	rdma_destroy_ah_attr(&one);
	consumer_check(!one.grh.sgid_attr, "and it can be given back", WHERE);
}

/* What the port can never change. */
static void test_immutable(struct ib_device *dev)
{
	const struct ib_port_immutable *immutable = ib_port_immutable_read(dev, PORT);
	struct ib_port_attr attr;

	consumer_check(!ib_query_port(dev, PORT, &attr) &&
		       immutable->gid_tbl_len == attr.gid_tbl_len &&
		       immutable->pkey_tbl_len == attr.pkey_tbl_len &&
		       immutable->core_cap_flags & RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP,
		       "tables and protocol of a port", WHERE);
}

static void test_sizes(void)
{
	struct __kernel_sockaddr_storage any = { };
	struct sockaddr *addr = (struct sockaddr *)&any;

	consumer_check(!rdma_addr_size(addr) && !rdma_addr_size_kss(&any),
		       "no address has no size", WHERE);
	addr->sa_family = AF_INET;
	consumer_check(rdma_addr_size(addr) == sizeof(struct sockaddr_in) &&
		       rdma_addr_size_in6((void *)addr) == sizeof(struct sockaddr_in),
		       "one of IPv4 has", WHERE);
	addr->sa_family = AF_INET6;
	consumer_check(rdma_addr_size(addr) == sizeof(struct sockaddr_in6) &&
		       rdma_addr_size_in6((void *)addr) == sizeof(struct sockaddr_in6) &&
		       rdma_addr_size_kss(&any) == sizeof(struct sockaddr_in6),
		       "one of IPv6 too", WHERE);
	addr->sa_family = AF_IB;
	consumer_check(rdma_addr_size(addr) == sizeof(struct sockaddr_ib) &&
		       !rdma_addr_size_in6((void *)addr) &&
		       rdma_addr_size_kss(&any) == sizeof(struct sockaddr_ib),
		       "one of InfiniBand is too long for IPv6", WHERE);
}

static void test_words(struct ib_device *dev)
{
	ibdev_info(dev, "a message of a consumer, %d\n", 1);
	ibdev_printk(KERN_DEBUG, dev, "a message of a consumer, %d\n", 2);
	ibdev_err(dev, "a message of a consumer, %d\n", 4);
	ibdev_crit(dev, "a message of a consumer, %d\n", 5);
	ibdev_alert(dev, "a message of a consumer, %d\n", 6);
	ibdev_emerg(dev, "a message of a consumer, %d\n", 7);
	ibdev_notice(NULL, "a message of no device, %d\n", 3);
	consumer_check(!strcmp(ib_event_msg(IB_EVENT_PORT_ERR), "port error") &&
		       !strcmp(ib_wc_status_msg(IB_WC_WR_FLUSH_ERR), "WR flushed"),
		       "words for events and statuses", WHERE);
}

void lookups_test(struct ib_device *dev)
{
	const struct ib_gid_attr *ours = rdma_get_gid_attr(dev, PORT, 0);

	if (!consumer_check(!IS_ERR(ours), "a GID", WHERE))
		return;
	test_gids(dev, ours);
	test_addresses(dev, ours);
	rdma_put_gid_attr(ours);
	test_pkeys(dev);
	test_port(dev);
	test_immutable(dev);
	test_sizes();
	test_words(dev);
}
