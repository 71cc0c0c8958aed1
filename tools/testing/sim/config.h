/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * config.h - what one run is made of: drawn from its seed, narrowed by the command line.
 *
 * Swarm testing: each feature is off or on for a whole run, so that every combination comes up and
 * none hides another.
 */
#ifndef SIM_CONFIG_H
#define SIM_CONFIG_H

#include <shca_env.h>

/* Name on the command line, per cent of runs that have it, meaning. */
#define SIM_FEATURES(X) \
	X(LOSS, "loss", 45)		/* packets are lost by chance */ \
	X(HEAVY, "heavy", 25)		/* ... in numbers that exhaust retries */ \
	X(MASK, "mask", 10)		/* 64 packets are lost by a bit mask */ \
	X(DUP, "dup", 30)		/* packets come twice */ \
	X(REORDER, "reorder", 30)	/* some packets are overtaken */ \
	X(DELAY, "delay", 20)		/* now and then one is late by milliseconds */ \
	X(CORRUPT, "corrupt", 20)	/* bits flip */ \
	X(PARTITION, "partition", 15)	/* one direction between two hosts dies for a while */ \
	X(PRESSURE, "pressure", 30)	/* the netdev refuses packets for a while */ \
	X(PORT, "port", 15)		/* ports go down and up */ \
	X(READ, "read", 70) \
	X(ATOMIC, "atomic", 60) \
	X(SEND, "send", 85) \
	X(WRITE, "write", 85) \
	X(UC, "uc", 40)			/* unreliable connections */ \
	X(UD, "ud", 40)			/* datagrams */ \
	X(MCAST, "mcast", 50)		/* ... to groups */ \
	X(SRQ, "srq", 30) \
	X(INLINE, "inline", 50) \
	X(SGES, "sges", 50)		/* several elements, empty ones too */ \
	X(SILENT, "silent", 60)		/* unsignalled requests */ \
	X(FENCE, "fence", 30) \
	X(RNR, "rnr", 30)		/* receives come late, rnr_retry is finite */ \
	X(BAD_RKEY, "bad-rkey", 20) \
	X(BAD_LKEY, "bad-lkey", 15) \
	X(BAD_RECV, "bad-recv", 15)	/* receives that are short or have a wrong key */ \
	X(BAD_OP, "bad-op", 10)		/* misaligned atomics, what the peer forbids */ \
	X(ERR, "err", 20)		/* QPs are moved to ERR */ \
	X(RESET, "reset", 20)		/* both ends are reset */ \
	X(DESTROY, "destroy", 20)	/* QPs are destroyed and made again */ \
	X(DEREG, "dereg", 15)		/* keys vanish under traffic */ \
	X(SQD, "sqd", 15)		/* queues are drained */ \
	X(RESIZE, "resize", 15)		/* CQs and SRQs get other rings */ \
	X(RELINK, "relink", 15)		/* connections change between direct link and wire */ \
	X(BUDGET, "budget", 40)		/* runners get small budgets */ \
	X(WRAP, "wrap", 50)		/* initial PSNs just below 2^24 */ \
	X(XRC, "xrc", 30)		/* extended reliable connections */ \
	X(WINDOWS, "windows", 40)	/* memory windows are bound */ \
	X(FASTREG, "fastreg", 40)	/* fast registration */ \
	X(INV, "inv", 70)		/* ... and invalidated, here or by the peer */

enum sim_feature {
#define X(id, name, percent) SIM_##id,
	SIM_FEATURES(X)
#undef X
	SIM_FEATURE_COUNT
};

enum sim_way { SIM_DIRECT, SIM_WIRE, SIM_MIXED };

struct sim_config {
	u64 seed;
	u64 features;			/* 1 << enum sim_feature */
	u32 steps;			/* of the applications */
	enum sim_way way;
	u32 hosts, pairs, datagrams;
	u32 depth;			/* of queues, power of two */
	u32 slice;			/* bytes that one request may use */
	u32 path_mtu;			/* bytes */
	u32 think_ns;			/* largest pause between two steps */
	u32 work_ns;			/* largest delay of a worker */
	u32 latency_ns, jitter_ns;	/* of the wire */
	u32 loss_ppm, dup_ppm, reorder_ppm, delay_ppm, corrupt_ppm, trouble_ppm;
	u64 mask;
	u32 mask_at;			/* number of the packet that bit 0 is for */
	bool small;			/* most messages fit a few words */
};

struct sim_options {
	u64 without;			/* features switched off */
	u64 with;			/* switched on */
	u32 steps;			/* 0: as drawn */
	int way;			/* enum sim_way, -1: as drawn */
	bool trace;
};

void sim_config_draw(struct sim_config *cfg, u64 seed, const struct sim_options *options);
static inline bool sim_has(const struct sim_config *cfg, enum sim_feature f)
{
	return cfg->features >> f & 1;
}

/* May a packet that was sent never arrive, or not in time? */
static inline bool sim_features_lose(u64 features)
{
	const u64 set = 1ull << SIM_LOSS | 1ull << SIM_CORRUPT | 1ull << SIM_MASK |
			1ull << SIM_PARTITION | 1ull << SIM_DELAY;

	return features & set;
}

/*
 * May a NAK, which is sent once only, go unheard?  So does one that overtakes a response: what that
 * one answers is asked for again first (IBTA vol. 1, 9.7.5.1.5), of somebody who is in ERR.
 */
static inline bool sim_features_lose_answers(u64 features)
{
	const u64 responses = 1ull << SIM_READ | 1ull << SIM_ATOMIC;

	return sim_features_lose(features) || features >> SIM_PRESSURE & 1 ||
	       (features >> SIM_REORDER & 1 && features & responses);
}

const char *sim_feature_name(u32 feature);
/* "loss,dup" to bits; false: an unknown name. */
bool sim_features_parse(const char *list, u64 *features);
void sim_features_print(u64 features);

#endif
