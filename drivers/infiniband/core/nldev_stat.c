// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Hardware counters by netlink (`rdma statistic`): the counters of a port, which optional ones are
 * on, those of an MR. nldev.c's table calls in; the values come from the same struct rdma_hw_stats
 * as those of sysfs.
 *
 * Binding QPs to counters of their own is a matter of adapters that have such counters; this core
 * does not offer it. The mode of a port can be set and read, because scripts do, and binding
 * answers ENOMEM, as it does for a device that has no such counter to give.
 */
#include <linux/bitmap.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <rdma/rdma_netlink.h>

#include "core_priv.h"
#include "nldev.h"
#include "nldev_res.h"
#include "sysfs.h"

#define ALL_AUTO_MASKS (RDMA_COUNTER_MASK_QP_TYPE | RDMA_COUNTER_MASK_PID)

/* Protects port_data.port_counter.mode of all devices. */
static DEFINE_MUTEX(mode_mutex);

/* What STAT_GET is about: RDMA_NLDEV_ATTR_STAT_RES holds the number of a table attribute. */
static u32 stat_subject(const struct core_nldev_request *req)
{
	const struct nlattr *attr = req->tb[RDMA_NLDEV_ATTR_STAT_RES];

	return attr ? nla_get_u32(attr) : 0;
}

/* Device, port and its number: how each answer here opens. */
static int put_port_handle(struct sk_buff *msg, const struct core_nldev_request *req)
{
	if (core_nldev_put_handle(msg, req->dev) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, req->port))
		return -EMSGSIZE;
	return 0;
}

/* Fresh values, whatever the lifespan: who asks by netlink asks rarely. */
static int put_values(struct sk_buff *msg, struct ib_device *dev, u32 port,
		      struct rdma_hw_stats *stats)
{
	int i, num, ret = 0;

	lockdep_assert_held(&stats->lock);

	num = dev->ops.get_hw_stats(dev, stats, port, 0);
	if (num < 0)
		return -EINVAL;
	for (i = 0; i < num && !ret; i++)
		if (!test_bit(i, stats->is_disabled))
			ret = rdma_nl_stat_hwcounter_entry(msg, stats->descs[i].name,
							   stats->value[i]);
	return ret;
}

static int put_port_counters(struct sk_buff *msg, const struct core_nldev_request *req,
			     struct rdma_hw_stats *stats)
{
	struct nlattr *table;
	int ret;

	ret = put_port_handle(msg, req);
	if (ret)
		return ret;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		return -EMSGSIZE;
	mutex_lock(&stats->lock);
	ret = put_values(msg, req->dev, req->port, stats);
	mutex_unlock(&stats->lock);
	if (ret)
		nla_nest_cancel(msg, table);
	else
		nla_nest_end(msg, table);
	return ret;
}

static int answer_port_counters(const struct core_nldev_request *req)
{
	struct rdma_hw_stats *stats = core_sysfs_stats_of_port(req->dev, req->port);
	struct core_nldev_reply reply;
	int ret;

	if (!stats)
		return -EINVAL;
	ret = core_nldev_reply_begin(&reply, req, RDMA_NLDEV_CMD_STAT_GET);
	if (ret)
		return ret;
	return core_nldev_reply_end(&reply, req, put_port_counters(reply.msg, req, stats));
}

static int put_qp_mode(struct sk_buff *msg, const struct core_nldev_request *req)
{
	struct rdma_counter_mode mode;
	int ret;

	mutex_lock(&mode_mutex);
	mode = req->dev->port_data[req->port].port_counter.mode;
	mutex_unlock(&mode_mutex);

	ret = put_port_handle(msg, req);
	if (ret)
		return ret;
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_MODE, mode.mode))
		return -EMSGSIZE;
	if (mode.mode == RDMA_COUNTER_MODE_AUTO &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, mode.mask))
		return -EMSGSIZE;
	return 0;
}

/* `rdma statistic qp mode` */
static int answer_qp_mode(const struct core_nldev_request *req)
{
	struct core_nldev_reply reply;
	int ret;

	ret = core_nldev_reply_begin(&reply, req, RDMA_NLDEV_CMD_STAT_GET);
	if (ret)
		return ret;
	return core_nldev_reply_end(&reply, req, put_qp_mode(reply.msg, req));
}

int core_nldev_stat_get(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, 0);
	if (ret)
		return ret;
	if (stat_subject(&req) == RDMA_NLDEV_ATTR_RES_MR)
		return core_nldev_res_get(skb, nlh, extack);
	if (req.tb[RDMA_NLDEV_ATTR_STAT_RES] && stat_subject(&req) != RDMA_NLDEV_ATTR_RES_QP)
		return -EINVAL;

	ret = core_nldev_begin(&req, skb, nlh, extack, CORE_NLDEV_DEV | CORE_NLDEV_PORT);
	if (ret)
		return ret;
	if (!req.tb[RDMA_NLDEV_ATTR_STAT_RES])
		ret = answer_port_counters(&req);
	else if (req.tb[RDMA_NLDEV_ATTR_STAT_COUNTER_ID])
		ret = -ENOENT;
	else
		ret = answer_qp_mode(&req);
	core_nldev_end(&req);
	return ret;
}

