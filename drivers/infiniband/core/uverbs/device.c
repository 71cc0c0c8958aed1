// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The character devices: one uverbsN for each ib_device that has user contexts. ib_core calls in
 * as it adds, removes and is asked about devices (struct ib_client); out goes the driver core.
 */
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <net/netlink.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_netlink.h>

#include "uverbs.h"

/* Numbers that udev rules and static device tables know; later devices take dynamic ones. */
#define FIXED_MAJOR	231
#define FIXED_MINOR	192
#define NUM_FIXED	32
#define NUM_DYNAMIC	992
#define FIXED_DEV	MKDEV(FIXED_MAJOR, FIXED_MINOR)

static struct class *uverbs_class;
static dev_t dynamic_dev;
static DEFINE_IDA(device_numbers);

static struct ib_uverbs_device *to_uverbs(struct device *device)
{
	return container_of(device, struct ib_uverbs_device, dev);
}

void uverbs_device_get(struct ib_uverbs_device *dev)
{
	get_device(&dev->dev);
}

void uverbs_device_put(struct ib_uverbs_device *dev)
{
	put_device(&dev->dev);
}

bool uverbs_device_use(struct ib_uverbs_device *dev)
{
	return refcount_inc_not_zero(&dev->users);
}

void uverbs_device_unuse(struct ib_uverbs_device *dev)
{
	if (refcount_dec_and_test(&dev->users))
		complete(&dev->users_gone);
}

static ssize_t ibdev_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct ib_uverbs_device *dev = to_uverbs(device);
	int key = srcu_read_lock(&dev->disassociate_srcu);
	struct ib_device *ibdev = srcu_dereference(dev->ib_dev, &dev->disassociate_srcu);
	ssize_t ret = ibdev ? sysfs_emit(buf, "%s\n", dev_name(&ibdev->dev)) : -ENODEV;

	srcu_read_unlock(&dev->disassociate_srcu, key);
	return ret;
}
static DEVICE_ATTR_RO(ibdev);

static ssize_t abi_version_show(struct device *device, struct device_attribute *attr, char *buf)
{
	struct ib_uverbs_device *dev = to_uverbs(device);
	int key = srcu_read_lock(&dev->disassociate_srcu);
	struct ib_device *ibdev = srcu_dereference(dev->ib_dev, &dev->disassociate_srcu);
	ssize_t ret = ibdev ? sysfs_emit(buf, "%u\n", ibdev->ops.uverbs_abi_ver) : -ENODEV;

	srcu_read_unlock(&dev->disassociate_srcu, key);
	return ret;
}
static DEVICE_ATTR_RO(abi_version);

static struct attribute *uverbs_device_attrs[] = {
	&dev_attr_ibdev.attr,
	&dev_attr_abi_version.attr,
	NULL,
};
ATTRIBUTE_GROUPS(uverbs_device);

/* The version of the commands themselves, as distinct from that of a driver's data in them. */
static CLASS_ATTR_STRING(abi_version, 0444, __stringify(IB_USER_VERBS_ABI_VERSION));

/* Anyone may use RDMA; what each may use is decided by its own limits and network namespace. */
static char *uverbs_devnode(struct device *device, umode_t *mode)
{
	if (mode)
		*mode = 0666;
	return kasprintf(GFP_KERNEL, "infiniband/%s", dev_name(device));
}

static void uverbs_device_release(struct device *device)
{
	struct ib_uverbs_device *dev = to_uverbs(device);

	if (dev->uapi)
		uverbs_uapi_destroy(dev->uapi);
	cleanup_srcu_struct(&dev->disassociate_srcu);
	mutex_destroy(&dev->files_lock);
	mutex_destroy(&dev->mcast_lock);
	mutex_destroy(&dev->xrcd_lock);
	kfree(dev);
}

static dev_t devt_of(int devnum)
{
	return devnum < NUM_FIXED ? FIXED_DEV + devnum : dynamic_dev + devnum - NUM_FIXED;
}

/* Everything but its number and its node. NULL when out of memory. */
static struct ib_uverbs_device *device_alloc(struct ib_device *ibdev)
{
	struct ib_uverbs_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	if (init_srcu_struct(&dev->disassociate_srcu)) {
		kfree(dev);
		return NULL;
	}
	device_initialize(&dev->dev);
	dev->dev.class = uverbs_class;
	dev->dev.parent = ibdev->dev.parent;
	dev->dev.release = uverbs_device_release;
	dev->dev.groups = uverbs_device_groups;
	dev->num_comp_vectors = ibdev->num_comp_vectors;
	refcount_set(&dev->users, 1);
	init_completion(&dev->users_gone);
	mutex_init(&dev->files_lock);
	INIT_LIST_HEAD(&dev->files);
	mutex_init(&dev->xrcd_lock);
	mutex_init(&dev->mcast_lock);
	dev->xrcd_tree = RB_ROOT;
	rcu_assign_pointer(dev->ib_dev, ibdev);
	cdev_init(&dev->cdev, &uverbs_file_ops);
	dev->cdev.owner = THIS_MODULE;
	return dev;
}

