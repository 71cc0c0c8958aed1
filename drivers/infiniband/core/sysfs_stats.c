// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The hw_counters directories, of a device and of its ports: one file per counter of the driver,
 * and lifespan, the number of milliseconds for which values count as fresh. device_register.c and
 * sysfs_port.c build them, nldev_stat.c reads the same counters, user space reads and writes.
 */
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "sysfs.h"
#include "sysfs_port.h"

#define MAX_LIFESPAN_MS 10000

/* Declared by <rdma/ib_verbs.h>: ib_device.hw_stats_data. */
struct hw_stats_device_data {
	struct attribute_group group;
	struct device_attribute *counters;	/* num_counters of them, then lifespan */
	struct rdma_hw_stats *stats;
};

/* One counter, not older than the lifespan. */
static ssize_t show_counter(struct ib_device *dev, struct rdma_hw_stats *stats, u32 port,
			    unsigned int index, char *buf)
{
	int ret = 0;
	u64 value;

	mutex_lock(&stats->lock);
	if (time_after_eq(jiffies, stats->timestamp + stats->lifespan)) {
		ret = dev->ops.get_hw_stats(dev, stats, port, index);
		/* Less than all: the others are as old as before. */
		if (ret == stats->num_counters)
			stats->timestamp = jiffies;
	}
	value = stats->value[index];
	mutex_unlock(&stats->lock);
	return ret < 0 ? ret : sysfs_emit(buf, "%llu\n", value);
}

static ssize_t show_lifespan(struct rdma_hw_stats *stats, char *buf)
{
	unsigned int ms;

	mutex_lock(&stats->lock);
	ms = jiffies_to_msecs(stats->lifespan);
	mutex_unlock(&stats->lock);
	return sysfs_emit(buf, "%u\n", ms);
}

static ssize_t store_lifespan(struct rdma_hw_stats *stats, const char *buf, size_t count)
{
	int ms, ret;

	ret = kstrtoint(buf, 10, &ms);
	if (ret)
		return ret;
	if (ms < 0 || ms > MAX_LIFESPAN_MS)
		return -EINVAL;

	mutex_lock(&stats->lock);
	stats->lifespan = msecs_to_jiffies(ms);
	mutex_unlock(&stats->lock);
	return count;
}

/* What the driver allocated must be counters that can be read. */
static struct rdma_hw_stats *check_stats(struct ib_device *dev, struct rdma_hw_stats *stats)
{
	if (!stats)
		return ERR_PTR(-ENOMEM);
	if (!stats->descs || stats->num_counters <= 0) {
		ibdev_warn(dev, "driver has counters without names\n");
		rdma_free_hw_stats_struct(stats);
		return ERR_PTR(-EINVAL);
	}
	return stats;
}

/* Optional counters that are off have no file. */
static bool has_file(const struct rdma_hw_stats *stats, unsigned int index)
{
	return !test_bit(index, stats->is_disabled);
}

/* The ports. */

static struct core_sysfs_port_stats *stats_of(struct ib_device *dev, u32 port)
{
	return &dev->port_data[port].sysfs->stats;
}

static ssize_t port_counter_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
				 char *buf)
{
	struct core_sysfs_port_stats *stats = stats_of(dev, port);

	return show_counter(dev, stats->stats, port, attr - stats->counters, buf);
}

static ssize_t port_lifespan_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
				  char *buf)
{
	return show_lifespan(stats_of(dev, port)->stats, buf);
}

static ssize_t port_lifespan_store(struct ib_device *dev, u32 port,
				   struct ib_port_attribute *attr, const char *buf, size_t count)
{
	return store_lifespan(stats_of(dev, port)->stats, buf, count);
}

static int init_port_group(struct core_sysfs_port_stats *stats)
{
	unsigned int i, files = 0, num = stats->stats->num_counters;
	struct ib_port_attribute *attr;

	stats->counters = kcalloc(num + 1, sizeof(*stats->counters), GFP_KERNEL);
	stats->group.attrs = kcalloc(num + 2, sizeof(*stats->group.attrs), GFP_KERNEL);
	if (!stats->counters || !stats->group.attrs)
		return -ENOMEM;
	stats->group.name = "hw_counters";

	for (i = 0; i <= num; i++) {
		attr = &stats->counters[i];
		sysfs_attr_init(&attr->attr);
		if (i < num && !has_file(stats->stats, i))
			continue;
		if (i < num) {
			attr->attr.name = stats->stats->descs[i].name;
			attr->attr.mode = 0444;
			attr->show = port_counter_show;
		} else {
			attr->attr.name = "lifespan";
			attr->attr.mode = 0644;
			attr->show = port_lifespan_show;
			attr->store = port_lifespan_store;
		}
		stats->group.attrs[files++] = &attr->attr;
	}
	return 0;
}