int core_nldev_stat_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct core_nldev_request req;
	u32 subject;
	int ret;

	ret = core_nldev_begin(&req, cb->skb, cb->nlh, cb->extack, CORE_NLDEV_DEV);
	if (ret)
		return ret;
	subject = stat_subject(&req);
	core_nldev_end(&req);

	if (subject == RDMA_NLDEV_ATTR_RES_MR)
		return core_nldev_res_dump(skb, cb);
	/* No QP is bound to a counter, so there are none to list. */
	return subject == RDMA_NLDEV_ATTR_RES_QP ? 0 : -EINVAL;
}

int core_nldev_put_mr_stat(struct sk_buff *msg, bool admin, struct rdma_restrack_entry *res,
			   u32 port)
{
	struct ib_mr *mr = container_of(res, struct ib_mr, res);
	const struct ib_device_ops *ops = &mr->device->ops;

	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_MRN, res->id))
		return -EMSGSIZE;
	return ops->fill_stat_mr_entry ? ops->fill_stat_mr_entry(msg, mr) : 0;
}

static int set_auto_mode(const struct core_nldev_request *req)
{
	const struct nlattr *attr = req->tb[RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK];
	struct rdma_counter_mode *mode = &req->dev->port_data[req->port].port_counter.mode;
	u32 mask = attr ? nla_get_u32(attr) : 0;
	int ret = 0;

	if (!core_sysfs_stats_of_port(req->dev, req->port))
		return -EOPNOTSUPP;
	if (mask & ~ALL_AUTO_MASKS)
		return -EINVAL;

	mutex_lock(&mode_mutex);
	if (mask) {
		mode->mode = RDMA_COUNTER_MODE_AUTO;
		mode->mask = mask;
	} else if (mode->mode == RDMA_COUNTER_MODE_AUTO) {
		mode->mode = RDMA_COUNTER_MODE_NONE;
		mode->mask = 0;
	} else {
		ret = -EINVAL;
	}
	mutex_unlock(&mode_mutex);
	return ret;
}

/* 0: the device has the QP that the request names. */
static int find_qp(const struct core_nldev_request *req)
{
	struct rdma_restrack_entry *res;

	if (!req->tb[RDMA_NLDEV_ATTR_RES_LQPN])
		return -EINVAL;
	res = rdma_restrack_get_byid(req->dev, RDMA_RESTRACK_QP,
				     nla_get_u32(req->tb[RDMA_NLDEV_ATTR_RES_LQPN]));
	if (IS_ERR(res))
		return PTR_ERR(res);
	rdma_restrack_put(res);
	return 0;
}

/* To a counter that it names, which there is not, or to a new one. */
static int bind_qp(const struct core_nldev_request *req)
{
	int ret;

	if (!core_sysfs_stats_of_port(req->dev, req->port))
		return -EOPNOTSUPP;
	ret = find_qp(req);
	if (ret)
		return ret;
	return req->tb[RDMA_NLDEV_ATTR_STAT_COUNTER_ID] ? -ENOENT : -ENOMEM;
}

static int set_qp_mode(const struct core_nldev_request *req)
{
	if (stat_subject(req) != RDMA_NLDEV_ATTR_RES_QP)
		return -EINVAL;
	if (nla_get_u32(req->tb[RDMA_NLDEV_ATTR_STAT_MODE]) == RDMA_COUNTER_MODE_AUTO)
		return set_auto_mode(req);
	return bind_qp(req);
}

static int switch_counter(struct ib_device *dev, u32 port, struct rdma_hw_stats *stats, u32 index,
			  bool on)
{
	int ret = 0;

	if (!dev->ops.modify_hw_stat)
		return -EOPNOTSUPP;

	mutex_lock(&stats->lock);
	if (on == test_bit(index, stats->is_disabled)) {
		ret = dev->ops.modify_hw_stat(dev, port, index, on);
		if (!ret)
			assign_bit(index, stats->is_disabled, !on);
	}
	mutex_unlock(&stats->lock);
	return ret;
}

static int mark_wanted(const struct nlattr *list, const struct rdma_hw_stats *stats,
		       unsigned long *wanted)
{
	const struct nlattr *entry;
	u32 index;
	int rest;

	nla_for_each_nested(entry, list, rest) {
		if (nla_len(entry) != sizeof(u32))
			return -EINVAL;
		index = nla_get_u32(entry);
		if (index >= stats->num_counters ||
		    !(stats->descs[index].flags & IB_STAT_FLAG_OPTIONAL))
			return -EINVAL;
		__set_bit(index, wanted);
	}
	return 0;
}

