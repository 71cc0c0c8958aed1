// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Removal of a device under open files. Called by device.c when ib_core takes the device away and
 * the driver can let go of user contexts. When it returns no file uses the ib_device any more:
 * calls answer EIO, event files have told of the removal, I/O mappings are zapped.
 */
#include "uobject.h"
#include "uverbs.h"

/* The first file that still has something, with a reference. */
static struct ib_uverbs_file *take_first(struct ib_uverbs_device *dev)
{
	struct ib_uverbs_file *ufile;

	mutex_lock(&dev->files_lock);
	ufile = list_first_entry_or_null(&dev->files, struct ib_uverbs_file, node);
	if (ufile) {
		list_del_init(&ufile->node);
		/* It is in the list, so its close has not dropped the file's own reference. */
		uverbs_file_get(ufile);
	}
	mutex_unlock(&dev->files_lock);
	return ufile;
}

void uverbs_disassociate_device(struct ib_uverbs_device *dev)
{
	struct ib_uverbs_file *ufile;

	rcu_assign_pointer(dev->ib_dev, NULL);
	/* Waits for the calls that still found the device. */
	synchronize_srcu(&dev->disassociate_srcu);
	/* No file is added any more: open() finds no device. */
	while ((ufile = take_first(dev))) {
		uverbs_uobject_teardown(ufile, RDMA_REMOVE_DRIVER_REMOVE);
		uverbs_file_put(ufile);
	}
}
