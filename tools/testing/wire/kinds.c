// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kinds -c RC|UC|UD|XRC -d DEVICE -g GID_INDEX -p PORT [HOST]
 *
 * Every kind of request between two ends, also those that Debian's programs do not make: with
 * immediate data, with invalidate, of one packet and of several, with pads. Without HOST it
 * answers, else it asks. Each step is one request; whoever answers says what came of it, and
 * whoever asks prints it. Exit status 1: something came otherwise, or did not come.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kinds.h"

#define RC	1u
#define UC	2u
#define UD	4u
#define XRC	8u
#define CONNECTED (RC | UC | XRC)
#define RELIABLE (RC | XRC)
#define ALL	(RC | UC | UD | XRC)
#define ONE	61	/* bytes: one packet with a pad of 3 */
#define SEVERAL	4099	/* five packets of the path MTU of 1024, the last with a pad of 1 */
#define NONE	UINT32_MAX /* no window */
#define ATOMIC_BYTES 8
/* rdma_rxe of 6.1 hands out IB_WC_WITH_INVALIDATE as it is, where programs know IBV_WC_WITH_INV. */
#define WITH_INV (IBV_WC_WITH_INV | 1 << 2)

struct type {
	const char *name;
	unsigned int bit;
	enum ibv_qp_type qp;
};

static const struct type types[] = {
	{ "RC", RC, IBV_QPT_RC },
	{ "UC", UC, IBV_QPT_UC },
	{ "UD", UD, IBV_QPT_UD },
	{ "XRC", XRC, IBV_QPT_XRC_SEND },
};

struct step {
	const char *name;
	unsigned int types;
	enum ibv_wr_opcode opcode;
	uint32_t length;
	uint32_t window;	/* that it writes through, or invalidates */
	unsigned int fate;
};

#define RECEIVE	1u	/* it takes one */
#define REFUSED	2u	/* it ends the connection: the last one */

static const struct step steps[] = {
	{ "SEND", ALL, IBV_WR_SEND, ONE, NONE, RECEIVE },
	{ "SEND, five packets", CONNECTED, IBV_WR_SEND, SEVERAL, NONE, RECEIVE },
	{ "SEND with immediate", ALL, IBV_WR_SEND_WITH_IMM, ONE, NONE, RECEIVE },
	{ "SEND with immediate, five packets", CONNECTED, IBV_WR_SEND_WITH_IMM, SEVERAL, NONE,
	  RECEIVE },
	{ "WRITE", CONNECTED, IBV_WR_RDMA_WRITE, ONE, NONE, 0 },
	{ "WRITE, five packets", CONNECTED, IBV_WR_RDMA_WRITE, SEVERAL, NONE, 0 },
	{ "WRITE with immediate", CONNECTED, IBV_WR_RDMA_WRITE_WITH_IMM, ONE, NONE, RECEIVE },
	{ "WRITE with immediate, five packets", CONNECTED, IBV_WR_RDMA_WRITE_WITH_IMM, SEVERAL,
	  NONE, RECEIVE },
	{ "WRITE with immediate, no byte", CONNECTED, IBV_WR_RDMA_WRITE_WITH_IMM, 0, NONE,
	  RECEIVE },
	{ "READ", RELIABLE, IBV_WR_RDMA_READ, ONE, NONE, 0 },
	{ "READ, five packets", RELIABLE, IBV_WR_RDMA_READ, SEVERAL, NONE, 0 },
	{ "compare and swap", RELIABLE, IBV_WR_ATOMIC_CMP_AND_SWP, ATOMIC_BYTES, NONE, 0 },
	{ "fetch and add", RELIABLE, IBV_WR_ATOMIC_FETCH_AND_ADD, ATOMIC_BYTES, NONE, 0 },
	{ "WRITE through a window", RC, IBV_WR_RDMA_WRITE, ONE, 0, 0 },
	{ "SEND with invalidate", RC, IBV_WR_SEND_WITH_INV, ONE, 0, RECEIVE },
	{ "SEND with invalidate, five packets", RC, IBV_WR_SEND_WITH_INV, SEVERAL, 1, RECEIVE },
	{ "WRITE through an invalid window", RC, IBV_WR_RDMA_WRITE, ONE, 0, REFUSED },
};

#define STEPS	(sizeof(steps) / sizeof(steps[0]))

static const struct type *type;

static bool applies(const struct step *step)
{
	return step->types & type->bit;
}

/* Its place among those that apply is its slot, on both sides; windows are of the last slots. */
static uint8_t *slot_of(const struct kinds_end *end, const struct step *step)
{
	const struct step *other;
	uint32_t n = 0;

	for (other = steps; other < step; other++)
		n += applies(other);
	return end->buf + n * KINDS_SLOT;
}

