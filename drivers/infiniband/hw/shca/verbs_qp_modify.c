// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_qp_modify.c - changes state and attributes of a queue pair.  ib_core calls in; first every
 * value is checked, then the engine is told, so a refused call changes nothing.
 */
#include "netdev.h"
#include "path.h"
#include "route.h"
#include "shca.h"
#include "udata.h"
#include "verbs_qp.h"

static_assert((int)ENG_QPS_RESET == (int)IB_QPS_RESET);
static_assert((int)ENG_QPS_INIT == (int)IB_QPS_INIT);
static_assert((int)ENG_QPS_RTR == (int)IB_QPS_RTR);
static_assert((int)ENG_QPS_RTS == (int)IB_QPS_RTS);
static_assert((int)ENG_QPS_SQD == (int)IB_QPS_SQD);
static_assert((int)ENG_QPS_SQE == (int)IB_QPS_SQE);
static_assert((int)ENG_QPS_ERR == (int)IB_QPS_ERR);

static_assert((int)ENG_QP_STATE == (int)IB_QP_STATE);
static_assert((int)ENG_QP_EN_SQD_ASYNC_NOTIFY == (int)IB_QP_EN_SQD_ASYNC_NOTIFY);
static_assert((int)ENG_QP_ACCESS_FLAGS == (int)IB_QP_ACCESS_FLAGS);
static_assert((int)ENG_QP_QKEY == (int)IB_QP_QKEY);
static_assert((int)ENG_QP_PATH_MTU == (int)IB_QP_PATH_MTU);
static_assert((int)ENG_QP_TIMEOUT == (int)IB_QP_TIMEOUT);
static_assert((int)ENG_QP_RETRY_CNT == (int)IB_QP_RETRY_CNT);
static_assert((int)ENG_QP_RNR_RETRY == (int)IB_QP_RNR_RETRY);
static_assert((int)ENG_QP_RQ_PSN == (int)IB_QP_RQ_PSN);
static_assert((int)ENG_QP_MAX_QP_RD_ATOMIC == (int)IB_QP_MAX_QP_RD_ATOMIC);
static_assert((int)ENG_QP_MIN_RNR_TIMER == (int)IB_QP_MIN_RNR_TIMER);
static_assert((int)ENG_QP_SQ_PSN == (int)IB_QP_SQ_PSN);
static_assert((int)ENG_QP_MAX_DEST_RD_ATOMIC == (int)IB_QP_MAX_DEST_RD_ATOMIC);
static_assert((int)ENG_QP_DEST_QPN == (int)IB_QP_DEST_QPN);
static_assert((int)ENG_QP_RATE_LIMIT == (int)IB_QP_RATE_LIMIT);

#define ENGINE_MASK (ENG_QP_STATE | ENG_QP_EN_SQD_ASYNC_NOTIFY | ENG_QP_ACCESS_FLAGS | \
		     ENG_QP_QKEY | ENG_QP_PATH_MTU | ENG_QP_TIMEOUT | ENG_QP_RETRY_CNT | \
		     ENG_QP_RNR_RETRY | ENG_QP_RQ_PSN | ENG_QP_MAX_QP_RD_ATOMIC | \
		     ENG_QP_MIN_RNR_TIMER | ENG_QP_SQ_PSN | ENG_QP_MAX_DEST_RD_ATOMIC | \
		     ENG_QP_DEST_QPN | ENG_QP_RATE_LIMIT)

#define PSN_MASK	0xffffffU
#define QPN_MASK	0xffffffU

