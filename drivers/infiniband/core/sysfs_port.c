// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The ports tree: /sys/class/infiniband/<device>/ports/<n>. Builds and removes it, and shows what
 * the driver says of a port. The directories below are sysfs_table.c's and sysfs_stats.c's.
 */
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "sysfs_port.h"
#include "core_priv.h"
#include "sysfs.h"

static const char * const state_names[] = {
	[IB_PORT_NOP] = "NOP",
	[IB_PORT_DOWN] = "DOWN",
	[IB_PORT_INIT] = "INIT",
	[IB_PORT_ARMED] = "ARMED",
	[IB_PORT_ACTIVE] = "ACTIVE",
	[IB_PORT_ACTIVE_DEFER] = "ACTIVE_DEFER",
};

static const char * const phys_state_names[] = {
	[IB_PORT_PHYS_STATE_SLEEP] = "Sleep",
	[IB_PORT_PHYS_STATE_POLLING] = "Polling",
	[IB_PORT_PHYS_STATE_DISABLED] = "Disabled",
	[IB_PORT_PHYS_STATE_PORT_CONFIGURATION_TRAINING] = "PortConfigurationTraining",
	[IB_PORT_PHYS_STATE_LINK_UP] = "LinkUp",
	[IB_PORT_PHYS_STATE_LINK_ERROR_RECOVERY] = "LinkErrorRecovery",
	[IB_PORT_PHYS_STATE_PHY_TEST] = "Phy Test",
};

static const char *name_in(const char * const *names, unsigned int len, unsigned int value,
			   const char *unknown)
{
	return value < len && names[value] ? names[value] : unknown;
}

static ssize_t state_show(struct ib_device *dev, u32 port, struct ib_port_attribute *unused,
			  char *buf)
{
	struct ib_port_attr attr;
	int ret = ib_query_port(dev, port, &attr);

	if (ret)
		return ret;
	return sysfs_emit(buf, "%d: %s\n", attr.state,
			  name_in(state_names, ARRAY_SIZE(state_names), attr.state, "UNKNOWN"));
}
static IB_PORT_ATTR_RO(state);

static ssize_t phys_state_show(struct ib_device *dev, u32 port, struct ib_port_attribute *unused,
			       char *buf)
{
	struct ib_port_attr attr;
	int ret = ib_query_port(dev, port, &attr);

	if (ret)
		return ret;
	return sysfs_emit(buf, "%u: %s\n", attr.phys_state,
			  name_in(phys_state_names, ARRAY_SIZE(phys_state_names),
				  attr.phys_state, "<unknown>"));
}
static IB_PORT_ATTR_RO(phys_state);

/* What is just a number in what the driver says. */
struct number {
	struct ib_port_attribute attr;
	const char *format;
	u8 at, bytes;
};

#define NUMBER(_name, _member, _format) { \
		.attr = { .attr = { .name = _name, .mode = 0444 }, .show = number_show }, \
		.format = _format, \
		.at = offsetof(struct ib_port_attr, _member), \
		.bytes = sizeof_field(struct ib_port_attr, _member), \
	}

static ssize_t number_show(struct ib_device *dev, u32 port, struct ib_port_attribute *port_attr,
			   char *buf)
{
	const struct number *number = container_of(port_attr, struct number, attr);
	struct ib_port_attr attr;
	int ret = ib_query_port(dev, port, &attr);
	u32 value;

	if (ret)
		return ret;
	if (number->bytes == sizeof(u8))
		value = *((const u8 *)&attr + number->at);
	else
		memcpy(&value, (const u8 *)&attr + number->at, sizeof(value));
	return sysfs_emit(buf, number->format, value);
}

static struct number numbers[] = {
	NUMBER("lid", lid, "0x%x\n"),
	NUMBER("lid_mask_count", lmc, "%u\n"),
	NUMBER("sm_lid", sm_lid, "0x%x\n"),
	NUMBER("sm_sl", sm_sl, "%u\n"),
	NUMBER("cap_mask", port_cap_flags, "0x%08x\n"),
};
static_assert(ARRAY_SIZE(numbers) == 5);	/* as port_attrs lists them */