/* port_data.sysfs must be set before the group shows, because the files go through it. */
int core_sysfs_port_stats_add(struct ib_port *port)
{
	struct core_sysfs_port_stats *stats = &port->stats;
	struct ib_device *dev = port->ibdev;
	int ret;

	if (!dev->ops.alloc_hw_port_stats || !dev->ops.get_hw_stats)
		return 0;

	stats->stats = check_stats(dev, dev->ops.alloc_hw_port_stats(dev, port->port_num));
	if (IS_ERR(stats->stats)) {
		ret = PTR_ERR(stats->stats);
		stats->stats = NULL;
		return ret;
	}
	ret = init_port_group(stats);
	if (ret)
		return ret;
	/* A driver may fill in what never changes only at this first reading. */
	ret = dev->ops.get_hw_stats(dev, stats->stats, port->port_num,
				    stats->stats->num_counters);
	if (ret != stats->stats->num_counters)
		return ret < 0 ? ret : -EINVAL;
	stats->stats->timestamp = jiffies;
	return sysfs_create_group(&port->kobj, &stats->group);
}

void core_sysfs_port_stats_remove(struct ib_port *port)
{
	if (port->stats.stats)
		sysfs_remove_group(&port->kobj, &port->stats.group);
}

void core_sysfs_port_stats_free(struct ib_port *port)
{
	kfree(port->stats.group.attrs);
	kfree(port->stats.counters);
	rdma_free_hw_stats_struct(port->stats.stats);
}

struct rdma_hw_stats *core_sysfs_stats_of_port(struct ib_device *dev, u32 port)
{
	if (!rdma_is_port_valid(dev, port) || !dev->port_data[port].sysfs)
		return NULL;
	return stats_of(dev, port)->stats;
}

/* The device. */

static ssize_t device_counter_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct ib_device *dev = rdma_device_to_ibdev(device);
	struct hw_stats_device_data *data = dev->hw_stats_data;

	return show_counter(dev, data->stats, 0, attr - data->counters, buf);
}

static ssize_t device_lifespan_show(struct device *device, struct device_attribute *attr,
				    char *buf)
{
	return show_lifespan(rdma_device_to_ibdev(device)->hw_stats_data->stats, buf);
}

static ssize_t device_lifespan_store(struct device *device, struct device_attribute *attr,
				     const char *buf, size_t count)
{
	return store_lifespan(rdma_device_to_ibdev(device)->hw_stats_data->stats, buf, count);
}

static int init_device_group(struct hw_stats_device_data *data)
{
	unsigned int i, files = 0, num = data->stats->num_counters;
	struct device_attribute *attr;

	data->counters = kcalloc(num + 1, sizeof(*data->counters), GFP_KERNEL);
	data->group.attrs = kcalloc(num + 2, sizeof(*data->group.attrs), GFP_KERNEL);
	if (!data->counters || !data->group.attrs)
		return -ENOMEM;
	data->group.name = "hw_counters";

	for (i = 0; i <= num; i++) {
		attr = &data->counters[i];
		sysfs_attr_init(&attr->attr);
		if (i < num && !has_file(data->stats, i))
			continue;
		if (i < num) {
			attr->attr.name = data->stats->descs[i].name;
			attr->attr.mode = 0444;
			attr->show = device_counter_show;
		} else {
			attr->attr.name = "lifespan";
			attr->attr.mode = 0644;
			attr->show = device_lifespan_show;
			attr->store = device_lifespan_store;
		}
		data->group.attrs[files++] = &attr->attr;
	}
	return 0;
}

/* The first free place of dev->groups, whose last one stays NULL. */
static int place_group(struct ib_device *dev, const struct attribute_group *group)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(dev->groups) - 1; i++) {
		if (!dev->groups[i]) {
			dev->groups[i] = group;
			dev->hw_stats_attr_index = i;
			return 0;
		}
	}
	return -ENOSPC;
}

int core_sysfs_stats_setup(struct ib_device *dev)
{
	struct hw_stats_device_data *data;
	int ret;

	if (!dev->ops.alloc_hw_device_stats || !dev->ops.get_hw_stats)
		return 0;

	data = kzalloc(sizeof(*data), GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	/* From here on core_sysfs_stats_release() frees it, also after a failure. */
	dev->hw_stats_data = data;

	data->stats = check_stats(dev, dev->ops.alloc_hw_device_stats(dev));
	if (IS_ERR(data->stats)) {
		ret = PTR_ERR(data->stats);
		data->stats = NULL;
		return ret;
	}
	ret = init_device_group(data);
	if (ret)
		return ret;
	ret = dev->ops.get_hw_stats(dev, data->stats, 0, data->stats->num_counters);
	if (ret != data->stats->num_counters)
		return ret < 0 ? ret : -EINVAL;
	data->stats->timestamp = jiffies;
	return place_group(dev, &data->group);
}

void core_sysfs_stats_release(struct ib_device *dev)
{
	struct hw_stats_device_data *data = dev->hw_stats_data;

	if (!data)
		return;
	kfree(data->group.attrs);
	kfree(data->counters);
	rdma_free_hw_stats_struct(data->stats);
	kfree(data);
	dev->hw_stats_data = NULL;
}

struct rdma_hw_stats *core_sysfs_stats_of_device(struct ib_device *dev)
{
	return dev->hw_stats_data ? dev->hw_stats_data->stats : NULL;
}