/* Fields whose width IBTA vol 1, 11.2.5.2 gives: @limit is the largest value. */
static int check_ranges(const struct ib_qp_attr *attr, int mask)
{
	const struct {
		int bit;
		u32 value, limit;
	} fields[] = {
		{ IB_QP_PKEY_INDEX,		attr->pkey_index,	 0 },
		{ IB_QP_TIMEOUT,		attr->timeout,		 31 },
		{ IB_QP_RETRY_CNT,		attr->retry_cnt,	 7 },
		{ IB_QP_RNR_RETRY,		attr->rnr_retry,	 7 },
		{ IB_QP_MIN_RNR_TIMER,		attr->min_rnr_timer,	 31 },
		{ IB_QP_MAX_QP_RD_ATOMIC,	attr->max_rd_atomic,	 SHCA_MAX_RD_ATOMIC },
		{ IB_QP_MAX_DEST_RD_ATOMIC,	attr->max_dest_rd_atomic, SHCA_MAX_RD_ATOMIC },
		{ IB_QP_DEST_QPN,		attr->dest_qp_num,	 QPN_MASK },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if ((mask & fields[i].bit) && fields[i].value > fields[i].limit)
			return -EINVAL;
	return 0;
}

static int check_attr(const struct shca_dev *dev, const struct ib_qp_attr *attr, int mask)
{
	if ((mask & IB_QP_PORT) && attr->port_num != SHCA_PORT)
		return -EINVAL;
	/* RoCE has no address without a GRH. */
	if ((mask & IB_QP_AV) && (!(rdma_ah_get_ah_flags(&attr->ah_attr) & IB_AH_GRH) ||
				  rdma_ah_get_port_num(&attr->ah_attr) != SHCA_PORT))
		return -EINVAL;
	if ((mask & IB_QP_PATH_MTU) && (attr->path_mtu < IB_MTU_256 ||
					attr->path_mtu > shca_netdev_mtu(dev)))
		return -EINVAL;
	/* Path migration is not among the device's capabilities. */
	if (mask & (IB_QP_ALT_PATH | IB_QP_CAP))
		return -EINVAL;
	if ((mask & IB_QP_PATH_MIG_STATE) && attr->path_mig_state != IB_MIG_MIGRATED)
		return -EINVAL;
	return check_ranges(attr, mask);
}

static int check_transition(struct shca_qp *qp, const struct ib_qp_attr *attr, int mask,
			    enum ib_qp_state *next)
{
	bool draining = false;
	enum ib_qp_state current_state;

	current_state = (enum ib_qp_state)eng_qp_query(qp->eng, NULL, &draining);
	if ((mask & IB_QP_CUR_STATE) && attr->cur_qp_state != current_state)
		return -EINVAL;
	*next = mask & IB_QP_STATE ? attr->qp_state : current_state;
	/* The core knows the rate limit of raw packet QPs only; ours have it where they send. */
	if (!ib_modify_qp_is_ok(current_state, *next, qp->ib.qp_type, mask & ~IB_QP_RATE_LIMIT))
		return -EINVAL;
	if ((mask & IB_QP_RATE_LIMIT) && *next != IB_QPS_RTS)
		return -EINVAL;
	if (draining && *next == IB_QPS_RTS)
		return -EINVAL;
	return 0;
}

static void remember_path(struct ib_qp_attr *known, const struct ib_qp_attr *attr)
{
	known->ah_attr = attr->ah_attr;
	/* ib_core holds the GID entry for as long as the QP uses it. */
	known->ah_attr.grh.sgid_attr = NULL;
	known->ah_attr.ah_flags = IB_AH_GRH;
}

/* What query will tell. */
static void remember(struct ib_qp_attr *known, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_PKEY_INDEX)
		known->pkey_index = attr->pkey_index;
	if (mask & IB_QP_PORT)
		known->port_num = attr->port_num;
	if (mask & IB_QP_ACCESS_FLAGS)
		known->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_QKEY)
		known->qkey = attr->qkey;
	if (mask & IB_QP_AV)
		remember_path(known, attr);
	if (mask & IB_QP_PATH_MTU)
		known->path_mtu = attr->path_mtu;
	if (mask & IB_QP_TIMEOUT)
		known->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		known->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		known->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_RQ_PSN)
		known->rq_psn = attr->rq_psn & PSN_MASK;
	if (mask & IB_QP_SQ_PSN)
		known->sq_psn = attr->sq_psn & PSN_MASK;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		known->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		known->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		known->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_DEST_QPN)
		known->dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_RATE_LIMIT)
		known->rate_limit = attr->rate_limit;
}