/* Lane speeds in tenths of Gb/s, as the rate names of IBTA vol. 1 have them. */
static const struct {
	u16 speed;
	u16 decigbps;
	const char *name;
} lane_speeds[] = {
	{ IB_SPEED_SDR, 25, "SDR" },
	{ IB_SPEED_DDR, 50, "DDR" },
	{ IB_SPEED_QDR, 100, "QDR" },
	{ IB_SPEED_FDR10, 100, "FDR10" },
	{ IB_SPEED_FDR, 140, "FDR" },
	{ IB_SPEED_EDR, 250, "EDR" },
	{ IB_SPEED_HDR, 500, "HDR" },
	{ IB_SPEED_NDR, 1000, "NDR" },
};

static ssize_t rate_show(struct ib_device *dev, u32 port, struct ib_port_attribute *unused,
			 char *buf)
{
	unsigned int i, lane = 0;
	struct ib_port_attr attr;
	int lanes, rate;
	int ret;

	ret = ib_query_port(dev, port, &attr);
	if (ret)
		return ret;
	/* A speed without a name counts as the lowest. */
	for (i = 0; i < ARRAY_SIZE(lane_speeds); i++)
		if (lane_speeds[i].speed == attr.active_speed)
			lane = i;
	lanes = ib_width_enum_to_int(attr.active_width);
	if (lanes < 0)
		return -EINVAL;
	rate = lane_speeds[lane].decigbps * lanes;
	return sysfs_emit(buf, "%d%s Gb/sec (%dX %s)\n", rate / 10, rate % 10 ? ".5" : "", lanes,
			  lane_speeds[lane].name);
}
static IB_PORT_ATTR_RO(rate);

static const char * const link_layer_names[] = {
	[IB_LINK_LAYER_UNSPECIFIED] = "Unknown",
	[IB_LINK_LAYER_INFINIBAND] = "InfiniBand",
	[IB_LINK_LAYER_ETHERNET] = "Ethernet",
};

static ssize_t link_layer_show(struct ib_device *dev, u32 port, struct ib_port_attribute *unused,
			       char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  name_in(link_layer_names, ARRAY_SIZE(link_layer_names),
				  rdma_port_get_link_layer(dev, port), "Unknown"));
}
static IB_PORT_ATTR_RO(link_layer);

static struct attribute *port_attrs[] = {
	&ib_port_attr_state.attr,
	&ib_port_attr_phys_state.attr,
	&numbers[0].attr.attr,
	&numbers[1].attr.attr,
	&numbers[2].attr.attr,
	&numbers[3].attr.attr,
	&numbers[4].attr.attr,
	&ib_port_attr_rate.attr,
	&ib_port_attr_link_layer.attr,
	NULL,
};
ATTRIBUTE_GROUPS(port);

static ssize_t show_attr(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct ib_port_attribute *port_attr = container_of(attr, struct ib_port_attribute, attr);
	struct ib_port *port = core_sysfs_port_of(kobj);

	if (!port_attr->show)
		return -EIO;
	return port_attr->show(port->ibdev, port->port_num, port_attr, buf);
}

static ssize_t store_attr(struct kobject *kobj, struct attribute *attr, const char *buf,
			  size_t count)
{
	struct ib_port_attribute *port_attr = container_of(attr, struct ib_port_attribute, attr);
	struct ib_port *port = core_sysfs_port_of(kobj);

	if (!port_attr->store)
		return -EIO;
	return port_attr->store(port->ibdev, port->port_num, port_attr, buf, count);
}

static const struct sysfs_ops port_ops = { .show = show_attr, .store = store_attr };

static void release_port(struct kobject *kobj)
{
	struct ib_port *port = core_sysfs_port_of(kobj);

	core_sysfs_port_stats_free(port);
	core_sysfs_tables_free(port);
	kfree(port);
}

static const struct kobj_type port_type = {
	.release = release_port,
	.sysfs_ops = &port_ops,
	.default_groups = port_groups,
};

/* Driver port groups and client groups find the port of their kobject here. */
struct ib_device *ib_port_sysfs_get_ibdev_kobj(struct kobject *kobj, u32 *port_num)
{
	struct ib_port *port = core_sysfs_port_of(kobj);

	*port_num = port->port_num;
	return port->ibdev;
}
EXPORT_SYMBOL(ib_port_sysfs_get_ibdev_kobj);

