// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * qp_churn - creates, connects in pairs and destroys N RC queue pairs, and says what each
 * step costs per queue pair and what memory the kernel holds for it.
 *
 *   qp_churn DEVICE GID_INDEX N...
 *
 * For each N one line of "key=value" words. *_us are microseconds per queue pair; create
 * and destroy are also given for the first and the last hundred, since they shall not grow
 * with the number there is. Memory: kernel_bytes is what the whole machine uses more while
 * the idle queue pairs exist, less the rings that are mapped into this process and its own
 * heap. The free memory of the machine goes up and down by megabytes for reasons of its own, so
 * object_bytes counts what lives in the slab caches from which drivers and core allocate, after
 * each cache has given back what is free; left_bytes is what is left of that when the queue pairs
 * are gone.
 */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SETTLE_US	300000	/* what the kernel frees behind a grace period comes back */
#define QUEUE_DEPTH	16	/* of each send and receive queue */
#define WINDOW		100	/* queue pairs at either end that are timed apart */
#define MAX_QPS		100000

struct churn {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp **qps;
	int gid_index;
	union ibv_gid gid;
	enum ibv_mtu mtu;
};

struct memory {
	long used;	/* bytes of the machine that are neither free nor page cache */
	long rings;	/* bytes of this process that uverbs has mapped */
	long heap;	/* anonymous resident bytes of this process */
	long objects;	/* bytes of live objects in slabs, 0 where nobody may look */
};

struct costs {
	double all, first, last;	/* microseconds per queue pair */
};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The number in kB after "key" in a file of such lines, 0 without it. */
static long read_kb(const char *path, const char *key)
{
	FILE *file = fopen(path, "r");
	char line[512];
	long value = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key))) {
			value = strtol(line + strlen(key), NULL, 10);
			break;
		}
	if (file)
		fclose(file);
	return value;
}

static long mapped_rings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	char line[512];
	long bytes = 0;

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, "/dev/infiniband/") &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2)
			bytes += (long)(to - from);
	if (file)
		fclose(file);
	return bytes;
}

/* Caches of kernel objects that no name of another subsystem claims. */
static int ours(const char *cache)
{
	return !strncmp(cache, "kmalloc-", 8) || !strncmp(cache, "shca_", 5) ||
	       !strncmp(cache, "radix_tree_node", 15);
}

/* Lets a cache forget free objects that processors keep for themselves, so that it counts right. */
static void shrink(const char *cache)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", cache);
	file = fopen(path, "w");
	if (!file)
		return;
	fputs("1", file);
	fclose(file);
}

/* Over the caches that count: shrinks each, or adds up what lives in them. */
static long each_cache(int only_shrink)
{
	FILE *file = fopen("/proc/slabinfo", "r");
	long bytes = 0, live, all, size;
	char line[512], name[64];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %ld %ld %ld", name, &live, &all, &size) != 4 || !ours(name))
			continue;
		if (only_shrink)
			shrink(name);
		else
			bytes += live * size;
	}
	if (file)
		fclose(file);
	return bytes;
}

static long live_objects(void)
{
	each_cache(1);
	return each_cache(0);
}

static struct memory memory_now(void)
{
	const char *info = "/proc/meminfo";
	long free_kb = read_kb(info, "MemFree:") + read_kb(info, "Buffers:") +
		       read_kb(info, "Cached:") + read_kb(info, "SReclaimable:");
	struct memory m = {
		.used = (read_kb(info, "MemTotal:") - free_kb) * 1024,
		.rings = mapped_rings(),
		.heap = read_kb("/proc/self/status", "RssAnon:") * 1024,
		.objects = live_objects(),
	};

	return m;
}

static long kernel_part(struct memory before, struct memory after)
{
	return (after.used - before.used) - (after.rings - before.rings) -
	       (after.heap - before.heap);
}

static int create_one(struct churn *c, int i)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = c->cq, .recv_cq = c->cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = QUEUE_DEPTH, .max_recv_wr = QUEUE_DEPTH,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	c->qps[i] = ibv_create_qp(c->pd, &attr);
	return c->qps[i] ? 0 : -1;
}

