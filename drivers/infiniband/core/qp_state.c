// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The state machine of a queue pair as a table: which moves are legal, and for each type of QP
 * which attributes a move needs and which it may have (IBA 1.x, volume 1, section 10.3.1 and table
 * "QP state transition properties" of section 11.2.5.2). Drivers ask ib_modify_qp_is_ok().
 *
 * A row is a move; its columns are classes of QP types that have the same needs.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "core_priv.h"

/* Classes of QP types. */
enum qp_class {
	CLASS_NONE,	/* not a type this table knows */
	CLASS_UD,
	CLASS_RAW,
	CLASS_UC,
	CLASS_RC,
	CLASS_XRC_INI,
	CLASS_XRC_TGT,
	CLASS_MGMT,	/* the special QPs 0 and 1 */
	CLASS_MAX,
};

static const u8 class_of_type[] = {
	[IB_QPT_SMI] = CLASS_MGMT,
	[IB_QPT_GSI] = CLASS_MGMT,
	[IB_QPT_RC] = CLASS_RC,
	[IB_QPT_UC] = CLASS_UC,
	[IB_QPT_UD] = CLASS_UD,
	[IB_QPT_RAW_PACKET] = CLASS_RAW,
	[IB_QPT_XRC_INI] = CLASS_XRC_INI,
	[IB_QPT_XRC_TGT] = CLASS_XRC_TGT,
};
static_assert(ARRAY_SIZE(class_of_type) == IB_QPT_MAX);

struct attr_need {
	u32 required;
	u32 optional;
};

struct move {
	bool legal;
	struct attr_need need[CLASS_MAX];
};

/* Attributes that go together. */
#define PKEY_PORT (IB_QP_PKEY_INDEX | IB_QP_PORT)
#define CONNECT (IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN)
#define RESPONDER (IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER)
#define REQUESTER (IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC)
#define ALT_ACCESS_PKEY (IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX)
#define CUR_ALT_ACCESS_MIG						\
	(IB_QP_CUR_STATE | IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS | IB_QP_PATH_MIG_STATE)
/* What may change in SQD, where the send queue stands still. */
#define SQD_UC (IB_QP_AV | IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX |		\
		IB_QP_PATH_MIG_STATE)
#define SQD_REQUESTER (IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |			\
		       IB_QP_MAX_QP_RD_ATOMIC)

