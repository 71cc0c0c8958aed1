/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Inside of the ports tree: shared by sysfs_port.c, which builds it, sysfs_table.c (gids, pkeys,
 * gid_attrs) and sysfs_stats.c (hw_counters).
 *
 * A port is a kobject. Its attributes are struct ib_port_attribute, as drivers' port groups are.
 * Everything here is made before user space can see it and freed when the kobject is released, so
 * there is nothing to lock.
 */
#ifndef _CORE_SYSFS_PORT_H
#define _CORE_SYSFS_PORT_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <rdma/ib_sysfs.h>

struct ib_device;
struct rdma_hw_stats;

/* A directory of numbered files, one per entry of a table of the port. */
struct core_sysfs_row {
	struct ib_port_attribute attr;
	u32 index;
	char name[12];
};

struct core_sysfs_table {
	struct attribute_group group;
	struct core_sysfs_row *rows;
};

/* The hw_counters directory of a port. */
struct core_sysfs_port_stats {
	struct attribute_group group;
	struct ib_port_attribute *counters;	/* num_counters of them, then lifespan */
	struct rdma_hw_stats *stats;
};

enum core_sysfs_table_kind {
	CORE_SYSFS_GIDS,
	CORE_SYSFS_PKEYS,
	CORE_SYSFS_GID_NDEVS,
	CORE_SYSFS_GID_TYPES,
	CORE_SYSFS_NUM_TABLES
};

/* Declared by <rdma/ib_verbs.h>: port_data.sysfs points to the one of the device proper. */
struct ib_port {
	struct kobject kobj;
	struct kobject gid_attrs;	/* the directory of that name; a child of kobj */
	struct ib_device *ibdev;
	u32 port_num;
	struct list_head list;		/* in ib_core_device.port_list */
	struct core_sysfs_table tables[CORE_SYSFS_NUM_TABLES];
	struct core_sysfs_port_stats stats;
};

static inline struct ib_port *core_sysfs_port_of(struct kobject *kobj)
{
	return container_of(kobj, struct ib_port, kobj);
}

/* sysfs_table.c */
int core_sysfs_tables_init(struct ib_port *port);
void core_sysfs_tables_free(struct ib_port *port);
int core_sysfs_tables_add(struct ib_port *port);
void core_sysfs_tables_remove(struct ib_port *port);

/* sysfs_stats.c */
int core_sysfs_port_stats_add(struct ib_port *port);
void core_sysfs_port_stats_remove(struct ib_port *port);
void core_sysfs_port_stats_free(struct ib_port *port);

#endif