static uint8_t byte_of(const struct step *step, uint32_t at)
{
	return 17 * (step - steps) + at * 31 + (at >> 8) + 1;
}

static uint32_t immediate_of(const struct step *step)
{
	return htonl(0xabcd0000 + (step - steps));
}

static void fill(uint8_t *at, const struct step *step)
{
	uint32_t i;

	for (i = 0; i < step->length; i++)
		at[i] = byte_of(step, i);
}

static bool is_filled(const uint8_t *at, const struct step *step)
{
	uint32_t i;

	for (i = 0; i < step->length; i++)
		if (at[i] != byte_of(step, i))
			return false;
	return !at[step->length];
}

/* ---- the end that answers ---- */

static void post_receives(struct kinds_end *end)
{
	const struct step *step;

	for (step = steps; !end->host && step < steps + STEPS; step++) {
		struct ibv_sge sge = { (uintptr_t)slot_of(end, step), KINDS_SLOT, end->mr->lkey };
		struct ibv_recv_wr wr = { .wr_id = step - steps, .sg_list = &sge, .num_sge = 1 };
		struct ibv_recv_wr *bad;

		if (!applies(step) || !(step->fate & RECEIVE))
			continue;
		if (end->srq ? ibv_post_srq_recv(end->srq, &wr, &bad) :
			       ibv_post_recv(end->qp, &wr, &bad))
			kinds_die("post a receive");
	}
}

/* What the completion of its receive has to say; NULL: all is well. */
static const char *wrong_completion(struct kinds_end *end, const struct step *step)
{
	uint32_t grh = end->type == IBV_QPT_UD ? KINDS_GRH : 0;
	struct ibv_wc wc;

	if (!kinds_completion(end, &wc))
		return "no completion of a receive";
	if (wc.status != IBV_WC_SUCCESS)
		return ibv_wc_status_str(wc.status);
	if (wc.wr_id != (uint64_t)(step - steps))
		return "another receive";
	if (wc.byte_len != step->length + grh)
		return "another length";
	if (wc.opcode != (step->opcode == IBV_WR_RDMA_WRITE_WITH_IMM ? IBV_WC_RECV_RDMA_WITH_IMM :
								       IBV_WC_RECV))
		return "another kind of completion";
	switch (step->opcode) {
	case IBV_WR_SEND_WITH_INV:
		return wc.wc_flags & WITH_INV &&
		       wc.invalidated_rkey == end->mine.windows[step->window] ? NULL :
			"no word of the invalid key";
	case IBV_WR_SEND:
		return wc.wc_flags & (IBV_WC_WITH_IMM | IBV_WC_WITH_INV) ? "immediate data" : NULL;
	default:
		return wc.wc_flags & IBV_WC_WITH_IMM && wc.imm_data == immediate_of(step) ? NULL :
			"other immediate data";
	}
}

static const uint8_t *arrived(const struct kinds_end *end, const struct step *step)
{
	if (step->window != NONE && step->opcode == IBV_WR_RDMA_WRITE)
		return end->buf + (KINDS_STEPS - 1 - step->window) * KINDS_SLOT;
	return slot_of(end, step) + (end->type == IBV_QPT_UD ? KINDS_GRH : 0);
}

