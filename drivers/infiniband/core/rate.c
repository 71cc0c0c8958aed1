// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Static rates: the enum of the wire format against multiples of 2.5 Gb/s and Mb/s. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

static const struct {
	enum ib_rate rate;
	int mult;	/* of 2.5 Gb/s; as the specification rounds it */
	int mbps;
} rates[] = {
	{ IB_RATE_2_5_GBPS,	1,	2500 },
	{ IB_RATE_5_GBPS,	2,	5000 },
	{ IB_RATE_10_GBPS,	4,	10000 },
	{ IB_RATE_20_GBPS,	8,	20000 },
	{ IB_RATE_30_GBPS,	12,	30000 },
	{ IB_RATE_40_GBPS,	16,	40000 },
	{ IB_RATE_60_GBPS,	24,	60000 },
	{ IB_RATE_80_GBPS,	32,	80000 },
	{ IB_RATE_120_GBPS,	48,	120000 },
	{ IB_RATE_14_GBPS,	6,	14062 },
	{ IB_RATE_56_GBPS,	22,	56250 },
	{ IB_RATE_112_GBPS,	45,	112500 },
	{ IB_RATE_168_GBPS,	67,	168750 },
	{ IB_RATE_25_GBPS,	10,	25781 },
	{ IB_RATE_100_GBPS,	40,	103125 },
	{ IB_RATE_200_GBPS,	80,	206250 },
	{ IB_RATE_300_GBPS,	120,	309375 },
	{ IB_RATE_28_GBPS,	11,	28125 },
	{ IB_RATE_50_GBPS,	20,	53125 },
	{ IB_RATE_400_GBPS,	160,	425000 },
	{ IB_RATE_600_GBPS,	240,	637500 },
};

/* -1 for what is not a rate. */
__attribute_const__ int ib_rate_to_mult(enum ib_rate rate)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		if (rates[i].rate == rate)
			return rates[i].mult;
	return -1;
}
EXPORT_SYMBOL(ib_rate_to_mult);

__attribute_const__ enum ib_rate mult_to_ib_rate(int mult)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		if (rates[i].mult == mult)
			return rates[i].rate;
	return IB_RATE_PORT_CURRENT;
}
EXPORT_SYMBOL(mult_to_ib_rate);

__attribute_const__ int ib_rate_to_mbps(enum ib_rate rate)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		if (rates[i].rate == rate)
			return rates[i].mbps;
	return -1;
}
EXPORT_SYMBOL(ib_rate_to_mbps);
