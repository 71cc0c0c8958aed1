/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The differential tester: one program that makes thousands of control calls on one device and
 * writes down what came back, one line each. compare runs it on two cores with the same driver;
 * any line that differs is a difference between the cores. Nothing here knows what is right.
 *
 * So that the same calls are made on both, everything is a function of the tables and of one seed:
 * buffers have fixed addresses, a call that succeeded is followed by a fresh world (unless it only
 * asks), and what comes from counters of the machine is masked by name.
 */
#ifndef DIFFERENTIAL_DOORS_H
#define DIFFERENTIAL_DOORS_H

#include <stddef.h>

#include "../selftests/rdma/uverbs_raw.h"

#define REQUEST_BYTES	1024
#define ANSWER_BYTES	1024
#define ANSWER_FILL	0xa5
#define ANSWER_SLOT	64	/* an ioctl's output attributes lie this far apart */
#define BUFFER_BYTES	(1 << 20)
#define WORLD_FIRST_FD	10	/* descriptors of a world; those below are the test's own */
#define DRIVER_OUT	64	/* as much as any driver here answers */

/* Which driver the device belongs to; each ioctl() says so. */
extern uint32_t driver_id;

static inline void doors_start(struct uverbs_raw *raw, uint16_t object, uint16_t method)
{
	uverbs_raw_start(raw, object, method);
	raw->hdr.driver_id = driver_id;
}

/* At fixed addresses, so that requests are the same bytes everywhere. */
extern uint8_t *const answer, *const buffer;

/* Objects of each kind, two of those that others can hold. */
struct world {
	int fd, other;		/* other: a second file of the device, with a context and a PD */
	int async, channel, plain;	/* plain: an fd of /dev/null */
	uint32_t pd, cq, srq, qp, mr, mw, ah, xrcd, flow, wq;
	uint32_t spare_pd, spare_cq, spare_srq;
	uint32_t foreign_pd;	/* a handle of the other file */
};

void world_open(struct world *w);
void world_close(void);

/* Bytes of an answer that a counter of the machine decides. */
struct mask {
	uint16_t at, bytes;
	const char *name;
};
#define MASKS 4

/* A write command: what it takes, what it answers, and a request that is right. */
struct command {
	const char *name;
	uint32_t number;
	bool ex;
	bool query;		/* changes nothing when it succeeds */
	bool context;		/* wants a file without a context */
	uint16_t in, out;
	uint16_t handle;	/* 1 + its offset in the answer, 0 when none is made */
	uint8_t kind;		/* of that handle, see graph.c */
	void (*fill)(const struct world *w, void *request);
	struct mask masks[MASKS];
};

extern const struct command commands[];
extern const unsigned int command_count;

/* A native ioctl method: the attributes of a call that is right. */
struct method {
	const char *name;
	uint16_t object, method;
	bool query, context;
	void (*fill)(const struct world *w, struct uverbs_raw *raw);
	struct mask masks[MASKS];
};

extern const struct method methods[];
extern const unsigned int method_count;

/* A write command on its way, with everything that can be bent. */
struct call {
	const struct command *command;
	bool invoke;		/* through ioctl() */
	uint32_t number;	/* with flags */
	uint16_t in, out, driver_in, driver_out;
	uint64_t response;
	uint16_t in_words_add, core_in_words_add;	/* lies of the headers */
	uint32_t reserved;
	size_t cut;		/* bytes that write() is not told of */
	uint8_t request[REQUEST_BYTES];	/* the core's part, then the driver's */
};

void call_prepare(struct call *c, const struct command *command, const struct world *w,
		  bool invoke);
int call_go(int fd, struct call *c);
/* The masks of its answer: what the driver says lies behind what the core was given room for. */
const struct mask *call_masks(const struct call *c);

/* One line: what was called, the errno, the bytes that came back, the objects that exist. */
void report(const struct world *w, int error, const struct mask *masks, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Whether the file has other objects now than when they were last counted, here or by report(). */
bool report_changed(const struct world *w);
/* The same without bytes. */
void report_plain(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Goes into the next report, behind the bytes. */
extern char report_note[256];
void answer_clear(void);

uint32_t random_next(uint32_t bound);
void random_seed(uint32_t seed);

/* The parts of the test, in the order of running. */
void bend_commands(void);
void bend_methods(void);
void try_numbers(void);
void try_qp_kinds(void);
void try_transitions(void);
void try_graphs(void);
void try_files(void);
void try_races(void);
void try_removed(void);

#endif
