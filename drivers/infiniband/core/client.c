// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Clients: kernel users who are told of every device (ib_uverbs is one). The table of clients, the
 * data they hang on a device, and the questions the core asks them.
 *
 * A client is on a device from the moment its add() returned 0 until its remove() begins; the mark
 * CLIENT_ON_DEVICE of the device's client_data entry says so.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#include "core_priv.h"

#define CLIENT_ON_DEVICE XA_MARK_1

/*
 * core_clients_rwsem protects the table. Changes are made under core_registry_mutex as well, so
 * whoever holds that reads the table without the semaphore.
 */
static DECLARE_RWSEM(core_clients_rwsem);
static DEFINE_XARRAY_FLAGS(core_clients, XA_FLAGS_ALLOC);
/* Ids ascend and none below it is given again, so that "in reverse" means something. */
static u32 client_id_end;

static int assign_id(struct ib_client *client)
{
	int ret;

	lockdep_assert_held(&core_registry_mutex);
	down_write(&core_clients_rwsem);
	client->client_id = client_id_end;
	ret = xa_insert(&core_clients, client->client_id, client, GFP_KERNEL);
	if (!ret)
		client_id_end++;
	up_write(&core_clients_rwsem);
	return ret;
}

static void release_id(struct ib_client *client)
{
	lockdep_assert_held(&core_registry_mutex);
	down_write(&core_clients_rwsem);
	xa_erase(&core_clients, client->client_id);
	while (client_id_end && !xa_load(&core_clients, client_id_end - 1))
		client_id_end--;
	up_write(&core_clients_rwsem);
}

/* Says only whether there was memory: a client that says no has nothing to do with the device. */
static int client_add(struct ib_device *dev, struct ib_client *client)
{
	int ret;

	lockdep_assert_held(&core_registry_mutex);
	if (!dev->kverbs_provider && !client->no_kverbs_req)
		return 0;
	if (xa_get_mark(&dev->client_data, client->client_id, CLIENT_ON_DEVICE))
		return 0;
	ret = xa_reserve(&dev->client_data, client->client_id, GFP_KERNEL);
	if (!ret && client->add) {
		ret = client->add(dev);
		if (ret)
			xa_erase(&dev->client_data, client->client_id);
	}
	if (ret == -ENOMEM)
		ibdev_warn(dev, "no memory for client %s\n", client->name);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	down_write(&dev->client_data_rwsem);
	xa_set_mark(&dev->client_data, client->client_id, CLIENT_ON_DEVICE);
	up_write(&dev->client_data_rwsem);
	return 0;
}

static void client_remove(struct ib_device *dev, struct ib_client *client)
{
	void *data;

	lockdep_assert_held(&core_registry_mutex);
	/* The semaphore waits for questions in progress; without the mark no new one comes. */
	down_write(&dev->client_data_rwsem);
	if (!xa_get_mark(&dev->client_data, client->client_id, CLIENT_ON_DEVICE)) {
		up_write(&dev->client_data_rwsem);
		return;
	}
	data = xa_load(&dev->client_data, client->client_id);
	xa_clear_mark(&dev->client_data, client->client_id, CLIENT_ON_DEVICE);
	up_write(&dev->client_data_rwsem);

	if (client->remove)
		client->remove(dev, data);
	xa_erase(&dev->client_data, client->client_id);
}

int core_client_add_all(struct ib_device *dev)
{
	struct ib_client *client;
	unsigned long id;
	int ret = 0;

	lockdep_assert_held(&core_registry_mutex);
	xa_for_each(&core_clients, id, client)
		ret = client_add(dev, client) ?: ret;
	return ret;
}

void core_client_remove_all(struct ib_device *dev)
{
	struct ib_client *client;
	u32 id;

	lockdep_assert_held(&core_registry_mutex);
	for (id = client_id_end; id-- > 0; ) {
		client = xa_load(&core_clients, id);
		if (client)
			client_remove(dev, client);
	}
}

static void remove_from_devices(struct ib_client *client)
{
	struct ib_device *dev;
	unsigned long index = 0;

	while ((dev = core_device_next(NULL, &index))) {
		client_remove(dev, client);
		ib_device_put(dev);
	}
}

/*
 * ib_register_client - be told of every device, those that exist and those that come
 *
 * add() is called for the existing ones before this returns.
 */
int ib_register_client(struct ib_client *client)
{
	struct ib_device *dev;
	unsigned long index = 0;
	int ret;

	/* Not used here: the registry mutex does what these two do elsewhere. */
	refcount_set(&client->uses, 1);
	init_completion(&client->uses_zero);

	mutex_lock(&core_registry_mutex);
	ret = assign_id(client);
	while (!ret && (dev = core_device_next(NULL, &index))) {
		client_add(dev, client);
		ib_device_put(dev);
	}
	mutex_unlock(&core_registry_mutex);
	return ret;
}
EXPORT_SYMBOL(ib_register_client);