static int connect_one(struct churn *c, int i, int peer)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = c->mtu,
		.dest_qp_num = c->qps[peer]->qp_num, .max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = c->gid, .hop_limit = 64,
				      .sgid_index = (uint8_t)c->gid_index } },
	};
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7,
				   .rnr_retry = 7, .max_rd_atomic = 1 };
	struct ibv_qp *qp = c->qps[i];

	return ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_ACCESS_FLAGS) ||
	       ibv_modify_qp(qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER) ||
	       ibv_modify_qp(qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int connect_pair_member(struct churn *c, int i)
{
	return connect_one(c, i, i ^ 1);
}

static int destroy_one(struct churn *c, int i)
{
	int rc = ibv_destroy_qp(c->qps[i]);

	c->qps[i] = NULL;
	return rc;
}

/* Runs one step over all queue pairs and times it. */
static int timed(struct churn *c, int n, int (*step)(struct churn *, int), struct costs *costs)
{
	int window = n < WINDOW ? n : WINDOW;
	double start = now_us(), head = start, tail = start;

	for (int i = 0; i < n; i++) {
		if (i == n - window)
			tail = now_us();
		if (step(c, i)) {
			perror("qp_churn: step");
			return -1;
		}
		if (i == window - 1)
			head = now_us();
	}
	costs->all = (now_us() - start) / n;
	costs->first = (head - start) / window;
	costs->last = (now_us() - tail) / window;
	return 0;
}

static int round_of(struct churn *c, int n)
{
	struct costs create, join, destroy;
	struct memory before, full, after;

	usleep(SETTLE_US);
	before = memory_now();
	if (timed(c, n, create_one, &create))
		return -1;
	full = memory_now();
	if (timed(c, n, connect_pair_member, &join) || timed(c, n, destroy_one, &destroy))
		return -1;
	usleep(SETTLE_US);
	after = memory_now();
	printf("n=%d create_us=%.2f connect_us=%.2f destroy_us=%.2f total_us=%.2f "
	       "create_first_us=%.2f create_last_us=%.2f destroy_first_us=%.2f "
	       "destroy_last_us=%.2f kernel_bytes=%ld object_bytes=%ld ring_bytes=%ld "
	       "left_bytes=%ld\n",
	       n, create.all, join.all, destroy.all, create.all + join.all + destroy.all,
	       create.first, create.last, destroy.first, destroy.last,
	       kernel_part(before, full) / n, (full.objects - before.objects) / n,
	       (full.rings - before.rings) / n,
	       after.objects - before.objects);
	fflush(stdout);
	return 0;
}

static struct ibv_context *open_named(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return context;
}

static int set_up(struct churn *c, const char *device, int gid_index)
{
	struct ibv_port_attr port;

	c->gid_index = gid_index;
	c->context = open_named(device);
	if (!c->context || ibv_query_gid(c->context, 1, gid_index, &c->gid) ||
	    ibv_query_port(c->context, 1, &port))
		return -1;
	c->mtu = port.active_mtu;
	c->pd = ibv_alloc_pd(c->context);
	c->cq = c->pd ? ibv_create_cq(c->context, 1024, NULL, NULL, 0) : NULL;
	return c->cq ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct churn c = { 0 };
	int rc = 0;

	if (argc < 4) {
		fprintf(stderr, "usage: qp_churn DEVICE GID_INDEX N...\n");
		return 2;
	}
	if (set_up(&c, argv[1], atoi(argv[2]))) {
		perror("qp_churn: device");
		return 1;
	}
	/* Give the same N twice: only the second left_bytes shows leaks, caches being warm. */
	c.qps = calloc(MAX_QPS, sizeof(*c.qps));
	for (int i = 3; i < argc && c.qps && !rc; i++) {
		int n = atoi(argv[i]) & ~1;

		rc = n < 2 || n > MAX_QPS ? -1 : round_of(&c, n);
	}
	free(c.qps);
	ibv_destroy_cq(c.cq);
	ibv_dealloc_pd(c.pd);
	ibv_close_device(c.context);
	return rc ? 1 : 0;
}