static bool is_atomic(const struct step *step)
{
	return step->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       step->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* An atomic's word: what is there before, and then. */
static uint64_t word_before(const struct step *step)
{
	return 0x0123456789abcdefull + (step - steps);
}

static uint64_t word_then(const struct step *step)
{
	return step->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? word_before(step) + 77 : 77;
}

/* A WRITE by UC comes without a word; the others are there by now. */
static bool has_arrived(const struct kinds_end *end, const struct step *step)
{
	const uint8_t *at = arrived(end, step);
	int tries;

	for (tries = 0; type->bit == UC && !is_filled(at, step) && tries < KINDS_TRIES; tries++)
		kinds_nap();
	return is_filled(at, step);
}

static const char *wrong_answer(struct kinds_end *end, const struct step *step)
{
	const char *wrong = step->fate & RECEIVE ? wrong_completion(end, step) : NULL;

	if (wrong)
		return wrong;
	if (step->fate & REFUSED)
		return is_filled(arrived(end, step), step) ? "written all the same" : NULL;
	if (is_atomic(step))
		return *(uint64_t *)slot_of(end, step) == word_then(step) ? NULL : "another word";
	return has_arrived(end, step) ? NULL : "invalid data";
}

static void answer_step(struct kinds_end *end, const struct step *step)
{
	char said[64] = "";
	const char *wrong;

	if (step->opcode == IBV_WR_RDMA_READ)
		fill(slot_of(end, step), step);
	if (is_atomic(step))
		*(uint64_t *)slot_of(end, step) = word_before(step);
	kinds_tell(end, "go", 2);
	kinds_hear(end, said, 2);
	wrong = wrong_answer(end, step);
	memset(said, 0, sizeof(said));
	strncpy(said, wrong ? wrong : "", sizeof(said) - 1);
	kinds_tell(end, said, sizeof(said));
}

/* ---- the end that asks ---- */

static struct ibv_send_wr request(struct kinds_end *end, const struct step *step,
				  struct ibv_sge *sge)
{
	struct ibv_send_wr wr = { .opcode = step->opcode, .send_flags = IBV_SEND_SIGNALED,
				  .wr_id = step - steps, .sg_list = sge,
				  .num_sge = step->length ? 1 : 0 };
	uint64_t remote = end->other.addr + (slot_of(end, step) - end->buf);

	if (step->opcode == IBV_WR_SEND_WITH_INV) {
		wr.invalidate_rkey = end->other.windows[step->window];
	} else if (is_atomic(step)) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = end->other.rkey;
		wr.wr.atomic.swap = 77;
		wr.wr.atomic.compare_add = step->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ?
			77 : word_before(step);
	} else if (end->type == IBV_QPT_UD) {
		wr.wr.ud.ah = end->ah;
		wr.wr.ud.remote_qpn = end->other.qpn;
		wr.wr.ud.remote_qkey = KINDS_QKEY;
	} else if (step->window != NONE) {
		wr.wr.rdma.remote_addr = end->other.addr +
			(KINDS_STEPS - 1 - step->window) * KINDS_SLOT;
		wr.wr.rdma.rkey = end->other.windows[step->window];
	} else {
		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = end->other.rkey;
	}
	if (step->opcode == IBV_WR_SEND_WITH_IMM || step->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		wr.imm_data = immediate_of(step);
	wr.qp_type.xrc.remote_srqn = end->other.srqn;
	return wr;
}

/* What came back; NULL: all is well. */
static const char *wrong_return(struct kinds_end *end, const struct step *step)
{
	struct ibv_wc wc;

	if (!kinds_completion(end, &wc))
		return "no completion";
	if (wc.wr_id != (uint64_t)(step - steps))
		return "completion of another request";
	if (step->fate & REFUSED)
		return wc.status == IBV_WC_REM_ACCESS_ERR ? NULL : ibv_wc_status_str(wc.status);
	if (wc.status != IBV_WC_SUCCESS)
		return ibv_wc_status_str(wc.status);
	if (is_atomic(step))
		return *(uint64_t *)slot_of(end, step) == word_before(step) ? NULL : "another word";
	return is_filled(slot_of(end, step), step) ? NULL : "invalid data";
}

static bool ask_step(struct kinds_end *end, const struct step *step)
{
	struct ibv_sge sge = { (uintptr_t)slot_of(end, step), step->length, end->mr->lkey };
	struct ibv_send_wr wr = request(end, step, &sge), *bad;
	const char *wrong;
	char said[64];

	if (step->opcode != IBV_WR_RDMA_READ && !is_atomic(step))
		fill(slot_of(end, step), step);
	kinds_hear(end, said, 2);
	errno = ibv_post_send(end->qp, &wr, &bad);
	if (errno)
		kinds_die("post %s", step->name);
	wrong = wrong_return(end, step);
	kinds_tell(end, "ok", 2);
	kinds_hear(end, said, sizeof(said));
	said[sizeof(said) - 1] = 0;
	if (!wrong && !said[0]) {
		printf("%s: %s\n", type->name, step->name);
		return true;
	}
	printf("%s: %s: failed: %s, there: %s\n", type->name, step->name, wrong ? wrong : "well",
	       said[0] ? said : "well");
	return false;
}

static const struct type *type_named(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

static void read_options(struct kinds_end *end, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "c:d:g:p:")) != -1) {
		switch (option) {
		case 'c': type = type_named(optarg); break;
		case 'd': end->device = optarg; break;
		case 'g': end->gid_index = atoi(optarg); break;
		case 'p': end->port = atoi(optarg); break;
		default: exit(2);
		}
	}
	end->host = argv[optind];
	if (!type || !end->device || !end->port) {
		fprintf(stderr, "kinds -c RC|UC|UD|XRC -d DEVICE -g GID_INDEX -p PORT [HOST]\n");
		exit(2);
	}
	end->type = type->qp;
}

int main(int argc, char **argv)
{
	struct kinds_end end = { .gid_index = 1 };
	const struct step *step;
	bool well = true;

	setvbuf(stdout, NULL, _IOLBF, 0);
	read_options(&end, argc, argv);
	kinds_connect(&end, post_receives);
	for (step = steps; step < steps + STEPS; step++) {
		if (!applies(step))
			continue;
		if (end.host)
			well &= ask_step(&end, step);
		else
			answer_step(&end, step);
	}
	kinds_close(&end);
	return well ? 0 : 1;
}
