// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Network devices that a driver makes and accelerates (IP over InfiniBand, OPA VNIC). */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

static int get_params(struct ib_device *dev, u32 port, enum rdma_netdev_t type,
		      struct rdma_netdev_alloc_params *params)
{
	if (!dev->ops.rdma_netdev_get_params)
		return -EOPNOTSUPP;
	return dev->ops.rdma_netdev_get_params(dev, port, type, params);
}

struct net_device *rdma_alloc_netdev(struct ib_device *dev, u32 port, enum rdma_netdev_t type,
				     const char *name, unsigned char name_assign_type,
				     void (*setup)(struct net_device *))
{
	struct rdma_netdev_alloc_params params = {};
	struct net_device *ndev;
	int ret;

	ret = get_params(dev, port, type, &params);
	if (ret)
		return ERR_PTR(ret);
	ndev = alloc_netdev_mqs(params.sizeof_priv, name, name_assign_type, setup, params.txqs,
				params.rxqs);
	return ndev ?: ERR_PTR(-ENOMEM);
}
EXPORT_SYMBOL(rdma_alloc_netdev);

int rdma_init_netdev(struct ib_device *dev, u32 port, enum rdma_netdev_t type, const char *name,
		     unsigned char name_assign_type, void (*setup)(struct net_device *),
		     struct net_device *ndev)
{
	struct rdma_netdev_alloc_params params = {};
	int ret;

	ret = get_params(dev, port, type, &params);
	if (ret)
		return ret;
	return params.initialize_rdma_netdev(dev, port, ndev, params.param);
}
EXPORT_SYMBOL(rdma_init_netdev);