/*
 * ib_unregister_client - be told no more
 *
 * remove() has been called for every device, and has returned, when this returns.
 */
void ib_unregister_client(struct ib_client *client)
{
	mutex_lock(&core_registry_mutex);
	remove_from_devices(client);
	release_id(client);
	mutex_unlock(&core_registry_mutex);
}
EXPORT_SYMBOL(ib_unregister_client);

/*
 * ib_set_client_data - what ib_get_client_data() shall return
 *
 * Called between the begin of add() and the end of remove().
 */
void ib_set_client_data(struct ib_device *dev, struct ib_client *client, void *data)
{
	void *ret;

	/* The entry was reserved before add(), so nothing is allocated here. */
	ret = xa_store(&dev->client_data, client->client_id, data, GFP_KERNEL);
	WARN_ON(xa_is_err(ret));
}
EXPORT_SYMBOL(ib_set_client_data);

/* Questions to clients. */

void core_client_rename(struct ib_device *dev)
{
	struct ib_client *client;
	unsigned long id;

	lockdep_assert_held(&core_registry_mutex);
	down_read(&dev->client_data_rwsem);
	xa_for_each(&core_clients, id, client) {
		if (client->rename && xa_get_mark(&dev->client_data, id, CLIENT_ON_DEVICE))
			client->rename(dev, xa_load(&dev->client_data, id));
	}
	up_read(&dev->client_data_rwsem);
}

static struct ib_client *find_client(const char *name)
{
	struct ib_client *client;
	unsigned long id;

	lockdep_assert_held(&core_clients_rwsem);
	xa_for_each(&core_clients, id, client)
		if (!strcmp(client->name, name))
			return client;
	return NULL;
}

/* Clients hand out a bare pointer, which is good only while they cannot be removed. */
static void hold_cdev(struct ib_client_nl_info *res)
{
	lockdep_assert_held(&core_clients_rwsem);
	if (res->cdev)
		get_device(res->cdev);
}

static int ask_about_device(struct ib_client *client, struct ib_device *dev,
			    struct ib_client_nl_info *res)
{
	int ret = -ENOENT;

	if (!client->get_nl_info)
		return -EOPNOTSUPP;
	down_read(&dev->client_data_rwsem);
	if (xa_get_mark(&dev->client_data, client->client_id, CLIENT_ON_DEVICE))
		ret = client->get_nl_info(dev, xa_load(&dev->client_data, client->client_id), res);
	if (!ret)
		hold_cdev(res);
	up_read(&dev->client_data_rwsem);
	return ret;
}

static int ask_client(const char *name, struct ib_device *dev, struct ib_client_nl_info *res)
{
	struct ib_client *client;
	int ret = -ENOENT;

	down_read(&core_clients_rwsem);
	client = find_client(name);
	if (client && dev)
		ret = ask_about_device(client, dev, res);
	else if (client)
		ret = client->get_global_nl_info ? client->get_global_nl_info(res) : -EOPNOTSUPP;
	if (!ret && !dev)
		hold_cdev(res);
	up_read(&core_clients_rwsem);
	return ret;
}

/*
 * core_client_nl_info - which character device of client @name serves @dev (NULL: all)
 *
 * The client's module is loaded when nobody of that name is there. On success the caller owes a
 * put_device(res->cdev).
 */
int core_client_nl_info(struct ib_device *dev, const char *name, struct ib_client_nl_info *res)
{
	int ret = ask_client(name, dev, res);

	if (ret == -ENOENT) {
		request_module("rdma-client-%s", name);
		ret = ask_client(name, dev, res);
	}
	if (!ret && WARN_ON(!res->cdev))
		ret = -EINVAL;
	return ret;
}

/*
 * ib_get_net_dev_by_params - the netdev of whichever client made it for this port, P_Key and GID
 *
 * For rdma_cm: IP over InfiniBand is such a client. With dev_hold(), or NULL.
 */
struct net_device *ib_get_net_dev_by_params(struct ib_device *dev, u32 port, u16 pkey,
					    const union ib_gid *gid, const struct sockaddr *addr)
{
	struct net_device *ndev = NULL;
	struct ib_client *client;
	unsigned long id;

	if (!rdma_protocol_ib(dev, port))
		return NULL;

	down_read(&core_clients_rwsem);
	down_read(&dev->client_data_rwsem);
	xa_for_each(&core_clients, id, client) {
		if (!client->get_net_dev_by_params ||
		    !xa_get_mark(&dev->client_data, id, CLIENT_ON_DEVICE))
			continue;
		ndev = client->get_net_dev_by_params(dev, port, pkey, gid, addr,
						     xa_load(&dev->client_data, id));
		if (ndev)
			break;
	}
	up_read(&dev->client_data_rwsem);
	up_read(&core_clients_rwsem);
	return ndev;
}
EXPORT_SYMBOL(ib_get_net_dev_by_params);