/* The device proper, not one of its twins. */
static bool is_proper(const struct ib_core_device *coredev)
{
	return coredev == &coredev->owner->coredev;
}

/* Directories below the port, beyond what its kobject type brings; undone on failure. */
static int add_groups(struct ib_core_device *coredev, struct ib_port *port)
{
	struct ib_device *dev = port->ibdev;
	int ret;

	ret = core_sysfs_tables_add(port);
	if (ret)
		return ret;
	if (!is_proper(coredev))
		return 0;

	/* Before the counters, whose files find the port through it. */
	dev->port_data[port->port_num].sysfs = port;
	ret = core_sysfs_port_stats_add(port);
	if (ret)
		goto remove_tables;
	if (dev->ops.port_groups) {
		ret = sysfs_create_groups(&port->kobj, dev->ops.port_groups);
		if (ret)
			goto remove_stats;
	}
	return 0;

remove_stats:
	core_sysfs_port_stats_remove(port);
remove_tables:
	dev->port_data[port->port_num].sysfs = NULL;
	core_sysfs_tables_remove(port);
	return ret;
}

static void remove_port(struct ib_core_device *coredev, struct ib_port *port)
{
	struct ib_device *dev = port->ibdev;

	if (is_proper(coredev)) {
		if (dev->ops.port_groups)
			sysfs_remove_groups(&port->kobj, dev->ops.port_groups);
		core_sysfs_port_stats_remove(port);
		dev->port_data[port->port_num].sysfs = NULL;
	}
	core_sysfs_tables_remove(port);
	list_del(&port->list);
	/* Waits for readers of its files; what they read is freed with the last reference. */
	kobject_del(&port->kobj);
	kobject_put(&port->kobj);
}

static int add_port(struct ib_core_device *coredev, u32 port_num)
{
	struct ib_port *port = kzalloc(sizeof(*port), GFP_KERNEL);
	int ret;

	if (!port)
		return -ENOMEM;
	port->ibdev = coredev->owner;
	port->port_num = port_num;
	INIT_LIST_HEAD(&port->list);
	kobject_init(&port->kobj, &port_type);

	ret = core_sysfs_tables_init(port);
	if (ret)
		goto put;
	ret = kobject_add(&port->kobj, coredev->ports_kobj, "%u", port_num);
	if (ret)
		goto put;
	ret = add_groups(coredev, port);
	if (ret)
		goto del;
	list_add_tail(&port->list, &coredev->port_list);
	return 0;

del:
	kobject_del(&port->kobj);
put:
	kobject_put(&port->kobj);
	return ret;
}

int core_sysfs_ports_add(struct ib_core_device *coredev)
{
	u32 port_num;
	int ret;

	coredev->ports_kobj = kobject_create_and_add("ports", &coredev->dev.kobj);
	if (!coredev->ports_kobj)
		return -ENOMEM;
	rdma_for_each_port(coredev->owner, port_num) {
		ret = add_port(coredev, port_num);
		if (ret) {
			core_sysfs_ports_remove(coredev);
			return ret;
		}
	}
	return 0;
}

void core_sysfs_ports_remove(struct ib_core_device *coredev)
{
	struct ib_port *port, *next;

	list_for_each_entry_safe(port, next, &coredev->port_list, list)
		remove_port(coredev, port);
	kobject_put(coredev->ports_kobj);
	coredev->ports_kobj = NULL;
}

int core_sysfs_device_add(struct ib_device *dev)
{
	return core_sysfs_ports_add(&dev->coredev);
}

void core_sysfs_device_remove(struct ib_device *dev)
{
	core_sysfs_ports_remove(&dev->coredev);
}

/* Only between the client's add() and remove(): the tree is there for that long. */
int ib_port_register_client_groups(struct ib_device *ibdev, u32 port_num,
				   const struct attribute_group **groups)
{
	return sysfs_create_groups(&ibdev->port_data[port_num].sysfs->kobj, groups);
}
EXPORT_SYMBOL(ib_port_register_client_groups);

void ib_port_unregister_client_groups(struct ib_device *ibdev, u32 port_num,
				      const struct attribute_group **groups)
{
	sysfs_remove_groups(&ibdev->port_data[port_num].sysfs->kobj, groups);
}
EXPORT_SYMBOL(ib_port_unregister_client_groups);