static void forget(struct shca_qp *qp)
{
	qp->attr = (struct ib_qp_attr) {
		.path_mig_state = IB_MIG_MIGRATED,
		.port_num = SHCA_PORT,
	};
	qp->sq_prod = 0;
	qp->sq_done = 0;
	qp->rq_prod = 0;
	qp->rq_done = 0;
	qp->peer = NULL;
	qp->on_wire = false;
	WRITE_ONCE(qp->forced, false);
	shca_path_put(unrcu_pointer(xchg(&qp->path, NULL)));
}

static struct eng_qp_attr for_engine(const struct ib_qp_attr *known, const struct ib_qp_attr *attr,
				     enum ib_qp_state next, int mask)
{
	int mtu = mask & IB_QP_PATH_MTU ? ib_mtu_enum_to_int(known->path_mtu) : 0;

	return (struct eng_qp_attr) {
		.state = (enum eng_qp_state)next,
		.access = known->qp_access_flags & (ENG_ACCESS_REMOTE_WRITE |
						    ENG_ACCESS_REMOTE_READ |
						    ENG_ACCESS_REMOTE_ATOMIC),
		.qkey = known->qkey,
		.path_mtu = mtu,
		.dest_qpn = known->dest_qp_num,
		.rq_psn = known->rq_psn,
		.sq_psn = known->sq_psn,
		.max_rd_atomic = known->max_rd_atomic,
		.max_dest_rd_atomic = known->max_dest_rd_atomic,
		.min_rnr_timer = known->min_rnr_timer,
		.timeout = known->timeout,
		.retry_cnt = known->retry_cnt,
		.rnr_retry = known->rnr_retry,
		.sqd_notify = attr->en_sqd_async_notify,
		.rate_limit = known->rate_limit,
	};
}

/* How a QP reaches its peer. */
struct way {
	struct eng_dev *peer;		/* counted */
	struct shca_path *path;		/* counted */
	bool forced, wire;
};

/* The parameter may have changed between the RTR of one end and that of the other. */
static bool is_forced(struct eng_dev *dev, u32 qpn)
{
	struct eng_qp *eng = eng_qp_find(dev, qpn);
	const struct shca_qp *qp;
	bool forced;

	if (!eng)
		return false;
	qp = eng_qp_host(eng);
	forced = READ_ONCE(qp->forced);
	eng_qp_put(eng);
	return forced;
}

/* The device at the end of a direct link, counted; NULL: the wire, if only for the other end. */
static struct eng_dev *find_direct(const struct shca_qp *qp, const union ib_gid *dgid)
{
	struct eng_dev *peer = shca_route_find(shca_dev_of(qp->ib.device), dgid);

	if (!peer || !is_forced(peer, qp->attr.dest_qp_num))
		return peer;
	eng_dev_put(peer);
	return NULL;
}

/* A path is kept for a direct link, too: the destination may leave this host. */
static int find_way(struct shca_qp *qp, const struct ib_global_route *route, struct way *way)
{
	struct shca_dev *dev = shca_dev_of(qp->ib.device);

	way->path = shca_path_create(dev, route, qp->ib.qp_num, qp->attr.dest_qp_num,
				     GFP_KERNEL_ACCOUNT);
	if (IS_ERR(way->path))
		return PTR_ERR(way->path);
	way->forced = shca_route_forces_wire();
	way->peer = way->forced ? NULL : find_direct(qp, &route->dgid);
	way->wire = !way->peer && shca_path_is_up(way->path);
	return 0;
}

static void tell_way(struct eng_qp_attr *change, const struct way *way)
{
	change->peer = way->peer;
	change->wire = way->wire;
	memcpy(change->sgid, &way->path->saddr, sizeof(change->sgid));
	memcpy(change->dgid, &way->path->daddr, sizeof(change->dgid));
}

/* The engine has taken it over. */
static void remember_way(struct shca_qp *qp, const struct way *way)
{
	lockdep_assert_held(&qp->mutex);
	qp->peer = way->peer;
	qp->on_wire = way->wire;
	WRITE_ONCE(qp->forced, way->forced);
	shca_path_put(unrcu_pointer(xchg(&qp->path, RCU_INITIALIZER(way->path))));
}