static const struct move moves[IB_QPS_ERR + 1][IB_QPS_ERR + 1] = {
	[IB_QPS_RESET] = {
		[IB_QPS_RESET] = { .legal = true },
		[IB_QPS_INIT] = { .legal = true, .need = {
			[CLASS_UD] = { PKEY_PORT | IB_QP_QKEY, 0 },
			[CLASS_RAW] = { IB_QP_PORT, 0 },
			[CLASS_UC] = { PKEY_PORT | IB_QP_ACCESS_FLAGS, 0 },
			[CLASS_RC] = { PKEY_PORT | IB_QP_ACCESS_FLAGS, 0 },
			[CLASS_XRC_INI] = { PKEY_PORT | IB_QP_ACCESS_FLAGS, 0 },
			[CLASS_XRC_TGT] = { PKEY_PORT | IB_QP_ACCESS_FLAGS, 0 },
			[CLASS_MGMT] = { IB_QP_PKEY_INDEX | IB_QP_QKEY, 0 },
		} },
	},
	[IB_QPS_INIT] = {
		[IB_QPS_RESET] = { .legal = true },
		[IB_QPS_ERR] = { .legal = true },
		[IB_QPS_INIT] = { .legal = true, .need = {
			[CLASS_UD] = { 0, PKEY_PORT | IB_QP_QKEY },
			[CLASS_UC] = { 0, PKEY_PORT | IB_QP_ACCESS_FLAGS },
			[CLASS_RC] = { 0, PKEY_PORT | IB_QP_ACCESS_FLAGS },
			[CLASS_XRC_INI] = { 0, PKEY_PORT | IB_QP_ACCESS_FLAGS },
			[CLASS_XRC_TGT] = { 0, PKEY_PORT | IB_QP_ACCESS_FLAGS },
			[CLASS_MGMT] = { 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },
		} },
		[IB_QPS_RTR] = { .legal = true, .need = {
			[CLASS_UD] = { 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },
			[CLASS_UC] = { CONNECT, ALT_ACCESS_PKEY },
			[CLASS_RC] = { CONNECT | RESPONDER, ALT_ACCESS_PKEY },
			[CLASS_XRC_INI] = { CONNECT, ALT_ACCESS_PKEY },
			[CLASS_XRC_TGT] = { CONNECT | RESPONDER, ALT_ACCESS_PKEY },
			[CLASS_MGMT] = { 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },
		} },
	},
	[IB_QPS_RTR] = {
		[IB_QPS_RESET] = { .legal = true },
		[IB_QPS_ERR] = { .legal = true },
		[IB_QPS_RTS] = { .legal = true, .need = {
			[CLASS_UD] = { IB_QP_SQ_PSN, IB_QP_CUR_STATE | IB_QP_QKEY },
			[CLASS_RAW] = { 0, IB_QP_RATE_LIMIT },
			[CLASS_UC] = { IB_QP_SQ_PSN, CUR_ALT_ACCESS_MIG },
			[CLASS_RC] = { IB_QP_SQ_PSN | REQUESTER,
				       CUR_ALT_ACCESS_MIG | IB_QP_MIN_RNR_TIMER },
			[CLASS_XRC_INI] = { IB_QP_SQ_PSN | REQUESTER, CUR_ALT_ACCESS_MIG },
			[CLASS_XRC_TGT] = { IB_QP_SQ_PSN | IB_QP_TIMEOUT,
					    CUR_ALT_ACCESS_MIG | IB_QP_MIN_RNR_TIMER },
			[CLASS_MGMT] = { IB_QP_SQ_PSN, IB_QP_CUR_STATE | IB_QP_QKEY },
		} },
	},
	[IB_QPS_RTS] = {
		[IB_QPS_RESET] = { .legal = true },
		[IB_QPS_ERR] = { .legal = true },
		[IB_QPS_RTS] = { .legal = true, .need = {
			[CLASS_UD] = { 0, IB_QP_CUR_STATE | IB_QP_QKEY },
			[CLASS_RAW] = { 0, IB_QP_RATE_LIMIT },
			[CLASS_UC] = { 0, CUR_ALT_ACCESS_MIG },
			[CLASS_RC] = { 0, CUR_ALT_ACCESS_MIG | IB_QP_MIN_RNR_TIMER },
			[CLASS_XRC_INI] = { 0, CUR_ALT_ACCESS_MIG },
			[CLASS_XRC_TGT] = { 0, CUR_ALT_ACCESS_MIG | IB_QP_MIN_RNR_TIMER },
			[CLASS_MGMT] = { 0, IB_QP_CUR_STATE | IB_QP_QKEY },
		} },
		[IB_QPS_SQD] = { .legal = true, .need = {
			[CLASS_UD] = { 0, IB_QP_EN_SQD_ASYNC_NOTIFY },
			[CLASS_UC] = { 0, IB_QP_EN_SQD_ASYNC_NOTIFY },
			[CLASS_RC] = { 0, IB_QP_EN_SQD_ASYNC_NOTIFY },
			[CLASS_XRC_INI] = { 0, IB_QP_EN_SQD_ASYNC_NOTIFY },
			[CLASS_XRC_TGT] = { 0, IB_QP_EN_SQD_ASYNC_NOTIFY },
			[CLASS_MGMT] = { 0, IB_QP_EN_SQD_ASYNC_NOTIFY },
		} },
	},
	[IB_QPS_SQD] = {
		[IB_QPS_RESET] = { .legal = true },
		[IB_QPS_ERR] = { .legal = true },
		[IB_QPS_RTS] = { .legal = true, .need = {
			[CLASS_UD] = { 0, IB_QP_CUR_STATE | IB_QP_QKEY },
			[CLASS_UC] = { 0, CUR_ALT_ACCESS_MIG },
			[CLASS_RC] = { 0, CUR_ALT_ACCESS_MIG | IB_QP_MIN_RNR_TIMER },
			[CLASS_XRC_INI] = { 0, CUR_ALT_ACCESS_MIG },
			[CLASS_XRC_TGT] = { 0, CUR_ALT_ACCESS_MIG | IB_QP_MIN_RNR_TIMER },
			[CLASS_MGMT] = { 0, IB_QP_CUR_STATE | IB_QP_QKEY },
		} },
		[IB_QPS_SQD] = { .legal = true, .need = {
			[CLASS_UD] = { 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },
			[CLASS_UC] = { 0, SQD_UC },
			[CLASS_RC] = { 0, SQD_UC | IB_QP_PORT | SQD_REQUESTER |
					  IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER },
			[CLASS_XRC_INI] = { 0, SQD_UC | IB_QP_PORT | SQD_REQUESTER },
			[CLASS_XRC_TGT] = { 0, SQD_UC | IB_QP_PORT | IB_QP_TIMEOUT |
					       IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER },
			[CLASS_MGMT] = { 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },
		} },
	},
	[IB_QPS_SQE] = {
		[IB_QPS_RESET] = { .legal = true },
		[IB_QPS_ERR] = { .legal = true },
		[IB_QPS_RTS] = { .legal = true, .need = {
			[CLASS_UD] = { 0, IB_QP_CUR_STATE | IB_QP_QKEY },
			[CLASS_UC] = { 0, IB_QP_CUR_STATE | IB_QP_ACCESS_FLAGS },
			[CLASS_MGMT] = { 0, IB_QP_CUR_STATE | IB_QP_QKEY },
		} },
	},
	[IB_QPS_ERR] = {
		[IB_QPS_RESET] = { .legal = true },
		[IB_QPS_ERR] = { .legal = true },
	},
};

/* States about which a consumer may say "I believe the QP is in it" (IB_QP_CUR_STATE). */
static bool may_be_assumed(enum ib_qp_state state)
{
	return state == IB_QPS_RTR || state == IB_QPS_RTS || state == IB_QPS_SQD ||
	       state == IB_QPS_SQE;
}

/*
 * ib_modify_qp_is_ok - may a QP of this type go from state to state with these attributes?
 *
 * False when the move is not in the table, an attribute it needs is missing, or one is there that
 * has nothing to do with it.
 */
bool ib_modify_qp_is_ok(enum ib_qp_state cur_state, enum ib_qp_state next_state,
			enum ib_qp_type type, enum ib_qp_attr_mask mask)
{
	const struct attr_need *need;
	enum qp_class class;
	u32 allowed;

	if ((unsigned int)cur_state >= ARRAY_SIZE(moves) ||
	    (unsigned int)next_state >= ARRAY_SIZE(moves))
		return false;
	if ((mask & IB_QP_CUR_STATE) && !may_be_assumed(cur_state))
		return false;
	if (!moves[cur_state][next_state].legal)
		return false;

	class = (unsigned int)type < ARRAY_SIZE(class_of_type) ? class_of_type[type] : CLASS_NONE;
	need = &moves[cur_state][next_state].need[class];
	if ((mask & need->required) != need->required)
		return false;
	allowed = need->required | need->optional | IB_QP_STATE;
	return !((u32)mask & ~allowed);
}
EXPORT_SYMBOL(ib_modify_qp_is_ok);
