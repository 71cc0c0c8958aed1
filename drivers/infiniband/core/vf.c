// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Virtual functions: pass-through to the driver, for network devices on top of RDMA devices. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

int ib_set_vf_link_state(struct ib_device *dev, int vf, u32 port, int state)
{
	if (!dev->ops.set_vf_link_state)
		return -EOPNOTSUPP;
	return dev->ops.set_vf_link_state(dev, vf, port, state);
}
EXPORT_SYMBOL(ib_set_vf_link_state);

int ib_get_vf_config(struct ib_device *dev, int vf, u32 port, struct ifla_vf_info *info)
{
	if (!dev->ops.get_vf_config)
		return -EOPNOTSUPP;
	return dev->ops.get_vf_config(dev, vf, port, info);
}
EXPORT_SYMBOL(ib_get_vf_config);

int ib_get_vf_stats(struct ib_device *dev, int vf, u32 port, struct ifla_vf_stats *stats)
{
	if (!dev->ops.get_vf_stats)
		return -EOPNOTSUPP;
	return dev->ops.get_vf_stats(dev, vf, port, stats);
}
EXPORT_SYMBOL(ib_get_vf_stats);

int ib_set_vf_guid(struct ib_device *dev, int vf, u32 port, u64 guid, int type)
{
	if (!dev->ops.set_vf_guid)
		return -EOPNOTSUPP;
	return dev->ops.set_vf_guid(dev, vf, port, guid, type);
}
EXPORT_SYMBOL(ib_set_vf_guid);

int ib_get_vf_guid(struct ib_device *dev, int vf, u32 port, struct ifla_vf_guid *node_guid,
		   struct ifla_vf_guid *port_guid)
{
	if (!dev->ops.get_vf_guid)
		return -EOPNOTSUPP;
	return dev->ops.get_vf_guid(dev, vf, port, node_guid, port_guid);
}
EXPORT_SYMBOL(ib_get_vf_guid);