static void forget_way(const struct way *way)
{
	if (way->peer)
		eng_dev_put(way->peer);
	shca_path_put(way->path);
}

/*
 * An error may move the QP between our judgement and the engine's: then the engine refuses, and
 * what query tells stays as it was.  A move to RESET is never refused.
 */
static int apply(struct shca_qp *qp, const struct ib_qp_attr *attr, enum ib_qp_state next, int mask)
{
	struct ib_qp_attr before = qp->attr;
	u32 eng_mask = mask & ENGINE_MASK;
	struct eng_qp_attr change;
	struct way way = {};
	int err = 0;

	lockdep_assert_held(&qp->mutex);
	if (next == IB_QPS_RESET)
		forget(qp);
	remember(&qp->attr, attr, mask);
	change = for_engine(&qp->attr, attr, next, mask);
	if (mask & IB_QP_AV) {
		err = find_way(qp, rdma_ah_read_grh(&attr->ah_attr), &way);
		if (!err) {
			tell_way(&change, &way);
			eng_mask |= ENG_QP_PEER;
		}
	}
	if (!err)
		err = eng_qp_modify(qp->eng, &change, eng_mask);
	if (!err) {
		if (mask & IB_QP_AV)
			remember_way(qp, &way);
		return 0;
	}
	if (!IS_ERR(way.path))
		forget_way(&way);
	qp->attr = before;
	return err;
}

/* A peer on this host that went the direct way before takes the wire from now on, too. */
static void call_other_end(const struct shca_qp *qp, const struct rdma_ah_attr *to, u32 qpn)
{
	struct eng_dev *dev = shca_route_find(shca_dev_of(qp->ib.device),
					      &rdma_ah_read_grh(to)->dgid);
	struct eng_qp *eng;

	if (!dev)
		return;
	eng = eng_qp_find(dev, qpn);
	if (eng) {
		shca_verbs_qp_reroute(eng_qp_host(eng));
		eng_qp_put(eng);
	}
	eng_dev_put(dev);
}

int shca_verbs_qp_modify(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata)
{
	struct shca_qp *qp = container_of(ibqp, struct shca_qp, ib);
	struct shca_dev *dev = shca_dev_of(ibqp->device);
	enum ib_qp_state next;
	bool call = false;
	u32 dest_qpn;
	int err;

	if (mask & ~(IB_QP_ATTR_STANDARD_BITS | IB_QP_RATE_LIMIT))
		return -EOPNOTSUPP;
	err = shca_udata_check_empty(udata);
	if (err)
		return err;
	mutex_lock(&qp->mutex);
	err = check_transition(qp, attr, mask, &next);
	if (!err)
		err = check_attr(dev, attr, mask);
	if (err)
		goto unlock;
	err = apply(qp, attr, next, mask);
	call = !err && (mask & IB_QP_AV) && qp->forced;
unlock:
	dest_qpn = qp->attr.dest_qp_num;
	mutex_unlock(&qp->mutex);
	if (call)
		call_other_end(qp, &attr->ah_attr, dest_qpn);
	return err;
}

void shca_verbs_qp_reroute(struct shca_qp *qp)
{
	struct way way = {};
	struct eng_qp_attr change = {};

	mutex_lock(&qp->mutex);
	way.path = rcu_dereference_protected(qp->path, lockdep_is_held(&qp->mutex));
	if (qp->closing || !way.path)
		goto unlock;
	if (!qp->forced)
		way.peer = find_direct(qp, (const union ib_gid *)&way.path->daddr);
	way.wire = !way.peer && shca_path_is_up(way.path);
	if (way.peer == qp->peer && way.wire == qp->on_wire) {
		if (way.peer)
			eng_dev_put(way.peer);
		goto unlock;
	}
	tell_way(&change, &way);
	qp->peer = way.peer;
	qp->on_wire = way.wire;
	eng_qp_modify(qp->eng, &change, ENG_QP_PEER);
unlock:
	mutex_unlock(&qp->mutex);
}
