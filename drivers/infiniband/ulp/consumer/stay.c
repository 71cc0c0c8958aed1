// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A client that keeps two QPs busy on every device there is, and on each that comes, until the
 * device is removed: then it drains and gives everything back, or the removal would never end.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "consumer.h"
#include "loop.h"

#define PAUSE_MS	1

struct stay {
	struct loop loop;
	struct delayed_work work;
	struct loop_op send, recv;
	bool leaving;
	u64 rounds;
};

static struct ib_client client;

static void work_fn(struct work_struct *work)
{
	struct stay *stay = container_of(work, struct stay, work.work);

	loop_op_init(&stay->send);
	loop_op_init(&stay->recv);
	if (loop_post_recv(&stay->loop, 1, &stay->recv) ||
	    loop_post_send(&stay->loop, 0, &stay->send) ||
	    loop_op_wait(&stay->loop, &stay->send) != IB_WC_SUCCESS ||
	    loop_op_wait(&stay->loop, &stay->recv) != IB_WC_SUCCESS) {
		if (!READ_ONCE(stay->leaving))
			pr_err("core_consumer: traffic broke off after %llu rounds\n",
			       stay->rounds);
		return;
	}
	stay->rounds++;
	queue_delayed_work(system_long_wq, &stay->work, msecs_to_jiffies(PAUSE_MS));
}

static int add(struct ib_device *dev)
{
	struct stay *stay = kzalloc(sizeof(*stay), GFP_KERNEL);
	int ret;

	if (!stay)
		return -ENOMEM;
	ret = loop_open(&stay->loop, dev, IB_POLL_SOFTIRQ);
	if (ret) {
		kfree(stay);
		return ret;
	}
	INIT_DELAYED_WORK(&stay->work, work_fn);
	ib_set_client_data(dev, &client, stay);
	queue_delayed_work(system_long_wq, &stay->work, 0);
	return 0;
}

static void remove(struct ib_device *dev, void *data)
{
	struct stay *stay = data;

	WRITE_ONCE(stay->leaving, true);
	cancel_delayed_work_sync(&stay->work);
	ib_drain_qp(stay->loop.qp[0]);
	ib_drain_qp(stay->loop.qp[1]);
	loop_close(&stay->loop);
	pr_info("core_consumer: left %s after %llu rounds\n", dev_name(&dev->dev), stay->rounds);
	kfree(stay);
}

static struct ib_client client = {
	.name = "core_consumer_stay", .add = add, .remove = remove,
};

int stay_start(void)
{
	return ib_register_client(&client);
}

void stay_stop(void)
{
	ib_unregister_client(&client);
}
