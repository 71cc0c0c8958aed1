// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Suite of rdma_netdev.c: a network device as large as a driver says, initialised by the driver. */
#include <kunit/test.h>
#include <linux/etherdevice.h>

#include "rdma_netdev.c"

#define PRIV_BYTES	1234
#define QUEUES		3

static int driver_error;
static struct net_device *initialised;

static int initialize(struct ib_device *dev, u32 port, struct net_device *ndev, void *param)
{
	initialised = ndev;
	return param == dev && port == 1 ? 0 : -EINVAL;
}

static int get_params_of_driver(struct ib_device *dev, u32 port, enum rdma_netdev_t type,
				struct rdma_netdev_alloc_params *params)
{
	params->sizeof_priv = PRIV_BYTES;
	params->txqs = QUEUES;
	params->rxqs = 1;
	params->param = dev;
	params->initialize_rdma_netdev = initialize;
	return type == RDMA_NETDEV_IPOIB ? driver_error : -EINVAL;
}

static void test_made(struct kunit *test)
{
	struct ib_device *dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);
	struct net_device *ndev;

	KUNIT_ASSERT_NOT_NULL(test, dev);
	dev->ops.rdma_netdev_get_params = get_params_of_driver;
	driver_error = 0;
	ndev = rdma_alloc_netdev(dev, 1, RDMA_NETDEV_IPOIB, "kunit%d", NET_NAME_UNKNOWN,
				 ether_setup);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ndev));
	KUNIT_EXPECT_EQ(test, ndev->num_tx_queues, (unsigned int)QUEUES);
	memset(netdev_priv(ndev), 1, PRIV_BYTES);	/* KASAN knows its end */
	KUNIT_EXPECT_EQ(test, rdma_init_netdev(dev, 1, RDMA_NETDEV_IPOIB, "kunit%d",
					       NET_NAME_UNKNOWN, ether_setup, ndev), 0);
	KUNIT_EXPECT_PTR_EQ(test, initialised, ndev);
	free_netdev(ndev);
}

static void test_refused(struct kunit *test)
{
	struct ib_device *dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);
	struct net_device *none = ERR_PTR(-EOPNOTSUPP), *broken = ERR_PTR(-EIO);

	KUNIT_ASSERT_NOT_NULL(test, dev);
	KUNIT_EXPECT_PTR_EQ(test, rdma_alloc_netdev(dev, 1, RDMA_NETDEV_IPOIB, "kunit%d",
						    NET_NAME_UNKNOWN, ether_setup), none);
	KUNIT_EXPECT_EQ(test, rdma_init_netdev(dev, 1, RDMA_NETDEV_IPOIB, "kunit%d",
					       NET_NAME_UNKNOWN, ether_setup, NULL), -EOPNOTSUPP);
	dev->ops.rdma_netdev_get_params = get_params_of_driver;
	driver_error = -EIO;
	KUNIT_EXPECT_PTR_EQ(test, rdma_alloc_netdev(dev, 1, RDMA_NETDEV_IPOIB, "kunit%d",
						    NET_NAME_UNKNOWN, ether_setup), broken);
	KUNIT_EXPECT_EQ(test, rdma_init_netdev(dev, 1, RDMA_NETDEV_IPOIB, "kunit%d",
					       NET_NAME_UNKNOWN, ether_setup, NULL), -EIO);
}

static struct kunit_case rdma_netdev_cases[] = {
	KUNIT_CASE(test_made),
	KUNIT_CASE(test_refused),
	{ }
};

static struct kunit_suite rdma_netdev_suite = {
	.name = "core_rdma_netdev",
	.test_cases = rdma_netdev_cases,
};
kunit_test_suite(rdma_netdev_suite);
