// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The numbered files below a port: gids/, pkeys/, gid_attrs/ndevs/ and gid_attrs/types/, one file
 * per table index. sysfs_port.c builds and removes them, user space reads.
 */
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"
#include "gid.h"
#include "sysfs_port.h"

static u32 row_of(struct ib_port_attribute *attr)
{
	return container_of(attr, struct core_sysfs_row, attr)->index;
}

/* Programs read gids/0 upwards and stop at an error, so an empty entry reads as zeros. */
static ssize_t gid_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr, char *buf)
{
	union ib_gid gid;

	if (rdma_query_gid(dev, port, row_of(attr), &gid))
		gid = zgid;
	return sysfs_emit(buf, "%pI6\n", gid.raw);
}

static ssize_t pkey_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
			 char *buf)
{
	u16 pkey;
	int ret = ib_query_pkey(dev, port, row_of(attr), &pkey);

	return ret ? ret : sysfs_emit(buf, "0x%04x\n", pkey);
}

static ssize_t gid_ndev_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
			     char *buf)
{
	const struct ib_gid_attr *gid_attr = rdma_get_gid_attr(dev, port, row_of(attr));
	const struct net_device *ndev;
	ssize_t ret = -EINVAL;

	if (IS_ERR(gid_attr))
		return -EINVAL;
	rcu_read_lock();
	ndev = rcu_dereference(gid_attr->ndev);
	if (ndev)
		ret = sysfs_emit(buf, "%s\n", ndev->name);
	rcu_read_unlock();
	rdma_put_gid_attr(gid_attr);
	return ret;
}

static ssize_t gid_type_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
			     char *buf)
{
	const struct ib_gid_attr *gid_attr = rdma_get_gid_attr(dev, port, row_of(attr));
	ssize_t ret;

	if (IS_ERR(gid_attr))
		return -EINVAL;
	ret = sysfs_emit(buf, "%s\n", ib_cache_gid_type_str(gid_attr->gid_type));
	rdma_put_gid_attr(gid_attr);
	return ret;
}

static const struct {
	const char *name;
	bool below_gid_attrs;
	ssize_t (*show)(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
			char *buf);
} kinds[CORE_SYSFS_NUM_TABLES] = {
	[CORE_SYSFS_GIDS] = { "gids", false, gid_show },
	[CORE_SYSFS_PKEYS] = { "pkeys", false, pkey_show },
	[CORE_SYSFS_GID_NDEVS] = { "ndevs", true, gid_ndev_show },
	[CORE_SYSFS_GID_TYPES] = { "types", true, gid_type_show },
};

static u32 table_len(const struct ib_port *port, enum core_sysfs_table_kind kind)
{
	const struct ib_port_immutable *imm = &port->ibdev->port_data[port->port_num].immutable;

	return kind == CORE_SYSFS_PKEYS ? imm->pkey_tbl_len : imm->gid_tbl_len;
}

static int init_table(struct ib_port *port, enum core_sysfs_table_kind kind)
{
	struct core_sysfs_table *table = &port->tables[kind];
	u32 i, len = table_len(port, kind);
	struct core_sysfs_row *row;

	table->group.name = kinds[kind].name;
	table->rows = kvcalloc(len, sizeof(*table->rows), GFP_KERNEL);
	/* One more, for the NULL at the end. */
	table->group.attrs = kvcalloc(len + 1, sizeof(*table->group.attrs), GFP_KERNEL);
	if (!table->rows || !table->group.attrs)
		return -ENOMEM;		/* the release of the port frees either of them */

	for (i = 0; i < len; i++) {
		row = &table->rows[i];
		row->index = i;
		snprintf(row->name, sizeof(row->name), "%u", i);
		sysfs_attr_init(&row->attr.attr);
		row->attr.attr.name = row->name;
		row->attr.attr.mode = 0444;
		row->attr.show = kinds[kind].show;
		table->group.attrs[i] = &row->attr.attr;
	}
	return 0;
}

/* The files of gid_attrs are the port's, one directory further down. */
static ssize_t show_gid_attr(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct ib_port_attribute *port_attr = container_of(attr, struct ib_port_attribute, attr);
	struct ib_port *port = container_of(kobj, struct ib_port, gid_attrs);

	return port_attr->show(port->ibdev, port->port_num, port_attr, buf);
}

/* It lives in the port, which it holds a reference on until this has run. */
static void release_gid_attrs(struct kobject *kobj)
{
}

static const struct sysfs_ops gid_attrs_ops = { .show = show_gid_attr };

static const struct kobj_type gid_attrs_type = {
	.release = release_gid_attrs,
	.sysfs_ops = &gid_attrs_ops,
};

int core_sysfs_tables_init(struct ib_port *port)
{
	unsigned int kind;
	int ret;

	for (kind = 0; kind < CORE_SYSFS_NUM_TABLES; kind++) {
		ret = init_table(port, kind);
		if (ret)
			return ret;
	}
	return 0;
}

void core_sysfs_tables_free(struct ib_port *port)
{
	unsigned int kind;

	for (kind = 0; kind < CORE_SYSFS_NUM_TABLES; kind++) {
		kvfree(port->tables[kind].group.attrs);
		kvfree(port->tables[kind].rows);
	}
}

static struct kobject *parent_of(struct ib_port *port, unsigned int kind)
{
	return kinds[kind].below_gid_attrs ? &port->gid_attrs : &port->kobj;
}

int core_sysfs_tables_add(struct ib_port *port)
{
	unsigned int kind;
	int ret;

	ret = kobject_init_and_add(&port->gid_attrs, &gid_attrs_type, &port->kobj, "gid_attrs");
	if (ret)
		goto put;
	for (kind = 0; kind < CORE_SYSFS_NUM_TABLES; kind++) {
		ret = sysfs_create_group(parent_of(port, kind), &port->tables[kind].group);
		if (ret)
			goto remove;
	}
	return 0;

remove:
	while (kind--)
		sysfs_remove_group(parent_of(port, kind), &port->tables[kind].group);
put:
	kobject_put(&port->gid_attrs);
	return ret;
}

void core_sysfs_tables_remove(struct ib_port *port)
{
	unsigned int kind;

	for (kind = 0; kind < CORE_SYSFS_NUM_TABLES; kind++)
		sysfs_remove_group(parent_of(port, kind), &port->tables[kind].group);
	/* Not kobject_del(), which would let go of the port before the release. */
	kobject_put(&port->gid_attrs);
}
