// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_scribble.c - processes that scribble over their own rings while the engine runs them harm
 * nobody: a pair that talks beside them keeps its bytes, its order and its pace (habit 5: the
 * engine looks at shared memory once and believes nothing). The seed is printed and can be given
 * again.
 */
#include <signal.h>
#include <sys/wait.h>

#include "shca_raw_qp.h"

#define SCRIBBLERS	3
#define ROUNDS		4000
#define BYTES		(64 * 1024)

static union ibv_gid gid;
static int gid_index;

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Any word of a mapping gets any value; small ones and ones near the truth are the likely ones. */
static void scribble(uint64_t *seed, void *base, size_t bytes)
{
	uint32_t *word = (uint32_t *)base + next_random(seed) % (bytes / 4);

	switch (next_random(seed) % 6) {
	case 0:
		*word = next_random(seed);
		break;
	case 1:
		*word = next_random(seed) % 64;
		break;
	case 2:
		*word ^= 1u << (next_random(seed) % 32);
		break;
	case 3:
		*word += next_random(seed) % 5;
		break;
	case 4:
		*word = 0xffffffff;
		break;
	default:
		*word = 0;
	}
}

/* Plausible work first, so that the engine gets deep, then scribbles and rings. */
static void attack(uint64_t seed)
{
	static uint8_t memory[BYTES] __attribute__((aligned(4096)));
	struct raw raw;
	struct raw_cq cq;
	struct raw_qp qp[2];
	uint32_t key;
	int i;

	raw_open(&raw);
	key = raw_reg_mr(&raw, memory, sizeof(memory), NULL);
	for (;;) {
		raw_make_cq(&raw, &cq, 32);
		raw_make_qp(&raw, &qp[0], &cq, 32);
		raw_make_qp(&raw, &qp[1], &cq, 32);
		raw_connect(&raw, &qp[0], qp[1].resp.ib.qpn, &gid, gid_index);
		raw_connect(&raw, &qp[1], qp[0].resp.ib.qpn, &gid, gid_index);
		for (i = 0; i < 400; i++) {
			struct raw_qp *at = &qp[next_random(&seed) & 1];

			raw_post(at, next_random(&seed) % 12, (uintptr_t)memory, key,
				 next_random(&seed) % BYTES, (uintptr_t)memory, key);
			if (next_random(&seed) & 1)
				scribble(&seed, at->base, at->resp.shca.map.size);
			if (next_random(&seed) & 1)
				scribble(&seed, at->base, sizeof(struct shca_qp_shared));
			if (!(next_random(&seed) % 4))
				scribble(&seed, cq.shared, cq.resp.shca.map.size);
			raw_ring(&raw, at->resp.ib.qpn);
		}
		for (i = 0; i < 2; i++) {
			struct ib_uverbs_destroy_qp cmd = { .qp_handle = qp[i].resp.ib.qp_handle };
			struct ib_uverbs_destroy_qp_resp resp;

			munmap(qp[i].base, qp[i].resp.shca.map.size);
			raw_command(raw.fd, IB_USER_VERBS_CMD_DESTROY_QP, &cmd, sizeof(cmd), &resp,
				    sizeof(resp));
		}
		munmap(cq.shared, cq.resp.shca.map.size);
		raw_destroy_cq(&raw, cq.resp.ib.cq_handle);
	}
}

/* Writes that are checked, one after the other; false at the first wrong thing. */
static bool honest(const struct raw *raw, struct raw_cq *cq, const struct raw_qp *qp,
		   uint8_t *memory, uint32_t key)
{
	struct shca_cqe cqe;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		uint32_t length = 1 + (uint32_t)round * 977 % 8000;

		for (i = 0; i < (int)length; i++)
			memory[i] = round + i;
		memset(memory + BYTES / 2, 0, length + 1);
		raw_post(qp, RAW_WR_RDMA_WRITE, (uintptr_t)memory, key, length,
			 (uintptr_t)memory + BYTES / 2, key);
		if (raw_ring(raw, qp->resp.ib.qpn))
			return false;
		if (raw_poll(cq, &cqe) != IBV_WC_SUCCESS || cqe.wr_id != (uint64_t)round)
			return false;
		if (memcmp(memory, memory + BYTES / 2, length) || memory[BYTES / 2 + length])
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static uint8_t memory[BYTES] __attribute__((aligned(4096)));
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
	struct fixture f;
	struct raw raw;
	struct raw_cq cq;
	struct raw_qp a, b;
	pid_t child[SCRIBBLERS];
	int i, status, died = 0;

	fixture_open(&f);
	gid = f.gid;
	gid_index = f.gid_index;
	fixture_close(&f);
	tap_note("seed %llu", (unsigned long long)seed);
	for (i = 0; i < SCRIBBLERS; i++) {
		child[i] = fork();
		if (!child[i]) {
			attack((seed + i + 1) * 0x9e3779b97f4a7c15ull | 1);
			_exit(1);
		}
	}
	raw_open(&raw);
	raw_make_cq(&raw, &cq, 64);
	raw_make_qp(&raw, &a, &cq, 16);
	raw_make_qp(&raw, &b, &cq, 16);
	if (raw_connect(&raw, &a, b.resp.ib.qpn, &gid, gid_index) ||
	    raw_connect(&raw, &b, a.resp.ib.qpn, &gid, gid_index))
		tap_bail("connect");
	tap_ok(honest(&raw, &cq, &a, memory, raw_reg_mr(&raw, memory, sizeof(memory), NULL)),
	       "an honest pair keeps its bytes and its order beside %d scribblers", SCRIBBLERS);
	for (i = 0; i < SCRIBBLERS; i++) {
		died += waitpid(child[i], &status, WNOHANG) == child[i];
		kill(child[i], SIGKILL);
		waitpid(child[i], &status, 0);
	}
	tap_is(died, 0, "and the scribblers were at it all the time");
	return tap_end();
}