static void uverbs_client_remove(struct ib_device *ibdev, void *client_data);
static int uverbs_client_add(struct ib_device *ibdev);

static int uverbs_client_nl_info(struct ib_device *ibdev, void *client_data,
				 struct ib_client_nl_info *res)
{
	struct ib_uverbs_device *dev = client_data;
	int ret;

	/* One device serves all ports. */
	if (res->port != -1)
		return -EINVAL;
	res->abi = ibdev->ops.uverbs_abi_ver;
	res->cdev = &dev->dev;
	if (!ibdev->ops.uverbs_no_driver_id_binding) {
		ret = nla_put_u32(res->nl_msg, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID,
				  ibdev->ops.driver_id);
		if (ret)
			return ret;
	}
	return 0;
}

static struct ib_client uverbs_client = {
	.name = "uverbs",
	.no_kverbs_req = true,
	.add = uverbs_client_add,
	.remove = uverbs_client_remove,
	.get_nl_info = uverbs_client_nl_info,
};
MODULE_ALIAS_RDMA_CLIENT("uverbs");

static int uverbs_client_add(struct ib_device *ibdev)
{
	struct ib_uverbs_device *dev;
	int ret;

	/* Devices for kernel users alone. */
	if (!ibdev->ops.alloc_ucontext || !ibdev->ops.dealloc_ucontext)
		return -EOPNOTSUPP;
	dev = device_alloc(ibdev);
	if (!dev)
		return -ENOMEM;
	dev->uapi = uverbs_uapi_create(ibdev);
	if (IS_ERR(dev->uapi)) {
		ret = PTR_ERR(dev->uapi);
		dev->uapi = NULL;
		goto put;
	}
	dev->devnum = ida_alloc_max(&device_numbers, NUM_FIXED + NUM_DYNAMIC - 1, GFP_KERNEL);
	if (dev->devnum < 0) {
		ret = dev->devnum;
		goto put;
	}
	dev->dev.devt = devt_of(dev->devnum);
	ret = dev_set_name(&dev->dev, "uverbs%d", dev->devnum);
	if (ret)
		goto free_number;
	/* Before the node appears, so that whoever sees the node finds the client too. */
	ib_set_client_data(ibdev, &uverbs_client, dev);
	ret = cdev_device_add(&dev->cdev, &dev->dev);
	if (ret)
		goto clear_data;
	return 0;

clear_data:
	ib_set_client_data(ibdev, &uverbs_client, NULL);
free_number:
	ida_free(&device_numbers, dev->devnum);
put:
	put_device(&dev->dev);
	return ret;
}

/*
 * When this returns nothing uses ibdev through us: new opens fail, calls that were inside have
 * ended, and each file has been torn down, here or by its close.
 */
static void uverbs_client_remove(struct ib_device *ibdev, void *client_data)
{
	struct ib_uverbs_device *dev = client_data;

	cdev_device_del(&dev->cdev, &dev->dev);
	ida_free(&device_numbers, dev->devnum);
	if (ibdev->ops.disassociate_ucontext) {
		uverbs_disassociate_device(dev);
	} else {
		/* The driver's contexts end only with their processes. */
		uverbs_device_unuse(dev);
		wait_for_completion(&dev->users_gone);
		rcu_assign_pointer(dev->ib_dev, NULL);
		synchronize_srcu(&dev->disassociate_srcu);
	}
	put_device(&dev->dev);
}

static int class_start(void)
{
	int ret;

	uverbs_class = class_create(THIS_MODULE, "infiniband_verbs");
	if (IS_ERR(uverbs_class))
		return PTR_ERR(uverbs_class);
	uverbs_class->devnode = uverbs_devnode;
	ret = class_create_file(uverbs_class, &class_attr_abi_version.attr);
	if (ret)
		class_destroy(uverbs_class);
	return ret;
}

int uverbs_device_start(void)
{
	int ret;

	ret = register_chrdev_region(FIXED_DEV, NUM_FIXED, "infiniband_verbs");
	if (ret)
		return ret;
	ret = alloc_chrdev_region(&dynamic_dev, 0, NUM_DYNAMIC, "infiniband_verbs");
	if (ret)
		goto fixed;
	ret = class_start();
	if (ret)
		goto dynamic;
	ret = ib_register_client(&uverbs_client);
	if (ret)
		goto class;
	return 0;

class:
	class_destroy(uverbs_class);
dynamic:
	unregister_chrdev_region(dynamic_dev, NUM_DYNAMIC);
fixed:
	unregister_chrdev_region(FIXED_DEV, NUM_FIXED);
	return ret;
}

void uverbs_device_stop(void)
{
	ib_unregister_client(&uverbs_client);
	class_destroy(uverbs_class);
	unregister_chrdev_region(dynamic_dev, NUM_DYNAMIC);
	unregister_chrdev_region(FIXED_DEV, NUM_FIXED);
	ida_destroy(&device_numbers);
}
