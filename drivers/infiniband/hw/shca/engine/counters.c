// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * counters.c - what is counted, by name, and the sums.
 *
 * Called by the host.  QPs count for themselves; packets that are dropped before or instead of
 * being a QP's business are counted by the device.
 */
#include "types.h"

static const char *const names[ENG_CNT_COUNT] = {
	[ENG_CNT_FRAMES]		= "frames",
	[ENG_CNT_BYTES]			= "bytes",
	[ENG_CNT_RNR_NAKS]		= "rnr_naks",
	[ENG_CNT_SEQ_NAKS]		= "sequence_naks",
	[ENG_CNT_RETRIES]		= "retries",
	[ENG_CNT_DROPS]			= "dropped_datagrams",
	[ENG_CNT_ACCESS_NAKS]		= "access_naks",
	[ENG_CNT_DEFERRALS]		= "deferrals",
	[ENG_CNT_TX_PACKETS]		= "tx_packets",
	[ENG_CNT_RX_PACKETS]		= "rx_packets",
	[ENG_CNT_TX_AGAIN]		= "tx_repeated_packets",
	[ENG_CNT_RX_DUPLICATES]		= "rx_duplicates",
	[ENG_CNT_RX_GAPS]		= "rx_out_of_sequence",
	[ENG_CNT_RX_HELD]		= "rx_held",
	[ENG_CNT_EARLY_RECOVERIES]	= "early_recoveries",
	[ENG_CNT_RX_SHORT]		= "rx_short",
	[ENG_CNT_RX_PAD]		= "rx_bad_pad",
	[ENG_CNT_RX_VERSION]		= "rx_bad_version",
	[ENG_CNT_RX_OPCODE]		= "rx_bad_opcode",
	[ENG_CNT_RX_PKEY]		= "rx_bad_pkey",
	[ENG_CNT_RX_QKEY]		= "rx_bad_qkey",
	[ENG_CNT_RX_NO_QP]		= "rx_no_qp",
	[ENG_CNT_RX_QP_TYPE]		= "rx_wrong_service",
	[ENG_CNT_RX_QP_STATE]		= "rx_qp_not_receiving",
	[ENG_CNT_RX_ADDRESS]		= "rx_wrong_address",
	[ENG_CNT_RX_PAYLOAD]		= "rx_bad_payload_size",
	[ENG_CNT_RX_LENGTH]		= "rx_bad_length",
	[ENG_CNT_RX_SEQUENCE]		= "rx_bad_opcode_order",
	[ENG_CNT_RX_UNASKED]		= "rx_unasked_response",
	[ENG_CNT_RX_FUTURE]		= "rx_future_ack",
	[ENG_CNT_RX_BAD_RESPONSE]	= "rx_bad_response",
	[ENG_CNT_RX_OVERFLOW]		= "rx_overflow",
	[ENG_CNT_RX_NO_RECEIVE]		= "rx_no_receive",
};

const char *eng_counter_name(u32 which)
{
	return which < ENG_CNT_COUNT ? names[which] : NULL;
}

static u64 sum_of_qps(struct eng_dev *dev, enum eng_counter which)
{
	struct eng_qp *qp;
	u32 qpn = 0;
	u64 sum;

	env_lock(&dev->counter_lock);
	sum = dev->retired[which];
	env_unlock(&dev->counter_lock);
	env_rcu_lock();
	for (; (qp = env_table_next(&dev->qps, &qpn)); qpn++)
		sum += env_read(qp->counters[which]);
	env_rcu_unlock();
	return sum;
}

u64 eng_dev_counter(struct eng_dev *dev, enum eng_counter which)
{
	if (which < ENG_CNT_OF_QPS)
		return sum_of_qps(dev, which);
	return env_read(dev->drops[which - ENG_CNT_OF_QPS]);
}
