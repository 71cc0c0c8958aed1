// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The files of /sys/class/infiniband/<device> itself. Called by sysfs on behalf of user space.
 * Their formats are what libibverbs and the rdma-core scripts parse.
 */
#include <linux/device.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "sysfs.h"

static const char * const node_type_names[] = {
	[RDMA_NODE_IB_CA] = "CA",
	[RDMA_NODE_IB_SWITCH] = "switch",
	[RDMA_NODE_IB_ROUTER] = "router",
	[RDMA_NODE_RNIC] = "RNIC",
	[RDMA_NODE_USNIC] = "usNIC",
	[RDMA_NODE_USNIC_UDP] = "usNIC UDP",
	[RDMA_NODE_UNSPECIFIED] = "unspecified",
};

static ssize_t node_type_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct ib_device *dev = rdma_device_to_ibdev(device);
	const char *name = NULL;

	if (dev->node_type < ARRAY_SIZE(node_type_names))
		name = node_type_names[dev->node_type];
	return sysfs_emit(buf, "%u: %s\n", dev->node_type, name ? name : "<unknown>");
}
static DEVICE_ATTR_RO(node_type);

static ssize_t emit_guid(char *buf, __be64 guid)
{
	__be16 part[4];

	memcpy(part, &guid, sizeof(part));
	return sysfs_emit(buf, "%04x:%04x:%04x:%04x\n", be16_to_cpu(part[0]),
			  be16_to_cpu(part[1]), be16_to_cpu(part[2]), be16_to_cpu(part[3]));
}

static ssize_t sys_image_guid_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return emit_guid(buf, rdma_device_to_ibdev(device)->attrs.sys_image_guid);
}
static DEVICE_ATTR_RO(sys_image_guid);

static ssize_t node_guid_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return emit_guid(buf, rdma_device_to_ibdev(device)->node_guid);
}
static DEVICE_ATTR_RO(node_guid);

static ssize_t node_desc_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct ib_device *dev = rdma_device_to_ibdev(device);

	return sysfs_emit(buf, "%.*s\n", IB_DEVICE_NODE_DESC_MAX, dev->node_desc);
}

static ssize_t node_desc_store(struct device *device, struct device_attribute *attr,
			       const char *buf, size_t count)
{
	struct ib_device *dev = rdma_device_to_ibdev(device);
	struct ib_device_modify change = {};
	int ret;

	if (!dev->ops.modify_device)
		return -EOPNOTSUPP;
	memcpy(change.node_desc, buf, min_t(size_t, count, IB_DEVICE_NODE_DESC_MAX));
	ret = ib_modify_device(dev, IB_DEVICE_MODIFY_NODE_DESC, &change);
	return ret ? ret : count;
}
static DEVICE_ATTR_RW(node_desc);

static ssize_t fw_ver_show(struct device *device, struct device_attribute *attr, char *buf)
{
	char version[IB_FW_VERSION_NAME_MAX] = "";

	ib_get_device_fw_str(rdma_device_to_ibdev(device), version);
	return sysfs_emit(buf, "%s\n", version);
}
static DEVICE_ATTR_RO(fw_ver);

static struct attribute *device_attrs[] = {
	&dev_attr_node_type.attr,
	&dev_attr_node_guid.attr,
	&dev_attr_sys_image_guid.attr,
	&dev_attr_fw_ver.attr,
	&dev_attr_node_desc.attr,
	NULL,
};

const struct attribute_group core_sysfs_device_group = { .attrs = device_attrs };