/* Of the optional counters those listed are on afterwards, the others off. */
static int set_optional_counters(const struct core_nldev_request *req)
{
	struct rdma_hw_stats *stats = core_sysfs_stats_of_port(req->dev, req->port);
	unsigned long *wanted;
	int i, ret;

	if (!stats)
		return -EINVAL;
	wanted = bitmap_zalloc(stats->num_counters, GFP_KERNEL);
	if (!wanted)
		return -ENOMEM;

	ret = mark_wanted(req->tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS], stats, wanted);
	for (i = 0; i < stats->num_counters && !ret; i++)
		if (stats->descs[i].flags & IB_STAT_FLAG_OPTIONAL)
			ret = switch_counter(req->dev, req->port, stats, i,
					     test_bit(i, wanted));
	bitmap_free(wanted);
	return ret;
}

int core_nldev_stat_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	struct core_nldev_reply reply;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, CORE_NLDEV_DEV | CORE_NLDEV_PORT);
	if (ret)
		return ret;
	ret = -EINVAL;
	if (!req.tb[RDMA_NLDEV_ATTR_STAT_MODE] && !req.tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS])
		goto out;
	/* The answer before the deed: without memory nothing is changed. */
	ret = core_nldev_reply_begin(&reply, &req, RDMA_NLDEV_CMD_STAT_SET);
	if (ret)
		goto out;
	ret = put_port_handle(reply.msg, &req);
	if (!ret && req.tb[RDMA_NLDEV_ATTR_STAT_MODE])
		ret = set_qp_mode(&req);
	if (!ret && req.tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS])
		ret = set_optional_counters(&req);
	ret = core_nldev_reply_end(&reply, &req, ret);
out:
	core_nldev_end(&req);
	return ret;
}

/* None is ever bound, so a QP that exists is not on that counter. */
static int unbind_qp(const struct core_nldev_request *req)
{
	int ret;

	if (stat_subject(req) != RDMA_NLDEV_ATTR_RES_QP ||
	    !req->tb[RDMA_NLDEV_ATTR_STAT_COUNTER_ID] || !req->tb[RDMA_NLDEV_ATTR_RES_LQPN])
		return -EINVAL;
	ret = find_qp(req);
	return ret ? ret : -EINVAL;
}

int core_nldev_stat_del(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, CORE_NLDEV_DEV | CORE_NLDEV_PORT);
	if (ret)
		return ret;
	ret = unbind_qp(&req);
	core_nldev_end(&req);
	return ret;
}

static int put_status_entry(struct sk_buff *msg, const struct rdma_hw_stats *stats, u32 index)
{
	const struct rdma_stat_desc *desc = &stats->descs[index];
	struct nlattr *entry;

	entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
	if (!entry)
		return -EMSGSIZE;
	if (nla_put_string(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, desc->name) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, index) ||
	    (desc->flags & IB_STAT_FLAG_OPTIONAL &&
	     nla_put_u8(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC,
			!test_bit(index, stats->is_disabled)))) {
		nla_nest_cancel(msg, entry);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, entry);
	return 0;
}

static int put_status(struct sk_buff *msg, const struct core_nldev_request *req,
		      struct rdma_hw_stats *stats)
{
	struct nlattr *table;
	int i, ret;

	ret = put_port_handle(msg, req);
	if (ret)
		return ret;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		return -EMSGSIZE;
	mutex_lock(&stats->lock);
	for (i = 0; i < stats->num_counters && !ret; i++)
		ret = put_status_entry(msg, stats, i);
	mutex_unlock(&stats->lock);
	if (ret)
		nla_nest_cancel(msg, table);
	else
		nla_nest_end(msg, table);
	return ret;
}

/* `rdma statistic mode` */
int core_nldev_stat_status(struct sk_buff *skb, struct nlmsghdr *nlh,
			   struct netlink_ext_ack *extack)
{
	struct core_nldev_request req;
	struct core_nldev_reply reply;
	struct rdma_hw_stats *stats;
	int ret;

	ret = core_nldev_begin(&req, skb, nlh, extack, CORE_NLDEV_DEV | CORE_NLDEV_PORT);
	if (ret)
		return ret;
	stats = core_sysfs_stats_of_port(req.dev, req.port);
	ret = -EINVAL;
	if (stats) {
		ret = core_nldev_reply_begin(&reply, &req, RDMA_NLDEV_CMD_STAT_GET_STATUS);
		if (!ret)
			ret = core_nldev_reply_end(&reply, &req,
						   put_status(reply.msg, &req, stats));
	}
	core_nldev_end(&req);
	return ret;
}
