// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of qp_state.c: every cell of every type of QP against a second table, which is written from
 * the attribute's side: one row per attribute (IBA volume 1, tables 91 and 92, "QP state transition
 * properties" of section 11.2.5.2), one letter per move.
 */
#include <kunit/test.h>

#include "qp_state.c"

/* The moves that may carry attributes, in the order of the letters. */
static const struct { enum ib_qp_state from, to; } columns[] = {
	{ IB_QPS_RESET, IB_QPS_INIT },
	{ IB_QPS_INIT, IB_QPS_INIT },
	{ IB_QPS_INIT, IB_QPS_RTR },
	{ IB_QPS_RTR, IB_QPS_RTS },
	{ IB_QPS_RTS, IB_QPS_RTS },
	{ IB_QPS_RTS, IB_QPS_SQD },
	{ IB_QPS_SQD, IB_QPS_RTS },
	{ IB_QPS_SQD, IB_QPS_SQD },
	{ IB_QPS_SQE, IB_QPS_RTS },
};

struct cell_row {
	u32 attr;
	/* R: required, o: optional, -: refused */
	const char *letters;
};

static const struct cell_row rc_rows[] = {
	{ IB_QP_CUR_STATE, "---oo-o--" },
	{ IB_QP_EN_SQD_ASYNC_NOTIFY, "-----o---" },
	{ IB_QP_ACCESS_FLAGS, "Roooo-oo-" },
	{ IB_QP_PKEY_INDEX, "Roo----o-" },
	{ IB_QP_PORT, "Ro-----o-" },
	{ IB_QP_AV, "--R----o-" },
	{ IB_QP_PATH_MTU, "--R------" },
	{ IB_QP_TIMEOUT, "---R---o-" },
	{ IB_QP_RETRY_CNT, "---R---o-" },
	{ IB_QP_RNR_RETRY, "---R---o-" },
	{ IB_QP_RQ_PSN, "--R------" },
	{ IB_QP_MAX_QP_RD_ATOMIC, "---R---o-" },
	{ IB_QP_ALT_PATH, "--ooo-oo-" },
	{ IB_QP_MIN_RNR_TIMER, "--Roo-oo-" },
	{ IB_QP_SQ_PSN, "---R-----" },
	{ IB_QP_MAX_DEST_RD_ATOMIC, "--R----o-" },
	{ IB_QP_PATH_MIG_STATE, "---oo-oo-" },
	{ IB_QP_DEST_QPN, "--R------" },
	{ }
};

static const struct cell_row uc_rows[] = {
	{ IB_QP_CUR_STATE, "---oo-o-o" },
	{ IB_QP_EN_SQD_ASYNC_NOTIFY, "-----o---" },
	{ IB_QP_ACCESS_FLAGS, "Roooo-ooo" },
	{ IB_QP_PKEY_INDEX, "Roo----o-" },
	{ IB_QP_PORT, "Ro-------" },
	{ IB_QP_AV, "--R----o-" },
	{ IB_QP_PATH_MTU, "--R------" },
	{ IB_QP_RQ_PSN, "--R------" },
	{ IB_QP_ALT_PATH, "--ooo-oo-" },
	{ IB_QP_SQ_PSN, "---R-----" },
	{ IB_QP_PATH_MIG_STATE, "---oo-oo-" },
	{ IB_QP_DEST_QPN, "--R------" },
	{ }
};

static const struct cell_row ud_rows[] = {
	{ IB_QP_CUR_STATE, "---oo-o-o" },
	{ IB_QP_EN_SQD_ASYNC_NOTIFY, "-----o---" },
	{ IB_QP_PKEY_INDEX, "Roo----o-" },
	{ IB_QP_PORT, "Ro-------" },
	{ IB_QP_QKEY, "Roooo-ooo" },
	{ IB_QP_SQ_PSN, "---R-----" },
	{ }
};

static const struct cell_row mgmt_rows[] = {
	{ IB_QP_CUR_STATE, "---oo-o-o" },
	{ IB_QP_EN_SQD_ASYNC_NOTIFY, "-----o---" },
	{ IB_QP_PKEY_INDEX, "Roo----o-" },
	{ IB_QP_QKEY, "Roooo-ooo" },
	{ IB_QP_SQ_PSN, "---R-----" },
	{ }
};

static const struct cell_row raw_rows[] = {
	{ IB_QP_PORT, "R--------" },
	{ IB_QP_RATE_LIMIT, "---oo----" },
	{ }
};

static const struct cell_row ini_rows[] = {
	{ IB_QP_CUR_STATE, "---oo-o--" },
	{ IB_QP_EN_SQD_ASYNC_NOTIFY, "-----o---" },
	{ IB_QP_ACCESS_FLAGS, "Roooo-oo-" },
	{ IB_QP_PKEY_INDEX, "Roo----o-" },
	{ IB_QP_PORT, "Ro-----o-" },
	{ IB_QP_AV, "--R----o-" },
	{ IB_QP_PATH_MTU, "--R------" },
	{ IB_QP_TIMEOUT, "---R---o-" },
	{ IB_QP_RETRY_CNT, "---R---o-" },
	{ IB_QP_RNR_RETRY, "---R---o-" },
	{ IB_QP_RQ_PSN, "--R------" },
	{ IB_QP_MAX_QP_RD_ATOMIC, "---R---o-" },
	{ IB_QP_ALT_PATH, "--ooo-oo-" },
	{ IB_QP_SQ_PSN, "---R-----" },
	{ IB_QP_PATH_MIG_STATE, "---oo-oo-" },
	{ IB_QP_DEST_QPN, "--R------" },
	{ }
};

static const struct cell_row tgt_rows[] = {
	{ IB_QP_CUR_STATE, "---oo-o--" },
	{ IB_QP_EN_SQD_ASYNC_NOTIFY, "-----o---" },
	{ IB_QP_ACCESS_FLAGS, "Roooo-oo-" },
	{ IB_QP_PKEY_INDEX, "Roo----o-" },
	{ IB_QP_PORT, "Ro-----o-" },
	{ IB_QP_AV, "--R----o-" },
	{ IB_QP_PATH_MTU, "--R------" },
	{ IB_QP_TIMEOUT, "---R---o-" },
	{ IB_QP_RQ_PSN, "--R------" },
	{ IB_QP_ALT_PATH, "--ooo-oo-" },
	{ IB_QP_MIN_RNR_TIMER, "--Roo-oo-" },
	{ IB_QP_SQ_PSN, "---R-----" },
	{ IB_QP_MAX_DEST_RD_ATOMIC, "--R----o-" },
	{ IB_QP_PATH_MIG_STATE, "---oo-oo-" },
	{ IB_QP_DEST_QPN, "--R------" },
	{ }
};

struct type_cells {
	const char *name;
	enum ib_qp_type type;
	const struct cell_row *rows;
};

static const struct type_cells types[] = {
	{ "RC", IB_QPT_RC, rc_rows },
	{ "UC", IB_QPT_UC, uc_rows },
	{ "UD", IB_QPT_UD, ud_rows },
	{ "SMI", IB_QPT_SMI, mgmt_rows },
	{ "GSI", IB_QPT_GSI, mgmt_rows },
	{ "raw packet", IB_QPT_RAW_PACKET, raw_rows },
	{ "XRC initiator", IB_QPT_XRC_INI, ini_rows },
	{ "XRC target", IB_QPT_XRC_TGT, tgt_rows },
};

static void describe(const struct type_cells *cells, char *text)
{
	strscpy(text, cells->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(type, types, describe);

/* Also the bits nobody has defined. */
#define ATTR_BITS	32

/* -1: the move carries no attributes. */
static int column_of(int from, int to)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (columns[i].from == from && columns[i].to == to)
			return i;
	return -1;
}

/* Every state may be reset; every state but RESET may be made an error. */
static bool is_legal(int from, int to)
{
	return to == IB_QPS_RESET || (to == IB_QPS_ERR && from != IB_QPS_RESET) ||
	       column_of(from, to) >= 0;
}

static u32 attrs_of(const struct type_cells *cells, int column, char letter)
{
	const struct cell_row *row;
	u32 mask = 0;

	for (row = cells->rows; column >= 0 && row->letters; row++)
		if (row->letters[column] == letter)
			mask |= row->attr;
	return mask;
}

static void check_cell(struct kunit *test, const struct type_cells *cells, int from, int to)
{
	int column = column_of(from, to);
	u32 need = attrs_of(cells, column, 'R'), may = attrs_of(cells, column, 'o');
	unsigned int bit;

	KUNIT_EXPECT_TRUE_MSG(test, ib_modify_qp_is_ok(from, to, cells->type, need | IB_QP_STATE),
			      "%d to %d with what it needs", from, to);
	KUNIT_EXPECT_TRUE_MSG(test, ib_modify_qp_is_ok(from, to, cells->type,
						       need | may | IB_QP_STATE),
			      "%d to %d with all it may have", from, to);
	for (bit = 0; bit < ATTR_BITS; bit++) {
		u32 mask = (need | IB_QP_STATE) ^ BIT(bit);

		/* Whether the state is among the attributes is not what this table is about. */
		if (BIT(bit) == IB_QP_STATE)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, ib_modify_qp_is_ok(from, to, cells->type, mask),
				    !!(may & BIT(bit)), "%d to %d, %s attribute %#lx", from, to,
				    need & BIT(bit) ? "without" : "with", BIT(bit));
	}
}

static void test_cells(struct kunit *test)
{
	const struct type_cells *cells = test->param_value;
	int from, to;

	for (from = IB_QPS_RESET; from <= IB_QPS_ERR; from++)
		for (to = IB_QPS_RESET; to <= IB_QPS_ERR; to++) {
			if (is_legal(from, to))
				check_cell(test, cells, from, to);
			else
				KUNIT_EXPECT_FALSE_MSG(test,
					ib_modify_qp_is_ok(from, to, cells->type, IB_QP_STATE),
					"%d to %d", from, to);
		}
}

static void test_no_such_state(struct kunit *test)
{
	const struct type_cells *cells = test->param_value;
	static const int wrong[] = { -1, IB_QPS_ERR + 1, 255, INT_MAX, INT_MIN };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		KUNIT_EXPECT_FALSE(test, ib_modify_qp_is_ok(wrong[i], IB_QPS_RESET, cells->type,
							    IB_QP_STATE));
		KUNIT_EXPECT_FALSE(test, ib_modify_qp_is_ok(IB_QPS_RTS, wrong[i], cells->type,
							    IB_QP_STATE));
	}
}

static struct kunit_case qp_state_cases[] = {
	KUNIT_CASE_PARAM(test_cells, type_gen_params),
	KUNIT_CASE_PARAM(test_no_such_state, type_gen_params),
	{ }
};

static struct kunit_suite qp_state_suite = {
	.name = "core_qp_state",
	.test_cases = qp_state_cases,
};
kunit_test_suite(qp_state_suite);
